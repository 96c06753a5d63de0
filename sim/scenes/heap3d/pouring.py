"""What the heap in space is poured from and on: plate, funnel or cylinder, and the layers that are let fall."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import add_spheres, empty_world, keep_spheres, set_walls
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import free_fall, start_derivatives
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.notices import tell
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.scenes.heap3d.parameters import Heap3dParameters


class Poured(Protocol):
    """Parameters of any scene that pours grains."""

    @property
    def grain_count(self) -> int: ...
    @property
    def mean_radius(self) -> float: ...
    @property
    def size_spread(self) -> float: ...
    @property
    def density(self) -> float: ...


SIDES = 16
"""Flat sides of the funnel and of the cylinder."""

FUNNEL_SLOPE = math.radians(60.0)
"""Of the funnel's wall against the horizontal [rad]."""

LOOSE = 0.55
"""Packing fraction of what has been poured, for sizes [-]."""

SHALLOW, STEEP = math.tan(math.radians(16.0)), math.tan(math.radians(38.0))
"""Slopes that the sizes of plate and fall are made for: a heap between the two has room [-]."""

SPACING = 1.05
"""Distance of the spheres of a new layer, in largest diameters [-]."""

FLOOR_WALL = 0
"""Row of the table of walls; the funnel or cylinder follows."""

QUIET_TIME = 0.2
"""How long the mean speed must stay below v_min before all counts as at rest [s]."""

JAMMED_AFTER = 3.0
"""Pouring is given up when nothing has fallen out of the way of the next layer for so long [s]."""


class Sizes(NamedTuple):
    """Measures of the experiment that follow from the grains [m]."""

    plate: float
    """Radius of the plate."""
    low: float
    """Lower rim of the funnel or cylinder, above the plate."""
    high: float
    """Its upper rim."""
    low_radius: float
    high_radius: float
    largest: float
    """Largest grain radius."""


@dataclass
class Heap3dState:
    """Where the experiment stands."""

    phase: str = "empty"
    """empty, filling, filled (cylinder only), flowing or rested."""
    radii: list[float] = field(default_factory=list)
    """Radius of every grain, in the order of pouring [m]."""
    poured: int = 0
    layers: int = 0
    removed: int = 0
    """Grains that fell off the plate."""
    since: float = 0.0
    """When the last layer was poured, or the phase began [s]."""
    quiet_since: float = 0.0
    run_all: bool = False
    next_id: int = 0
    reading: dict[str, Any] = field(default_factory=dict)
    """The last reading of the slope: angles [rad], profile [m]; empty before there is one."""
    random: dict[str, Any] = field(default_factory=dict)
    """State of the generator that places the grains."""


def bulk_volume(parameters: Poured) -> float:
    """Of all grains, loosely poured [m³]."""
    return parameters.grain_count * 4.0 / 3.0 * math.pi * parameters.mean_radius**3 / LOOSE


def plate_radius(parameters: Poured) -> float:
    """Of a plate a shallow heap of all grains fits on, a cone V = (pi/3) r³ tan(theta) [m]."""
    return float((3.0 * bulk_volume(parameters) / (math.pi * SHALLOW)) ** (1.0 / 3.0)) + 2.0 * parameters.mean_radius


def heap_height(parameters: Poured) -> float:
    """Of a steep heap of all grains, with room above it [m]."""
    return float((3.0 * bulk_volume(parameters) * STEEP**2 / math.pi) ** (1.0 / 3.0)) + 4.0 * parameters.mean_radius


def drawn_radii(parameters: Poured, generator: np.random.Generator) -> Floats:
    """Radii of all grains, uniform about the mean [m]."""
    mean, spread = parameters.mean_radius, parameters.size_spread
    return generator.uniform((1.0 - spread) * mean, (1.0 + spread) * mean, parameters.grain_count)


