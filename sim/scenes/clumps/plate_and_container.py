"""Plate and container of the scene clumps, and the pouring of a layer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.clump import Clump, slabs
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import free_fall
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import remove_spheres
from repose.sim.scenes.clumps.parameters import ClumpsParameters, JoinedParameters, LiftedParameters
from repose.sim.scenes.common.clump_grains import BALL, Grain, add_grains, random_orientations
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.poured import PouredState, generator_of, release_layer
from repose.sim.scenes.common.stream import SHALLOW, SIDES, SPACING, frustum, next_places, plate_radius

FLOOR_WALL = 0
"""Row of the plate in the table of walls; the facets of the container follow."""
LOOSE, LOOSE_IN_PLANE = 0.35, 0.7
"""Packing fraction of poured clumps in space and in the plane, for the size of the container [-]; it is as low as that
of tetrapods."""
ROOM, ROOM_IN_PLANE = 3.4, 2.5
"""Least distance of the walls from the axis, in radii of the ball that contains the largest grain [-]: a layer then has
room for four such grains, in the plane for two."""
WIDTH = 0.5
"""Part of the width of the container in which the packing fraction is measured [-]."""
LOOSE_SPHERE = -1
"""Kind of a grain that is one sphere."""
FINE = 8.0
"""Sampling points per mean radius for the packing fraction."""


@dataclass
class ClumpsState(PouredState):
    """State of the experiment. `radii` are the radii of balls of equal
    volume."""

    loose: list[bool] = field(default_factory=list)
    """Which grains are loose spheres, in the order of pouring."""
    members: list[list[float]] = field(default_factory=list)
    """Centre and radius of each member of the first clump, with the volume of a ball of radius 1."""
    inertia: list[list[float]] = field(default_factory=list)
    """Tensor of inertia over mass of the first clump."""
    others: list[Grain] = field(default_factory=list)
    """The further clumps of a mixture."""
    which: list[int] = field(default_factory=list)
    """Index in `grains` of the clump of each grain, in the order of pouring; empty without a mixture."""
    packing: float = 0.0
    """Packing fraction in the container once it was filled [-]; 0 before."""
    reading: dict[str, Any] = field(default_factory=dict)
    """The latest measurement of the slope: angles [rad], profile [m]; empty before the first one."""

    @property
    def grains(self) -> tuple[Grain, ...]:
        """The clumps of this run; their files are read only at a start."""
        rows = tuple((x, y, z, r) for x, y, z, r in self.members)
        return Grain(rows, tuple((a, b, c) for a, b, c in self.inertia)), *self.others

    @property
    def kinds(self) -> NDArray[np.int64]:
        """Kind of each grain, in the order of pouring: the index of its clump in `grains`, or `LOOSE_SPHERE`."""
        kind = np.array(self.which or np.zeros(len(self.loose)), np.int64)
        kind[np.array(self.loose, bool)] = LOOSE_SPHERE
        return kind


class ContainerSizes(NamedTuple):
    """Dimensions of the experiment that follow from the grains [m]."""

    plate: float
    """Radius of the plate."""
    wide: float
    """Distance of the walls of the container from its axis."""
    high: float
    """Height of the rim of the container."""
    reach: float
    """Radius of the ball that contains the largest grain."""


def sizes(parameters: LiftedParameters, reach: float, dimension: int) -> ContainerSizes:
    """Plate and container for the grains, the largest of which fits into a ball of radius `reach` [m]."""
    radius, number = parameters.mean_radius, parameters.grain_count
    if dimension == 2:
        area = number * math.pi * parameters.mean_square_radius / LOOSE_IN_PLANE
        wide = max(0.5 * math.sqrt(0.5 * area), ROOM_IN_PLANE * reach)
        plate = max(math.sqrt(area / SHALLOW) + 2.0 * radius, 1.5 * wide + 2.0 * reach)
        return ContainerSizes(plate, wide, 1.2 * area / (2.0 * wide) + 4.0 * reach, reach)
    bulk = number * BALL * parameters.mean_cube_radius / LOOSE
    wide = max((bulk / (2.0 * math.pi)) ** (1.0 / 3.0), ROOM * reach)
    plate = max(plate_radius(parameters), 1.5 * wide + 2.0 * reach)
    return ContainerSizes(plate, wide, 1.2 * bulk / (math.pi * wide**2) + 4.0 * reach, reach)


def sizes_now(experiment: Experiment) -> ContainerSizes:
    """The sizes of this run."""
    built: LiftedParameters = experiment.run.built
    return sizes(built, reach_of(built, experiment.run.state.grains), experiment.scene.model.dimension)


def reach_of(parameters: LiftedParameters, grains: Iterable[Grain]) -> float:
    """Radius of the ball that contains any of these grains [m]."""
    return parameters.largest_radius * max(1.0, *(grain.reach for grain in grains))


def begin(parameters: ClumpsParameters, seed: int) -> tuple[World, ClumpsState]:
    """The empty round or square container on the plate, in space; raises `ParameterError` for a clump in pieces."""
    parameters.require_one_piece()
    size = sizes(parameters, reach_of(parameters, parameters.grains), 3)
    sides = SIDES if parameters.container == "cylinder" else 4
    edge = size.wide / math.cos(math.pi / sides)
    return _begun(parameters, seed, frustum(edge, edge, 0.0, size.high, sides, math.pi / sides))


def begin_in_plane(parameters: JoinedParameters, seed: int) -> tuple[World, ClumpsState]:
    """The empty container, two walls on the plate, in the plane."""
    size = sizes(parameters, reach_of(parameters, parameters.grains), 2)
    walls = [[(x, 0.0), (x, size.high), (x, size.high)] for x in (-size.wide, size.wide)]
    return _begun(parameters, seed, np.array(walls))


def _begun(parameters: LiftedParameters, seed: int, walls: Floats) -> tuple[World, ClumpsState]:
    dimension = walls.shape[2]
    generator = np.random.default_rng(seed)
    grains = parameters.grains
    radii = drawn_radii(parameters, generator)
    loose = generator.random(radii.size) < parameters.ball_share
    which = np.zeros(radii.size, int)
    if len(grains) > 1:  # a run without a mixture draws the same random numbers as older versions
        which[generator.random(radii.size) < parameters.second_share] = 1
    loose |= np.array([len(grain.members) == 1 for grain in grains])[which]  # a clump of one sphere is a sphere
    smallest = min((r for position in np.unique(which[~loose]) for *_, r in grains[position].members), default=1.0)
    smallest = min(smallest, 1.0)
    world = empty_world(dimension, 2 * dimension - 3, skin=0.3 * smallest * parameters.mean_radius, materials=2)
    floor = np.zeros((1, 3, dimension))
    floor[0, 1, -1] = 1.0
    world = set_walls(world, [PLANE] + [FACET] * len(walls), np.concatenate([floor, walls]), material=1)
    state = ClumpsState(
        radii=radii,
        loose=loose.tolist(),
        members=[list(member) for member in grains[0].members],
        inertia=[list(row) for row in grains[0].inertia],
        others=list(grains[1:]),
        which=which.tolist() if len(grains) > 1 else [],
    )
    state.random = dict(generator.bit_generator.state)
    return world, state


def places_of_layer(generator: np.random.Generator, most: int, size: ContainerSizes, dimension: int) -> Floats:
    """Centres of at most `most` grains of a layer above its lowest possible height [m], shape (grains, dimension)."""
    room = size.wide - 1.1 * size.reach
    if dimension == 3:
        return next_places(generator, most, room, size.reach)
    row = np.arange(-room, room, SPACING * 2.0 * size.reach)
    row += generator.uniform(0.0, room - row[-1])
    chosen = generator.permutation(row.size)[:most]
    return np.column_stack([row[chosen], generator.uniform(0.0, 0.2 * size.reach, chosen.size)])


def pour_layer(experiment: Experiment) -> None:
    """Release the next layer just above the rim of the container, each clump turned at random."""
    run, dimension = experiment.run, experiment.scene.model.dimension
    state: ClumpsState = run.state
    built: LiftedParameters = run.built
    size = sizes_now(experiment)
    generator = generator_of(state)
    position = places_of_layer(generator, len(state.radii) - state.poured, size, dimension)
    position[:, -1] += size.high + size.reach
    these = slice(state.poured, state.poured + len(position))
    radii, kinds = state.radii[these], state.kinds[these]
    loose = kinds == LOOSE_SPHERE
    # Orientations have a generator of their own: positions are drawn in advance to count the layers.
    turned = random_orientations(len(position), np.random.default_rng((experiment.seed, state.next_id)), dimension)
    falling = free_fall(experiment)

    def add(world: World, layer: SphereGroup) -> World:
        mass = built.mass_of(radii)
        world = add_spheres(world, position[loose], radii[loose], mass[loose], layer, **falling)
        first_id = layer.first_id + int(loose.sum())
        for kind, grain in enumerate(state.grains):
            rows = np.flatnonzero(kinds == kind)
            if not rows.size:
                continue
            world = add_grains(
                world,
                grain,
                radii[rows],
                mass[rows],
                position[rows],
                layer._replace(first_id=first_id),
                turned[rows],
                falling["velocity"],
            )
            world.bodies.motion[:dimension, 2, -rows.size :] = np.asarray(falling["acceleration"])[:, None]
            first_id += rows.size * len(grain.members)
        return world

    release_layer(experiment, add, len(position), generator)


def layers(experiment: Experiment) -> int:
    """Number of layers once all grains are poured."""
    size, state, dimension = sizes_now(experiment), experiment.run.state, experiment.scene.model.dimension
    generator, left = generator_of(state), len(state.radii) - state.poured
    count: int = state.layers
    while left > 0:
        left -= len(places_of_layer(generator, left, size, dimension))
        count += 1
    return count


def grains_beyond(world: World, rim: float) -> tuple[NDArray[np.bool_], int]:
    """Spheres of the grains that have left the plate of this radius [m], shape (count,), and the number of grains."""
    flat = world.dimension - 1
    body = world.body
    away = np.sqrt((world.motion[:flat, 0] ** 2).sum(axis=0))
    gone = (away > rim + world.radius) & ~world.fixed & (body < 0)
    grains = int(gone.sum())
    if world.bodies and world.bodies.begin.size > 1:
        of_bodies = np.sqrt((world.bodies.motion[:flat, 0] ** 2).sum(axis=0)) > rim
        gone |= (body >= 0) & of_bodies[np.maximum(body, 0)]
        grains += int(of_bodies.sum())
    return gone, grains


def remove_fallen(experiment: Experiment) -> None:
    """Remove the grains whose centre is beyond the rim of the plate, with their energy."""
    run = experiment.run
    gone, grains = grains_beyond(run.world, sizes_now(experiment).plate)
    if grains:
        remove_spheres(experiment, gone)
        run.state.removed += grains
        run.state.quiet_since = experiment.time


def packing_in_container(experiment: Experiment) -> float:
    """Fraction of a block well inside the filling that grains occupy [-], overlaps of members counted once; 0 if the
    filling is too low. In the plane the block is a thin slice through the centres."""
    world, size = experiment.run.world, sizes_now(experiment)
    flat = experiment.scene.model.dimension - 1
    step = experiment.run.built.mean_radius / FINE
    tops = world.motion[flat, 0] + world.radius
    half = WIDTH * size.wide
    inner = (np.abs(world.motion[:flat, 0]) < half).all(axis=0)
    top = float(np.quantile(tops[inner], 0.9)) - 2.0 * FINE * step if inner.any() else 0.0
    if top < 3.0 * FINE * step:
        return 0.0
    centre = np.zeros((world.sphere_count, 3))
    centre[:, :flat], centre[:, 2] = world.motion[:flat, 0].T, world.motion[flat, 0]
    across = np.full(2, half) if flat == 2 else np.array([half, 0.5 * step])
    spheres = Clump("packing", "", centre, world.radius)
    parts = [slab.covered for slab in slabs(spheres, np.array([*-across, FINE * step]), np.array([*across, top]), step)]
    return float(sum(part.sum(dtype=np.int64) for part in parts)) / sum(part.size for part in parts)
