"""What a change of parameters does to a running world, and how the time step follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sim import faults, ready_columns, watch
from sim.build import keep_spheres
from sim.integrators.start_up import higher_derivatives
from sim.parameters import ParameterError, Value
from sim.run import Point
from sim.scenes import Scene
from sim.state import World

if TYPE_CHECKING:
    from sim.simulation import Simulation


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
    if simulation.fault is not None:
        simulation.restore()
    if not differing:
        return
    simulation.last_change = faults.Change.of(simulation, differing[-1], simulation.last_change)
    if simulation.last_change.begins:
        simulation.before_change = Point.of(simulation.parameters, simulation.run)
    previous, simulation.parameters = simulation.parameters, changed
    label = ", ".join(declared[n].change(getattr(previous, n), getattr(changed, n)) for n in differing)
    if made is not None:
        lost = int((~simulation.run.world.fixed).sum())
        simulation.begin_anew(made)
        simulation.message = f"{label}: rebuilt" + (f", and the fill of {lost} grains starts anew." if lost else ".")
        return
    with simulation.booked("work"):
        simulation.compose()
    simulation.message = label + (" at the next fill." if effects == {"restart"} else ".")
    simulation.set_dt(first=previous.dt != changed.dt)


def set_dt(simulation: Simulation, first: bool) -> None:
    """Set the time step as the parameters ask: fixed, or "auto" from the stiffest contact."""
    asked = simulation.parameters.dt
    survey = simulation.survey()
    if asked == "auto":
        dt = watch.next_automatic_dt(simulation, survey, first)
    else:
        dt = asked
        if dt > survey.stable_dt and not first:  # one just asked for is taken, and what comes of it is seen
            simulation.stop(faults.step_too_large(simulation, survey))
            return
    if dt != simulation.run.dt:
        simulation.run.clock_time, simulation.run.clock_step, simulation.run.dt = simulation.time, simulation.step, dt
        simulation.run.dt_changes.append((simulation.step, dt))


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
