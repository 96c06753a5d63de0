"""A block of contacts, evaluated together: one flat buffer, one column per quantity.

Contacts are gathered into columns, the law runs over whole columns, and the answers are scattered. The middle pass has
no branch and touches one array only, at constant distances, which is what lets the compiler use wide
registers: with an array per quantity it would have to prove that none overlap, and gives up. Answers are written over
what they were made from, so that a block stays in the first-level cache.
"""

from __future__ import annotations

from typing import NamedTuple

from numba.extending import register_jitable

from sim import tables, vec
from sim.contact import contact_between, dragged
from sim.workspace import BLOCK


class Columns(NamedTuple):
    """Which column of the buffer a quantity begins at; vectors take one column per component."""

    branch: int
    velocity: int
    """Relative velocity of the centres, then the force on i."""
    memory: int
    place: int
    """Position along the wall; unused among spheres."""
    radius_sum: int
    effective_mass: int
    """Then the normal force."""
    effective_radius: int
    held: int
    touching: int
    yielding: int
    """Sum of both mobilities to spin."""
    damping: int
    """Sums over all blocks, lane by lane."""
    friction: int
    material: int
    roll: int
    """Then the torque of the forces, over the radius."""
    mean_spin: int
    relative_spin: int
    """Then the law's own moment."""


@register_jitable
def columns(dimension, turning, properties):
    """The layout for that many components of position, spin and material."""
    scalars = 4 * dimension
    spins = scalars + 8 + properties
    return Columns(
        0,
        dimension,
        2 * dimension,
        3 * dimension,
        scalars,
        scalars + 1,
        scalars + 2,
        scalars + 3,
        scalars + 4,
        scalars + 5,
        scalars + 6,
        scalars + 7,
        scalars + 8,
        spins,
        spins + turning,
        spins + 2 * turning,
    )


@register_jitable
def copy_column(target, source):
    """Copy all of `source` to the beginning of `target`; slices, not offsets, so that it compiles to wide moves."""
    for k in range(source.size):
        target[k] = source[k]


@register_jitable
def begin_sums(buffer, at):
    """Empty the sums that go to the ledger."""
    for k in range(BLOCK):
        buffer[at.damping * BLOCK + k] = 0.0
        buffer[at.friction * BLOCK + k] = 0.0


@register_jitable
def sum_up(buffer, column):
    """The sum of one column of the sums, in an order that compiles to wide registers."""
    width = BLOCK // 2
    while width > 0:
        low = buffer[column * BLOCK : column * BLOCK + width]
        high = buffer[column * BLOCK + width : column * BLOCK + 2 * width]
        for k in range(width):
            low[k] += high[k]
        width //= 2
    return buffer[column * BLOCK]


@register_jitable
def evaluate(buffer, size, law, rules, params, position_like, spin_like, place_like, material_like, duration, gentle):
    """Run the law over the first `size` contacts of the buffer; see `Columns` for what is written where.

    `place_like` is a vector at walls and empty among spheres, where the place is the branch.
    """
    at = columns(len(position_like), len(spin_like), len(material_like))
    for k in range(size):
        branch = tables.load(buffer, at.branch, BLOCK, k, position_like)
        radius_sum = buffer[at.radius_sum * BLOCK + k]
        contact, start = contact_between(
            branch,
            vec.either(tables.load(buffer, at.place, BLOCK, k, place_like), branch),
            tables.load(buffer, at.velocity, BLOCK, k, position_like),
            tables.load(buffer, at.roll, BLOCK, k, spin_like),
            tables.load(buffer, at.mean_spin, BLOCK, k, spin_like),
            tables.load(buffer, at.relative_spin, BLOCK, k, spin_like),
            tables.load(buffer, at.memory, BLOCK, k, position_like),
            buffer[at.touching * BLOCK + k],
            radius_sum,
            buffer[at.effective_radius * BLOCK + k],
            buffer[at.effective_mass * BLOCK + k],
            buffer[at.yielding * BLOCK + k],
            buffer[at.held * BLOCK + k],
            tables.load(buffer, at.material, BLOCK, k, material_like),
            duration,
            gentle,
        )
        answer = law(params, rules, contact)
        force = vec.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)
        arm = vec.scale(contact.overlap / radius_sum - 1.0, contact.normal)
        tables.save(buffer, at.velocity, BLOCK, k, force)
        tables.save(buffer, at.memory, BLOCK, k, dragged(start, answer.slip, spin_like))
        tables.save(buffer, at.roll, BLOCK, k, vec.moment(arm, force, spin_like))
        tables.save(buffer, at.relative_spin, BLOCK, k, answer.moment)
        buffer[at.touching * BLOCK + k] = 1.0 if contact.overlap > 0.0 else 0.0
        buffer[at.effective_mass * BLOCK + k] = answer.normal_force
        buffer[at.damping * BLOCK + k] += answer.damping_power
        buffer[at.friction * BLOCK + k] += answer.friction_power
