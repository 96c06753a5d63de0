"""What scenes measure in the motion that LAMMPS computes from an exported state, beside our runs at equal times.

The value of LAMMPS, the mean over all frames, must be one more value of runs from grains displaced by 1e-4 radii: with
n = 8 such runs it is within t s √(1 + 1/n) of their mean but for one case in a thousand (repose.sim.experiment.
beside_dump). LAMMPS damps with velocities half a step before the positions, an error of the first order of the step:
twice the change from a step to its half is added. Counts of grains are known to one.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.experiment.beside_dump import CHANCE, ROUNDED, BesideDump, beside_dump
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.stepping import advance
from repose.sim.io.lammps.in_scenes import IN_LAMMPS
from repose.sim.io.lammps.read_dump import read_dump
from repose.sim.registry import scenes
from scipy.stats import t as student

from tests.lammps_program import dump_of_lammps, require_lammps

pytestmark = pytest.mark.slow

REPEATS = 8
FRAMES = 20
EVERY = 200
"""Steps between two frames."""
STIFF = {"young": 3e6}
"""With overlaps of 2 %: the slip of spinning grains, which LAMMPS takes at their surfaces, differs by half of it."""
MANY = 150
"""Grains, where a scene has a parameter for it: means over more grains scatter less."""
VALUES: dict[str, dict[str, Any]] = {
    "chute": {"duration": 2.0},
    "clumps": {"rolling_friction": 0.0, "grain_count": 60, "young": 3e7},
    "heap": {"coulomb_cap": "lammps"},
    "heap3d": {"rolling_friction": 0.0},
    "janssen": {"young": 3e7},
    "joined": {"young": 3e7},
    "two_sided": {"grain_count": 24},
}
PHASE = {"rough_plane": "filling"}
"""Phase of the exported state, "flowing" if none is named: later its table turns."""
LATER = {"chute": 1.2, "two_sided": 0.2}
"""Time after the beginning of the phase at which the table stands, or all grains are poured [s]."""
OFTEN = {"janssen": 25}
"""Steps between two frames of a scene that adds grains after each few hundred steps."""
NO_MOTION = ("time_since_last_grain", "periods")
"""Readings of the clock of a scene."""
NOT_THE_SAME = {
    "biaxial": "its walls keep a force and change their speed at every step",
    "triaxial": "its walls keep a force and change their speed at every step",
    "close_packing": "its cell shrinks",
    "sphere_tests": "its motion has no scatter beside which the first step without friction would not count",
}
COMPARED = [name for name, entry in IN_LAMMPS.items() if entry.state != "no" and name not in NOT_THE_SAME]


def exported_state(name: str) -> Simulation:
    """The scene in its course, at a step at which a frame is written."""
    test_values = dict(scenes()[name].test_values)
    values = test_values | {each: value for each, value in STIFF.items() if each in test_values}
    if "grain_count" in test_values:
        values["grain_count"] = max(MANY, test_values["grain_count"])
    simulation = Simulation(name, values | VALUES.get(name, {}), seed=1)
    simulation.act("run")
    experiment = simulation.experiment
    while experiment.phase != PHASE.get(name, "flowing") or not experiment.run.world.sphere_count:
        assert advance(experiment, 50)
    begun, whole = experiment.time, 2 * OFTEN.get(name, EVERY)
    while experiment.time < begun + LATER.get(name, 0.0):
        simulation.step(50)
    simulation.step(whole * math.ceil((experiment.step + 100) / whole) - experiment.step)
    return simulation


def outside(found: BesideDump, halved: BesideDump) -> dict[str, tuple[float, float]]:
    """Quantities whose mean over the frames differs by more than the bound: difference and bound."""
    wide = float(student.ppf(1.0 - 0.5 * CHANCE, REPEATS - 1)) * math.sqrt(1.0 + 1.0 / REPEATS)
    frames = min(len(found.time), len(halved.time))
    wrong = {}
    for name, quantity in found.quantities.items():
        repeats = np.array(quantity.repeats[:frames])
        there, half = (np.array(each.quantities[name].there[:frames]) for each in (found, halved))
        known = np.isfinite(there) & np.isfinite(half) & np.isfinite(repeats).all(axis=1)
        if name in NO_MOTION or not known.any():
            continue
        means, value = repeats[known].mean(axis=0), float(there[known].mean())
        bound = wide * float(means.std(ddof=1)) + 2.0 * abs(value - float(half[known].mean()))
        bound += ROUNDED * float(np.abs(means).max())
        if not (repeats[known] % 1.0).any():
            bound += 1.0
        difference = abs(value - float(means.mean()))
        if difference > bound:
            wrong[name] = (difference, bound)
    return wrong


def both_steps(simulation: Simulation, saved: Any, folder: Path) -> tuple[BesideDump, BesideDump]:
    """LAMMPS with the step of the run and with half of it, beside the run."""
    experiment, every = simulation.experiment, OFTEN.get(simulation.experiment.scene.name, EVERY)
    whole, half = (
        read_dump(dump_of_lammps(experiment, folder / str(halvings), FRAMES, every, halvings)) for halvings in (0, 1)
    )
    return beside_dump(saved, whole, REPEATS), beside_dump(saved, half, 0)


@pytest.mark.parametrize("name", COMPARED)
def test_a_scene_measures_in_lammps_what_it_measures_here(name: str, tmp_path: Path) -> None:
    require_lammps()
    simulation = exported_state(name)
    found, halved = both_steps(simulation, saved_copy(simulation.experiment), tmp_path)
    assert len(found.time) >= 5, found.ended
    assert max(found.apart) > 0.0
    assert outside(found, halved) == {}


@pytest.mark.parametrize("name", ["drum", "heap"])
def test_grains_without_friction_in_lammps_are_noticed(name: str, tmp_path: Path) -> None:
    require_lammps()
    simulation = exported_state(name)
    saved = saved_copy(simulation.experiment)
    simulation.set(friction=0.0)
    found, halved = both_steps(simulation, saved, tmp_path)
    assert {"mean_speed", "kinetic_energy"} <= outside(found, halved).keys()
