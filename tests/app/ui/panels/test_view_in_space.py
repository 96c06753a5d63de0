"""The view panel of a scene in space: named views and the cut-away, which a plane does not have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from repose.app.render.orbit import VIEWS
from repose.app.ui.keys import WINDOW_KEYS

from tests.app.fake_space import fake_cone
from tests.app.ui.panels.stage import Stage, open_stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with open_stage(tmp_path, fake_cone(60)) as stage:
        done = stage.ui.memory["done"]
        stage.click("tab.view")
        stage.ui.actions |= {f"look_{name}": partial(done.append, name) for name in VIEWS}
        yield stage


@pytest.mark.parametrize("name", list(VIEWS))
def test_every_named_view_has_a_button_and_a_key(stage: Stage, name: str) -> None:
    stage.click(f"view.look_{name}")
    assert stage.ui.memory["done"] == [name]
    assert f"look_{name}" in {key.name for key in WINDOW_KEYS}


def test_the_place_of_the_cut_can_be_moved_once_there_is_one(stage: Stage) -> None:
    assert "view.cut_position" not in stage.widgets
    stage.click("view.cut")
    stage.click("view.cut.y")
    assert stage.ui.view.cut_axis == "y"
    stage.drag("view.cut_position", 0.5, 0.8)
    assert stage.ui.view.cut_position == pytest.approx(0.8, abs=0.05)
    stage.click("view.cut")
    stage.click("view.cut.")
    assert stage.ui.view.cut_axis == ""
    assert "view.cut_position" not in stage.widgets


def test_a_scene_in_the_plane_has_neither(tmp_path: Path) -> None:
    with open_stage(tmp_path) as stage:
        assert not {f"view.look_{name}" for name in VIEWS} & set(stage.widgets)
        assert "view.cut" not in stage.widgets
