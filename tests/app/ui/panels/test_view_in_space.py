"""The view panel of a scene in space: named views and the cut-away, which scenes in the plane do not have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from repose.app.render.orbit import VIEWS
from repose.app.ui.keys import WINDOW_KEYS

from tests.app.fake_space import fake_cone
from tests.app.ui.panels.panel_harness import PanelHarness, open_harness


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    with open_harness(tmp_path, fake_cone(60)) as harness:
        done = harness.done
        harness.click("tab.view")
        harness.ui.control.actions |= {f"look_{name}": partial(done.append, name) for name in VIEWS}
        yield harness


@pytest.mark.parametrize("name", list(VIEWS))
def test_every_named_view_has_a_button_and_a_key(harness: PanelHarness, name: str) -> None:
    harness.click(f"view.look_{name}")
    assert harness.done == [name]
    assert f"look_{name}" in {key.name for key in WINDOW_KEYS}


def test_the_position_of_the_cut_can_be_changed_after_its_axis_is_chosen(harness: PanelHarness) -> None:
    assert "view.cut_position" not in harness.widgets
    harness.click("view.cut")
    harness.click("view.cut.y")
    assert harness.ui.view.cut_axis == "y"
    harness.drag("view.cut_position", 0.5, 0.8)
    assert harness.ui.view.cut_position == pytest.approx(0.8, abs=0.05)
    harness.click("view.cut")
    harness.click("view.cut.")
    assert harness.ui.view.cut_axis == ""
    assert "view.cut_position" not in harness.widgets


def test_a_scene_in_the_plane_has_neither_named_views_nor_a_cut(tmp_path: Path) -> None:
    with open_harness(tmp_path) as harness:
        assert not {f"view.look_{name}" for name in VIEWS} & set(harness.widgets)
        assert "view.cut" not in harness.widgets


def test_in_space_the_photoelastic_view_is_that_of_the_forces_inside_without_choices_of_the_light(
    harness: PanelHarness,
) -> None:
    harness.click("view.colour")
    harness.click("view.colour.photoelastic")
    assert harness.ui.view.colour_by == "photoelastic"
    harness.frame()
    assert "view.stress_optic" not in harness.widgets


def test_component_and_width_of_the_stress_field_are_chosen_while_it_is_shown(harness: PanelHarness) -> None:
    assert "view.stress_width" not in harness.widgets
    harness.click("view.show_stress_field")
    harness.click("view.stress_component")
    harness.click("view.stress_component.vertical")
    assert harness.ui.view.stress_component == "vertical"
    harness.drag("view.stress_width", 0.3, 1.0)
    assert harness.ui.view.stress_width == pytest.approx(5.0, rel=0.1)
