"""Plate, funnel and cylinder of the heap in space, and the pouring of a layer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.builder import empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.engine.world import World
from repose.sim.experiment.drawn_walls import chosen, with_walls
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.poured import PouredState
from repose.sim.scenes.common.rebuilding import FixedSpheres, add_fixed, rebuild
from repose.sim.scenes.common.stream import (
    SIDES,
    bulk_volume,
    frustum,
    heap_height,
    hexagons,
    layers_in_all,
    let_fall,
    plate_radius,
)
from repose.sim.scenes.heap3d.parameters import Heap3dParameters

FUNNEL_SLOPE = math.radians(60.0)
"""Slope of the wall of the funnel against the horizontal [rad]."""

FLOOR_WALL = 0
"""Row of the plate in the table of walls; the facets of funnel or cylinder follow."""


class HeapSizes(NamedTuple):
    """Dimensions of the experiment that follow from the grains [m]."""

    plate: float
    """Radius of the plate."""
    low: float
    """Height of the lower rim of the funnel or cylinder above the plate."""
    high: float
    """Height of the upper rim of the funnel or cylinder above the plate."""
    low_radius: float
    high_radius: float
    largest: float
    """Largest grain radius."""


@dataclass
class Heap3dState(PouredState):
    """State of the experiment; a funnel runs empty at once, unless it has a lid."""

    lid: int = 0
    """Number of facets, the last walls, that close the outlet of the funnel."""
    reading: dict[str, Any] = field(default_factory=dict)
    """The latest measurement of the slope: angles [rad], profile [m]; empty before the first one, and while the heap
    moves again."""


def sizes(parameters: Heap3dParameters) -> HeapSizes:
    """Plate, funnel and cylinder for the number of grains."""
    radius = parameters.mean_radius
    largest = parameters.largest_radius
    bulk, plate = bulk_volume(parameters), plate_radius(parameters)
    if parameters.pouring == "cylinder":
        wide = max((bulk / (2.0 * math.pi)) ** (1.0 / 3.0), 4.0 * largest)
        return HeapSizes(plate, 0.0, 1.3 * bulk / (math.pi * wide**2) + 6.0 * largest, wide, wide, largest)
    low = heap_height(parameters)
    neck = parameters.orifice * radius
    wide = neck + max(8.0 * radius, 0.4 * plate)
    return HeapSizes(plate, low, low + (wide - neck) * math.tan(FUNNEL_SLOPE), neck, wide, largest)


def begin(parameters: Heap3dParameters, seed: int) -> tuple[World, Heap3dState]:
    """The empty plate under the funnel, or in the cylinder."""
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator)
    size = sizes(parameters)
    world = empty_world(3, 3, skin=0.3 * parameters.mean_radius, materials=2)
    world = add_fixed(world, plate(parameters), first_id=0)
    vessel = frustum(size.low_radius, size.high_radius, size.low, size.high)
    floor = np.array([[(0, 0, 0), (0, 0, 1), (0, 0, 0)]], float)
    shape = [PLANE] + [FACET] * len(vessel)
    world = set_walls(world, shape, np.concatenate([floor, vessel]), material=1)
    state = Heap3dState(radii=radii, next_id=world.sphere_count)
    state.random = dict(generator.bit_generator.state)
    return world, state


def close_outlet(experiment: Experiment) -> None:
    """Put a lid on the outlet of the empty funnel, which then is filled."""
    run, size = experiment.run, sizes(experiment.run.built)
    walls = run.world.walls
    rim = frustum(size.low_radius, size.high_radius, size.low, size.high)[:SIDES, :2]
    centre = np.broadcast_to((0.0, 0.0, size.low), (SIDES, 1, 3))
    corner = np.concatenate([walls.corner, np.concatenate([centre, rim], axis=1)])
    run.world = set_walls(run.world, [*walls.shape, *[FACET] * SIDES], corner, material=1)
    run.state.lid = SIDES


def open_outlet(experiment: Experiment) -> None:
    """Remove the lid; the grains in the funnel keep their places and their contacts with the funnel."""
    run = experiment.run
    kept = np.arange(run.world.walls.shape.size - run.state.lid)
    with booked(experiment, "work"):
        run.world = with_walls(run.world, kept, chosen(run.world.walls, kept))
    run.state.lid = 0


def plate(parameters: Heap3dParameters) -> tuple[FixedSpheres, ...]:
    """The spheres that cover a rough plate; empty for a smooth plate."""
    if parameters.base == "smooth":
        return ()
    radius = parameters.mean_radius
    places = hexagons(sizes(parameters).plate, 2.0 * radius)
    mass = float(parameters.mass_of(np.full(1, radius))[0])
    return (FixedSpheres(np.column_stack([places, np.zeros(len(places))]), radius, mass, material=1),)


def rebuild_plate(experiment: Experiment, parameters: Heap3dParameters) -> None:
    """Add or remove the spheres on the plate under the present grains; grains in the funnel do not move."""
    run, size = experiment.run, sizes(experiment.run.built)
    built = run.built.changed(base=parameters.base)
    spheres = plate(built)
    with booked(experiment, "work"):
        rebuild(experiment, spheres, run.state.next_id, highest=size.low or math.inf, floor=0.0)
    run.built = built
    run.state.next_id += sum(len(group.centre) for group in spheres)


def pour_layer(experiment: Experiment) -> None:
    """Release the next layer just above the rim of the funnel or cylinder."""
    size = sizes(experiment.run.built)
    let_fall(experiment, room_of_layer(size), size.high)


def room_of_layer(size: HeapSizes) -> float:
    """Radius of the circle in which the centres of a new layer are [m]."""
    # The flat sides of the prism are closer to the axis than its edges.
    return size.high_radius * math.cos(math.pi / SIDES) - 1.2 * size.largest


def layers(experiment: Experiment) -> int:
    """Number of layers once all grains are poured."""
    size = sizes(experiment.run.built)
    return layers_in_all(experiment, room_of_layer(size))
