"""Walls: planes, facets and cylinders of infinite mass, at rest or moving at a given velocity, or as the force of the
grains on them asks (repose.sim.engine.contacts.servo).

A sphere at a wall is treated as a pair, with the nearest point of the wall in place of the other centre and the other
radius 0; every law works unchanged. The friction spring refers to the position of the sphere's centre relative to the
wall, because the nearest point moves with the sphere.

A sphere on a mesh must be pushed by each part of the surface once. Facets are decided in the order of their distance.
A facet does not push if its nearest point lies on a nearer facet (a shared edge or corner), or if a nearer facet pushes
in nearly the same direction. The second rule is for shallow folds seen from inside, where the centre may be above both
faces: a push that starts with the full overlap would add energy. Of the two sides of a thin sheet the nearer one
pushes. When a contact passes from one facet to the next, its memory is transferred.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import (
    PairMotion,
    PairProperties,
    ShearMemory,
    contact_between,
    counted_share,
    shared_inertia,
)
from repose.sim.engine.contacts.overlap_record import ALMOST, any_larger, search_walls
from repose.sim.engine.contacts.pair_blocks import (
    Block,
    clear_sums,
    columns_of,
    forget_materials,
    to_line,
)
from repose.sim.engine.contacts.pair_forces import displacement_of, rotation_of
from repose.sim.engine.contacts.servo import KEPT, follow_forces, go_on
from repose.sim.engine.contacts.sphere_rows import entry, read_row, row_width, spin_at
from repose.sim.engine.contacts.wall_geometry import ACTS, APART, COVERED, CYLINDER, FACET, NEAR, PLANE, approach
from repose.sim.engine.jit import call, compilable
from repose.sim.engine.model import AT_REST, Stage, Thread
from repose.sim.engine.workspace import BLOCK, OVERLAP_RATIO
from repose.sim.engine.world import (
    LEDGER_DAMPING,
    LEDGER_FRICTION,
    LEDGER_WALLS,
    MATERIAL_COUNT,
    WALL_CONTACT_COUNT,
    World,
)

__all__ = ["CYLINDER", "FACET", "PLANE", "move_walls", "record_wall_energy", "wall_contact"]

SAME_POINT = 1e-9
"""Points of a mesh closer than this fraction of the radius count as equal [-]."""

SMALLEST_GAP = 1e-6
"""Smallest distance of a centre in front of a wall, in units of its radius [-]; used if the centre is on the wall or
behind it."""

ALIKE = 0.97
"""If the directions of two facets have at least this cosine, only the nearer facet pushes [-]. A fold steeper than 14°
is entered from inside without a jump up to an overlap of 1/cos - 1 = 3 % of the radius."""

SAME_SIDE = 0.9
"""Contact memory passes between facets whose normals have at least this cosine [-]."""


@compilable
def find_gaps(wall_contacts, now, walls, radii, positions, reach, first, last):
    """Compute gap, normal and state (apart or within reach) of these entries of the list."""
    normals = arrays.rows(now.normal, positions)
    for t in range(first, last):
        i = wall_contacts.sphere[t]
        gap, normal = approach(walls, wall_contacts.wall[t], arrays.at(positions, i))
        now.gap[t] = gap
        arrays.write_at(normals, t, normal)
        remembered = reach > 0.0 and wall_contacts.touching[t] > 0  # evaluated, because the end of memory is booked
        now.contact_state[t] = APART if gap >= radii[i] + reach and not remembered else NEAR


@compilable
def find_acting(wall_contacts, now, walls, radii, positions, first, last):
    """Write the entries that push to `WallEvaluation.acting`, in list order, from `first` on; returns their number."""
    for t in range(first, last):
        if now.contact_state[t] == NEAR:
            i = wall_contacts.sphere[t]
            alone = now.begin[i + 1] - now.begin[i] == 1
            if walls.shape[wall_contacts.wall[t]] == FACET and not alone:
                choose_facets(wall_contacts, now, walls, radii, positions, i)
            else:
                now.contact_state[t] = ACTS
    acting = 0
    for t in range(first, last):
        if now.contact_state[t] == ACTS:
            now.acting[first + acting] = t
            acting += 1
            if wall_contacts.touching[t] == 0 and walls.shape[wall_contacts.wall[t]] == FACET:
                transfer_memory(wall_contacts, now, walls, positions, t)
    return acting


@compilable
def choose_facets(wall_contacts, now, walls, radii, positions, i):
    """Decide which of the facets touched by sphere i push, the nearest facet first."""
    while True:
        nearest = -1
        for t in range(now.begin[i], now.begin[i + 1]):
            undecided = now.contact_state[t] == NEAR and walls.shape[wall_contacts.wall[t]] == FACET
            if undecided and (nearest < 0 or now.gap[t] < now.gap[nearest]):
                nearest = t
        if nearest < 0:
            return
        covered = is_covered(wall_contacts, now, walls, radii, positions, nearest)
        now.contact_state[nearest] = COVERED if covered else ACTS


@compilable
def is_covered(wall_contacts, now, walls, radii, positions, t):
    """Whether a facet that was decided earlier covers entry t."""
    i = wall_contacts.sphere[t]
    normals = arrays.rows(now.normal, positions)
    normal = arrays.at(normals, t)
    point = vector.sub(arrays.at(positions, i), vector.scale(now.gap[t], normal))
    for s in range(now.begin[i], now.begin[i + 1]):
        decided = now.contact_state[s] == ACTS or now.contact_state[s] == COVERED
        if decided and walls.shape[wall_contacts.wall[s]] == FACET:
            if now.contact_state[s] == ACTS and vector.dot(arrays.at(normals, s), normal) > ALIKE:
                return True
            distance, _ = approach(walls, wall_contacts.wall[s], point)
            if distance <= SAME_POINT * radii[i]:
                return True
    return False


@compilable
def transfer_memory(wall_contacts, now, walls, positions, t):
    """Copy the contact memory of a facet that the sphere is leaving to a neighbour touched for the first time."""
    normals = arrays.rows(now.normal, positions)
    i = wall_contacts.sphere[t]
    for s in range(now.begin[i], now.begin[i + 1]):
        leaving = now.contact_state[s] == APART or now.contact_state[s] == COVERED
        leaving &= wall_contacts.touching[s] > 0 and walls.shape[wall_contacts.wall[s]] == FACET
        if leaving and vector.dot(arrays.at(normals, s), arrays.at(normals, t)) > SAME_SIDE:
            for c in range(wall_contacts.shear_spring.shape[0]):
                wall_contacts.shear_spring[c, t] = wall_contacts.shear_spring[c, s]
            wall_contacts.touching[t] = 1


class SphereMotion(NamedTuple):
    """The motion of one sphere at a wall."""

    position: tuple[float, ...]
    """Centre [m]."""
    velocity: tuple[float, ...]
    """[m/s]."""
    spin: tuple[float, ...]
    """[rad/s]; () without rotation."""
    displacement: tuple[float, ...]
    """Since the last evaluation of forces [m]."""
    rotation: tuple[float, ...]
    """Since the last evaluation of forces [rad]; () without rotation."""


@compilable(forceinline=True)
def turns(world, t):
    """Whether the wall of entry t of the list turns."""
    return world.walls.spin[world.wall_contacts.wall[t]] != 0.0


@compilable
def spin_of_wall(walls, w, spin):
    """Spin of a wall [rad/s], of as many components as `spin`, that of a sphere."""
    if len(spin) != 3:
        return vector.scale(0.0, spin)
    return vector.scale(walls.spin[w], arrays.read_entry(walls.corner, (w, 1), spin))


@compilable
def turning_velocity(walls, w, spin, point):
    """Velocity of the material of a wall at a point by this spin of it [m/s]."""
    if len(spin) != 3:
        return vector.scale(0.0, point)
    axis = vector.add(arrays.read_entry(walls.corner, (w, 0), point), arrays.read_row(walls.moved, w, point))
    return vector.turn(spin, vector.sub(point, axis))


@compilable
def wall_motion(world, t, gap, normal, sphere, elapsed):
    """Motion of the sphere of entry t relative to its wall; displacement and rotation of the sphere (`SphereMotion`)
    are those during the time `elapsed` [s].

    The material of a wall that turns with w moves at w x r at the contact, r from the axis. Its way during a step is
    that at the mean r of the step, in which the sphere has gone half of its displacement.
    """
    x = sphere.position
    walls = world.walls
    w = world.wall_contacts.wall[t]
    radius = world.radius[world.wall_contacts.sphere[t]]
    distance = max(gap, SMALLEST_GAP * radius)
    speed = arrays.read_row(walls.velocity, w, x)
    velocity = vector.sub(sphere.velocity, speed)
    displacement = vector.sub(sphere.displacement, vector.scale(elapsed, speed))
    relative_spin, turned = sphere.spin, sphere.rotation
    if turns(world, t):
        spin = spin_of_wall(walls, w, sphere.spin)
        point = vector.sub(x, vector.scale(gap, normal))
        velocity = vector.sub(velocity, turning_velocity(walls, w, spin, point))
        between = vector.sub(point, vector.scale(0.5, displacement))
        way = vector.scale(elapsed, turning_velocity(walls, w, spin, between))
        displacement = vector.sub(displacement, way)
        relative_spin = vector.sub(sphere.spin, spin)
        turned = vector.add(sphere.rotation, vector.scale(elapsed, spin))
    return PairMotion(
        vector.scale(distance, normal),
        1.0 / distance,
        vector.sub(x, arrays.read_row(walls.moved, w, x)),
        velocity,
        vector.scale(radius, sphere.spin),
        relative_spin,
        displacement,
        vector.scale(radius, sphere.rotation),
        vector.scale(0.5, turned),
        0.0,
    )


@compilable
def wall_material_pair(world, i, w):
    """Index of the pair of materials of sphere i and wall w."""
    return world.material[i] * world.counters[MATERIAL_COUNT] + world.walls.material[w]


@compilable
def wall_contact(world, t, material, shapes):
    """The contact of entry t of the list at this moment, as `repose.sim.engine.contacts.pair_forces.pair_contact`."""
    wall_contacts = world.wall_contacts
    i = wall_contacts.sphere[t]
    w = wall_contacts.wall[t]
    x = arrays.at(arrays.level(world.motion, 0, 0, shapes.position), i)
    velocity = arrays.at(arrays.level(world.motion, 0, 1, shapes.position), i)
    spin = arrays.at(arrays.level(world.motion, len(shapes.position), 1, shapes.spin), i)
    gap, normal = approach(world.walls, w, x)
    radius = world.radius[i]
    touching = float(wall_contacts.touching[t])
    path = displacement_of(world, i, shapes.position)
    distance = max(gap, SMALLEST_GAP * radius)
    share = counted_share(touching, vector.scale(distance, normal), 1.0 / distance, path, radius)
    moved, turned = vector.scale(share, path), vector.scale(share, rotation_of(world, i, shapes))
    motion = wall_motion(world, t, gap, normal, SphereMotion(x, velocity, spin, moved, turned), 0.0)
    inertia = shared_inertia(world.inverse_mass[len(shapes.position), i] if len(shapes.spin) > 0 else 0.0)
    pair = PairProperties(radius, radius, world.mass[i], inertia, 1.0, material)
    spring = arrays.at(arrays.rows(wall_contacts.shear_spring, shapes.position), t)
    memory = ShearMemory(spring, touching)
    contact, _ = contact_between(motion, pair, memory, AT_REST)
    return contact


@compilable
def turning_power(world, t, normal, force, torque):
    """Power that the wall of entry t supplies to the sphere by its spin w [W]: w (M + r x F). M is the couple on the
    sphere in addition to the torque of the force F at the contact, and r points from the axis to the contact."""
    w = world.wall_contacts.wall[t]
    i = world.wall_contacts.sphere[t]
    gap = world.workspace.wall_contacts.gap[t]
    spin = spin_of_wall(world.walls, w, torque)
    arm = vector.scale(-max(gap, SMALLEST_GAP * world.radius[i]), normal)
    couple = vector.sub(torque, vector.torque(arm, force, torque))
    x = arrays.at(arrays.level(world.motion, 0, 0, force), i)
    point = vector.sub(x, vector.scale(gap, normal))
    return vector.dot(spin, couple) + vector.dot(force, turning_velocity(world.walls, w, spin, point))


class WallForces(NamedTuple):
    """Arguments of `add_wall_forces`: a world and this evaluation."""

    world: World
    params: int
    """Address (repose.sim.engine.packed) of the numbers that the law reads."""
    stage: Stage
    thread: Thread
    acting: int
    """Number of entries of this thread's spheres that push."""
    evaluate: Any
    """`Parts.evaluate_walls`."""
    needs_kind: int
    """1 if the law reads the materials of a contact, else 0."""
    needs_stiffening: int
    """1 if the stiffness of friction springs follows the overlap, else 0."""


