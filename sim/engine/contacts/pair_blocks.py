"""A block of contacts, evaluated together: one flat buffer, one column per quantity.

Contacts are gathered into columns, the law runs over whole columns, and the answers are scattered. The middle pass has
no branch and touches one array only, at constant distances, which is what lets the compiler use wide
registers: with an array per quantity it would have to prove that none overlap, and gives up. Answers are written over
what they were made from, so that a block stays in the first-level cache.
"""

from __future__ import annotations

from typing import NamedTuple

from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import contact_between, dragged
from repose.sim.engine.workspace import BLOCK

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
    damping: int
    """Sums over all blocks, lane by lane."""
    friction: int
    depth: int
    """Overlap / (R_i + R_j), at walls overlap / R."""
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
    spins = scalars + 12 + properties
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
        scalars + 12,
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
        buffer[arrays.spot(at.kind, BLOCK, k)] = -1.0


@register_jitable(forceinline=True)
def look_up(buffer, at, k, properties, params, kind):
    """Write down what materials of this kind make of contact k, unless it stands there from a contact before."""
    if buffer[arrays.spot(at.kind, BLOCK, k)] != kind:
        buffer[arrays.spot(at.kind, BLOCK, k)] = kind
        arrays.save(buffer, at.material, BLOCK, k, properties(params, kind))


@register_jitable(forceinline=True)
def fill_up(buffer, at, size, dimension):
    """Set spheres far apart into the columns left until whole registers are full; returns how many columns that makes.

    What a compiled loop leaves over at its end is done one by one, at several times the cost.
    """
    full = (size + LANES - 1) // LANES * LANES
    for k in range(size, full):
        for c in range(dimension):
            buffer[arrays.spot(at.branch + c, BLOCK, k)] = FAR
        buffer[arrays.spot(at.effective_mass, BLOCK, k)] = 1.0  # the normal force of a contact before, until here
    return full


@register_jitable
def begin_sums(buffer, at):
    """Empty the sums that go to the ledger."""
    for k in range(BLOCK):
        buffer[arrays.spot(at.damping, BLOCK, k)] = 0.0
        buffer[arrays.spot(at.friction, BLOCK, k)] = 0.0


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
        branch = arrays.load(buffer, at.branch, BLOCK, k, position_like)
        radius_i = buffer[arrays.spot(at.radius_i, BLOCK, k)]
        radius_j = buffer[arrays.spot(at.radius_j, BLOCK, k)]
        radius_sum = radius_i + radius_j if turning else buffer[arrays.spot(at.radius_sum, BLOCK, k)]
        per_sum = 1.0 / radius_sum
        given = buffer[arrays.spot(at.effective_radius, BLOCK, k)]
        effective_radius = given if at_wall or not turning else radius_i * radius_j * per_sum
        spin_i = arrays.load(buffer, at.spin_i, BLOCK, k, spin_like)
        spin_j = arrays.load(buffer, at.spin_j, BLOCK, k, spin_like)
        contact, start = contact_between(
            branch,
            vector.either(arrays.load(buffer, at.place, BLOCK, k, place_like), branch),
            arrays.load(buffer, at.velocity, BLOCK, k, position_like),
            vector.add(vector.scale(radius_i, spin_i), vector.scale(radius_j, spin_j)),
            vector.scale(0.5, vector.add(spin_i, spin_j)),
            vector.sub(spin_i, spin_j),
            arrays.load(buffer, at.memory, BLOCK, k, position_like),
            buffer[arrays.spot(at.touching, BLOCK, k)],
            radius_sum,
            effective_radius,
            buffer[arrays.spot(at.effective_mass, BLOCK, k)],
            buffer[arrays.spot(at.effective_inertia, BLOCK, k)],
            buffer[arrays.spot(at.held, BLOCK, k)],
            arrays.load(buffer, at.material, BLOCK, k, material_like),
            duration,
            gentle,
        )
        answer = law(params, rules, contact)
        force = vector.add(vector.scale(answer.normal_force, contact.normal), answer.shear_force)
        torque = vector.moment(vector.scale(per_sum, branch), force, spin_like)
        arrays.save(buffer, at.velocity, BLOCK, k, force)
        arrays.save(buffer, at.memory, BLOCK, k, dragged(start, answer.slip, spin_like))
        arrays.save(buffer, at.spin_i, BLOCK, k, vector.sub(answer.moment, vector.scale(radius_i, torque)))
        arrays.save(
            buffer, at.spin_j, BLOCK, k, vector.scale(-1.0, vector.add(answer.moment, vector.scale(radius_j, torque)))
        )
        buffer[arrays.spot(at.touching, BLOCK, k)] = 1.0 if contact.overlap > 0.0 else 0.0
        buffer[arrays.spot(at.depth, BLOCK, k)] = contact.overlap * per_sum
        buffer[arrays.spot(at.effective_mass, BLOCK, k)] = answer.normal_force
        buffer[arrays.spot(at.damping, BLOCK, k)] += answer.damping_power
        buffer[arrays.spot(at.friction, BLOCK, k)] += answer.friction_power
