"""One contact: its kinematics and signs, and what a law may know of it and answers.

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
from repose.sim.engine import vector

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
    material: tuple
    """What these two materials make of a contact, a row of `repose.sim.laws.materials.pair_table`; of length 0 for laws without."""
    relative_spin: tuple
    """w_i - w_j [rad/s], of length 0 without rotation."""
    stopping: float
    """Torque over relative spin that the scheme bears from each of twelve contacts at once [N m s]."""


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


@register_jitable(forceinline=True)
def remembered(memory, was_touching, place, normal, slip, mean_spin):
    """Shear at this evaluation and the memory it stands on, before the law drags it.

    `slip` [m] is what the material points move against each other during this evaluation.
    """
    if len(mean_spin) == 0:
        start = vector.pick(was_touching > 0.0, memory, place)
        displacement = vector.sub(place, start)
        return vector.sub(displacement, vector.scale(vector.dot(displacement, normal), normal)), start
    start = vector.pick(was_touching > 0.0, memory, vector.scale(0.0, memory))
    tilt = vector.dot(start, normal)
    laid = vector.sub(start, vector.scale(tilt, normal))
    laid = vector.scale(old_length(vector.dot(laid, laid), tilt * tilt), laid)
    shear = vector.add(vector.add(laid, vector.turn(mean_spin, laid)), slip)
    return shear, shear


@register_jitable(forceinline=True)
def old_length(square, lost):
    """sqrt(1 + lost/square): by how much a vector laid into a plane is stretched to be as long as before.

    As (1 + 3q/4)/(1 + q/4), q = lost/square, which costs no root and errs by q³/32: a turn by 0.01 in one step by
    3e-14, and always towards shorter.
    """
    return (square + 0.75 * lost) / max(square + 0.25 * lost, TINY)


@register_jitable(forceinline=True)
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
    effective_inertia,
    held,
    material,
    duration,
    gentle,
):
    """The kinematics of one pair, and the memory it starts this step with.

    `place` is the branch for two spheres and the position along the wall for a sphere at a wall; `velocity` is
    v_i - v_j [m/s] of the centres; `roll` is R_i w_i + R_j w_j [m/s], which moves the material points at the
    contact by -roll x branch/(R_i+R_j); `mean_spin` is (w_i + w_j)/2; `effective_inertia` is 1/(1/I_i + 1/I_j) [kg m²];
    `gentle` is the share of a spin the scheme bears to lose in one step (repose.sim.engine.timestep.stability.gentle_share).

    Roots and divisions are what a contact costs, so there is none that another one knows.
    """
    distance = math.sqrt(vector.dot(branch, branch))
    per_distance = 1.0 / distance
    normal = vector.scale(per_distance, branch)
    relative_velocity = vector.sub(velocity, vector.turn(roll, vector.scale(1.0 / radius_sum, branch)))
    normal_velocity = vector.dot(velocity, normal)
    tangential_velocity = vector.sub(relative_velocity, vector.scale(normal_velocity, normal))
    slip = vector.scale(duration * radius_sum * per_distance, tangential_velocity)
    twist = vector.about(duration * vector.twist_rate(mean_spin, normal), normal, mean_spin)
    shear, start = remembered(memory, was_touching, place, normal, slip, twist)
    stopping = gentle / (NEIGHBOURS_AT_MOST * max(duration, TINY)) * effective_inertia
    contact = Contact(
        radius_sum - distance,
        normal,
        normal_velocity,
        tangential_velocity,
        shear,
        effective_mass,
        effective_radius,
        held,
        material,
        relative_spin,
        stopping,
    )
    return contact, start


def lone_contact(
    overlap: float, mass: float, radius: float, dimension: int, spin_length: int, material: tuple
) -> Contact:
    """A sphere resting on a wall, overlapping by `overlap` [m], nothing moving."""
    still = (0.0,) * dimension
    up = (*still[1:], 1.0)
    return Contact(overlap, up, 0.0, still, still, mass, radius, 1.0, material, (0.0,) * spin_length, 0.0)


@register_jitable(forceinline=True)
def shared_inertia(yielding):
    """1/(1/I_i + 1/I_j) [kg m²] from the sum of both mobilities to spin; huge for what does not turn."""
    return 1.0 / max(yielding, TINY)


@register_jitable(forceinline=True)
def dragged(start, slip, spin_like):
    """The memory after the law: an anchor follows the slip, a displacement loses it."""
    if len(spin_like) == 0:
        return vector.add(start, slip)
    return vector.sub(start, slip)
