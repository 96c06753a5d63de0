"""Fixtures of several tests of the program: an empty folder, a maker of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def picture_maker() -> Iterator[PictureMaker]:
    """Draws off-screen; every test that draws sets the size it wants."""
    from repose.app.window.picture import PictureMaker

    with PictureMaker((64, 64)) as maker:
        yield maker
        import OpenGL.GL as gl

        assert gl.glGetError() == gl.GL_NO_ERROR
