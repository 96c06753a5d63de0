"""One contact: kinematics, sign conventions, and the records that a contact law reads and returns.

Sign conventions, for a pair (i, j): branch = x_i - x_j; normal = branch / |branch|, from j to i; overlap
positive when touching; relative velocity of the material points at the contact, i minus j; normal
velocity negative when approaching; a positive normal force pushes i along the normal and j back.

Lever arms: the contact point divides the branch in the ratio of the radii, arm_i = -(R_i/(R_i+R_j)) branch. The arms
add up to the branch: angular momentum is conserved, and a pair that rotates as a whole does not slip.

Contact memory without rotation: the branch at first touch (thesis); the shear is the displacement of the branch since
first touch, in the tangent plane. Contact memory with rotation: the tangential displacement, which moves with the pair.
At each evaluation the displacement is projected onto the new tangent plane at constant length, rotated about the normal
by the mean rotation of the pair, and increased by the slip.

The slip is the tangential displacement of the material points since the last evaluation, from the change d of the
branch and the rotations of both spheres, not from velocities. Velocities at one time times dt are a first-order
integral, and act like an additional dashpot of viscosity K_t dt/2. With positions the spring of a contact that does not
slide is a function of the positions alone: each integrator keeps its order and its conservation of energy
(half-step velocities: Vyas, Ottino, Lueptow & Umbanhowar, arXiv:2410.14798). Between two spheres the normal turns
during the step. The slip is the angle of that rotation minus the rolling angle of the spheres, times R_i + R_j:

    slip = (R_i + R_j) (1 + a²/6) d_t/l' - (R_i dtheta_i + R_j dtheta_j) x n' ,  a = |d_t|/l' = sin(angle),

with the distance l' = |branch - d| = l - d n + l a²/2 of the last evaluation, d_t perpendicular to the present normal
n, and the mean normal n' = n - d_t/(2 l). The error is of third order in the step, and a pair that rotates as a whole
slips by less than the fifth power of its angle. The factor (R_i + R_j)/l' refers the slip to the undeformed radius:
otherwise a closed cycle of pressing and rolling would leave a displacement (granular ratcheting:
McNamara, Garcia-Rojo & Herrmann, Phys. Rev. E 77 (2008) 031304). The force acts at the contact, where the displacement
of the material points is |branch|/(R_i + R_j) of the slip: work and energy of a friction spring that rotates are those
of the law times this factor. At a wall the normal is taken as constant during the step, and l' as the mean distance.

A contact that begins between two evaluations slips only after first touch: the first slip counts by the fraction of the
approach that lies beyond it.
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
    position: tuple
    """The branch; at a wall the position of the centre relative to the moved wall [m]."""
    velocity: tuple
    """v_i - v_j of the centres [m/s]."""
    roll: tuple
    """R_i w_i + R_j w_j [m/s]. It changes the velocity at the contact by -roll x branch/(R_i + R_j)."""
    relative_spin: tuple
    """w_i - w_j [rad/s]."""
    displacement: tuple
    """Change of x_i - x_j since the last evaluation, at a wall of the position relative to the wall, as far as it
    counts (`counted_share`) [m]."""
    rolling: tuple
    """R_i dtheta_i + R_j dtheta_j, with the rotations since the last evaluation as far as they count [m]."""
    mean_rotation: tuple
    """(dtheta_i + dtheta_j)/2 [rad]."""
    curved: float
    """1.0 if the normal turns with the displacement (two spheres), 0.0 at a wall."""


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
    approach: float
    """Part of `overlap` since the last evaluation [m]."""
    normal: tuple
    """Unit vector from j to i."""
    normal_velocity: float
    """[m/s], negative when approaching."""
    tangential_velocity: tuple
    """Slip velocity of the material points [m/s], a tangential vector (`vector.tangential`)."""
    shear: tuple
    """Tangential displacement of i relative to j since first touch, minus the part relaxed by sliding [m], a tangential
    vector."""
    slip: tuple
    """Part of `shear` since the last evaluation [m], a tangential vector."""
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
    friction_work: float
    """Work done on the friction spring since the last evaluation, which the spring stores or loses by sliding [J]."""


@compilable(forceinline=True)
def sheared(memory, motion, normal, slip, rotation):
    """Shear at this evaluation, and without rotation the beginning of the spring, else an empty tuple.

    `slip` [m] is the relative displacement of the material points at the contact since the last evaluation, or since
    first touch. `rotation` is `motion.mean_rotation`, an argument of its own because numba selects branches by the
    lengths of arguments only.
    """
    known = memory.touching > 0.0
    if len(rotation) == 0:
        start = vector.pick(known, memory.shear_spring, vector.sub(motion.position, motion.displacement))
        displacement = vector.sub(motion.position, start)
        return vector.tangential(displacement, vector.dot(displacement, normal), normal), start
    start = vector.pick(known, memory.shear_spring, vector.scale(0.0, memory.shear_spring))
    tilt = vector.dot(start, normal)
    projected = vector.tangential(start, tilt, normal)
    projected = vector.scale(length_ratio(vector.dot(projected, projected), tilt * tilt), projected)
    half = vector.scale(0.5, slip)  # one half of the slip turns with the pair, as the mean over the step does
    angle = vector.twist_rate(rotation, mean_normal(motion, normal))
    return vector.add(twisted(angle, normal, vector.add(projected, half)), half), ()


@compilable(forceinline=True)
def twisted(angle, normal, a):
    """A tangential vector after a rotation by a small angle about the normal, which the plane does not have. The error
    of the length is of fourth order in the angle, that of the direction of third order."""
    if len(a) == 1:
        return a
    return vector.add(vector.scale(1.0 - 0.5 * angle * angle, a), vector.turn(vector.scale(angle, normal), a))


@compilable(forceinline=True)
def counted_share(touching, branch, per_distance, displacement, radius_sum):
    """Fraction of the displacement of a pair since the last evaluation in which the two touched [-]."""
    overlap = radius_sum - vector.dot(branch, branch) * per_distance
    approached = -per_distance * vector.dot(displacement, branch)
    return 1.0 if touching > 0.0 else min(1.0, max(overlap, 0.0) / max(approached, TINY))


@compilable(forceinline=True)
def mean_normal(motion, normal):
    """The normal in the middle between the last evaluation and this one."""
    across = vector.sub(motion.displacement, vector.scale(vector.dot(motion.displacement, normal), normal))
    return vector.sub(normal, vector.scale(0.5 * motion.curved * motion.per_distance, across))


@compilable(forceinline=True)
def slip_of(motion, radius_sum, normal, rotation):
    """Tangential displacement of the material points since the last evaluation [m], a tangential vector (module
    docstring); without rotation that of the centres. `rotation` as in `sheared`."""
    along = vector.dot(motion.displacement, normal)
    if len(rotation) == 0:
        return vector.tangential(motion.displacement, along, normal)
    nearing = max(-1.0, min(motion.per_distance * along, 1.0))  # finite also for coinciding centres
    across = vector.sub(motion.displacement, vector.scale(along, normal))
    turned = vector.scale(motion.per_distance, across)
    lever = 1.0 + (0.5 + 0.5 * motion.curved) * nearing - motion.curved / 3.0 * min(vector.dot(turned, turned), 1.0)
    gliding = vector.scale(radius_sum * motion.per_distance * lever, across)
    slip = vector.sub(gliding, vector.turn(motion.rolling, mean_normal(motion, normal)))
    return vector.tangential(slip, vector.dot(slip, normal), normal)


@compilable(forceinline=True)
def receding(motion, normal):
    """Overlap at the last evaluation minus present overlap [m], up to third order in the displacement."""
    along = vector.dot(motion.displacement, normal)
    across = vector.dot(motion.displacement, motion.displacement) - along * along
    return along - 0.5 * motion.curved * motion.per_distance * across


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
    3. The slip since the last evaluation is added to the shear spring (module docstring).

    Square roots and divisions dominate the cost of a contact: each is computed once.
    """
    distance = vector.dot(motion.branch, motion.branch) * motion.per_distance
    normal = vector.scale(motion.per_distance, motion.branch)
    relative_velocity = velocity_at_contact(motion.velocity, motion.roll, motion.branch, pair.radius_sum)
    normal_velocity = vector.dot(motion.velocity, normal)
    tangential_velocity = vector.tangential(relative_velocity, normal_velocity, normal)
    overlap = pair.radius_sum - distance
    slip = slip_of(motion, pair.radius_sum, normal, motion.mean_rotation)
    shear, start = sheared(memory, motion, normal, slip, motion.mean_rotation)
    per_step = stage.damping_fraction / (LARGEST_COORDINATION * max(stage.dt, TINY))
    contact = Contact(
        overlap,
        -receding(motion, normal),
        normal,
        normal_velocity,
        tangential_velocity,
        shear,
        slip,
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
    unturned = (0.0,) * spin_length
    return Contact(
        *(overlap, 0.0, up, 0.0, still, still, still, mass, radius, 1.0, material, unturned),
        *(0.0, math.inf, 1.0),
    )


@compilable(forceinline=True)
def force_of(contact, answer):
    """The force on i in coordinates [N], from the answer of a law."""
    shear_force = vector.in_coordinates(answer.shear_force, contact.normal)
    return vector.add(vector.scale(answer.normal_force, contact.normal), shear_force)


@compilable(forceinline=True)
def at_last_overlap(contact):
    """The contact with the overlap of the last evaluation."""
    return Contact(
        contact.overlap - contact.approach,
        0.0,
        contact.normal,
        contact.normal_velocity,
        contact.tangential_velocity,
        contact.shear,
        contact.slip,
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
