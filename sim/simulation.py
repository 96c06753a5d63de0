"""A running experiment: one world, its scene, its parameters and its clock, stepped by whoever holds it.

Single-threaded. Whatever depends on the state is looked at every `CHECK_STEPS` steps of the run, never per
call, so that a run is the same bit by bit however it is cut into batches.
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import numpy as np

from sim import faults, neighbours, orientation, ready_columns, watch
from sim.build import enlarge_pairs, with_levels
from sim.commands import Command
from sim.contact_table import contact_table
from sim.engine import Model, compose
from sim.integrators import integrators
from sim.integrators.start_up import higher_derivatives
from sim.laws import laws
from sim.measure.angle_of_repose import AngleOfRepose
from sim.measure.bulk import Bulk, bulk_results, measure_bulk
from sim.measure.coordination import coordination_number
from sim.measure.energy import Booked, Energy, energy_ledger
from sim.measure.packing import box_in_packing
from sim.parameters import ParameterError, Value, require_known
from sim.scenes import SCENES, Scene
from sim.series import Series
from sim.snapshot import Curve, Fault, Snapshot
from sim.state import PAIR_COUNT, STEP_COUNT, World, copy_world
from sim.study.comparison import Point, compare
from sim.survey import Survey, compose_survey

CHECK_STEPS = 50
"""The scene looks at the world every so many steps."""


@dataclass
class Run:
    """Everything that changes while a run goes on; a deep copy of it is a complete restart point."""

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
    series: Series = field(default_factory=lambda: Series(watch.SERIES))
    """Histories for the plots."""
    bulk_step: int = 0
    """Step at which the bulk was last measured for the series."""
    dt_changes: list[tuple[int, float]] = field(default_factory=list)
    """(step, new dt [s]) of every change of the time step."""


class Simulation:
    """The scene named `scene`, with `values` over its default parameters."""

    def __init__(
        self, scene: str = "heap", values: Mapping[str, Value] | None = None, seed: int = 1, ready: str | None = None
    ) -> None:
        self.message = ""
        self.parameters: Any = None
        self.before_compiling: Callable[[], None] = lambda: None
        """Called when a change of formulas is about to cost seconds of compiling."""
        self.measured: dict[str, list[Point]] = {}
        """What the runs of this session have measured, by scene; a reset takes nothing away."""
        self.comparison: Curve | None = None
        self.look: watch.Look | None = None
        self.restart(scene, values or {}, seed, ready)

    # What the commands call.

    def restart(self, scene: str, values: Mapping[str, Value], seed: int, ready: str | None = None) -> None:
        """Begin anew; on a refusal nothing has changed."""
        require_known(scene, SCENES, "scene")
        parameters = SCENES[scene].parameters.checked(values)
        if ready is not None:
            require_known(ready, ready_columns.NAMES, "prepared state")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ParameterError(f"seed = {seed} is refused: it must be a whole number from 0 up; the default is 1.")
        self.scene: Scene = SCENES[scene]
        self.parameters = parameters
        self.seed = seed
        self.ready = ready
        self.begin_anew()
        self._compare()
        self.message = self.scene.describe(self)[1].capitalize() + "."

    def begin_anew(self) -> None:
        """Back to the beginning with the parameters as they are now: a prepared state if there is one that fits."""
        self.fault: Fault | None = None
        self.last_change = faults.Change()
        prepared = ready_columns.load(self.ready, self.parameters) if self.ready else None
        world, state = prepared or self.scene.begin(self.parameters, self.seed)
        self.run = Run(world, state, self.parameters)
        self._compose()
        energy = self.energy()
        self.run.booked.poured, self.run.booked.shear = energy.mechanical, energy.shear
        self._good = self._before_change = (self.parameters, copy.deepcopy(self.run))
        self.set_dt(first=True)
        if self.fault is None:
            self._good = self._before_change = (self.parameters, copy.deepcopy(self.run))

    def set_parameters(self, values: Mapping[str, Value]) -> None:
        """Change parameters of the running world; after a fault, from the last good state."""
        changed = self.parameters.changed(**values)
        declared = changed.declared()
        differing = [name for name in declared if getattr(changed, name) != getattr(self.parameters, name)]
        if self.fault is not None:
            self._restore()
        if not differing:
            return
        self.last_change = faults.Change.of(self, differing[-1], self.last_change)
        if self.last_change.begins:
            self._before_change = (self.parameters, copy.deepcopy(self.run))
        previous, self.parameters = self.parameters, changed
        effects = {declared[name].quantity.effect for name in differing}
        label = ", ".join(f"{declared[n].quantity.label} {declared[n].shown(getattr(changed, n))}" for n in differing)
        if "base" in effects or ("restart" in effects and self.phase == "empty"):
            lost = int((~self.run.world.fixed).sum())
            self.begin_anew()
            self.message = f"{label}: rebuilt" + (f", and the fill of {lost} grains starts anew." if lost else ".")
            return
        with self.booked("work"):
            self._compose()
        self.message = label + (" at the next fill." if effects == {"restart"} else ".")
        self.set_dt(first=previous.dt != changed.dt)

    def act(self, action: str) -> None:
        """Fire one of the scene's actions; refused while it makes no sense."""
        offered = {entry.name: entry for entry in self.scene.actions(self)}
        require_known(action, offered, "action")
        if not offered[action].enabled:
            raise ParameterError(f"'{offered[action].label}' makes no sense now: {self.scene.describe(self)[1]}.")
        if self.fault is not None:
            self._restore()
        self.message = self.scene.act(self, action)

    def recover(self, values: Mapping[str, Value]) -> None:
        """Go on from the last good state with the given parameters; refused as any change is."""
        self.set_parameters(values)

    def apply(self, command: Command) -> str:
        """Carry a command out between two batches; returns why it was refused, or an empty string."""
        try:
            command.apply(self)
        except ParameterError as refusal:
            return str(refusal)
        return ""

    # Stepping.

    def advance(self, steps: int) -> int:
        """Advance by at most `steps` steps; returns how many were done, fewer only after a fault."""
        done = 0
        while done < steps and self.fault is None:
            batch = min(steps - done, CHECK_STEPS - self.step % CHECK_STEPS)
            count, status, culprit = self.loop(self.run.world, self.numbers, self.gravity, self.run.dt, batch)
            done += count
            if status == neighbours.PAIRS_FULL:
                self.run.world = enlarge_pairs(self.run.world)
            elif status != neighbours.OK:
                self._stop(faults.from_status(self, status, culprit))
            elif self.step % CHECK_STEPS == 0:
                self._check()
        return done

    def _check(self) -> None:
        orientation.bring_up(self.run.world)
        self.scene.supervise(self)
        checks = self.step // CHECK_STEPS
        if self.step % watch.STEPS_AHEAD == 0:
            self.set_dt()
        watch.sample(self)
        if checks % 40 == 0 and self.fault is None:
            self._good = (self.parameters, copy.deepcopy(self.run))

    def _stop(self, fault: Fault) -> None:
        self.fault = fault
        self.message = fault.message
        changed_lately = self.step - self.last_change.step < faults.BLAME_STEPS
        parameters, good = self._before_change if changed_lately and self.last_change.name else self._good
        self.run = copy.deepcopy(good)
        # The state is the one before the change, the parameters are those after it: the step between them is
        # the same as when they were set, its work included.
        now, self.parameters = self.parameters, parameters
        self._compose(adapt=False)
        self.parameters = now
        with self.booked("work"):
            self._compose()

    def _restore(self) -> None:
        self.fault = None
        self.message = "The last good state is back."

    # What scenes may use.

    @contextmanager
    def booked(self, entry: str) -> Iterator[None]:
        """Book the change of mechanical energy inside the block as `entry` of the ledger."""
        before = self.energy()
        yield
        after = self.energy()
        sign = -1.0 if entry == "removed" else 1.0
        change = sign * (after.mechanical - before.mechanical)
        setattr(self.run.booked, entry, getattr(self.run.booked, entry) + change)
        self.run.booked.shear += after.shear - before.shear

    def start_up(self, first_row: int = 0) -> None:
        """Give the spheres from `first_row` on the higher derivatives the start-up asks for."""
        if self.parameters.start_up == "rk4" and self.scheme.levels > 3 and self.run.dt > 0.0:
            higher = higher_derivatives(self.run.world, self.model, self.numbers, self.gravity, self.run.dt)
            self.run.world.motion[:, 2:, first_row:] = higher[:, :, first_row:]

    def keep_point(self) -> None:
        """Put what this run has measured beside the runs before; the very same run counts once."""
        point = self.scene.study.measure(self) if self.scene.study else None
        points = self.measured.setdefault(self.scene.name, [])
        if point is not None and point not in points:
            points.append(point)
            self._compare()

    def _compare(self) -> None:
        study = self.scene.study
        points = self.measured.get(self.scene.name, ())
        self.comparison = compare(study, self.scene.parameters.declared()[study.over], points) if study else None

    def set_dt(self, first: bool = False) -> None:
        """Set the time step as the parameters ask: fixed, or "auto" from the stiffest contact."""
        asked = self.parameters.dt
        survey = self.survey()
        if asked == "auto":
            dt = watch.next_automatic_dt(self, survey, first)
        else:
            dt = asked
            if dt > survey.stable_dt:
                self._stop(faults.step_too_large(self, survey))
                return
        if dt != self.run.dt:
            self.run.clock_time, self.run.clock_step, self.run.dt = self.time, self.step, dt
            self.run.dt_changes.append((self.step, dt))

    def _compose(self, adapt: bool = True) -> None:
        """Take on the formulas and numbers of the parameters; `adapt` the world to another integrator."""
        law = laws()[self.scene.law]
        previous = getattr(self, "model", None)
        integrator = self.parameters.integrator
        rotation = self.scene.rotates(self.run.built)
        self.model = Model(law, law.rules(self.parameters), integrator, self.scene.dimension, rotation)
        self.numbers = law.numbers(self.parameters)
        self.gravity = self.parameters.gravity_vector(self.scene.dimension)
        self.loop = compose(self.model)
        self._survey = compose_survey(self.model)
        self._contact_table = contact_table(self.model)
        if not self.loop.signatures:
            self.before_compiling()
            self.loop(copy_world(self.run.world), self.numbers, self.gravity, 0.0, 0)
            self._contact_table(self.run.world, self.numbers)  # compiled now, or it would stall the run later
        world = self.run.world
        if not adapt:
            return
        if world.motion.shape[1] != self.scheme.levels or (previous and previous.integrator != integrator):
            lead = self.scheme.velocity_lead - (previous.scheme.velocity_lead if previous else 0.0)
            self.run.world = with_levels(world, self.scheme.levels)
            self.run.world.motion[:, 1] += lead * self.run.dt * self.run.world.motion[:, 2]
            self.start_up()

    # What may be read.

    @property
    def scheme(self) -> Any:
        return integrators()[self.model.integrator]

    @property
    def step(self) -> int:
        return int(self.run.world.counters[STEP_COUNT])

    @property
    def dt(self) -> float:
        return self.run.dt

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times dt since the last change of dt, never a running sum."""
        return self.run.clock_time + (self.step - self.run.clock_step) * self.run.dt

    @property
    def phase(self) -> str:
        return str(self.run.state.phase)

    def finished(self) -> bool:
        """True when nothing is under way: only a command will change the phase."""
        return self.fault is not None or not self.scene.under_way(self)

    def survey(self) -> Survey:
        """A look at all contacts."""
        return self._survey(self.run.world, self.numbers)

    def bulk(self) -> Bulk | None:
        """Packing fraction and stress well inside the packing; None where there is no packing of that size."""
        box = box_in_packing(self.run.world)
        if box is None:
            return None
        contacts = self._contact_table(self.run.world, self.numbers)
        return measure_bulk(self.run.world, contacts, box, self.scheme.velocity_lead * self.run.dt)

    def energy(self, survey: Survey | None = None) -> Energy:
        """The energy ledger now; `survey` saves the look at the contacts if one was just taken."""
        world, lead = self.run.world, self.scheme.velocity_lead * self.run.dt
        return energy_ledger(world, survey or self.survey(), self.gravity, self.run.booked, lead)

    def fill_snapshot(self, snapshot: Snapshot) -> None:
        """Copy what the outside may see."""
        watch.fill_snapshot(self, snapshot)

    def result(self) -> dict[str, Any]:
        """Everything result.json holds, in SI and JSON-ready."""
        survey = self.survey()
        return {
            "scene": self.scene.name,
            "parameters": self.parameters.model_dump(),
            "seed": self.seed,
            "ready": self.ready,
            "version": metadata.version("repose"),
            "steps": self.step,
            "simulated_time": self.time,
            "time_step": {"now": self.dt, "stable": survey.stable_dt if math.isfinite(survey.stable_dt) else None},
            "dt_changes": self.run.dt_changes,
            **self.scene.results(self),
            "largest_overlap": survey.largest_overlap,
            **bulk_results(self.bulk(), coordination_number(self.run.world)),
            "energy": self.energy(survey).as_dict(),
            "fault": self.fault.message if self.fault else None,
            "complaint": self.scene.check(self) or None,
            "state_hash": self.state_hash(),
        }

    def state_hash(self) -> str:
        """Digest of positions, derivatives, identities and contact memory: equal for equal runs."""
        world = self.run.world
        used = int(world.counters[PAIR_COUNT])
        digest = hashlib.sha256(f"{self.step} {self.time!r}".encode())
        for table in (world.motion, world.sphere_id, *(entry[..., :used] for entry in world.pairs)):
            digest.update(np.ascontiguousarray(table).tobytes())
        return digest.hexdigest()
