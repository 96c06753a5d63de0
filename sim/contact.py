"""One contact: its kinematics and signs, and the loop that evaluates the law over all pairs.

Sign conventions, for a pair (i, j): branch = x_i - x_j; normal = branch / |branch|, from j to i; overlap
positive when touching; relative velocity of the material points at the contact, i minus j; normal
velocity negative when approaching; a positive normal force pushes i along the normal and j back.

Lever arms: the contact point divides the branch in the ratio of the radii, arm_i = -(R_i/(R_i+R_j)) branch.
Both arms add up to the branch, so that angular momentum is conserved exactly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba.extending import register_jitable

from sim import vec
from sim.state import BLOCK, LEDGER_DAMPING, LEDGER_FRICTION, PAIR_COUNT


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
    held: float
    """1.0 if one of the two cannot move, else 0.0."""


class Response(NamedTuple):
    """What a law answers. All of it must vanish, by select and not by branch, when overlap <= 0."""

    normal_force: float
    """Positive pushes apart [N]."""
    shear_force: tuple
    """On i, in the tangent plane [N]."""
    slip: tuple
    """How far the anchor of the friction spring is dragged [m]."""
    damping_power: float
    """Power turned into heat by viscous terms [W]."""
    friction_power: float
    """Power fed into the friction spring, stored or lost by sliding [W]."""


@register_jitable
def contact_between(branch, velocity, roll, anchor, was_touching, radius_sum, effective_mass, held):
    """The kinematics of one pair, and the anchor it starts this step with.

    `velocity` is v_i - v_j [m/s] of the centres; `roll` is R_i w_i + R_j w_j [m/s], which moves the material
    points at the contact by -(|branch|/(R_i+R_j)) roll x normal.
    """
    distance = math.sqrt(vec.dot(branch, branch))
    normal = vec.scale(1.0 / distance, branch)
    overlap = radius_sum - distance
    surface = vec.turn(roll, vec.scale(-distance / radius_sum, normal))
    relative_velocity = vec.add(velocity, surface)
    normal_velocity = vec.dot(velocity, normal)
    tangential_velocity = vec.sub(relative_velocity, vec.scale(normal_velocity, normal))
    start = vec.pick(was_touching > 0.0, anchor, branch)
    displacement = vec.sub(branch, start)
    shear = vec.sub(displacement, vec.scale(vec.dot(displacement, normal), normal))
    contact = Contact(overlap, normal, normal_velocity, tangential_velocity, shear, effective_mass, held)
    return contact, start, surface


@register_jitable
def copy_column(target, source):
    """Copy all of `source` to the beginning of `target`; slices, not offsets, so that it compiles to wide moves."""
    for k in range(source.size):
        target[k] = source[k]


@register_jitable
def contact_forces(world, law, rules, params, position_like, spin_like, duration):
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
    roll_row = sum_row + 7
    torque_row = roll_row + turning
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
            roll_i = vec.scale(world.radius[i], vec.at(spins, i))
            roll_j = vec.scale(world.radius[j], vec.at(spins, j))
            vec.save(buffer, roll_row, BLOCK, k, vec.add(roll_i, roll_j))
        for c in range(dimension):
            copy_column(buffer[(anchor_row + c) * BLOCK :], pairs.anchor[c, first:last])
        copy_column(buffer[sum_row * BLOCK :], pairs.radius_sum[first:last])
        copy_column(buffer[mass_row * BLOCK :], pairs.effective_mass[first:last])
        copy_column(buffer[held_row * BLOCK :], pairs.held[first:last])
        copy_column(buffer[touch_row * BLOCK :], pairs.touching[first:last])

        for k in range(size):
            contact, anchor, surface = contact_between(
                vec.load(buffer, branch_row, BLOCK, k, position_like),
                vec.load(buffer, velocity_row, BLOCK, k, position_like),
                vec.load(buffer, roll_row, BLOCK, k, spin_like),
                vec.load(buffer, anchor_row, BLOCK, k, position_like),
                buffer[touch_row * BLOCK + k],
                buffer[sum_row * BLOCK + k],
                buffer[mass_row * BLOCK + k],
                buffer[held_row * BLOCK + k],
            )
            answer = law(params, rules, contact)
            force = vec.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)
            vec.save(buffer, force_row, BLOCK, k, force)
            dragged = vec.sub(vec.add(anchor, answer.slip), vec.scale(duration, surface))
            vec.save(buffer, anchor_row, BLOCK, k, dragged)
            arm = vec.scale(
                (contact.overlap - buffer[sum_row * BLOCK + k]) / buffer[sum_row * BLOCK + k], contact.normal
            )
            vec.save(buffer, torque_row, BLOCK, k, vec.moment(arm, force, spin_like))
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
            torque = vec.load(buffer, torque_row, BLOCK, k, spin_like)
            vec.deposit(torques, i, vec.scale(world.radius[i], torque))
            vec.deposit(torques, j, vec.scale(world.radius[j], torque))

    for k in range(BLOCK):
        world.ledger[LEDGER_DAMPING, k] += duration * buffer[damping_row * BLOCK + k]
        world.ledger[LEDGER_FRICTION, k] += duration * buffer[friction_row * BLOCK + k]
