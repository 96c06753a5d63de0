"""The default experiment against the angles of repose of the reference program (slow tier: minutes).

Mean over seeds 1 to 5 of the thesis heap, 1100 grains, base grains of 0.25 mm. The reference program gives, with two
integrators and five seeds each, mean and standard deviation of one run, 9.1 ± 2.7 and 8.4 ± 0.7 at mu = 0.05,
14.0 ± 2.8 and 13.5 ± 1.7 at 0.1, 20.2 ± 2.1 and 20.0 ± 2.6 at 0.2; about 70, 100 and 157 grains left. The bounds allow
a mean of five to lie two of its own standard errors off.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SEEDS = (1, 2, 3, 4, 5)
BOUNDS = {0.05: (6.0, 11.5), 0.1: (10.5, 16.5), 0.2: (17.0, 23.5)}
LEFT = {0.05: 70, 0.1: 100, 0.2: 157}
HEIGHT = 1100 * math.pi * 1e-3**2 / (0.84 * 4.56e-2)
"""Of the column: the area of 1100 discs of 1 mm at their packing fraction, over its width [m]."""
DEEPEST = (1.25 * 0.5e-3 * 2.0 * 9.81 * HEIGHT / 1e6) ** 0.4 / 1e-3
"""Overlap / radius in an elastic impact of two grains of 1 g at the speed of free fall from the top of the column:
2/5 k_n δ^(5/2) = m* v²/2 [-]."""


@cache
def heaps(friction: float, integrator: str) -> list[dict]:
    """The result of every seed."""
    results = []
    for seed in SEEDS:
        values = {"friction": friction, "integrator": integrator}
        results.append(run_experiment(new_experiment("heap", values, seed)))
    return results


def angles(friction: float, integrator: str = "gear5") -> np.ndarray:
    return np.array([result["angle_of_repose"]["degrees"] for result in heaps(friction, integrator)])


@pytest.mark.parametrize("friction", list(BOUNDS))
def test_angle_of_repose(friction: float) -> None:
    low, high = BOUNDS[friction]
    assert low < angles(friction).mean() < high, angles(friction)
    # The number of grains left is the sharper figure: a few per cent from run to run.
    left = np.array([result["grains_left"] for result in heaps(friction, "gear5")])
    assert left.mean() == pytest.approx(LEFT[friction], rel=0.2), left


@pytest.mark.parametrize("friction", list(BOUNDS))
def test_every_heap_passes_the_check_of_its_scene(friction: float) -> None:
    for result in heaps(friction, "gear5"):
        assert result["complaint"] is None
        assert result["fault"] is None
        assert result["grains_filled"] == 1100
        assert result["largest_overlap"] < DEEPEST  # of the whole run, impacts during the collapse among them
        energy = result["energy"]
        assert abs(energy["gap"]) < 0.01 * (energy["damping"] + energy["sliding"])
        # At rest friction carries what normal forces cannot: between two and four contacts a grain in the plane.
        assert 2.0 < result["coordination"]["mean"] < 5.0


def test_the_angle_rises_with_friction() -> None:
    means = [angles(friction).mean() for friction in BOUNDS]
    assert means == sorted(means)


def test_leap_frog_and_gear_agree_within_their_scatter() -> None:
    gear, leapfrog = angles(0.1), angles(0.1, "leapfrog")
    error = math.hypot(gear.std(ddof=1), leapfrog.std(ddof=1)) / math.sqrt(len(SEEDS))
    assert abs(gear.mean() - leapfrog.mean()) < 3.0 * error
    low, high = BOUNDS[0.1]
    assert low < leapfrog.mean() < high


def test_the_prepared_column_gives_an_angle_within_the_scatter_of_poured_ones() -> None:
    result = run_experiment(new_experiment("heap", ready="column"))
    low, high = BOUNDS[0.1]
    # One run scatters by 2.8 degrees about the mean.
    assert low - 3 * 2.8 < result["angle_of_repose"]["degrees"] < high + 3 * 2.8
    assert result["grains_filled"] == 1100