@compilable(forceinline=True)
def force_of_walls(world, params, stage, thread, acting, parts):
    """The argument of `add_wall_forces`."""
    return WallForces(
        world, params, stage, thread, acting, parts.evaluate_walls, parts.needs_kind, parts.needs_stiffening
    )


@compilable
def search_acting(tables, position_like):
    """Find gaps and normals, and the entries that push; `tables` is a `Share`. Returns the number of these entries."""
    world = tables.world
    positions = arrays.level(world.motion, 0, 0, position_like)
    radius = world.radius
    walls = world.walls
    wall_contacts = world.wall_contacts
    now = world.workspace.wall_contacts
    begin = np.int64(now.begin[tables.thread.first])
    end = np.int64(now.begin[tables.thread.last])
    find_gaps(wall_contacts, now, walls, radius, positions, world.search.reach[0], begin, end)
    return find_acting(wall_contacts, now, walls, radius, positions, begin, end)


@compilable
def add_wall_forces(tables, shapes, spin_like, reach_like):
    """Compute the forces of walls on this thread's spheres, block by block, as `evaluate_pairs` does. Returns 0."""
    world = tables.world
    wall_contacts = world.wall_contacts
    now = world.workspace.wall_contacts
    radii = world.radius
    masses = world.mass
    inverse_mass = world.inverse_mass
    stage = tables.stage
    thread = tables.thread
    acting = tables.acting
    buffer = world.workspace.threads.buffer[thread.id]
    buffer = buffer[to_line(buffer) :]
    dimension = len(shapes.position)
    at = columns_of(shapes)
    positions = arrays.level(world.motion, 0, 0, shapes.position)
    sphere_rows = world.workspace.threads.sphere_rows[to_line(world.workspace.threads.sphere_rows) :]
    width = row_width(dimension, len(spin_like) > 0)
    forces = arrays.rows(world.force, shapes.position)
    torques = arrays.rows(world.force[dimension:], shapes.spin)
    normals = arrays.rows(now.normal, shapes.position)
    springs = arrays.rows(wall_contacts.shear_spring, shapes.position)
    pushes = arrays.rows(now.force, shapes.position)
    begin = now.begin[thread.first]
    end = now.begin[thread.last]
    forget_materials(buffer, at)
    largest_overlap = world.workspace.threads.largest_overlap[1, thread.id]
    for first in range(begin, begin + acting, BLOCK):
        size = min(BLOCK, begin + acting - first)
        clear_sums(buffer, at, tables.needs_stiffening)  # each position of the block then sums one contact only
        for k in range(size):
            t = now.acting[first + k]
            i = wall_contacts.sphere[t]
            radius = radii[i]
            x = read_row(sphere_rows, entry(i, width, 0), shapes.position)
            velocity = read_row(sphere_rows, entry(i, width, dimension), shapes.position)
            spin = read_row(sphere_rows, entry(i, width, spin_at(dimension) + 1), shapes.spin)
            moved = displacement_of(world, i, shapes.position)
            turned = rotation_of(world, i, shapes)
            gap, normal = now.gap[t], arrays.at(normals, t)
            sphere = SphereMotion(x, velocity, spin, moved, turned)
            motion = wall_motion(world, t, gap, normal, sphere, stage.elapsed)
            arrays.write_block(buffer, at.branch, BLOCK, k, motion.branch)
            arrays.write_block(buffer, at.velocity, BLOCK, k, motion.velocity)
            arrays.write_block(buffer, at.shear_spring, BLOCK, k, arrays.at(springs, t))
            if len(spin_like) == 0:
                arrays.write_block(buffer, at.position, BLOCK, k, motion.position)
            arrays.write_block(buffer, at.displacement, BLOCK, k, motion.displacement)
            arrays.write_block(buffer, at.rotation_i, BLOCK, k, turned)
            arrays.write_block(buffer, at.rotation_j, BLOCK, k, vector.scale(0.0, spin))
            if tables.needs_kind > 0:
                buffer[arrays.index(at.material_pair, BLOCK, k)] = wall_material_pair(world, i, wall_contacts.wall[t])
            arrays.write_block(buffer, at.spin_i, BLOCK, k, spin)
            arrays.write_block(buffer, at.spin_j, BLOCK, k, vector.scale(0.0, spin))
            if turns(world, t):
                own = spin_of_wall(world.walls, wall_contacts.wall[t], spin)
                arrays.write_block(buffer, at.spin_j, BLOCK, k, own)
                arrays.write_block(buffer, at.rotation_j, BLOCK, k, vector.scale(stage.elapsed, own))
            buffer[arrays.index(at.radius_sum, BLOCK, k)] = radius
            buffer[arrays.index(at.effective_radius, BLOCK, k)] = radius
            buffer[arrays.index(at.radius_i, BLOCK, k)] = radius
            buffer[arrays.index(at.radius_j, BLOCK, k)] = 0.0
            buffer[arrays.index(at.effective_mass, BLOCK, k)] = masses[i]
            buffer[arrays.index(at.fixed, BLOCK, k)] = 1.0
            buffer[arrays.index(at.touching, BLOCK, k)] = wall_contacts.touching[t]
            if len(spin_like) > 0:
                buffer[arrays.index(at.effective_inertia, BLOCK, k)] = shared_inertia(inverse_mass[dimension, i])

        call(tables.evaluate, Block(buffer, size, size, tables.params, stage))

        limit = ALMOST * largest_overlap[OVERLAP_RATIO]
        if any_larger(buffer, at, at.radius_i, at.radius_i, size, limit):
            entries = now.acting[first : first + size]
            search_walls(largest_overlap, world, buffer, at, positions, normals, entries)
        for k in range(size):
            t = now.acting[first + k]
            i = wall_contacts.sphere[t]
            force = arrays.read_block(buffer, at.force, BLOCK, k, shapes.position)
            arrays.add_at(forces, i, force)
            arrays.write_at(pushes, t, force)
            now.heat[0, t] = buffer[arrays.index(at.damping, BLOCK, k)]
            now.heat[1, t] = buffer[arrays.index(at.friction, BLOCK, k)]
            if tables.needs_stiffening > 0:
                now.heat[2, t] = buffer[arrays.index(at.stiffening, BLOCK, k)]
            torque = arrays.read_block(buffer, at.torque_i, BLOCK, k, shapes.spin)
            arrays.add_at(torques, i, torque)
            if turns(world, t):
                now.turning_power[t] = turning_power(world, t, arrays.at(normals, t), force, torque)
            arrays.write_at(springs, t, arrays.read_block(buffer, at.shear_spring, BLOCK, k, shapes.position))
            wall_contacts.normal_force[t] = buffer[arrays.index(at.normal_force, BLOCK, k)]
            if len(reach_like) > 0:
                wall_contacts.touching[t] = buffer[arrays.index(at.lasting, BLOCK, k)] > 0.0
            else:
                wall_contacts.touching[t] = 1
    for t in range(begin, end):
        if now.contact_state[t] != ACTS:
            wall_contacts.touching[t] = 0
            wall_contacts.normal_force[t] = 0.0
    return 0


