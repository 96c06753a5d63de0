"""Group G, OpenGL and window: sizes, objects of OpenGL, what is dropped and pasted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from repose.app.storage.view_settings import View
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.panels.share import open_code
from repose.app.ui.toasts import current_toasts

from tests.app.drawn_pictures import objects
from tests.app.fake_heap import fake_heap
from tests.app.fake_space import few_spheres
from tests.app.ui.panels.panel_harness import open_harness


@pytest.mark.case("G20")
@pytest.mark.gl
@pytest.mark.parametrize("times", [20, pytest.param(1_000, marks=pytest.mark.slow)])
def test_g10_g20_scenes_and_sizes_that_change_often_leave_as_many_objects_of_opengl(times: int) -> None:
    from repose.app.window.picture import PictureMaker

    scenes, seeded = (fake_heap(), few_spheres((0.0, 0.0, 0.0, 1.0))), np.random.default_rng(3)
    sizes = [(64, 48), *map(tuple, seeded.integers(1, 80, (times, 2)).tolist()), (1, 300), (64, 48)]
    with PictureMaker() as maker:
        counts, pictures = [], []
        for number, size in enumerate(sizes):
            for snapshot in scenes if size == (64, 48) else (scenes[number % 2],):
                picture = maker.read(snapshot, View(), size)
                assert picture.shape == (size[1], size[0], 3)
            if size == (64, 48):
                counts.append(objects(20 * times + 400))
                pictures.append(picture)
    assert counts[0] == counts[1]
    assert np.array_equal(*pictures)


def test_g22_what_is_no_preset_and_no_run_is_refused_in_a_sentence_dropped_or_pasted(tmp_path: Path) -> None:
    folder, program, binary = tmp_path / "folder.toml", tmp_path / "a.exe", tmp_path / "binary.toml"
    folder.mkdir()
    program.write_bytes(b"MZ\x00\xff" * 100)
    binary.write_bytes(bytes(range(256)) * 40)
    with open_harness(tmp_path) as harness:
        for path, words in ((folder, "is a folder"), (program, "is not used"), (binary, "binary.toml")):
            refusal = take_dropped(harness.ui, str(path))
            assert words in str(refusal)
            assert "\n" not in str(refusal)
        open_code(harness.ui, "repose1-" + "A" * 10_000_000)
        assert "The code is damaged" in str(current_toasts(harness.ui)[-1].text)
        assert harness.commands == []
