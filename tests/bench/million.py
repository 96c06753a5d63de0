"""A million grains in space without a window: place, step, draw, save, open; memory and time of each part.

Not a test: it takes a minute and more than a gigabyte. From the project's folder:

    uv run python -m tests.bench.million [GRAINS] [STEPS]

The grains lie on a cubic lattice, a little closer than they touch, with radii of 0.97 to 1 mm, in a box of five planes.
Time is processor time, which other programs do not lengthen much; memory is the largest resident memory during a part.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from repose.app.render.still import still
from repose.app.storage.png import save_png
from repose.app.storage.view_settings import View
from repose.app.window.headless_film import open_picture_maker
from repose.sim import Material, Simulation, place_spheres
from repose.sim.engine.world import PAIR_COUNT, REBUILD_COUNT
from repose.sim.study.bench import memory

RADIUS, SMALLEST, PITCH = 1e-3, 0.97, 1.96
"""Largest radius [m], smallest one and pitch of the lattice in units of it [-]."""
MEASURED_STEPS = 20
"""Steps whose time is given per grain and step, after the others: the lists exist and the loop is loaded."""
GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.3, friction=0.5)

Result = TypeVar("Result")


def part(name: str, call: Callable[[], Result]) -> tuple[Result, float]:
    """The result of a part and its processor time [s]; prints time and largest memory."""
    gc.collect()
    clear, before = _forget_largest(), _memory("VmRSS")
    wall, began = time.perf_counter(), time.process_time()
    result = call()
    took = time.process_time() - began
    note = "" if clear else " (since the program began)"
    print(
        f"{name:32} {took:7.2f} s of processor time, {time.perf_counter() - wall:7.2f} s, "
        f"memory {before:5.0f} -> {_memory('VmRSS'):5.0f} MB, at most {_memory('VmHWM'):5.0f} MB{note}",
        flush=True,
    )
    return result, took


def placed(grains: int, threads: int | None = 1) -> Simulation:
    """The grains in their box, at rest."""
    side = max(2, round(grains ** (1.0 / 3.0)))
    random, pitch = np.random.default_rng(1), PITCH * RADIUS
    layer, place = np.divmod(np.arange(grains, dtype=np.float64), side * side)
    row, column = np.divmod(place, side)
    position = np.column_stack([column, row, layer])
    position += 0.5
    position *= pitch
    radius = RADIUS * random.uniform(SMALLEST, 1.0, grains)
    width = pitch * side
    planes = [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((width, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        ((0.0, width, 0.0), (0.0, -1.0, 0.0)),
    ]
    return place_spheres(
        position, radius, GLASS, planes=planes, plane_material=GLASS, integrator="leapfrog", threads=threads
    )


def draw(simulation: Simulation, file: Path) -> None:
    """Write a picture of the grains."""
    size = (1280, 720)
    maker = open_picture_maker(size)
    try:
        with file.open("wb") as opened:
            save_png(still(maker.read, [simulation.snapshot()], View(), size), opened)
    finally:
        maker.close()


def main(grains: int, steps: int) -> None:
    """Measure each part and print a table."""
    placed(1000).step(50)  # compiles or loads the engine
    print(f"{grains} grains; beforehand {_memory('VmRSS'):.0f} MB")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "run.repose"
        digest, beside = made_and_saved(grains, steps, file)
        restored, took = part("open", lambda: Simulation.load(file))
        if restored.state_hash() != digest:
            raise RuntimeError("The run that was opened has another state.")
        part("one step of the opened run", lambda: restored.step(1))
    print(f"{beside + took:.1f} s of processor time besides the steps")


def made_and_saved(grains: int, steps: int, file: Path) -> tuple[str, float]:
    """Place the grains, step, draw and save them; the state hash, and the processor time besides the steps [s]."""
    simulation, beside = part("place", lambda: placed(grains))
    part(f"{steps} steps", lambda: simulation.step(steps))
    before = int(simulation.world.counters[REBUILD_COUNT])
    _, took = part(f"{MEASURED_STEPS} further steps", lambda: simulation.step(MEASURED_STEPS))
    world = simulation.world
    pairs, room = int(world.counters[PAIR_COUNT]), world.pairs.i.size
    print(
        f"  {took / MEASURED_STEPS / grains * 1e9:.0f} ns per grain and step "
        f"({int(world.counters[REBUILD_COUNT]) - before} rebuilds), {memory(world) / grains:.0f} bytes per grain, "
        f"{pairs / grains:.2f} listed pairs per grain (room for {room / grains:.2f}), "
        f"{int(world.pairs.touching[:pairs].sum()) / grains:.2f} of them touch"
    )
    beside += part("picture", lambda: draw(simulation, file.with_suffix(".png")))[1]
    beside += part("save", lambda: simulation.save(file))[1]
    print(f"  file of {file.stat().st_size / 1e6:.0f} MB")
    return part("state hash", simulation.state_hash)[0], beside


def _forget_largest() -> bool:
    """Let the largest memory be that from now on; False where the system cannot do that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _memory(name: str) -> float:
    """Resident memory (VmRSS) or the largest since `_forget_largest` (VmHWM) [MB], of Linux."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024.0


if __name__ == "__main__":
    numbers = [int(float(text)) for text in sys.argv[1:3]]
    main(*(numbers + [1_000_000, 100][len(numbers) :]))
