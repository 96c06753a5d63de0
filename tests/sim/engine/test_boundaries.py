"""Periodic boundaries: the nearest image in the search and in the forces; an open dimension is unchanged."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from repose.sim.engine import boundaries, images
from repose.sim.engine.boundaries import boundary_table, images_of, in_cell, shortest_branch
from repose.sim.engine.builder import checked_boundary, enlarge_pairs, with_threads
from repose.sim.engine.neighbours import pair_list, verlet_list
from repose.sim.engine.threads import thread_of
from repose.sim.engine.world import PAIR_COUNT, REBUILD_COUNT, World
from repose.sim.parameters import ParameterError

from tests.small_worlds import Bench, contacts_of, look, model_of, rebuild_lists, world_of
from tests.tiers import tiered

SIDE = 2.0**-3
"""Period [m]: multiples of it, and positions rounded to 2^-24 m, are exact in doubles. Translations then are, too."""
RADIUS = 0.011


def bench_of(
    dimension: int,
    rotation: bool,
    period: tuple[float, ...],
    shift: tuple[float, ...] = (0.0, 0.0, 0.0),
    compiled: bool = False,
    integrator: str = "leapfrog",
) -> Bench:
    """Overlapping spheres of different sizes at random places in a cell with a corner at the origin, that move."""
    generator = np.random.default_rng(dimension)
    count = 50 if dimension == 2 else 150
    position = np.round(generator.random((count, dimension)) * SIDE * 2**24) / 2**24 + shift[:dimension]
    radius = RADIUS * generator.uniform(0.7, 1.0, count)
    model, numbers = model_of(integrator, dimension, rotation)
    velocity = generator.normal(size=(count, dimension))
    world = world_of(model, position, radius, 1e-3, velocity=velocity)
    world = world._replace(boundary=checked_boundary(dimension, period[:dimension], np.zeros(dimension)))
    return Bench(world, model, numbers, 1e-7, compiled=compiled)


def pairs_within(world: World, gap: float) -> set[tuple[int, int]]:
    """Every two spheres with images closer than touching + gap, found by comparing all images of all spheres."""
    position = world.motion[: world.dimension, 0].T
    period = world.boundary[boundaries.PERIOD]
    found = set()
    for image in product((-1, 0, 1), repeat=world.dimension):
        branch = in_cell(position, world.boundary)[:, None] - (in_cell(position, world.boundary) + image * period)
        near = np.sqrt((branch**2).sum(axis=2)) < world.radius[:, None] + world.radius + gap
        found |= {(int(i), int(j)) for i, j in zip(*np.nonzero(near)) if i < j}
    return found


def test_images_and_the_nearest_branch() -> None:
    boundary = boundary_table(2, np.array([2.0, 0.0]), np.array([-0.5, 7.0]))
    points = np.array([[-0.5, 4.0], [1.5, -9.0], [3.7, 0.0], [-4.75, 1.0]])
    np.testing.assert_allclose(in_cell(points, boundary), [[-0.5, 4.0], [-0.5, -9.0], [-0.3, 0.0], [1.25, 1.0]])
    np.testing.assert_array_equal(images_of(points, boundary), [[0, 0], [1, 0], [2, 0], [-3, 0]])
    branches = np.array([[1.25, 5.0], [-1.25, 5.0], [0.5, 0.0], [6.125, -1.0]])
    expected = np.array([[-0.75, 5.0], [0.75, 5.0], [0.5, 0.0], [0.125, -1.0]])
    np.testing.assert_array_equal(shortest_branch(branches, boundary), expected)
    for branch, nearest in zip(branches, expected, strict=True):
        assert images.nearest_branch(tuple(branch), boundary, (0.0,)) == tuple(nearest)
        assert images.nearest_branch(tuple(branch), boundary, ()) == tuple(branch)


def test_a_world_without_a_period_has_an_empty_table() -> None:
    assert boundary_table(3).shape == boundary_table(3, np.zeros(3)).shape == (2, 0)
    points = np.array([[1.0, 2.0, 3.0]])
    assert in_cell(points, boundary_table(3)) is points
    assert not images_of(points, boundary_table(3)).any()


@pytest.mark.parametrize("period", [(-1.0, 0.0), (np.nan, 0.0), (np.inf, 0.0), (1.0, 1.0, 1.0)])
def test_a_wrong_period_is_refused(period: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="period"):
        checked_boundary(2, period)


def listed_once(world: World) -> tuple[World, list[tuple[int, int]]]:
    """The world with its lists rebuilt, and the listed pairs: those of nearest images, each once, in order."""
    while rebuild_lists(world):
        world = enlarge_pairs(world)
    used = int(world.counters[PAIR_COUNT])
    listed = list(zip(world.pairs.i[:used].tolist(), world.pairs.j[:used].tolist()))
    assert listed == sorted(set(listed))
    assert set(listed) == pairs_within(world, float(world.search.skin[0]))
    return world, listed


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("periodic", [(1, 0, 0), (0, 1, 0), (1, 1, 1)])
@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (-70.5 * SIDE, 3.25 * SIDE, 1e4 * SIDE)])
def test_the_search_finds_every_pair_of_nearest_images_once(
    dimension: int, periodic: tuple[int, ...], shift: tuple[float, ...]
) -> None:
    world = bench_of(dimension, False, tuple(SIDE * one for one in periodic), shift).world
    world, listed = listed_once(world)
    position = world.motion[:dimension, 0].T
    open_distance = np.sqrt(((position[:, None] - position) ** 2).sum(axis=2))
    across = [(i, j) for i, j in listed if open_distance[i, j] > world.radius[i] + world.radius[j] + 1e-3]
    assert len(across) > 1, "no pair is across the border: the test tests nothing"


def of_very_different_sizes(dimension: int) -> World:
    """Sizes over a factor of 15, in cells of every size class; the largest reach a fifth of the period, and have other
    spheres beside them, some of them across the border.

    They have later rows than smaller spheres: the search of a sphere finds later rows only, and large cells that are
    skipped beyond the border are missed by the smaller ones."""
    generator = np.random.default_rng(dimension)
    radius = 1.5e-3 * 15.0 ** generator.random(80) if dimension == 2 else 2e-3 * 10.0 ** generator.random(120)
    radius[60:63] = 0.19 * SIDE
    position = generator.random((radius.size, dimension)) * SIDE
    position[60:63, 0] = 0.02 * SIDE, 0.5 * SIDE, 0.97 * SIDE  # at two opposite borders
    model, _ = model_of("leapfrog", dimension)
    world = world_of(model, position, radius, 1e-3)
    return world._replace(boundary=checked_boundary(dimension, SIDE))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_search_finds_spheres_of_very_different_sizes_across_the_border(dimension: int) -> None:
    listed_once(of_very_different_sizes(dimension))


def listed_plainly(world: World) -> set[tuple[int, int]]:
    """The pairs that one thread lists, uncompiled."""
    like = (0.0,) * world.dimension
    while verlet_list.rebuild(verlet_list.renewal(world, 0.0, thread_of(world, 0), 1, 0), like, (0.0,)):
        world = enlarge_pairs(world)
    used = int(world.counters[PAIR_COUNT])
    return set(zip(world.pairs.i[:used].tolist(), world.pairs.j[:used].tolist()))


@pytest.mark.parametrize("dimension", [2, 3])
def test_large_spheres_are_missed_if_their_cells_are_not_searched_beyond_the_border(
    dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above."""
    world = of_very_different_sizes(dimension)
    found = pairs_within(world, float(world.search.skin[0]))
    assert listed_plainly(world) == found
    search = pair_list.find_beyond_border
    monkeypatch.setattr(
        pair_list,
        "find_beyond_border",
        lambda world, cells, *others: search(world, cells._replace(kinds=1), *others),
    )
    missed = found - listed_plainly(world)
    assert len(missed) > 3
    assert all(world.radius[later] > world.workspace.search.large[0] for _, later in missed)


