"""Walls that the user draws into a scene in the plane and removes: straight lines at rest.

They exist only in scenes that neither count nor move walls (`Scene.hand.free_walls`): every wall of such a world was
drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import fitted
from repose.sim.engine.contacts.wall_geometry import FACET, approach
from repose.sim.engine.threads import is_compiled
from repose.sim.engine.world import (
    WALL_CONTACT_COUNT,
    Floats,
    WallContacts,
    Walls,
    World,
    empty_wall_contacts,
    empty_walls,
)
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import checked_place, require_running
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.notices import notify
from repose.sim.message import Message, _, length_text, plural
from repose.sim.parameters import ParameterError

MOST = 200
"""Largest number of walls."""


def draw_wall(experiment: Experiment, start: Sequence[float], end: Sequence[float]) -> None:
    """Add a wall between two points [m]; raises `ParameterError`."""
    what = _("Drawing a wall")
    require_free_walls(experiment, what)
    require_running(experiment, what)
    ends = np.array((checked_place(experiment, start, what), checked_place(experiment, end, what)))
    world = experiment.run.world
    smallest = float(world.radius.min(initial=math.inf))
    if (length := math.dist(*ends)) < smallest:
        raise ParameterError(
            Message(
                "{what} is refused: it is {length} long; draw one of at least {smallest}.",
                what=what,
                length=length_text(length),
                smallest=length_text(smallest),
            )
        )
    if world.walls.shape.size >= MOST:
        raise ParameterError(
            Message("{what} is refused: there are {most} walls already; remove one first.", what=what, most=MOST)
        )
    grown = with_wall(world, ends)
    if crossed := crossed_grains(grown, world.walls.shape.size):
        raise ParameterError(
            plural(
                "{what} is refused: {count} grain is in its way; draw it where no grains are.",
                "{what} is refused: {count} grains are in its way; draw it where no grains are.",
                count=crossed,
                what=what,
            )
        )
    experiment.run.world = grown  # before compiling, so that the wall is seen meanwhile
    if not is_compiled(experiment.engine.advance, grown):
        experiment.session.before_compiling(experiment)
    notify(experiment, Message("A wall of {length} is drawn.", length=length_text(length)))


def remove_wall(experiment: Experiment, position: Sequence[float], reach: float) -> None:
    """Remove the wall nearest to a point [m], at most `reach` [m] away; raises `ParameterError`."""
    what = _("Removing a wall")
    require_free_walls(experiment, what)
    require_running(experiment, what)
    place, world = checked_place(experiment, position, what), experiment.run.world
    gaps = [float(approach(world.walls, w, place)[0]) for w in range(world.walls.shape.size)]
    if not gaps or not min(gaps) <= reach:
        raise ParameterError(
            Message(
                "{what} is refused: there is none within {length_text}.",
                what=what,
                length_text=length_text(max(float(reach), 0.0)),
            )
        )
    kept = np.arange(len(gaps)) != int(np.argmin(gaps))
    with booked(experiment, "removed"):
        experiment.run.world = with_walls(world, np.flatnonzero(kept), chosen(world.walls, np.flatnonzero(kept)))
    notify(experiment, _("The wall is removed."))


def keep_walls(experiment: Experiment, world: World, before: World) -> World:
    """A new world of the scene with the walls drawn in the world `before`, except those that overlap grains now."""
    if not experiment.scene.hand.free_walls or not before.walls.shape.size or world.walls.shape.size:
        return world
    drawn = with_walls(world, np.zeros(0, np.int64), before.walls)
    free = [w for w in range(before.walls.shape.size) if not crossed_grains(drawn, w)]
    return with_walls(world, np.zeros(0, np.int64), chosen(before.walls, np.array(free, np.int64)))


def require_free_walls(experiment: Experiment, what: Message) -> None:
    """Raise `ParameterError` unless walls can be drawn into the scene."""
    if not experiment.scene.hand.free_walls:
        raise ParameterError(
            Message(
                "{what} is refused: the scene '{title}' takes no further walls.",
                what=what,
                title=experiment.scene.title,
            )
        )


def crossed_grains(world: World, wall: int) -> int:
    """Number of grains that can move and that overlap a wall."""
    dimension = world.dimension
    rows = np.flatnonzero(~world.fixed)
    places = world.motion[:dimension, 0, rows].T
    gaps = np.array([approach(world.walls, wall, tuple(position))[0] for position in places.tolist()])
    return int((gaps < world.radius[rows]).sum())


def with_wall(world: World, ends: Floats) -> World:
    """The world with a wall appended between two points [m], shape (2, 2), of the material of the base."""
    walls, count = world.walls, world.walls.shape.size
    more = empty_walls(count + 1, 2)
    for name in Walls._fields:
        getattr(more, name)[:count] = getattr(walls, name)
    more.shape[count], more.corner[count] = FACET, ends[[0, 1, 1]]
    base = np.flatnonzero(world.fixed)
    more.material[count] = world.material[base[0]] if base.size else 0
    return with_walls(world, np.arange(count), more)


def chosen(walls: Walls, rows: NDArray[Any]) -> Walls:
    """The walls of these rows."""
    return Walls(*(np.ascontiguousarray(column[rows]) for column in walls))


def with_walls(world: World, kept: NDArray[Any], walls: Walls) -> World:
    """The world with other walls, the first of which are the rows `kept` of its present walls; contacts with these keep
    their memory."""
    count = int(world.counters[WALL_CONTACT_COUNT])
    before = world.wall_contacts
    new_row = np.full(world.walls.shape.size, -1)
    new_row[kept] = np.arange(kept.size)
    wall = new_row[before.wall[:count]]
    stays = np.flatnonzero(wall >= 0)
    contacts = empty_wall_contacts(before.sphere.size, world.dimension)
    for name in WallContacts._fields:
        getattr(contacts, name)[..., : stays.size] = getattr(before, name)[..., stays]
    contacts.wall[: stays.size] = wall[stays]
    counters = world.counters.copy()
    counters[WALL_CONTACT_COUNT] = stays.size
    changed = world._replace(walls=walls, wall_contacts=contacts, counters=counters)
    return fitted(changed, world.pairs, world.pairs.i.size)
