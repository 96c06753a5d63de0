"""Layers of spheres that fall on a round base, and the sizes that follow from the number of spheres."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.notices import notify
from repose.sim.message import Message, plural
from repose.sim.scenes.common.poured import PouredState, add_layer, generator_of
from repose.sim.scenes.common.poured_parameters import PouredInSpaceParameters
from repose.sim.scenes.common.random_places import place_at_random

Box = tuple[tuple[float, ...], tuple[float, ...]]
"""Lower and upper corner of a region [m]."""

SIDES = 16
"""Number of flat sides of the funnel and of the cylinder."""

LOOSE = 0.55
"""Packing fraction of poured grains, for the sizes of plate and funnel [-]."""

SHALLOW, STEEP = math.tan(math.radians(16.0)), math.tan(math.radians(38.0))
"""Smallest and largest slope of a heap for which plate and fall height are designed [-]."""

SPACING = 1.05
"""Distance of the spheres of a new layer, in largest diameters [-]."""

SLAB, SLAB_HEIGHT = 0.15, 4.0
"""Share of the slab of a layer that spheres of different sizes fill [-], half of what fits at random, and its height
[largest radii]."""

MOST_LAYERS = 10_000
"""Largest number of layers that are counted."""

JAMMED_AFTER = 105.0
"""Time after which pouring ends because the last layer still blocks the next one, in units of `falling_time` [-]: 3 s
for grains of 8 mm diameter on Earth, and 7 s on the Moon."""

LEAST_GRAVITY = 0.01
"""Gravity below which the wait is not longer [m/s²]."""


def bulk_volume(parameters: PouredInSpaceParameters) -> float:
    """Volume of all grains, loosely poured [m³]."""
    return parameters.grain_count * 4.0 / 3.0 * math.pi * parameters.mean_cube_radius / LOOSE


def plate_radius(parameters: PouredInSpaceParameters) -> float:
    """Radius of a plate for a shallow heap of all grains, a cone V = (pi/3) r³ tan(theta) [m]."""
    return float((3.0 * bulk_volume(parameters) / (math.pi * SHALLOW)) ** (1.0 / 3.0)) + 2.0 * parameters.mean_radius


def heap_height(parameters: PouredInSpaceParameters) -> float:
    """Height of a steep heap of all grains, with room above it [m]."""
    return float((3.0 * bulk_volume(parameters) * STEEP**2 / math.pi) ** (1.0 / 3.0)) + 4.0 * parameters.mean_radius


def disc(radius: float) -> Floats:
    """The plate as triangles [m], shape (sides, 3, 3)."""
    angle = 2.0 * math.pi * np.arange(4 * SIDES) / (4 * SIDES)
    rim = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(4 * SIDES)])
    return np.stack([np.zeros_like(rim), rim, np.roll(rim, -1, axis=0)], axis=1)


def frustum(
    low_radius: float, high_radius: float, low: float, high: float, sides: int = SIDES, turn: float = 0.0
) -> Floats:
    """Triangles of a funnel or prism about the axis with edges at these distances and heights, its first edge at the
    angle `turn` [m, rad], shape (facets, 3, 3)."""
    angle = 2.0 * math.pi * np.arange(sides) / sides + turn
    round_ = np.column_stack([np.cos(angle), np.sin(angle)])
    a = np.column_stack([low_radius * round_, np.full(sides, low)])
    d = np.column_stack([high_radius * round_, np.full(sides, high)])
    b, c = np.roll(a, -1, axis=0), np.roll(d, -1, axis=0)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def around_axis(half: float, low: float, high: float, dimension: int = 3) -> Box:
    """Lower and upper corner of the region between two heights within `half` of the axis in every direction [m]."""
    flat = (half,) * (dimension - 1)
    return (*(-edge for edge in flat), low), (*flat, high)


def lift_on(experiment: Experiment, low: float, high: float) -> None:
    """Lift walls that are being lifted, whose lower and upper edges were at the heights `low` and `high` [m], with the
    present speed, and stop them once they are above all grains, or at twice their height, to which only grains that
    stick to them rise with them."""
    world, up = experiment.run.world, experiment.scene.model.dimension - 1
    world.walls.velocity[world.walls.velocity[:, up] > 0.0, up] = experiment.parameters.lift_speed
    top = float((world.motion[up, 0] + world.radius)[~world.fixed].max(initial=0.0))
    lowest = low + float(world.walls.moved[:, up].max(initial=0.0))
    if world.walls.velocity.any() and lowest > min(top + experiment.run.built.mean_radius, 2.0 * high):
        world.walls.velocity[:] = 0.0
        experiment.run.state.since = experiment.time


def hexagons(radius: float, spacing: float) -> Floats:
    """Points of a hexagonal lattice within a circle about the origin [m], shape (points, 2)."""
    reach = math.ceil(radius / spacing) + 1
    i, j = np.meshgrid(np.arange(-2 * reach, 2 * reach + 1), np.arange(-2 * reach, 2 * reach + 1))
    points = spacing * np.column_stack([(i + 0.5 * j).ravel(), (math.sqrt(0.75) * j).ravel()])
    inside: Floats = points[np.hypot(points[:, 0], points[:, 1]) <= radius]
    return inside


def smallest_grain(parameters: PouredInSpaceParameters) -> tuple[float, float]:
    """Mass [kg] and radius [m] of the smallest grain that can be drawn."""
    radius = parameters.radius_limits[0]
    return float(parameters.mass_of(np.array(radius))), radius


def way_is_free(experiment: Experiment, high: float) -> bool:
    """Whether the last layer is below the position of the next one, which starts above `high` [m]."""
    world = experiment.run.world
    up = experiment.scene.model.dimension - 1
    top = (world.motion[up, 0] + world.radius)[~world.fixed].max(initial=-math.inf)
    return bool(top < high)


def let_fall(experiment: Experiment, room: float, high: float) -> None:
    """Release the next layer from rest: on a lattice that is turned and shifted at random, or at random places if the
    sizes differ widely.

    Centres are within `room` [m] of the axis and from `high` [m] and the largest radius up.
    """
    state: PouredState = experiment.run.state
    built: PouredInSpaceParameters = experiment.run.built
    generator, largest = generator_of(state), built.largest_radius
    if built.sizes:
        radii = state.radii[state.poured :]
        radii = radii[: _number_of_layer(radii, room, largest)]
        position = _places_in_slab(built, generator, radii, room)
    else:
        position = next_places(generator, len(state.radii) - state.poured, room, largest)
        radii = state.radii[state.poured :][: len(position)]
    position[:, 2] += high + largest
    add_layer(experiment, position, radii, experiment.run.built.mass_of(radii), generator)


def next_places(generator: np.random.Generator, most: int, room: float, largest: float) -> Floats:
    """Centres of at most `most` spheres of a layer above its lowest possible height [m], shape (spheres, 3)."""
    spacing = SPACING * 2.0 * largest
    angle = generator.uniform(0.0, math.pi / 3.0)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    lattice = hexagons(room + spacing, spacing) @ turn.T + generator.uniform(-0.5, 0.5, 2) * spacing
    places = lattice[np.hypot(lattice[:, 0], lattice[:, 1]) <= room]
    chosen = generator.permutation(len(places))[:most]
    return np.column_stack([places[chosen], generator.uniform(0.0, 0.2 * largest, chosen.size)])


def _number_of_layer(radii: Floats, room: float, largest: float) -> int:
    """How many of the next grains of these radii [m] are a layer: they fill the share `SLAB` of its slab."""
    volume = SLAB * math.pi * room**2 * SLAB_HEIGHT * largest
    return max(1, int((np.cumsum(4.0 / 3.0 * math.pi * radii**3) <= volume).sum()))


def _places_in_slab(
    parameters: PouredInSpaceParameters, generator: np.random.Generator, radii: Floats, room: float
) -> Floats:
    """Centres of spheres of these radii [m] in a slab above their lowest possible height, shape (spheres, 3)."""
    high, order = SLAB_HEIGHT * parameters.largest_radius, np.argsort(-radii, kind="stable")
    while True:
        position, placed = place_at_random(
            radii[order],
            radii.size,
            parameters.radius_limits,
            (np.array([-room, -room, 0.0]), np.array([2.0 * room, 2.0 * room, high])),
            lambda centres, radius: np.hypot(centres[:, 0], centres[:, 1]) <= room,
            generator,
            descending=True,
        )
        if placed.size == radii.size:
            places = np.empty_like(position)
            places[order] = position
            return places
        high *= 2.0


def layers_in_all(experiment: Experiment, room: float) -> int:
    """Number of layers once all grains are poured: the poured ones, and those that the generator will place."""
    state: PouredState = experiment.run.state
    built: PouredInSpaceParameters = experiment.run.built
    largest = built.largest_radius
    generator, layers, left = generator_of(state), state.layers, len(state.radii) - state.poured
    while built.sizes and left > 0 and layers < MOST_LAYERS:
        left -= _number_of_layer(state.radii[len(state.radii) - left :], room, largest)
        layers += 1
    while left > 0 and layers < MOST_LAYERS:
        left -= len(next_places(generator, left, room, largest))
        layers += 1
    return layers


def falling_time(diameter: float, gravity: float) -> float:
    """sqrt(d/g), the time in which grains at rest rearrange [s]; below a hundredth of a m/s² that of this gravity,
    because nothing falls without gravity."""
    return math.sqrt(diameter / max(gravity, LEAST_GRAVITY))


def pour_on(experiment: Experiment, high: float, pour: Callable[[Experiment], None], jammed: Message) -> bool:
    """Pour the next layer when its position is free; True when all grains are poured.

    If the last layer has not fallen for `JAMMED_AFTER`, pouring ends with the message `jammed`.
    """
    state: PouredState = experiment.run.state
    patience = JAMMED_AFTER * falling_time(2.0 * experiment.run.built.mean_radius, experiment.parameters.gravity)
    total = len(state.radii)
    if state.poured < total:
        if way_is_free(experiment, high):
            pour(experiment)
        elif experiment.time - state.since > patience:
            notify(
                experiment,
                plural(
                    "{left} of {count} grain does not fit: {jammed}",
                    "{left} of {count} grains do not fit: {jammed}",
                    count=total,
                    left=total - state.poured,
                    jammed=jammed,
                ),
            )
            state.radii = state.radii[: state.poured].copy()
        return False
    return True


def fallen_grains(experiment: Experiment, rim: float) -> NDArray[np.bool_]:
    """True for grains beyond the rim of the plate, which is at the distance `rim` from the axis [m], shape (count,)."""
    world = experiment.run.world
    return is_beyond_rim(world.motion[:2, 0].T, world.radius, rim) & ~world.fixed


def is_beyond_rim(centres: Floats, radii: Floats, rim: float) -> NDArray[np.bool_]:
    """True for spheres with centres (n, 2 or 3) and radii (n,) [m] that are completely outside a rim at the distance
    `rim` from the axis [m]."""
    outside: NDArray[np.bool_] = np.hypot(centres[:, 0], centres[:, 1]) > rim + radii
    return outside
