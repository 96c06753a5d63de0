"""Pause, single steps and speed, as requested by the user and passed to the physics thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from repose.app.render.pacing import describe_speed
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message, _, formatted, with_prefix
from repose.sim.registry import scenes

SPEEDS: tuple[float | None, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, None)
"""Simulated over wall time; None is as fast as possible."""
SLOW = 0.9
"""Fraction of the wanted speed below which the actual speed is shown too [-]."""
REAL_TIME = SPEEDS.index(1.0)


class Clock(Protocol):
    """The part of the physics thread that controls the speed of the run."""

    def pause(self, paused: bool) -> None: ...
    def single_step(self, count: int = 1) -> None: ...
    def set_speed(self, factor: float | None) -> None: ...


@dataclass
class Transport:
    """The chosen speed, and whether the run is paused."""

    clock: Clock
    index: int = REAL_TIME
    paused: bool = False

    @property
    def speed(self) -> float | None:
        """Simulated over wall time; None is as fast as possible."""
        return SPEEDS[self.index]

    def choose(self, index: int) -> None:
        """Choose one of `SPEEDS`; an index out of range is clipped."""
        self.index = min(max(index, 0), len(SPEEDS) - 1)
        self.clock.set_speed(self.speed)

    def pause(self, paused: bool) -> None:
        """Pause the run, or continue it."""
        self.paused = paused
        self.clock.pause(paused)

    def step(self) -> None:
        """Do one time step, then pause."""
        if not self.paused:
            self.pause(True)
        self.clock.single_step()


def time_scale(snapshot: Snapshot) -> float:
    """Simulated over wall time at speed 1 of the shown scene [-]."""
    scene = scenes().get(snapshot.run.scene)
    parameters = parameters_of(snapshot.run)
    return 1.0 if scene is None or parameters is None else float(scene.limits.time_scale(parameters))


def wanted_speed(transport: Transport, snapshot: Snapshot) -> float | None:
    """Wanted ratio of simulated to wall time, with the time scale of the scene; None: as fast as possible."""
    return None if transport.speed is None else transport.speed * time_scale(snapshot)


def clock_text(snapshot: Snapshot) -> Message:
    """The simulated time: "1.234 s", and "37.9 µs" in a scene of microseconds."""
    return (
        formatted(snapshot.run.time, ".3f", "s")
        if time_scale(snapshot) == 1.0
        else with_prefix(snapshot.run.time, "s", 3)
    )


def describe_pace(snapshot: Snapshot, wanted: float | None) -> Message:
    """The actual speed in words if it is below the wanted one; the reason if the time does not advance."""
    if snapshot.history.at < snapshot.history.log_end:
        return _("an earlier step")
    if snapshot.engine.paused or snapshot.run.at_rest:
        return _("paused") if snapshot.engine.paused else _("ended") if snapshot.results.outcomes else _("at rest")
    if snapshot.engine.realtime_factor > 0.0 and (wanted is None or snapshot.engine.realtime_factor < SLOW * wanted):
        return describe_speed(snapshot.engine.realtime_factor)
    return EMPTY
