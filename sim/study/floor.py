"""The floor of the benchmark: a C program written by hand for the heap of the thesis (`floor.c`), built with gcc.

The program steps one kind of state only: discs in the plane without rotation, the Lee-Herrmann law with Hertz repulsion
and the Coulomb limit on the spring, fixed discs as walls, leapfrog or Gear-5, one thread. The ratio of the engine's
time to its time is the cost of the generality of the engine.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import PAIR_COUNT, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.laws.lee_herrmann import LeeHerrmann

SOURCE = Path(__file__).with_suffix(".c")
OPTIONS = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffinite-math-only",
    "-fno-signed-zeros",
    "-fopenmp-simd",
)
LONGEST = 60.0
"""Wall time after which compiler and program are stopped [s]."""
LEVELS = 6
"""Number of levels in the file of a state; leapfrog uses the first levels only."""
PER_WARM_UP = 10
"""Number of timed steps per untimed step [-]."""


class NoFloor(Exception):
    """Why there is no floor on this machine, as a sentence."""


@contextmanager
def floor_program() -> Iterator[Path]:
    """The program, built into a temporary folder; raises `NoFloor` without gcc or if gcc fails."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise NoFloor("No ratio to the floor: gcc is not installed.")
    with TemporaryDirectory() as folder:
        program = Path(folder) / "floor.exe"  # Windows needs the suffix
        done = _ran([compiler, *OPTIONS, "-o", str(program), str(SOURCE), "-lm"])
        if done.returncode != 0:
            first = next((line for line in done.stderr.splitlines() if "error" in line), f"code {done.returncode}")
            raise NoFloor(f"No ratio to the floor: gcc could not compile sim/study/floor.c ({first.strip()}).")
        yield program


def write_state(path: Path, world: World, experiment: Experiment, skin: float, steps: int) -> NDArray[np.intp]:
    """Write the state as `floor.c` reads it, `skin` in [m]; returns the row of the world for each row of the file:
    moving spheres first, both kinds from the bottom to the top in strips as wide as a sphere."""
    numbers = LeeHerrmann(*experiment.engine.law_parameters)
    strip = np.floor(world.motion[1, 0] / (2.0 * world.radius.max()))
    rows = np.lexsort((world.motion[0, 0], strip, world.fixed))
    row_in_file = np.argsort(rows)
    contacts = contacts_of(world)
    # The program may exchange i and j of a pair: the displacement along the tangent is the same.
    contacts[:, :2] = row_in_file[contacts[:, :2].astype(np.intp)]
    head = (
        int((~world.fixed).sum()),
        world.sphere_count,
        len(contacts),
        experiment.engine.model.integrator.name == "gear5",
        experiment.dt,
        *experiment.engine.gravity[:2],
        numbers.normal_stiffness,
        numbers.wall_stiffness_factor,
        numbers.shear_stiffness,
        numbers.normal_damping,
        numbers.shear_damping,
        numbers.friction,
        skin,
        steps // PER_WARM_UP,
        steps,
    )
    motion = np.zeros((LEVELS, 2, world.sphere_count))
    kept = world.motion.shape[1] if head[3] else 2
    motion[:kept] = world.motion[:, :kept].transpose(1, 0, 2)[:, :, rows]
    tables = (motion, world.radius[rows], world.mass[rows], contacts)
    path.write_bytes(b"".join(np.asarray(table, np.float64).tobytes() for table in (head, *tables)))
    return rows


def contacts_of(world: World) -> NDArray[np.float64]:
    """i, j and stretch of the friction spring along the tangent (n_y, -n_x) [m] of all touching pairs; shape
    (contacts, 3)."""
    pairs = world.pairs
    touching = np.flatnonzero(pairs.touching[: world.counters[PAIR_COUNT]])
    i, j = pairs.i[touching].astype(np.intp), pairs.j[touching].astype(np.intp)
    branch = world.motion[:2, 0, i] - world.motion[:2, 0, j]
    normal = branch / np.hypot(*branch)
    moved = branch - pairs.shear_spring[:, touching]
    return np.column_stack([i, j, moved[0] * normal[1] - moved[1] * normal[0]])


def run_floor(program: Path, state: Path, end: Path | None = None) -> float:
    """Wall time per moving sphere and step of one run from the state in a file [ns]; `end` receives the motion."""
    done = _ran([str(program), str(state), *([str(end)] if end else [])])
    if done.returncode != 0:
        raise NoFloor(f"No ratio to the floor: the program ended with code {done.returncode}. {done.stderr.strip()}")
    return float(done.stdout)


def _ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    with suppress(subprocess.TimeoutExpired, OSError):
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
    return subprocess.CompletedProcess(
        command, 1, "", f"error: {Path(command[0]).name} could not be run in {LONGEST:g} s"
    )
