"""Replacement of the fixed spheres of base and walls under and beside the present grains.

New fixed spheres can overlap grains. The base is built at its position, and all grains are lifted or lowered together
by the smallest distance at which none overlaps the base: no contact between grains changes. Walls start far enough
outside to touch no grain and move inwards by a small fraction of a radius at a time; the grains are relaxed after each
move. This limits the contact forces to those of one move, and no grain gets behind a wall.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import SphereGroup, add_spheres, forget_neighbours, keep_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import restart_motion
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.relaxation import BALANCED, gravity_of, mean_acceleration, relax

CLOSING = 0.1
"""Distance that walls move between two relaxations, over the smallest radius [-]."""
MOVE_ITERATIONS, LAST_ITERATIONS = 150, 600
"""Largest number of iterations of the relaxation after a move, which distribute its overlaps, and after the last
move."""


class FixedSpheres(NamedTuple):
    """Fixed spheres of one size."""

    centre: Floats
    """[m], shape (count, dimension)."""
    radius: float
    """[m]."""
    mass: float
    """Masses for the damping of contacts [kg]."""
    outward: tuple[float, ...] = ()
    """Unit vector away from the grains, of a wall; empty for the base."""
    material: int = 0


def add_fixed(world: World, spheres: Sequence[FixedSpheres], first_id: int) -> World:
    """The world with fixed spheres appended, their ids counted from `first_id`."""
    for group in spheres:
        world = add_spheres(
            world,
            group.centre,
            group.radius,
            group.mass,
            SphereGroup(fixed=True, material=group.material, first_id=first_id),
        )
        first_id += len(group.centre)
    return world


def rebuild(
    experiment: Experiment,
    spheres: Sequence[FixedSpheres],
    first_id: int,
    highest: float = math.inf,
    floor: float = -math.inf,
) -> None:
    """Replace all fixed spheres by these under the grains that are present; the caller books the change of energy.

    Grains above the height `highest` do not move; `floor` is the height of a plane under the base [m].
    """
    run, dimension = experiment.run, experiment.scene.model.dimension
    energy = survey_contacts(experiment).elastic_energy
    calm = max(BALANCED * gravity_of(experiment), mean_acceleration(run.world, dimension))
    grains = keep_spheres(run.world, ~run.world.fixed)
    count = grains.sphere_count
    position, radius = grains.motion[:dimension, 0].T, grains.radius
    lifted = position[:, -1] < highest
    lifts = [lift(position[lifted], radius[lifted], group) for group in spheres if not group.outward]
    onto_floor = float((radius + floor - position[:, -1])[lifted].max(initial=-math.inf))
    rise = max([onto_floor, *lifts])
    position[lifted, -1] += rise if math.isfinite(rise) else 0.0
    gaps = [clearance(position, radius, group) if group.outward else 0.0 for group in spheres]
    moves = math.ceil(max(gaps, default=0.0) / (CLOSING * float(radius.min())))
    run.world = add_fixed(grains, spheres, first_id)
    for left in range(moves, -1, -1):
        centres = [
            group.centre + gap * left / max(moves, 1) * np.array(group.outward or np.zeros(dimension))
            for group, gap in zip(spheres, gaps, strict=True)
        ]
        run.world.motion[:dimension, 0, count:] = np.concatenate([np.empty((0, dimension)), *centres]).T
        forget_neighbours(run.world)
        relax(experiment, energy, calm, MOVE_ITERATIONS if left else LAST_ITERATIONS)
    restart_motion(experiment)


def lift(position: Floats, radius: Floats, base: FixedSpheres) -> float:
    """Smallest distance by which grains must rise, all together, to overlap no sphere of the base [m].

    Negative if they can be lowered, minus infinity if none is above the base. Centres have shape
    (count, dimension) [m].
    """
    if not position.size:
        return -math.inf
    grain, sphere, across = near(position[:, :-1], base.centre[:, :-1], float(radius.max()) + base.radius)
    reach = radius[grain] + base.radius
    over = across < reach
    grain, sphere, across, reach = grain[over], sphere[over], across[over], reach[over]
    needed = base.centre[sphere, -1] + np.sqrt(reach**2 - across**2) - position[grain, -1]
    return float(needed.max(initial=-math.inf))


def clearance(position: Floats, radius: Floats, wall: FixedSpheres) -> float:
    """Smallest displacement of a wall along its outward direction at which it overlaps no grain [m]."""
    outward = np.array(wall.outward)
    depth, wall_depth = position @ outward, wall.centre @ outward
    level, wall_level = position - depth[:, None] * outward, wall.centre - wall_depth[:, None] * outward
    grain, sphere, across = near(level, wall_level, float(radius.max()) + wall.radius)
    reach = radius[grain] + wall.radius
    beside = across < reach
    grain, sphere, across, reach = grain[beside], sphere[beside], across[beside], reach[beside]
    needed = depth[grain] - wall_depth[sphere] + np.sqrt(reach**2 - across**2)
    return float(needed.max(initial=0.0))


def near(grains: Floats, spheres: Floats, reach: float) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Pairs of points closer than `reach` [m]: rows of both and their distance [m], each shape (pairs,)."""
    from scipy.spatial import cKDTree  # here, because the window opens before slow imports

    pairs = cKDTree(grains).sparse_distance_matrix(cKDTree(spheres), reach, output_type="ndarray")
    return pairs["i"], pairs["j"], pairs["v"]
