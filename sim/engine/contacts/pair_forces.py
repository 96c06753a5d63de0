"""Forces of all pairs of spheres: gathered in blocks, evaluated by the law, scattered in list order.

As the list is sorted, what a sphere is given comes in the order of its neighbours' rows: first from pairs where it is
j, then from those where it is i. Several threads put forces down per pair, and gather them in the same order.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.barrier import share
from repose.sim.engine.contacts.deepest_overlap import any_deeper, begin_deepest, note_deepest
from repose.sim.engine.contacts.kinematics import contact_between
from repose.sim.engine.contacts.pair_blocks import (
    begin_sums,
    columns,
    copy_column,
    evaluate,
    fill_up,
    forget_materials,
    look_up,
    sum_up,
    to_line,
)
from repose.sim.engine.workspace import BLOCK, CHUNK
from repose.sim.engine.world import LEDGER_DAMPING, LEDGER_FRICTION, PAIR_COUNT

SMALLEST_ROOM = 16
"""Fewer free columns of a block are not filled up: a look costs more than they are worth."""


@register_jitable
def pair_contact(world, p, properties, params, position_like, spin_like, duration):
    """The kinematics of entry p of the pair list, one by one, and the memory it starts with."""
    pairs = world.pairs
    dimension = len(position_like)
    i = pairs.i[p]
    j = pairs.j[p]
    positions = arrays.level(world.motion, 0, 0, position_like)
    velocities = arrays.level(world.motion, 0, 1, position_like)
    spins = arrays.level(world.motion, dimension, 1, spin_like)
    branch = vector.sub(arrays.at(positions, i), arrays.at(positions, j))
    spin_i = arrays.at(spins, i)
    spin_j = arrays.at(spins, j)
    return contact_between(
        branch,
        branch,
        vector.sub(arrays.at(velocities, i), arrays.at(velocities, j)),
        vector.add(vector.scale(world.radius[i], spin_i), vector.scale(world.radius[j], spin_j)),
        vector.scale(0.5, vector.add(spin_i, spin_j)),
        vector.sub(spin_i, spin_j),
        arrays.at(arrays.rows(pairs.anchor, position_like), p),
        float(pairs.touching[p]),
        pairs.radius_sum[p],
        world.radius[i] * world.radius[j] / pairs.radius_sum[p],
        pairs.effective_mass[p],
        pairs.effective_inertia[p] if len(spin_like) > 0 else 0.0,
        float(pairs.held[p]),
        properties(params, pairs.kind[p]),
        duration,
        1.0,
    )


@register_jitable
def pair_forces(
    world,
    law,
    properties,
    rules,
    params,
    position_like,
    spin_like,
    material_like,
    needs_material,
    duration,
    gentle,
    part,
):
    """Find the contact forces of this thread's pairs and advance their contact memory.

    Alone, a thread adds the forces to `world.force`; else `gather_forces` does. `duration` [s] is the time this
    evaluation stands for.
    """
    pairs = world.pairs
    radii = world.radius
    parts = world.crew.tally.shape[0]
    alone = parts == 1
    buffer = world.crew.buffer[part]
    buffer = buffer[to_line(buffer) :]
    chosen = world.crew.chosen[part]
    dimension = len(position_like)
    turning = len(spin_like) > 0
    at = columns(dimension, len(spin_like), len(material_like))
    positions = arrays.level(world.motion, 0, 0, position_like)
    velocities = arrays.level(world.motion, 0, 1, position_like)
    spins = arrays.level(world.motion, dimension, 1, spin_like)
    memory = arrays.rows(pairs.anchor, position_like)
    forces = arrays.rows(world.force, position_like)
    torques = arrays.rows(world.force[dimension:], spin_like)
    pair_count = world.counters[PAIR_COUNT]
    forget_materials(buffer, at)
    deepest = world.crew.deepest[0, part]
    begin_deepest(world.crew.deepest, world.deepest, part)
    unequal = world.search.unequal[0]
    begin, end = share((pair_count + CHUNK - 1) // CHUNK, part, parts)
    for chunk in range(begin, end):
        begin_sums(buffer, at)
        first = chunk * CHUNK
        stop = min(first + CHUNK, pair_count)
        while first < stop:
            if turning:
                size, following = take_touching(buffer, at, chosen, pairs, positions, first, stop)
                rows = chosen[0, :size]
                rows_i = chosen[1, :size]
                rows_j = chosen[2, :size]
                gather_touching(buffer, at, pairs, radii, velocities, spins, memory, rows, rows_i, rows_j)
            else:
                following = min(first + BLOCK, stop)
                rows = chosen[0, :0]
                rows_i = pairs.i[first:following]
                rows_j = pairs.j[first:following]
                gather_all(buffer, at, pairs, radii, positions, velocities, first, following, needs_material)
            if len(material_like) > 0:
                for k in range(rows_i.size):
                    p = rows[k] if turning else np.uint32(first + k)
                    look_up(buffer, at, k, properties, params, pairs.kind[p])

            full = fill_up(buffer, at, rows_i.size, dimension)
            evaluate(buffer, full, law, rules, params, position_like, spin_like, (), material_like, duration, gentle)

            if any_deeper(buffer, at, rows_i.size, deepest, unequal):
                note_deepest(deepest, world, buffer, at, positions, rows_i, rows_j)
            if turning:
                for k in range(rows.size):
                    p = rows[k]
                    pairs.touching[p] = 1
                    pairs.normal_force[p] = buffer[arrays.spot(at.effective_mass, BLOCK, k)]
                    arrays.put(memory, p, arrays.load(buffer, at.memory, BLOCK, k, position_like))
            else:
                put_back(pairs.touching, buffer, at.touching, first, following)
                put_back(pairs.normal_force, buffer, at.effective_mass, first, following)
                for c in range(dimension):
                    put_back(pairs.anchor[c], buffer, at.memory + c, first, following)
            if alone:
                scatter_forces(forces, torques, buffer, at, position_like, spin_like, rows_i, rows_j)
            else:
                put_down_forces(world.crew.push, buffer, at, position_like, spin_like, rows, first, rows_i.size)
            first = following
        world.crew.heat[0, chunk] = sum_up(buffer, at.damping)
        world.crew.heat[1, chunk] = sum_up(buffer, at.friction)


@register_jitable(forceinline=True)
def gather_all(buffer, at, pairs, radii, positions, velocities, first, last, needs_material):
    """Fill the buffer with these pairs, touching or not: whole columns are copied faster than chosen entries."""
    rows_i = pairs.i[first:last]
    rows_j = pairs.j[first:last]
    for k in range(rows_i.size):
        i = rows_i[k]
        j = rows_j[k]
        arrays.save(buffer, at.branch, BLOCK, k, vector.sub(arrays.at(positions, i), arrays.at(positions, j)))
        arrays.save(buffer, at.velocity, BLOCK, k, vector.sub(arrays.at(velocities, i), arrays.at(velocities, j)))
    for c in range(len(positions)):
        copy_column(buffer[(at.memory + c) * BLOCK :], pairs.anchor[c, first:last])
    copy_column(buffer[at.radius_sum * BLOCK :], pairs.radius_sum[first:last])
    copy_column(buffer[at.effective_mass * BLOCK :], pairs.effective_mass[first:last])
    copy_column(buffer[at.held * BLOCK :], pairs.held[first:last])
    copy_column(buffer[at.touching * BLOCK :], pairs.touching[first:last])
    if needs_material:
        for k in range(rows_i.size):
            product = radii[rows_i[k]] * radii[rows_j[k]]
            buffer[arrays.spot(at.effective_radius, BLOCK, k)] = product / buffer[arrays.spot(at.radius_sum, BLOCK, k)]


@register_jitable(forceinline=True)
def take_touching(buffer, at, chosen, pairs, positions, first, stop):
    """Write down which pairs touch, from `first` on and until the block is full, with both their spheres and branches;
    returns how many, and the pair to go on with.

    With rotation the law costs several times as much as a look at the distance.
    """
    count = 0
    while first < stop and BLOCK - count >= SMALLEST_ROOM:
        last = min(first + BLOCK - count, stop)
        rows_i = pairs.i[first:last]
        rows_j = pairs.j[first:last]
        radius_sum = pairs.radius_sum[first:last]
        touching = pairs.touching[first:last]
        normal_force = pairs.normal_force[first:last]
        for k in range(rows_i.size):
            i = rows_i[k]
            j = rows_j[k]
            branch = vector.sub(arrays.at(positions, i), arrays.at(positions, j))
            arrays.save(buffer, at.branch, BLOCK, count, branch)
            touches = vector.dot(branch, branch) < radius_sum[k] * radius_sum[k]
            at_end = np.uint64(count)
            chosen[0, at_end] = first + k
            chosen[1, at_end] = i
            chosen[2, at_end] = j
            hit = 1 if touches else 0
            count += hit
            touching[k] &= hit
            normal_force[k] = 0.0
        first = last
    return count, first


@register_jitable(forceinline=True)
def gather_touching(buffer, at, pairs, radii, velocities, spins, memory, rows, rows_i, rows_j):
    """Fill the buffer with these pairs, whose branches are there."""
    for k in range(rows_i.size):
        i = rows_i[k]
        j = rows_j[k]
        arrays.save(buffer, at.velocity, BLOCK, k, vector.sub(arrays.at(velocities, i), arrays.at(velocities, j)))
    for k in range(rows_i.size):
        i = rows_i[k]
        j = rows_j[k]
        arrays.save(buffer, at.spin_i, BLOCK, k, arrays.at(spins, i))
        arrays.save(buffer, at.spin_j, BLOCK, k, arrays.at(spins, j))
        buffer[arrays.spot(at.radius_i, BLOCK, k)] = radii[i]
        buffer[arrays.spot(at.radius_j, BLOCK, k)] = radii[j]
    for k in range(rows.size):
        p = rows[k]
        arrays.save(buffer, at.memory, BLOCK, k, arrays.at(memory, p))
        buffer[arrays.spot(at.effective_mass, BLOCK, k)] = pairs.effective_mass[p]
        buffer[arrays.spot(at.effective_inertia, BLOCK, k)] = pairs.effective_inertia[p]
        buffer[arrays.spot(at.held, BLOCK, k)] = pairs.held[p]
        buffer[arrays.spot(at.touching, BLOCK, k)] = pairs.touching[p]


@register_jitable(forceinline=True)
def put_back(target, buffer, column, first, last):
    """Write a column of the buffer to where `gather_all` has read it."""
    copy_column(target[first:last], buffer[column * BLOCK : column * BLOCK + last - first])


@register_jitable
def scatter_forces(forces, torques, buffer, at, position_like, spin_like, rows_i, rows_j):
    """Add the forces of a block to both spheres of each pair."""
    for k in range(rows_i.size):
        i = rows_i[k]
        j = rows_j[k]
        push = arrays.load(buffer, at.velocity, BLOCK, k, position_like)
        arrays.deposit(forces, i, push)
        arrays.deposit(forces, j, vector.scale(-1.0, push))
    if len(spin_like) > 0:
        for k in range(rows_i.size):
            arrays.deposit(torques, rows_i[k], arrays.load(buffer, at.spin_i, BLOCK, k, spin_like))
            arrays.deposit(torques, rows_j[k], arrays.load(buffer, at.spin_j, BLOCK, k, spin_like))


@register_jitable
def put_down_forces(push, buffer, at, position_like, spin_like, rows, first, size):
    """Note the forces of a block per pair."""
    dimension = len(position_like)
    turning = len(spin_like)
    for k in range(size):
        p = rows[k] if turning > 0 else np.uint32(first + k)
        arrays.lay(push, p, 0, arrays.load(buffer, at.velocity, BLOCK, k, position_like))
        arrays.lay(push, p, dimension, arrays.load(buffer, at.spin_i, BLOCK, k, spin_like))
        arrays.lay(push, p, dimension + turning, arrays.load(buffer, at.spin_j, BLOCK, k, spin_like))


@register_jitable
def gather_forces(force, pairs, begin, crew, position_like, spin_like, first, last):
    """Add to the spheres of these rows what has been noted for their pairs, in the order of the list."""
    push = crew.push
    other_begin = crew.other_begin
    other = crew.other
    touching = pairs.touching
    dimension = len(position_like)
    turning = len(spin_like)
    forces = arrays.rows(force, position_like)
    torques = arrays.rows(force[dimension:], spin_like)
    for n in range(first, last):
        total = arrays.at(forces, n)
        torque = arrays.at(torques, n)
        for q in range(other_begin[n], other_begin[n + 1]):
            p = other[q]
            if turning > 0 and touching[p] == 0:
                continue  # not evaluated
            total = vector.sub(total, arrays.row_at(push, p, position_like))
            torque = vector.add(torque, arrays.stretch(push, p, dimension + turning, spin_like))
        for p in range(begin[n], begin[n + 1]):
            if turning > 0 and touching[p] == 0:
                continue
            total = vector.add(total, arrays.row_at(push, p, position_like))
            torque = vector.add(torque, arrays.stretch(push, p, dimension, spin_like))
        arrays.put(forces, n, total)
        arrays.put(torques, n, torque)


@register_jitable
def book_heat(ledger, heat, count, duration):
    """Add what all pairs have taken up in this evaluation to the ledger."""
    for chunk in range((count + CHUNK - 1) // CHUNK):
        ledger[LEDGER_DAMPING, chunk % BLOCK] += duration * heat[0, chunk]
        ledger[LEDGER_FRICTION, chunk % BLOCK] += duration * heat[1, chunk]
