"""Packing fraction and stress of a periodic world: over the whole cell they are sums over all spheres and contacts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.boundaries import boundary_table, images_beside, in_cell, nearest_image, with_images
from repose.sim.measure.bulk import measure_bulk
from repose.sim.measure.packing import Box, box_in_packing

from tests.small_worlds import Bench, contacts_of, model_of, world_of

R = 1e-3
SIDE = np.array([12.0 * R, 12.0 * R * math.sqrt(0.75)])


def crystal(shift: tuple[float, float], seed: int = 1) -> Bench:
    """A slightly compressed triangular lattice that fills the cell, its spheres displaced at random, at this shift."""
    model, numbers = model_of("leapfrog", 2, False)
    position = np.array([((i + 0.5 * (j % 2)) * 2.0 * R, j * math.sqrt(3.0) * R) for j in range(6) for i in range(6)])
    position += np.random.default_rng(seed).uniform(-0.02, 0.02, position.shape) * R + shift
    velocity = np.random.default_rng(seed).normal(size=position.shape)
    world = world_of(model, position, 1.02 * R, 1e-5, velocity=velocity)
    bench = Bench(world._replace(boundary=boundary_table(2, SIDE)), model, numbers, 0.0)
    bench.advance(1)
    return bench


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.7 * R, -1.1 * R), (-27.0 * R, 1000.3 * R)])
def test_stress_and_packing_of_the_cell_do_not_depend_on_the_place_of_its_border(shift: tuple[float, float]) -> None:
    bench = crystal(shift)
    contacts = contacts_of(bench)
    assert contacts.i.size >= 100, "three contacts per sphere"
    found = measure_bulk(bench.world, contacts, Box(np.zeros(2), SIDE))
    volume = float(np.prod(SIDE))
    assert found.packing_fraction == pytest.approx(math.pi * (bench.world.radius**2).sum() / volume, rel=1e-9)
    np.testing.assert_allclose(found.stress.contacts, contacts.force @ contacts.branch.T / volume, rtol=1e-9)
    velocity = bench.velocity - bench.velocity.mean(axis=0)
    np.testing.assert_allclose(found.stress.kinetic, 1e-5 * velocity.T @ velocity / volume, rtol=1e-9)


def test_the_box_inside_a_packing_without_borders_is_the_cell() -> None:
    """A world without boundaries has a box that is smaller than its packing on all sides."""
    bench = crystal((0.3 * R, 0.4 * R))
    box = box_in_packing(bench.world)
    assert box is not None
    assert (box.lower >= 0.0).all()
    assert (box.upper <= SIDE).all()
    assert np.prod(box.upper - box.lower) > 0.8 * np.prod(SIDE)
    alone = box_in_packing(bench.world._replace(boundary=boundary_table(2)))
    assert alone is None or np.prod(alone.upper - alone.lower) < 0.5 * np.prod(SIDE)


def test_images_beside_the_cell() -> None:
    boundary = boundary_table(2, np.array([10.0, 20.0]), np.array([-5.0, 0.0]))
    points = np.array([[-4.5, 1.0], [0.0, 10.0], [4.0, 19.5]])
    rows, places = images_beside(points, boundary, 1.5)
    found = sorted((int(row), *place.tolist()) for row, place in zip(rows, places, strict=True))
    assert found == [
        *[(0, -4.5, 21.0), (0, 5.5, 1.0), (0, 5.5, 21.0)],
        *[(2, -6.0, -0.5), (2, -6.0, 19.5), (2, 4.0, -0.5)],
    ]
    rows, places = with_images(points + np.array([10.0, -40.0]), boundary, 0.0)
    np.testing.assert_array_equal(rows, [0, 1, 2])
    np.testing.assert_array_equal(places, points)
    np.testing.assert_array_equal(in_cell(places, boundary), points)
    np.testing.assert_array_equal(nearest_image(points[[0]], points[[2]], boundary), [[-6.0, -0.5]])
