"""Lacey's index: its limits, its mean over random mixtures, and the two classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim import Bodies, Material, place_spheres, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world
from repose.sim.engine.world import World
from repose.sim.measure.grains import grain_radii
from repose.sim.measure.mixing import (
    GRAINS,
    grain_positions,
    large_grains,
    mixing_of,
    mixing_of_sizes,
    samples_of,
    second_kind,
)

RUBBER = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.3, friction=0.3)


def places(count: int, dimension: int = 2) -> np.ndarray:
    return np.random.default_rng(5).uniform(size=(count, dimension))


@pytest.mark.parametrize("dimension", [2, 3])
def test_samples_have_the_stated_number_of_grains_and_lie_together(dimension: int) -> None:
    position = places(1000, dimension)
    sample = samples_of(position)
    assert (np.bincount(sample) == GRAINS).all()
    extents = [np.ptp(position[sample == k], axis=0).max() for k in range(100)]
    # A cube of a hundredth of the volume; halving makes sides of up to a factor of two and uneven ends.
    assert max(extents) < 3.0 * 0.01 ** (1.0 / dimension)


def test_samples_of_a_number_that_does_not_divide_differ_by_one_grain_per_halving() -> None:
    sizes = np.bincount(samples_of(places(1237)))
    assert sizes.sum() == 1237
    assert sizes.size == 123
    assert sizes.min() >= GRAINS
    assert sizes.max() <= GRAINS + 2


def test_separated_grains_have_the_index_0() -> None:
    position = places(800)
    first = position[:, 0] < np.sort(position[:, 0])[400]
    position[~first, 0] += 10.0  # the first halving is in the gap
    mixing = mixing_of(position, first)
    assert mixing is not None
    assert mixing.variance == pytest.approx(mixing.segregated, rel=1e-12)
    assert mixing.index == pytest.approx(0.0, abs=1e-12)


def test_samples_of_unequal_numbers_count_by_their_grains() -> None:
    position = places(2 * GRAINS + 1)
    first = position[:, 0] < np.sort(position[:, 0])[GRAINS]
    position[~first, 0] += 10.0
    mixing = mixing_of(position, first)
    assert mixing is not None
    assert sorted(np.bincount(samples_of(position))) == [GRAINS, GRAINS + 1]
    assert mixing.index == pytest.approx(0.0, abs=1e-12)


def layered(*, period: float = 0.0, materials: int = 1, layers: int = 1, fixed: int = 0) -> World:
    """Forty grains in two rows far apart, the upper ones of twice the radius; kinds in turn along both rows."""
    world = empty_world(2, 1, skin=0.1, materials=4, period=(period, 0.0))
    place = np.column_stack([np.tile(np.arange(20) + 0.5, 2), np.repeat([0.5, 50.0], 20)])
    for k in range(40):
        group = SphereGroup(material=k % materials, layer=k % layers, fixed=k < fixed, first_id=k)
        world = add_spheres(world, place[k : k + 1], 0.25 if k < 20 else 0.5, 1.0, group)
    return world


def test_large_grains_above_small_ones_are_segregated() -> None:
    mixing = mixing_of_sizes(layered())
    assert mixing is not None
    assert mixing.index == pytest.approx(0.0, abs=1e-12)
    large = large_grains(grain_radii(layered()))
    assert large is not None
    assert large.tolist() == [False] * 20 + [True] * 20


def test_fixed_grains_are_of_no_class() -> None:
    assert grain_positions(layered(fixed=5)).shape == (35, 2)
    assert mixing_of_sizes(layered(fixed=15)) is None, "five small grains are left"


def test_grains_that_have_gone_on_through_a_period_are_where_their_images_in_the_cell_are() -> None:
    world = layered(period=20.0)
    before = grain_positions(world)
    world.motion[0, 0, ::3] += 20.0 * np.arange(1, 15)
    assert grain_positions(world) == pytest.approx(before)


@pytest.mark.parametrize("kind", ["materials", "layers"])
def test_two_kinds_are_classes_and_one_or_three_are_not(kind: str) -> None:
    assert second_kind(layered()) is None
    assert second_kind(layered(**{kind: 3})) is None
    second = second_kind(layered(**{kind: 2}))
    assert second is not None
    assert second.tolist() == [False, True] * 20


def test_bodies_among_spheres_are_a_class_with_the_size_of_their_volume() -> None:
    """Dumbbells whose members do not overlap have in the plane √2 times the radius of a member."""
    ends = np.array([[-1e-3, 0.0], [1e-3, 0.0]])
    bodies = Bodies(
        shape_of_spheres(ends, 1e-3, 2500.0), 6e-3 * np.column_stack([np.arange(12), np.full(12, 20.0)]), RUBBER
    )
    loose = 6e-3 * np.column_stack([np.arange(12), np.zeros(12)])
    world = place_spheres(loose, 1e-3, RUBBER, bodies=[bodies], gravity=0.0, dt=1e-7).world
    second = second_kind(world)
    assert second is not None
    assert second.tolist() == [False] * 12 + [True] * 12
    assert grain_positions(world)[second] == pytest.approx(bodies.position)
    assert grain_radii(world)[second] == pytest.approx(math.sqrt(2.0) * 1e-3, rel=1e-6)
    mixing = mixing_of(grain_positions(world), second)
    assert mixing is not None
    assert mixing.index == pytest.approx(0.0, abs=1e-12)


def test_touching_halves_differ_from_0_by_the_samples_on_their_border_at_most() -> None:
    position = places(4000)
    first = position[:, 0] + position[:, 1] < 1.0
    sample = samples_of(position)
    share = np.bincount(sample, first) / np.bincount(sample)
    border = ((share > 0.0) & (share < 1.0)).mean()
    mixing = mixing_of(position, first)
    assert mixing is not None
    # A sample of one class contributes p² or (1-p)² to S², one on the border at least nothing.
    bound = border * max(first.mean(), 1.0 - first.mean()) ** 2 / (mixing.segregated - mixing.random)
    assert 0.0 < mixing.index <= bound


@pytest.mark.parametrize(("count", "members"), [(60, 20), (300, 30), (1000, 500)])
def test_the_mean_over_random_mixtures_is_1(count: int, members: int) -> None:
    position, generator = places(count), np.random.default_rng(8)
    first = np.arange(count) < members
    found = [mixing_of(position, generator.permutation(first)) for _ in range(1000)]
    index = np.array([one.index for one in found if one is not None])
    scatter = index.std(ddof=1)
    assert abs(index.mean() - 1.0) < 4.0 * scatter / math.sqrt(index.size)
    assert found[0] is not None
    # The number of grains of a class in a sample is nearly binomial: its fourth moment is that of a normal
    # distribution up to 1/(n p (1-p)), 0.4 here at most.
    assert scatter == pytest.approx(found[0].error, rel=0.25)


def test_the_variance_of_a_random_mixture_is_that_of_lacey_for_many_grains() -> None:
    first = np.arange(10_000) % 2 == 0
    mixing = mixing_of(places(10_000), first)
    assert mixing is not None
    assert mixing.segregated == pytest.approx(0.25)
    assert mixing.random == pytest.approx(0.25 / GRAINS, rel=1e-3)  # (N - n)/(N - 1) = 1 - 9e-4


def test_too_few_grains_of_a_class_have_no_index() -> None:
    first = np.arange(100) < GRAINS - 1
    assert mixing_of(places(100), first) is None
    assert mixing_of(places(100), ~first) is None
    assert mixing_of(places(2 * GRAINS - 1), np.arange(2 * GRAINS - 1) % 2 == 0) is None


def test_large_grains_are_those_above_the_gap_or_the_median() -> None:
    two = np.array([1.0, 1.1, 3.0, 1.05, 3.1])
    assert large_grains(two) == pytest.approx([False, False, True, False, True])
    few = np.array([1.0, 1.05, 1.1, 1.02, 2.0])
    assert large_grains(few) == pytest.approx([False] * 4 + [True]), "the gap counts, not the median"
    wide = np.geomspace(1.0, 10.0, 101)
    found = large_grains(wide)
    assert found is not None
    assert found.sum() == 50
    assert large_grains(np.linspace(0.8, 1.2, 50)) is None
    assert large_grains(np.ones(50)) is None
