"""Stored packings: world and state of a scene once its grains have settled, so that no audience waits for it.

A file of `assets/settled` has the tables of the world, the state of the scene, and the parameters and the seed with
which both were computed. Either a run asks for the packing by its name (`Course.prepared`), or a timed scene begins
with it whenever it has the same seed. In both cases it has to have the parameters of the file; those that act only on
settled grains may differ.

`python -m tests.tools.settled_packings [NAME …]` computes the files again. It is needed after every change of a default
parameter or of the setup of a scene, which a test notices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from repose.sim.engine.builder import forget_neighbours, reset_displacements
from repose.sim.engine.world import PAIR_COUNT, REBUILT_AT, STEP_COUNT, WALL_CONTACT_COUNT, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.io import world_tables
from repose.sim.message import Message
from repose.sim.parameters import ParameterError, ParameterSet, Value
from repose.sim.wording import message_of

Read = Callable[[ParameterSet], tuple[World, Any] | None]
"""One of `Course.prepared`."""


@dataclass(frozen=True)
class Packing:
    """How a stored packing is computed, and for which runs."""

    values: Mapping[str, Value] = field(default_factory=dict)
    """Parameters that differ from the defaults of the scene."""
    seed: int = 1
    fill: Callable[[Experiment], None] = lambda experiment: None
    """What is done to the container once its filling has begun."""
    later: tuple[str, ...] | None = None
    """Names of the parameters that act only on settled grains; None for all that change neither grains nor walls, with
    which a packing is one of grains that have settled under other conditions."""
    springs: bool = False
    """Whether contacts with their friction springs are stored. Without, the springs form again while the grains move
    by a part of their overlap, and the file is a fifth as large: for grains that flow away. A heap of tetrapods, which
    its friction holds, was steeper without: 89° ± 3° instead of 74° ± 7°."""
    single: bool = True
    """Whether places and forces are stored in single precision: 1e-7 of the size of the scene, about a thousandth of
    the overlap of soft grains."""


def by_name(packings: Mapping[str, Packing], state: type, begin_anew: Callable[[Any, World], None]) -> dict[str, Read]:
    """`Course.prepared` of a scene with this dataclass of its state; `begin_anew(state, world)` sets what the scene has
    counted while it was filled to its beginning."""
    return {name: any_of({name: packing}, state, begin_anew) for name, packing in packings.items()}


def any_of(packings: Mapping[str, Packing], state: type, begin_anew: Callable[[Any, World], None]) -> Read:
    """As in `by_name`, one function for several packings: it returns the one that belongs to the parameters."""

    def fitting(parameters: ParameterSet) -> tuple[World, Any] | None:
        for name, packing in packings.items():
            if all(getattr(parameters, key) == value for key, value in packing.values.items()):
                found = read(name, packing, state, parameters)
                if found is not None:
                    found[1].since = found[1].quiet_since = found[1].still_since = 0.0
                    begin_anew(found[1], found[0])
                    return found
        return None

    return fitting


def read(
    name: str, packing: Packing, state: type, parameters: ParameterSet, seed: int | None = None
) -> tuple[World, Any] | None:
    """The world at time zero, and the scene state; None if the packing was computed with other parameters, or another
    seed if it is given.

    Raises `ParameterError` if the file cannot be used.
    """
    try:
        blob = files("repose.assets").joinpath("settled", f"{name}.npz").read_bytes()
        world, found, facts = world_tables.from_bytes(blob, state)
    except (OSError, world_tables.StoreError) as error:
        raise ParameterError(
            Message(
                "The prepared state '{name}' cannot be used: {error} Start without it.",
                name=name,
                error=message_of(error),
            )
        ) from None
    if seed not in (None, facts["seed"]) or not _belongs(packing, facts["parameters"], parameters):
        return None
    world.counters[REBUILT_AT] -= world.counters[STEP_COUNT]
    world.counters[STEP_COUNT] = 0
    world.ledger[:] = world.stiffening[:] = world.largest_overlap[:] = 0.0
    return world, found


def _belongs(packing: Packing, filled_with: Mapping[str, Any], parameters: ParameterSet) -> bool:
    """Whether parameters that act before the grains have settled are those of the file; later parameters of the program
    had their default."""
    for parameter in parameters.declared().values():
        if packing.later is None:
            counts = parameter.quantity.effect in ("base", "anew", "prepare", "restart")
        else:
            counts = parameter.name not in packing.later
        if counts and filled_with.get(parameter.name, parameter.default) != getattr(parameters, parameter.name):
            return False
    return True


def put_settled(world: World, name: str, packing: Packing, state: type, parameters: ParameterSet, seed: int) -> bool:
    """Put the grains of a new world at their places in the packing of this name; False if it does not belong to these
    parameters and this seed, or to another number of grains or walls.

    A file that is missing or damaged is no error: the packing is computed then.
    """
    try:
        found = read(name, packing, state, parameters, seed)
    except ParameterError:
        return False
    if found is None:
        return False
    motion, moved = found[0].motion, found[0].walls.moved
    if (motion[:, 0].shape, moved.shape) != (world.motion[:, 0].shape, world.walls.moved.shape):
        return False
    dimension = world.search.reference.shape[0]
    world.motion[:dimension, 0], world.walls.moved[:] = motion[:dimension, 0], moved
    world.motion[:, 1:] = 0.0
    reset_displacements(world)
    forget_neighbours(world)
    return True


def packed(experiment: Experiment, packing: Packing) -> bytes:
    """The file of the present packing; equal packings give equal files."""
    world = experiment.run.world
    facts = {"parameters": experiment.parameters.model_dump(mode="json"), "seed": experiment.seed}
    return world_tables.to_bytes(
        world if packing.springs else at_rest(world), experiment.run.state, facts, packing.single
    )


def at_rest(world: World) -> World:
    """A copy whose spheres and bodies do not move, without contacts and neighbour lists: the first step finds them."""
    still = world_tables.unpacked(world_tables.packed(world))
    still.counters[[PAIR_COUNT, WALL_CONTACT_COUNT]] = 0
    for motion in (still.motion, *((still.bodies.motion,) if still.bodies else ())):
        motion[:, 1:] = 0.0
    still.force[:] = 0.0
    if not still.bodies:  # the rotation of a sphere acts on nothing but its picture, which has the orientation
        dimension = still.search.reference.shape[0]
        still.motion[dimension:, 0] = still.previous[dimension:] = still.turned[:] = 0.0
    reset_displacements(still)
    forget_neighbours(still)
    return still