@pytest.mark.parametrize(
    ("dimension", "rotation", "compiled"),
    tiered(
        [(2, False, False), (3, True, False), (3, True, True), (2, False, True), (2, True, True), (3, False, True)],
        [(2, False, False), (3, True, False)],
    ),
)
def test_a_translation_changes_no_force(dimension: int, rotation: bool, compiled: bool) -> None:
    """By any vector: spheres in the middle of the cell come to the border. The translations are exact, and so are the
    forces; without boundaries those of the pairs at the border are missing."""
    everywhere = (SIDE,) * 3
    forces = []
    for shift in ((0.0, 0.0, 0.0), (0.40625 * SIDE, 0.25 * SIDE, -3.5 * SIDE), (-1234.125, 7.0 * SIDE, 0.0)):
        bench = bench_of(dimension, rotation, everywhere, shift, compiled)
        bench.dt = 0.0
        bench.advance(1)
        forces.append(bench.world.force.copy())
    assert np.abs(forces[0]).max() > 0.0
    for other in forces[1:]:
        assert np.abs(other - forces[0]).max() <= 1e-13 * np.abs(forces[0]).max()
    alone = bench_of(dimension, rotation, (0.0,) * 3, compiled=compiled)
    alone.dt = 0.0
    alone.advance(1)
    assert np.abs(alone.world.force - forces[0]).max() > 0.01 * np.abs(forces[0]).max()


