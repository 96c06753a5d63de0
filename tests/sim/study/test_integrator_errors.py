"""The collision of every integrator: against the scheme's own steps, and against the closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.registry import integrators
from repose.sim.study.integrator_errors import (
    PHASES,
    SETTLING,
    collision_errors,
    damping_ratio,
    error_at,
    speeds_after,
)

SCHEMES = tuple(integrators())


@pytest.mark.parametrize("name", SCHEMES)
def test_the_speed_after_a_collision_is_that_of_the_scheme_stepped_by_itself(name: str) -> None:
    scheme, share, ratio, phase = integrators()[name], 1 / 12, damping_ratio(0.7), 3
    dt = share * math.pi / math.sqrt(1.0 - ratio**2)  # at w = 1
    motion = np.zeros((1, scheme.levels, 1))
    motion[0, 0, 0], motion[0, 1, 0] = (phase + 0.5) / PHASES * dt, -1.0
    for _ in range(12 + 2 + SETTLING):
        for stage in range(len(scheme.weights)):
            scheme.before(motion, 0, 1, stage, dt)
            touches = motion[:, 0] < 0.0
            velocity = motion[:, 1] + scheme.velocity_lead * dt * motion[:, 2]
            force = -(motion[:, 0] + 2.0 * ratio * velocity) * touches
            scheme.after(motion, force, np.ones((1, 1)), 0, 1, stage, dt)
    speeds, across = speeds_after(scheme, np.full((1, PHASES), dt), ratio)
    assert speeds[0, phase] == pytest.approx(motion[0, 1, 0], rel=1e-9)
    assert not across.any()


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("restitution", [1.0, 0.6])
@pytest.mark.parametrize("oblique", [False, True])
def test_the_error_goes_to_zero_with_the_time_step(name: str, restitution: float, oblique: bool) -> None:
    found = collision_errors(integrators()[name], restitution, oblique)
    assert error_at(found, 1 / 280) < 0.3 * error_at(found, 1 / 28)
    # The contact begins and ends within a step: no scheme is better there than its first order in the damping.
    assert error_at(found, 1 / 280) < 0.02


def test_the_limit_of_leap_frog_without_damping_is_that_of_the_closed_form() -> None:
    assert collision_errors(integrators()["leapfrog"], 1.0).limit == pytest.approx(2.0 / math.pi, rel=1e-4)


def test_the_damping_ratio_gives_the_restitution() -> None:
    ratio = damping_ratio(0.35)
    assert math.exp(-math.pi * ratio / math.sqrt(1.0 - ratio**2)) == pytest.approx(0.35)
