"""What changes while an experiment goes on, and the moments it can be taken up again from."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from repose.sim.engine.world import STEP_COUNT, World
from repose.sim.experiment import sampling
from repose.sim.experiment.faults import Change
from repose.sim.experiment.ramp import Ramp
from repose.sim.experiment.series import Series
from repose.sim.experiment.snapshot import Fault
from repose.sim.io.world_tables import packed, unpacked
from repose.sim.measure.angle_of_repose import AngleOfRepose
from repose.sim.measure.energy import Booked


@dataclass
class Run:
    """Everything that changes while a run goes on; what lasts of it is a complete restart point."""

    world: World
    state: Any
    """The scene's own dataclass."""
    built: Any
    """The ParameterSet the world was built with; those that act at the next fill still hold here."""
    dt: float = 0.0
    clock_time: float = 0.0
    """Simulated time at the last change of dt [s]."""
    clock_step: int = 0
    booked: Booked = field(default_factory=Booked)
    measurement: AngleOfRepose | None = None
    series: Series = field(default_factory=lambda: Series(sampling.SERIES))
    """Histories for the plots."""
    bulk_step: int = 0
    """Step at which the bulk was last measured for the series."""
    dt_changes: list[tuple[int, float]] = field(default_factory=list)
    """(step, new dt [s]) of every change of the time step."""
    ramp: Ramp | None = None
    """Parameters on their way to what is asked for."""

    @property
    def step(self) -> int:
        return int(self.world.counters[STEP_COUNT])

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times dt since the last change of dt, never a running sum."""
        return self.clock_time + (self.step - self.clock_step) * self.dt

    def time_at(self, step: int) -> float:
        """Simulated time at the end of a step done before [s], summed over the time steps there were."""
        ends = [min(begun, step) for begun, _ in self.dt_changes[1:]] + [step]
        return sum((max(0, end - begun) * dt for (begun, dt), end in zip(self.dt_changes, ends)), 0.0)


@dataclass(frozen=True)
class Point:
    """A restart point: a run and the parameters it goes on with; never written to, so that it may be shared."""

    parameters: Any
    run: Run
    """Its world is packed: it must be `taken_up` to be stepped or looked at."""

    @classmethod
    def of(cls, parameters: Any, run: Run) -> Point:
        """A copy of a run as it is, without working storage; it shares the histories, whose rows never change."""
        table = run.series.table
        return cls(parameters, copy.deepcopy(run, {id(run.world): packed(run.world), id(table): table}))

    def taken_up(self) -> Run:
        """A run of its own to step on with."""
        return copy.deepcopy(self.run, {id(self.run.world): unpacked(self.run.world)})


@dataclass(frozen=True)
class Moment:
    """All that a simulation goes on from bit by bit, also into faults to come."""

    at: int
    """Steps done since the log began; unlike the step of the run it never goes back."""
    commands: int
    """How many entries of the log have been carried out."""
    now: Point
    good: Point
    """Where a fault goes back to,"""
    before_change: Point
    """or, if a parameter was changed lately, to here."""
    last_change: Change
    fault: Fault | None
    message: str
