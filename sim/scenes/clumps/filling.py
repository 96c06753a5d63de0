"""Plate and container of the scene clumps, and the pouring of a layer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.clump import Clump, slabs
from repose.sim.engine.body_builder import add_bodies
from repose.sim.engine.builder import add_spheres, empty_world, keep_spheres, set_walls
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.engine.world import World
from repose.sim.experiment.activation import free_fall
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.scenes.clumps.grains import BALL, Grain, random_orientations, shape_of
from repose.sim.scenes.clumps.parameters import ClumpsParameters
from repose.sim.scenes.common.poured import PouredState, generator_of, release_layer
from repose.sim.scenes.common.stream import SIDES, drawn_radii, frustum, layers_in_all, next_places, plate_radius

FLOOR_WALL = 0
"""Row of the plate in the table of walls; the facets of the container follow."""
LOOSE = 0.35
"""Packing fraction of poured clumps, for the size of the container [-]; that of tetrapods is about as low."""
WIDTH = 0.5
"""Part of the width of the container in which the packing fraction is measured [-]."""
FINE = 8.0
"""Sampling points per mean radius for the packing fraction."""


@dataclass
class ClumpsState(PouredState):
    """State of the experiment; phases: empty, filling, filled, flowing, rested. `radii` are those of balls of the same
    volumes."""

    loose: list[bool] = field(default_factory=list)
    """Which grains are loose spheres, in the order of pouring."""
    members: list[list[float]] = field(default_factory=list)
    """Centre and radius of each member of the clump with the volume of a ball of radius 1."""
    inertia: list[list[float]] = field(default_factory=list)
    """Its tensor of inertia for the density 1."""
    packing: float = 0.0
    """Packing fraction in the container once it was filled [-]; 0 before."""
    reading: dict[str, Any] = field(default_factory=dict)
    """The latest measurement of the slope: angles [rad], profile [m]; empty before the first one."""

    @property
    def grain(self) -> Grain:
        """The clump of this run; its file is read at a start only."""
        return Grain(tuple((x, y, z, r) for x, y, z, r in self.members), tuple((a, b, c) for a, b, c in self.inertia))


class Sizes(NamedTuple):
    """Measures of the experiment that follow from the grains [m]."""

    plate: float
    """Radius of the plate."""
    wide: float
    """Distance of the walls of the container from its axis."""
    high: float
    """Height of the rim of the container."""
    reach: float
    """Radius of the ball that contains the largest grain."""


def sizes(parameters: ClumpsParameters, reach: float) -> Sizes:
    """Plate and container for that many grains, the largest of which fits into a ball of the radius `reach` [m]."""
    radius = parameters.mean_radius
    bulk = parameters.grain_count * BALL * radius**3 / LOOSE
    wide = max((bulk / (2.0 * math.pi)) ** (1.0 / 3.0), 4.2 * reach)  # room for seven of the largest in a layer
    plate = max(plate_radius(parameters), 1.5 * wide + 2.0 * reach)
    return Sizes(plate, wide, 1.2 * bulk / (math.pi * wide**2) + 4.0 * reach, reach)


def sizes_now(experiment: Experiment) -> Sizes:
    """The sizes of this run."""
    built: ClumpsParameters = experiment.run.built
    return sizes(built, built.largest_radius * max(1.0, experiment.run.state.grain.reach))


def begin(parameters: ClumpsParameters, seed: int) -> tuple[World, ClumpsState]:
    """The empty container on the plate."""
    generator = np.random.default_rng(seed)
    grain = parameters.grain
    radii = drawn_radii(parameters, generator)
    loose = generator.random(radii.size) < parameters.ball_share
    if len(grain.members) == 1:
        loose[:] = True  # a clump of one sphere is a sphere
    size = sizes(parameters, parameters.reach)
    smallest = min(1.0, *(member[3] for member in grain.members)) if not loose.all() else 1.0
    world = empty_world(3, 3, skin=0.3 * smallest * parameters.mean_radius, materials=2)
    floor = np.array([[(0, 0, 0), (0, 0, 1), (0, 0, 0)]], float)
    sides = SIDES if parameters.container == "cylinder" else 4
    edge = size.wide / math.cos(math.pi / sides)
    walls = frustum(edge, edge, 0.0, size.high, sides, math.pi / sides)
    world = set_walls(world, [PLANE] + [FACET] * len(walls), np.concatenate([floor, walls]), material=1)
    state = ClumpsState(
        radii=radii.tolist(),
        loose=loose.tolist(),
        members=[list(member) for member in grain.members],
        inertia=[list(row) for row in grain.inertia],
    )
    state.random = dict(generator.bit_generator.state)
    return world, state


def room_of_layer(size: Sizes) -> float:
    """Radius of the circle in which the centres of a new layer are [m]."""
    return size.wide - 1.1 * size.reach


def pour_layer(experiment: Experiment) -> None:
    """Release the next layer just above the rim of the container, each clump turned at random."""
    run = experiment.run
    state: ClumpsState = run.state
    built: ClumpsParameters = run.built
    size = sizes_now(experiment)
    generator = generator_of(state)
    place = next_places(generator, len(state.radii) - state.poured, room_of_layer(size), size.reach)
    place[:, 2] += size.high + size.reach
    these = slice(state.poured, state.poured + len(place))
    radii, loose = np.array(state.radii[these]), np.array(state.loose[these], bool)
    # Orientations are drawn apart from the places, which are drawn in advance to count the layers.
    turned = random_orientations(len(place), np.random.default_rng((experiment.seed, state.next_id)))
    falling = free_fall(experiment)

    def add(world: World, layer: int, first_id: int) -> World:
        mass = built.mass_of(radii[loose])
        world = add_spheres(world, place[loose], radii[loose], mass, **falling, layer=layer, first_id=first_id)
        first_id += int(loose.sum())
        grain = state.grain
        for radius in np.unique(radii[~loose]):
            rows = np.flatnonzero(~loose & (radii == radius))
            shape = shape_of(grain, float(radius), built.density)
            world = add_bodies(
                world,
                shape,
                place[rows],
                orientation=turned[rows],
                velocity=falling["velocity"],
                layer=layer,
                first_id=first_id,
            )
            world.bodies.motion[:3, 2, -rows.size :] = np.asarray(falling["acceleration"])[:, None]
            first_id += rows.size * len(shape.radius)
        return world

    release_layer(experiment, add, len(place), generator)


def layers(experiment: Experiment) -> int:
    """Number of layers once all grains are poured."""
    size = sizes_now(experiment)
    return layers_in_all(experiment.run.state, room_of_layer(size), size.reach)


def grains_beyond(world: World, rim: float) -> tuple[NDArray[np.bool_], int]:
    """Spheres of the grains that have left the plate of this radius [m], shape (count,), and the number of grains."""
    away = np.hypot(*world.motion[:2, 0])
    body = world.search.body
    gone = (away > rim + world.radius) & ~world.fixed
    grains = int((gone & (body < 0)).sum())
    if world.bodies:
        of_bodies = np.hypot(*world.bodies.motion[:2, 0]) > rim
        gone &= body < 0
        gone |= (body >= 0) & of_bodies[np.maximum(body, 0)] if of_bodies.size else False
        grains += int(of_bodies.sum())
    return gone, grains


def remove_fallen(experiment: Experiment) -> None:
    """Remove the grains whose centre is beyond the rim of the plate, with their energy."""
    run = experiment.run
    gone, grains = grains_beyond(run.world, sizes_now(experiment).plate)
    if grains:
        with booked(experiment, "removed"):
            run.world = keep_spheres(run.world, ~gone)
        run.state.removed += grains
        run.state.quiet_since = experiment.time


def packing_in_container(experiment: Experiment) -> float:
    """Fraction of a block well inside the filling that is inside grains [-], overlapping members counted once; 0 if the
    filling is too low."""
    world, size = experiment.run.world, sizes_now(experiment)
    mean = experiment.run.built.mean_radius
    tops = world.motion[2, 0] + world.radius
    half = WIDTH * size.wide
    inner = (np.abs(world.motion[:2, 0]) < half).all(axis=0)
    top = float(np.quantile(tops[inner], 0.9)) - 2.0 * mean if inner.any() else 0.0
    low, high = np.array([-half, -half, mean]), np.array([half, half, top])
    if top < 3.0 * mean:
        return 0.0
    spheres = Clump("packing", "", np.ascontiguousarray(world.motion[:3, 0].T), world.radius)
    parts = [slab.covered for slab in slabs(spheres, low, high, mean / FINE)]
    return float(sum(part.sum(dtype=np.int64) for part in parts)) / sum(part.size for part in parts)
