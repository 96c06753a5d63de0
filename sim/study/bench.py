"""Benchmark of the step loop: nanoseconds per grain and step, shares of its parts, ratio to the reference loop.

It asserts nothing: timings depend on the machine and its load. States of the heap are the shipped
column at rest ("settled"), 0.15 s after its wall was opened ("flowing"), and the container half filled ("filling"); the
larger numbers of grains are the same states set up side by side, so that all sizes do the same work per grain.
"""

from __future__ import annotations

import itertools
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs, with_threads
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL
from repose.sim.engine.thread_count import GRAINS_PER_THREAD, available
from repose.sim.engine.world import REBUILD_COUNT, World, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.stepping import advance
from repose.sim.study.parts import measure_parts
from repose.sim.study.yardstick import loop_by_hand

FLOWING_AFTER = 0.15
"""Simulated time from the opening of the wall to the flowing state [s]."""
HALF_FILLED = 0.6
"""Simulated time from the beginning of pouring to the filling state [s]."""
SIZES = (1, 9, 91)
"""Copies of the heap of 1100 grains."""
AT_REST = 0.05
"""Largest speed of settled beads [m/s]; they are poured with some metres per second."""
GLASS = {"grain_count": 10_000, "mean_radius": 5e-3, "fill_height": 1.25, "orifice": 0.1}
"""Spheres in space with rotation: beads of the glass hourglass, settling and then flowing."""
FEW = 1_000
"""Beads of the quick benchmark."""

Loop = Callable[..., tuple[int, int, int]]
Tell = Callable[[str, float], None]
"""Called with the present activity in words and the share done [-]."""


class State(NamedTuple):
    """A world to measure, and the experiment it comes from."""

    name: str
    world: World
    simulation: Experiment
    by_hand: bool = False
    """Whether the reference loop can step it."""


def side_by_side(world: World, copies: int, pitch: float) -> World:
    """`copies` copies of the world, `pitch` [m] apart, with equal motion and new contacts."""
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


def nanoseconds(loop: Loop, world: World, simulation: Experiment, steps: int) -> float:
    """Time per moving sphere and step of one batch on a copy of the world [ns]."""
    return _timed(loop, world, simulation, steps)[0]


def _timed(loop: Loop, world: World, simulation: Experiment, steps: int) -> tuple[float, float, World]:
    """Time per moving sphere and step [ns], wall time of the batch [s], and the world after it."""
    world = copy_world(world)
    left = steps
    began = time.perf_counter()
    while left:
        done, status, _ = loop(world, simulation.engine.law_parameters, simulation.engine.gravity, simulation.dt, left)
        left -= done
        if status == PAIRS_FULL:
            world = enlarge_pairs(world)
        elif status != OK:
            raise RuntimeError(f"The step loop of the benchmark returned the status {status}.")
    wall = time.perf_counter() - began
    return wall / (steps * int((~world.fixed).sum())) * 1e9, wall, world


def heap_states(integrator: str, sizes: Iterable[int], quick: bool) -> Iterator[State]:
    """The heap settled, flowing and, unless `quick`, filling, with each number of copies of `sizes`."""
    simulation = new_experiment("heap", {"integrator": integrator}, ready="column")
    advance(simulation, 200)
    states = {"settled": copy_world(simulation.run.world)}
    apply(simulation, Act("open"))
    advance(simulation, int(FLOWING_AFTER / simulation.dt))
    states["flowing"] = copy_world(simulation.run.world)
    if not quick:
        pouring = new_experiment("heap", {"integrator": integrator})
        apply(pouring, Act("fill"))
        while pouring.time < HALF_FILLED:
            advance(pouring, 200)
        states["filling"] = copy_world(pouring.run.world)
    for copies in sizes:
        for name, world in states.items():
            whole = world if copies == 1 else side_by_side(world, copies, 0.1)
            yield State(name, whole, simulation, by_hand=integrator == "gear5")


def fastest(world: World) -> float:
    """Speed of the fastest sphere [m/s]."""
    dimension = world.search.reference.shape[0]
    return float(np.linalg.norm(world.motion[:dimension, 1], axis=0).max())


def glass_states(quick: bool) -> Iterator[State]:
    """Glass beads at rest over the lid, then flowing through the neck."""
    simulation = new_experiment("hourglass_glass", GLASS | ({"grain_count": FEW} if quick else {}))
    while simulation.phase == "filling" or fastest(simulation.run.world) > AT_REST:
        advance(simulation, 1000)
    yield State("settled", copy_world(simulation.run.world), simulation)
    apply(simulation, Act("open"))
    advance(simulation, int(0.4 / simulation.dt))
    yield State("flowing", copy_world(simulation.run.world), simulation)


