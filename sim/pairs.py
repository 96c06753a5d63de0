"""Forces of all pairs of spheres: gathered in blocks, evaluated by the law, scattered in list order.

As the list is sorted, what a sphere is given comes in the order of its neighbours' rows: first from pairs where it is
j, then from those where it is i. Several threads put forces down per pair, and gather them in the same order.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from sim import tables, vec
from sim.blocks import begin_sums, columns, copy_column, evaluate, sum_up
from sim.contact import contact_between, yielding_to_spin
from sim.gate import share
from sim.state import LEDGER_DAMPING, LEDGER_FRICTION, PAIR_COUNT
from sim.workspace import BLOCK, CHUNK


@register_jitable
def pair_contact(world, p, properties, params, position_like, spin_like, duration):
    """The kinematics of entry p of the pair list, one by one, and the memory it starts with."""
    pairs = world.pairs
    dimension = len(position_like)
    i = pairs.i[p]
    j = pairs.j[p]
    positions = tables.rows(world.motion[:, 0], position_like)
    velocities = tables.rows(world.motion[:, 1], position_like)
    spins = tables.rows(world.motion[dimension:, 1], spin_like)
    branch = vec.sub(tables.at(positions, i), tables.at(positions, j))
    spin_i = tables.at(spins, i)
    spin_j = tables.at(spins, j)
    return contact_between(
        branch,
        branch,
        vec.sub(tables.at(velocities, i), tables.at(velocities, j)),
        vec.add(vec.scale(world.radius[i], spin_i), vec.scale(world.radius[j], spin_j)),
        vec.scale(0.5, vec.add(spin_i, spin_j)),
        vec.sub(spin_i, spin_j),
        tables.at(tables.rows(pairs.anchor, position_like), p),
        float(pairs.touching[p]),
        pairs.radius_sum[p],
        pairs.effective_radius[p],
        pairs.effective_mass[p],
        yielding_to_spin(world.mobility, i, dimension, spin_like)
        + yielding_to_spin(world.mobility, j, dimension, spin_like),
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
    dimension = len(position_like)
    turning = len(spin_like)
    at = columns(dimension, turning, len(material_like))
    positions = tables.rows(world.motion[:, 0], position_like)
    velocities = tables.rows(world.motion[:, 1], position_like)
    spins = tables.rows(world.motion[dimension:, 1], spin_like)
    pair_count = world.counters[PAIR_COUNT]
    begin, end = share((pair_count + CHUNK - 1) // CHUNK, part, parts)
    chosen = world.crew.chosen[part]
    for chunk in range(begin, end):
        begin_sums(buffer, at)
        start = chunk * CHUNK
        count = min(CHUNK, pair_count - start)
        if turning > 0:
            count = choose_pairs(chosen, pairs, positions, start, start + count)
        for beginning in range(0, count, BLOCK):
            size = min(BLOCK, count - beginning)
            first = start + beginning
            last = beginning + size
            rows = chosen[0, beginning:last]
            rows_i = chosen[1, beginning:last] if turning > 0 else pairs.i[first : first + size]
            rows_j = chosen[2, beginning:last] if turning > 0 else pairs.j[first : first + size]
            for k in range(size):
                i = rows_i[k]
                j = rows_j[k]
                tables.save(buffer, at.branch, BLOCK, k, vec.sub(tables.at(positions, i), tables.at(positions, j)))
                tables.save(buffer, at.velocity, BLOCK, k, vec.sub(tables.at(velocities, i), tables.at(velocities, j)))
            if turning > 0:
                for k in range(size):
                    i = rows_i[k]
                    j = rows_j[k]
                    spin_i = tables.at(spins, i)
                    spin_j = tables.at(spins, j)
                    roll = vec.add(vec.scale(radii[i], spin_i), vec.scale(radii[j], spin_j))
                    tables.save(buffer, at.roll, BLOCK, k, roll)
                    tables.save(buffer, at.mean_spin, BLOCK, k, vec.scale(0.5, vec.add(spin_i, spin_j)))
                    tables.save(buffer, at.relative_spin, BLOCK, k, vec.sub(spin_i, spin_j))
                    buffer[at.yielding * BLOCK + k] = world.mobility[dimension, i] + world.mobility[dimension, j]
            for c in range(dimension):
                fetch(buffer, at.memory + c, pairs.anchor[c], rows, first, turning)
            fetch(buffer, at.radius_sum, pairs.radius_sum, rows, first, turning)
            fetch(buffer, at.effective_mass, pairs.effective_mass, rows, first, turning)
            fetch(buffer, at.held, pairs.held, rows, first, turning)
            fetch(buffer, at.touching, pairs.touching, rows, first, turning)
            if needs_material:
                fetch(buffer, at.effective_radius, pairs.effective_radius, rows, first, turning)
            if len(material_like) > 0:
                for k in range(rows.size):
                    p = first + k if turning == 0 else rows[k]
                    tables.save(buffer, at.material, BLOCK, k, properties(params, pairs.kind[p]))

            evaluate(
                buffer, rows.size, law, rules, params, position_like, spin_like, (), material_like, duration, gentle
            )

            put_back(pairs.touching, buffer, at.touching, rows, first, turning)
            put_back(pairs.normal_force, buffer, at.effective_mass, rows, first, turning)
            for c in range(dimension):
                put_back(pairs.anchor[c], buffer, at.memory + c, rows, first, turning)
            if alone:
                scatter_forces(world.force, radii, buffer, at, position_like, spin_like, rows_i, rows_j)
            else:
                put_down_forces(world.crew.push, buffer, at, position_like, spin_like, rows, first)
        world.crew.heat[0, chunk] = sum_up(buffer, at.damping)
        world.crew.heat[1, chunk] = sum_up(buffer, at.friction)


@register_jitable(forceinline=True)
def choose_pairs(chosen, pairs, positions, first, last):
    """Write down which of these pairs touch, with both their spheres; returns how many.

    With rotation the law costs several times as much as a look at the distance; without, columns are copied whole.
    """
    rows_i = pairs.i[first:last]
    rows_j = pairs.j[first:last]
    radius_sum = pairs.radius_sum[first:last]
    touching = pairs.touching[first:last]
    normal_force = pairs.normal_force[first:last]
    count = 0
    for k in range(last - first):
        i = rows_i[k]
        j = rows_j[k]
        branch = vec.sub(tables.at(positions, i), tables.at(positions, j))
        touches = vec.dot(branch, branch) < radius_sum[k] * radius_sum[k]
        chosen[0, count] = first + k
        chosen[1, count] = i
        chosen[2, count] = j
        count += 1 if touches else 0
        touching[k] = touching[k] if touches else 0
        normal_force[k] = 0.0
    return count


@register_jitable(forceinline=True)
def fetch(buffer, column, source, rows, first, turning):
    """Fill a column of the buffer with the entries of the pairs to be evaluated."""
    if turning == 0:
        copy_column(buffer[column * BLOCK :], source[first : first + rows.size])
    else:
        for k in range(rows.size):
            buffer[column * BLOCK + k] = source[rows[k]]


@register_jitable(forceinline=True)
def put_back(target, buffer, column, rows, first, turning):
    """Write a column of the buffer to where `fetch` would read it."""
    if turning == 0:
        copy_column(target[first : first + rows.size], buffer[column * BLOCK : column * BLOCK + rows.size])
    else:
        for k in range(rows.size):
            target[rows[k]] = buffer[column * BLOCK + k]


@register_jitable
def scatter_forces(force, radii, buffer, at, position_like, spin_like, rows_i, rows_j):
    """Add the forces of a block to both spheres of each pair."""
    forces = tables.rows(force, position_like)
    torques = tables.rows(force[len(position_like) :], spin_like)
    for k in range(rows_i.size):
        i = rows_i[k]
        j = rows_j[k]
        push = tables.load(buffer, at.velocity, BLOCK, k, position_like)
        tables.deposit(forces, i, push)
        tables.deposit(forces, j, vec.scale(-1.0, push))
    if len(spin_like) > 0:
        for k in range(rows_i.size):
            i = rows_i[k]
            j = rows_j[k]
            torque = tables.load(buffer, at.roll, BLOCK, k, spin_like)
            moment = tables.load(buffer, at.relative_spin, BLOCK, k, spin_like)
            tables.deposit(torques, i, vec.add(vec.scale(radii[i], torque), moment))
            tables.deposit(torques, j, vec.sub(vec.scale(radii[j], torque), moment))


@register_jitable
def put_down_forces(push, buffer, at, position_like, spin_like, rows, first):
    """Note the forces of a block per pair."""
    dimension = len(position_like)
    turning = len(spin_like)
    push = push[first : first + rows.size] if turning == 0 else push
    for k in range(rows.size):
        p = rows[k] if turning > 0 else np.uint32(k)
        tables.lay(push, p, 0, tables.load(buffer, at.velocity, BLOCK, k, position_like))
        tables.lay(push, p, dimension, tables.load(buffer, at.roll, BLOCK, k, spin_like))
        tables.lay(push, p, dimension + turning, tables.load(buffer, at.relative_spin, BLOCK, k, spin_like))


@register_jitable
def gather_forces(force, radii, pairs, begin, crew, position_like, spin_like, first, last):
    """Add to the spheres of these rows what has been noted for their pairs, in the order of the list."""
    push = crew.push
    other_begin = crew.other_begin
    other = crew.other
    touching = pairs.touching
    dimension = len(position_like)
    turning = len(spin_like)
    forces = tables.rows(force, position_like)
    torques = tables.rows(force[dimension:], spin_like)
    for n in range(first, last):
        total = tables.at(forces, n)
        torque = tables.at(torques, n)
        for q in range(other_begin[n], other_begin[n + 1]):
            p = other[q]
            if turning > 0 and touching[p] == 0:
                continue  # not evaluated
            total = vec.sub(total, tables.row_at(push, p, position_like))
            twist = vec.scale(radii[n], tables.stretch(push, p, dimension, spin_like))
            torque = vec.add(torque, vec.sub(twist, tables.stretch(push, p, dimension + turning, spin_like)))
        for p in range(begin[n], begin[n + 1]):
            if turning > 0 and touching[p] == 0:
                continue
            total = vec.add(total, tables.row_at(push, p, position_like))
            twist = vec.scale(radii[n], tables.stretch(push, p, dimension, spin_like))
            torque = vec.add(torque, vec.add(twist, tables.stretch(push, p, dimension + turning, spin_like)))
        tables.put(forces, n, total)
        tables.put(torques, n, torque)


@register_jitable
def book_heat(ledger, heat, count, duration):
    """Add what all pairs have taken up in this evaluation to the ledger."""
    for chunk in range((count + CHUNK - 1) // CHUNK):
        ledger[LEDGER_DAMPING, chunk % BLOCK] += duration * heat[0, chunk]
        ledger[LEDGER_FRICTION, chunk % BLOCK] += duration * heat[1, chunk]
