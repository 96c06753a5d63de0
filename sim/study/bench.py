"""Benchmark of the step loop: nanoseconds per grain and step, Cundall number, shares of its parts, ratio to the floor.

The Cundall number is the number of grains times the number of steps per second of wall time [1/s], one thread.

The benchmark has no limits: timings depend on the machine and its load. The states of the heap are the shipped column
at rest ("settled") and 0.15 s after its wall was opened ("flowing"). Larger numbers of grains are copies of these
states side by side: the work per grain is equal for all sizes. The beads are spheres in space with rotation, which
settle in a box and flow after it was tilted. The floor is a C program written by hand for heap or beads
(repose.sim.study.floor).
"""

from __future__ import annotations

import itertools
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs, reset_displacements, with_threads
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL
from repose.sim.engine.thread_count import GRAINS_PER_THREAD, available
from repose.sim.engine.world import REBUILD_COUNT, World, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.simulation import Simulation
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.thread_choice import is_better
from repose.sim.laws.materials import Material
from repose.sim.scenes.common.setup import Plane, Setup, Spheres
from repose.sim.study.floor import NoFloor, floor_program, run_floor, write_state
from repose.sim.study.step_parts import measure_parts

FLOWING_AFTER = 0.15
"""Simulated time from the opening of the wall to the flowing state [s]."""
SCHEMES = ("leapfrog", "gear5")
SIZES = (1, 9, 91)
"""Numbers of copies of the heap of 1100 grains; the quick benchmark excludes the largest."""
SKIN_OF_FLOOR = {
    ("heap", "settled"): 0.3,
    ("heap", "flowing"): 0.6,
    ("beads", "settled"): 0.2,
    ("beads", "flowing"): 0.3,
}
"""Skin of the floor's neighbour list, chosen fast for each state, in mean radii [-]; the engine tunes its own skin."""
BEAD = Material(young=1e6, poisson=0.25, density=2500.0, restitution=0.3, friction=0.5)
ACROSS, LAYERS, BEAD_RADIUS = 22, 21, 1e-3
"""Beads along either side of the box, their layers before they fall, and largest radius [m]: 10 164 beads."""
SETTLING, TILT, FLOW_TIME = 0.15, 0.6, 0.05
"""Simulated time in which the beads come to rest [s], angle of the box [rad], and time after which they flow [s]."""
SETTLING_ROWS = 9
"""Number of rows of the table that take as much wall time as the settling [-]; used only to estimate the remaining
time."""
SPHERE_STEPS, FEWEST_STEPS = 1_000_000, 20
"""Length of one turn: spheres times steps, and least number of steps."""
COPIED_BYTES = 1 << 26
"""Least number of bytes that one turn of the copy loop reads."""
THREADS = (2, 4, 8, 16)
"""Numbers of threads with which large worlds are measured, as far as the machine has processors."""
TURNS, TURNS_OF_LARGE, LARGE = 7, 5, 50_000
"""Number of timed turns of each row, of rows of large worlds, and least number of grains of a large world."""

Loop = Callable[..., tuple[int, int, int]]
ShowProgress = Callable[[str, float], None]
"""Called with the present activity in words and the completed fraction [-]."""


class BenchState(NamedTuple):
    """A world to measure, and the experiment from which it was taken."""

    model: str
    """"heap" or "beads"."""
    name: str
    world: World
    simulation: Experiment


def side_by_side(world: World, copies: int, pitch: float) -> World:
    """`copies` copies of the world, `pitch` [m] apart, with equal motion and new contacts; in each copy the fixed
    spheres come first."""
    rows = np.tile(np.argsort(~world.fixed, kind="stable"), copies)
    motion = world.motion[:, :, rows]
    motion[0, 0] += np.repeat(np.arange(copies) * pitch, world.sphere_count)
    whole = empty_world(2, 0, motion.shape[1])
    whole = add_spheres(whole, motion[:2, 0].T, world.radius[rows], world.mass[rows])
    whole.motion[:] = motion
    reset_displacements(whole)
    whole.inverse_mass[:] = world.inverse_mass[:, rows]
    return whole


def nanoseconds(loop: Loop, world: World, experiment: Experiment, steps: int) -> float:
    """Time per moving sphere and step of one batch on a copy of the world [ns]."""
    return _timed(loop, world, experiment, steps)[0]


def _timed(loop: Loop, world: World, experiment: Experiment, steps: int) -> tuple[float, float, World]:
    """Time per moving sphere and step [ns], wall time of the batch [s], and the world after it."""
    world = copy_world(world)
    left = steps
    began = time.perf_counter()
    while left:
        done, status, _ = loop(world, experiment.engine.law_parameters, experiment.engine.gravity, experiment.dt, left)
        left -= done
        if status == PAIRS_FULL:
            world = enlarge_pairs(world)
        elif status != OK:
            raise RuntimeError(f"The step loop of the benchmark returned the status {status}.")
    wall = time.perf_counter() - began
    return wall / (steps * int((~world.fixed).sum())) * 1e9, wall, world


