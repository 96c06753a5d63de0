"""Ranges of the pair list: every pair is in one of them, and the sums of all ranges are the forces on the spheres."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.engine import workspace
from repose.sim.engine.builder import add_spheres, empty_world, enlarge_pairs, with_new_workspace
from repose.sim.engine.contacts import partial_sums
from repose.sim.engine.contacts.partial_sums import (
    add_partial_sums,
    clear_partial_sums,
    find_rows_of_sums,
    note_later,
    start_of_partial,
)
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.workspace import (
    FIRST_CHUNK,
    FIRST_ROW,
    LAST_CHUNK,
    LAST_ROW,
    PARTIAL_COUNT,
    SHIFT,
    SUMS_FULL,
    most_ranges,
    rows_of_sums,
)
from repose.sim.engine.world import OK, PAIR_COUNT, PAIRS_FULL, REBUILD_COUNT, World

from tests.small_worlds import rebuild_lists

SPHERES, CHUNK = 400, 16


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "GRAINS_PER_THREAD", 25)
    for module in (workspace, partial_sums):
        monkeypatch.setattr(module, "CHUNK", CHUNK)


def listed(i: NDArray[np.int64], j: NDArray[np.int64]) -> World:
    """A world of SPHERES spheres with this pair list, sorted."""
    world = add_spheres(empty_world(), np.arange(2 * SPHERES).reshape(SPHERES, 2), 1e-3, 1e-3)
    order = np.lexsort((j, i))
    world = world._replace(pairs=world.pairs._replace(i=i[order].astype(np.uint32), j=j[order].astype(np.uint32)))
    world.counters[PAIR_COUNT] = i.size
    return with_new_workspace(world.state)


def neighbours_in_a_row() -> World:
    """Each sphere beside the next three."""
    i = np.repeat(np.arange(SPHERES - 3), 3)
    return listed(i, i + np.tile([1, 2, 3], SPHERES - 3))


def neighbours_anywhere() -> World:
    """Pairs of any two spheres."""
    pairs = np.unique(np.sort(np.random.default_rng(2).integers(0, SPHERES, (3 * SPHERES, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    return listed(pairs[:, 0], pairs[:, 1])


def test_neighbours_with_neighbouring_rows_have_many_ranges_and_few_partial_sums() -> None:
    world = neighbours_in_a_row()
    ranges = world.workspace.threads.ranges
    assert world.workspace.threads.range_count[0] == most_ranges(SPHERES) == 16
    assert list(ranges[1:, FIRST_CHUNK]) == list(ranges[:-1, LAST_CHUNK])
    assert (ranges[0, FIRST_CHUNK], ranges[-1, LAST_CHUNK]) == (0, -(-world.counters[PAIR_COUNT] // CHUNK))
    assert (ranges[:-1, LAST_ROW] - ranges[:-1, FIRST_ROW] <= 4).all()
    assert ranges[-1, FIRST_ROW] == ranges[-1, LAST_ROW]


def test_spheres_in_any_order_have_fewer_ranges_whose_sums_fit() -> None:
    world = neighbours_anywhere()
    number = int(world.workspace.threads.range_count[0])
    assert 4 <= number < most_ranges(SPHERES)
    ranges = world.workspace.threads.ranges[:number]
    assert SPHERES + (ranges[:, LAST_ROW] - ranges[:, FIRST_ROW]).sum() <= rows_of_sums(16, SPHERES)
    assert ranges[-1, LAST_CHUNK] * CHUNK >= world.counters[PAIR_COUNT]


def test_fewer_pairs_than_a_chunk_are_one_range() -> None:
    few = np.arange(CHUNK - 1)
    assert listed(few, few + 1).workspace.threads.range_count[0] == 1
    assert listed(few[:0], few[:0]).workspace.threads.range_count[0] == 1


@pytest.mark.parametrize("make", [neighbours_in_a_row, neighbours_anywhere])
def test_each_range_adds_to_rows_of_its_own_and_all_sums_together_are_the_forces(make) -> None:
    world = make()
    threads, number, pairs = (
        world.workspace.threads,
        int(world.workspace.threads.range_count[0]),
        int(world.counters[PAIR_COUNT]),
    )
    assert number >= 4
    force = np.random.default_rng(1).normal(size=pairs)
    sums = np.full(rows_of_sums(most_ranges(SPHERES), SPHERES), np.nan)
    sums[:SPHERES] = weight = np.random.default_rng(0).normal(size=SPHERES)
    used = [set(range(SPHERES))]
    for k in range(number):
        clear_partial_sums(sums, threads, k, 1)
        begin, end = threads.ranges[k, [FIRST_CHUNK, LAST_CHUNK]] * CHUNK
        own = slice(begin, min(end, pairs))
        rows = np.zeros((2, own.stop - own.start), np.uint32)
        find_rows_of_sums(rows[0], world.pairs.i[own], threads.ranges, k)
        find_rows_of_sums(rows[1], world.pairs.j[own], threads.ranges, k)
        np.subtract.at(sums, rows[1], force[own])
        np.add.at(sums, rows[0], force[own])
        shift = threads.ranges[k, SHIFT]
        used.append(set(range(shift + threads.ranges[k, FIRST_ROW], shift + threads.ranges[k, LAST_ROW])))
        # A sphere of a later range is never added to at once: its thread may do so at the same moment.
        touched = set(rows.ravel().tolist())
        first = int(world.pairs.i[begin])
        assert touched <= set(range(first, int(threads.ranges[k, FIRST_ROW]))) | used[-1]
    assert sum(map(len, used)) == len(set().union(*used))
    add_partial_sums(sums, threads, 1, 0, SPHERES // 3)
    add_partial_sums(sums, threads, 1, SPHERES // 3, SPHERES)
    expected = weight.copy()
    np.add.at(expected, world.pairs.i[:pairs], force)
    np.subtract.at(expected, world.pairs.j[:pairs], force)
    np.testing.assert_allclose(sums[:SPHERES], expected, rtol=0, atol=1e-13 * pairs)


def test_few_of_the_spheres_between_two_ranges_have_partial_sums() -> None:
    far = np.arange(SPHERES - 1)
    world = listed(np.append(far, 0), np.append(far + 1, SPHERES - 1))  # a row, whose ends are neighbours too
    threads = world.workspace.threads
    first = threads.ranges[0]
    assert first[LAST_ROW] - first[FIRST_ROW] > SPHERES // 2
    assert first[PARTIAL_COUNT] <= 2
    assert threads.partial[first[PARTIAL_COUNT] - 1] == SPHERES - 1


@pytest.mark.parametrize("make", [neighbours_in_a_row, neighbours_anywhere])
def test_compiled_code_notes_the_same_spheres_as_a_new_workspace(make) -> None:
    threads = make().workspace.threads
    assert threads.ranges[:, PARTIAL_COUNT].sum() > 0
    compiled = numba.njit(**OPTIONS)(lambda noted, i, j, first: note_later(noted, i, j, first))
    world, number = make(), int(threads.range_count[0])
    for k in range(number - 1):  # the last one has no partial sums
        start, room = start_of_partial(threads.ranges, k), threads.ranges[k, LAST_ROW] - threads.ranges[k, FIRST_ROW]
        noted = np.zeros(room, np.uint32)
        begin, end = threads.ranges[k, [FIRST_CHUNK, LAST_CHUNK]] * CHUNK
        count = compiled(noted, world.pairs.i[begin:end], world.pairs.j[begin:end], threads.ranges[k, FIRST_ROW])
        assert count == threads.ranges[k, PARTIAL_COUNT]
        assert np.array_equal(noted[:count], threads.partial[start : start + count])


def lattice_in_any_order() -> World:
    """A square lattice of touching discs whose neighbours have any rows, without a list."""
    side = round(SPHERES**0.5)
    place = np.random.default_rng(3).permutation(SPHERES)
    position = 1.99e-3 * np.column_stack(np.divmod(place, side)).astype(float)
    return add_spheres(empty_world(skin=1e-4), position, 1e-3, 1e-3)


def test_room_for_sums_follows_the_list_which_is_not_made_again() -> None:
    world = lattice_in_any_order()
    assert world.workspace.threads.sums.size < 2 * 1.1 * SPHERES
    assert rebuild_lists(world) == PAIRS_FULL
    assert (world.workspace.threads.thread_status[0, SUMS_FULL], world.counters[REBUILD_COUNT]) == (1, 1)
    grown = enlarge_pairs(world)
    assert np.array_equal(grown.pairs.j, world.pairs.j)
    assert np.array_equal(grown.search.reference, world.motion[:2, 0])
    assert grown.search.skin == world.search.skin
    threads = grown.workspace.threads
    ranges = threads.ranges[: int(threads.range_count[0])]
    most = int((ranges[:, SHIFT] + ranges[:, LAST_ROW]).max())
    assert SPHERES < most <= threads.sums.size / 2
    assert rebuild_lists(grown) == OK
