"""Self-test of the engine on a machine: a closed form, compiled code, equal bits in a new process and after a restart.

Each case is a function that measures one number and returns it with its bound; `SelfTestCase.of` gives the numbers of
the reliability cases (sim/README.md). All cases use the compiled loop of the heap: only one loop is compiled.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from repose.sim.engine import composition
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs
from repose.sim.engine.model import Model
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.parameters import Value
from repose.sim.registry import integrators, laws
from repose.sim.scenes.heap.container import HeapState

SMALL = {"grain_count": 40, "width": 0.015}
POURED = 20_000
"""Steps after which the small heap has many contacts."""
RADIUS, MASS, STIFFNESS = 1e-3, 1e-3, 1e6
PATIENCE = 300.0
"""Longest wall time of a new process [s]."""


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
    position: Any,
    steps: int,
    dt: float,
    values: Mapping[str, Value] | None = None,
    *,
    velocity: Any = 0.0,
    plain: bool = False,
    look: Callable[[World], None] | None = None,
) -> World:
    """Equal grains after `steps` steps with the law of the heap and these parameters; `look` sees each step."""
    law = laws()["lee_herrmann"]
    parameters = law.parameters.checked(values or {})
    model, coefficients = Model(law.bind(parameters), integrators()["gear5"]), law.coefficients(parameters)
    advance = composition.plain(model) if plain else composition.compose(model)
    blank = empty_world(2, 0, model.integrator.levels, materials=2)
    world = add_spheres(blank, position, RADIUS, MASS, velocity=velocity)
    done = 0
    while done < steps:
        count, status, _ = advance(world, coefficients, (0.0, 0.0), dt, 1 if look else steps - done)
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


def heap(steps: int = POURED) -> Experiment:
    """A small heap while it is poured, after `steps` steps."""
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("fill"))
    advance(experiment, steps)
    return experiment


def hertz_impact() -> SelfTestResult:
    """Largest overlap of two grains against (5 m* v² / 4k)^(2/5): Johnson, Contact Mechanics (1985), 11.4."""
    speed = 1.0
    smooth: dict[str, Value] = {"friction": 0.0, "normal_damping": 0.0, "shear_damping": 0.0}
    overlap = (5.0 * 0.5 * MASS * speed**2 / (4.0 * STIFFNESS)) ** 0.4
    dt = 2.94 * overlap / speed / 400
    deepest = [0.0]

    def look(world: World) -> None:
        deepest[0] = max(deepest[0], 2.0 * RADIUS - float(world.motion[0, 0, 1] - world.motion[0, 0, 0]))

    position, velocity = [(-RADIUS, 0.0), (RADIUS, 0.0)], [(0.5 * speed, 0.0), (-0.5 * speed, 0.0)]
    moved(position, 450, dt, smooth, velocity=velocity, look=look)
    return SelfTestResult(abs(deepest[0] / overlap - 1.0), 1e-3)


def plain_python() -> SelfTestResult:
    """Difference of compiled code and plain Python after 60 steps of 36 grains, divided by the largest displacement."""
    position, velocity = grains_in_contact()
    fast, plain = (moved(position, 60, 1e-6, velocity=velocity, plain=slow) for slow in (False, True))
    path = np.abs(plain.motion[:, 0] - position.T).max()
    return SelfTestResult(float(np.abs(fast.motion[:, 0] - plain.motion[:, 0]).max() / path), 1e-11)


def new_process() -> SelfTestResult:
    """Runs of a new process with the same seed that have other bits: 0 or 1."""
    code = (
        "from repose.sim.experiment.results import state_hash; from repose.sim.study.selftest_cases import heap; "
        "print(state_hash(heap().run))"
    )
    return SelfTestResult(float(output_of(code).split()[-1] != state_hash(heap().run)), 0, "runs")


def output_of(code: str) -> str:
    """Standard output of a new process that executes `code`."""
    folder = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=folder)
    return done.stdout


def restart() -> SelfTestResult:
    """Runs that were saved and read while grains touch, and then continue with other bits."""
    differing = 0
    for done in (349, 8_111):
        whole, part = heap(), heap(done)
        blob = world_tables.to_bytes(part.run.world, part.run.state, {})
        part.run.world, part.run.state, _ = world_tables.from_bytes(blob, HeapState)
        advance(part, POURED - done)
        differing += state_hash(part.run) != state_hash(whole.run)
    return SelfTestResult(differing, 0, "runs")


ENGINE = (
    SelfTestCase("Hertz impact", "error of the largest overlap", hertz_impact, "I25"),
    SelfTestCase("compiled code", "difference from plain Python", plain_python, "T17"),
    SelfTestCase("new process", "runs with other bits", new_process, "I12"),
    SelfTestCase("restart", "runs that continue with other bits", restart, "I14, N01"),
)
