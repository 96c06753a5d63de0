"""Grains whose radii differ by a factor of ten come to rest in their container and do not creep, also after loading."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from repose.sim import Simulation
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance

from tests.reliability.runs import resumed, saved

WIDE = "gaudin_schuhmann by mass: exponent 0.6, ratio 10"
HEAP = {"grain_count": 150, "friction": 0.3}
VESSEL = {"grain_count": 150, "friction": 0.4}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scene", "values"),
    [
        *(("heap", HEAP | {"integrator": name}) for name in ("gear5", "velocity_verlet", "leapfrog")),
        # Bridges that pull with ten times the weight of a grain of 1 mm.
        ("heap", HEAP | {"law": "capillary", "pull_off_force": 98.1e-3, "rotation": True}),
        ("vessel", VESSEL),
        ("vessel", VESSEL | {"law": "jkr", "surface_energy": 0.2}),
    ],
)
def test_a_packing_of_a_radius_ratio_of_ten_rests(scene: str, values: dict[str, Any]) -> None:
    pile = Simulation(scene, {"sizes": WIDE} | values)
    experiment = pile.experiment
    pile.act("fill" if scene == "heap" else "run")
    while experiment.phase not in ("filled", "rested") and experiment.time < 20.0:
        pile.step(2000)
    assert experiment.phase in ("filled", "rested")
    radius = experiment.run.world.radius[~experiment.run.world.fixed]
    assert radius.max() > 8.0 * radius.min()
    second = round(1.0 / experiment.run.dt)
    advance(experiment, second)
    before, loaded = placed(experiment), resumed(saved(experiment))
    advance(experiment, second)
    advance(loaded, second)
    assert state_hash(loaded.run) == state_hash(experiment.run)
    after, world = placed(experiment), experiment.run.world
    assert before.keys() == after.keys()
    sizes = dict(zip(world.sphere_id.tolist(), world.radius.tolist(), strict=True))
    moved = max(float(np.linalg.norm(after[grain] - before[grain])) / sizes[grain] for grain in after)
    print(f"largest displacement {moved:.3g} R")
    assert moved < CREEP
    speed = world.motion[: world.dimension, 1]
    kinetic = 0.5 * float((world.mass * (speed**2).sum(axis=0))[~world.fixed].sum())
    weight = float(world.mass[~world.fixed].sum()) * experiment.parameters.gravity
    print(f"kinetic energy {kinetic / (weight * radius.min()):.3g}")
    # A share of the energy that all grains would gain by falling through the smallest radius.
    assert kinetic < 1e-6 * weight * radius.min()


def placed(experiment: Experiment) -> dict[int, np.ndarray]:
    """Position of every grain that can move, by its number [m]."""
    world = experiment.run.world
    rows = np.flatnonzero(~world.fixed)
    return {int(world.sphere_id[row]): world.motion[: world.dimension, 0, row].copy() for row in rows}


CREEP = 1e-3
"""Largest displacement within a second at rest [radii of the grain]: rest itself allows 1/20 of a radius in 0.25 s."""
