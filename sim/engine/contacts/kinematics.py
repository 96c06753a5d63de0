"""One contact: kinematics, sign conventions, and the records that a contact law reads and returns.

Sign conventions, for a pair (i, j): branch = x_i - x_j; normal = branch / |branch|, from j to i; overlap
positive when touching; relative velocity of the material points at the contact, i minus j; normal
velocity negative when approaching; a positive normal force pushes i along the normal and j back.

Lever arms: the contact point divides the branch in the ratio of the radii, arm_i = -(R_i/(R_i+R_j)) branch. The arms
add up to the branch: angular momentum is conserved, and a pair that rotates as a whole does not slip.

Contact memory without rotation: the branch at first touch (thesis); the shear is the displacement of the branch since
first touch, in the tangent plane. Contact memory with rotation: the tangential displacement, which moves with the pair.
At each evaluation the displacement is projected onto the new tangent plane at constant length, rotated about the normal
by the mean spin, and increased by the slip times (R_i+R_j)/|branch|, the slip at the undeformed radius. Without the
last factor a closed cycle of pressing and rolling would leave a displacement (granular ratcheting: McNamara,
Garcia-Rojo & Herrmann, Phys. Rev. E 77 (2008) 031304).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.jit import compilable
from repose.sim.engine.roots import TINY

LARGEST_COORDINATION = 12.0
"""Largest number of contacts of a sphere with equal spheres in space [-]: the spin resistance of one contact may remove
1/12 of the fraction of spin whose removal per step is stable."""


class PairMotion(NamedTuple):
    """Motion of i relative to j at one time."""

    branch: tuple
    """x_i - x_j, at a wall from the nearest point of the wall to x_i [m]."""
    per_distance: float
    """1/|branch| [1/m]."""
    place: tuple
    """The branch; at a wall the position of the centre relative to the moved wall [m]."""
    velocity: tuple
    """v_i - v_j of the centres [m/s]."""
    roll: tuple
    """R_i w_i + R_j w_j [m/s]. It changes the velocity at the contact by -roll x branch/(R_i + R_j)."""
    mean_spin: tuple
    """(w_i + w_j)/2 [rad/s]."""
    relative_spin: tuple
    """w_i - w_j [rad/s]."""


class PairProperties(NamedTuple):
    """Properties of a pair, or of a sphere and a wall, that are constant during a contact."""

    radius_sum: float
    """R_i + R_j, at a wall R_i [m]."""
    effective_radius: float
    """1/(1/R_i + 1/R_j), at a wall R_i [m]."""
    effective_mass: float
    """1/(1/m_i + 1/m_j), at a wall m_i [kg]."""
    effective_inertia: float
    """1/(1/I_i + 1/I_j) [kg m²], read with rotation only."""
    fixed: float
    """1.0 if one of the two cannot move, else 0.0."""
    material: tuple
    """`Contact.material`."""


class ShearMemory(NamedTuple):
    """Memory of a contact from the previous evaluation."""

    shear_spring: tuple
    """`Pairs.shear_spring` [m]."""
    touching: float
    """1.0 if the memory lasted from the previous evaluation, else 0.0; the spring then starts unstretched."""


class Contact(NamedTuple):
    """The quantities of one contact that a law reads."""

    overlap: float
    """Positive when touching [m]."""
    normal: tuple
    """Unit vector from j to i."""
    normal_velocity: float
    """[m/s], negative when approaching."""
    tangential_velocity: tuple
    """Slip velocity of the material points [m/s], a tangential vector (`vector.tangential`)."""
    shear: tuple
    """Tangential displacement of i relative to j since first touch, minus the part relaxed by sliding [m], a tangential
    vector."""
    effective_mass: float
    """[kg]."""
    effective_radius: float
    """1/(1/R_i + 1/R_j), R_i at a wall [m]; without rotation undefined for laws that do not read it
    (`BoundLaw.reads_radius`)."""
    fixed: float
    """1.0 if one of the two cannot move, else 0.0."""
    material: tuple
    """Contact properties of the two materials, a row of `repose.sim.laws.materials.pair_table`; empty for laws without
    materials."""
    relative_spin: tuple
    """w_i - w_j [rad/s], of length 0 without rotation."""
    stable_spin_resistance: float
    """Largest ratio of torque to relative spin that is stable with 12 contacts [N m s]."""
    stopping_resistance: float
    """Ratio of shear force to slip velocity at which this contact alone ends the slip within one step [kg/s]."""
    remembered: float
    """1.0 if the memory of the contact lasted from an earlier evaluation, else 0.0; for laws that act at a distance."""


class Response(NamedTuple):
    """Result of the force function of a law; all fields are zero, by select without a branch, if overlap <= -reach."""

    normal_force: float
    """[N]; positive pushes the two apart."""
    shear_force: tuple
    """Shear force on i [N], a tangential vector."""
    spring_relaxation: tuple
    """Displacement by which a sliding friction spring is shortened [m], a tangential vector; empty if the law shortens
    no spring."""
    torque: tuple
    """Torque on i in addition to that of the forces: rolling and twisting resistance [N m]; j gets the opposite."""
    damping_power: float
    """Power dissipated by viscous terms and by `torque` [W]."""
    friction_power: float
    """Power fed into the friction spring, which the spring stores or loses by sliding [W]."""


@compilable(forceinline=True)
def sheared(memory, place, normal, slip, twist):
    """Shear at this evaluation, and without rotation the beginning of the spring, else an empty tuple.

    `slip` [m] is the relative displacement of the material points at the contact during this evaluation, `twist` [rad]
    the rotation of the pair about its normal.
    """
    if len(twist) == 0:
        start = vector.pick(memory.touching > 0.0, memory.shear_spring, place)
        displacement = vector.sub(place, start)
        return vector.tangential(displacement, vector.dot(displacement, normal), normal), start
    start = vector.pick(memory.touching > 0.0, memory.shear_spring, vector.scale(0.0, memory.shear_spring))
    tilt = vector.dot(start, normal)
    projected = vector.tangential(start, tilt, normal)
    projected = vector.scale(length_ratio(vector.dot(projected, projected), tilt * tilt), projected)
    return vector.add(twisted(twist, projected), slip), ()


@compilable(forceinline=True)
def twisted(twist, a):
    """A tangential vector after a small rotation about the normal, which the plane does not have."""
    if len(a) == 1:
        return a
    return vector.add(a, vector.turn(twist, a))


@compilable(forceinline=True)
def velocity_at_contact(velocity, roll, branch, radius_sum):
    """Relative velocity of the material points at the contact [m/s]; without rotation that of the centres."""
    if len(roll) == 0:
        return velocity
    return vector.sub(velocity, vector.turn(roll, vector.scale(1.0 / radius_sum, branch)))


@compilable(forceinline=True)
def length_ratio(square, lost):
    """sqrt(1 + lost/square): the factor that restores the length of a vector that was projected onto a plane.

    `square` and `lost` are the squares of the projected and of the removed component. The root is approximated by
    (1 + 3q/4)/(1 + q/4), q = lost/square. The error is q³/32, always towards shorter: 3e-14 for a rotation by 0.01 rad
    in one step.
    """
    return (square + 0.75 * lost) / max(square + 0.25 * lost, TINY)


@compilable(forceinline=True)
def contact_between(motion, pair, memory, stage):
    """`Contact` from the motion of a pair, and the second value of `sheared`.

    1. The branch gives distance, normal and overlap = R_i + R_j - distance.
    2. The relative velocity of the two material points at the contact is that of the centres minus roll x n', where
       n' = branch/(R_i + R_j). Its component along the normal is that of the centres, because roll x n' is
       perpendicular to n: the normal velocity. The rest is the tangential velocity.
    3. The tangential velocity times the time of this evaluation is the slip, which is added to the shear spring
       (module docstring).

    Square roots and divisions dominate the cost of a contact: each is computed once.
    """
    distance = vector.dot(motion.branch, motion.branch) * motion.per_distance
    normal = vector.scale(motion.per_distance, motion.branch)
    relative_velocity = velocity_at_contact(motion.velocity, motion.roll, motion.branch, pair.radius_sum)
    normal_velocity = vector.dot(motion.velocity, normal)
    tangential_velocity = vector.tangential(relative_velocity, normal_velocity, normal)
    slip = vector.scale(stage.dt * pair.radius_sum * motion.per_distance, tangential_velocity)
    twist = vector.about(stage.dt * vector.twist_rate(motion.mean_spin, normal), normal, motion.mean_spin)
    shear, start = sheared(memory, motion.place, normal, slip, twist)
    per_step = stage.damping_fraction / (LARGEST_COORDINATION * max(stage.dt, TINY))
    contact = Contact(
        pair.radius_sum - distance,
        normal,
        normal_velocity,
        tangential_velocity,
        shear,
        pair.effective_mass,
        pair.effective_radius,
        pair.fixed,
        pair.material,
        motion.relative_spin,
        per_step * pair.effective_inertia,
        LARGEST_COORDINATION * per_step * slip_mass(pair.effective_mass, motion.roll),
        memory.touching,
    )
    return contact, start


def lone_contact(
    overlap: float, mass: float, radius: float, dimension: int, spin_length: int, material: tuple
) -> Contact:
    """A sphere at rest on a wall with this overlap [m]."""
    still = (0.0,) * (1 if dimension == 2 else dimension)
    up = (*(0.0,) * (dimension - 1), 1.0)
    return Contact(
        overlap, up, 0.0, still, still, mass, radius, 1.0, material, (0.0,) * spin_length, 0.0, math.inf, 1.0
    )


@compilable(forceinline=True)
def force_of(contact, answer):
    """The force on i in coordinates [N], from the answer of a law."""
    shear_force = vector.in_coordinates(answer.shear_force, contact.normal)
    return vector.add(vector.scale(answer.normal_force, contact.normal), shear_force)


@compilable(forceinline=True)
def at_overlap(contact, overlap):
    """The contact with another overlap [m]."""
    return Contact(
        overlap,
        contact.normal,
        contact.normal_velocity,
        contact.tangential_velocity,
        contact.shear,
        contact.effective_mass,
        contact.effective_radius,
        contact.fixed,
        contact.material,
        contact.relative_spin,
        contact.stable_spin_resistance,
        contact.stopping_resistance,
        contact.remembered,
    )


@compilable(forceinline=True)
def shared_mass(mass_i, mass_j):
    """1/(1/m_i + 1/m_j) [kg]."""
    return mass_i * mass_j / (mass_i + mass_j)


@compilable(forceinline=True)
def slip_mass(effective_mass, roll):
    """Shear force over the acceleration of the slip [kg]: 2/7 of the effective mass of solid spheres that rotate."""
    return effective_mass if len(roll) == 0 else effective_mass * (2.0 / 7.0)


@compilable(forceinline=True)
def shared_inertia(inverse_inertia):
    """1/(1/I_i + 1/I_j) [kg m²] from 1/I_i + 1/I_j; huge if neither rotates."""
    return 1.0 / max(inverse_inertia, TINY)


@compilable(forceinline=True)
def relaxed(start, contact, relaxation):
    """The memory after the law. Without rotation the beginning of the spring, `start`, moves with the branch; with
    rotation the displacement is shortened."""
    if len(start) == 0:
        return vector.in_coordinates(shortened(contact.shear, relaxation), contact.normal)
    return moved(start, relaxation, contact.normal)


@compilable(forceinline=True)
def shortened(shear, relaxation):
    """shear - relaxation; an empty relaxation changes nothing."""
    if len(relaxation) == 0:
        return shear
    return vector.sub(shear, relaxation)


@compilable(forceinline=True)
def moved(start, relaxation, normal):
    """start + relaxation in coordinates; an empty relaxation changes nothing."""
    if len(relaxation) == 0:
        return start
    return vector.add(start, vector.in_coordinates(relaxation, normal))
