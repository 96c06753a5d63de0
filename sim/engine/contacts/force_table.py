"""The forces of all contacts as a table: the law evaluated once more, at the present state of the world.

The step loop keeps only the normal force of a pair; stress needs the whole vector, and storing it at every step would
cost memory traffic that nothing else needs. Here it is computed again for a measurement, for pairs and walls alike. The
world does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine import vector
from repose.sim.engine.contacts.contact_state import state_of
from repose.sim.engine.contacts.pair_forces import pair_contact
from repose.sim.engine.contacts.wall_forces import wall_contact
from repose.sim.engine.jit import compilable, compiled, fingerprint
from repose.sim.engine.model import BoundLaw, LawCall, Model, Shapes
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World


class ContactTable(NamedTuple):
    """Every two spheres that touch, or act on each other at a distance, and likewise spheres and walls; one column per
    contact."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """The other sphere, -1 for a wall, shape (contacts,)."""
    branch: Floats
    """x_i - x_j, at a wall from the point touched to x_i [m], shape (dimension, contacts)."""
    force: Floats
    """On i, from j or the wall, shear force included [N], shape (dimension, contacts)."""


def contact_table(model: Model) -> Callable[[World, tuple], ContactTable]:
    """table(world, params) -> ContactTable."""
    fill = compiled_table(model.law, model.shapes)

    def table(world: World, params: tuple) -> ContactTable:
        blank = blank_table(world)
        count = fill(state_of(world), params, blank) if blank.i.size else 0
        i, j, branch, force = blank
        return ContactTable(i[:count], j[:count], branch[:, :count], force[:, :count])

    return table


def blank_table(world: World) -> ContactTable:
    """A table with room for every contact of the world."""
    room = int(world.counters[PAIR_COUNT] + world.counters[WALL_CONTACT_COUNT])
    dimension = world.search.reference.shape[0]
    rows = np.empty(room, np.int64), np.empty(room, np.int64)
    return ContactTable(*rows, np.empty((dimension, room)), np.empty((dimension, room)))


@lru_cache(maxsize=64)
def compiled_table(law: BoundLaw, shapes: Shapes) -> Any:
    """fill(ContactState, params, blank table) -> number of contacts; the integrator does not matter to it."""
    force_of, material, energy, lasts, reach_of = law.force, law.material, law.energy, law.lasts, law.reach
    source = fingerprint()

    def fill(world, params, table):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        call = LawCall(force_of, material, energy, lasts, params, reach_of(params))
        return fill_table(world, call, shapes, table)

    return compiled(fill)


@compilable
def fill_table(world, law, shapes, table):
    """Write the contacts in the order of the lists; returns how many."""
    found = 0
    pair_count = world.counters[PAIR_COUNT]
    # One loop for pairs and walls, so that the law is compiled only once. No time passes: friction springs are read and
    # not stretched.
    for k in range(pair_count + world.counters[WALL_CONTACT_COUNT]):
        if k < pair_count:
            i = np.int64(world.pairs.i[k])
            j = np.int64(world.pairs.j[k])
            radius_sum = world.pairs.radius_sum[k]
            contact = pair_contact(world, k, law, shapes)
        else:
            t = k - pair_count
            if world.wall_contacts.normal_force[t] == 0.0:
                continue
            i = np.int64(world.wall_contacts.sphere[t])
            j = np.int64(-1)
            radius_sum = world.radius[i]
            contact = wall_contact(world, t, law, shapes)
        if contact.overlap <= -law.reach:
            continue
        answer = law.force(law.params, contact)
        if contact.overlap <= 0.0 and answer.normal_force == 0.0:
            continue  # within reach, and nothing acts
        branch = vector.scale(radius_sum - contact.overlap, contact.normal)
        force = vector.add(vector.scale(answer.normal_force, contact.normal), answer.shear_force)
        table.i[found] = i
        table.j[found] = j
        for c in range(table.branch.shape[0]):
            table.branch[c, found] = branch[c]
            table.force[c, found] = force[c]
        found += 1
    return found
