"""Replay: it goes along the recorded history and ends at the last step; the run stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from repose.app.ui import replay_control, rewind
from repose.app.ui.edits import Edits
from repose.app.ui.events import Event
from repose.app.ui.panels import transport
from repose.app.ui.pause_and_speed import Transport
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import (
    Act,
    Command,
    Copy,
    DoAgain,
    Rewind,
    SetParameters,
    Start,
    TakeBack,
    UseThreads,
)
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.message import plain


class Window:
    """A run at its end, and what a replay needs of the window."""

    def __init__(self, scene: str = "cube", **values: Any) -> None:
        self.experiment = new_experiment(scene, values)
        self.experiment.history.checkpoints.budget = 10**8
        apply(self.experiment, Act("run"))
        while not is_finished(self.experiment):
            advance(self.experiment, 1000)
        self.sent: list[Command] = []
        self.acts = True
        """Whether the run carries out commands that are no seeks."""
        self.edits = Edits(self.send)
        self.edits.waits = lambda act: replay_control.defers(self.ui, act)
        self.looks: list[str] = []
        self.clock: Any = SimpleNamespace(paused=False)
        self.clock.pause = lambda paused: setattr(self.clock, "paused", paused)
        looks = {f"look_{name}": lambda name=name: self.looks.append(name) for name in ("aside", "back")}
        self.ui: Any = SimpleNamespace(
            snapshot=Snapshot(),
            states={replay_control.Replay: replay_control.Replay()},
            events=SimpleNamespace(shown=[Event(0, 0.0, "phase", plain("running"))]),
            beside=SimpleNamespace(runs=(), chosen=0),
            mode=SimpleNamespace(lecture=SimpleNamespace(on=False)),
            control=SimpleNamespace(transport=Transport(self.clock), send=self.send, actions=looks),
        )
        self.see()

    def send(self, command: Command) -> None:
        """Pass a command on, as `Physics` of the window does."""
        if not replay_control.holds(self.ui, command, self.carry_out):
            self.carry_out(command)

    def carry_out(self, command: Command) -> None:
        """Carry out a command, as the physics thread does."""
        self.sent.append(command)
        if self.acts or isinstance(command, Rewind):
            assert not apply(self.experiment, command)

    def see(self) -> None:
        """Take the newest snapshot."""
        take_snapshot(self.experiment, self.ui.snapshot)

    def frames(self, count: int, each: float = 0.05) -> list[float]:
        """Simulated times of so many frames."""
        times = []
        for _ in range(count):
            self.see()
            self.edits.see(self.ui.snapshot)
            replay_control.follow(self.ui, self.ui.states[replay_control.Replay].seen + each)
            self.see()
            times.append(self.ui.snapshot.run.time)
        return times


@pytest.fixture
def window() -> Window:
    return Window(duration=0.1)


def test_a_replay_shows_the_run_from_its_beginning_and_leaves_it_as_it_is(window: Window) -> None:
    before, end = state_hash(window.experiment.run), window.ui.snapshot.history.log_end
    assert replay_control.is_possible(window.ui)
    replay_control.start_or_stop(window.ui)
    assert window.clock.paused
    times = window.frames(120)
    assert times[0] < 0.05 * window.experiment.time
    assert times == sorted(times)
    assert len(set(times)) > 80, "it is seen as a motion"
    assert not window.ui.states[replay_control.Replay].on
    assert not window.clock.paused, "as before"
    assert (window.ui.snapshot.history.at, window.ui.snapshot.history.log_end) == (end, end)
    assert state_hash(window.experiment.run) == before
    assert all(isinstance(command, Rewind) for command in window.sent)


def test_the_space_key_ends_a_replay_instead_of_continuing_from_an_earlier_step(window: Window) -> None:
    before = state_hash(window.experiment.run)
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    assert window.ui.snapshot.history.at < window.ui.snapshot.history.log_end
    transport._pause(window.ui)
    window.frames(2)
    assert not window.ui.states[replay_control.Replay].on
    assert state_hash(window.experiment.run) == before
    transport._pause(window.ui)
    assert window.clock.paused, "without a replay it pauses"


def test_a_slow_machine_shows_all_of_it_later(window: Window) -> None:
    replay_control.start_or_stop(window.ui)
    times = window.frames(10, each=30.0)
    assert max(times) < 0.3 * window.experiment.history.log.end * window.experiment.dt


def test_a_replay_is_possible_only_at_the_end_of_a_run(window: Window) -> None:
    window.send(Rewind(1))
    window.see()
    assert not replay_control.is_possible(window.ui)
    replay_control.start_or_stop(window.ui)
    assert not window.ui.states[replay_control.Replay].on
    window.send(Act("reset"))
    window.see()
    assert not replay_control.is_possible(window.ui)


def test_no_replay_begins_in_a_lecture_or_at_an_earlier_step_after_the_end(window: Window) -> None:
    window.ui.mode.lecture.on = True
    assert not replay_control.is_possible(window.ui)
    window.ui.mode.lecture.on = False
    advance(window.experiment, 200)
    window.see()
    assert replay_control.is_possible(window.ui)
    window.carry_out(Rewind(window.experiment.history.at - 50))
    window.see()
    assert not replay_control.is_possible(window.ui)


def test_a_replay_begins_once_its_first_step_is_shown(window: Window) -> None:
    waiting: list[Command] = []
    window.carry_out, carry_out = waiting.append, window.carry_out  # type: ignore[method-assign]
    replay_control.start_or_stop(window.ui)
    window.frames(40)
    assert [command.at for command in waiting if isinstance(command, Rewind)] == [0], "physics is far behind"
    carry_out(waiting[0])
    assert window.frames(1)[0] < 0.05 * window.experiment.history.log.end * window.experiment.dt
    assert window.ui.states[replay_control.Replay].share < 0.05


def test_the_number_of_threads_is_changed_during_a_replay(window: Window) -> None:
    replay_control.start_or_stop(window.ui)
    window.frames(3)
    window.send(UseThreads(1))
    assert window.sent[-1] == UseThreads(1)
    assert not window.ui.states[replay_control.Replay].ends


def test_another_run_ends_a_replay(window: Window) -> None:
    replay_control.start_or_stop(window.ui)
    window.frames(3)
    window.carry_out(Act("reset"))
    sent = len(window.sent)
    window.frames(3)
    assert not window.ui.states[replay_control.Replay].on
    assert len(window.sent) == sent
    assert not window.clock.paused, "the other run is not paused"


def test_what_was_asked_for_in_a_replay_is_not_done_to_another_run(window: Window) -> None:
    replay_control.start_or_stop(window.ui)
    window.frames(3)
    window.send(SetParameters({"gravity": 3.0}))
    window.carry_out(Start("cube", {"duration": 0.1}, 1))
    window.frames(3)
    assert not window.ui.states[replay_control.Replay].on
    assert isinstance(window.sent[-1], Start)


def test_a_replay_shows_the_last_phase_that_moves(window: Window) -> None:
    middle, end = window.experiment.history.log.end // 2, window.experiment.history.log.end
    window.ui.events.shown += [
        Event(middle, 0.0, "phase", plain("flowing")),
        Event(middle + 1, 0.0, "measured", plain("slope")),
        Event(end, 0.0, "phase", plain("ended"), ends=True),
    ]
    replay_control.start_or_stop(window.ui)
    window.frames(1)
    assert middle <= window.experiment.history.at < end


def test_a_file_of_the_run_that_is_asked_for_during_a_replay_has_its_end(window: Window) -> None:
    ends = []
    end = window.ui.snapshot.history.log_end
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    window.send(Copy(lambda saved: ends.append((saved.log.end, saved.now.at))))
    window.frames(3)
    assert ends == [(end, end)]
    assert not window.ui.states[replay_control.Replay].on


@pytest.mark.parametrize(
    "command", [SetParameters({"gravity": 3.0}), Act("measure"), TakeBack("gravity"), DoAgain("removed grain")]
)
def test_what_is_asked_for_during_a_replay_acts_at_its_end_and_deletes_nothing(command: Command) -> None:
    window = Window("bounce")
    end, before = window.ui.snapshot.history.log_end, state_hash(window.experiment.run)
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    window.acts = False
    window.send(command)
    assert isinstance(window.sent[-1], Rewind), "it waits"
    window.frames(3)
    assert window.sent[-1] is command
    assert (window.ui.snapshot.history.at, window.ui.snapshot.history.log_end) == (end, end)
    assert state_hash(window.experiment.run) == before


def test_the_end_of_the_window_ends_a_replay_before_the_last_save(window: Window) -> None:
    ends = []
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    replay_control.end_now(window.ui)
    window.send(Copy(lambda saved: ends.append(saved.now.at)))
    assert ends == [window.ui.snapshot.history.log_end]


def test_a_step_that_the_user_chooses_ends_a_replay_there(window: Window) -> None:
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    rewind.step_forward(window.ui)
    at = window.experiment.history.at
    window.frames(20)
    assert not window.ui.states[replay_control.Replay].on
    assert window.experiment.history.at == at < window.experiment.history.log.end
    assert window.clock.paused, "at an earlier step it does not continue by itself"


@pytest.mark.parametrize("end", [lambda ui: replay_control.stop(ui), lambda ui: rewind.step_forward(ui)])
def test_a_replay_is_seen_from_another_side_until_it_ends(window: Window, end: Callable[[Any], None]) -> None:
    replay_control.start_or_stop(window.ui)
    assert window.looks == ["aside"]
    window.frames(3)
    end(window.ui)
    assert window.looks[:2] == ["aside", "back"]


def test_a_replay_of_a_run_that_went_on_after_its_end_shows_the_motion(window: Window) -> None:
    """It showed the steps after the end, which a film or the key for one step adds: a still picture."""
    end = window.experiment.history.log.end
    window.ui.events.shown.append(Event(end, window.experiment.time, "phase", plain("ended"), ends=True))
    advance(window.experiment, 2000)
    window.see()
    replay_control.start_or_stop(window.ui)
    times = window.frames(130)
    assert times[0] < 0.05 * window.experiment.time
    assert len([time for time in set(times) if time < end * window.experiment.dt]) > 80
    assert window.experiment.history.at == end + 2000, "it ends at the last step"


def changed_twice() -> Window:
    """A run with two changes, at a tenth and at the end of it, as the user has made them."""
    window = Window("bounce")
    history, end = window.edits.history, window.experiment.history.log.end
    history.record({"gravity": 9.81}, {"gravity": 3.0}, at=end // 10)
    history.record({"gravity": 3.0}, {"gravity": 5.0}, at=end)
    window.acts = False
    return window


def test_undo_in_a_replay_undoes_the_latest_change() -> None:
    """The changes after the step shown are no part of the run there; the one before them was undone."""
    window = changed_twice()
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    window.edits.undo()
    window.frames(3)
    assert [command for command in window.sent if not isinstance(command, Rewind)] == [SetParameters({"gravity": 3.0})]
    window.edits.redo()
    assert window.sent[-1] == SetParameters({"gravity": 5.0})


def test_a_change_in_a_replay_is_the_first_to_be_undone_after_it() -> None:
    window = changed_twice()
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    assert window.edits.set({"gravity": 4.0})
    window.edits.note("removed grain")
    window.frames(4)
    last = window.ui.snapshot.history.log_end
    steps = [(dict(step.after), step.deed, step.at) for step in window.edits.history.undoable]
    assert steps[1:] == [({"gravity": 5.0}, "", last), ({"gravity": 4.0}, "", last), ({}, "removed grain", last)]


def test_runs_side_by_side_are_replayed_at_their_equal_times(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    end = window.experiment.history.log.end
    meetings = [*range(0, end, 7), end]

    def carry_out(command: Command) -> None:
        """As `control.carry_out` does for several runs."""
        assert isinstance(command, Rewind)
        forwards = command.at > window.experiment.history.at
        near = (at for at in (meetings if forwards else reversed(meetings)) if (at >= command.at) == forwards)
        assert not apply(window.experiment, Rewind(command.at if command.at in meetings else next(near)))

    monkeypatch.setattr(window, "carry_out", carry_out)
    replay_control.start_or_stop(window.ui)
    times = window.frames(130)
    assert times == sorted(times)
    assert len(set(times)) > 10
    assert not window.ui.states[replay_control.Replay].on
    assert window.ui.snapshot.history.at == end


def test_a_replay_waits_for_every_run_side_by_side(window: Window) -> None:
    assert replay_control.is_possible(window.ui)
    other = Window(duration=0.1)
    other.send(Rewind(1))
    other.see()
    window.ui.beside.runs = (window.ui.snapshot, other.ui.snapshot)
    assert not replay_control.is_possible(window.ui)


def test_another_run_side_by_side_that_is_chosen_in_a_replay_does_not_continue_from_an_earlier_step(
    window: Window,
) -> None:
    replay_control.start_or_stop(window.ui)
    window.frames(20)
    window.see()
    shown = window.ui.snapshot.history
    window.ui.snapshot.history = replace(shown, log_end=shown.log_end + 3, logs=shown.logs + 1)
    window.ui.beside = SimpleNamespace(runs=(None, None), chosen=1)
    replay_control.follow(window.ui, 1e9)
    assert window.sent[-1] == Rewind(shown.log_end + 3), "to the end of that run"
    assert window.ui.states[replay_control.Replay].on
    assert window.clock.paused
    window.ui.snapshot.history = replace(shown, at=shown.log_end + 3, log_end=shown.log_end + 3, logs=shown.logs + 1)
    replay_control.follow(window.ui, 1e9)
    assert not window.ui.states[replay_control.Replay].on
    assert not window.clock.paused, "as before"
