"""Damped head-on impact with the linear exponent, against its closed form.

A linear spring-dashpot F = k overlap + g m* d(overlap)/dt is a damped oscillator released at touch:

    contact time  t_c = pi / sqrt(k/m* - (g/2)²),    restitution  e = exp(-g t_c / 2),

with the damping g in 1/s on the effective mass (benchmarks: Luding, Granular Matter 10 (2008) 235). The damping force
sets in and ends with a jump, which a step of dt resolves to half a step either side: a relative error of
the velocity of g dt/2 at each end. The smooth part adds (w dt)², w² = k/m*, as every scheme is second order.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from repose.sim.registry import integrators

from tests.small_worlds import Bench, model_of, momentum, world_of
from tests.tiers import tiered

K, MASS, SPEED = 1e4, 1e-3, 0.8
EFFECTIVE = MASS / 2.0


def damping_for(restitution: float) -> float:
    """The damping [1/s] that gives the restitution: g = -2 ln e w / sqrt(pi² + ln² e)."""
    return -2.0 * log(restitution) * sqrt(K / EFFECTIVE) / sqrt(pi**2 + log(restitution) ** 2)


def rebound(integrator: str, restitution: float, steps_per_contact: int, dimension: int = 2) -> tuple[Bench, float]:
    """The two grains after their impact, and the bound of the relative error of e."""
    damping = damping_for(restitution)
    duration = pi / sqrt(K / EFFECTIVE - 0.25 * damping**2)
    assert restitution == pytest.approx(exp(-0.5 * damping * duration), rel=1e-14)
    dt = duration / steps_per_contact
    values = {"normal_stiffness": K, "normal_damping": damping, "exponent": "linear"}
    model, numbers = model_of(integrator, dimension, **values)
    position = np.zeros((2, dimension))
    velocity = np.zeros((2, dimension))
    position[:, 0] = -1e-3 - 1.37 * SPEED * dt, 1e-3
    velocity[:, 0] = SPEED, 0.0
    world = world_of(model, position, 1e-3, MASS, velocity=velocity)
    bench = Bench(world, model, numbers, dt, compiled=dimension == 2)  # as other tests of this law
    bench.advance(int(1.05 * steps_per_contact) + 5)
    assert not bench.touching
    return bench, damping * dt + K / EFFECTIVE * dt**2


@pytest.mark.case("I05")
@pytest.mark.parametrize("integrator", list(integrators()))
@pytest.mark.parametrize("restitution", tiered([0.2, 0.5, 0.9], fast={0.2, 0.9}))
def test_restitution_of_the_linear_law(integrator: str, restitution: float) -> None:
    bench, bound = rebound(integrator, restitution, steps_per_contact=200)
    parting = bench.velocity[1, 0] - bench.velocity[0, 0]
    assert parting / SPEED == pytest.approx(restitution, rel=bound)
    assert momentum(bench) == pytest.approx([MASS * SPEED, 0.0], abs=1e-12 * MASS * SPEED)


def test_restitution_in_space_is_that_in_the_plane() -> None:
    flat, _ = rebound("gear5", 0.6, 100, dimension=2)
    deep, _ = rebound("gear5", 0.6, 100, dimension=3)
    assert deep.velocity[:, :2] == pytest.approx(flat.velocity, rel=1e-14)
    assert not deep.velocity[:, 2].any()


@pytest.mark.parametrize("speed_ratio", [1e-3, 10.0])
def test_restitution_does_not_depend_on_speed(speed_ratio: float) -> None:
    # The linear law scales: at another speed every overlap and force is multiplied alike, sampling included.
    damping = damping_for(0.7)
    dt = pi / sqrt(K / EFFECTIVE) / 100
    model, numbers = model_of("gear5", normal_stiffness=K, normal_damping=damping, exponent="linear")
    ratios = []
    for speed in (SPEED, SPEED * speed_ratio):
        start = [(-1e-3 - 1.37 * speed * dt, 0.0), (1e-3, 0.0)]
        bench = Bench(world_of(model, start, 1e-3, MASS, velocity=[(speed, 0.0), (0.0, 0.0)]), model, numbers, dt)
        bench.advance(120)
        ratios.append((bench.velocity[1, 0] - bench.velocity[0, 0]) / speed)
    # Overlaps are differences of positions: rounding of 1e-19 m in overlaps that reach 1e-7 m.
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-8)
