"""Pause, single steps and speed, as requested by the user and passed to the physics thread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from repose.app.render.pacing import describe_speed
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message, _

SPEEDS: tuple[float | None, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, None)
"""Simulated over wall time; None is as fast as possible."""
SLOW = 0.9
"""Fraction of the wanted speed below which the actual speed is shown too [-]."""
REAL_TIME = SPEEDS.index(1.0)


def nearest(speed: float) -> int:
    """Index of the one of `SPEEDS` with the least ratio to this speed."""
    return min(range(len(SPEEDS) - 1), key=lambda index: abs(math.log(speed / (SPEEDS[index] or math.inf))))


class Clock(Protocol):
    """The part of the physics thread that controls the speed of the run."""

    def pause(self, paused: bool) -> None: ...
    def single_step(self, count: int = 1) -> None: ...
    def set_speed(self, factor: float | None) -> None: ...


@dataclass
class Transport:
    """The speed, and whether the run is paused. The speed is that of the scene's direction until the user chooses
    one."""

    clock: Clock
    index: int = REAL_TIME
    """The chosen one of `SPEEDS`, or the one nearest to the directed speed."""
    directed: float | None = 1.0
    """The speed of the scene's direction; None once the user has chosen another one."""
    paused: bool = False
    held: bool = False
    """True during a replay, which goes to recorded steps: the run stays paused, and continues only afterwards."""

    @property
    def speed(self) -> float | None:
        """Simulated over wall time, in units of the time scale of the scene; None is as fast as possible."""
        return SPEEDS[self.index] if self.directed is None else self.directed

    def choose(self, index: int) -> None:
        """Choose one of `SPEEDS`; an index out of range is clipped."""
        self.index, self.directed = min(max(index, 0), len(SPEEDS) - 1), None
        self.clock.set_speed(self.speed)

    def follow(self, speed: float) -> None:
        """Run at the speed of the scene's direction until the user chooses another one."""
        if speed != self.directed:
            self.index, self.directed = nearest(speed), speed
            self.clock.set_speed(speed)

    def restore(self, index: int, directed: float | None) -> None:
        """Run at an earlier speed again."""
        self.index, self.directed = index, directed
        self.clock.set_speed(self.speed)

    def pause(self, paused: bool) -> None:
        """Pause the run, or continue it."""
        self.paused = paused
        if not self.held:
            self.clock.pause(paused)

    def hold(self) -> None:
        """Keep the run paused until `let_go`, whatever the user wants afterwards."""
        self.held = True
        self.clock.pause(True)

    def let_go(self) -> None:
        """Pause or continue as the user wants it."""
        self.held = False
        self.clock.pause(self.paused)

    def step(self) -> None:
        """Do one time step, then pause."""
        if not self.paused:
            self.pause(True)
        self.clock.single_step()


def wanted_speed(transport: Transport, snapshot: Snapshot) -> float | None:
    """Wanted ratio of simulated to wall time, with the time scale of the scene; None: as fast as possible."""
    return None if transport.speed is None else transport.speed * snapshot.run.time_scale


def describe_pace(snapshot: Snapshot, wanted: float | None, replays: bool = False) -> Message:
    """The actual speed in words if it is below the wanted one; the reason if the time does not advance; that the run is
    shown once more, if it `replays`."""
    if replays:
        return _("Replay")
    if snapshot.history.at < snapshot.history.log_end:
        return _("an earlier step")
    if snapshot.engine.paused or snapshot.run.at_rest:
        return _("paused") if snapshot.engine.paused else _("ended") if snapshot.results.outcomes else _("at rest")
    if snapshot.engine.realtime_factor > 0.0 and (wanted is None or snapshot.engine.realtime_factor < SLOW * wanted):
        return describe_speed(snapshot.engine.realtime_factor)
    return EMPTY
