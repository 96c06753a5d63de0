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

LANES = 8
"""Numbers in the widest register there is."""
FAR = 1e9
"""No two spheres so far apart touch [m]."""


class Columns(NamedTuple):
    """Which column of the buffer a quantity begins at; vectors take one column per component.

    Without rotation sum of the radii and effective radius are given, with rotation both radii.
    """

    branch: int
    velocity: int
    """Relative velocity of the centres, then the force on i."""
    memory: int
    place: int
    """Position along the wall; unused among spheres."""
    radius_sum: int
    effective_radius: int
    radius_i: int
    radius_j: int
    effective_mass: int
    """Then the normal force."""
    effective_inertia: int
    held: int
    touching: int
    """Then overlap / (R_i + R_j), at walls overlap / R."""
    damping: int
    """Sums over all blocks, lane by lane."""
    friction: int
    kind: int
    """Which materials the next columns hold."""
    material: int
    spin_i: int
    """Then the torque on i."""
    spin_j: int
    """Then the torque on j."""


@register_jitable
def columns(dimension, turning, properties):
    """The layout for that many components of position, spin and material."""
    scalars = 4 * dimension
    spins = scalars + 11 + properties
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
        scalars + 9,
        scalars + 10,
        scalars + 11,
        spins,
        spins + turning,
    )


@register_jitable
def copy_column(target, source):
    """Copy all of `source` to the beginning of `target`; slices, not offsets, so that it compiles to wide moves."""
    for k in range(source.size):
        target[k] = source[k]


@register_jitable
def to_line(buffer):
    """How many entries there are before a cache line begins: reading across two lines costs half as much again."""
    return (-buffer.ctypes.data % 64) // 8


@register_jitable
def forget_materials(buffer, at):
    """Have the materials looked up anew: their numbers may have been changed."""
    for k in range(BLOCK):
        buffer[tables.spot(at.kind, BLOCK, k)] = -1.0


@register_jitable(forceinline=True)
def look_up(buffer, at, k, properties, params, kind):
    """Write down what materials of this kind make of contact k, unless it stands there from a contact before."""
    if buffer[tables.spot(at.kind, BLOCK, k)] != kind:
        buffer[tables.spot(at.kind, BLOCK, k)] = kind
        tables.save(buffer, at.material, BLOCK, k, properties(params, kind))


@register_jitable(forceinline=True)
def fill_up(buffer, at, size, dimension):
    """Set spheres far apart into the columns left until whole registers are full; returns how many columns that makes.

    What a compiled loop leaves over at its end is done one by one, at several times the cost.
    """
    full = (size + LANES - 1) // LANES * LANES
    for k in range(size, full):
        for c in range(dimension):
            buffer[tables.spot(at.branch + c, BLOCK, k)] = FAR
        buffer[tables.spot(at.effective_mass, BLOCK, k)] = 1.0  # the normal force of a contact before, until here
    return full


@register_jitable
def begin_sums(buffer, at):
    """Empty the sums that go to the ledger."""
    for k in range(BLOCK):
        buffer[tables.spot(at.damping, BLOCK, k)] = 0.0
        buffer[tables.spot(at.friction, BLOCK, k)] = 0.0


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


@register_jitable(forceinline=True)
def evaluate(buffer, size, law, rules, params, position_like, spin_like, place_like, material_like, duration, gentle):
    """Run the law over the first `size` contacts of the buffer; see `Columns` for what is written where.

    `place_like` is a vector at walls and empty among spheres, where the place is the branch.
    """
    at = columns(len(position_like), len(spin_like), len(material_like))
    turning = len(spin_like) > 0
    at_wall = len(place_like) > 0
    for k in range(size):
        branch = tables.load(buffer, at.branch, BLOCK, k, position_like)
        radius_i = buffer[tables.spot(at.radius_i, BLOCK, k)]
        radius_j = buffer[tables.spot(at.radius_j, BLOCK, k)]
        radius_sum = radius_i + radius_j if turning else buffer[tables.spot(at.radius_sum, BLOCK, k)]
        per_sum = 1.0 / radius_sum
        given = buffer[tables.spot(at.effective_radius, BLOCK, k)]
        effective_radius = given if at_wall or not turning else radius_i * radius_j * per_sum
        spin_i = tables.load(buffer, at.spin_i, BLOCK, k, spin_like)
        spin_j = tables.load(buffer, at.spin_j, BLOCK, k, spin_like)
        contact, start = contact_between(
            branch,
            vec.either(tables.load(buffer, at.place, BLOCK, k, place_like), branch),
            tables.load(buffer, at.velocity, BLOCK, k, position_like),
            vec.add(vec.scale(radius_i, spin_i), vec.scale(radius_j, spin_j)),
            vec.scale(0.5, vec.add(spin_i, spin_j)),
            vec.sub(spin_i, spin_j),
            tables.load(buffer, at.memory, BLOCK, k, position_like),
            buffer[tables.spot(at.touching, BLOCK, k)],
            radius_sum,
            effective_radius,
            buffer[tables.spot(at.effective_mass, BLOCK, k)],
            buffer[tables.spot(at.effective_inertia, BLOCK, k)],
            buffer[tables.spot(at.held, BLOCK, k)],
            tables.load(buffer, at.material, BLOCK, k, material_like),
            duration,
            gentle,
        )
        answer = law(params, rules, contact)
        force = vec.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)
        torque = vec.moment(vec.scale(per_sum, branch), force, spin_like)
        tables.save(buffer, at.velocity, BLOCK, k, force)
        tables.save(buffer, at.memory, BLOCK, k, dragged(start, answer.slip, spin_like))
        tables.save(buffer, at.spin_i, BLOCK, k, vec.sub(answer.moment, vec.scale(radius_i, torque)))
        tables.save(buffer, at.spin_j, BLOCK, k, vec.scale(-1.0, vec.add(answer.moment, vec.scale(radius_j, torque))))
        buffer[tables.spot(at.touching, BLOCK, k)] = contact.overlap * per_sum
        buffer[tables.spot(at.effective_mass, BLOCK, k)] = answer.normal_force
        buffer[tables.spot(at.damping, BLOCK, k)] += answer.damping_power
        buffer[tables.spot(at.friction, BLOCK, k)] += answer.friction_power
