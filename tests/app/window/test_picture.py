"""Pictures without a window, and the file they are saved to."""

from __future__ import annotations

import struct
from errno import ENOSPC
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.render.framing import close_up
from repose.app.storage.png import save_png
from repose.app.storage.view_settings import View
from repose.app.window.picture import PictureMaker

from tests.app.fake_heap import fake_heap


@pytest.mark.gl
def test_a_picture_maker_draws_many_pictures_and_can_be_closed_twice() -> None:
    maker = PictureMaker((160, 90))
    snapshot = fake_heap()
    whole = maker.draw(snapshot, View())
    near = maker.draw(snapshot, View(), box=close_up(snapshot))
    assert whole.shape == near.shape == (90, 160, 3)
    assert whole.flags.c_contiguous
    assert whole.flags.owndata
    maker.close()
    maker.close()


@pytest.mark.gl
def test_several_picture_makers_can_be_used_in_turn_in_one_process() -> None:
    pictures = []
    for _ in range(3):
        with PictureMaker((96, 54)) as maker:
            pictures.append(maker.draw(fake_heap(), View(colour_by="size")))
    assert all(np.array_equal(pictures[0], other) for other in pictures[1:])


def test_a_saved_picture_is_a_png_of_its_size(tmp_path: Path) -> None:
    path = tmp_path / "zażółć heap.png"
    with path.open("wb") as file:
        save_png(np.zeros((3, 5, 3), np.uint8), file)
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:24]) == (5, 3)


class FullDisk(BytesIO):
    """A file whose disk is full."""

    def write(self, data: Any) -> int:
        raise OSError(ENOSPC, "No space left on device")


def test_a_picture_that_cannot_be_written_raises_one_error_and_prints_nothing(capfd: pytest.CaptureFixture) -> None:
    with pytest.raises(OSError, match="No space left"):
        save_png(np.zeros((30, 50, 3), np.uint8), FullDisk())
    assert capfd.readouterr() == ("", "")
