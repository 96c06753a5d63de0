"""Rose diagram and fabric tensor against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.measure.fabric import fabric, rose

SECTORS = 36


def directions(angle: np.ndarray) -> np.ndarray:
    return np.column_stack((np.cos(angle), np.sin(angle)))


@pytest.mark.parametrize("anisotropy", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("first", [0.0, 1.1])
def test_a_second_harmonic_of_the_directions_is_found_with_its_strength_and_direction(
    anisotropy: float, first: float
) -> None:
    """Angles whose frequency is (1 + a cos 2(θ - θ₁)) / π on a half circle, by inverting its integral."""
    share = (np.arange(20_000) + 0.5) / 20_000
    angle = math.pi * share
    for _ in range(60):
        angle += math.pi * share - (angle + anisotropy / 2.0 * np.sin(2.0 * angle))
    found = fabric(directions(angle + first))
    assert found.count == 20_000
    assert np.trace(found.tensor) == pytest.approx(1.0)
    assert found.anisotropy == pytest.approx(anisotropy / 2.0, abs=1e-6)
    if anisotropy:
        assert abs(found.direction @ directions(np.array([first]))[0]) == pytest.approx(1.0, abs=1e-6)
        assert found.direction[1] >= 0.0
    number, _ = rose(angle + first, np.ones(angle.size), SECTORS)
    width = math.tau / SECTORS
    low = width * np.arange(SECTORS)
    mean = 1.0 + anisotropy / (2.0 * width) * (np.sin(2.0 * (low + width - first)) - np.sin(2.0 * (low - first)))
    assert number == pytest.approx(mean, abs=0.005)


def test_the_triangular_lattice_is_isotropic_and_parallel_contacts_are_not() -> None:
    lattice = directions(math.pi / 3.0 * np.arange(3))
    assert fabric(lattice).anisotropy == pytest.approx(0.0, abs=1e-12)
    cubic = np.eye(3)
    assert fabric(cubic).anisotropy == pytest.approx(0.0, abs=1e-12)
    assert fabric(np.tile((0.0, 0.0, -1.0), (4, 1))).anisotropy == pytest.approx(1.0)
    assert fabric(np.tile((0.0, 0.0, -1.0), (4, 1))).direction == pytest.approx((0.0, 0.0, 1.0))


def test_a_direction_and_its_opposite_are_the_same_contact_and_forces_are_means_of_a_sector() -> None:
    angle, force = np.array((0.05, 0.05 + math.pi, -1.55, 0.1)), np.array((1.0, 3.0, 6.0, 2.0))
    number, forces = rose(angle, force, SECTORS)
    assert np.flatnonzero(number).tolist() == [0, 9, 18, 27]
    assert number[[0, 9]] == pytest.approx((3 * 18 / 4, 18 / 4))
    assert forces[[0, 9, 18, 27]] == pytest.approx((2.0 / 3.0, 2.0, 2.0 / 3.0, 2.0))
    assert number.mean() == pytest.approx(1.0)
    assert rose(np.empty(0), np.empty(0), SECTORS)[0].tolist() == [0.0] * SECTORS
