"""Rotation: a sphere that slides first and then rolls, and one that rolls down a slope.

With inertia I = m R²/q (sphere q = 5/2, disc q = 2), friction acts on spin as on speed, so m v R + I w is kept
and a sphere set sliding with v ends rolling with q/(1+q) v: 5/7, disc 2/3. On a slope alpha it rolls without sliding
while mu >= tan(alpha)/(1+q), with the acceleration q/(1+q) g sin(alpha); below, it slides with
g (sin(alpha) - mu cos(alpha)). The dragged anchor is used: a Lee-Herrmann spring keeps what it was stretched by
sliding and would give it back. The spring, stretched by at most x_c = mu N / k_s, swings at w² = (1+q) k_s / m:
speeds are uncertain by w x_c and by one step of friction.
"""

from __future__ import annotations

from math import cos, radians, sin, sqrt, tan

import numpy as np
import pytest

from tests.small_worlds import Bench, model_of, world_of

G, MASS, RADIUS, PLANE, DT, KS = 9.81, 1e-3, 1e-3, 1e3, 4e-5, 1e4
SHARE = {2: 2.0, 3: 2.5}


def resting_sphere(dimension: int, alpha: float, friction: float, speed: float = 0.0) -> Bench:
    """A sphere that lies on the slope, sliding along it with `speed` and not yet turning."""
    dragged = {"anchor": "cundall-strack", "coulomb_cap": "total"}
    model, numbers = model_of("gear5", dimension, rotation=True, friction=friction, shear_stiffness=KS, **dragged)
    overlap = (MASS * G * cos(alpha) / 2e6) ** (2.0 / 3.0)
    position, velocity = np.zeros((2, dimension)), np.zeros((2, dimension))
    position[:, -1] = RADIUS - overlap, -PLANE
    velocity[0, 0] = speed
    world = world_of(model, position, [RADIUS, PLANE], [MASS, 1e12], velocity=velocity, fixed=[False, True])
    gravity = np.zeros(dimension)
    gravity[0], gravity[-1] = G * sin(alpha), -G * cos(alpha)
    return Bench(world, model, numbers, DT, tuple(gravity))


def rolling_speed(bench: Bench) -> float:
    """R w, forward positive [m/s]."""
    return RADIUS * (-bench.spin[0, 0] if bench.model.dimension == 2 else bench.spin[0, 1])


def uncertainty(deceleration: float, share: float) -> float:
    """Of a speed [m/s], when friction can change it by `deceleration` [m/s²]."""
    return deceleration * DT + deceleration * MASS / KS * sqrt((1.0 + share) * KS / MASS)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_sliding_sphere_ends_rolling(dimension: int) -> None:
    friction, speed = 0.5, 0.2
    share = SHARE[dimension]
    bench = resting_sphere(dimension, 0.0, friction, speed)
    sliding_time = speed / (friction * G * (1.0 + share))
    bench.advance(round(3.0 * sliding_time / DT))
    bound = uncertainty(friction * G, share)
    assert bench.velocity[0, 0] == pytest.approx(share / (1.0 + share) * speed, abs=bound)
    assert rolling_speed(bench) == pytest.approx(bench.velocity[0, 0], abs=bound)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("degrees", [20.0, 45.0])
@pytest.mark.parametrize("side", [0.5, 1.2])
def test_a_sphere_on_a_slope_rolls_above_the_critical_friction_and_slides_below(dimension, degrees, side) -> None:
    alpha, share = radians(degrees), SHARE[dimension]
    friction = side * tan(alpha) / (1.0 + share)
    bench = resting_sphere(dimension, alpha, friction)
    bench.advance(300)
    duration = 300 * DT
    if side > 1.0:
        speed = rolling = share / (1.0 + share) * G * sin(alpha) * duration
    else:
        speed = G * (sin(alpha) - friction * cos(alpha)) * duration
        rolling = share * friction * G * cos(alpha) * duration
    assert bench.velocity[0, 0] == pytest.approx(speed, abs=uncertainty(friction * G * cos(alpha), share))
    assert rolling_speed(bench) == pytest.approx(rolling, abs=share * uncertainty(friction * G * cos(alpha), share))
