"""Grains whose radii differ by a factor of ten come to rest in their container and do not creep."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim import Simulation

WIDE = "gaudin_schuhmann by mass: exponent 0.6, ratio 10"


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["gear5", "velocity_verlet", "leapfrog"])
def test_a_packing_of_a_radius_ratio_of_ten_rests(integrator: str) -> None:
    pile = Simulation("heap", {"sizes": WIDE, "grain_count": 150, "friction": 0.3, "integrator": integrator})
    experiment = pile.experiment
    pile.act("fill")
    while experiment.phase != "filled" and experiment.time < 20.0:
        pile.step(2000)
    assert experiment.phase == "filled"
    radius = experiment.run.world.radius[~experiment.run.world.fixed]
    assert radius.max() > 8.0 * radius.min()
    second = round(1.0 / experiment.run.dt)
    pile.step(second)
    before = placed(pile)
    pile.step(second)
    after = placed(pile)
    assert before.keys() == after.keys()
    sizes = dict(zip(experiment.run.world.sphere_id.tolist(), experiment.run.world.radius.tolist(), strict=True))
    moved = max(float(np.hypot(*(after[grain] - before[grain]))) / sizes[grain] for grain in after)
    print(f"largest displacement {moved:.3g} R")
    assert moved < CREEP
    world = experiment.run.world
    kinetic = 0.5 * float((world.mass * (world.motion[:2, 1] ** 2).sum(axis=0))[~world.fixed].sum())
    weight = float(world.mass[~world.fixed].sum()) * experiment.parameters.gravity
    print(f"kinetic energy {kinetic / (weight * radius.min()):.3g}")
    # A share of the energy that all grains would gain by falling through the smallest radius.
    assert kinetic < 1e-6 * weight * radius.min()


def placed(simulation: Simulation) -> dict[int, np.ndarray]:
    """Position of every grain that can move, by its number [m]."""
    world = simulation.experiment.run.world
    rows = np.flatnonzero(~world.fixed)
    return {int(world.sphere_id[row]): world.motion[:2, 0, row].copy() for row in rows}


CREEP = 1e-3
"""Largest displacement within a second at rest [radii of the grain]: rest itself allows 1/20 of a radius in 0.25 s."""
