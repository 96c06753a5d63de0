"""Small worlds and their step loops, for the tests of the engine.

The engine's step loop is plain Python until it is compiled, and tests/sim/engine/test_step.py tests that both give
the same numbers. A closed form checked with a few hundred steps of two spheres can therefore run uncompiled,
which is what `Bench` does unless told otherwise: 0.3 to 0.7 ms a step, and several times as much with bodies. Compiling
a law takes one or two seconds, which other tests share whose models have the same law, dimension and rotation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import ArrayLike
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs
from repose.sim.engine.composition import compose, plain
from repose.sim.engine.contacts.contact_table import (
    ContactRange,
    ContactTable,
    blank_table,
    entries_of,
    first_of,
    plain_evaluation,
)
from repose.sim.engine.model import NO_COEFFICIENTS, BoundLaw, Coefficients, LawCall, Model, for_world
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL, rebuild, renewal
from repose.sim.engine.packed import likeness
from repose.sim.engine.parts import plain_parts
from repose.sim.engine.threads import thread_of
from repose.sim.engine.timestep.survey import Survey, plain_survey
from repose.sim.engine.world import PAIR_COUNT, STEP_COUNT, WALL_CONTACT_COUNT, Floats, World
from repose.sim.experiment import activation, hand
from repose.sim.integrators import start_up
from repose.sim.laws.law import Law
from repose.sim.laws.materials import Material
from repose.sim.measure.energy import Booked, Energy, energy_ledger
from repose.sim.registry import integrators, laws
from repose.sim.scenes.common.by_hand import parameters_with

LAW = laws()["lee_herrmann"]


@dataclass
class Bench:
    """A world with its model and numbers, stepped by hand."""

    world: World
    model: Model
    numbers: tuple
    dt: float
    gravity: tuple[float, ...] = ()
    compiled: bool = False
    further: Coefficients = NO_COEFFICIENTS
    """What the model's fields read."""
    status: int = field(default=OK, init=False)

    def __post_init__(self) -> None:
        self.gravity = self.gravity or (0.0,) * self.model.dimension
        self.loop: Callable = compose(self.model) if self.compiled else plain(self.model)

    def advance(self, steps: int = 1) -> int:
        """As `Experiment.advance`: grows the pair table as needed, returns the steps done."""
        done = 0
        while done < steps:
            count, self.status, _ = self.loop(
                self.world, self.numbers, self.gravity, self.dt, steps - done, self.further
            )
            done += count
            if self.status == PAIRS_FULL:
                self.world = enlarge_pairs(self.world)
            elif self.status != OK:
                break
        return done

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.further.time + (int(self.world.counters[STEP_COUNT]) - self.further.step) * self.dt

    @property
    def position(self) -> Floats:
        """[m], shape (count, dimension), a copy."""
        return self.world.motion[: self.model.dimension, 0].T.copy()

    @property
    def velocity(self) -> Floats:
        """[m/s], shape (count, dimension), at the time of the positions."""
        velocity = self.world.motion[:, 1] - self.model.integrator.velocity_lead * self.dt * self.world.motion[:, 2]
        return velocity[: self.model.dimension].T.copy()

    @property
    def spin(self) -> Floats:
        """[rad/s], shape (count, spin length), a copy."""
        return self.world.motion[self.model.dimension :, 1].T.copy()

    @property
    def touching(self) -> bool:
        """Whether any pair, or any sphere and wall, was in contact at the last evaluation."""
        world = self.world
        at_walls = world.wall_contacts.touching[: world.counters[WALL_CONTACT_COUNT]]
        return bool(world.pairs.touching[: world.counters[PAIR_COUNT]].any() or at_walls.any())

    def energy(self, booked: Booked | None = None) -> Energy:
        """The energy ledger now."""
        lead = self.model.integrator.velocity_lead * self.dt
        return energy_ledger(self.world, look(self), self.gravity, booked or Booked(), lead)


def look(bench: Bench) -> Survey:
    """The survey of a world, uncompiled."""
    now = bench.further._replace(time=bench.time)
    return plain_survey(bench.model)(bench.world, bench.numbers, now)


