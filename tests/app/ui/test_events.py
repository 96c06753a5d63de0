"""Events of a run on the bar of time: each once, also when earlier steps are shown meanwhile."""

from __future__ import annotations

from typing import Any

from repose.app.ui.edits import EditMark, Edits
from repose.app.ui.events import Events
from repose.sim.experiment.phase import Phase
from repose.sim.message import plain

from tests.snapshots import put, snapshot_of

RUNS, ENDED = (Phase(name, plain(name), runs=runs, ends=not runs) for name, runs in (("runs", True), ("ended", False)))


def seen(events: Events, edits: Edits | None = None, *rows: Any) -> list[tuple[str, int]]:
    """The events after snapshots of a phase at a step of a log that ends at a step and was cut so often."""
    for phase, at, end, cuts in rows:
        events.see(shot(len(events.shown) + 1000 * at + end + cuts, phase, at, end, cuts), edits or Edits(print))
    return [(str(event.text), event.at) for event in events.shown]


def shot(serial: int, phase: Phase, at: int, end: int, cuts: int = 0) -> Any:
    values = {"serial": serial, "phase": phase, "phase_label": phase.label, "scene": "heap", "time": at * 0.01}
    return snapshot_of(at=at, log_end=end, cuts=cuts, **values)


def test_a_phase_is_no_new_event_when_an_earlier_step_has_been_shown_meanwhile() -> None:
    """A replay, and each way back and forth on the bar of time, added the end of the run once more."""
    events = Events()
    run = (RUNS, 10, 10, 0), (ENDED, 90, 90, 0), (ENDED, 95, 95, 0), (RUNS, 20, 95, 0), (ENDED, 95, 95, 0)
    assert seen(events, None, *run) == [("Ended", 90)]
    assert events.shown[0].ends


def test_a_run_that_goes_on_from_an_earlier_step_ends_again() -> None:
    run = (RUNS, 10, 10, 0), (ENDED, 90, 90, 0), (RUNS, 20, 90, 0), (RUNS, 30, 30, 1), (ENDED, 80, 80, 1)
    assert seen(Events(), None, *run) == [("Ended", 80)]


def test_a_phase_of_a_snapshot_that_physics_fills_again_is_seen() -> None:
    events, shown = Events(), shot(1, RUNS, 10, 10)
    events.see(shown, Edits(print))
    put(shown, phase=ENDED, phase_label=ENDED.label, at=20, log_end=20, serial=2)
    events.see(shown, Edits(print))
    assert [str(event.text) for event in events.shown] == ["Ended"]


def test_a_change_before_discarded_ones_is_no_new_event() -> None:
    events, edits = Events(), Edits(print)
    first, second = (EditMark(time, plain(text), {}) for time, text in ((0.1, "first"), (0.5, "second")))
    edits.marks.append(first)
    seen(events, edits, (RUNS, 10, 10, 0))
    edits.marks.append(second)
    seen(events, edits, (RUNS, 50, 50, 0), (RUNS, 20, 50, 0))
    edits.marks.pop()
    assert seen(events, edits, (RUNS, 25, 25, 1)) == [("first", 10)]