def measure(state: State, quick: bool) -> dict[str, Any]:
    """One row: engine (large worlds also on two threads) and reference loop in turn, neighbour lists per second,
    memory, and the parts of a step."""
    world, simulation = with_threads(state.world, 1), state.simulation
    moving = int((~world.fixed).sum())
    rounds = 3 if quick else 7
    steps = max(20, (200_000 if quick else 1_000_000) // moving)
    engine = simulation.engine
    loops = (engine.advance, loop_by_hand(engine.model)) if state.by_hand else (engine.advance,)
    for loop in loops:
        _timed(loop, world, simulation, steps)
    pair = with_threads(world, 2) if moving >= GRAINS_PER_THREAD and available() > 1 else None
    times, twice = [], []
    for _ in range(rounds):
        times.append([_timed(loop, world, simulation, steps) for loop in loops])
        if pair is not None:
            twice.append(_timed(simulation.engine.advance, pair, simulation, steps)[0])
    _, wall, after = times[-1][0]
    lists = int(after.counters[REBUILD_COUNT] - world.counters[REBUILD_COUNT])
    row = {
        "scene": simulation.scene.name,
        "integrator": simulation.engine.model.integrator.name,
        "grains": moving,
        "state": state.name,
        "ns_per_grain_and_step": statistics.median(turn[0][0] for turn in times),
        "lists_per_second": lists / wall,
        "bytes_per_sphere": memory(after) / after.sphere_count,
    }
    if pair is not None:
        row["bytes_per_sphere_two_threads"] = memory(with_threads(after, 2)) / after.sphere_count
        row["two_threads_ns"] = statistics.median(twice)
        row["speed_up"] = statistics.median(turn[0][0] / both for turn, both in zip(times, twice, strict=True))
    if state.by_hand:
        row["yardstick_ns"] = statistics.median(turn[1][0] for turn in times)
        row["ratio_to_yardstick"] = statistics.median(turn[0][0] / turn[1][0] for turn in times)
    parts = measure_parts(
        after,
        simulation.engine.model,
        (simulation.engine.law_parameters, simulation.engine.gravity, simulation.dt),
        quick,
    )
    parts["search"] = parts.pop("watching") + parts.pop("one_list") * lists / steps
    total = sum(parts.values())
    row["share"] = {name: part / total for name, part in parts.items()}
    return row


def memory(world: World) -> int:
    """Bytes of all tables; memory that several tables share counts once."""

    def owners(tables: Iterable[Any]) -> Iterator[np.ndarray]:
        for table in tables:
            if isinstance(table, tuple):
                yield from owners(table)
            else:
                yield table if table.base is None else table.base

    return sum({id(owner): owner.nbytes for owner in owners(world)}.values())


def measure_engine(quick: bool = False, tell: Tell = lambda words, share: None) -> dict[str, Any]:
    """Every state, size and integrator; `quick` measures the smaller sizes of Gear-5 only, and fewer beads."""
    schemes, sizes = (("gear5",), SIZES[:2]) if quick else (("gear5", "leapfrog"), SIZES)
    groups = [*(heap_states(scheme, sizes, quick) for scheme in schemes), glass_states(quick)]
    heaps = (2 if quick else 3) * len(sizes)  # per scheme
    total = heaps * len(schemes) + 2
    rows: list[dict[str, Any]] = []
    tell("setting up the heap and compiling", 0.0)
    for state in itertools.chain.from_iterable(groups):
        scene, scheme = state.simulation.scene.name, state.simulation.engine.model.integrator.name
        tell(f"{scene} {state.name}, {int((~state.world.fixed).sum())} grains, {scheme}", len(rows) / total)
        rows.append(measure(state, quick))
        if len(rows) == heaps * len(schemes):
            tell("filling the hourglass", len(rows) / total)
    machine = platform.processor() or platform.machine()
    return {"machine": f"{machine}, {available()} processors; one thread where no number is given", "rows": rows}


def describe(engine: dict[str, Any]) -> str:
    """The rows as a text table."""
    head = (
        "scene",
        "integrator",
        "grains",
        "state",
        "ns/grain/step",
        "two threads",
        "ratio",
        "lists/s",
        "B/sphere (two threads)",
        "shares",
    )
    lines = [head]
    for row in engine["rows"]:
        share = row["share"]
        lines.append(
            (
                row["scene"],
                row["integrator"],
                str(row["grains"]),
                row["state"],
                f"{row['ns_per_grain_and_step']:.1f}",
                f"{row['two_threads_ns']:.1f} ({row['speed_up']:.2f}x)" if "speed_up" in row else "",
                f"{row['ratio_to_yardstick']:.2f}" if "ratio_to_yardstick" in row else "",
                f"{row['lists_per_second']:.0f}",
                f"{row['bytes_per_sphere']:.0f}"
                + (f" ({row['bytes_per_sphere_two_threads']:.0f})" if "speed_up" in row else ""),
                ", ".join(f"{name} {part:.0%}" for name, part in sorted(share.items(), key=lambda item: -item[1])),
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip() for line in lines)