class WallRecord(NamedTuple):
    """Arguments of `record_wall_energy`: a world and the time that the evaluation represents [s]."""

    world: World
    dt: float
    needs_stiffening: int
    """As in `WallForces`."""
    follows: int
    """Whether walls that keep a force get a new velocity (repose.sim.engine.contacts.servo)."""


@compilable(forceinline=True)
def wall_record(world, dt_stage, needs_stiffening, follows):
    """The argument of `record_wall_energy`."""
    return WallRecord(world, dt_stage, needs_stiffening, follows)


@compilable
def record_wall_energy(tables):
    """Sum the forces on each wall, and add the energy of contacts with walls to the ledger, in the order of the list.
    Returns 0."""
    world = tables.world
    ledger = world.ledger
    wall_contacts = world.wall_contacts
    now = world.workspace.wall_contacts
    walls = world.walls
    dt_stage = tables.dt
    walls.force[:] = 0.0
    damping = 0.0
    friction = 0.0
    stiffening = 0.0
    work = 0.0
    for t in range(world.counters[WALL_CONTACT_COUNT]):
        if now.contact_state[t] != ACTS:
            continue
        w = wall_contacts.wall[t]
        for c in range(walls.force.shape[1]):
            walls.force[w, c] -= now.force[c, t]
            work += now.force[c, t] * walls.velocity[w, c]
        if walls.spin[w] != 0.0:
            work += now.turning_power[t]
        damping += now.heat[0, t]
        friction += now.heat[1, t]
        if tables.needs_stiffening > 0:
            stiffening += now.heat[2, t]
    # The last entries: chunks of pairs use the first ones.
    ledger[LEDGER_DAMPING, BLOCK - 1] += dt_stage * damping
    ledger[LEDGER_FRICTION, BLOCK - 1] += friction
    world.stiffening[BLOCK - 1] += stiffening
    ledger[LEDGER_WALLS, 0] += dt_stage * work
    if tables.follows != KEPT:
        follow_forces(walls, wall_contacts, now.contact_state, world.counters[WALL_CONTACT_COUNT], tables.follows)
    return 0


@compilable
def move_walls(walls, dt):
    """Move the walls by dt × velocity."""
    moved, velocity = walls.moved, walls.velocity
    for w in range(moved.shape[0]):
        for c in range(moved.shape[1]):
            moved[w, c] += dt * velocity[w, c]
    if dt > 0.0:
        go_on(walls)
