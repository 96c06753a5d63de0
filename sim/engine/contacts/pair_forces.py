"""Forces of all pairs of spheres: gathered in blocks, evaluated by the law, scattered in list order.

Only the evaluation depends on the law. It is a separate part, called once per block by its address.

The list is sorted: the forces on a sphere add up in the order of its neighbours' rows, first from pairs in which it is
j, then from pairs in which it is i, each in partial sums (repose.sim.engine.contacts.partial_sums).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.bodies import body_tables
from repose.sim.engine.body_members import any_free, write_sums_at_walls
from repose.sim.engine.boundaries import inverse_period, nearest
from repose.sim.engine.contacts.kinematics import (
    PairMotion,
    PairProperties,
    ShearMemory,
    contact_between,
    counted_share,
    shared_inertia,
    shared_mass,
)
from repose.sim.engine.contacts.overlap_record import ALMOST, any_larger, search_pairs, start_search
from repose.sim.engine.contacts.pair_blocks import (
    Block,
    clear_sums,
    column_sum,
    columns_from,
    columns_of,
    contacts_with_padding,
    forget_materials,
    to_line,
)
from repose.sim.engine.contacts.partial_sums import (
    add_partial_sums,
    clear_partial_sums,
    find_rows_of_sums,
    has_partial_sums,
    own_ranges,
)
from repose.sim.engine.contacts.sphere_rows import (
    add_forces_of_pairs,
    choose_near,
    copy_to_block,
    displacement_at,
    fill_gravity,
    fill_rows,
    gather_differences,
    gather_rows,
    return_listed,
    rotation_at,
    rows_to_columns,
    spin_at,
    split_velocity,
    with_radius,
)
from repose.sim.engine.images import nearest_branch, periods_of
from repose.sim.engine.jit import call, compilable
from repose.sim.engine.model import AT_REST, Stage, Thread
from repose.sim.engine.packed import coefficients_at
from repose.sim.engine.roots import inverse_root
from repose.sim.engine.threads import wait
from repose.sim.engine.workspace import (
    BLOCK,
    CHUNK,
    ELSEWHERE,
    FIRST_CHUNK,
    GROUP,
    LAST_CHUNK,
    MASSES_AT,
    OVERLAP_RATIO,
    SPARING,
    TILE,
    Floats,
    row_width,
    sum_width,
)
from repose.sim.engine.world import LEDGER_DAMPING, LEDGER_FRICTION, MATERIAL_COUNT, PAIR_COUNT, PERIOD, World

SMALLEST_FILL = 16
"""Free entries of a block below which the block is evaluated without further filling: another pass costs more [-]."""


class PairForces(NamedTuple):
    """Arguments of `pair_forces`: a world and this evaluation."""

    world: World
    mass: Floats
    """Mass of each sphere on which the weight acts [kg], shape (count,)."""
    params: int
    """Address (repose.sim.engine.packed) of the numbers that the law reads."""
    gravity: int
    """Address of the gravity [m/s²]."""
    reach: float
    """Largest gap at which the law acts [m]; 0 for a contact law."""
    stage: Stage
    thread: Thread
    evaluate: Any
    """`Parts.evaluate_pairs`."""
    needs_kind: int
    """1 if the law reads the materials of a contact, else 0."""
    needs_radius: int
    """1 if the law reads the effective radius of spheres that do not rotate, else 0."""
    needs_stiffening: int
    """1 if the stiffness of friction springs follows the overlap, else 0."""
    fill_noted: Any
    """`Parts.fill_noted`."""


@compilable(forceinline=True)
def force_of_pairs(world, coefficients, mass, stage, thread, parts):
    """The argument of `pair_forces`."""
    return PairForces(
        world,
        mass,
        coefficients.law,
        coefficients.gravity,
        coefficients.reach,
        stage,
        thread,
        parts.evaluate_pairs,
        parts.needs_kind,
        parts.needs_radius,
        parts.needs_stiffening,
        parts.fill_noted,
    )


@compilable(forceinline=True)
def pair_forces(tables, shapes):
    """Set the force of this thread's spheres to weight plus contact forces of pairs, and advance contact memory;
    returns 1, or 0 if a thread is missing."""
    world = tables.world
    thread = tables.thread
    threads = world.workspace.threads
    body = world.workspace.search.body
    gravity = coefficients_at(tables.gravity, shapes.position)
    # Where only members in lists are placed, tiles without other spheres are left out.
    sparing = threads.thread_status[thread.id, SPARING] > 0
    for begin in range(thread.first, thread.last, TILE):
        end = min(begin + TILE, thread.last)
        if not sparing or any_free(body, begin, end):
            fill_sphere_rows(world, shapes, shapes.spin, tables.stage, begin, end)
            begin_sums(world, tables.mass, gravity, shapes, begin, end)
    if sparing:
        call(tables.fill_noted, body_tables(world, tables.gravity, 0.0, tables.stage.behind, 1, thread))
    if not wait(threads):
        return 0
    evaluate_pairs(tables, shapes, shapes.spin, shapes.reach, shapes.periodic)
    if not wait(threads):
        return 0
    sums = threads.sums[to_line(threads.sums) :]
    add_partial_sums(sums, threads, width_of_sums(shapes), thread.first, thread.last)
    for begin in range(thread.first, thread.last, TILE):
        end = min(begin + TILE, thread.last)
        if not sparing or any_free(body, begin, end):
            write_sums(world, shapes.position, shapes.spin, begin, end)
    if sparing:
        write_sums_at_walls(world, thread, shapes.position, shapes.spin)
    return 1


@compilable(forceinline=True)
def width_of_sums(shapes):
    """Length of the row of sums of a sphere."""
    return sum_width(len(shapes.position), len(shapes.spin) > 0)


@compilable(forceinline=True)
def fill_sphere_rows(world, shapes, spin_like, stage, first, last):
    """Fill the rows of the spheres first to last - 1 with the quantities that contacts read: position and velocity at
    the same time, and with rotation the displacement and rotation since the last evaluation."""
    dimension = len(shapes.position)
    rows = world.workspace.threads.sphere_rows[to_line(world.workspace.threads.sphere_rows) :]
    width = row_width(dimension, len(spin_like) > 0)
    positions = arrays.level(world.motion, 0, 0, shapes.position)
    velocities = arrays.level(world.motion, 0, 1, shapes.position)
    accelerations = arrays.level(world.motion, 0, 2, shapes.position)
    state = positions + velocities
    behind = stage.behind
    if behind == 0.0:
        fill_rows(rows, width, 0, state[:GROUP], 0.0, (), first, last)
        fill_rows(rows, width, GROUP, state[GROUP:], 0.0, (), first, last)
    else:
        beside, after = split_velocity(accelerations)
        fill_rows(rows, width, 0, state[:GROUP], behind, beside, first, last)
        fill_rows(rows, width, GROUP, state[GROUP:], behind, after, first, last)
    if len(spin_like) > 0:
        previous = arrays.rows(world.previous, shapes.position)
        fill_rows(rows, width, displacement_at(dimension), positions, -1.0, previous, first, last)
        spins = arrays.level(world.motion, dimension, 1, spin_like)
        turning = arrays.level(world.motion, dimension, 2, spin_like)
        if behind == 0.0:
            fill_rows(rows, width, spin_at(dimension), with_radius(spins, world.radius), 0.0, (), first, last)
        else:
            fill_rows(rows, width, spin_at(dimension), with_radius(spins, world.radius), behind, turning, first, last)
        masses = (world.mass, world.inverse_mass[world.inverse_mass.shape[0] - 1])
        fill_rows(rows, width, MASSES_AT, masses, 0.0, (), first, last)
        angles = arrays.level(world.motion, dimension, 0, spin_like)
        before = arrays.rows(world.previous[dimension:], spin_like)
        fill_rows(rows, width, rotation_at(dimension), angles, -1.0, before, first, last)


@compilable(forceinline=True)
def begin_sums(world, mass, gravity, shapes, first, last):
    """Set the sums of forces and torques on the spheres first to last - 1 to weight and zero."""
    sums = world.workspace.threads.sums[to_line(world.workspace.threads.sums) :]
    fill_gravity(sums, width_of_sums(shapes), mass, gravity, shapes.spin, first, last)


@compilable(forceinline=True)
def write_sums(world, position_like, spin_like, first, last):
    """Write the sums of forces and torques on the spheres first to last - 1 to `State.force`."""
    dimension = len(position_like)
    width = sum_width(dimension, len(spin_like) > 0)
    sums = world.workspace.threads.sums[to_line(world.workspace.threads.sums) :]
    rows_to_columns(sums, width, 0, arrays.rows(world.force, position_like), first, last)
    rows_to_columns(sums, width, width // 2, arrays.rows(world.force[dimension:], spin_like), first, last)


@compilable(forceinline=True)
def displacement_of(world, i, position_like):
    """Displacement of sphere i since the last evaluation of forces [m]."""
    now = arrays.at(arrays.level(world.motion, 0, 0, position_like), i)
    last = arrays.at(arrays.rows(world.previous, position_like), i)
    return vector.sub(now, vector.pick(last[0] == ELSEWHERE, now, last))


@compilable(forceinline=True)
def rotation_of(world, i, shapes):
    """Rotation of sphere i since the last evaluation of forces [rad]."""
    dimension = len(shapes.position)
    now = arrays.at(arrays.level(world.motion, dimension, 0, shapes.spin), i)
    return vector.sub(now, arrays.at(arrays.rows(world.previous[dimension:], shapes.spin), i))


@compilable
def pair_contact(world, p, material, shapes):
    """The contact of entry p of the pair list at this moment, with this `Contact.material`; no time passes. Its slip is
    that since the last evaluation of forces."""
    pairs = world.pairs
    columns = world.workspace.pairs
    i = pairs.i[p]
    j = pairs.j[p]
    positions = arrays.level(world.motion, 0, 0, shapes.position)
    velocities = arrays.level(world.motion, 0, 1, shapes.position)
    spins = arrays.level(world.motion, len(shapes.position), 1, shapes.spin)
    branch = vector.sub(arrays.at(positions, i), arrays.at(positions, j))
    branch = nearest_branch(branch, world.boundary, shapes.periodic)
    spin_i = arrays.at(spins, i)
    spin_j = arrays.at(spins, j)
    displacement = vector.sub(displacement_of(world, i, shapes.position), displacement_of(world, j, shapes.position))
    turned_i = rotation_of(world, i, shapes)
    turned_j = rotation_of(world, j, shapes)
    rolling = vector.add(vector.scale(world.radius[i], turned_i), vector.scale(world.radius[j], turned_j))
    rotation = vector.scale(0.5, vector.add(turned_i, turned_j))
    size = columns.radius_sum[p]
    per_distance = inverse_root(vector.dot(branch, branch))
    share = counted_share(float(pairs.touching[p]), branch, per_distance, displacement, size)
    motion = PairMotion(
        branch,
        per_distance,
        branch,
        vector.sub(arrays.at(velocities, i), arrays.at(velocities, j)),
        vector.add(vector.scale(world.radius[i], spin_i), vector.scale(world.radius[j], spin_j)),
        vector.sub(spin_i, spin_j),
        vector.scale(share, displacement),
        vector.scale(share, rolling),
        vector.scale(share, rotation),
        1.0,
    )
    inverse_inertia = world.inverse_mass[world.inverse_mass.shape[0] - 1]
    pair = PairProperties(
        columns.radius_sum[p],
        world.radius[i] * world.radius[j] / columns.radius_sum[p],
        shared_mass(world.mass[i], world.mass[j]),
        shared_inertia(inverse_inertia[i] + inverse_inertia[j]) if len(shapes.spin) > 0 else 0.0,
        float(columns.fixed[p]),
        material,
    )
    spring = arrays.at(arrays.rows(pairs.shear_spring, shapes.position), p)
    contact, _ = contact_between(motion, pair, ShearMemory(spring, float(pairs.touching[p])), AT_REST)
    return contact


@compilable
def evaluate_pairs(tables, shapes, spin_like, reach_like, periodic_like):
    """Compute the contact forces of this thread's ranges of pairs and advance their contact memory.

    `spin_like`, `reach_like` and `periodic_like` are fields of `shapes`. They are arguments, because numba removes
    branches that depend on the length of an argument before it compiles them, but not those that depend on a field.
    """
    world = tables.world
    threads = world.workspace.threads
    thread = tables.thread
    sums = threads.sums[to_line(threads.sums) :]
    width = sum_width(len(shapes.position), len(spin_like) > 0)
    buffer = threads.buffer[thread.id]
    forget_materials(buffer[to_line(buffer) :], columns_of(shapes))
    start_search(threads.largest_overlap, world.largest_overlap, thread.id)
    begin, end = own_ranges(threads, thread)
    for k in range(begin, end):
        clear_partial_sums(sums, threads, k, width)
        for chunk in range(threads.ranges[k, FIRST_CHUNK], threads.ranges[k, LAST_CHUNK]):
            evaluate_chunk(tables, shapes, spin_like, reach_like, periodic_like, k, chunk)


@compilable(forceinline=True)
def evaluate_chunk(tables, shapes, spin_like, reach_like, periodic_like, of_range, chunk):
    """`evaluate_pairs` for one chunk, which is of this range."""
    world = tables.world
    pairs = world.pairs
    of_pairs = world.workspace.pairs
    threads = world.workspace.threads
    stage = tables.stage
    thread = tables.thread
    buffer = threads.buffer[thread.id]
    buffer = buffer[to_line(buffer) :]
    chosen = threads.chosen[thread.id]
    dimension = len(shapes.position)
    turning = len(spin_like) > 0
    at = columns_of(shapes)
    remembered = at.lasting if len(reach_like) > 0 else at.overlap
    sphere_rows = threads.sphere_rows[to_line(threads.sphere_rows) :]
    sums = threads.sums[to_line(threads.sums) :]
    springs = arrays.rows(pairs.shear_spring, shapes.position)
    branches = arrays.rows(of_pairs.last_branch, shapes.position)
    several_materials = tables.needs_kind > 0 and world.counters[MATERIAL_COUNT] > 1
    largest_overlap = threads.largest_overlap[0, thread.id]
    clear_sums(buffer, at, tables.needs_stiffening)
    periods = periods_of(world.boundary, shapes.position, periodic_like)
    first = chunk * CHUNK
    stop = min(first + CHUNK, world.counters[PAIR_COUNT])
    while first < stop:
        if turning:
            size, following = choose_touching(
                chosen, world, sphere_rows, shapes.position, reach_like, tables.reach, periods, (first, stop)
            )
            rows = chosen[0, :size]
            rows_i = chosen[1, :size]
            rows_j = chosen[2, :size]
            gather_touching(buffer, at, world, sphere_rows, shapes, springs, (rows, rows_i, rows_j))
        else:
            following = min(first + BLOCK, stop)
            rows = chosen[0, :0]
            rows_i = pairs.i[first:following]
            rows_j = pairs.j[first:following]
            gather_all(buffer, at, world, sphere_rows, shapes.position, first, following, tables.needs_radius)
        if len(periodic_like) > 0:
            shorten_branches(buffer, at, rows_i.size, world.boundary)
        if several_materials:
            for k in range(rows_i.size):
                p = rows[k] if turning else np.uint32(first + k)
                buffer[arrays.index(at.material_pair, BLOCK, k)] = of_pairs.material_pair[p]

        full = contacts_with_padding(buffer, at, rows_i.size, dimension, turning)
        call(tables.evaluate, Block(buffer, rows_i.size, full, tables.params, stage))

        limit = ALMOST * largest_overlap[OVERLAP_RATIO]
        if turning:
            larger = any_larger(buffer, at, at.radius_i, at.radius_j, rows.size, limit)
            for k in range(rows.size):
                p = rows[k]
                if len(reach_like) > 0:
                    pairs.touching[p] = buffer[arrays.index(at.lasting, BLOCK, k)] > 0.0
                else:
                    pairs.touching[p] = 1
                pairs.normal_force[p] = buffer[arrays.index(at.normal_force, BLOCK, k)]
                arrays.write_at(springs, p, arrays.read_block(buffer, at.shear_spring, BLOCK, k, shapes.position))
        else:
            targets = (*springs, *branches, pairs.normal_force, pairs.touching)
            columns = (
                *columns_from(at.shear_spring, shapes.position),
                *columns_from(at.branch, shapes.position),
                at.normal_force,
                remembered,
            )
            larger = return_listed(
                targets, columns, buffer, first, following, at.overlap, of_pairs.smaller_radius, limit
            )
        if larger:
            search_pairs(largest_overlap, world, buffer, at, (sphere_rows, shapes.position), rows_i, rows_j)
        if has_partial_sums(threads.ranges, of_range):
            sums_i, sums_j = chosen[3, : rows_i.size], chosen[4, : rows_i.size]
            find_rows_of_sums(sums_i, rows_i, threads.ranges, of_range)
            find_rows_of_sums(sums_j, rows_j, threads.ranges, of_range)
        else:
            sums_i, sums_j = rows_i, rows_j
        scatter_forces(sums, buffer, at, shapes.position, shapes.spin, sums_i, sums_j)
        first = following
    threads.heat[0, chunk] = column_sum(buffer, at.damping)
    threads.heat[1, chunk] = column_sum(buffer, at.friction)
    if tables.needs_stiffening > 0:
        threads.heat[2, chunk] = column_sum(buffer, at.stiffening)


@compilable(forceinline=True)
def gather_all(buffer, at, world, sphere_rows, position_like, first, last, needs_radius):
    """Fill the block with these pairs, touching or not: copying whole columns is faster than selecting entries."""
    pairs = world.pairs
    of_pairs = world.workspace.pairs
    radii = world.radius
    gather_motion(buffer, at, sphere_rows, position_like, (), pairs.i[first:last], pairs.j[first:last])
    vectors = (*columns_from(at.shear_spring, position_like), *columns_from(at.displacement, position_like))
    columns = (*vectors, at.radius_sum, at.effective_mass, at.fixed, at.touching)
    memory = (*arrays.rows(pairs.shear_spring, position_like), *arrays.rows(of_pairs.last_branch, position_like))
    sources = (*memory, of_pairs.radius_sum, of_pairs.effective_mass, of_pairs.fixed, pairs.touching)
    copy_to_block(buffer, columns, sources, first, last)
    if needs_radius > 0:
        for k in range(last - first):
            product = radii[pairs.i[first + k]] * radii[pairs.j[first + k]]
            radius_sum = buffer[arrays.index(at.radius_sum, BLOCK, k)]
            buffer[arrays.index(at.effective_radius, BLOCK, k)] = product / radius_sum


@compilable(forceinline=True)
def shorten_branches(buffer, at, size, boundary):
    """Replace the first `size` branches of the block by those between the nearest images."""
    for c in range(boundary.shape[1]):
        period, inverse = boundary[PERIOD, c], inverse_period(boundary[PERIOD, c])
        for k in range(size):
            entry = arrays.index(at.branch + c, BLOCK, k)
            buffer[entry] = nearest(buffer[entry], period, inverse)


@compilable(forceinline=True)
def gather_motion(buffer, at, sphere_rows, position_like, spin_like, rows_i, rows_j):
    """Fill branch and velocity of pairs: neighbouring columns of a block, neighbouring entries of a sphere's row."""
    width = row_width(len(position_like), len(spin_like) > 0)
    both = position_like + position_like
    gather_differences(buffer, at.branch, both[:GROUP], sphere_rows, width, 0, rows_i, rows_j)
    gather_differences(buffer, at.branch + GROUP, both[GROUP:], sphere_rows, width, GROUP, rows_i, rows_j)


