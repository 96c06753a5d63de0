"""Neighbours: the list equals the comparison of all pairs, and contacts keep their friction springs."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.engine.builder import (
    SphereGroup,
    add_spheres,
    empty_world,
    enlarge_pairs,
    fill_pair_columns,
    fitted,
    keep_spheres,
    with_rows,
    with_threads,
)
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.neighbours import pair_list, verlet_list
from repose.sim.engine.neighbours.candidate_lanes import write_near
from repose.sim.engine.neighbours.cell_list import bucket_of
from repose.sim.engine.neighbours.verlet_list import LONG_LIVED, OK, PAIRS_FULL, store_positions
from repose.sim.engine.threads import thread_of
from repose.sim.engine.workspace import FOUND, LANES, LISTED
from repose.sim.engine.world import PAIR_COUNT, REBUILD_COUNT, REBUILT_AT, STEP_COUNT, World
from repose.sim.study.bench import memory

from tests.sim.engine.neighbours.lists import arguments_of, renew
from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

OTHERS = ThreadPoolExecutor(2)


def rebuild(world: World) -> int:
    """With as many threads as the world has, three at most, and as after a list that lasted as long as it should."""
    world.counters[STEP_COUNT] = world.counters[REBUILT_AT] + LONG_LIVED
    arguments = arguments_of(world)
    others = [
        OTHERS.submit(renew, *arguments, thread) for thread in range(1, world.workspace.threads.thread_status.shape[0])
    ]
    status = int(renew(*arguments, 0))
    assert [other.result() for other in others] == [status] * len(others)
    return status


def listed(world: World) -> set[tuple[int, int]]:
    used = int(world.counters[PAIR_COUNT])
    pairs = list(zip(world.pairs.i[:used].tolist(), world.pairs.j[:used].tolist()))
    assert len(set(pairs)) == used, "a pair is listed twice"
    assert pairs == sorted(pairs)
    assert all(i < j for i, j in pairs)
    return set(pairs)


def brute_force(world: World, reach: float, fixed_too: bool = False) -> set[tuple[int, int]]:
    """Every two spheres closer than touching + reach, two fixed ones excepted unless those count too."""
    dimension = world.dimension
    position, radius, fixed = world.motion[:dimension, 0].T, world.radius, world.fixed
    distance = np.sqrt(np.sum((position[:, None] - position[None]) ** 2, axis=2))
    near = distance <= radius[:, None] + radius[None] + reach
    near &= ~(fixed[:, None] & fixed[None]) | fixed_too
    first, second = np.nonzero(np.triu(near, 1))
    return set(zip(first.tolist(), second.tolist()))


def cloud(generator: np.random.Generator, dimension: int) -> World:
    """A random cloud: dense or thin, equal or up to 1:50 in size, anywhere, some on cell edges, some fixed."""
    count = int(generator.integers(1, 60))
    ratio = generator.choice([1.0, 3.0, 20.0, 50.0])
    radius = 1e-3 * ratio ** generator.uniform(-1.0, 0.0, count)
    spread = 1e-3 * generator.choice([1.0, 5.0, 30.0])
    offset = generator.choice([0.0, -1.0, 1e3]) * generator.normal(size=dimension)
    skin = 1e-3 * generator.choice([0.1, 0.3, 1.0])
    position = offset + generator.uniform(-spread, spread, (count, dimension))
    cell = 2.0 * radius.max() + skin
    on_edge = generator.random(count) < 0.3
    position[on_edge] = np.round(position[on_edge] / cell) * cell
    position[generator.random(count) < 0.1] *= -0.0
    if generator.random() < 0.2:
        position[0] = 1e6
    world = add_spheres(empty_world(dimension, skin=float(skin)), position, radius, radius**3 * 1e6)
    world.inverse_mass[:, generator.random(count) < 0.3] = 0.0
    return world


def rows_split(world: World) -> int:
    """How many spheres lie where a row of cells goes on at the beginning of the table."""
    dimension, mask = world.dimension, world.workspace.search.bucket_start.size - 2
    x, y, z = (*world.workspace.search.cell, np.zeros_like(world.workspace.search.cell[0]))[:3]
    above = [(y + 1, z)] if dimension == 2 else [(y + 1, z), *((y + beside, z + 1) for beside in (-1, 0, 1))]
    return sum(int((bucket_of(x - 1, b, a, mask) + 2 > mask).sum()) for b, a in above)


@pytest.mark.case("I20", "X10")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", tiered(range(4), fast={0}))
def test_list_equals_brute_force_for_random_clouds(dimension: int, seed: int, threads: int) -> None:
    generator = np.random.default_rng([dimension, seed])
    split = twice = with_large = 0
    for number in range(250):
        world = with_threads(cloud(generator, dimension), threads)
        while rebuild(world) == PAIRS_FULL:
            world = enlarge_pairs(world)
        split += rows_split(world)
        with_large += world.workspace.search.large_start.size > 1
        twice += int(world.workspace.threads.thread_status[:, FOUND].sum()) > len(
            brute_force(world, world.search.skin[0], fixed_too=True)
        )
        skin = world.search.skin[0]
        # A pair at exactly the reach may fall on either side by rounding.
        found = listed(world)
        assert brute_force(world, skin - 1e-9 * skin - 1e-9) <= found, number
        assert found <= brute_force(world, skin + 1e-9 * skin + 1e-9), number
    # Tables are small here: rows reach past their end, and cells share a bucket.
    assert split > 250
    assert twice > 10
    assert with_large > 50


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_pair_found_twice_because_two_cells_share_a_bucket_is_listed_once(dimension: int, threads: int) -> None:
    # Both in the cell at the origin; with so few spheres a cell of the row above has the same bucket.
    position = np.full((2, dimension), 5e-4)
    position[1, 0] += 1e-3
    world = with_threads(add_spheres(empty_world(dimension), position, 1e-3, 1e-3), threads)
    mask = world.workspace.search.bucket_start.size - 2
    above = [bucket_of(x, 1, 0, mask) for x in (-1, 0, 1)]
    assert bucket_of(0, 0, 0, mask) in above
    assert rebuild(world) == OK
    assert (world.workspace.search.cell == 0).all()
    assert int(world.workspace.threads.thread_status[:, FOUND].sum()) > 1
    assert listed(world) == {(0, 1)}


def random_bodies(generator: np.random.Generator, count: int) -> NDArray[np.int32]:
    """Bodies of so many spheres, -1 for those of none: runs of rows of any length, one body of several runs."""
    body, row = np.full(count, -1, np.int32), 0
    while row < count:
        stop = row + int(generator.integers(1, 16))
        body[row:stop] = generator.choice([-1, row, row, 0])
        row = stop
    return body


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_neighbours_of_all_members_of_a_body_are_those_of_each(dimension: int, threads: int) -> None:
    generator = np.random.default_rng([dimension, threads])
    within = 0
    for number in range(100):
        world = with_threads(cloud(generator, dimension), threads)
        body = random_bodies(generator, world.sphere_count)
        world.workspace.search.body[:] = body
        while rebuild(world) == PAIRS_FULL:
            world = enlarge_pairs(world)
            world.workspace.search.body[:] = body
        skin = world.search.skin[0]
        found = listed(world)
        assert not any(body[i] == body[j] >= 0 for i, j in found)
        least, most = (brute_force(world, skin + sign * 1e-9 * (1.0 + skin)) for sign in (-1.0, 1.0))
        apart = {(i, j) for i, j in least if body[i] < 0 or body[i] != body[j]}
        within += len(least) - len(apart)
        assert apart <= found <= most, number
        assert (world.workspace.threads.buffer[:, : 4 * LISTED] == 1.0).all()
    assert within > 100


def test_a_body_among_more_spheres_than_are_listed_together_finds_all_of_them() -> None:
    generator = np.random.default_rng(5)
    corners = 0.02 * generator.normal(size=(6, 3))
    grid = np.stack(np.meshgrid(*[np.arange(-12, 13, 2) * 1e-3] * 3), axis=-1).reshape(-1, 3)
    place = np.concatenate([corners, grid])
    world = add_spheres(empty_world(3, skin=3e-4), place, np.repeat([5e-3, 1e-4], [6, len(grid)]), 1e-3)
    world.workspace.search.body[:6] = 0
    assert len(grid) > LISTED
    assert rebuild(world) == OK
    near = brute_force(world, world.search.skin[0])
    assert listed(world) == {(i, j) for i, j in near if j >= 6} != set()


def small_and_large(count: int, large: int) -> World:
    """So many equal spheres in a square, and at its middle larger ones of 50 times their radius."""
    generator = np.random.default_rng(3)
    position = generator.uniform(0.0, 2e-3 * np.sqrt(count), (count, 2))
    world = add_spheres(empty_world(skin=5e-4), position, 1e-3, 1e-3)
    middle = np.repeat(position.mean(axis=0)[None], large, axis=0)
    return add_spheres(world, middle, 50e-3, 50.0, SphereGroup(first_id=count))


def wide_cloud(generator: np.random.Generator, dimension: int, count: int, steepness: float = 3.0) -> World:
    """Spheres with radii over a factor of 30, in random order, of which equal intervals of log R take equal volumes
    (`steepness` = dimension) or have equal numbers (0)."""
    share = generator.uniform(size=count)
    if steepness:
        radius = 1e-4 * (1.0 - share * (1.0 - 30.0**-steepness)) ** (-1.0 / steepness)
    else:
        radius = 1e-4 * 30.0**share
    radius[generator.integers(count)], radius[generator.integers(count)] = 30e-4, 1e-4
    filled = {2: np.pi, 3: 4.0 / 3.0 * np.pi}[dimension] * (radius**dimension).sum()
    edge = (filled / 0.6) ** (1.0 / dimension)
    position = generator.uniform(-0.3 * edge, 0.7 * edge, (count, dimension))
    return add_spheres(empty_world(dimension, skin=3e-5), position, radius, radius**3)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("dimension", "steepness"), [(2, 2.0), (2, 0.0), (3, 3.0), (3, 0.0)])
def test_list_equals_brute_force_for_radii_over_a_factor_of_thirty(
    dimension: int, steepness: float, threads: int
) -> None:
    generator = np.random.default_rng([dimension, int(steepness)])
    for number in range(12):
        world = with_threads(wide_cloud(generator, dimension, 300, steepness), threads)
        while rebuild(world) == PAIRS_FULL:
            world = enlarge_pairs(world)
        assert world.workspace.search.large_start.size > 1
        skin = world.search.skin[0]
        assert brute_force(world, skin - 1e-9 * skin - 1e-12) <= listed(world), number
        assert listed(world) <= brute_force(world, skin + 1e-9 * skin + 1e-12), number


def test_pairs_are_missed_if_fewer_cells_are_searched_than_the_reach_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test above."""
    world = wide_cloud(np.random.default_rng(5), 2, 1500)
    while plain_rebuild(world) == PAIRS_FULL:
        world = enlarge_pairs(world)
    whole = listed(world)
    assert brute_force(world, world.search.skin[0]) == whole
    within = pair_list.cells_within
    monkeypatch.setattr(pair_list, "cells_within", lambda here, across, size: within(here, 0.5 * across, size))
    assert plain_rebuild(world) == OK
    assert listed(world) < whole


