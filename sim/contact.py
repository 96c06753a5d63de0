"""One contact: its kinematics and signs, and the loop that evaluates the law over all pairs.

Sign conventions, for a pair (i, j): branch = x_i - x_j; normal = branch / |branch|, from j to i; overlap
positive when touching; relative velocity of the material points at the contact, i minus j; normal
velocity negative when approaching; a positive normal force pushes i along the normal and j back.

Lever arms: the contact point divides the branch in the ratio of the radii, arm_i = -(R_i/(R_i+R_j)) branch. Both
arms add up to the branch, so that angular momentum is conserved, and a pair that turns as a whole does not slip.

Contact memory without rotation is the branch at first touch (thesis): the shear is what the branch has moved
since, in the tangent plane. With rotation it is the tangential displacement itself, turned along with the pair: laid
into the new tangent plane at its old length, then twisted by the mean spin about the normal, then added to.
What is added is the slip times (R_i+R_j)/|branch|: the slip as it would be at the undeformed radius. Otherwise a
closed cycle of pressing and rolling would leave a displacement behind (granular ratcheting: McNamara,
Garcia-Rojo & Herrmann, Phys. Rev. E 77 (2008) 031304).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba.extending import register_jitable

from sim import vec
from sim.state import BLOCK, LEDGER_DAMPING, LEDGER_FRICTION, PAIR_COUNT

TINY = 1e-300
"""Keeps 0/0 out of directions of zero length, without a branch."""

NEIGHBOURS_AT_MOST = 12.0
"""A sphere has at most so many equal neighbours in space: each contact may take that share of its spin in a step."""


class Contact(NamedTuple):
    """All that a law may know of one contact."""

    overlap: float
    """Positive when touching [m]."""
    normal: tuple
    """Unit vector from j to i."""
    normal_velocity: float
    """[m/s], negative when approaching."""
    tangential_velocity: tuple
    """Slip velocity of the material points [m/s]."""
    shear: tuple
    """Tangential displacement of i against j since first touch, less the slip so far [m]."""
    effective_mass: float
    """[kg]."""
    effective_radius: float
    """1/(1/R_i + 1/R_j), R_i at a wall [m]; set for laws that ask for material."""
    held: float
    """1.0 if one of the two cannot move, else 0.0."""
    kind: int
    """Row of the table of pairs of materials; set for laws that ask for material."""
    relative_spin: tuple
    """w_i - w_j [rad/s], of length 0 without rotation."""
    stopping: float
    """Torque over relative spin that takes a twelfth of it within this evaluation [N m s]."""


class Response(NamedTuple):
    """What a law answers. All of it must vanish, by select and not by branch, when overlap <= 0."""

    normal_force: float
    """Positive pushes apart [N]."""
    shear_force: tuple
    """On i, in the tangent plane [N]."""
    slip: tuple
    """How far the anchor of the friction spring is dragged [m]."""
    moment: tuple
    """Torque on i besides that of the forces, the opposite on j [N m]: rolling and twisting resistance."""
    damping_power: float
    """Power turned into heat by viscous terms and by `moment` [W]."""
    friction_power: float
    """Power fed into the friction spring, stored or lost by sliding [W]."""


@register_jitable
def remembered(memory, was_touching, place, normal, slip, mean_spin):
    """Shear at this evaluation and the memory it stands on, before the law drags it.

    `slip` [m] is what the material points move against each other during this evaluation.
    """
    if len(mean_spin) == 0:
        start = vec.pick(was_touching > 0.0, memory, place)
        displacement = vec.sub(place, start)
        return vec.sub(displacement, vec.scale(vec.dot(displacement, normal), normal)), start
    start = vec.pick(was_touching > 0.0, memory, vec.scale(0.0, memory))
    laid = vec.sub(start, vec.scale(vec.dot(start, normal), normal))
    stretch = math.sqrt(vec.dot(start, start)) / max(math.sqrt(vec.dot(laid, laid)), TINY)
    laid = vec.scale(stretch, laid)
    shear = vec.add(vec.add(laid, vec.turn(mean_spin, laid)), slip)
    shear = vec.sub(shear, vec.scale(vec.dot(shear, normal), normal))
    return shear, shear


@register_jitable
def contact_between(
    branch,
    place,
    velocity,
    roll,
    mean_spin,
    relative_spin,
    memory,
    was_touching,
    radius_sum,
    effective_radius,
    effective_mass,
    spin_mobility,
    held,
    kind,
    duration,
):
    """The kinematics of one pair, and the memory it starts this step with.

    `place` is the branch for two spheres and the position along the wall for a sphere at a wall; `velocity` is
    v_i - v_j [m/s] of the centres; `roll` is R_i w_i + R_j w_j [m/s], which moves the material points at the
    contact by -(|branch|/(R_i+R_j)) roll x normal; `mean_spin` is (w_i + w_j)/2.
    """
    distance = math.sqrt(vec.dot(branch, branch))
    normal = vec.scale(1.0 / distance, branch)
    surface = vec.turn(roll, vec.scale(-distance / radius_sum, normal))
    relative_velocity = vec.add(velocity, surface)
    normal_velocity = vec.dot(velocity, normal)
    tangential_velocity = vec.sub(relative_velocity, vec.scale(normal_velocity, normal))
    slip = vec.scale(duration * radius_sum / distance, tangential_velocity)
    twist = vec.scale(duration, vec.about(mean_spin, normal))
    shear, start = remembered(memory, was_touching, place, normal, slip, twist)
    stopping = 1.0 / (NEIGHBOURS_AT_MOST * max(duration * spin_mobility, TINY))
    contact = Contact(
        radius_sum - distance,
        normal,
        normal_velocity,
        tangential_velocity,
        shear,
        effective_mass,
        effective_radius,
        held,
        kind,
        relative_spin,
        stopping,
    )
    return contact, start


def lone_contact(overlap: float, mass: float, radius: float, dimension: int, spin_length: int, kind: int) -> Contact:
    """A sphere resting on a wall, overlapping by `overlap` [m], nothing moving."""
    still = (0.0,) * dimension
    up = (*still[1:], 1.0)
    return Contact(overlap, up, 0.0, still, still, mass, radius, 1.0, kind, (0.0,) * spin_length, 0.0)


@register_jitable
def yielding_to_spin(world, i, dimension, spin_like):
    """1/inertia of sphere i [1/(kg m²)], 0 without rotation."""
    return world.mobility[dimension, i] if len(spin_like) > 0 else 0.0


@register_jitable
def pair_contact(world, p, position_like, spin_like, duration):
    """The kinematics of entry p of the pair list, one by one, and the memory it starts with."""
    pairs = world.pairs
    dimension = len(position_like)
    i = pairs.i[p]
    j = pairs.j[p]
    positions = vec.rows(world.motion[:, 0], position_like)
    velocities = vec.rows(world.motion[:, 1], position_like)
    spins = vec.rows(world.motion[dimension:, 1], spin_like)
    branch = vec.sub(vec.at(positions, i), vec.at(positions, j))
    spin_i = vec.at(spins, i)
    spin_j = vec.at(spins, j)
    return contact_between(
        branch,
        branch,
        vec.sub(vec.at(velocities, i), vec.at(velocities, j)),
        vec.add(vec.scale(world.radius[i], spin_i), vec.scale(world.radius[j], spin_j)),
        vec.scale(0.5, vec.add(spin_i, spin_j)),
        vec.sub(spin_i, spin_j),
        vec.at(vec.rows(pairs.anchor, position_like), p),
        pairs.touching[p],
        pairs.radius_sum[p],
        pairs.effective_radius[p],
        pairs.effective_mass[p],
        yielding_to_spin(world, i, dimension, spin_like) + yielding_to_spin(world, j, dimension, spin_like),
        pairs.held[p],
        int(pairs.kind[p]),
        duration,
    )


@register_jitable
def copy_column(target, source):
    """Copy all of `source` to the beginning of `target`; slices, not offsets, so that it compiles to wide moves."""
    for k in range(source.size):
        target[k] = source[k]


@register_jitable
def dragged(start, slip, spin_like):
    """The memory after the law: an anchor follows the slip, a displacement loses it."""
    if len(spin_like) == 0:
        return vec.add(start, slip)
    return vec.sub(start, slip)


@register_jitable
def contact_forces(world, law, rules, params, position_like, spin_like, needs_material, duration):
    """Add the contact forces of all pairs to `world.force` and advance contact memory and ledger.

    `duration` [s] is the time this evaluation stands for. Three passes per block of pairs: gather into
    columns of one flat buffer, the law on whole columns, scatter in list order. The middle pass has no
    branch and touches one array only, at constant distances, which is what lets the compiler
    use wide registers: with an array per quantity it would have to prove that none overlap, and gives up.
    """
    pairs = world.pairs
    buffer = world.buffer
    dimension = len(position_like)
    turning = len(spin_like)
    branch_row = 0
    velocity_row = dimension
    anchor_row = 2 * dimension
    force_row = 3 * dimension
    sum_row = 4 * dimension
    mass_row = sum_row + 1
    held_row = sum_row + 2
    touch_row = sum_row + 3
    normal_row = sum_row + 4
    damping_row = sum_row + 5
    friction_row = sum_row + 6
    radius_row = sum_row + 7
    kind_row = sum_row + 8
    yielding_row = sum_row + 9
    roll_row = sum_row + 10
    mean_row = roll_row + turning
    relative_row = mean_row + turning
    torque_row = relative_row + turning
    moment_row = torque_row + turning
    positions = vec.rows(world.motion[:, 0], position_like)
    velocities = vec.rows(world.motion[:, 1], position_like)
    spins = vec.rows(world.motion[dimension:, 1], spin_like)
    forces = vec.rows(world.force, position_like)
    torques = vec.rows(world.force[dimension:], spin_like)
    pair_count = world.counters[PAIR_COUNT]
    for k in range(BLOCK):
        buffer[damping_row * BLOCK + k] = 0.0
        buffer[friction_row * BLOCK + k] = 0.0

    for first in range(0, pair_count, BLOCK):
        size = min(BLOCK, pair_count - first)
        last = first + size
        rows_i = pairs.i[first:last]
        rows_j = pairs.j[first:last]
        for k in range(size):
            i = rows_i[k]
            j = rows_j[k]
            vec.save(buffer, branch_row, BLOCK, k, vec.sub(vec.at(positions, i), vec.at(positions, j)))
            vec.save(buffer, velocity_row, BLOCK, k, vec.sub(vec.at(velocities, i), vec.at(velocities, j)))
        if turning > 0:
            for k in range(size):
                i = rows_i[k]
                j = rows_j[k]
                spin_i = vec.at(spins, i)
                spin_j = vec.at(spins, j)
                roll = vec.add(vec.scale(world.radius[i], spin_i), vec.scale(world.radius[j], spin_j))
                vec.save(buffer, roll_row, BLOCK, k, roll)
                vec.save(buffer, mean_row, BLOCK, k, vec.scale(0.5, vec.add(spin_i, spin_j)))
                vec.save(buffer, relative_row, BLOCK, k, vec.sub(spin_i, spin_j))
                buffer[yielding_row * BLOCK + k] = world.mobility[dimension, i] + world.mobility[dimension, j]
        for c in range(dimension):
            copy_column(buffer[(anchor_row + c) * BLOCK :], pairs.anchor[c, first:last])
        copy_column(buffer[sum_row * BLOCK :], pairs.radius_sum[first:last])
        copy_column(buffer[mass_row * BLOCK :], pairs.effective_mass[first:last])
        copy_column(buffer[held_row * BLOCK :], pairs.held[first:last])
        copy_column(buffer[touch_row * BLOCK :], pairs.touching[first:last])
        if needs_material:
            copy_column(buffer[radius_row * BLOCK :], pairs.effective_radius[first:last])
            copy_column(buffer[kind_row * BLOCK :], pairs.kind[first:last])

        for k in range(size):
            branch = vec.load(buffer, branch_row, BLOCK, k, position_like)
            contact, start = contact_between(
                branch,
                branch,
                vec.load(buffer, velocity_row, BLOCK, k, position_like),
                vec.load(buffer, roll_row, BLOCK, k, spin_like),
                vec.load(buffer, mean_row, BLOCK, k, spin_like),
                vec.load(buffer, relative_row, BLOCK, k, spin_like),
                vec.load(buffer, anchor_row, BLOCK, k, position_like),
                buffer[touch_row * BLOCK + k],
                buffer[sum_row * BLOCK + k],
                buffer[radius_row * BLOCK + k],
                buffer[mass_row * BLOCK + k],
                buffer[yielding_row * BLOCK + k],
                buffer[held_row * BLOCK + k],
                int(buffer[kind_row * BLOCK + k]),
                duration,
            )
            answer = law(params, rules, contact)
            force = vec.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)
            vec.save(buffer, force_row, BLOCK, k, force)
            vec.save(buffer, anchor_row, BLOCK, k, dragged(start, answer.slip, spin_like))
            arm = vec.scale(contact.overlap / buffer[sum_row * BLOCK + k] - 1.0, contact.normal)
            vec.save(buffer, torque_row, BLOCK, k, vec.moment(arm, force, spin_like))
            vec.save(buffer, moment_row, BLOCK, k, answer.moment)
            buffer[touch_row * BLOCK + k] = 1.0 if contact.overlap > 0.0 else 0.0
            buffer[normal_row * BLOCK + k] = answer.normal_force
            buffer[damping_row * BLOCK + k] += answer.damping_power
            buffer[friction_row * BLOCK + k] += answer.friction_power

        copy_column(pairs.touching[first:last], buffer[touch_row * BLOCK : touch_row * BLOCK + size])
        copy_column(pairs.normal_force[first:last], buffer[normal_row * BLOCK : normal_row * BLOCK + size])
        for c in range(dimension):
            row = (anchor_row + c) * BLOCK
            copy_column(pairs.anchor[c, first:last], buffer[row : row + size])
        for k in range(size):
            i = rows_i[k]
            j = rows_j[k]
            push = vec.load(buffer, force_row, BLOCK, k, position_like)
            vec.deposit(forces, i, push)
            vec.deposit(forces, j, vec.scale(-1.0, push))
        if turning > 0:
            for k in range(size):
                i = rows_i[k]
                j = rows_j[k]
                torque = vec.load(buffer, torque_row, BLOCK, k, spin_like)
                moment = vec.load(buffer, moment_row, BLOCK, k, spin_like)
                vec.deposit(torques, i, vec.add(vec.scale(world.radius[i], torque), moment))
                vec.deposit(torques, j, vec.sub(vec.scale(world.radius[j], torque), moment))

    for k in range(BLOCK):
        world.ledger[LEDGER_DAMPING, k] += duration * buffer[damping_row * BLOCK + k]
        world.ledger[LEDGER_FRICTION, k] += duration * buffer[friction_row * BLOCK + k]
