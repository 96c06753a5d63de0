"""Pushing and stirring: the rod or the push goes where the pointer goes, with the settings, until the button is up."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.ui.tools import soft_push, stir
from repose.app.ui.tools.pointer import PresentDrag, depth_at
from repose.sim.experiment.commands import PUSHED, Push, Release, TakeBack

from tests.app.ui.panels.panel_harness import PanelHarness
from tests.app.ui.tools.two_grains import at, two_grains
from tests.snapshots import put


@pytest.mark.parametrize(("tool", "rigid"), [(soft_push.TOOL, False), (stir.TOOL, True)])
def test_it_follows_the_pointer_and_ends_with_the_drag_which_one_undo_takes_back(
    harness: PanelHarness, tool: object, rigid: bool
) -> None:
    ui, choices = harness.ui, harness.ui.settings.choices
    choices.push_size = choices.rod_size = 2.0
    choices.push_strength, choices.rod_speed = 30.0, 0.5
    assert tool.press(ui, at(harness, 1.0, 2.0))
    assert tool.hold(ui, at(harness, 1.0, 2.0))  # the pointer rests: nothing is sent
    assert tool.hold(ui, at(harness, 2.0, 2.0))
    tool.release(ui)
    first, second, last = harness.commands
    assert isinstance(first, Push)
    assert isinstance(second, Push)
    assert first.position == pytest.approx((1.0, 2.0))
    assert second.position == pytest.approx((2.0, 2.0))
    assert (first.radius, first.rigid, last) == (2.0, rigid, Release())
    assert (first.speed if rigid else first.limit / soft_push.EARTH) == pytest.approx(0.5 if rigid else 30.0)
    assert ui.states[PresentDrag].drag is None
    ui.control.edits.undo()
    assert harness.commands[-1] == TakeBack(PUSHED)


def test_a_refused_push_ends_the_drag(harness: PanelHarness) -> None:
    assert stir.TOOL.press(harness.ui, at(harness, 1.0, 2.0))
    put(
        harness.ui.snapshot, refusals=harness.ui.snapshot.messages.refusals + 1
    )  # of another command, such as to measure
    assert stir.TOOL.hold(harness.ui, at(harness, 2.0, 2.0))
    put(harness.ui.snapshot, refused_drags=harness.ui.snapshot.messages.refused_drags + 1)
    assert not stir.TOOL.hold(harness.ui, at(harness, 2.0, 2.0))


def test_in_space_the_rod_is_as_deep_as_the_grain_under_the_pointer(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.snapshot, ui.camera = two_grains((0.5,)), Camera3D((0.0, 0.0, 0.0), 40.0, *VIEWS["three-quarter"])
    x, y = at(harness, 3.0, 1.0, 0.5)
    assert stir.TOOL.press(ui, (x, y))
    assert stir.TOOL.hold(ui, (x + 60.0, y))
    position = np.array(harness.commands[-1].position)
    assert (position - (3.0, 1.0, 0.5)) @ ui.camera.axes()[2] == pytest.approx(0.0, abs=1e-6)
    assert at(harness, *position) == pytest.approx((x + 60.0, y))
    assert depth_at(ui, (5.0, 5.0)) == pytest.approx(np.mean(ui.snapshot.geometry.box, axis=0))


@pytest.mark.parametrize(
    ("omega", "wanted"), [(0.0, 1e4), (100.0, 200.0), (1e3, 0.04 * 1e6 / (2.0 * np.pi)), (1e5, 1e4)]
)
def test_the_rod_pushes_no_harder_than_a_contact_of_the_grains_bears(omega: float, wanted: float) -> None:
    """A rod of 3 radii pushes about 2π grains; 0.04 radii of overlap, at ω² per acceleration, carry all of them."""
    snapshot = two_grains()
    put(snapshot, dt=1e-6, omega_dt=omega * 1e-6)
    assert stir.limit_of(snapshot, 3.0) == pytest.approx(wanted)
