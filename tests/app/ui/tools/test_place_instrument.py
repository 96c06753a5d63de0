"""Placing, moving, removing and undoing instruments with the mouse and the keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from repose.app.render.camera import Camera2D
from repose.app.render.orbit import facing
from repose.app.ui.tools import place_instrument as instrument
from repose.app.ui.tools.place_instrument import TOOL, InstrumentTool
from repose.sim import registry
from repose.sim.experiment.commands import PlaceInstrument, RemoveInstrument, SetInstrument
from repose.sim.experiment.snapshot import ShownInstrument, Snapshot
from repose.sim.instruments.instrument import Instrument

from tests.app.ui.panels.panel_harness import PanelHarness, open_harness
from tests.app.ui.tools.two_grains import SIZE, at, two_grains
from tests.snapshots import with_fields

LINE = Instrument("line", "line1", ((-2.0, 0.0), (2.0, 0.0)))
BOX = Instrument("box", "box1", ((-3.0, -2.0), (3.0, 2.0)), colour=1)


def with_instruments(snapshot: Snapshot, *instruments: Instrument) -> Snapshot:
    """The snapshot with these instruments."""
    kinds = registry.instruments()
    shown = tuple(
        ShownInstrument(
            entry,
            tuple(kinds[entry.kind].outline(entry.points)) if entry.points else (),
            kinds[entry.kind].handles(entry.points),
        )
        for entry in instruments
    )
    return with_fields(snapshot, instruments=shown)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    box = ((-5.0, -4.0), (5.0, 4.0))
    with open_harness(tmp_path, with_fields(two_grains(), scene="heap", box=box), size=SIZE) as opened:
        opened.ui.camera = Camera2D((0.0, 0.0), 0.02)
        opened.ui.window.inset, opened.ui.mode.tool = (0.0, 0.0, 0.0, 60.0), TOOL.name
        yield opened


def drag(harness: PanelHarness, start: tuple[float, float], end: tuple[float, float]) -> None:
    assert TOOL.press(harness.ui, at(harness, *start))
    assert TOOL.hold(harness.ui, at(harness, *end))
    harness.frame(1)
    assert not harness.ui.program.broken
    TOOL.release(harness.ui)


@pytest.mark.parametrize(
    ("kind", "points"),
    [
        ("line", ((-2.0, 1.0), (1.0, 3.0))),
        ("box", ((-2.0, 1.0), (1.0, 3.0))),
        ("ruler", ((-2.0, 1.0), (1.0, 3.0))),
        ("halves", ((-2.0, 1.0), (1.0, 3.0))),
        ("protractor", ((-2.0, 1.0), (1.0, 3.0), (-2.0 + 13.0**0.5, 1.0))),
    ],
)
def test_a_drag_places_the_chosen_kind_and_undo_and_redo_need_no_way_back_in_time(
    harness: PanelHarness, kind: str, points: tuple[tuple[float, float], ...]
) -> None:
    ui = harness.ui
    ui.states[InstrumentTool].kind = kind
    drag(harness, (-2.0, 1.0), (1.0, 3.0))
    (placed,) = harness.commands
    assert isinstance(placed, PlaceInstrument)
    assert (placed.instrument.kind, placed.instrument.name) == (kind, f"{kind}1")
    assert np.ravel(placed.instrument.points) == pytest.approx(np.ravel(points), abs=1e-5)
    assert not placed.goes_on
    ui.control.edits.undo()
    assert harness.commands[-1] == RemoveInstrument(f"{kind}1")
    ui.control.edits.redo()
    assert harness.commands[-1] == PlaceInstrument(placed.instrument, goes_on=True)


def test_a_drag_beyond_the_region_of_the_picture_ends_at_its_border(harness: PanelHarness) -> None:
    drag(harness, (-2.0, 1.0), (9.0, 1.0))
    assert np.ravel(harness.commands[-1].instrument.points) == pytest.approx((-2.0, 1.0, 5.0, 1.0), abs=1e-5)


def test_a_click_places_nothing_but_a_probe_on_a_grain(harness: PanelHarness) -> None:
    ui = harness.ui
    assert TOOL.press(ui, at(harness, -2.0, 2.0))
    TOOL.release(ui)
    TOOL.click(ui, at(harness, -2.0, 2.0))
    assert harness.commands == []
    ui.states[InstrumentTool].kind = "probe"
    assert not TOOL.press(ui, at(harness, 0.0, 3.5)), "the camera has the drag"
    TOOL.click(ui, at(harness, 0.0, 3.5))
    assert harness.commands == []
    grains = ui.snapshot.grains
    row = int(np.flatnonzero(~grains.fixed)[0])
    TOOL.click(ui, at(harness, *map(float, grains.position[row])))
    assert harness.commands[-1].instrument == Instrument("probe", "probe1", (), int(grains.sphere_id[row]))


def test_a_handle_is_dragged_and_a_line_is_moved_as_a_whole(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.snapshot = with_instruments(ui.snapshot, LINE, BOX)
    drag(harness, (2.0, 0.0), (3.0, 1.0))
    assert isinstance(harness.commands[-1], SetInstrument)
    assert np.ravel(harness.commands[-1].instrument.points) == pytest.approx((-2.0, 0.0, 3.0, 1.0), abs=1e-5)
    drag(harness, (1.0, 0.0), (1.5, -0.5))
    assert np.ravel(harness.commands[-1].instrument.points) == pytest.approx((-1.5, -0.5, 2.5, -0.5), abs=1e-5)
    ui.control.edits.undo()
    assert harness.commands[-1] == SetInstrument(LINE)
    drag(harness, (3.0, 2.0), (2.0, 1.0))
    corners = np.array(harness.commands[-1].instrument.points)
    assert (corners.min(axis=0), corners.max(axis=0)) == (
        pytest.approx((-3.0, -2.0), abs=1e-5),
        pytest.approx((2.0, 1.0), abs=1e-5),
    )
    drag(harness, (0.0, 2.0), (0.0, 9.0))
    assert np.array(harness.commands[-1].instrument.points).max(axis=0) == pytest.approx((3.0, 4.0), abs=1e-5)


def test_the_selected_instrument_is_removed_and_comes_back(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.snapshot = with_instruments(ui.snapshot, LINE, BOX)
    TOOL.click(ui, at(harness, 0.5, 0.0))
    assert instrument.selected(ui) == LINE
    instrument.remove(ui)
    assert harness.commands[-1] == RemoveInstrument("line1")
    ui.control.edits.undo()
    assert harness.commands[-1] == PlaceInstrument(LINE, goes_on=True)
    TOOL.click(ui, at(harness, -4.0, 3.0))
    assert instrument.selected(ui) is None
    harness.frame(2)
    harness.click("tool.instrument.remove")
    assert harness.commands[-1] == RemoveInstrument("box1"), "the one placed last"


def test_arrow_keys_move_the_selected_instrument_and_its_key_chooses_the_next_kind(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.snapshot = with_instruments(ui.snapshot, LINE)
    ui.states[InstrumentTool].selected = "line1"
    instrument.nudge(1, 0, ui)
    step = instrument.NUDGE * ui.camera.resolution(ui.window.size)
    assert np.ravel(harness.commands[-1].instrument.points) == pytest.approx((step - 2.0, 0.0, step + 2.0, 0.0))
    kinds = []
    for _ in range(6):
        TOOL.again(ui)
        kinds.append(ui.states[InstrumentTool].kind)
    assert sorted(kinds) == ["box", "halves", "line", "probe", "protractor", "ruler"]


@pytest.mark.parametrize(("look", "axis"), [("front", 1), ("side", 0), ("top", 2)])
def test_in_space_a_place_is_in_the_plane_across_the_nearest_axis_through_the_middle(
    harness: PanelHarness, look: str, axis: int
) -> None:
    ui = harness.ui
    box = ((-1.0, -2.0, 0.0), (1.0, 2.0, 4.0))
    ui.snapshot = with_fields(ui.snapshot, box=box)
    ui.camera = replace(facing(look), target=(0.0, 0.0, 2.0), distance=20.0)
    assert instrument.axis_of_view(ui)[0] == axis
    place = instrument.place_at(ui, (0.45 * SIZE[0], 0.45 * SIZE[1]))
    assert place[axis] == pytest.approx(0.5 * (box[0][axis] + box[1][axis]))
    assert ui.camera.world_to_pixel(np.array(place), ui.window.size) == pytest.approx((0.45 * SIZE[0], 0.45 * SIZE[1]))
