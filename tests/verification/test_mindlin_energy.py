"""What the friction spring of Hertz-Mindlin gains and loses while its stiffness follows the overlap.

Power into the spring is K ξ·v_t, its energy K ξ²/2: without sliding the difference is -∫ ξ² dK / 2 over the contact,
a row of its own in the ledger.
"""

from __future__ import annotations

from math import cos, radians, sin, sqrt

import numpy as np
import pytest
from repose.sim.laws.material_columns import ACROSS, YOUNG
from repose.sim.laws.materials import Material
from scipy.integrate import solve_ivp

from tests.small_worlds import Bench
from tests.verification.test_published_impacts import bench_of

RADIUS, SPEED = 2.5e-3, 3.9
MATERIAL = Material(380e9, 0.23, 4000.0, 1.0, 50.0)
"""Elastic, and with so much friction that it does not slide."""
LATE = 0.65
"""Share of a step by which spheres that come from the distance of `bench_of` touch late [-]."""
TOUCH = sqrt(1e-7 * RADIUS * 1e-3)
"""Root of an overlap that counts as first touch [m^(1/2)]: 1e-10 of the radius."""


def impact(degrees: float, wall: bool, steps: int) -> Bench:
    """An oblique elastic impact on a wall or on an equal sphere, with about so many steps in the contact."""
    along, across = SPEED * cos(radians(degrees)), SPEED * sin(radians(degrees))
    dt = 6e-6 * cos(radians(degrees)) ** -0.2 / steps
    bench = bench_of(MATERIAL, RADIUS, (along, across), wall=wall, dt=dt)
    if not wall:
        bench.world.motion[0, 1] = 0.5 * across, -0.5 * across
    return bench


def closed_form(bench: Bench, degrees: float, wall: bool) -> tuple[float, float, float, float]:
    """-∫ ξ² dK / 2 of loading and of unloading [J], ∫ |ξ dK| [N], and the energy K ξ²/2 of the spring at the overlap of
    one step before the spheres part [J], from the equations of motion.

    m δ'' = -4/3 E* sqrt(R* δ) δ; K = A² 2 E* sqrt(R* δ) with the ratio A² of the stiffness across to that along; two
    spheres that begin to roll move away from each other across by 7/2 of what their centres do: m ξ'' = -7/2 K ξ.
    """
    share = 1.0 if wall else 0.5
    mass, radius = share * float(bench.world.mass[0]), share * RADIUS
    row = bench.numbers.table[1 if wall else 0]
    rise = 2.0 * row[YOUNG] * row[ACROSS] ** 2 * sqrt(radius)  # of K with sqrt(overlap)

    def change(_: float, state: np.ndarray) -> list[float]:
        # In the root of the overlap, with which K rises in proportion, nothing becomes infinite at touch.
        root, speed, stretch, slip, _lost, _size = state
        force = 4.0 / 3.0 * row[YOUNG] * sqrt(radius) * root**3
        faster = rise * speed / (2.0 * max(root, TOUCH))
        lost = -0.5 * stretch**2 * faster
        return [
            speed / (2.0 * max(root, TOUCH)),
            -force / mass,
            slip,
            -3.5 * rise * root * stretch / mass,
            lost,
            abs(stretch * faster),
        ]

    def turned(_: float, state: np.ndarray) -> float:
        return float(state[1])

    def parted(_: float, state: np.ndarray) -> float:
        return float(state[0]) - TOUCH

    turned.direction = parted.direction = -1.0  # type: ignore[attr-defined]
    parted.terminal = True  # type: ignore[attr-defined]
    begin = [TOUCH * 1.001, SPEED * cos(radians(degrees)), 0.0, SPEED * sin(radians(degrees)), 0.0, 0.0]
    found = solve_ivp(change, (0.0, 3e-5), begin, "LSODA", events=(turned, parted), rtol=1e-9, atol=1e-16)
    loading, whole = float(found.y_events[0][0][4]), found.y_events[1][0]
    last = rise * sqrt(SPEED * cos(radians(degrees)) * bench.dt)
    return loading, float(whole[4]) - loading, float(whole[5]), 0.5 * last * float(whole[2]) ** 2


@pytest.mark.parametrize(("degrees", "wall"), [(30.0, True), (60.0, False), (85.0, True)])
def test_the_energy_of_the_changing_stiffness_is_a_row_of_its_own(degrees: float, wall: bool) -> None:
    for steps in (200, 800):
        bench = impact(degrees, wall, steps)
        while bench.world.motion[2, 1, 0] < 0.0:  # to the turning point
            bench.advance()
        turned = bench.energy().stiffening
        bench.advance(steps)
        energy = bench.energy()
        loading, unloading, stretch, held = closed_form(bench, degrees, wall)
        # The spring begins to stretch with the whole slip of the step in which the spheres touch: it is too long by so
        # much at most, all the time, and the energy is of second order in it.
        late = LATE * SPEED * sin(radians(degrees)) * bench.dt
        assert abs(turned - loading) < late * stretch < 0.3 * unloading
        assert abs(energy.stiffening - turned - unloading) < late * stretch
        # Nothing slides: only what the spring holds at its last evaluation is lost when the spheres part.
        assert -1e-12 * unloading < energy.sliding < 1.1 * held
