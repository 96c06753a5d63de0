"""The accurate step of every scheme: against the closed form, and against impacts that the scheme computes itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.model import Integrator
from repose.sim.engine.timestep import accuracy
from repose.sim.engine.timestep.accuracy import LARGEST_GAP, accuracy_limit, impact_gaps
from repose.sim.engine.timestep.stable_step import stability_limit
from repose.sim.registry import integrators

from tests.tiers import tiered

SCHEMES = list(integrators())


def gap_after(scheme: Integrator, dt: float, ratio: float, phase: float) -> float:
    """Gap after an impact at w = 1 that begins with `phase` of a step left, in units of the energy before it [-]."""
    motion, heat, unit = np.zeros((1, scheme.levels, 1)), 0.0, np.ones((1, 1))
    motion[0, 0, 0], motion[0, 1, 0] = phase * dt, -1.0
    for _ in range(math.ceil(4.5 / dt) + 12):
        for stage, weight in enumerate(scheme.weights):
            scheme.before(motion, 0, 1, stage, dt)
            touches = motion[:, 0] < 0.0
            velocity = motion[:, 1] + scheme.velocity_lead * dt * motion[:, 2]
            heat += weight * dt * float((2.0 * ratio * velocity**2 * touches)[0, 0])
            scheme.after(motion, -(motion[:, 0] + 2.0 * ratio * velocity) * touches, unit, 0, 1, stage, dt)
    velocity = motion[0, 1, 0] - scheme.velocity_lead * dt * motion[0, 2, 0]
    return float(velocity**2 + min(motion[0, 0, 0], 0.0) ** 2 + 2.0 * heat - 1.0)


@pytest.mark.parametrize("name", ["velocity_verlet", "leapfrog"])
def test_the_limit_of_verlet_without_damping_is_that_of_the_closed_form(name: str) -> None:
    # At most (w dt)²/4 at one end of the impact, where the other end meets a step (module docstring).
    assert accuracy_limit(integrators()[name], 0.0) == pytest.approx(2.0 * math.sqrt(LARGEST_GAP), rel=0.03)


@pytest.mark.parametrize("name", tiered(SCHEMES, fast={"gear5", "leapfrog", "rk4"}))
@pytest.mark.parametrize("ratio", [0.0, 0.215, 1.5])
def test_the_ledger_of_an_impact_closes_at_the_limit_and_not_far_above(name: str, ratio: float) -> None:
    scheme = integrators()[name]
    limit = accuracy_limit(scheme, ratio)
    phases = (np.arange(7) + 0.37) / 7
    assert max(abs(gap_after(scheme, limit, ratio, phase)) for phase in phases) < 1.1 * LARGEST_GAP
    if 2.0 * limit < stability_limit(scheme, ratio):
        steps = np.array([2.0, 2.15, 2.3]) * limit  # the impact ends at other times in a step
        assert max(abs(gap_after(scheme, dt, ratio, phase)) for phase in phases for dt in steps) > 1.5 * LARGEST_GAP


def test_gaps_are_those_of_the_scheme_stepped_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "GOLDEN", 0.5)  # the second phase has no spread of the duration
    monkeypatch.setattr(accuracy, "PHASES", 2)
    for name, scheme in integrators().items():
        found = impact_gaps(scheme, np.array([0.1]), 0.1)
        assert found.shape == (1, 2)
        assert found[0, 1] == pytest.approx(gap_after(scheme, 0.1, 0.1, 0.75), rel=1e-6, abs=1e-9), name


@pytest.mark.parametrize("name", ["gear5", "velocity_verlet"])
def test_the_limit_of_strong_damping_falls_with_the_damping(name: str) -> None:
    scheme = integrators()[name]
    assert accuracy_limit(scheme, 400.0) == pytest.approx(accuracy_limit(scheme, 4.0) / 100.0)
    # Half the velocity is taken in 0.35/(2 z w): the step is a fraction of this time.
    assert 2.0 * 400.0 * accuracy_limit(scheme, 400.0) < 0.35
