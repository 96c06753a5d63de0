"""What the friction spring of Hertz-Mindlin gains and loses while its stiffness follows the overlap.

Power into the spring is K ξ·v_t, its energy K ξ²/2: without sliding the difference is -∫ ξ² dK / 2 over the contact.
"""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
from repose.sim.laws.material_columns import ACROSS, YOUNG
from repose.sim.laws.materials import Material

from tests.verification.test_published_impacts import bench_of

RADIUS, SPEED, DURATION = 2.5e-3, 3.9, 6.106e-6


def given_up(degrees: float, steps: int) -> tuple[float, float]:
    """What the ledger has as sliding, and -∫ ξ² dK / 2, over the kinetic energy before an elastic impact that does not
    slide, in so many steps."""
    along, across = SPEED * cos(radians(degrees)), SPEED * sin(radians(degrees))
    material = Material(380e9, 0.23, 4000.0, 1.0, 50.0)
    dt = DURATION * (SPEED / along) ** 0.2 / steps
    bench = bench_of(material, RADIUS, (along, across), wall=True, dt=dt)
    row = bench.numbers.table[1]
    stiffness, stretch = [0.0], [0.0]
    for _ in range(int(1.1 * steps)):
        bench.advance()
        overlap = max(RADIUS - float(bench.position[0, 2]), 0.0)
        stiffness.append(row[ACROSS] ** 2 * 2.0 * row[YOUNG] * np.sqrt(RADIUS * overlap))
        stretch.append(float(np.linalg.norm(bench.world.wall_contacts.shear_spring[:, 0])) if overlap else 0.0)
    square = np.array(stretch) ** 2
    ends = np.where(
        square[1:] * square[:-1] > 0.0, 0.5 * (square[1:] + square[:-1]), np.maximum(square[1:], square[:-1])
    )
    before = 0.5 * float(bench.world.mass[0]) * SPEED**2
    return bench.energy().sliding / before, -0.5 * float(np.diff(stiffness) @ ends) / before


def test_what_is_booked_as_sliding_without_sliding_is_that_of_the_changing_stiffness() -> None:
    coarse, fine = (np.array(given_up(60.0, steps)) for steps in (100, 400))
    # Both sums are of first order in the step: their difference falls with it, and extrapolated they agree.
    assert abs(fine[0] - fine[1]) < 0.35 * abs(coarse[0] - coarse[1])
    booked, expected = (4.0 * fine - coarse) / 3.0
    assert expected < -4e-3
    assert abs(booked - expected) < 0.3 * abs(expected)