def sizes(parameters: Heap3dParameters) -> Sizes:
    """Plate, funnel and cylinder for that many grains."""
    radius = parameters.mean_radius
    largest = radius * (1.0 + parameters.size_spread)
    bulk, plate = bulk_volume(parameters), plate_radius(parameters)
    if parameters.pouring == "cylinder":
        wide = max((bulk / (2.0 * math.pi)) ** (1.0 / 3.0), 4.0 * largest)
        return Sizes(plate, 0.0, 1.3 * bulk / (math.pi * wide**2) + 6.0 * largest, wide, wide, largest)
    low = heap_height(parameters)
    neck = parameters.orifice * radius
    wide = neck + max(8.0 * radius, 0.4 * plate)
    return Sizes(plate, low, low + (wide - neck) * math.tan(FUNNEL_SLOPE), neck, wide, largest)


def begin(parameters: Heap3dParameters, seed: int) -> tuple[World, Heap3dState]:
    """The empty plate under the funnel, or in the cylinder."""
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator)
    mean, size = parameters.mean_radius, sizes(parameters)
    world = empty_world(3, 3, skin=0.3 * mean, materials=2)
    if parameters.base == "rough":
        base = hexagons(size.plate, 2.0 * mean)
        centres = np.column_stack([base, np.zeros(len(base))])
        mass = mass_of(np.full(len(base), mean), parameters)
        world = add_spheres(world, centres, mean, mass, fixed=True, material=1)
    vessel = frustum(size)
    floor = np.array([[(0, 0, 0), (0, 0, 1), (0, 0, 0)]], float)
    shape = [PLANE] + [FACET] * len(vessel)
    world = set_walls(world, shape, np.concatenate([floor, vessel]), material=1)
    state = Heap3dState(radii=radii.tolist(), next_id=world.sphere_count)
    state.random = dict(generator.bit_generator.state)
    return world, state


def frustum(size: Sizes) -> Floats:
    """The triangles of the funnel or cylinder [m], shape (facets, 3, 3)."""
    angle = 2.0 * math.pi * np.arange(SIDES) / SIDES
    round_ = np.column_stack([np.cos(angle), np.sin(angle)])
    a = np.column_stack([size.low_radius * round_, np.full(SIDES, size.low)])
    d = np.column_stack([size.high_radius * round_, np.full(SIDES, size.high)])
    b, c = np.roll(a, -1, axis=0), np.roll(d, -1, axis=0)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def disc(radius: float) -> Floats:
    """The plate as triangles [m], shape (sides, 3, 3)."""
    angle = 2.0 * math.pi * np.arange(4 * SIDES) / (4 * SIDES)
    rim = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(4 * SIDES)])
    return np.stack([np.zeros_like(rim), rim, np.roll(rim, -1, axis=0)], axis=1)


def hexagons(radius: float, spacing: float) -> Floats:
    """Points of a hexagonal lattice within a circle about the origin [m], shape (points, 2)."""
    reach = math.ceil(radius / spacing) + 1
    i, j = np.meshgrid(np.arange(-2 * reach, 2 * reach + 1), np.arange(-2 * reach, 2 * reach + 1))
    points = spacing * np.column_stack([(i + 0.5 * j).ravel(), (math.sqrt(0.75) * j).ravel()])
    inside: Floats = points[np.hypot(points[:, 0], points[:, 1]) <= radius]
    return inside


def mass_of(radius: Floats, parameters: Poured) -> Floats:
    """rho 4/3 pi R³ [kg]."""
    return parameters.density * 4.0 / 3.0 * math.pi * radius**3


def smallest_grain(parameters: Poured) -> tuple[float, float]:
    """The smallest grain that can be drawn."""
    radius = parameters.mean_radius * (1.0 - parameters.size_spread)
    return float(mass_of(np.array(radius), parameters)), radius


