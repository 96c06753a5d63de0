"""The directions of the shipped scenes and presets name what exists."""

from __future__ import annotations

import pytest
from repose.app.render.colours import COLOURINGS
from repose.app.render.orbit import VIEWS
from repose.app.render.passes import all_switches
from repose.app.ui.pause_and_speed import SPEEDS
from repose.sim.direction import LOOKS, OWN, Direction
from repose.sim.direction import VIEWS as NAMES_OF_VIEWS
from repose.sim.experiment.changes import offered_plots
from repose.sim.io import presets
from repose.sim.registry import scenes


def shipped() -> dict[str, tuple[str, Direction]]:
    """Scene and direction of every scene and of every preset with a direction of its own."""
    own = {name: presets.load(name) for name in presets.names()}
    return {name: (name, scene.direction) for name, scene in scenes().items()} | {
        f"preset {name}": (preset.scene, preset.direction) for name, preset in own.items() if preset.direction
    }


def test_the_names_of_colours_and_views_are_those_of_the_picture() -> None:
    assert set(NAMES_OF_VIEWS) == set(VIEWS)
    assert set(LOOKS) <= set(COLOURINGS)


@pytest.mark.parametrize("name", shipped())
def test_a_direction_can_be_followed(name: str) -> None:
    scene_name, direction = shipped()[name]
    scene = scenes()[scene_name]
    assert str(direction.see)
    assert direction.colour in {*COLOURINGS, OWN}
    assert set(direction.show) <= {switch.name for switch in all_switches()}
    assert set(direction.speeds) <= set(scene.phase_names)
    assert direction.plot in offered_plots(scene.name)
    assert direction.seconds <= 120.0
    assert {direction.speed, *direction.speeds.values()} <= set(SPEEDS), "as on the slider"
