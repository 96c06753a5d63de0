"""Integrators: the order each reaches on a smooth problem, and what it keeps exactly.

The smooth problem is a harmonic oscillator, x'' = -w² x - 2 z w x', solved exactly by Re(c exp(lambda t)) with
lambda = w (-z + i sqrt(1 - z²)). No scheme keeps its order through the first touch of a contact; these
numbers are not for collisions.
"""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest
from repose.sim.engine.model import Integrator
from repose.sim.registry import integrators

from tests.small_worlds import Bench, model_of, world_of

ORDERS = {
    # scheme: order of the position undamped, damped. Odd Gear schemes gain one order from a symmetric problem.
    "gear3": (4, 3),
    "gear4": (4, 4),
    "gear5": (5, 5),
    "leapfrog": (2, 2),
    "velocity_verlet": (2, 2),
    "rk4": (4, 4),
}


def exact(t: float, omega: float, ratio: float) -> np.ndarray:
    """x and its first five derivatives at time t, from x = 1 and x' = 0.3 w at t = 0."""
    growth = omega * complex(-ratio, sqrt(1.0 - ratio**2))
    start = complex(1.0, -(0.3 * omega + ratio * omega) / growth.imag)
    return np.array([(start * growth**q * np.exp(growth * t)).real for q in range(6)])


def oscillate(integrator: str, ratio: float, steps: int, duration: float = 6.0) -> float:
    """Error of the position after `duration` at w = 1, started with exact derivatives."""
    scheme = integrators()[integrator]
    dt = duration / steps
    motion = np.zeros((1, scheme.levels, 1))
    kept = min(scheme.levels, 6)
    motion[0, :kept, 0] = exact(0.0, 1.0, ratio)[:kept]
    motion[0, 1, 0] = exact(scheme.velocity_lead * dt, 1.0, ratio)[1]
    for _ in range(steps):
        for stage in range(len(scheme.weights)):
            scheme.before(motion, 0, motion.shape[2], stage, dt)
            velocity = motion[:, 1] + scheme.velocity_lead * dt * motion[:, 2]
            force = -motion[:, 0] - 2.0 * ratio * velocity
            scheme.after(motion, force, np.ones((1, 1)), 0, 1, stage, dt)
    return abs(motion[0, 0, 0] - exact(duration, 1.0, ratio)[0])


def test_every_integrator_has_a_stated_order() -> None:
    assert set(integrators()) == set(ORDERS)


@pytest.mark.case("I16")
@pytest.mark.parametrize("integrator", list(ORDERS))
@pytest.mark.parametrize("damped", [False, True])
def test_observed_order(integrator: str, damped: bool) -> None:
    coarse, fine = (oscillate(integrator, 0.2 if damped else 0.0, steps) for steps in (320, 640))
    # The next term of the error still moves the order by about dt at these steps.
    assert log2(coarse / fine) == pytest.approx(ORDERS[integrator][damped], abs=0.25)


def spring(integrator: str, dt: float, damping: float = 0.0) -> tuple[Bench, float, float]:
    """A grain pressed on a fixed one by gravity, linear law: an oscillator that never lets go; rest and frequency."""
    k, mass, g = 1e3, 1e-3, 9.81
    model, numbers = model_of(
        integrator, exponent="linear", normal_stiffness=k, normal_damping=damping, wall_stiffness_factor=1.0
    )
    # The fixed grain is so heavy that the effective mass is the other's.
    world = world_of(model, [(0.0, 2e-3 - mass * g / k), (0.0, 0.0)], 1e-3, [mass, 1e9], fixed=[False, True])
    return Bench(world, model, numbers, dt, (0.0, -g), compiled=True), mass * g / k, sqrt(k / mass)


@pytest.mark.case("I16")
@pytest.mark.parametrize("integrator", list(ORDERS))
def test_the_whole_step_loop_keeps_the_order(integrator: str) -> None:
    ratio, errors, duration = 0.2, [], 6e-3
    # Beyond the finest step the error of a scheme of high order is the rounding of positions, 4e-19 m.
    finest = {"gear5": 320, "rk4": 320}.get(integrator, 640)
    for steps in (finest // 2, finest):
        dt = duration / steps
        _, rest, omega = spring(integrator, dt)
        bench, _, _ = spring(integrator, dt, damping=2.0 * ratio * omega)
        amplitude = 0.5 * rest
        scale = amplitude * exact(0.0, omega, ratio)
        kept = min(bench.model.integrator.levels, 6)
        bench.world.motion[1, :kept, 0] = scale[:kept]
        bench.world.motion[1, 0, 0] += 2e-3 - rest
        lead = bench.model.integrator.velocity_lead * dt
        bench.world.motion[1, 1, 0] = amplitude * exact(lead, omega, ratio)[1]
        bench.advance(steps)
        errors.append(abs(bench.position[0, 1] - (2e-3 - rest) - amplitude * exact(duration, omega, ratio)[0]))
    assert log2(errors[0] / errors[1]) == pytest.approx(ORDERS[integrator][True], abs=0.25)


@pytest.mark.case("I15")
def test_leap_frog_and_velocity_verlet_run_backwards() -> None:
    for integrator in ("leapfrog", "velocity_verlet"):
        bench, rest, _ = spring(integrator, 2e-5)
        start = bench.position[0, 1] + 0.5 * rest
        bench.world.motion[1, 0, 0] = start
        bench.advance(1)
        first = bench.world.motion[1, :, 0].copy()
        bench.advance(300)
        # Leap-frog's velocity belongs to the half step: to go back, it is the drift that is undone first.
        bench.dt = -bench.dt
        if integrator == "leapfrog":
            bench.world.motion[1, 1, 0] += bench.dt * bench.world.motion[1, 2, 0]
        bench.advance(300)
        assert bench.world.motion[1, 0, 0] == pytest.approx(first[0], abs=1e-8 * rest)


@pytest.mark.parametrize("integrator", list(ORDERS))
def test_free_fall_is_exact(integrator: str) -> None:
    # The path is a parabola: any scheme of second order follows it to rounding, whatever the step.
    g, dt, steps = 9.81, 1e-4, 200
    model, numbers = model_of(integrator)
    bench = Bench(world_of(model, [(0.0, 0.0)], 1e-3, 1e-3, velocity=(0.3, 1.0)), model, numbers, dt, (0.0, -g))
    bench.world.motion[1, 2] = -g
    if bench.model.integrator.velocity_lead:
        bench.world.motion[1, 1] -= 0.5 * dt * g
    bench.advance(steps)
    t = steps * dt
    assert bench.position[0] == pytest.approx([0.3 * t, t - 0.5 * g * t**2], rel=1e-9)
    assert bench.velocity[0] == pytest.approx([0.3, 1.0 - g * t], rel=1e-9)


def test_a_scheme_of_several_stages_says_when_they_are() -> None:
    scheme = integrators()["rk4"]
    with pytest.raises(ValueError, match="4 stages and 1 times of them"):
        Integrator("mine", "Mine", 7, scheme.before, scheme.after, scheme.weights)