def plain_rebuild(world: World) -> int:
    """Have one thread rebuild both lists in the plane, uncompiled; returns the status."""
    return verlet_list.rebuild(verlet_list.renewal(world, 0.0, thread_of(world, 0), 1, 0), (0.0, 0.0), ())


def candidates(world: World, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many are compared with spheres when the list is rebuilt."""
    compared = 0

    def counting(rows, filled, search, slots, around):
        nonlocal compared
        compared += min(LANES, slots[1] - slots[0])
        return write_near(rows, filled, search, slots, around)

    with monkeypatch.context() as patch:
        patch.setattr(pair_list, "write_near", counting)
        assert verlet_list.rebuild(verlet_list.renewal(world, 0.0, thread_of(world, 0), 1, 0), (0.0, 0.0), ()) == OK
    return compared


def test_one_large_sphere_does_not_make_the_search_for_small_ones_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    equal, mixed = small_and_large(900, 0), small_and_large(900, 1)
    for _ in range(8):
        equal, mixed = enlarge_pairs(equal), enlarge_pairs(mixed)
    alone = candidates(equal, monkeypatch)
    # The large one is compared with every small one and they with it.
    assert candidates(mixed, monkeypatch) < alone + 4 * 900
    assert 900 * 3 < alone < 900 * 20
    assert brute_force(mixed, mixed.search.skin[0]) == listed(mixed)


def test_a_sphere_with_more_neighbours_than_are_counted_has_them_in_order_and_keeps_their_contacts() -> None:
    world = small_and_large(900, 1)
    while rebuild(world) == PAIRS_FULL:
        world = enlarge_pairs(world)
    used = int(world.counters[PAIR_COUNT])
    large = np.flatnonzero(world.pairs.j[:used] == 900)
    assert large.size > 100
    # The first row has all others as second spheres.
    turned = with_rows(world, np.arange(900, -1, -1))
    turned.pairs.touching[:used] = 1
    turned.pairs.normal_force[:used] = np.arange(used)
    pairs = [column[:used].copy() for column in (turned.pairs.i, turned.pairs.j, turned.pairs.normal_force)]
    assert (pairs[0][: large.size] == 0).all()
    while rebuild(turned) == PAIRS_FULL:
        turned = enlarge_pairs(turned)
    listed(turned)
    for column, before in zip((turned.pairs.i, turned.pairs.j, turned.pairs.normal_force), pairs):
        assert np.array_equal(column[:used], before)


def test_the_list_contains_the_properties_of_each_pair_for_the_law() -> None:
    world = add_spheres(
        empty_world(materials=3), [(0, 0), (2e-3, 0)], [1e-3, 1.1e-3], [1e-3, 3e-3], SphereGroup(material=1)
    )
    world = add_spheres(world, [(0, -2e-3)], 1e-3, 2e-3, SphereGroup(fixed=True, material=2))
    assert rebuild(world) == OK
    rows = {(int(i), int(j)): p for p, (i, j) in enumerate(zip(world.pairs.i[:2], world.pairs.j[:2]))}
    assert set(rows) == {(0, 1), (0, 2)}
    assert world.workspace.pairs.radius_sum[rows[0, 1]] == pytest.approx(2.1e-3)
    assert world.workspace.pairs.effective_mass[rows[0, 1]] == pytest.approx(0.75e-3)
    assert world.workspace.pairs.effective_mass[rows[0, 2]] == pytest.approx(2e-3 / 3)
    assert world.workspace.pairs.fixed[rows[0, 1]] == 0.0
    assert world.workspace.pairs.fixed[rows[0, 2]] == 1.0
    assert [int(world.workspace.pairs.material_pair[rows[pair]]) for pair in ((0, 1), (0, 2))] == [1 * 3 + 1, 1 * 3 + 2]


@pytest.mark.parametrize(("dimension", "spin_length"), [(2, 0), (3, 3)])
def test_pair_properties_of_a_list_from_a_file_are_the_same_bit_by_bit(dimension: int, spin_length: int) -> None:
    generator = np.random.default_rng(5)
    position, radius = (
        generator.uniform(0.0, 16e-3 / (dimension - 1), (60, dimension)),
        generator.uniform(5e-4, 1.5e-3, 60),
    )
    world = add_spheres(empty_world(dimension, spin_length, materials=3), position, radius, radius**3 * 1e6)
    world.material[:] = generator.integers(0, 3, 60)
    world.inverse_mass[:, :7] = 0.0
    assert rebuild(world) == OK
    used = int(world.counters[PAIR_COUNT])
    pairs = world.workspace.pairs
    columns = (pairs.radius_sum, pairs.smaller_radius, pairs.effective_mass, pairs.fixed, pairs.material_pair)
    made = [column.copy() for column in columns]
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    assert used > 60
    if not spin_length:
        assert pairs.effective_mass[:used] == pytest.approx(1.0 / (1.0 / world.mass[i] + 1.0 / world.mass[j]))
    for column in columns:
        column[:] = 0
    fill_pair_columns(world)
    for column, before in zip(columns, made):
        assert np.array_equal(column[:used], before[:used])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_rebuild_in_the_memory_of_columns_leaves_springs_masses_and_branches_of_each_pair(threads: int) -> None:
    """Discs in a dense heap: the buffer of the new list, whose sections the threads write, overlaps the columns of all
    other threads."""
    random = np.random.default_rng(3)
    position = random.uniform(0.0, 40e-3, (900, 2))
    mass = random.uniform(1e-3, 3e-3, 900)
    world = with_threads(add_spheres(empty_world(), position, 5e-4, mass), threads)
    while rebuild(world) == PAIRS_FULL:
        world = enlarge_pairs(world)
    pairs, used = world.pairs, int(world.counters[PAIR_COUNT])
    pairs.touching[:used] = 1
    pairs.shear_spring[:, :used] = [pairs.i[:used], pairs.j[:used]]
    world.previous[:2] = random.uniform(0.0, 1.0, (2, 900))
    assert rebuild(world) == OK
    columns, i, j = world.workspace.pairs, pairs.i[:used], pairs.j[:used]
    assert (pairs.shear_spring[:, :used] == [i, j]).all()
    assert columns.effective_mass[:used] == pytest.approx(mass[i] * mass[j] / (mass[i] + mass[j]), rel=1e-14)
    assert (columns.last_branch[:, :used] == world.previous[:2, i] - world.previous[:2, j]).all()


def test_discs_without_rotation_take_at_most_half_a_kilobyte_each() -> None:
    across = 60
    place = np.stack(np.divmod(np.arange(across * across), across), axis=1)
    world = add_spheres(empty_world(), 1e-3 * place, 5e-4, 1e-3)
    world = enlarge_pairs(fitted(world, world.pairs, int(2.5 * world.sphere_count)))
    assert rebuild(world) == OK
    assert world.counters[PAIR_COUNT] > 1.9 * world.sphere_count
    assert memory(world) < 500 * world.sphere_count


def test_positions_are_stored_row_by_row_without_gathering_and_scattering_single_numbers() -> None:
    # At every evaluation, for every sphere: on a processor of AMD one scattered number takes as long as a whole row.
    @numba.njit(**OPTIONS)
    def store(reference, motion, first, last):
        store_positions(reference, motion, first, last)

    motion, reference = np.random.default_rng(1).random((3, 3, 40)), np.zeros((3, 40))
    store(reference, motion, 3, 37)
    assert (reference[:, 3:37] == motion[:, 0, 3:37]).all()
    assert not reference[:, :3].any()
    assert not reference[:, 37:].any()
    assert not re.search(r"\sv?p?(?:gather|scatter)\w+\s", next(iter(store.inspect_asm().values())))


def test_each_thread_has_room_for_the_pairs_that_its_rows_had_in_the_old_list() -> None:
    position = np.random.default_rng(7).uniform(0.0, 20e-3, (600, 2))
    world = with_threads(add_spheres(empty_world(), position, 5e-4, 1e-3), 2)
    while rebuild(world) == PAIRS_FULL:
        world = enlarge_pairs(world)
    used, of_first = int(world.counters[PAIR_COUNT]), int(world.workspace.threads.thread_status[0, FOUND])
    assert used > 1800
    assert of_first > 0.6 * used  # the earlier of two rows has the pair
    pairs = listed(world)
    world = fitted(world, world.pairs, 10 * used // 9)
    assert rebuild(world) == OK
    assert listed(world) == pairs


@pytest.mark.case("I22")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dimension", [2, 3])
def test_friction_springs_are_kept_when_the_neighbour_list_is_rebuilt(dimension: int, threads: int) -> None:
    generator = np.random.default_rng(11)
    for _ in range(50):
        world = with_threads(cloud(generator, dimension), threads)
        while rebuild(world) == PAIRS_FULL:
            world = enlarge_pairs(world)
        used = int(world.counters[PAIR_COUNT])
        world.pairs.touching[:used] = generator.integers(0, 2, used)
        world.pairs.shear_spring[:, :used] = generator.normal(size=(dimension, used))

        def memory(world: World) -> dict:
            used = int(world.counters[PAIR_COUNT])
            return {
                (int(world.sphere_id[world.pairs.i[p]]), int(world.sphere_id[world.pairs.j[p]])): tuple(
                    world.pairs.shear_spring[:, p]
                )
                for p in range(used)
                if world.pairs.touching[p]
            }

        before, positions = memory(world), world.motion[:dimension, 0].copy()
        # Move a little, so that the list is another and in another order, and some pairs are new.
        world.motion[:dimension, 0] += generator.normal(0.0, 1e-5, positions.shape)
        world.search.reach[:] = 1e-4  # as far as pairs have moved apart
        while rebuild(world) == PAIRS_FULL:
            world = enlarge_pairs(world)
        assert memory(world) == before
        # Taking spheres away keeps the memory of those that stay.
        kept = generator.random(world.sphere_count) < 0.7
        left = memory(keep_spheres(world, kept))
        staying = set(world.sphere_id[kept].tolist())
        assert left == {pair: value for pair, value in before.items() if set(pair) <= staying}


@pytest.mark.case("I21")
@pytest.mark.parametrize("dimension", [2, 3])
def test_no_contact_is_missed_between_rebuilds(dimension: int) -> None:
    # Fast spheres in free flight: at every step the list contains all pairs that touch.
    generator = np.random.default_rng(12)
    model, numbers = model_of("leapfrog", dimension)
    position = generator.uniform(-4e-3, 4e-3, (25, dimension))
    velocity = generator.normal(0.0, 1.0, (25, dimension))
    bench = Bench(world_of(model, position, 5e-4, 1e3, velocity=velocity), model, numbers, 2e-5)
    met = 0
    for _ in range(150):
        bench.advance()
        touching = brute_force(bench.world, 0.0)
        assert touching <= listed(bench.world)
        met += len(touching)
    assert met > 100
    assert 3 < bench.world.counters[REBUILD_COUNT] < 150


def test_a_full_table_is_enlarged_and_gives_the_same_bits_as_a_large_one() -> None:
    generator = np.random.default_rng(13)
    model, numbers = model_of("gear5")
    position = generator.uniform(-5e-3, 5e-3, (40, 2))
    velocity = generator.normal(0.0, 0.3, (40, 2))
    runs = []
    for capacity in (1, 5000):
        world = world_of(model, position, 8e-4, 1e-3, velocity=velocity)
        bench = Bench(fitted(world, world.pairs, capacity), model, numbers, 1e-6)
        assert bench.advance(30) == 30
        used = int(bench.world.counters[PAIR_COUNT])
        runs.append((bench.world.motion, *(entry[..., :used] for entry in bench.world.pairs), bench.world.ledger))
    assert all(np.array_equal(small, large) for small, large in zip(*runs))


def test_a_sphere_whose_position_is_not_finite_is_named() -> None:
    model, numbers = model_of("gear5")
    for level, value in ((0, np.nan), (1, np.inf), (1, -np.inf), (0, np.inf)):
        bench = Bench(world_of(model, [(0, 0), (5e-3, 0), (9e-3, 0)], 1e-3, 1e-3), model, numbers, 1e-6)
        bench.advance(2)
        bench.world.motion[1, level, 1] = value
        done, status, row = bench.loop(bench.world, numbers, (0.0, 0.0), 1e-6, 10)
        assert (done, status, row) == (0, verlet_list.NOT_FINITE, 1)


@pytest.mark.case("X18")
def test_a_sphere_too_fast_for_its_step_is_named() -> None:
    model, numbers = model_of("gear5")
    world = world_of(model, [(0, 0), (5e-3, 0)], 1e-3, 1e-3, velocity=[(0, 0), (600.0, 0.0)])
    bench = Bench(world, model, numbers, 1e-6)
    done, status, row = bench.loop(bench.world, numbers, (0.0, 0.0), 1e-6, 10)
    assert (done, status, row) == (0, verlet_list.TOO_FAST, 1)