def heap_states(integrator: str, sizes: Iterable[int]) -> Iterator[BenchState]:
    """The heap settled and flowing, with each number of copies of `sizes`."""
    experiment = new_experiment("heap", {"integrator": integrator}, ready="column")
    advance(experiment, 200)
    states = {"settled": copy_world(experiment.run.world)}
    apply(experiment, Act("open"))
    advance(experiment, int(FLOWING_AFTER / experiment.dt))
    states["flowing"] = copy_world(experiment.run.world)
    for copies in sizes:
        for name, world in states.items():
            yield BenchState("heap", name, world if copies == 1 else side_by_side(world, copies, 0.1), experiment)


def bead_states(settling: Callable[[float], None]) -> Iterator[BenchState]:
    """Beads at rest in a box, then flowing in it; `settling` is called with the simulated time [s] until they are at
    rest."""
    layer, place = np.divmod(np.arange(ACROSS * ACROSS * LAYERS), ACROSS * ACROSS)
    row, column = np.divmod(place, ACROSS)
    random, pitch = np.random.default_rng(1), 2.04 * BEAD_RADIUS
    position = pitch * (np.column_stack([column, row, layer]) + 0.5)
    position += random.uniform(-0.02, 0.02, position.shape) * BEAD_RADIUS
    radius = BEAD_RADIUS * random.uniform(0.9, 1.0, len(position))
    width = pitch * ACROSS
    walls = [
        Plane(point, normal, material=BEAD)
        for point, normal in (
            ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
            ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
            ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
            ((width, 0.0, 0.0), (-1.0, 0.0, 0.0)),
            ((0.0, width, 0.0), (0.0, -1.0, 0.0)),
        )
    ]
    beads = Spheres(position, radius, BEAD, velocity=random.normal(0.0, 0.02, position.shape))
    simulation = Simulation(Setup(beads, walls=walls), {"integrator": "leapfrog"})
    experiment = simulation.experiment
    while experiment.time < SETTLING:
        advance(experiment, 1000)
        settling(experiment.time)
    yield BenchState("beads", "settled", copy_world(experiment.run.world), experiment)
    simulation.set(tilt=TILT)
    advance(experiment, int(FLOW_TIME / experiment.dt))
    yield BenchState("beads", "flowing", copy_world(experiment.run.world), experiment)


