"""A runner whose turns are called by the test, with a clock that the test sets."""

from __future__ import annotations

import threading

import pytest
from repose.sim.experiment import runner as runner_module
from repose.sim.experiment import side_by_side
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance

from tests.sim.experiment.test_runner import SMALL

STEP_COST = 5e-6
"""Wall time a step takes on the clock of the tests [s]."""


class Clock:
    """A monotonic clock that moves only as it is told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now

    def thread_time(self) -> float:
        return self.now


class ManualRunner:
    """A runner whose thread is the test: every turn takes STEP_COST a step, and a little for itself."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, speed: float | None) -> None:
        self.clock = Clock()
        monkeypatch.setattr(runner_module, "time", self.clock)
        self.simulation = new_experiment("heap", SMALL)
        self.runner = Runner(lambda: self.simulation)
        self.runner._begin()
        monkeypatch.setattr(self.runner, "_wake", threading.Event())
        self.runner._wake.wait = lambda timeout=None: True

        def advance_on_the_clock(experiment: Experiment, steps: int, to_rest: bool) -> int:
            done = advance(experiment, steps, to_rest)
            self.clock.now += STEP_COST * done
            return done

        monkeypatch.setattr(side_by_side, "advance", advance_on_the_clock)
        self.runner.send(Act("fill"))
        self.runner.set_speed(speed)

    def turn(self, pause: float = 1e-3) -> int:
        """One turn, after so much wall time; returns the steps done."""
        self.clock.now += pause
        before = self.simulation.step
        self.runner._turn()
        return self.simulation.step - before

    def settled(self) -> int:
        """Steps a turn does in the long run, at most."""
        return max([self.turn() for _ in range(60)][30:])
