"""A running experiment: one world, its scene, its parameters and its clock, stepped by whoever holds it.

Whatever depends on the state is looked at every `CHECK_STEPS` steps of the run, never per
call, so that a run is the same bit by bit however it is cut into batches.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, get_args

import numpy as np
from repose.sim.engine.step import Model
from repose.sim.engine.threads import threads_for
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import World
from repose.sim.experiment import changes, faults, formulas, history, results, sampling, stepping
from repose.sim.experiment.command_log import Log
from repose.sim.experiment.commands import Command, Logged
from repose.sim.experiment.comparison import Point as Measured
from repose.sim.experiment.experiment import Scene
from repose.sim.experiment.restart_points import RestartPoints
from repose.sim.experiment.run import Point, Run
from repose.sim.experiment.saved_run import SavedRun
from repose.sim.experiment.snapshot import Curve, Fault, Snapshot
from repose.sim.integrators import integrators
from repose.sim.io import prepared
from repose.sim.measure.bulk import Bulk
from repose.sim.measure.energy import Energy, energy_ledger
from repose.sim.parameters import ParameterError, Value, require_known
from repose.sim.registry import scenes

LOGGED = get_args(Logged)


class Simulation:
    """The scene named `scene`, with `values` over its default parameters."""

    def __init__(
        self,
        scene: str = "heap",
        values: Mapping[str, Value] | None = None,
        seed: int = 1,
        ready: str | None = None,
        saved: SavedRun | None = None,
    ) -> None:
        self.message = ""
        self.parameters: Any = None
        """Those asked for."""
        self.model: Model
        self.loop: Callable
        self.survey_of: Callable[..., Survey]
        self.contact_table: Callable
        self.look_steps: int
        self.contact_time: float
        """What the parameters come to: see repose.sim.experiment.formulas."""
        self.numbers: tuple
        self.gravity: tuple[float, ...]
        """What law and weight read: made of the parameters, or on the way to them (repose.sim.experiment.ramp)."""
        self.before_compiling: Callable[[], None] = lambda: None
        """Called when a change of formulas is about to cost seconds of compiling."""
        self.measured: dict[str, list[Measured]] = {}
        """What the runs of this session have measured, by scene; a reset takes nothing away."""
        self.comparison: Curve | None = None
        self.look: sampling.Look | None = None
        self.contacts: sampling.Contacts | None = None
        self.points = RestartPoints()
        """What can be gone back to; its budget is for whoever shows it."""
        self.log: Log
        self.threads: int | None = None
        """Threads the world is stepped with; None for as many as are worth their while. No bit depends on it."""
        self.spare = 0
        """Processors left to others where the number is not given: one for a picture."""
        self.at = self.commands = 0
        """Steps done since the log began, and how many of its entries have been carried out."""
        self.journey: history.Journey | None = None
        """The moment that is being gone to."""
        self.at_once = history.WITHOUT_END
        """Steps a command that goes back may do at once; whoever sets fewer goes on with `go_on`."""
        self.cuts = 0
        """How often what lay ahead was forgotten."""
        if saved is None:
            self.restart(scene, values or {}, seed, ready)
        else:
            self.resume(saved)

    # What the commands call.

    def restart(self, scene: str, values: Mapping[str, Value], seed: int, ready: str | None = None) -> None:
        """Begin anew; on a refusal nothing has changed."""
        require_known(scene, scenes(), "scene")
        parameters = scenes()[scene].parameters.checked(values)
        if ready is not None:
            require_known(ready, prepared.NAMES, "prepared state")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ParameterError(f"seed = {seed} is refused: it must be a whole number from 0 up; the default is 1.")
        made = changes.made_world(scenes()[scene], parameters, seed, ready)
        self.scene: Scene = scenes()[scene]
        self.seed, self.ready = seed, ready
        self.parameters = parameters
        self.begin_anew(made)
        results.compare_runs(self)
        self.message = self.scene.describe(self)[1].capitalize() + "."
        history.begin_log(self)

    def begin_anew(self, made: tuple[World, Any] | None = None) -> None:
        """Back to the beginning with the parameters as they are now: `made`, or as the scene begins."""
        world, state = made or changes.made_world(self.scene, self.parameters, self.seed, self.ready)
        self.fault: Fault | None = None
        self.last_change = faults.Change()
        self.run = Run(world, state, self.parameters)
        formulas.take_on(self)
        self.find_accelerations()
        energy = self.energy()
        self.run.booked.poured, self.run.booked.shear = energy.mechanical, energy.shear
        self.good = self.before_change = Point.of(self.parameters, self.run)
        self.set_dt(first=True)
        if self.fault is None:
            self.good = self.before_change = Point.of(self.parameters, self.run)

    def resume(self, saved: SavedRun) -> None:
        """Go on with a saved run; on a refusal nothing has changed."""
        before = vars(self) | {"points": copy.copy(self.points), "measured": copy.copy(self.measured)}
        try:
            history.resume(self, saved)
            results.compare_runs(self)
            self.fill_snapshot(Snapshot())
            self.result()
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            vars(self).clear()
            vars(self).update(before)
            reason = " ".join(str(error).split())[:120] or type(error).__name__
            raise ParameterError(f"The saved run cannot be gone on with: {reason}. Its file is damaged.") from None

    def rewind(self, at: int) -> None:
        """Go to the moment `at` steps after the log began; what lies after it is forgotten once something is done."""
        history.rewind(self, at, self.at_once)

    def go_on(self, steps: int) -> None:
        """At most so many steps more of the way to the moment gone to."""
        history.go_on(self, steps)

    def set_parameters(self, values: Mapping[str, Value]) -> None:
        """Change parameters of the running world; after a fault, from the last good state."""
        changes.set_parameters(self, values)

    def act(self, action: str) -> None:
        """Fire one of the scene's actions; refused while it makes no sense."""
        offered = {entry.name: entry for entry in self.scene.actions(self)}
        require_known(action, offered, "action")
        if not offered[action].enabled:
            raise ParameterError(f"'{offered[action].label}' makes no sense now: {self.scene.describe(self)[1]}.")
        if self.fault is not None:
            self.restore()
        self.message = self.scene.act(self, action)
        if faults.look(self) is None:
            self.good = Point.of(self.parameters, self.run)  # what was asked for outlives a fault

    def recover(self, values: Mapping[str, Value]) -> None:
        """Go on from the last good state with the given parameters; refused as any change is."""
        self.set_parameters(values)

    def remove_grain(self, sphere_id: int) -> None:
        """Take one grain away; after a fault, from the last good state."""
        changes.remove_grain(self, sphere_id)

    def apply(self, command: Command) -> str:
        """Carry a command out between two batches; returns why it was refused, or an empty string."""
        if isinstance(command, LOGGED) and self.journey is not None:
            return f"Step {self.journey.at} is being gone to, {self.journey.at - self.at} steps from here: wait for it."
        try:
            command.apply(self)
        except ParameterError as refusal:
            return str(refusal)
        if isinstance(command, LOGGED):
            history.note(self, command)
        return ""

    # Stepping.

    def advance(self, steps: int) -> int:
        """Advance by at most `steps` steps; returns how many were done, fewer only after a fault."""
        if steps > 0 and self.fault is None:
            history.cut(self)
        return self.step_on(steps)

    def step_on(self, steps: int) -> int:
        """`advance` within what the log holds already, if that reaches further."""
        return stepping.step_on(self, steps)

    def stop(self, fault: Fault, remedy: str = "") -> None:
        """Go back to the last good state and wait there."""
        stepping.stop(self, fault, remedy)

    def go_on_from(self, point: Point) -> None:
        """Make a restart point the present, its formulas included."""
        self.run, self.parameters = point.taken_up(), point.parameters
        formulas.take_on(self, adapt=False)

    def restore(self) -> None:
        """Let the run go on after a fault."""
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

    def find_accelerations(self) -> None:
        """Give all spheres the accelerations of the forces there are; no time passes."""
        changes.find_accelerations(self)

    @property
    def falling(self) -> dict[str, Any]:
        """Velocity [m/s] and acceleration [m/s²] of spheres that are let fall from rest, as the scheme keeps them."""
        gravity = np.asarray(self.gravity)
        return {"velocity": self.scheme.velocity_lead * self.dt * gravity, "acceleration": gravity}

    def start_up(self, first_row: int = 0) -> None:
        """Give the spheres from `first_row` on the higher derivatives the start-up asks for."""
        changes.start_up(self, first_row)

    def keep_point(self) -> None:
        """Put what this run has measured beside the runs before."""
        results.keep_point(self)

    def set_dt(self, first: bool = False) -> None:
        """Set the time step as the parameters ask: fixed, or "auto" from the stiffest contact."""
        changes.set_dt(self, first)

    # What may be read.

    @property
    def scheme(self) -> Any:
        return integrators()[self.model.integrator]

    @property
    def threads_wanted(self) -> int:
        """How many threads are worth their while."""
        return threads_for(int((~self.run.world.fixed).sum()), self.spare)

    @property
    def step(self) -> int:
        return self.run.step

    @property
    def dt(self) -> float:
        return self.run.dt

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.run.time

    @property
    def phase(self) -> str:
        return str(self.run.state.phase)

    def finished(self) -> bool:
        """True when nothing is under way: only a command will change the phase."""
        return self.fault is not None or not self.scene.under_way(self)

    def survey(self, world: World | None = None) -> Survey:
        """A look at all contacts, now or in a state kept."""
        return self.survey_of(world or self.run.world, self.numbers)

    @property
    def changed_lately(self) -> bool:
        """Whether a fault now would be put down to the last change of a parameter."""
        return bool(self.last_change.name) and self.step - self.last_change.step < faults.BLAME_STEPS

    @property
    def last_good(self) -> Point:
        """The state a fault goes back to."""
        return self.before_change if self.changed_lately else self.good

    def steps_until(self, time: float) -> int:
        """Steps to the first one at or after `time` [s], one at least, as far as this time step is sure to last."""
        apart = stepping.CHECK_STEPS - self.step % stepping.CHECK_STEPS
        if self.dt == 0.0 or math.isinf(time):
            return apart
        return min(apart, max(1, math.ceil((time - self.time) / self.dt - 1e-3)))

    def bulk(self) -> Bulk | None:
        """Packing fraction and stress well inside the packing; None where there is no packing of that size."""
        return results.bulk(self)

    def energy(self, survey: Survey | None = None) -> Energy:
        """The energy ledger now; `survey` saves the look at the contacts if one was just taken."""
        world, lead = self.run.world, self.scheme.velocity_lead * self.run.dt
        return energy_ledger(world, survey or self.survey(), self.gravity, self.run.booked, lead)

    def fill_snapshot(self, snapshot: Snapshot, contacts: bool = True) -> None:
        """Copy what the outside may see; the ends of contacts only if they are asked for."""
        sampling.fill_snapshot(self, snapshot, contacts)

    def result(self) -> dict[str, Any]:
        """Everything result.json holds, in SI and JSON-ready."""
        return results.results(self)

    def state_hash(self) -> str:
        """Digest of step, time and world: equal for equal runs."""
        return results.state_hash(self.run)

    def saved(self) -> SavedRun:
        """A copy of everything, as a file holds it."""
        return history.saved(self)
