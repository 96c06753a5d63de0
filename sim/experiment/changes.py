"""What a change of parameters does to a running world, and how the time step follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from repose.sim.engine.builder import enlarge_pairs, keep_spheres
from repose.sim.engine.neighbours.verlet_list import PAIRS_FULL
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import World
from repose.sim.experiment import automatic_step, faults, formulas, ramp
from repose.sim.experiment.experiment import Scene
from repose.sim.experiment.run import Point
from repose.sim.integrators.start_up import higher_derivatives
from repose.sim.io import prepared as ready_columns
from repose.sim.parameters import ParameterError, Value

if TYPE_CHECKING:
    from repose.sim.experiment.experiment import Experiment


def made_world(scene: Scene, parameters: Any, seed: int, ready: str | None) -> tuple[World, Any]:
    """The world and the scene's state a run begins with: a prepared one if there is one that fits."""
    prepared = ready_columns.load(ready, parameters) if ready else None
    return prepared or scene.begin(parameters, seed)


def set_parameters(experiment: Experiment, values: Mapping[str, Value]) -> None:
    """Change parameters of the running world; after a fault, from the last good state."""
    changed = experiment.parameters.changed(**values)
    declared = changed.declared()
    differing = [name for name in declared if getattr(changed, name) != getattr(experiment.parameters, name)]
    effects = {declared[name].quantity.effect for name in differing}
    rebuilt = "base" in effects or ("restart" in effects and experiment.phase == "empty")
    made = made_world(experiment.scene, changed, experiment.seed, experiment.ready) if rebuilt else None
    stopped = experiment.fault is not None
    if stopped:
        clear_fault(experiment)
    if not differing:
        if stopped and changed.dt == "auto":
            follow(experiment, first=False)
        return
    experiment.history.last_change = faults.Change.of(experiment, differing[-1], experiment.history.last_change)
    if experiment.history.last_change.begins:
        experiment.history.before_change = Point.of(experiment.parameters, experiment.run)
    previous = experiment.parameters
    label = ", ".join(declared[n].change(getattr(previous, n), getattr(changed, n)) for n in differing)
    if made is not None:
        lost = int((~experiment.run.world.fixed).sum())
        experiment.parameters = changed
        begin_anew(experiment, made)
        tell(experiment, f"{label}: rebuilt" + (f", and the fill of {lost} grains starts anew." if lost else "."))
        return
    work = experiment.run.booked.work
    take_on(experiment, changed)
    law = experiment.engine.model.law
    if effects == {"restart"}:
        label += " at the next fill"
    elif law.rules(previous) != law.rules(changed):
        label += f"; friction springs are kept, {experiment.run.booked.work - work:.3g} J are booked as work"
    tell(experiment, f"{label}.")
    follow(experiment, first=previous.dt != changed.dt)
    if "ramp" in effects and experiment.run.ramp is not None and experiment.fault is None:
        tell(experiment, f"{label}, over {1e3 * experiment.run.ramp.steps * experiment.dt:.2g} ms.")


def take_on(experiment: Experiment, asked: Any) -> None:
    """Go over to the parameters asked for, at once or by a ramp from what is in force, and book the work."""
    before = ramp.in_force(experiment)
    with booked(experiment, "work"):
        experiment.parameters = asked
        experiment.run.ramp = ramp.begun(experiment, before)
        formulas.take_on(experiment)


def follow(experiment: Experiment, first: bool) -> None:
    """Let the time step follow a change, and lay a ramp out in such steps."""
    set_dt(experiment, first)
    if experiment.run.ramp is not None:
        experiment.run.ramp = ramp.lasting(experiment, experiment.run.ramp)


def set_dt(experiment: Experiment, first: bool) -> None:
    """Set the time step as the parameters ask: fixed, or "auto" from the stiffest contact, at both ends of a ramp."""
    dt, survey = _needed_dt(experiment, first)
    if experiment.run.ramp is not None:
        with ramp.at_its_end(experiment):
            dt, survey = min((dt, survey), _needed_dt(experiment, first), key=lambda end: (end[0], end[1].stable_dt))
    if experiment.parameters.dt != "auto" and dt > survey.stable_dt and not first:
        # One just asked for is taken, and what comes of it is seen.
        stop(experiment, faults.step_too_large(experiment, survey))
    elif dt != experiment.run.dt:
        take_dt(experiment, dt)


def _needed_dt(experiment: Experiment, first: bool) -> tuple[float, Survey]:
    """The step asked for, or the automatic one, with the look at the contacts as the law is now."""
    asked, survey = experiment.parameters.dt, survey_contacts(experiment)
    return (automatic_step.next_automatic_dt(experiment, survey, first) if asked == "auto" else asked), survey


LARGE_RISE = 2.0
"""A step so many times larger has the higher derivatives begin anew [-]. What rounding and jumps of the force leave in
the q-th goes with dt^(2-q), and the next prediction multiplies it by the new dt^(q-2): the fifth by the rise cubed."""


def take_dt(experiment: Experiment, dt: float) -> None:
    """Step by `dt` [s] from now on: velocities ahead of their positions stay so by the same share of a step."""
    run, scheme, before = experiment.run, experiment.engine.model.scheme, experiment.run.dt
    run.clock_time, run.clock_step, run.dt = experiment.time, experiment.step, dt
    run.dt_changes.append((experiment.step, dt))
    motion = run.world.motion
    motion[:, 1] += scheme.velocity_lead * (dt - before) * motion[:, 2]
    if dt > LARGE_RISE * before and scheme.levels > 3:
        motion[:, 3:] = 0.0
        start_derivatives(experiment)


def remove_grain(experiment: Experiment, sphere_id: int) -> None:
    """Take one grain away with its contacts and its energy; after a fault, from the last good state."""
    world, remove = experiment.run.world, experiment.scene.remove
    if isinstance(sphere_id, bool) or remove is None or not faults.removable(experiment, world, sphere_id):
        reason = "each of its spheres is needed" if remove is None else "no grain of this number can move there now"
        raise ParameterError(f"Removing grain {sphere_id} is refused: {reason}.")
    if experiment.fault is not None:
        clear_fault(experiment)
    remove(experiment, int(np.flatnonzero(world.sphere_id == sphere_id)[0]))
    with booked(experiment, "removed"):
        experiment.run.world = keep_spheres(world, world.sphere_id != sphere_id)
    # A fault to come goes back to here: further back the grain would be there again.
    experiment.history.good = experiment.history.before_change = Point.of(experiment.parameters, experiment.run)
    tell(experiment, f"Grain {sphere_id} has been removed.")


def find_accelerations(experiment: Experiment) -> None:
    """Give all spheres the accelerations of the forces there are: a motion that begins with none loses g t dt/2."""
    run = experiment.run
    if run.world.fixed.all():
        return
    while (
        experiment.engine.advance(run.world, experiment.engine.law_parameters, experiment.engine.gravity, 0.0, 1)[1]
        == PAIRS_FULL
    ):
        run.world = enlarge_pairs(run.world)


def start_up(experiment: Experiment, first_row: int) -> None:
    """Give the spheres from `first_row` on the higher derivatives the start-up asks for."""
    asked = experiment.parameters.start_up == "rk4"
    if asked and experiment.engine.model.scheme.levels > 3 and experiment.run.dt > 0.0:
        world = experiment.run.world
        formulas = (experiment.engine.model, experiment.engine.law_parameters, experiment.engine.gravity)
        higher = higher_derivatives(world, *formulas, experiment.run.dt)
        world.motion[:, 2:, first_row:] = higher[:, :, first_row:]
