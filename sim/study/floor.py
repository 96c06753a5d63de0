"""The floors of the benchmark: C programs written by hand for one model each, built with gcc.

Each steps one kind of state only, on one thread. `floor.c`: discs in the plane without rotation, the Lee-Herrmann law
with Hertz repulsion and the Coulomb limit on the spring, fixed discs as walls, leapfrog or Gear-5. `floor_space.c`:
spheres with rotation of one material, Hertz-Mindlin with history, planes as walls, leapfrog. The ratio of the engine's
time to that of the program is the cost of the generality of the engine, energy ledger included.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.laws.hertz_mindlin import HertzMindlin
from repose.sim.laws.lee_herrmann import LeeHerrmann
from repose.sim.laws.material_columns import ACROSS, DAMPING, FRICTION, YOUNG

SOURCES = {dimension: Path(__file__).with_name(name) for dimension, name in ((2, "floor.c"), (3, "floor_space.c"))}
"""The programs by the dimension of their model."""
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
"""Number of levels in the file of a state in the plane; leapfrog uses the first levels only."""
PER_WARM_UP = 10
"""Number of timed steps per untimed step [-]."""


class NoFloor(Exception):
    """Why there is no floor on this machine, as a sentence."""


@contextmanager
def floor_program(dimension: int) -> Iterator[Path]:
    """The program for this dimension, built into a temporary folder; raises `NoFloor` without gcc or if gcc fails."""
    source = SOURCES[dimension]
    compiler = shutil.which("gcc")
    if compiler is None:
        raise NoFloor("No ratio to the floor: gcc is not installed.")
    with TemporaryDirectory() as folder:
        program = Path(folder) / "floor.exe"  # Windows needs the suffix
        done = _ran([compiler, *OPTIONS, "-o", str(program), str(source), "-lm"])
        if done.returncode != 0:
            first = next((line for line in done.stderr.splitlines() if "error" in line), f"code {done.returncode}")
            raise NoFloor(f"No ratio to the floor: gcc could not compile sim/study/{source.name} ({first.strip()}).")
        yield program


def write_state(path: Path, world: World, experiment: Experiment, skin: float, steps: int) -> NDArray[np.intp]:
    """Write the state as its program reads it, `skin` in [m]; returns the row of the world for each row of the file."""
    tables_of = _tables_in_plane if experiment.scene.model.dimension == 2 else _tables_in_space
    rows, tables = tables_of(world, experiment, skin, (steps // PER_WARM_UP, steps))
    path.write_bytes(b"".join(np.asarray(table, np.float64).tobytes() for table in tables))
    return rows


def _tables_in_plane(
    world: World, experiment: Experiment, skin: float, steps: tuple[int, int]
) -> tuple[NDArray[np.intp], list[Any]]:
    """Moving spheres first, both kinds from the bottom to the top in strips as wide as a sphere."""
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
        *steps,
    )
    motion = np.zeros((LEVELS, 2, world.sphere_count))
    kept = world.motion.shape[1] if head[3] else 2
    motion[:kept] = world.motion[:, :kept].transpose(1, 0, 2)[:, :, rows]
    return rows, [head, motion, world.radius[rows], world.mass[rows], contacts]


def _tables_in_space(
    world: World, experiment: Experiment, skin: float, steps: tuple[int, int]
) -> tuple[NDArray[np.intp], list[Any]]:
    """Spheres in the rows of the world."""
    numbers = HertzMindlin(*experiment.engine.law_parameters).table.reshape(-1)
    pairs, walls, motion = world.pairs, world.wall_contacts, world.motion
    touching = np.flatnonzero(pairs.touching[: world.counters[PAIR_COUNT]])
    at_wall = np.flatnonzero(walls.touching[: world.counters[WALL_CONTACT_COUNT]])
    at_wall = at_wall[np.lexsort((walls.sphere[at_wall], walls.wall[at_wall]))]
    head = (
        *(world.sphere_count, touching.size, world.walls.shape.size, at_wall.size, experiment.dt),
        *experiment.engine.gravity,
        *(numbers[column] for column in (YOUNG, ACROSS, DAMPING, FRICTION)),
        *(skin, *steps),
    )
    planes = np.hstack([world.walls.corner[:, 0] + world.walls.moved, world.walls.corner[:, 1]])
    tables = [motion[:3, :3].transpose(1, 0, 2), motion[3:6, 1:3].transpose(1, 0, 2), world.radius, world.mass, planes]
    springs = [
        np.vstack([first[rows], second[rows], spring[:, rows]]).T
        for first, second, spring, rows in (
            (pairs.i, pairs.j, pairs.shear_spring, touching),
            (walls.sphere, walls.wall, walls.shear_spring, at_wall),
        )
    ]
    return np.arange(world.sphere_count), [head, *tables, *springs]


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
