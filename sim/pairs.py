"""Forces of all pairs of spheres: gathered in blocks, evaluated by the law, scattered in list order."""

from __future__ import annotations

from numba.extending import register_jitable

from sim import tables, vec
from sim.blocks import begin_sums, book_sums, columns, copy_column, evaluate
from sim.contact import contact_between, yielding_to_spin
from sim.state import BLOCK, NEAR_COUNT


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
        yielding_to_spin(world, i, dimension, spin_like) + yielding_to_spin(world, j, dimension, spin_like),
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
):
    """Add the contact forces of all pairs to `world.force` and advance contact memory and ledger.

    `duration` [s] is the time this evaluation stands for.
    """
    pairs = world.pairs
    buffer = world.buffer
    radii = world.radius
    dimension = len(position_like)
    turning = len(spin_like)
    at = columns(dimension, turning, len(material_like))
    positions = tables.rows(world.motion[:, 0], position_like)
    velocities = tables.rows(world.motion[:, 1], position_like)
    spins = tables.rows(world.motion[dimension:, 1], spin_like)
    forces = tables.rows(world.force, position_like)
    torques = tables.rows(world.force[dimension:], spin_like)
    pair_count = world.counters[NEAR_COUNT]
    begin_sums(buffer, at)

    for first in range(0, pair_count, BLOCK):
        size = min(BLOCK, pair_count - first)
        last = first + size
        rows_i = pairs.i[first:last]
        rows_j = pairs.j[first:last]
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
            copy_column(buffer[(at.memory + c) * BLOCK :], pairs.anchor[c, first:last])
        copy_column(buffer[at.radius_sum * BLOCK :], pairs.radius_sum[first:last])
        copy_column(buffer[at.effective_mass * BLOCK :], pairs.effective_mass[first:last])
        copy_column(buffer[at.held * BLOCK :], pairs.held[first:last])
        copy_column(buffer[at.touching * BLOCK :], pairs.touching[first:last])
        if needs_material:
            copy_column(buffer[at.effective_radius * BLOCK :], pairs.effective_radius[first:last])
        if len(material_like) > 0:
            kinds = pairs.kind[first:last]
            for k in range(size):
                tables.save(buffer, at.material, BLOCK, k, properties(params, kinds[k]))

        evaluate(buffer, size, law, rules, params, position_like, spin_like, (), material_like, duration, gentle)

        copy_column(pairs.touching[first:last], buffer[at.touching * BLOCK : at.touching * BLOCK + size])
        forces_at = at.effective_mass * BLOCK
        copy_column(pairs.normal_force[first:last], buffer[forces_at : forces_at + size])
        for c in range(dimension):
            row = (at.memory + c) * BLOCK
            copy_column(pairs.anchor[c, first:last], buffer[row : row + size])
        for k in range(size):
            i = rows_i[k]
            j = rows_j[k]
            push = tables.load(buffer, at.velocity, BLOCK, k, position_like)
            tables.deposit(forces, i, push)
            tables.deposit(forces, j, vec.scale(-1.0, push))
        if turning > 0:
            for k in range(size):
                i = rows_i[k]
                j = rows_j[k]
                torque = tables.load(buffer, at.roll, BLOCK, k, spin_like)
                moment = tables.load(buffer, at.relative_spin, BLOCK, k, spin_like)
                tables.deposit(torques, i, vec.add(vec.scale(radii[i], torque), moment))
                tables.deposit(torques, j, vec.sub(vec.scale(radii[j], torque), moment))

    book_sums(world.ledger, buffer, at, duration)
