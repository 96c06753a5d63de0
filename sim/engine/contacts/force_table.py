"""The forces of all contacts as a table: the law evaluated once more, on the world as it stands.

The step loop keeps of a pair only its normal force; stress needs the whole vector, and to store it at every step would
cost memory traffic that nothing else asks for. Here it is made again when somebody measures, for pairs and for
walls alike. Nothing of the world is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray
from repose.sim.engine import vector
from repose.sim.engine.contacts.pair_forces import pair_contact
from repose.sim.engine.contacts.wall_forces import wall_contact
from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.step import Model
from repose.sim.engine.world import PAIR_COUNT, TOUCH_COUNT, Floats, World
from repose.sim.laws import Law


class ContactTable(NamedTuple):
    """Every two spheres that touch, and every sphere that touches a wall; one column per contact."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """The other sphere, -1 for a wall, shape (contacts,)."""
    branch: Floats
    """x_i - x_j, at a wall from the point touched to x_i [m], shape (dimension, contacts)."""
    force: Floats
    """On i, from j or the wall, shear force included [N], shape (dimension, contacts)."""


def contact_table(model: Model) -> Callable[[World, tuple], ContactTable]:
    """table(world, params) -> ContactTable."""
    look = compiled_look(model.law, model.rules, model.dimension, model.spin_length)

    def table(world: World, params: tuple) -> ContactTable:
        blank = blank_table(world)
        count = look(world, params, *blank)
        i, j, branch, force = blank
        return ContactTable(i[:count], j[:count], branch[:, :count], force[:, :count])

    return table


def blank_table(world: World) -> ContactTable:
    """A table with room for every contact of the world."""
    room = int(world.counters[PAIR_COUNT] + world.counters[TOUCH_COUNT])
    dimension = world.search.reference.shape[0]
    rows = np.empty(room, np.int64), np.empty(room, np.int64)
    return ContactTable(*rows, np.empty((dimension, room)), np.empty((dimension, room)))


@lru_cache(maxsize=64)
def compiled_look(law: Law, rules: tuple, dimension: int, spin_length: int) -> Any:
    """look(world, params, *blank table) -> how many contacts there are; the integrator does not matter to it."""
    force_of, properties = law.force, law.properties
    rule_0, rule_1, rule_2, rule_3 = rules
    position_like = (0.0,) * dimension
    spin_like = (0.0,) * spin_length
    source = fingerprint()

    def look(world, params, i, j, branch, force):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        rules = (rule_0, rule_1, rule_2, rule_3)
        return fill_table(world, force_of, properties, rules, params, position_like, spin_like, i, j, branch, force)

    return compiled(look)


@register_jitable
def fill_table(world, law, properties, rules, params, position_like, spin_like, rows_i, rows_j, branches, forces):
    """Write the contacts down in the order of the lists; returns how many."""
    found = 0
    pair_count = world.counters[PAIR_COUNT]
    # One loop for pairs and walls, so that the law is compiled only once. No time passes during a look: friction
    # springs are read and not stretched.
    for k in range(pair_count + world.counters[TOUCH_COUNT]):
        if k < pair_count:
            i = np.int64(world.pairs.i[k])
            j = np.int64(world.pairs.j[k])
            radius_sum = world.pairs.radius_sum[k]
            contact, _ = pair_contact(world, k, properties, params, position_like, spin_like, 0.0)
        else:
            t = k - pair_count
            if world.touches.normal_force[t] == 0.0 or world.touches.touching[t] == 0.0:
                continue
            i = np.int64(world.touches.sphere[t])
            j = np.int64(-1)
            radius_sum = world.radius[i]
            contact, _ = wall_contact(world, t, properties, params, position_like, spin_like, 0.0)
        if contact.overlap <= 0.0:
            continue
        answer = law(params, rules, contact)
        branch = vector.scale(radius_sum - contact.overlap, contact.normal)
        force = vector.add(vector.scale(answer.normal_force, contact.normal), answer.shear_force)
        rows_i[found] = i
        rows_j[found] = j
        for c in range(branches.shape[0]):
            branches[c, found] = branch[c]
            forces[c, found] = force[c]
        found += 1
    return found
