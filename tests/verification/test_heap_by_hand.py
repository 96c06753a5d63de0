"""The engine moves the grains of the heap like the equations of the thesis, written down once more with numpy."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.world import PAIR_COUNT, World, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.stepping import advance
from scipy.spatial import cKDTree

STEPS = 50
GEAR = (3 / 16, 251 / 360, 1.0, 11 / 18, 1 / 6, 1 / 60)


def contacts_of(world: World) -> dict[tuple[int, int], np.ndarray]:
    """Anchor of the friction spring [m] of each touching pair."""
    used = int(world.counters[PAIR_COUNT])
    columns = (world.pairs.i, world.pairs.j, world.pairs.touching, world.pairs.shear_spring.T)
    return {(int(i), int(j)): anchor.copy() for i, j, touching, anchor in zip(*(c[:used] for c in columns)) if touching}


def by_hand(world: World, law, gravity: tuple[float, ...], dt: float) -> set[tuple[int, int]]:
    """Step the motion of the world with Gear-5 (thesis eq. 2.7 to 2.10, app. A); the touching pairs at the end."""
    scale = np.array([dt**q / np.prod(range(1, q + 1)) for q in range(6)])[:, None]
    taylor = np.array([[math.comb(p, q) for p in range(6)] for q in range(6)])  # of derivatives scaled by dt^q/q!
    anchors = contacts_of(world)
    near = cKDTree(world.motion[:, 0].T).query_pairs(2.2 * world.radius.max(), output_type="ndarray")
    i, j = np.sort(near[~world.fixed[near].all(axis=1)], axis=1).T
    mass = world.mass[i] * world.mass[j] / (world.mass[i] + world.mass[j])
    k_n = law.normal_stiffness * np.where(world.fixed[i] | world.fixed[j], law.wall_stiffness_factor, 1.0)
    anchor = np.array([anchors.get((a, b), (0.0, 0.0)) for a, b in zip(i, j)]).T
    touched = np.array([(a, b) in anchors for a, b in zip(i, j)])
    motion = world.motion
    for _ in range(STEPS):
        predicted = np.einsum("qp,cpi->cqi", taylor, motion * scale) / scale
        branch, velocity = (predicted[:, q, i] - predicted[:, q, j] for q in (0, 1))
        distance = np.hypot(*branch)
        normal = branch / distance
        tangent = np.array([normal[1], -normal[0]])
        overlap = world.radius[i] + world.radius[j] - distance
        touching = overlap > 0.0
        anchor = np.where(touched, anchor, branch)
        touched = touching
        along, across = (velocity * normal).sum(axis=0), (velocity * tangent).sum(axis=0)
        stretch = ((branch - anchor) * tangent).sum(axis=0)
        push = k_n * np.maximum(overlap, 0.0) ** 1.5 - law.normal_damping * mass * along
        limit = law.friction * np.maximum(push, 0.0)
        shear = -law.shear_damping * mass * across - np.clip(law.shear_stiffness * stretch, -limit, limit)
        force = np.where(touching, push * normal + shear * tangent, 0.0)
        acceleration = np.array(gravity)[:, None] * world.mass
        for c in range(2):
            np.add.at(acceleration[c], i, force[c])
            np.subtract.at(acceleration[c], j, force[c])
        error = (acceleration * world.inverse_mass - predicted[:, 2]) * dt**2 / 2
        motion = predicted + np.array(GEAR)[:, None] * error[:, None] / scale
    world.motion[:] = motion
    return {(int(a), int(b)) for a, b in zip(i[touched], j[touched])}


def test_engine_and_numpy_move_the_heap_alike() -> None:
    # Same formulas, other order of operations: they part by rounding (1e-16 of a radius), which one contact
    # amplifies by at most 1 + w dt a step, w dt < 0.3: a factor 1.3^50 = 5e5 in 50 steps. Radii are 1e-3 m.
    experiment = new_experiment("heap", ready="column")
    advance(experiment, 50)
    engine = experiment.engine
    ours, other = copy_world(experiment.run.world), copy_world(experiment.run.world)
    done, status, _ = engine.advance(ours, engine.law_parameters, engine.gravity, experiment.dt, STEPS)
    assert (done, status) == (STEPS, 0)
    touching = by_hand(other, engine.law_parameters, engine.gravity, experiment.dt)
    assert experiment.run.world.motion.shape[1] == 6
    assert np.abs(ours.motion[:, 0] - experiment.run.world.motion[:, 0]).max() > 1e-9
    assert np.abs(ours.motion[:, 0] - other.motion[:, 0]).max() < 1e-3 * 1e-16 * 5e5
    assert touching == set(contacts_of(ours))
