"""Data that change while an experiment runs, and the copies from which it is restored."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from repose.sim.engine.world import STEP_COUNT, State, World
from repose.sim.experiment.series import Series, series_names
from repose.sim.experiment.snapshot import Fault
from repose.sim.fields.pusher import Pusher
from repose.sim.fields.shaker import Shaker
from repose.sim.fields.target import Target
from repose.sim.instruments.instrument import Instrument, Passed
from repose.sim.io.plain import Array
from repose.sim.io.world_tables import packed, unpacked
from repose.sim.measure.booked import Booked
from repose.sim.message import Message
from repose.sim.parameters import Value
from repose.sim.rate_integral import RateIntegral

BLAME_STEPS = 20_000
"""A fault within this many steps of a parameter change is attributed to that change."""

RAMP_PARTS = 8
"""Number of equal changes in a ramp."""


@dataclass(frozen=True)
class Ramp:
    """A gradual change of parameters from one set of values to another."""

    values: Mapping[str, float]
    """Values at the beginning, SI, by parameter name."""
    begins: int
    """Step at which the ramp begins; its first change acts later."""
    steps: int
    """Length of the ramp [steps], at least RAMP_PARTS."""

    def parts_done(self, step: int) -> int:
        """Number of changes that have acted at `step`; change m acts m steps / RAMP_PARTS after the beginning."""
        return min(RAMP_PARTS, ((step - self.begins + 1) * RAMP_PARTS - 1) // self.steps)

    def steps_left(self, step: int) -> int:
        """Steps from `step` to the next change."""
        return self.begins + (self.parts_done(step) + 1) * self.steps // RAMP_PARTS - step


@dataclass(frozen=True)
class PlacedInstruments:
    """The instruments of a run and what they count; replaced as a whole, never changed, so that copies share it."""

    instruments: tuple[Instrument, ...] = ()
    passed: tuple[Passed, ...] = ()
    """What has passed each of them."""
    ids: Array = field(default_factory=lambda: np.empty(0))
    """Ids of the grains whose ways are followed, shape (grains,); empty if no instrument counts."""
    places: Array = field(default_factory=lambda: np.empty((0, 2)))
    """Where these ways begin [m], shape (grains, dimension)."""


@dataclass(frozen=True)
class DrivenWall:
    """A wall that follows curves over time, as texts (repose.sim.parameter_curves) that say when they begin."""

    wall: int
    """Its row."""
    velocity: tuple[float | str, ...] = ()
    """Components of its velocity [m/s], numbers or curves; empty for a wall that keeps a force."""
    load: float | str = 0.0
    """Force [N] or pressure [Pa, in the plane N/m] that it keeps, likewise."""
    area: float = 1.0
    """Force over this load [1, m² or m]."""


@dataclass
class Run:
    """Everything that changes while the experiment runs; a copy with the state of the world is a restart point."""

    world: World
    """The step loop changes its tables. It is replaced by another world when rows or memory must change: written by
    `stepping`, `activation`, `relaxation`, `ledger`, `drawn_walls`, `beside_dump` and `scenes`."""
    state: Any
    """State of the scene, a dataclass of the scene; its fields are written by the scene, `quiet_since`
    also by `rest`."""
    built: Any
    """The ParameterSet with which the world was built; parameters that act at the next fill keep these values until
    then. Written by `scenes` when a base is rebuilt under the grains."""
    dt: float = 0.0
    """Time step [s]. Written by `time_step` and `beside_dump`."""
    clock_time: float = 0.0
    """Simulated time at the last change of dt [s]. Written by `time_step` and `beside_dump`."""
    clock_step: int = 0
    """Step at the last change of dt. Written by `time_step` and `beside_dump`."""
    dt_changes: list[tuple[int, float]] = field(default_factory=list)
    """(step, new dt [s]) of every change of the time step; rows are appended by `time_step`."""
    booked: Booked = field(default_factory=Booked)
    """Energy changes that are not due to the motion; written by `ledger`."""
    series: Series = field(default_factory=lambda: Series(series_names()))
    """Samples for the plots; rows are appended by `sampling`, columns are added by `placed_instruments`. Written by
    `placed_instruments`."""
    placed: PlacedInstruments = field(default_factory=PlacedInstruments)
    """Instruments and their counts. Written by `placed_instruments`."""
    bulk_step: int = 0
    """Step at which the costly measurements were last sampled. Written by `sampling`."""
    ramp: Ramp | None = None
    """Present ramp to the requested parameters. Written by `activation`."""
    target: Target | None = None
    """Present pull on a sphere, as by the mouse; None for no pull. Written by `hand`."""
    pusher: Pusher | None = None
    """Present push on spheres, as by the mouse; None for no push. Written by `hand`."""
    shaker: Shaker | None = None
    """Present shaking of the table; None for no shaking. Written by `hand`."""
    ways: dict[str, tuple[RateIntegral, ...]] = field(default_factory=dict)
    """What fields that depend on time have integrated, by the name of the field (`Field.way`). Written by
    `activation`."""
    driven_walls: tuple[DrivenWall, ...] = ()
    """Walls that follow curves. Written by `moved_walls`."""
    held_until: float = 0.0
    """Latest check at which a pull or push held grains [s]; no wait for rest begins earlier. Written by `rest`."""

    @property
    def step(self) -> int:
        """Steps done since the world was built."""
        return int(self.world.counters[STEP_COUNT])

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times dt since the last change of dt, never a running sum."""
        return self.clock_time + (self.step - self.clock_step) * self.dt

    def time_at(self, step: int) -> float:
        """Simulated time at the end of an earlier step [s], summed over the time steps in use until then."""
        ends = [min(begun, step) for begun, _ in self.dt_changes[1:]] + [step]
        return sum((max(0, end - begun) * dt for (begun, dt), end in zip(self.dt_changes, ends)), 0.0)


