"""Self-test of the physics: closed forms, conservation laws, neighbour search.

Each case is a function that measures one number and returns it with its bound; `Case.of` gives the numbers of the
reliability cases (sim/README.md). All cases, also those of `repose.sim.study.survival`, use the compiled loop of the
heap: only one loop is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from repose.sim.engine import step
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs
from repose.sim.engine.model import Model
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.world import PAIR_COUNT, Floats, World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.parameters import Value
from repose.sim.registry import integrators, laws

SMALL = {"grain_count": 40, "width": 0.015}
POURED = 20_000
"""Steps after which the small heap has many contacts."""
G, RADIUS, MASS, STIFFNESS = 9.81, 1e-3, 1e-3, 1e6


@dataclass(frozen=True)
class SelfTestResult:
    """Result of a case."""

    value: float
    bound: float
    """Largest allowed value."""
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value is within its bound; nan is not."""
        return self.value <= self.bound


@dataclass(frozen=True)
class SelfTestCase:
    """One case of the self-test."""

    name: str
    shows: str
    """Name of the measured number."""
    try_out: Callable[[], SelfTestResult]
    of: str = ""
    """Numbers of the reliability cases that it covers; sim/README.md explains their letters."""


class NotAvailable(RuntimeError):
    """Raised by a case that cannot be tested on this machine, with the reason; it does not count as failed."""


def moved(
    place: Any,
    steps: int,
    dt: float,
    values: Mapping[str, Value] | None = None,
    *,
    velocity: Any = 0.0,
    gravity: float = 0.0,
    plain: bool = False,
    look: Callable[[World], None] | None = None,
) -> World:
    """Equal grains after `steps` steps with the law of the heap and these parameters; `look` sees each step."""
    law = laws()["lee_herrmann"]
    parameters = law.parameters.checked(values or {})
    model, numbers = Model(law.bind(parameters), integrators()["gear5"]), law.numbers(parameters)
    advance = step.plain(model) if plain else step.compose(model)
    blank = empty_world(2, 0, model.integrator.levels, materials=2)
    world = add_spheres(blank, place, RADIUS, MASS, velocity=velocity, acceleration=(0.0, -gravity))
    done = 0
    while done < steps:
        count, status, _ = advance(world, numbers, (0.0, -gravity), dt, 1 if look else steps - done)
        done += count
        if status == verlet_list.PAIRS_FULL:
            world = enlarge_pairs(world)
        elif status != verlet_list.OK:
            raise RuntimeError(f"The engine stopped with status {status}.")
        elif look:
            look(world)
    return world


def grains_in_contact() -> tuple[Floats, Floats]:
    """Positions [m] and velocities [m/s] of 36 overlapping grains, shape (36, 2)."""
    generator = np.random.default_rng(21)
    side = 1.93 * RADIUS * np.arange(6.0)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    return grid + generator.normal(0.0, 2e-5, grid.shape), generator.normal(0.0, 0.3, grid.shape)


def heap(steps: int = POURED, **values: Any) -> Experiment:
    """A small heap while it is poured, after `steps` steps."""
    simulation = new_experiment("heap", SMALL | values)
    apply(simulation, Act("fill"))
    advance(simulation, steps)
    return simulation


def free_fall() -> SelfTestResult:
    """Height after 0.1 s against h + v t - g t²/2."""
    dt, steps, speed = 1e-5, 10_000, 0.3
    world = moved([(0.0, 0.0)], steps, dt, velocity=(0.0, speed), gravity=G)
    time = steps * dt
    expected = speed * time - 0.5 * G * time**2
    return SelfTestResult(abs(float(world.motion[1, 0, 0]) / expected - 1.0), 1e-9)


def hertz_impact() -> SelfTestResult:
    """Largest overlap of two grains against (5 m* v² / 4k)^(2/5): Johnson, Contact Mechanics (1985), 11.4."""
    speed = 1.0
    smooth: dict[str, Value] = {"friction": 0.0, "normal_damping": 0.0, "shear_damping": 0.0}
    overlap = (5.0 * 0.5 * MASS * speed**2 / (4.0 * STIFFNESS)) ** 0.4
    dt = 2.94 * overlap / speed / 400
    deepest = [0.0]

    def look(world: World) -> None:
        deepest[0] = max(deepest[0], 2.0 * RADIUS - float(world.motion[0, 0, 1] - world.motion[0, 0, 0]))

    place, velocity = [(-RADIUS, 0.0), (RADIUS, 0.0)], [(0.5 * speed, 0.0), (-0.5 * speed, 0.0)]
    moved(place, 450, dt, smooth, velocity=velocity, look=look)
    return SelfTestResult(abs(deepest[0] / overlap - 1.0), 1e-3)


