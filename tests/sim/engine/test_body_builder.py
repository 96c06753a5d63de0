"""How easily a contact moves a member of a body: bounds that hold in every direction and hardly exceed what occurs."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.body_builder import BodyShape, body_shape, most_easily_moved, shape_of_spheres


def rod(members: int, dimension: int = 3) -> BodyShape:
    """A row of spheres that touch."""
    position = np.zeros((members, dimension))
    position[:, 0] = 2e-3 * np.arange(members)
    return shape_of_spheres(position, 1e-3, np.full(members, 1e-5))


def plate() -> BodyShape:
    """Nine spheres in a square."""
    x, y = np.meshgrid(2e-3 * np.arange(3.0), 2e-3 * np.arange(3.0))
    return shape_of_spheres(np.stack([x.ravel(), y.ravel(), np.zeros(9)], axis=1), 1e-3, np.full(9, 1e-5))


def any_shape(seed: int) -> BodyShape:
    """Spheres of all sizes at random places, mass and moments of their own."""
    generator = np.random.default_rng(seed)
    position = generator.normal(0.0, 3e-3, (6, 3))
    root = generator.normal(0.0, 1.0, (3, 3))
    spread = root @ root.T
    inertia = 1e-10 * (np.trace(spread) * np.eye(3) - spread)
    return body_shape(position, generator.uniform(2e-4, 3e-3, 6), 1e-4, inertia, position.mean(axis=0))


SHAPES = [rod(2), rod(5), plate(), *map(any_shape, range(4))]


def answers(shape: BodyShape, member: int, normal: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Inverse mass 1/m + w.I^-1 w for forces of these unit directions at these normals of a member [1/kg]."""
    arm = shape.offset[member] + shape.radius[member] * normal
    turning = np.cross(arm, direction)
    return 1.0 / shape.mass + (turning**2 / shape.moments).sum(axis=1)


def directions(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors, and for each a unit vector across it."""
    generator = np.random.default_rng(count)
    normal, other = generator.normal(0.0, 1.0, (2, count, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    across = np.cross(normal, other)
    return normal, across / np.linalg.norm(across, axis=1, keepdims=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_contact_moves_a_member_more_easily_than_its_bounds_say(shape: BodyShape) -> None:
    normal, across = directions(40_000)
    along, turning = most_easily_moved(shape)
    for k, radius in enumerate(shape.radius):
        straight, shear = answers(shape, k, normal, normal).max(), answers(shape, k, normal, across).max()
        bound = along[k] + radius**2 * turning[k]
        assert 0.98 * along[k] < straight <= along[k] * (1.0 + 1e-12)
        assert 0.85 * bound < shear <= bound * (1.0 + 1e-12)
        assert turning[k] >= 1.0 / shape.moments.min()  # a torque alone, of rolling resistance


def test_the_ends_of_a_rod_move_by_its_long_axis_not_by_its_thin_one() -> None:
    shape = rod(5)
    mass, end = shape.mass, 4e-3
    thin, long = shape.moments.min(), shape.moments.max()
    along, turning = most_easily_moved(shape)
    assert along[0] == pytest.approx(1.0 / mass + end**2 / long)
    # A force across both the axis and the normal turns the rod about both axes.
    assert along[0] + 1e-6 * turning[0] == pytest.approx(1.0 / mass + end**2 / long + 1e-6 / thin, rel=0.05)


def test_in_the_plane_both_bounds_are_exact() -> None:
    shape = rod(3, 2)
    along, turning = most_easily_moved(shape)
    assert along == pytest.approx(1.0 / shape.mass + np.array([2e-3, 0.0, 2e-3]) ** 2 / shape.moments[0])
    bound = 1.0 / shape.mass + np.array([3e-3, 1e-3, 3e-3]) ** 2 / shape.moments[0]
    assert along + 1e-6 * turning == pytest.approx(bound)


def test_a_body_of_one_sphere_has_the_inverses_of_the_sphere_to_the_last_bit() -> None:
    shape = body_shape([(0.0, 0.0, 0.0)], 1e-3, 3e-5, 0.4 * 3e-5 * 1e-6 * np.eye(3), np.zeros(3))
    along, turning = most_easily_moved(shape)
    assert along[0] == 1.0 / shape.mass
    assert turning[0] == 1.0 / shape.moments[0]