@dataclass(frozen=True)
class Change:
    """The latest change of a parameter."""

    name: str = ""
    previous: Value | None = None
    """Value before the change, or before the drag of a slider to which the change belongs."""
    step: int = -BLAME_STEPS
    begins: bool = False
    """True for the first change of a drag: a fault restores the state before it."""


@dataclass(frozen=True)
class RestartPoint:
    """A copy of a run with its parameters; never changed, so that several checkpoints can share it."""

    parameters: Any
    run: Run
    """A run with the state of its world alone (repose.sim.engine.world.State); `restored` returns a run that can be
    advanced and measured."""

    @classmethod
    def of(cls, parameters: Any, run: Run, like: State | None = None) -> RestartPoint:
        """A copy of a run without workspace; it shares what never changes: the rows of the series, the parameters, and
        the tables that have the same bits in `like`, the state of an earlier restart point."""
        table, built, placed = run.series.table, run.built, run.placed
        world = packed(run.world, like)
        copies = {id(run.world): world, id(table): table, id(built): built, id(placed): placed}
        copies |= _copied_lists(run.state)
        return cls(parameters, copy.deepcopy(run, copies))

    def restored(self) -> Run:
        """An independent copy of the run, to be continued."""
        world, built, placed = self.run.world, self.run.built, self.run.placed
        return copy.deepcopy(self.run, {id(world): unpacked(world), id(built): built, id(placed): placed})


def copied_state(state: Any) -> Any:
    """A copy of the state of a scene, which shares nothing that changes."""
    return copy.deepcopy(state, _copied_lists(state))


PLAIN = frozenset((bool, int, float, str, type(None)))
"""Types of immutable values, which are not copied."""


def _copied_lists(state: Any) -> dict[int, Any]:
    """Copies of the lists of numbers of a state, and of its lists of such lists, by the identity of the list:
    `deepcopy` takes ten times as long, because it looks up every number."""
    copies: dict[int, Any] = {}
    for value in (getattr(state, entry.name) for entry in fields(state)):
        if type(value) is list and _is_plain(value):
            copies[id(value)] = value.copy()
        elif type(value) is list and all(type(row) is list and _is_plain(row) for row in value):
            copies[id(value)] = [row.copy() for row in value]
    return copies


def _is_plain(values: list[Any]) -> bool:
    return PLAIN.issuperset(map(type, values))


@dataclass(frozen=True)
class Checkpoint:
    """All data that determine the continuation of an experiment bit by bit, later faults included."""

    at: int
    """Steps done since the log began; unlike the step of the run it never decreases."""
    commands: int
    """Number of log entries carried out."""
    now: RestartPoint
    good: RestartPoint
    """Last good state: the state that a fault restores."""
    before_change: RestartPoint
    """State before the latest parameter change: the state that a fault attributed to this change restores."""
    last_change: Change
    fault: Fault | None
    message: Message