@compilable(forceinline=True)
def choose_touching(chosen, world, sphere_rows, position_like, reach_like, reach, periods, span):
    """Choose pairs within reach of each other, from span[0] on and before span[1], until the block is full, and write
    their rows and spheres; returns their number, and the pair with which to continue.

    With rotation the law costs several times as much as a test of the distance.
    """
    count = 0
    first, stop = span
    while first < stop and BLOCK - count >= SMALLEST_FILL:
        last = min(first + BLOCK - count, stop)
        listed, part = (world.pairs, world.workspace.pairs.radius_sum, periods), (first, last)
        count = choose_near(chosen, count, listed, sphere_rows, position_like, reach_like, reach, part)
        first = last
    return count, first


@compilable(forceinline=True)
def gather_touching(buffer, at, world, sphere_rows, shapes, springs, chosen):
    """Fill the block with the chosen pairs: their rows in the list, and those of their spheres i and j."""
    rows, rows_i, rows_j = chosen
    pairs = world.pairs
    gather_motion(buffer, at, sphere_rows, shapes.position, shapes.spin, rows_i, rows_j)
    width = row_width(len(shapes.position), True)
    turning = with_radius(shapes.spin, 0.0)
    dimension = len(shapes.position)
    first = displacement_at(dimension)
    gather_differences(buffer, at.displacement, shapes.position, sphere_rows, width, first, rows_i, rows_j)
    gather_rows(buffer, at.radius_i, turning, sphere_rows, width, spin_at(dimension), rows_i)
    gather_rows(buffer, at.radius_j, turning, sphere_rows, width, spin_at(dimension), rows_j)
    gather_rows(buffer, at.rotation_i, shapes.spin, sphere_rows, width, rotation_at(dimension), rows_i)
    gather_rows(buffer, at.rotation_j, shapes.spin, sphere_rows, width, rotation_at(dimension), rows_j)
    masses, other = (0.0, 0.0), at.fixed  # two columns that are filled later
    gather_rows(buffer, at.effective_mass, masses, sphere_rows, width, MASSES_AT, rows_i)
    gather_rows(buffer, other, masses, sphere_rows, width, MASSES_AT, rows_j)
    for k in range(rows.size):
        mass_i, per_inertia_i = arrays.read_block(buffer, at.effective_mass, BLOCK, k, masses)
        mass_j, per_inertia_j = arrays.read_block(buffer, other, BLOCK, k, masses)
        shared = shared_mass(mass_i, mass_j), shared_inertia(per_inertia_i + per_inertia_j)
        arrays.write_block(buffer, at.effective_mass, BLOCK, k, shared)
    for k in range(rows.size):
        p = rows[k]
        arrays.write_block(buffer, at.shear_spring, BLOCK, k, arrays.at(springs, p))
        buffer[arrays.index(at.fixed, BLOCK, k)] = world.workspace.pairs.fixed[p]
        buffer[arrays.index(at.touching, BLOCK, k)] = pairs.touching[p]


