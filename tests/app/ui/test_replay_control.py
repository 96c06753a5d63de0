"""Replay: it goes along the recorded history and ends at the last step; the run stays as it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from repose.app.ui import replay_control
from repose.app.ui.events import Event
from repose.app.ui.panels import transport
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Command, Rewind
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
        self.looks: list[str] = []
        clock: Any = SimpleNamespace(paused=False)
        clock.pause = lambda paused: setattr(clock, "paused", paused)
        looks = {f"look_{name}": lambda name=name: self.looks.append(name) for name in ("side", "three-quarter")}
        self.ui: Any = SimpleNamespace(
            snapshot=Snapshot(),
            states={replay_control.Replay: replay_control.Replay()},
            events=SimpleNamespace(shown=[Event(0, 0.0, "phase", plain("running"))]),
            mode=SimpleNamespace(lecture=SimpleNamespace(on=False)),
            control=SimpleNamespace(transport=clock, send=self.send, actions=looks),
        )
        self.see()

    def send(self, command: Command) -> None:
        """Carry out a command, as the physics thread does."""
        self.sent.append(command)
        assert not apply(self.experiment, command)

    def see(self) -> None:
        """Take the newest snapshot."""
        take_snapshot(self.experiment, self.ui.snapshot)

    def frames(self, count: int, each: float = 0.05) -> list[float]:
        """Simulated times of so many frames."""
        times = []
        for _ in range(count):
            self.see()
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
    assert window.ui.control.transport.paused
    times = window.frames(120)
    assert times[0] < 0.05 * window.experiment.time
    assert times == sorted(times)
    assert len(set(times)) > 80, "it is seen as a motion"
    assert not window.ui.states[replay_control.Replay].on
    assert not window.ui.control.transport.paused, "as before"
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
    assert window.ui.control.transport.paused, "without a replay it pauses"


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


def test_another_run_ends_a_replay(window: Window) -> None:
    replay_control.start_or_stop(window.ui)
    window.frames(3)
    window.send(Act("reset"))
    sent = len(window.sent)
    window.frames(3)
    assert not window.ui.states[replay_control.Replay].on
    assert len(window.sent) == sent


def test_in_space_the_replay_is_seen_from_another_side() -> None:
    window = Window("impacts")
    replay_control.start_or_stop(window.ui)
    assert window.looks == ["three-quarter"]
    replay_control.stop(window.ui)
    assert window.looks == ["three-quarter", "side"]
