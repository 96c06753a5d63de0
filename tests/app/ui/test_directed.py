"""The window follows the direction of the scene until the user chooses something else, and again in another scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from repose.app.render.colours import AUTOMATIC
from repose.app.render.passes import all_switches
from repose.app.render.passes.velocity_arrows import VELOCITY_ARROWS
from repose.app.ui import directed
from repose.app.ui.panels import plots
from repose.app.ui.pause_and_speed import SPEEDS
from repose.sim.direction import NOT_DIRECTED
from repose.sim.experiment.phase import Phase
from repose.sim.io import presets

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import put

SLOW = replace(NOT_DIRECTED, colour="speed", plot="ledger", speed=0.3, speeds={"flowing": 0.02})


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    with open_harness(tmp_path, full_snapshot()) as opened:
        yield opened


@pytest.fixture
def window(harness: PanelHarness) -> PanelHarness:
    put(harness.ui.snapshot, serial=1, scene="heap", direction=SLOW, phase=Phase("filling", "filling"))
    directed.see(harness.ui)
    return harness


def flow(window: PanelHarness, phase: str = "flowing") -> None:
    put(window.ui.snapshot, phase=Phase(phase, phase))
    directed.see(window.ui)


def test_the_speed_is_that_of_the_phase_until_the_user_chooses_one(window: PanelHarness) -> None:
    transport = window.ui.control.transport
    assert transport.speed == 0.3
    assert SPEEDS[transport.index] == 0.2, "from which the buttons go on"
    flow(window)
    assert transport.speed == 0.02
    transport.choose(transport.index + 1)
    flow(window, "filling")
    assert transport.speed == 0.05
    put(window.ui.snapshot, scene="vessel", direction=replace(SLOW, speed=2.0))
    directed.see(window.ui)
    assert transport.speed == 2.0


def test_the_plot_of_the_scene_opens_and_the_one_that_the_user_chooses_stays(window: PanelHarness) -> None:
    choices = window.ui.settings.choices
    assert choices.tabs[plots.ROW] == "ledger"
    choices.tabs = {**choices.tabs, plots.ROW: "motion"}
    flow(window)
    assert choices.tabs[plots.ROW] == "motion"
    put(window.ui.snapshot, direction=replace(SLOW, plot="not there yet"))
    directed.see(window.ui)
    choices.tabs = {**choices.tabs, plots.ROW: "ledger"}
    flow(window)
    assert window.ui.states[directed.Followed].plot == "", "the user has chosen another one"


def test_a_chosen_colour_stays_in_its_scene_and_ends_with_it(window: PanelHarness) -> None:
    window.ui.view.colour_by = "photoelastic"
    flow(window)
    assert window.ui.view.colour_by == "photoelastic"
    put(window.ui.snapshot, scene="bounce", direction=NOT_DIRECTED)
    directed.see(window.ui)
    assert window.ui.view.colour_by == AUTOMATIC


def test_what_a_scene_shows_is_on_until_the_user_turns_it_off_and_off_again_in_the_next_scene(
    window: PanelHarness,
) -> None:
    view = window.ui.view
    put(window.ui.snapshot, scene="impacts", direction=replace(SLOW, show=("velocity_arrows",)))
    directed.see(window.ui)
    assert VELOCITY_ARROWS.is_on(view)
    VELOCITY_ARROWS.set(view, False)
    flow(window)
    assert not VELOCITY_ARROWS.is_on(view)
    VELOCITY_ARROWS.set(view, True)
    put(window.ui.snapshot, scene="heap", direction=SLOW)
    directed.see(window.ui)
    assert not VELOCITY_ARROWS.is_on(view)


def test_the_colour_of_the_last_session_stays_at_the_start(harness: PanelHarness) -> None:
    harness.ui.view.colour_by = "force"
    put(harness.ui.snapshot, serial=1, scene="heap", direction=SLOW)
    directed.see(harness.ui)
    assert harness.ui.view.colour_by == "force"


def test_presets_know_every_switch_of_the_picture() -> None:
    assert set(presets.switches()) == {switch.name for switch in all_switches()}
