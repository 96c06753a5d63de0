"""The smoothed stress against closed forms: one contact, columns of discs, a uniform lattice under pressure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.measure.stress_field import BEYOND, StressGrid, grid_over, kinetic_stress, smoothed, stress_field

WIDTH = 0.01


def row(*numbers: float) -> np.ndarray:
    return np.array([numbers])


def test_the_integral_of_the_field_of_one_contact_is_force_times_branch() -> None:
    end, branch, force = row(0.3, 0.2), row(0.013, -0.007), row(2.0, 5.0)
    grid = grid_over((end - np.abs(branch))[0], (end + np.abs(branch))[0], WIDTH, (0, 1))
    found = stress_field(end, branch, force, WIDTH, grid).sum(axis=(2, 3)) * grid.step**2
    assert found == pytest.approx(np.outer(force, branch), rel=2e-3)


def test_the_field_of_one_contact_is_the_gaussian_along_its_branch() -> None:
    """Across a branch along x the Gaussian, along it the difference of two error functions."""
    end, branch, force = row(0.02, 0.0), row(0.02, 0.0), row(3.0, 0.0)
    grid = grid_over(np.array((-0.01, -0.01)), np.array((0.03, 0.01)), WIDTH, (0, 1))
    found = stress_field(end, branch, force, WIDTH, grid)
    x, y = grid.places
    along = np.array([math.erf(u / WIDTH / math.sqrt(2.0)) for u in x])
    back = np.array([math.erf((u - 0.02) / WIDTH / math.sqrt(2.0)) for u in x])
    expected = (
        3.0 * 0.5 * (along - back)[:, None] * np.exp(-0.5 * (y / WIDTH) ** 2) / (math.sqrt(2.0 * math.pi) * WIDTH)
    )
    assert np.abs(found[0, 0] - expected).max() < 0.02 * expected.max()
    assert np.abs(found[1:]).max() == 0.0


def test_a_column_of_discs_carries_the_weight_above_every_height() -> None:
    """The force across a height, the integral of the vertical stress over a line, is the smoothed weight above it."""
    radius, weight, count = 0.005, 0.2, 40
    height = radius * (2.0 * np.arange(count) + 1.0)
    end = np.column_stack((np.zeros(count), height))
    branch = np.column_stack((np.zeros(count), np.full(count, 2.0 * radius)))
    branch[0, 1] = radius  # the floor
    force = np.column_stack((np.zeros(count), weight * (count - np.arange(count))))
    width = 2.0 * radius
    grid = grid_over(np.array((-radius, 0.0)), np.array((radius, 2.0 * radius * count)), width, (0, 1))
    found = stress_field(end, branch, force, width, grid)[1, 1].sum(axis=0) * grid.step
    y = grid.places[1]
    above = np.array([sum(0.5 * weight * math.erfc((u - h) / width / math.sqrt(2.0)) for h in height) for u in y])
    inside = y > BEYOND * width
    assert np.abs(found - above)[inside].max() < 2e-3 * weight * count


def test_the_kinetic_part_is_density_times_mean_square_and_nothing_in_uniform_motion() -> None:
    """Grains on a square lattice of side a with velocities u ± c along x, in turn: m c² / a² in xx alone.

    The points of the grid, 0.8 a apart, see the lattice as a wave of length 4 a, of which the Gaussian of w = 2 a
    leaves exp(-(2π/4a)² w² / 2) = 0.7 %, and less than 1e-6 of what changes from grain to grain.
    """
    side, mass, speed = 0.005, 3e-4, 0.7
    i, j = (axis.ravel() for axis in np.meshgrid(np.arange(50), np.arange(50)))
    position = side * np.column_stack((i, j))
    velocity = np.column_stack((2.0 + speed * (-1.0) ** (i + j), np.full(i.size, -3.0)))
    grid = grid_over(position.min(axis=0), position.max(axis=0), 2.0 * side, (0, 1))
    middle = tuple(slice(count // 2 - 3, count // 2 + 3) for count in grid.shape)
    found = kinetic_stress(position, velocity, np.full(i.size, mass), 2.0 * side, grid)[(..., *middle)]
    expected = mass * speed**2 / side**2
    assert np.abs(found[0, 0] / expected - 1.0).max() < math.exp(-0.5 * math.pi**2)
    assert np.abs(found[1]).max() < math.exp(-0.5 * math.pi**2) * expected
    still = kinetic_stress(position, np.full_like(velocity, 4.0), np.full(i.size, mass), 2.0 * side, grid)
    assert np.abs(still).max() < 1e-9 * expected


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_lattice_under_equal_forces_has_the_pressure_of_its_unit_cell(dimension: int) -> None:
    """Spheres of radius R on a square or cubic lattice, each contact with the force F: pressure F / (2R)^(d - 1)."""
    radius, force, side = 0.005, 4.0, 12
    centre = np.stack(np.meshgrid(*(2.0 * radius * np.arange(side),) * dimension, indexing="ij"), -1)
    centre = centre.reshape(-1, dimension)
    unit = np.eye(dimension)
    end = np.concatenate([centre[centre[:, k] > radius] for k in range(dimension)])
    along = np.concatenate([np.tile(unit[k], (len(centre) * (side - 1) // side, 1)) for k in range(dimension)])
    width, middle = 2.0 * radius, radius * (side - 1)
    across = middle if dimension == 3 else math.nan
    grid = grid_over(np.zeros(2), np.full(2, 2.0 * middle), width, (0, dimension - 1), across)
    found = stress_field(end, 2.0 * radius * along, force * along, width, grid)
    k = tuple(round((middle - grid.origin[n]) / grid.step) for n in (0, 1))
    expected = force / (2.0 * radius) ** (dimension - 1) * np.eye(dimension)
    assert found[:, :, k[0], k[1]] == pytest.approx(expected, rel=0.02, abs=1e-9)


def test_a_grid_of_too_many_points_is_coarser_and_keeps_the_amount() -> None:
    grid = grid_over(np.zeros(2), np.ones(2), 1e-4, (0, 1), most=10_000)
    assert np.prod(grid.shape) < 11_000
    found = smoothed(row(0.5, 0.5), row(7.0), 1e-4, grid)
    assert found.sum() * grid.step**2 == pytest.approx(7.0, rel=1e-6)


def test_what_lies_beyond_the_grid_is_left_out() -> None:
    grid = StressGrid((0, 1), np.zeros(2), 0.1, (5, 5))
    assert smoothed(row(9.0, 0.1), row(1.0), 0.1, grid).sum() == 0.0