def way_is_free(experiment: Experiment, high: float) -> bool:
    """Whether the last layer has fallen out of the way of the next, which is let fall above `high` [m]."""
    world = experiment.run.world
    top = (world.motion[2, 0] + world.radius)[~world.fixed].max(initial=-math.inf)
    return bool(top < high)


def pour_layer(experiment: Experiment) -> None:
    """Let the next layer fall from just above the rim of the funnel or cylinder."""
    size = sizes(experiment.run.built)
    # The prism's flat sides stand closer to the axis than its edges.
    room = size.high_radius * math.cos(math.pi / SIDES) - 1.2 * size.largest
    let_fall(experiment, room, size.high, size.largest)


def let_fall(experiment: Experiment, room: float, high: float, largest: float) -> None:
    """Let the next layer fall from rest, its lattice turned and shifted at random.

    Centres are within `room` [m] of the axis and from `high` + `largest` [m] up.
    """
    run = experiment.run
    state: Heap3dState = run.state
    generator = np.random.default_rng()
    generator.bit_generator.state = state.random
    spacing = SPACING * 2.0 * largest
    angle = generator.uniform(0.0, math.pi / 3.0)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    lattice = hexagons(room + spacing, spacing) @ turn.T + generator.uniform(-0.5, 0.5, 2) * spacing
    places = lattice[np.hypot(lattice[:, 0], lattice[:, 1]) <= room]
    radii = np.array(state.radii[state.poured :][: len(places)])
    chosen = generator.permutation(len(places))[: radii.size]
    z = high + largest + generator.uniform(0.0, 0.2 * largest, radii.size)
    with booked(experiment, "poured"):
        run.world = add_spheres(
            run.world,
            np.column_stack([places[chosen], z]),
            radii,
            mass_of(radii, run.built),
            **free_fall(experiment),
            layer=state.layers,
            first_id=state.next_id,
        )
    state.random = dict(generator.bit_generator.state)
    state.next_id += radii.size
    state.poured += radii.size
    state.layers += 1
    state.since = experiment.time
    start_derivatives(experiment, first_row=run.world.sphere_count - radii.size)


def pour_on(experiment: Experiment, high: float, pour: Callable[[Experiment], None], jammed: str) -> bool:
    """Pour the next layer once its way is free; True when all grains are out, or given up with the words `jammed`."""
    state: Heap3dState = experiment.run.state
    total = len(state.radii)
    if state.poured < total:
        if way_is_free(experiment, high):
            pour(experiment)
        elif experiment.time - state.since > JAMMED_AFTER:
            tell(experiment, f"{total - state.poured} of {total} grains do not fit: {jammed}")
            state.radii = state.radii[: state.poured]
        return False
    return True


def quiet_for(experiment: Experiment, gone: NDArray[np.bool_]) -> float:
    """Take away the grains that are gone, shape (count,); how long the rest has been still [s]."""
    run = experiment.run
    state: Heap3dState = run.state
    if gone.any():
        with booked(experiment, "removed"):
            run.world = keep_spheres(run.world, ~gone)
        state.removed += int(gone.sum())
        state.quiet_since = experiment.time
    if mean_speed(run.world) >= experiment.parameters.settle_speed:
        state.quiet_since = experiment.time
    return experiment.time - max(state.quiet_since, state.since)


def on_grain_removed(experiment: Experiment, row: int) -> None:
    """Count a grain that is taken away among those that have left."""
    experiment.run.state.removed += 1


def enter(experiment: Experiment, phase: str) -> None:
    """Begin another phase of the experiment."""
    state: Heap3dState = experiment.run.state
    state.phase = phase
    state.since = state.quiet_since = experiment.time


def fallen(experiment: Experiment, rim: float) -> NDArray[np.bool_]:
    """Grains beyond the rim of the plate, at that distance from its axis [m], shape (count,)."""
    world = experiment.run.world
    beyond: NDArray[np.bool_] = np.hypot(*world.motion[:2, 0]) > rim + world.radius
    return beyond & ~world.fixed
