"""Declared stability limits against iterated oscillations: whether their amplitude grows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np
import pytest
from repose.sim.engine.model import Integrator
from repose.sim.engine.timestep import stable_step
from repose.sim.engine.timestep.stable_step import (
    AUTO_SHARE,
    GROWTH,
    amplification,
    automatic_dt,
    damping_fraction,
    energy_change,
    limit_table,
    stability_limit,
)
from repose.sim.engine.timestep.stiffness_sums import interpolate
from repose.sim.registry import integrators

from tests.tiers import tiered

RATIOS = [0.0, 0.02, 0.1, 0.3]
SCHEMES = list(integrators())


WINDOW = 200


def grower(scheme: Integrator) -> Callable[..., float]:
    """Compiled: how the amplitude of a damped oscillator grows in `windows` times 200 steps of size 1 (logarithm)."""
    before, after, stages, lead = scheme.before, scheme.after, len(scheme.weights), scheme.velocity_lead

    @numba.njit
    def grow(motion, omega, ratio, windows):
        inverse_mass = np.ones((1, motion.shape[2]))
        force = np.empty((1, motion.shape[2]))
        total = 0.0
        for window in range(-windows, windows):
            largest = 0.0
            for _ in range(WINDOW):
                for stage in range(stages):
                    before(motion, 0, motion.shape[2], stage, 1.0)
                    for i in range(motion.shape[2]):
                        velocity = motion[0, 1, i] + lead * motion[0, 2, i]
                        force[0, i] = -(omega**2) * motion[0, 0, i] - 2.0 * ratio * omega * velocity
                    after(motion, force, inverse_mass, 0, motion.shape[2], stage, 1.0)
                largest = max(largest, np.abs(motion[0, 0]).max())
            motion /= largest
            if window >= 0:  # those before let die out what does not grow as fast
                total += math.log(largest)
        return total

    return grow


@pytest.mark.parametrize("name", tiered(SCHEMES, fast={"gear5", "leapfrog"}))
def test_oscillations_grow_above_the_declared_limit_and_not_below(name: str) -> None:
    scheme = integrators()[name]
    grow = grower(scheme)
    for ratio in RATIOS:
        limit = stability_limit(integrators()[name], ratio)
        # Unit vectors of everything the scheme remembers: whatever can grow is in one of them. An amplitude is sampled
        # at 200 phases at least, good to 1 %.
        start = np.eye(scheme.levels)[None]
        assert grow(start.copy(), 0.99 * limit, ratio, 500) < 500 * WINDOW * GROWTH + 0.01, ratio
        seen = 0
        for excess in (1.001, 1.02, 1.2, 1.5, 3.0, 9.0):
            eigenvalues = np.linalg.eigvals(amplification(integrators()[name], excess * limit, ratio))
            rate = math.log(np.abs(eigenvalues).max())
            assert rate > 0.0, (ratio, excess)
            windows = min(500, int(20.0 / (rate * WINDOW)) + 1)
            if 0.1 < rate * windows * WINDOW < 500.0:
                assert grow(start.copy(), excess * limit, ratio, windows) == pytest.approx(
                    rate * windows * WINDOW, rel=0.05, abs=0.01
                )
                seen += 1
        assert seen > 0, ratio


@pytest.mark.parametrize(
    ("ratio", "limit"),
    [(0.0, 0.31), (0.02, 0.73), (0.05, 0.63), (0.1, 0.50), (0.2, 0.34), (0.3, 0.25), (0.5, 0.16)],
)
def test_limit_of_the_thesis_scheme(ratio: float, limit: float) -> None:
    # From an independent computation of the amplification matrix. Printed to two digits, the last of which depends on
    # how slow a growth still counts as stable.
    assert stability_limit(integrators()["gear5"], ratio) == pytest.approx(limit, abs=0.01)


def test_limit_of_leap_frog_is_two() -> None:
    # Kick and drift of x'' = -w² x: |trace| = |2 - (w dt)²| <= 2.
    assert stability_limit(integrators()["leapfrog"], 0.0) == pytest.approx(2.0, rel=1e-4)
    assert stability_limit(integrators()["velocity_verlet"], 0.0) == pytest.approx(2.0, rel=1e-4)


def test_limit_of_runge_kutta() -> None:
    # |R(i y)| <= 1 for y <= 2 sqrt(2), R the Taylor polynomial of degree 4 of exp.
    assert stability_limit(integrators()["rk4"], 0.0) == pytest.approx(2.0 * math.sqrt(2.0), rel=1e-4)


@pytest.mark.parametrize("name", SCHEMES)
def test_declared_limits_are_those_measured_for_the_scheme(name: str) -> None:
    # A fixed step is judged by the table alone: it may be pessimistic between its points, never optimistic by
    # more than 2 %; "auto" keeps away from the limit by AUTO_SHARE besides.
    table = limit_table(integrators()[name])
    for ratio in np.concatenate([np.linspace(0.001, 0.2, 23), np.geomspace(0.2, 12.0, 53)]):
        promised = interpolate(float(ratio), stable_step.RATIO_GRID, table)
        assert promised <= 1.02 * stability_limit(integrators()[name], round(float(ratio), 6)), ratio


def test_the_automatic_step_is_a_class_at_or_below_its_share() -> None:
    for stable in np.geomspace(1e-7, 1e-3, 97):
        dt = automatic_dt(float(stable))
        assert AUTO_SHARE * stable / 2.0**0.25 < dt * (1.0 + 1e-12)
        assert dt <= AUTO_SHARE * stable
        assert (4.0 * math.log2(dt)) % 1.0 == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("stable", [0.0, -1.0, math.inf, math.nan])
def test_numbers_that_are_not_finite_give_no_time_step(stable: float) -> None:
    with pytest.raises(ValueError, match="must be positive and finite"):
        automatic_dt(stable)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_drag_of_the_safe_share_decays_and_one_of_twice_the_limit_does_not(name: str) -> None:
    # x'' = -a x' alone, as rolling resistance brakes a slow spin: far beyond critical only a dt = 2 z w dt counts.
    ratio = 1e4

    def worst(a_dt: float) -> float:
        return float(np.abs(np.linalg.eigvals(amplification(integrators()[name], a_dt / (2.0 * ratio), ratio))).max())

    assert 0.0 < damping_fraction(integrators()[name]) <= 1.0
    assert worst(damping_fraction(integrators()[name])) <= 1.0 + GROWTH
    if damping_fraction(integrators()[name]) < 1.0:
        assert worst(2.2 * damping_fraction(integrators()[name])) > 1.0 + GROWTH


@pytest.mark.parametrize("product", [0.1, 0.26, 1.0])
def test_runge_kutta_damps_an_elastic_oscillation_as_its_polynomial_does(product: float) -> None:
    # R(iz) = 1 + iz - z²/2 - iz³/6 + z⁴/24.
    size = np.abs(np.linalg.eigvals(amplification(integrators()["rk4"], product, 0.0))).max()
    assert 1.0 - size**2 == pytest.approx(product**6 / 72 - product**8 / 576, rel=1e-6, abs=1e-14)


@pytest.mark.parametrize(("order", "share"), [(3, -1.0 / 12.0), (4, 1.0 / 8.0), (5, -3.0 / 160.0)])
def test_gear_changes_the_energy_of_an_elastic_oscillation_in_sixth_order(order: int, share: float) -> None:
    z = 0.03  # the next term is of order z² beside this one; rounding is 1e-15 beside 1e-11
    assert energy_change(integrators()[f"gear{order}"], z) / z**6 == pytest.approx(share, rel=30.0 * z**2)
    assert abs(energy_change(integrators()["leapfrog"], z)) < 1e-14


@pytest.mark.parametrize("name", ["leapfrog", "velocity_verlet"])
def test_verlet_keeps_the_energy_of_an_elastic_oscillation_for_a_thousand_periods(name: str) -> None:
    z = 0.2
    steps = 1000 * 2.0 * math.pi / z
    sizes = np.abs(np.linalg.eigvals(amplification(integrators()[name], z, 0.0)))
    assert abs(sizes.max() ** (2.0 * steps) - 1.0) < 1e-6
    assert np.abs(np.linalg.eigvals(amplification(integrators()["rk4"], z, 0.0))).max() ** (2.0 * steps) < 0.98