def contacts_of(bench: Bench) -> ContactTable:
    """The table of contacts, uncompiled."""
    return plain_contact_table(bench.model)(bench.world, bench.numbers)


def plain_contact_table(model: Model) -> Callable[..., ContactTable]:
    """`repose.sim.engine.contacts.contact_table.contact_table`, uncompiled."""

    def table(world: World, numbers: tuple, walls_only: bool = False) -> ContactTable:
        first, last = entries_of(world, walls_only)
        blank = blank_table(world, last - first, force=not walls_only, elasticity=walls_only)
        evaluate = plain_evaluation(model.law, for_world(model, world.is_periodic).shapes, likeness(numbers))
        return first_of(blank, evaluate(ContactRange(world, numbers, first, last, blank)))

    return table


def call_of(law: BoundLaw, numbers: tuple) -> LawCall:
    """What the loops over contacts call."""
    return LawCall(law.force, law.material, law.energy, law.lasts, law.stiffness, numbers)


def plain_loop(model: Model) -> Callable:
    """`repose.sim.engine.composition.compose`, uncompiled."""
    return plain(model)


def use_plain_engine(patch: pytest.MonkeyPatch) -> None:
    """Let `Experiment` step in plain Python: any choice of formulas without waiting for the compiler."""
    patch.setattr(activation, "compose", plain_loop)
    patch.setattr(start_up, "compose", plain_loop)
    patch.setattr(hand, "compose", plain_loop)
    patch.setattr(activation, "compose_survey", plain_survey)
    patch.setattr(activation, "contact_table", plain_contact_table)


def rebuild_lists(world: World) -> int:
    """Have one thread rebuild both lists, uncompiled; returns the status."""
    dimension = world.dimension
    model, _ = model_of(dimension=dimension)
    tables = renewal(world, 0.0, thread_of(world, 0), 1, plain_parts(model).list_walls)
    return int(rebuild(tables, model.shapes.position, for_world(model, world.is_periodic).shapes.periodic))


def model_of(
    integrator: str = "gear5",
    dimension: int = 2,
    rotation: bool = False,
    law: Law = LAW,
    materials: tuple[Material, ...] = (),
    **values: object,
) -> tuple[Model, tuple]:
    """Model and numbers of a law with the given parameters over its defaults, and of these materials if any."""
    parameters = (parameters_with(law, materials) if materials else law.parameters).checked(values)
    return Model(law.bind(parameters), integrators()[integrator], dimension, rotation), law.coefficients(parameters)


def world_of(
    model: Model,
    position: ArrayLike,
    radius: ArrayLike,
    mass: ArrayLike,
    *,
    velocity: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
    fixed: ArrayLike = False,
    material: ArrayLike = 0,
    skin: float = 3e-4,
) -> World:
    """A world of spheres for that model, of two materials; `fixed` and `material` are one value or one per sphere."""
    blank = empty_world(model.dimension, model.spin_length, model.integrator.levels, skin, materials=2)
    world = add_spheres(blank, position, radius, mass, velocity=velocity, spin=spin)
    world.material[:] = material
    world.inverse_mass[:, np.broadcast_to(fixed, world.sphere_count)] = 0.0
    return world


def momentum(bench: Bench) -> Floats:
    """Linear momentum of what moves [kg m/s], shape (dimension,)."""
    moving = ~bench.world.fixed
    return bench.world.mass[moving] @ bench.velocity[moving]


def angular_momentum(bench: Bench) -> Floats:
    """Orbital and spin angular momentum about the origin [kg m²/s], shape (1,) in the plane, (3,) in space."""
    mass = bench.world.mass[:, None]
    orbital = np.atleast_1d(_cross(bench.position, mass * bench.velocity).sum(axis=0))
    if not bench.model.rotation:
        return orbital
    inertia = 1.0 / bench.world.inverse_mass[bench.model.dimension :].T
    return orbital + (inertia * bench.spin).sum(axis=0)


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] if a.shape[1] == 2 else np.cross(a, b)
