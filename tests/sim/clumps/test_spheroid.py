"""A spheroid as spheres on its axis: inside and touching, the depth of its dents, its volume and inertia."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.clumps.clump import Clump, mass_properties
from repose.sim.clumps.making import number_of_pieces
from repose.sim.clumps.spheroid import fewest_members, spheroid
from repose.sim.engine.world import Floats
from repose.sim.scenes.lecture.close_packing import FINE

SHAPES = [(alpha, members) for alpha in (1.01, 1.25, 1.5, 2.0, 3.0, 4.0) for members in (9, 13, 40)]


def depths(clump: Clump, alpha: float) -> Floats:
    """How far points of the spheroid are outside the members, shape (points,)."""
    t = np.linspace(0.0, math.pi, 8001)
    points = np.column_stack([alpha * np.cos(t), np.sin(t)])
    away = np.hypot(points[:, :1] - clump.centre[:, 0], points[:, 1:]) - clump.radius
    nearest: Floats = away.min(axis=1)
    return nearest


def exact_volume(clump: Clump) -> float:
    """Volume of spheres on one axis, each cut by the planes through its intersections with its neighbours."""
    x, radius = clump.centre[:, 0], clump.radius
    planes = 0.5 * (x[1:] + x[:-1]) + 0.5 * (radius[:-1] ** 2 - radius[1:] ** 2) / np.diff(x)
    cuts = np.concatenate([[x[0] - radius[0]], planes, [x[-1] + radius[-1]]])
    low, high = cuts[:-1] - x, cuts[1:] - x
    return float(math.pi * (radius**2 * (high - low) - (high**3 - low**3) / 3.0).sum())


@pytest.mark.parametrize(("alpha", "members"), SHAPES)
def test_members_are_inside_the_spheroid_and_touch_it_and_its_dents_have_the_stated_depth(
    alpha: float, members: int
) -> None:
    clump = spheroid(alpha, members)
    depth = depths(clump, alpha)
    assert depth.min() == pytest.approx(0.0, abs=1e-6), "touches, and is nowhere outside"
    assert clump.centre[-1, 0] + clump.radius[-1] == pytest.approx(alpha), "the tip"
    assert clump.radius[-1] == pytest.approx(1.0 / alpha), "its radius of curvature"
    half = math.atan(math.sqrt(alpha**2 - 1.0)) / (members - 1)
    assert depth.max() == pytest.approx(0.5 * alpha**2 * math.sin(half) ** 2, rel=0.2)


@pytest.mark.parametrize(("alpha", "members"), SHAPES)
def test_the_volume_by_points_is_that_of_the_union_to_two_parts_in_ten_thousand(alpha: float, members: int) -> None:
    clump = spheroid(alpha, members)
    volume = exact_volume(clump)
    assert mass_properties(clump, FINE).volume == pytest.approx(volume, rel=2e-4)
    dent, missing = float(depths(clump, alpha).max()), 1.0 - volume / (4.0 / 3.0 * math.pi * alpha)
    assert 0.6 * dent < missing < 1.1 * dent


def test_many_members_have_the_inertia_of_the_spheroid() -> None:
    mass = mass_properties(spheroid(2.0, 40), FINE)
    assert mass.moments / mass.volume == pytest.approx(np.array([0.4, 1.0, 1.0]), rel=3e-3)
    assert mass.centre == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("alpha", [1.1, 1.5, 2.0, 3.0, 4.0])
def test_the_fewest_members_are_in_one_piece_and_one_less_is_not(alpha: float) -> None:
    least = fewest_members(alpha)
    assert number_of_pieces(spheroid(alpha, least)) == 1
    assert least == 2 or number_of_pieces(spheroid(alpha, least - 1)) > 1