@pytest.mark.parametrize("rotation", [False, True])
def test_a_contact_across_the_border_is_that_in_the_middle(rotation: bool) -> None:
    """Bit for bit, with friction springs and the ledger, while both spheres pass the border."""
    model, numbers = model_of("leapfrog", 2, rotation, friction=0.3)
    runs = []
    for x in (0.5 * SIDE, SIDE - 0.3 * RADIUS):
        position = [[x - 0.998 * RADIUS, 0.0], [x + 0.998 * RADIUS, 0.0]]
        world = world_of(model, np.round(np.array(position) * 2**24) / 2**24, RADIUS, 1e-3, velocity=[1.0, 0.3])
        world.motion[1, 1, 1] = -0.2
        world = world._replace(boundary=boundary_table(2, np.array([SIDE, 0.0]), np.zeros(2)))
        bench = Bench(world, model, numbers, 2e-5)
        start = bench.position
        assert bench.advance(800) == 800
        runs.append((bench, bench.position - start))
    (middle, path), (border, other) = runs
    assert (images_of(border.position, border.world.boundary)[:, 0] > 0).all()
    np.testing.assert_allclose(other, path, rtol=1e-10)
    np.testing.assert_allclose(border.world.pairs.shear_spring, middle.world.pairs.shear_spring, rtol=1e-6, atol=1e-12)
    assert look(border).stable_dt == pytest.approx(look(middle).stable_dt, rel=1e-6)
    there, here = contacts_of(border), contacts_of(middle)
    np.testing.assert_allclose(there.branch, here.branch, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(there.force, here.force, rtol=1e-7)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_pair_that_was_put_across_the_border_touches(wrapped: bool) -> None:
    """Wherever the two images are given, the force is that of the nearest ones."""
    model, numbers = model_of("leapfrog", 3, True)
    position = np.array([[0.001, 0.0, 0.0], [SIDE - 0.011 - (SIDE if wrapped else 0.0), 0.0, 0.0]])
    world = world_of(model, position, RADIUS, 1e-3)
    world = world._replace(boundary=boundary_table(3, np.array([SIDE, 0.0, 0.0]), np.zeros(3)))
    bench = Bench(world, model, numbers, 0.0)
    bench.advance(1)
    assert bench.world.force[0, 0] > 0.0 > bench.world.force[0, 1]
    table = contacts_of(bench)
    np.testing.assert_allclose(table.branch[:, 0], [0.012, 0.0, 0.0], atol=1e-12)
    assert table.overlap[0] == pytest.approx(2.0 * RADIUS - 0.012)


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "rotation"), [(2, False), (3, True)])
def test_the_bits_do_not_depend_on_threads_and_batches(dimension: int, rotation: bool) -> None:
    """Over rebuilds of the lists, while spheres pass the border."""
    results = []
    for threads, batch in ((1, 240), (3, 240), (2, 7)):
        bench = bench_of(dimension, rotation, (SIDE,) * 3, compiled=True)
        bench.world, bench.dt = with_threads(bench.world, threads), 2e-6
        for done in range(0, 240, batch):
            bench.advance(min(batch, 240 - done))
        assert bench.world.counters[REBUILD_COUNT] > 2
        results.append((bench.world.motion.copy(), bench.world.force.copy(), bench.world.ledger.copy()))
    for other in results[1:]:
        for here, there in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(here, there)