@compilable(forceinline=True)
def scatter_forces(sums, buffer, at, position_like, spin_like, rows_i, rows_j):
    """Add the forces of a block to both spheres of each pair: a sphere occurs as j earlier in the list than as i."""
    width = sum_width(len(position_like), len(spin_like) > 0)
    columns = at.force, at.torque_i, at.torque_j
    add_forces_of_pairs(sums, width, position_like, spin_like, rows_i, rows_j, buffer, columns)


def heat_of_pairs(world: World) -> float:
    """Power of the dampers between spheres at the last evaluation of forces, which must be of this workspace [W]."""
    chunks = math.ceil(world.counters[PAIR_COUNT] / CHUNK)
    return float(world.workspace.threads.heat[0, :chunks].sum())


@compilable(forceinline=True)
def record_pair_energy(world, needs_stiffening, dt_stage):
    """Add the heat of damping at this evaluation, and the energies that friction springs have gained and lost since the
    last evaluation, to the ledger."""
    ledger = world.ledger
    heat = world.workspace.threads.heat
    pair_count = world.counters[PAIR_COUNT]
    for chunk in range((pair_count + CHUNK - 1) // CHUNK):
        ledger[LEDGER_DAMPING, chunk % BLOCK] += dt_stage * heat[0, chunk]
        ledger[LEDGER_FRICTION, chunk % BLOCK] += heat[1, chunk]
        if needs_stiffening > 0:
            world.stiffening[chunk % BLOCK] += heat[2, chunk]
