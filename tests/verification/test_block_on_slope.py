"""A block on a slope: it holds below the friction angle and slides above, as Coulomb says.

The block is a sphere that cannot rotate; the slope is a fixed sphere of 1 km radius under gravity turned by alpha. With
N = m g cos(alpha), friction mu and a friction spring k_s:

    mu > tan(alpha):  holds. Released from an unstretched spring it first runs at most as far as energy allows,
                      m g sin(alpha) x = mu N (x - x_c/2) with x_c = mu N / k_s, and rests where the spring
                      carries m g sin(alpha).
    mu < tan(alpha):  slides with the acceleration g (sin(alpha) - mu cos(alpha)).

The thesis caps the spring only: shear damping g_s comes on top, so the sliding block approaches the terminal speed
(g/g_s) (sin(alpha) - mu cos(alpha)) exponentially. Along a path s the slope turns by s / 1 km, which bounds every error
but that of the scheme.
"""

from __future__ import annotations

import itertools
from math import atan, cos, exp, radians, sin, tan

import pytest

from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

G, MASS, RADIUS, PLANE = 9.81, 1e-3, 1e-3, 1e3
DT = 4e-5
STIFFNESS, WALL_FACTOR, SHEAR_STIFFNESS = 1e6, 2.0, 100.0
SLIDING = 400
"""Number of steps before and during an observed slide."""


def block(alpha: float, integrator: str = "gear5", **values: object) -> Bench:
    """A block lying still on the slope, overlapping as deep as its weight presses it."""
    model, numbers = model_of(integrator, **values)
    compiled = model == model_of("gear5")[0]  # the heap's loop is there anyway
    overlap = (MASS * G * cos(alpha) / (STIFFNESS * WALL_FACTOR)) ** (2.0 / 3.0)
    start = [(0.0, RADIUS - overlap), (0.0, -PLANE)]
    world = world_of(model, start, [RADIUS, PLANE], [MASS, 1e12], fixed=[False, True])
    return Bench(world, model, numbers, DT, (G * sin(alpha), -G * cos(alpha)), compiled)


ANCHOR_NAMES = ("lee-herrmann", "cundall-strack")
ANCHORS = pytest.mark.parametrize("anchor", ANCHOR_NAMES)


@pytest.mark.parametrize(
    ("anchor", "cap", "degrees"),
    tiered(
        itertools.product(ANCHOR_NAMES, ("spring", "total"), (20.0, 35.0)),
        fast={("lee-herrmann", "spring", 35.0), ("cundall-strack", "total", 35.0)},
    ),
)
def test_block_holds_below_the_friction_angle(anchor: str, cap: str, degrees: float) -> None:
    alpha, friction = radians(degrees), tan(radians(degrees + 0.5))
    bench = block(alpha, friction=friction, anchor=anchor, coulomb_cap=cap)
    weight, normal = MASS * G * sin(alpha), MASS * G * cos(alpha)
    stick = friction * normal / SHEAR_STIFFNESS
    furthest = 0.5 * stick * friction * normal / (friction * normal - weight)
    reached = 0.0
    for _ in range(2000):
        bench.advance()
        reached = max(reached, bench.position[0, 0])
    rest = bench.position[0, 0]
    assert reached <= furthest * (1.0 + (316.0 * DT) ** 2)
    if cap == "total":
        return  # half a degree from sliding the cap leaves next to nothing for damping: it swings on, within the bound
    # The spring swings at 316 1/s and is damped with 250 1/s, for at least the last 0.06 s.
    assert abs(bench.velocity[0, 0]) < G * sin(alpha) * 0.08 * exp(-0.06 * 250.0)
    if anchor == "lee-herrmann":
        assert rest == pytest.approx(weight / SHEAR_STIFFNESS, rel=1e-6)
    else:
        assert weight / SHEAR_STIFFNESS * (1.0 - 1e-6) <= rest


