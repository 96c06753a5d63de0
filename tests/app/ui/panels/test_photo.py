"""The panel of a photograph: opened by a dropped file or a key, marks with undo, both ways of showing it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PIL import Image
from repose.app.ui.compared_photo import ComparedPhoto
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.panels import all_keys, photo
from repose.app.ui.ui import Ui

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.rendered_heap import Camera, render, triangle


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photo") / "heap.png"
    Image.fromarray(render(triangle(25.0), Camera(size=(480, 270)))).save(path)
    return path


def wait(harness: PanelHarness) -> ComparedPhoto:
    state = harness.ui.states[ComparedPhoto]
    while state.working:
        time.sleep(0.01)
    harness.frame(2)
    return state


def opened(harness: PanelHarness, path: Path) -> ComparedPhoto:
    assert not take_dropped(harness.ui, str(path))
    return wait(harness)


def press(ui: Ui, name: str) -> None:
    act = next(key.act for key in all_keys() if key.name == name)
    assert act is not None
    act(ui)


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640)])
def test_a_dropped_photograph_is_measured_beside_the_run(tmp_path: Path, picture: Path, size: tuple[int, int]) -> None:
    with open_harness(tmp_path, full_snapshot(), size) as harness:
        state = opened(harness, picture)
        assert harness.ui.mode.overlay == "photo"
        assert state.heap is not None
        for how in photo.WAYS:
            state.how = how
            harness.frame(2)
        assert {"photo.scale", "photo.threshold", "photo.save"} <= set(harness.widgets)
        assert not harness.ui.program.broken
        harness.click("photo.close")
        harness.frame(2)
        assert not harness.ui.program.broken
        assert harness.commands == []


def test_two_clicks_set_the_scale_and_undo_takes_it_back(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, picture)
        harness.click("photo.scale")
        for share in (0.2, 0.8):
            harness.click("photo.clicks", share=share)
        wait(harness)
        assert state.marks.scale is not None
        assert state.heap is not None
        assert state.heap.scaled
        press(harness.ui, "photo_undo")
        assert wait(harness).marks.scale is None
        press(harness.ui, "photo_redo")
        assert wait(harness).marks.scale is not None


def test_a_file_that_is_no_picture_is_told_in_the_panel(tmp_path: Path) -> None:
    path = tmp_path / "heap.jpg"
    path.write_text("no picture", encoding="utf-8")
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, path)
        assert state.photo is None
        assert "is not a picture that can be read" in str(state.trouble)
        assert not harness.ui.program.broken


def test_a_photograph_that_is_stopped_is_not_shown(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        take_dropped(harness.ui, str(picture))
        state = harness.ui.states[ComparedPhoto]
        state.stop()
        assert not state.working
        time.sleep(0.5)
        harness.frame(2)
        assert not harness.ui.program.broken


def test_the_key_opens_and_closes_the_panel(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        press(harness.ui, "photo")
        harness.frame(2)
        assert "photo.open" in harness.widgets
        press(harness.ui, "photo")
        harness.frame(2)
        assert "photo.open" not in harness.widgets
