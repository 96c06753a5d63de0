"""Filling of the heap's container: walls and base, radii of the grains, layers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import empty_world
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.measure.avalanches import OtherAngles
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.poured import PouredState, add_layer, generator_of, remove_gone
from repose.sim.scenes.common.rebuilding import FixedSpheres, add_fixed, rebuild
from repose.sim.scenes.heap.parameters import HeapParameters


@dataclass
class HeapState(PouredState):
    """State of the experiment."""

    height: float = 0.0
    """Height of the walls [m]."""
    slope: SurfaceSlope | None = None
    """Latest measured slope; None before the first measurement of this fill, and while the heap moves again."""
    was_measured: bool = False
    """Whether a slope was measured when the heap rested before: it is then measured again at the next rest."""
    opened: float = 0.0
    """Time at which the right wall was opened [s]."""
    profile_time: list[float] = field(default_factory=list)
    """Times of the profiles, since the wall was opened [s]."""
    profile: list[list[float]] = field(default_factory=list)
    """Height of the surface in each strip at these times [m]."""
    other: OtherAngles = field(default_factory=OtherAngles)
    """The heap at rest that is tilted, or to which grains are added."""


def begin(parameters: HeapParameters, seed: int) -> tuple[World, HeapState]:
    """The empty container."""
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator)
    base, *walls = container(parameters, radii)
    world = empty_world(2, int(parameters.rotation), skin=0.3 * parameters.mean_radius)
    world = add_fixed(world, (base, *walls), first_id=0)
    state = HeapState(radii=radii, next_id=world.sphere_count, height=top_of(walls[0]))
    state.random = dict(generator.bit_generator.state)
    return world, state


def container(parameters: HeapParameters, radii: Floats) -> tuple[FixedSpheres, FixedSpheres, FixedSpheres]:
    """Base, left wall and right wall of a container for grains of these radii [m]."""
    y = 2.0 * parameters.wall_radius * np.arange(parameters.wall_count(math.pi * float(np.sum(radii**2))))
    count = parameters.base_count
    base_x = (np.arange(count) + 0.5) * parameters.width / count

    def spheres(x: Any, y: Any, radius: float, *outward: float) -> FixedSpheres:
        return FixedSpheres(np.column_stack([x, y]), radius, float(mass_of(np.array(radius), parameters)), outward)

    left, right = -parameters.wall_radius, parameters.width + parameters.wall_radius
    return (
        spheres(base_x, np.zeros(count), parameters.base_radius),
        spheres(np.full(y.size, left), y, parameters.wall_radius, -1.0, 0.0),
        spheres(np.full(y.size, right), y, parameters.wall_radius, 1.0, 0.0),
    )


def top_of(wall: FixedSpheres) -> float:
    """Height of a wall [m]."""
    return float(wall.centre[-1, 1] + wall.radius)


def rebuild_container(experiment: Experiment, parameters: HeapParameters) -> None:
    """Rebuild base and walls with these parameters under and beside the present grains."""
    run = experiment.run
    state: HeapState = run.state
    names = [name for name, entry in parameters.declared().items() if entry.quantity.effect == "base"]
    built = run.built.changed(**{name: getattr(parameters, name) for name in names})
    base, left, right = container(built, state.radii)
    spheres = (base, left, right) if state.phase in ("empty", "filling", "filled") else (base, left)
    remove_gone(experiment, beside_base(run.world, base))
    with booked(experiment, "work"):
        rebuild(experiment, spheres, state.next_id)
    run.built = built
    state.next_id += sum(len(group.centre) for group in spheres)
    state.height = top_of(left)


def beside_base(world: World, base: FixedSpheres) -> NDArray[np.bool_]:
    """True for grains with centres below the base, which fall past its end, shape (count,)."""
    fallen: NDArray[np.bool_] = world.motion[1, 0] < base.centre[0, 1]
    return fallen & ~world.fixed


def one_radius(parameters: HeapParameters, generator: np.random.Generator) -> float:
    """Radius of one further grain [m]."""
    if parameters.sizes:
        return float(drawn_radii(parameters, generator)[0])
    return float(parameters.own_radii(generator, 1)[0])


def smallest_grain(parameters: HeapParameters) -> tuple[float, float]:
    """Mass [kg] and radius [m] of the smallest grain to expect: without stated sizes half the mean radius."""
    radius = parameters.radius_limits[0] if parameters.sizes else 0.5 * parameters.mean_radius
    return float(mass_of(np.array(radius), parameters)), radius


def mass_of(radius: Floats, parameters: HeapParameters) -> Floats:
    """m (R / 1 mm)³, or the same mass for all grains [kg]."""
    if parameters.equal_masses:
        return np.full_like(radius, parameters.mass_at_mean)
    return parameters.mass_at_mean * (radius / 1e-3) ** 3


def next_layer(radii: Floats, parameters: HeapParameters) -> Floats:
    """The first of these radii: as many as fit side by side between the walls [m]."""
    fits = np.cumsum(2.0 * radii) <= 0.95 * parameters.width
    return radii[: max(1, int(fits.sum()))]


def layers(experiment: Experiment) -> int:
    """Number of layers once all grains are poured."""
    state: HeapState = experiment.run.state
    left, count = state.radii[state.poured :], state.layers
    while left.size:
        left = left[next_layer(left, experiment.run.built).size :]
        count += 1
    return count


def pour_layer(experiment: Experiment) -> None:
    """Release the next layer just above the highest grain, side by side with random gaps."""
    run, parameters = experiment.run, experiment.run.built
    state: HeapState = run.state
    generator = generator_of(state)
    radii = next_layer(state.radii[state.poured :], parameters)
    free = max(0.0, parameters.width - 2.0 * radii.sum())
    gaps = np.diff(np.sort(generator.uniform(0.0, free, radii.size)), prepend=0.0)
    x = np.cumsum(gaps + 2.0 * radii) - radii
    moving = ~run.world.fixed
    top = float((run.world.motion[1, 0] + run.world.radius)[moving].max(initial=parameters.base_radius))
    y = top + radii + generator.uniform(0.0, parameters.mean_radius, radii.size)
    add_layer(experiment, np.column_stack([x, y]), radii, mass_of(radii, parameters), generator)
