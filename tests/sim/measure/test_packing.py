"""Packing fractions of lattices and of random packings, and the position of the box."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from repose.sim.engine.builder import add_bonds, add_spheres
from repose.sim.measure.packing import box_in_packing, disc_in_rectangle, packing_fraction, sphere_in_box
from repose.sim.scenes.large_particles import particles

from tests.small_worlds import model_of, world_of


def lattice(cell, edges, repeats: int = 4) -> np.ndarray:
    """Points of a cell repeated `repeats` times each way, shape (count, dimension)."""
    edges = np.asarray(edges, float)
    steps = [np.arange(-1.0, repeats)] * len(edges)
    corners = np.stack(np.meshgrid(*steps), axis=-1).reshape(-1, 1, len(edges)) * edges
    return (corners + np.asarray(cell) * edges).reshape(-1, len(edges))


CUBE, SQUARE = (1.0, 1.0, 1.0), (1.0, 1.0)
FACE_CENTRED = [(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)]
LATTICES = [
    pytest.param([(0, 0, 0)], CUBE, 0.5, pi / 6.0, id="simple-cubic"),
    pytest.param(FACE_CENTRED, CUBE, sqrt(0.125), pi / (3.0 * sqrt(2.0)), id="face-centred-cubic"),
    pytest.param([(0, 0)], SQUARE, 0.5, pi / 4.0, id="square"),
    pytest.param([(0, 0), (0.5, 0.5)], (1.0, sqrt(3.0)), 0.5, pi / (2.0 * sqrt(3.0)), id="triangular"),
]


@pytest.mark.parametrize(("cell", "edges", "radius", "expected"), LATTICES)
@pytest.mark.parametrize("shift", [0.0, 0.13, 0.5])
def test_packing_fractions_of_lattices(cell, edges, radius, expected, shift) -> None:
    # A box of whole cells holds the same wherever it lies; 1e-5 is what the slices of cut spheres leave.
    points = lattice(cell, edges)
    lower = shift * np.array([1.0, 0.7, 0.4])[: len(edges)]
    found = packing_fraction(points, np.full(len(points), radius), lower, lower + 2.0 * np.asarray(edges))
    assert found == pytest.approx(expected, abs=1e-5)


def scattered(dimension: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Spheres of many sizes put down at random where there is room, in a unit box and around it."""
    generator = np.random.default_rng(seed)
    position, radius = np.empty((0, dimension)), np.empty(0)
    for _ in range(4000):
        x, r = generator.uniform(-0.2, 1.2, dimension), generator.uniform(0.04, 0.15)
        if np.all(np.linalg.norm(position - x, axis=1) > radius + r):
            position, radius = np.vstack([position, x]), np.append(radius, r)
    return position, radius


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_fraction_of_a_random_packing_equals_a_monte_carlo_estimate(dimension: int) -> None:
    position, radius = scattered(dimension, 7)
    points = np.random.default_rng(11).random((50_000, dimension))
    hit = np.zeros(len(points), bool)
    for x, r in zip(position, radius, strict=True):
        hit |= np.sum((points - x) ** 2, axis=1) < r * r
    found = packing_fraction(position, radius, np.zeros(dimension), np.ones(dimension))
    assert 0.2 < found < 0.8
    # Four standard deviations of the share of the points that hit.
    assert found == pytest.approx(hit.mean(), abs=4.0 * sqrt(found * (1.0 - found) / len(points)))


def test_parts_of_a_disc() -> None:
    low = np.array([(-9, -9), (0, 0), (-9, 0.5), (-0.5, -0.5), (2, -9), (-0.1, -9)], float)
    high = np.array([(9, 9), (9, 9), (9, 9), (0.5, 0.5), (9, 9), (0.1, 9)], float)
    cap = np.arccos(0.5) - 0.5 * sqrt(0.75)
    strip = 2.0 * (0.1 * sqrt(0.99) + np.arcsin(0.1))
    expected = [pi, pi / 4.0, cap, 1.0, 0.0, strip]
    assert disc_in_rectangle(np.ones(6), low, high) == pytest.approx(expected, abs=1e-12)


def test_parts_of_a_sphere() -> None:
    # Whole, an eighth, the cap of height h cut off by each axis (pi h² (R - h/3)), the cube within, nothing.
    cap = pi * 0.3**2 * (1.0 - 0.1)
    low = np.full((7, 3), -9.0)
    low[1], low[5], low[6] = 0.0, -0.5, 1.5
    for axis in range(3):
        low[2 + axis, axis] = 0.7
    high = np.full((7, 3), 9.0)
    high[5] = 0.5
    expected = [4.0 / 3.0 * pi, pi / 6.0, cap, cap, cap, 1.0, 0.0]
    assert sphere_in_box(np.ones(7), low, high) == pytest.approx(expected, abs=4e-4 * 4.0 / 3.0 * pi)


def test_a_box_turned_inside_out_is_refused() -> None:
    with pytest.raises(ValueError, match="no volume"):
        packing_fraction(np.zeros((1, 2)), np.ones(1), (0.0, 0.0), (1.0, -1.0))


def block(counts: tuple[int, ...], spacing: float = 1.0, strewn=(), fixed: int = 0):
    """A world of touching discs or spheres of diameter 1 in rows, more of them strewn around."""
    model, _ = model_of(dimension=len(counts))
    grid = np.stack(np.meshgrid(*[spacing * np.arange(float(n)) for n in counts], indexing="ij"), axis=-1)
    position = np.vstack([grid.reshape(-1, len(counts)), np.reshape(strewn, (-1, len(counts)))])
    return world_of(model, position, 0.5, 1.0, fixed=np.arange(len(position)) < fixed, skin=0.01)


@pytest.mark.parametrize("counts", [(30, 12), (9, 14, 9)])
def test_the_box_lies_deep_in_the_packing_and_is_as_large_as_it_can_be(counts) -> None:
    box = box_in_packing(block(counts))
    assert box is not None
    outer_low, outer_high = np.full(len(counts), -0.5), np.array(counts) - 0.5
    assert np.all(box.lower >= outer_low + 1.0)
    assert np.all(box.upper <= outer_high - 1.0)
    edge = box.upper - box.lower
    assert edge == pytest.approx(np.full(len(counts), edge[0]))
    # A diameter drawn in on either side, and at most another where places of the packing end.
    assert min(counts) - 5.0 <= edge[0] <= min(counts) - 2.0
    assert 0.5 * (box.lower + box.upper) == pytest.approx(0.5 * (outer_low + outer_high), abs=1.5)


def test_grains_far_from_the_heap_do_not_change_the_angle() -> None:
    calm, strewn = box_in_packing(block((20, 20))), box_in_packing(block((20, 20), strewn=[(1e7, 0), (0, -1e7)]))
    assert calm is not None
    assert strewn is not None
    assert calm.lower == pytest.approx(strewn.lower)
    assert calm.upper == pytest.approx(strewn.upper)


def test_without_a_packing_there_is_no_box() -> None:
    assert box_in_packing(block((3, 3))) is None
    assert box_in_packing(block((40, 4))) is None
    assert box_in_packing(block((20, 20), spacing=2.0)) is None
    assert box_in_packing(block((20, 20), fixed=400)) is None
    assert box_in_packing(block((0, 0))) is None


def test_a_bonded_body_is_no_packing_until_its_bonds_are_broken() -> None:
    grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    world = add_bonds(add_spheres(particles.new_world(), grid, 0.5, 1.0), (0,), (1,), np.ones(1))
    assert box_in_packing(world) is None
    world.bonds.intact[:] = 0
    assert box_in_packing(world) is not None
