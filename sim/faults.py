"""What can go wrong while stepping, said in one sentence: the culprit, the value, the limit, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim import neighbours
from sim.parameters import Value
from sim.snapshot import Fault
from sim.survey import Survey

if TYPE_CHECKING:
    from sim.simulation import Simulation

BLAME_STEPS = 20_000
"""A fault within so many steps of a change of parameter is put down to it."""

FARTHEST = 1e7
"""A sphere may be so many of its radii from the origin: places are then known to a billionth of a radius [-]."""

DRAG_STEPS = 2_000
"""Changes of one parameter closer together than this are one drag of a slider."""


@dataclass(frozen=True)
class Change:
    """The last change of a parameter."""

    name: str = ""
    previous: Value | None = None
    step: int = -BLAME_STEPS
    begins: bool = False
    """True for the first change of a drag: the state before it is the one to go back to."""

    @classmethod
    def of(cls, simulation: Simulation, name: str, last: Change) -> Change:
        """The change of `name` that is about to happen, after the change `last`."""
        drags_on = last.name == name and simulation.step - last.step < DRAG_STEPS
        previous = last.previous if drags_on else getattr(simulation.parameters, name)
        return cls(name, previous, simulation.step, not drags_on)


def _blame(simulation: Simulation) -> tuple[str, str | None, Value | None]:
    change = simulation.last_change
    if not change.name or simulation.step - change.step >= BLAME_STEPS:
        if simulation.parameters.dt == "auto":
            return "Set a time step smaller than the automatic one.", None, None
        return "Set the time step to 'auto'.", None, None
    declared = simulation.parameters.declared()[change.name]
    now = declared.shown(getattr(simulation.parameters, change.name))
    before = declared.shown(change.previous if change.previous is not None else declared.default)
    remedy = f"Undo {declared.quantity.label} = {now} (it was {before}) or set the time step to 'auto'."
    return remedy, change.name, change.previous


def from_status(simulation: Simulation, status: int, row: int) -> Fault:
    """The fault behind a status of the step loop."""
    world = simulation.run.world
    sphere = int(world.sphere_id[row])
    remedy, name, previous = _blame(simulation)
    step = f"{simulation.dt * 1e6:.4g} µs"
    if status == neighbours.NOT_FINITE:
        words = f"Grain {sphere} lost its position (not a finite number) at {simulation.time:.4f} s"
    else:
        speed = float(np.sqrt(np.sum(world.motion[:, 1, row] ** 2)))
        limit = neighbours.LARGEST_STEP * float(world.radius[row]) / simulation.dt
        words = (
            f"Grain {sphere} moves at {speed:.3g} m/s at {simulation.time:.4f} s, "
            f"over the {limit:.3g} m/s that a step of {step} can follow"
        )
    return Fault(f"{words}: stopped at the last good state. {remedy}", sphere, name, previous)


def astray(simulation: Simulation) -> Fault | None:
    """The grain farthest from the origin, if it is so far that places are no longer told apart finely enough."""
    world = simulation.run.world
    place = np.abs(world.motion[: simulation.scene.dimension, 0]).max(axis=0, initial=0.0)
    if not (place > FARTHEST * world.radius).any():
        return None
    row = int((place / world.radius).argmax())
    sphere = int(world.sphere_id[row])
    remedy, name, previous = _blame(simulation)
    words = (
        f"Grain {sphere} is {place[row]:.3g} m away at {simulation.time:.4f} s, over the "
        f"{FARTHEST * float(world.radius[row]):.3g} m within which contacts are resolved"
    )
    return Fault(f"{words}: stopped at the last good state. {remedy}", sphere, name, previous)


def step_too_large(simulation: Simulation, survey: Survey) -> Fault:
    """The chosen time step is beyond what the integrator bears with the contacts there are."""
    sphere = int(simulation.run.world.sphere_id[survey.stiffest])
    remedy, name, previous = _blame(simulation)
    words = (
        f"The time step {simulation.parameters.declared()['dt'].shown(simulation.parameters.dt)} is over the "
        f"{survey.stable_dt * 1e6:.4g} µs that {simulation.scheme.title} bears at the contacts of grain {sphere}"
    )
    return Fault(f"{words}: stopped at the last good state. {remedy}", sphere, name, previous)
