"""Benchmark of the step loop: nanoseconds per grain and step, and the ratio to the yardstick in the same run.

Measures, never asserts: timings depend on the machine and on what else it does. States are the shipped
column at rest ("settled") and 0.15 s after the wall was opened ("flowing"); the larger number of grains is the
same column set up side by side, so that both sizes do the same work per grain.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sim.build import add_spheres, empty_world, enlarge_pairs
from sim.commands import Act
from sim.neighbours import OK, PAIRS_FULL
from sim.simulation import Simulation
from sim.state import World, copy_world
from sim.study.yardstick import advance_by_hand

FLOWING_AFTER = 0.15
"""Simulated time after opening at which the flowing state is taken [s]."""


def side_by_side(world: World, copies: int, pitch: float) -> World:
    """The world set up `copies` times, `pitch` [m] apart, all at rest with fresh contacts but equal motion."""
    whole = empty_world(2, 0, world.motion.shape[1])
    for n in range(copies):
        for fixed in (True, False):
            rows = world.fixed == fixed
            before = whole.sphere_count
            whole = add_spheres(
                whole,
                world.motion[:2, 0, rows].T + np.array([n * pitch, 0.0]),
                world.radius[rows],
                world.mass[rows],
                fixed=fixed,
                first_id=before,
            )
            whole.motion[:, :, before:] = world.motion[:, :, rows]
            whole.motion[0, 0, before:] += n * pitch
    return whole


def nanoseconds(loop: Callable[..., tuple[int, int, int]], world: World, simulation: Simulation, steps: int) -> float:
    """Time per moving sphere and step of one batch on a copy of the world [ns]."""
    world = copy_world(world)
    left = steps
    began = time.perf_counter()
    while left:
        done, status, _ = loop(world, simulation.numbers, simulation.gravity, simulation.dt, left)
        left -= done
        if status == PAIRS_FULL:
            world = enlarge_pairs(world)
        elif status != OK:
            raise RuntimeError(f"The benchmark state broke with status {status}.")
    return (time.perf_counter() - began) / (steps * int((~world.fixed).sum())) * 1e9


def measure_engine(quick: bool = False) -> dict[str, Any]:
    """Settled and flowing, both sizes, engine and yardstick in turn."""
    simulation = Simulation("heap", ready="column")
    simulation.advance(200)
    states = {"settled": copy_world(simulation.run.world)}
    simulation.apply(Act("open"))
    simulation.advance(int(FLOWING_AFTER / simulation.dt))
    states["flowing"] = copy_world(simulation.run.world)
    rounds, steps = (3, 200) if quick else (9, 1000)
    rows = []
    for copies in (1, 9):
        for name, state in states.items():
            world = state if copies == 1 else side_by_side(state, copies, 0.1)
            engine, yardstick = simulation.loop, advance_by_hand
            batch = max(50, steps // copies)
            nanoseconds(engine, world, simulation, batch), nanoseconds(yardstick, world, simulation, batch)
            times = [
                (nanoseconds(engine, world, simulation, batch), nanoseconds(yardstick, world, simulation, batch))
                for _ in range(rounds)
            ]
            rows.append(
                {
                    "grains": int((~world.fixed).sum()),
                    "state": name,
                    "ns_per_grain_and_step": statistics.median(pair[0] for pair in times),
                    "yardstick_ns": statistics.median(pair[1] for pair in times),
                    "ratio_to_yardstick": statistics.median(pair[0] / pair[1] for pair in times),
                }
            )
    return {
        "machine": f"{platform.processor() or platform.machine()}, one thread",
        "integrator": "gear5",
        "rows": rows,
    }


def describe(engine: dict[str, Any]) -> str:
    """The same as a table."""
    lines = [f"{'grains':>8} {'state':>8} {'ns/grain/step':>14} {'yardstick':>10} {'ratio':>6}"]
    lines += [
        f"{row['grains']:>8} {row['state']:>8} {row['ns_per_grain_and_step']:>14.1f} "
        f"{row['yardstick_ns']:>10.1f} {row['ratio_to_yardstick']:>6.2f}"
        for row in engine["rows"]
    ]
    return "\n".join(lines)
