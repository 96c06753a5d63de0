"""A vessel with liquid of large particles, for the scenes whose particles flow."""

from __future__ import annotations

import numpy as np
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Part
from repose.sim.message import _
from repose.sim.scenes.large_particles.particles import DIAMETER, RADIUS, VOLUME, Box

DENSITY = 1000.0
"""Density of the liquid, by the volume of its particles as spheres [kg/m³]."""
SPREAD = 0.08
"""Half-width of the uniform distribution of radii, in mean radii [-]: equal particles would form a crystal."""
SPACING = (1.0 + SPREAD) * 2.0 * RADIUS
"""Initial distance of particles, at which the largest particles just touch [m]."""
MARKED = 2
"""Number of rows in a marked layer, which shows the motion of the liquid."""
LIQUID = (Part(_("liquid"), "water"), Part(_("marked layers"), "deep water"))
LEFT, BOTTOM, RIGHT = range(3)
"""Rows of the walls."""


def liquid(columns: int, rows: int, seed: int) -> World:
    """A block of particles in the corner of a vessel at the origin, fixed until they are released."""
    generator = np.random.default_rng(seed)
    column, row = (part.ravel() for part in np.meshgrid(np.arange(columns), np.arange(rows)))
    centres = SPACING * np.column_stack([column + 0.5 * (row % 2) + 0.5, np.sqrt(0.75) * row + 0.5])
    radii = RADIUS * generator.uniform(1.0 - SPREAD, 1.0 + SPREAD, column.size)
    world = empty_world(2, 0, skin=0.3 * RADIUS)
    world = add_spheres(
        world, centres, radii, DENSITY * VOLUME * (radii / RADIUS) ** 3, SphereGroup(fixed=True, layer=0)
    )
    world.layer[:] = row // MARKED % len(LIQUID)
    return world


def width_of(columns: int) -> float:
    """Width of a block of `columns` columns [m]."""
    return (columns + 0.5) * SPACING


def with_vessel(world: World, width: float, speed: float = 0.0) -> World:
    """The world in a vessel of that width [m], whose left wall moves to the right [m/s]."""
    places = ((0.0, 0.0), (0.0, 0.0), (width, 0.0))
    normals = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
    corners = [[position, normal, (0.0, 0.0)] for position, normal in zip(places, normals, strict=True)]
    return set_walls(world, [PLANE] * 3, corners, velocity=((speed, 0.0), (0.0, 0.0), (0.0, 0.0)))


def walls_at(experiment: Experiment) -> tuple[float, float]:
    """Positions of the left and of the right wall [m]."""
    walls = experiment.run.world.walls
    position = walls.corner[:, 0, 0] + walls.moved[:, 0]
    return float(position[LEFT]), float(position[RIGHT])


def box_of(width: float, height: float) -> Box:
    """The vessel [m]."""
    return (-DIAMETER, -DIAMETER), (width + DIAMETER, height)


def vessel_lines(experiment: Experiment) -> Floats:
    """Bottom and both walls [m], shape (3, 2, 2)."""
    left, right = walls_at(experiment)
    top = experiment.scene.view.box(experiment)[1][1]
    corners = np.array([(left, top), (left, 0.0), (right, 0.0), (right, top)])
    return np.stack([corners[:-1], corners[1:]], axis=1)
