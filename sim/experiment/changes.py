"""What a change of parameters does to a running world, and how the time step follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from repose.sim.engine.builder import keep_spheres
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import World
from repose.sim.experiment import automatic_step, faults, formulas, ramp
from repose.sim.experiment.run import Point
from repose.sim.integrators.start_up import higher_derivatives
from repose.sim.io import prepared as ready_columns
from repose.sim.parameters import ParameterError, Value
from repose.sim.scenes import Scene

if TYPE_CHECKING:
    from repose.sim.experiment.simulation import Simulation


def made_world(scene: Scene, parameters: Any, seed: int, ready: str | None) -> tuple[World, Any]:
    """The world and the scene's state a run begins with: a prepared one if there is one that fits."""
    prepared = ready_columns.load(ready, parameters) if ready else None
    return prepared or scene.begin(parameters, seed)


def set_parameters(simulation: Simulation, values: Mapping[str, Value]) -> None:
    """Change parameters of the running world; after a fault, from the last good state."""
    changed = simulation.parameters.changed(**values)
    declared = changed.declared()
    differing = [name for name in declared if getattr(changed, name) != getattr(simulation.parameters, name)]
    effects = {declared[name].quantity.effect for name in differing}
    rebuilt = "base" in effects or ("restart" in effects and simulation.phase == "empty")
    made = made_world(simulation.scene, changed, simulation.seed, simulation.ready) if rebuilt else None
    stopped = simulation.fault is not None
    if stopped:
        simulation.restore()
    if not differing:
        if stopped and changed.dt == "auto":
            follow(simulation, first=False)
        return
    simulation.last_change = faults.Change.of(simulation, differing[-1], simulation.last_change)
    if simulation.last_change.begins:
        simulation.before_change = Point.of(simulation.parameters, simulation.run)
    previous = simulation.parameters
    label = ", ".join(declared[n].change(getattr(previous, n), getattr(changed, n)) for n in differing)
    if made is not None:
        lost = int((~simulation.run.world.fixed).sum())
        simulation.parameters = changed
        simulation.begin_anew(made)
        simulation.message = f"{label}: rebuilt" + (f", and the fill of {lost} grains starts anew." if lost else ".")
        return
    work = simulation.run.booked.work
    take_on(simulation, changed)
    law = simulation.model.law
    if effects == {"restart"}:
        label += " at the next fill"
    elif law.rules(previous) != law.rules(changed):
        label += f"; friction springs are kept, {simulation.run.booked.work - work:.3g} J are booked as work"
    simulation.message = f"{label}."
    follow(simulation, first=previous.dt != changed.dt)
    if "ramp" in effects and simulation.run.ramp is not None and simulation.fault is None:
        simulation.message = f"{label}, over {1e3 * simulation.run.ramp.steps * simulation.dt:.2g} ms."


def take_on(simulation: Simulation, asked: Any) -> None:
    """Go over to the parameters asked for, at once or by a ramp from what is in force, and book the work."""
    before = ramp.in_force(simulation)
    with simulation.booked("work"):
        simulation.parameters = asked
        simulation.run.ramp = ramp.begun(simulation, before)
        formulas.take_on(simulation)


def follow(simulation: Simulation, first: bool) -> None:
    """Let the time step follow a change, and lay a ramp out in such steps."""
    simulation.set_dt(first)
    if simulation.run.ramp is not None:
        simulation.run.ramp = ramp.lasting(simulation, simulation.run.ramp)


def set_dt(simulation: Simulation, first: bool) -> None:
    """Set the time step as the parameters ask: fixed, or "auto" from the stiffest contact, at both ends of a ramp."""
    dt, survey = _needed_dt(simulation, first)
    if simulation.run.ramp is not None:
        with ramp.at_its_end(simulation):
            dt, survey = min((dt, survey), _needed_dt(simulation, first), key=lambda end: (end[0], end[1].stable_dt))
    if simulation.parameters.dt != "auto" and dt > survey.stable_dt and not first:
        # One just asked for is taken, and what comes of it is seen.
        simulation.stop(faults.step_too_large(simulation, survey))
    elif dt != simulation.run.dt:
        take_dt(simulation, dt)


def _needed_dt(simulation: Simulation, first: bool) -> tuple[float, Survey]:
    """The step asked for, or the automatic one, with the look at the contacts as the law is now."""
    asked, survey = simulation.parameters.dt, simulation.survey()
    return (automatic_step.next_automatic_dt(simulation, survey, first) if asked == "auto" else asked), survey


LARGE_RISE = 2.0
"""A step so many times larger has the higher derivatives begin anew [-]. What rounding and jumps of the force leave in
the q-th goes with dt^(2-q), and the next prediction multiplies it by the new dt^(q-2): the fifth by the rise cubed."""


def take_dt(simulation: Simulation, dt: float) -> None:
    """Step by `dt` [s] from now on: velocities ahead of their positions stay so by the same share of a step."""
    run, scheme, before = simulation.run, simulation.scheme, simulation.run.dt
    run.clock_time, run.clock_step, run.dt = simulation.time, simulation.step, dt
    run.dt_changes.append((simulation.step, dt))
    if before == 0.0:
        return
    motion = run.world.motion
    motion[:, 1] += scheme.velocity_lead * (dt - before) * motion[:, 2]
    if dt > LARGE_RISE * before and scheme.levels > 3:
        motion[:, 3:] = 0.0
        simulation.start_up()


def remove_grain(simulation: Simulation, sphere_id: int) -> None:
    """Take one grain away with its contacts and its energy; after a fault, from the last good state."""
    world, remove = simulation.run.world, simulation.scene.remove
    if isinstance(sphere_id, bool) or remove is None or not faults.removable(simulation, world, sphere_id):
        reason = "each of its spheres is needed" if remove is None else "no grain of this number can move there now"
        raise ParameterError(f"Removing grain {sphere_id} is refused: {reason}.")
    if simulation.fault is not None:
        simulation.restore()
    remove(simulation, int(np.flatnonzero(world.sphere_id == sphere_id)[0]))
    with simulation.booked("removed"):
        simulation.run.world = keep_spheres(world, world.sphere_id != sphere_id)
    # A fault to come goes back to here: further back the grain would be there again.
    simulation.good = simulation.before_change = Point.of(simulation.parameters, simulation.run)
    simulation.message = f"Grain {sphere_id} has been removed."


def start_up(simulation: Simulation, first_row: int) -> None:
    """Give the spheres from `first_row` on the higher derivatives the start-up asks for."""
    asked = simulation.parameters.start_up == "rk4"
    if asked and simulation.scheme.levels > 3 and simulation.run.dt > 0.0:
        world = simulation.run.world
        formulas = (simulation.model, simulation.numbers, simulation.gravity)
        higher = higher_derivatives(world, *formulas, simulation.run.dt)
        world.motion[:, 2:, first_row:] = higher[:, :, first_row:]