def restitution() -> SelfTestResult:
    """Rebound of the linear law against e = exp(-g t_c/2), t_c = pi / sqrt(k/m* - g²/4), damped to e = 0.7."""
    asked, speed, effective = 0.7, 0.8, 0.5 * MASS
    damping = -2.0 * math.log(asked) * math.sqrt(1e4 / effective) / math.hypot(math.pi, math.log(asked))
    duration = math.pi / math.sqrt(1e4 / effective - 0.25 * damping**2)
    values: dict[str, Value] = {
        "normal_stiffness": 1e4,
        "normal_damping": damping,
        "exponent": "linear",
        "friction": 0.0,
    }
    place, velocity = [(-RADIUS, 0.0), (RADIUS, 0.0)], [(speed, 0.0), (0.0, 0.0)]
    world = moved(place, 1700, duration / 1600, values, velocity=velocity, plain=True)
    found = float(world.motion[0, 1, 1] - world.motion[0, 1, 0]) / speed
    return SelfTestResult(abs(found / asked - 1.0), 1e-3)


def momentum() -> SelfTestResult:
    """Change of the total momentum of 36 grains in 10,000 steps, divided by the sum of |m v| [-]."""
    place, velocity = grains_in_contact()
    world = moved(place, 10_000, 1e-6, velocity=velocity)
    change = np.abs(world.motion[:, 1].sum(axis=1) - velocity.sum(axis=0)).max()
    return SelfTestResult(float(change / np.abs(velocity).sum()), 1e-12)


def energy_ledger() -> SelfTestResult:
    """Gap of the energy ledger after a whole small experiment, divided by the dissipated energy [-]."""
    simulation = new_experiment("heap", SMALL)
    apply(simulation, Act("run"))
    while not is_finished(simulation):
        advance(simulation, 5_000)
    if simulation.fault is not None:
        raise RuntimeError(simulation.fault.message)
    energy = energy_of(simulation)
    return SelfTestResult(abs(energy.gap) / energy.dissipated, 0.01)


def brute_force() -> SelfTestResult:
    """Contacts of 300 random grains in which the neighbour list and the comparison of all pairs differ."""
    generator = np.random.default_rng(5)
    place = generator.uniform(-0.02, 0.02, (300, 2))
    world = moved(place, 1, 1e-9)
    used = int(world.counters[PAIR_COUNT])
    listed = set(zip(world.pairs.i[:used].tolist(), world.pairs.j[:used].tolist(), strict=True))
    distance = np.hypot(*(world.motion[:, 0, :, None] - world.motion[:, 0, None]))
    first, second = np.nonzero(np.triu(distance < 2.0 * RADIUS, 1))
    touching = set(zip(first.tolist(), second.tolist(), strict=True))
    return SelfTestResult(float(len(touching - listed) + used - len(listed)), 0.0, "contacts")


def plain_python() -> SelfTestResult:
    """Difference of compiled code and plain Python after 60 steps of 36 grains, divided by the largest displacement."""
    place, velocity = grains_in_contact()
    fast, plain = (moved(place, 60, 1e-6, velocity=velocity, plain=slow) for slow in (False, True))
    path = np.abs(plain.motion[:, 0] - place.T).max()
    return SelfTestResult(float(np.abs(fast.motion[:, 0] - plain.motion[:, 0]).max() / path), 1e-11)


PHYSICS = (
    SelfTestCase("free fall", "error of the path", free_fall, "I25"),
    SelfTestCase("Hertz impact", "error of the largest overlap", hertz_impact, "I25"),
    SelfTestCase("restitution", "error of the rebound", restitution, "I05"),
    SelfTestCase("momentum", "change over 10,000 steps", momentum, "I02"),
    SelfTestCase("energy ledger", "gap, share of the dissipated energy", energy_ledger, "I04"),
    SelfTestCase("neighbours", "contacts missed or listed twice", brute_force, "I20"),
    SelfTestCase("compiled code", "difference from plain Python", plain_python, "T17"),
)