@pytest.mark.parametrize(
    ("anchor", "integrator", "degrees", "friction"),
    tiered(
        (
            (anchor, integrator, *slope)
            for anchor in ANCHOR_NAMES
            for integrator in ("gear5", "leapfrog")
            for slope in ((20.0, 0.2), (20.0, 0.0), (45.0, 0.9))
        ),
        fast={
            ("lee-herrmann", "gear5", 20.0, 0.2),
            ("lee-herrmann", "leapfrog", 45.0, 0.9),
            ("cundall-strack", "gear5", 45.0, 0.9),
            ("cundall-strack", "leapfrog", 20.0, 0.0),
        },
    ),
)
def test_block_slides_with_the_acceleration_of_coulomb(anchor, integrator, degrees, friction) -> None:
    alpha = radians(degrees)
    bench = block(alpha, integrator=integrator, friction=friction, anchor=anchor, shear_damping=0.0)
    bench.advance(SLIDING)  # from here on the spring is stretched beyond its limit
    start, speed = bench.position[0, 0], bench.velocity[0, 0]
    bench.advance(SLIDING)
    path = bench.position[0, 0] - start
    acceleration = (bench.velocity[0, 0] - speed) / (SLIDING * DT)
    assert start > friction * MASS * G * cos(alpha) / SHEAR_STIFFNESS
    expected = G * (sin(alpha) - friction * cos(alpha))
    # The slope turns by path / PLANE, and the curved path weighs v² / PLANE on the block.
    curvature = G * (1.0 + friction) * bench.position[0, 0] / PLANE + bench.velocity[0, 0] ** 2 / PLANE
    assert acceleration == pytest.approx(expected, abs=curvature + 1e-6 * G)
    assert path == pytest.approx(speed * SLIDING * DT + 0.5 * expected * (SLIDING * DT) ** 2, rel=1e-4)


@ANCHORS
def test_a_total_cap_limits_shear_damping_too(anchor: str) -> None:
    alpha, friction = radians(20.0), 0.2
    bench = block(alpha, friction=friction, anchor=anchor, coulomb_cap="total", shear_damping=500.0)
    bench.advance(SLIDING)
    speed = bench.velocity[0, 0]
    bench.advance(SLIDING)
    acceleration = (bench.velocity[0, 0] - speed) / (SLIDING * DT)
    curvature = G * 1.2 * bench.position[0, 0] / PLANE + bench.velocity[0, 0] ** 2 / PLANE
    assert acceleration == pytest.approx(G * (sin(alpha) - friction * cos(alpha)), abs=curvature + 1e-6 * G)


@ANCHORS
def test_with_the_thesis_cap_shear_damping_comes_on_top(anchor: str) -> None:
    alpha, friction, damping = radians(20.0), 0.2, 50.0
    bench = block(alpha, friction=friction, anchor=anchor, coulomb_cap="spring", shear_damping=damping)
    bench.advance(SLIDING)
    speed = bench.velocity[0, 0]
    terminal = G * (sin(alpha) - friction * cos(alpha)) / damping
    bench.advance(SLIDING)
    expected = terminal + (speed - terminal) * exp(-damping * SLIDING * DT)
    curvature = 1.2 * bench.position[0, 0] / PLANE / (sin(alpha) - friction * cos(alpha))
    assert bench.velocity[0, 0] == pytest.approx(expected, rel=(damping * DT) ** 2 + curvature + 1e-6)


@pytest.mark.case("X16")
@pytest.mark.parametrize("side", [-0.1, 0.1])
def test_a_tenth_of_a_degree_decides_over_a_million_steps(side: float) -> None:
    friction = 0.3
    alpha = atan(friction) + radians(side)
    bench = block(alpha, friction=friction)
    bench.advance(500_000)
    middle = bench.position[0, 0]
    bench.advance(500_000)
    run = bench.position[0, 0] - middle
    if side < 0.0:
        assert middle == pytest.approx(MASS * G * sin(alpha) / SHEAR_STIFFNESS, rel=1e-6)
        assert abs(run) < 1e-9
    else:
        terminal = G * (sin(alpha) - friction * cos(alpha)) / 500.0
        assert run == pytest.approx(terminal * 500_000 * DT, rel=1e-3)