def measure(state: BenchState, quick: bool, floor: Path | None) -> dict[str, Any]:
    """One row: timings of the engine (large worlds also on several threads) and of the program `floor` (if not None) in
    turn, neighbour lists per second, memory, and unless `quick` the parts of a step."""
    world, experiment = with_threads(state.world, 1), state.simulation
    moving = int((~world.fixed).sum())
    steps = max(FEWEST_STEPS, SPHERE_STEPS // moving)
    loop = experiment.engine.advance
    world = _timed(loop, world, experiment, steps)[2]  # loads the loop; lists and contacts exist from here on
    most = available() if moving >= GRAINS_PER_THREAD else 1
    shared = {count: with_threads(world, count) for count in THREADS if count <= most}
    alone, at_floor = [], []
    together: dict[int, list[float]] = {count: [] for count in shared}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "state"
        if floor is not None:
            skin = SKIN_OF_FLOOR[state.model, state.name] * float(world.radius[~world.fixed].mean())
            write_state(file, world, experiment, skin, steps)
        for _ in range(TURNS_OF_LARGE if moving >= LARGE else TURNS):
            one, wall, after = _timed(loop, world, experiment, steps)
            alone.append(one)
            if floor is not None:
                at_floor.append(run_floor(floor, file))
            for count, times in together.items():
                times.append(_timed(loop, shared[count], experiment, steps)[0])
    lists = int(after.counters[REBUILD_COUNT] - world.counters[REBUILD_COUNT])
    one = statistics.median(alone)
    # Tables that share memory are separate in a copy; new tables share it again.
    size = memory(with_threads(with_threads(after, 2), 1))
    row: dict[str, Any] = {
        "scene": state.model,
        "integrator": experiment.engine.model.integrator.name,
        "grains": moving,
        "state": state.name,
        "ns_per_grain_and_step": one,
        "cundall_number": 1e9 / one,
        "lists_per_second": lists / wall,
        "bytes_per_sphere": size / after.sphere_count,
        "ns_per_grain_to_copy": copy_time(size) / moving * 1e9,
        "threads": [
            {
                "count": count,
                "ns_per_grain_and_step": statistics.median(times),
                "speed_up": statistics.median(ours / theirs for ours, theirs in zip(alone, times, strict=True)),
                "bytes_per_sphere": memory(with_threads(after, count)) / after.sphere_count,
            }
            for count, times in together.items()
        ],
    }
    if floor is not None:
        row["floor_ns"] = statistics.median(at_floor)
        row["ratio_to_floor"] = statistics.median(ours / least for ours, least in zip(alone, at_floor, strict=True))
    if not quick:
        engine = experiment.engine
        parts = measure_parts(after, engine.model, (engine.law_parameters, engine.gravity, experiment.dt))
        parts["search"] = parts.pop("watching") + parts.pop("one_list") * lists / steps
        total = sum(parts.values())
        row["share"] = {name: part / total for name, part in parts.items()}
    return row


def falls_back(row: dict[str, Any]) -> bool:
    """Whether a run of this row gives up its threads, because none of their numbers is faster than one thread."""
    time, count = min((one["ns_per_grain_and_step"], one["count"]) for one in row["threads"])
    return is_better(1, row["ns_per_grain_and_step"], count, time)


def memory(world: World) -> int:
    """Memory of all tables; memory shared by several tables counts once [bytes]."""

    def owners(tables: Iterable[Any]) -> Iterator[np.ndarray]:
        for table in tables:
            if isinstance(table, tuple):
                yield from owners(table)
            else:
                yield table if table.base is None else table.base

    return sum({id(owner): owner.nbytes for owner in owners((world, world.workspace))}.values())


def copy_time(size: int) -> float:
    """Time in which a copy loop reads and writes `size` bytes together [s], the least of several turns: the limit that
    the bandwidth of caches and memory sets to a step that touches every byte of its tables once."""
    source = np.ones(max(1, size // 16))
    target = np.zeros_like(source)
    repeats = max(1, COPIED_BYTES // source.nbytes)
    turns = []
    for _ in range(TURNS):
        began = time.perf_counter()
        for _ in range(repeats):
            np.copyto(target, source)
        turns.append((time.perf_counter() - began) / repeats)
    return min(turns)


def measure_engine(quick: bool = False, show_progress: ShowProgress = lambda words, share: None) -> dict[str, Any]:
    """Every state, size and integrator; `quick` measures the smaller heaps only, without the parts of a step."""
    sizes = SIZES[:2] if quick else SIZES
    total = 2 * len(SCHEMES) * len(sizes) + (0 if quick else SETTLING_ROWS + 2)
    rows: list[dict[str, Any]] = []
    note = ""

    def say(words: str, settled: float) -> None:
        show_progress(words, (len(rows) + SETTLING_ROWS * settled) / total)

    def settling(at: float) -> None:
        say("filling the box with beads", min(at / SETTLING, 1.0))

    say("loading the engine, compiling it if necessary", 0.0)
    with ExitStack() as stack:
        floors: dict[str, Path] = {}
        try:
            for model, dimension in (("heap", 2), *([] if quick else [("beads", 3)])):
                floors[model] = stack.enter_context(floor_program(dimension))
        except NoFloor as reason:
            note = str(reason)
        groups = [heap_states(scheme, sizes) for scheme in SCHEMES] + ([] if quick else [bead_states(settling)])
        for state in itertools.chain.from_iterable(groups):
            scheme = state.simulation.engine.model.integrator.name
            grains = int((~state.world.fixed).sum())
            say(f"{state.model} {state.name}, {grains} grains, {scheme}", float(state.model == "beads"))
            rows.append(measure(state, quick, floors.get(state.model)))
    show_progress("done", 1.0)
    machine = platform.processor() or platform.machine()
    return {
        "machine": f"{machine}, {available()} processors; one thread where no number is given",
        "note": note,
        "rows": rows,
    }


def describe(engine: dict[str, Any]) -> str:
    """The rows as a text table, followed by the reason if there is no floor."""
    head = (
        "scene",
        "integrator",
        "grains",
        "state",
        "ns/grain/step",
        "Cundall number [10^6/s]",
        "threads: ns/grain/step",
        "ratio to floor",
        "lists/s",
        "B/sphere (threads)",
        "ns/grain to copy them",
        "shares",
    )
    lines = [head]
    for row in engine["rows"]:
        share = row.get("share", {})
        threads = [
            f"{one['count']}: {one['ns_per_grain_and_step']:.1f} ({one['speed_up']:.2f}x)" for one in row["threads"]
        ]
        if threads and falls_back(row):
            threads.append("a run falls back to one")
        more = ", ".join(f"{one['bytes_per_sphere']:.0f}" for one in row["threads"])
        lines.append(
            (
                row["scene"],
                row["integrator"],
                str(row["grains"]),
                row["state"],
                f"{row['ns_per_grain_and_step']:.1f}",
                f"{1e-6 * row['cundall_number']:.1f}",
                ", ".join(threads),
                f"{row['ratio_to_floor']:.2f} ({row['floor_ns']:.1f})" if "ratio_to_floor" in row else "",
                f"{row['lists_per_second']:.0f}",
                f"{row['bytes_per_sphere']:.0f}" + (f" ({more})" if more else ""),
                f"{row['ns_per_grain_to_copy']:.1f}",
                ", ".join(
                    f"{name} {100.0 * part:.0f} %" for name, part in sorted(share.items(), key=lambda item: -item[1])
                ),
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    table = ["  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([*table, *([engine["note"]] if engine["note"] else [])])
