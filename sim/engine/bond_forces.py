"""Bonds: forces of lasting links between two spheres, deformation of the links, and their rupture.

A bond joins two centres. Its length gives the axial force. If the spheres rotate, the bond also resists shear, bending
and twisting, like a beam between both centres. Shear is the relative displacement of the two ends at the middle of the
bond, both ends being extended rigidly to it. Bending and twist are the rotation of i relative to j. All three are
summed step by step in the frame of the pair, like the friction spring of a contact
(repose.sim.engine.contacts.kinematics):

    axial      l - l_0,  with the branch l n from j to i
    shear      integral of v_i - v_j - (w_i + w_j)/2 x l n, without its part along n
    rotation   integral of w_i - w_j

The integrals are sums of displacements and rotations since the last evaluation, not of velocities times dt: the
deformation of a bond is a function of positions alone, as the slip of a contact is.

With the stiffnesses E A/l, 12 E I/l³ and E I/l this is the beam of Euler and Bernoulli, exact at its nodes.

Each thread evaluates its share of the bonds and writes their forces. Then each sphere sums the forces of its bonds in
the order of the table; the result does not depend on the number of threads. A bond that breaks is marked in the table,
and its stored energy is booked as lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import length_ratio, twisted
from repose.sim.engine.contacts.pair_blocks import to_line
from repose.sim.engine.contacts.pair_forces import displacement_of, rotation_of
from repose.sim.engine.contacts.sphere_rows import displacement_at, entry, read_row, rotation_at, row_width, spin_at
from repose.sim.engine.images import nearest_branch
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.model import BoundBond, Stage, Thread
from repose.sim.engine.roots import TINY
from repose.sim.engine.threads import share, wait
from repose.sim.engine.workspace import BLOCK
from repose.sim.engine.world import LEDGER_DAMPING, World

ROUNDING = 1e-9
"""Largest error of a product of a mass and its inverse [-]."""


class Link(NamedTuple):
    """The quantities of one bond that a bond law reads."""

    length: float
    """Distance of the centres [m]."""
    rest_length: float
    normal: tuple
    """Unit vector from j to i."""
    rate: float
    """Rate of change of the length [m/s], positive while the bond lengthens."""
    shear: tuple
    """Displacement of i relative to j [m]; perpendicular to the normal, zero without rotation."""
    shear_rate: tuple
    """[m/s]."""
    bending: tuple
    """Rotation of i relative to j about axes perpendicular to the normal [rad], of the length of a spin."""
    bending_rate: tuple
    """[rad/s]."""
    twist: float
    """Rotation of i relative to j about the normal [rad]; 0 in the plane."""
    twist_rate: float
    own: tuple
    """The numbers that belong to this bond."""


class BondForce(NamedTuple):
    """Result of the force function of a bond law."""

    normal_force: float
    """[N]; positive pushes the spheres apart."""
    shear_force: tuple
    """Shear force on i [N]."""
    bending_torque: tuple
    """Torque on i about axes perpendicular to the normal [N m]; j gets the opposite."""
    twisting_torque: float
    """Torque on i about the normal [N m]; j gets the opposite."""
    damping_power: float
    """Power dissipated [W]."""


class BondCall(NamedTuple):
    """The functions of a bond law, which the loop over bonds calls, and the coefficients that they read."""

    force: Callable
    energy: Callable
    breaks: Callable
    params: tuple
    own: tuple
    """Zeros that give the length of `Link.own`; their values are not read."""


@compilable(forceinline=True)
def no_bond(params, link):
    """Every function of `NO_BOND`."""
    return 0.0


NO_BOND = BoundBond(no_bond, no_bond, no_bond, no_bond, 0)
"""The law of a model without bonds; it is never called."""


class BondTables(NamedTuple):
    """Arguments of `bond_forces`: a world and this evaluation."""

    world: World
    params: int
    """Address (repose.sim.engine.packed) of the coefficients that the law reads."""
    stage: Stage
    thread: Thread


@compilable(forceinline=True)
def bond_tables(world, params, stage, thread):
    """The argument of `bond_forces`."""
    return BondTables(world, params, stage, thread)


class End(NamedTuple):
    """Motion of one of the two spheres of a bond."""

    position: tuple
    velocity: tuple
    spin: tuple
    displacement: tuple
    """Since the last evaluation [m]."""
    rotation: tuple
    """Since the last evaluation [rad]."""


@compilable(forceinline=True)
def end_at(rows, i, shapes):
    """The motion of sphere i from the rows that contacts read (repose.sim.engine.contacts.sphere_rows).

    Without rotation bonds have no memory and rows no displacement; the position in its place is read by nobody.
    """
    dimension = len(shapes.position)
    turning = len(shapes.spin) > 0
    width = row_width(dimension, turning)
    position = read_row(rows, entry(i, width, 0), shapes.position)
    return End(
        position,
        read_row(rows, entry(i, width, dimension), shapes.position),
        read_row(rows, entry(i, width, spin_at(dimension) + 1), shapes.spin),
        read_row(rows, entry(i, width, displacement_at(dimension) if turning else 0), shapes.position),
        read_row(rows, entry(i, width, rotation_at(dimension)), shapes.spin),
    )


@compilable(forceinline=True)
def end_now(world, i, shapes):
    """The motion of sphere i between two steps, from the tables of the world."""
    return End(
        arrays.at(arrays.level(world.motion, 0, 0, shapes.position), i),
        arrays.at(arrays.level(world.motion, 0, 1, shapes.position), i),
        arrays.at(arrays.level(world.motion, len(shapes.position), 1, shapes.spin), i),
        displacement_of(world, i, shapes.position),
        rotation_of(world, i, shapes),
    )


@compilable(forceinline=True)
def carried(old, normal, half):
    """A vector perpendicular to the bond, moved with the bond: projected perpendicular to the new normal at constant
    length, and increased by `half` of its change, which turns with the bond; the other half is added afterwards."""
    tilt = vector.dot(old, normal)
    projected = vector.sub(old, vector.scale(tilt, normal))
    projected = vector.scale(length_ratio(vector.dot(projected, projected), tilt * tilt), projected)
    return vector.add(projected, half)


def remembered(memory, b, normal, slip, turned, angle):
    """Shear [m], bending and twist [rad] of bond b: the stored values plus the displacement `slip` [m] and the relative
    rotation `turned` [rad] since the last evaluation; `angle` [rad] is the mean rotation of the ends about the bond."""
    dimension = len(normal)
    if len(turned) == 0:
        return tuple(0.0 * x for x in normal), (), 0.0
    old = tuple(float(memory[c, b]) for c in range(dimension))
    half = vector.scale(0.5, slip)
    if len(turned) == 1:
        return vector.add(carried(old, normal, half), half), (memory[2, b] + turned[0],), 0.0
    bent = tuple(float(memory[3 + c, b]) for c in range(3))
    along = vector.dot(turned, normal)
    bending = vector.scale(0.5, vector.sub(turned, vector.scale(along, normal)))
    return (
        vector.add(twisted(angle, normal, carried(old, normal, half)), half),
        vector.add(twisted(angle, normal, carried(bent, normal, bending)), bending),
        memory[6, b] + along,
    )


@overload(remembered)
def _remembered(memory, b, normal, slip, turned, angle):
    def without(memory, b, normal, slip, turned, angle):
        return vector.scale(0.0, normal), (), 0.0

    def in_plane(memory, b, normal, slip, turned, angle):
        half = vector.scale(0.5, slip)
        old = (memory[0, b], memory[1, b])
        return vector.add(carried(old, normal, half), half), (memory[2, b] + turned[0],), 0.0

    def in_space(memory, b, normal, slip, turned, angle):
        half = vector.scale(0.5, slip)
        old = (memory[0, b], memory[1, b], memory[2, b])
        bent = (memory[3, b], memory[4, b], memory[5, b])
        along = vector.dot(turned, normal)
        bending = vector.scale(0.5, vector.sub(turned, vector.scale(along, normal)))
        return (
            vector.add(twisted(angle, normal, carried(old, normal, half)), half),
            vector.add(twisted(angle, normal, carried(bent, normal, bending)), bending),
            memory[6, b] + along,
        )

    return {0: without, 1: in_plane, 3: in_space}[len(turned)]


def keep(memory, b, shear, bending, twist):
    """Write the result of `remembered` to the table."""
    if len(bending) == 0:
        return
    for c, x in enumerate((*shear, *bending, *((twist,) if len(bending) == 3 else ()))):
        memory[c, b] = x


@overload(keep)
def _keep(memory, b, shear, bending, twist):
    def without(memory, b, shear, bending, twist):
        pass

    def in_plane(memory, b, shear, bending, twist):
        memory[0, b] = shear[0]
        memory[1, b] = shear[1]
        memory[2, b] = bending[0]

    def in_space(memory, b, shear, bending, twist):
        for c in range(3):
            memory[c, b] = shear[c]
            memory[3 + c, b] = bending[c]
        memory[6, b] = twist

    return {0: without, 1: in_plane, 3: in_space}[len(bending)]


@compilable(forceinline=True)
def link_at(world, end_i, end_j, b, own_like, periodic_like):
    """The `Link` of bond b between two ends, and the branch from j to i [m].

    The displacement across the bond is that of a contact (repose.sim.engine.contacts.kinematics), with the mean length
    in place of the sum of the radii.
    """
    bonds = world.bonds
    branch = nearest_branch(vector.sub(end_i.position, end_j.position), world.boundary, periodic_like)
    length = math.sqrt(vector.dot(branch, branch))
    per_length = 1.0 / max(length, TINY)
    normal = vector.scale(per_length, branch)
    velocity = vector.sub(end_i.velocity, end_j.velocity)
    mean_spin = vector.scale(0.5, vector.add(end_i.spin, end_j.spin))
    relative_spin = vector.sub(end_i.spin, end_j.spin)
    rate = vector.dot(velocity, normal)
    sliding = vector.sub(vector.sub(velocity, vector.turn(mean_spin, branch)), vector.scale(rate, normal))
    displacement = vector.sub(end_i.displacement, end_j.displacement)
    rotation = vector.scale(0.5, vector.add(end_i.rotation, end_j.rotation))
    turned = vector.sub(end_i.rotation, end_j.rotation)
    lengthening = vector.dot(displacement, normal)
    across = vector.sub(displacement, vector.scale(lengthening, normal))
    square = per_length * per_length * vector.dot(across, across)
    middle = vector.sub(normal, vector.scale(0.5 * per_length, across))
    gliding = vector.scale(1.0 + 0.5 * per_length * lengthening - square / 12.0, across)
    mean_length = length * (1.0 + 0.25 * square) - 0.5 * lengthening
    slip = vector.sub(gliding, vector.scale(mean_length, vector.turn(rotation, middle)))
    slip = vector.sub(slip, vector.scale(vector.dot(slip, normal), normal))
    shear, bending, twist = remembered(
        bonds.memory,
        b,
        normal,
        slip,
        turned,
        vector.twist_rate(rotation, middle),
    )
    twist_rate = vector.twist_rate(relative_spin, normal)
    bending_rate = vector.sub(relative_spin, vector.about(twist_rate, normal, relative_spin))
    own = arrays.read_column(bonds.own, b, own_like)
    link = Link(
        length,
        bonds.rest_length[b],
        normal,
        rate,
        shear,
        sliding,
        bending,
        bending_rate,
        twist,
        twist_rate,
        own,
    )
    return link, branch


@compilable
def bond_forces(tables, bond, shapes):
    """Add the forces of bonds on this thread's spheres to `State.force`, advance the memory of bonds, and break the
    bonds for which `breaks` holds; returns 1, or 0 if a thread is missing."""
    world = tables.world
    bonds = world.bonds
    now = world.workspace.bonds
    stage = tables.stage
    thread = tables.thread
    rows = world.workspace.threads.sphere_rows[to_line(world.workspace.threads.sphere_rows) :]
    dimension = len(shapes.position)
    first, last = share(bonds.i.size, thread.id, thread.total)
    for b in range(first, last):
        now.power[0, b] = 0.0
        now.power[1, b] = 0.0
        if bonds.intact[b] == 0:
            continue
        end_i, end_j = end_at(rows, bonds.i[b], shapes), end_at(rows, bonds.j[b], shapes)
        link, branch = link_at(world, end_i, end_j, b, bond.own, shapes.periodic)
        keep(bonds.memory, b, link.shear, link.bending, link.twist)
        if stage.dt > 0.0 and bond.breaks(bond.params, link):
            bonds.intact[b] = 0
            now.power[1, b] = bond.energy(bond.params, link)
            continue
        answer = bond.force(bond.params, link)
        now.power[0, b] = answer.damping_power
        push = vector.add(vector.scale(answer.normal_force, link.normal), answer.shear_force)
        arm = vector.torque(vector.scale(0.5, branch), push, shapes.spin)
        torque = vector.add(answer.bending_torque, vector.about(answer.twisting_torque, link.normal, shapes.spin))
        arrays.write_row(now.push, b, 0, push)
        arrays.write_row(now.push, b, dimension, vector.sub(torque, arm))
        arrays.write_row(now.push, b, dimension + len(shapes.spin), vector.scale(-1.0, vector.add(torque, arm)))
    if not wait(world.workspace.threads):
        return 0
    forces = arrays.rows(world.force, shapes.position)
    torques = arrays.rows(world.force[dimension:], shapes.spin)
    for n in range(thread.first, thread.last):
        total = arrays.at(forces, n)
        torque = arrays.at(torques, n)
        for k in range(now.begin[n], now.begin[n + 1]):
            b = abs(now.incident[k]) - 1
            if bonds.intact[b] == 0:
                continue
            push = arrays.read_row(now.push, b, total)
            if now.incident[k] > 0:
                total = vector.add(total, push)
                torque = vector.add(torque, arrays.read_part_of_row(now.push, b, dimension, torque))
            else:
                total = vector.sub(total, push)
                turning = arrays.read_part_of_row(now.push, b, dimension + len(shapes.spin), torque)
                torque = vector.add(torque, turning)
        arrays.write_at(forces, n, total)
        arrays.write_at(torques, n, torque)
    return 1


@compilable
def record_bond_energy(world, dt_stage):
    """Add the heat of bonds to the ledger, and the energy of broken bonds to `BondTable.lost`, in table order."""
    power = world.workspace.bonds.power
    heat = 0.0
    lost = 0.0
    for b in range(power.shape[1]):
        heat += power[0, b]
        lost += power[1, b]
    world.ledger[LEDGER_DAMPING, BLOCK - 3] += dt_stage * heat  # an entry that nothing else adds to
    world.bonds.lost[0] += lost


class BondSurvey(NamedTuple):
    """The functions of a bond law that a survey calls, and the coefficients that they read."""

    energy: Callable
    stiffness: Callable
    params: tuple
    own: tuple


@compilable
def survey_bonds(world, bond, shapes, sums):
    """Energy stored in all bonds [J]; adds the stiffnesses to the sums of repose.sim.engine.timestep.survey."""
    bonds = world.bonds
    dimension = len(shapes.position)
    inverse_mass = world.inverse_mass
    energy = 0.0
    for b in range(bonds.i.size):
        if bonds.intact[b] == 0:
            continue
        i = np.int64(bonds.i[b])
        j = np.int64(bonds.j[b])
        end_i, end_j = end_now(world, i, shapes), end_now(world, j, shapes)
        link, _ = link_at(world, end_i, end_j, b, bond.own, shapes.periodic)
        energy += bond.energy(bond.params, link)
        axial, across, turning, lag = bond.stiffness(bond.params, link)
        moving = inverse_mass[0, i] + inverse_mass[0, j]
        rolling = 0.0
        farther = 0.0
        if len(shapes.spin) > 0:
            rolling = inverse_mass[dimension, i] + inverse_mass[dimension, j]
            for row in (i, j):
                # The bound of a member (repose.sim.engine.body_builder.most_easily_moved) is valid from its radius on.
                if inverse_mass[0, row] * world.mass[row] > 1.0 + ROUNDING:
                    short = max(world.radius[row] - 0.5 * link.length, 0.0)
                    farther += 0.5 * link.length * short * inverse_mass[dimension, row]
        along = axial * moving
        beside = across * (moving + 0.25 * link.length * link.length * rolling + farther)
        bent = turning * rolling
        for row in (i, j):
            if inverse_mass[0, row] > 0.0:
                for p in range(dimension):
                    for q in range(dimension):
                        outer = link.normal[p] * link.normal[q]
                        unit = 1.0 if p == q else 0.0
                        square = along * outer + beside * (unit - outer) + bent * unit
                        sums[0, p, q, row] += square
                        sums[1, p, q, row] += lag * square
    return energy
