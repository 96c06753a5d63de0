"""I06 to I11, I23: what the choice of frame, and of rows, may not change. One evaluation each, so that nothing grows.

Forces on a grain add up in the order of the rows of its neighbours, and rows are kept in the order of ids: in every
frame that floating point can express a cluster is the same to the last bit (I07, I08, I10, I11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.engine.builder import enlarge_pairs, in_order_of_id, with_rows
from repose.sim.engine.neighbours.verlet_list import PAIRS_FULL
from repose.sim.engine.world import WALL_CONTACT_COUNT, Floats
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.io import world_tables
from repose.sim.io.world_tables import tables_of
from repose.sim.registry import scenes

from tests.reliability.random_clusters import Cluster, clusters, examples, of_one_size
from tests.reliability.runs import FEW
from tests.reliability.test_i_contacts import near_walls
from tests.small_worlds import rebuild_lists, use_plain_engine

STEPS = 3
"""The third evaluation has stretched friction springs."""
seeds = st.integers(0, 2**32 - 1)


@dataclass
class SavedState:
    """What a scene would save besides the world."""


def forces(cluster: Cluster) -> Floats:
    """Forces and torques after some steps, shape (coordinates, grains)."""
    bench = cluster.bench()
    assert bench.advance(STEPS) == STEPS
    return bench.world.force


def turned(cluster: Cluster, matrix: Floats, found: Floats) -> Floats:
    """Forces and torques as seen in the other frame."""
    parity = round(float(np.linalg.det(matrix)))
    axial = parity * (matrix if cluster.dimension == 3 else np.eye(1))
    dimension = cluster.dimension
    return np.concatenate([matrix @ found[:dimension], axial @ found[dimension:] if cluster.rotation else found[:0]])


def on_a_dyadic_grid(cluster: Cluster) -> Cluster:
    """The same cluster at multiples of 2^-40 m: sums with such a shift are exact."""
    grid = 2.0**-40
    return replace(cluster, position=np.round(cluster.position / grid) * grid)


MIRRORS = [np.diag(signs) for signs in ([-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0])]
QUARTERS = {
    "z": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "x": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "y": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
}


def fitting(cluster: Cluster, matrix: Floats) -> Floats | None:
    """The matrix in the cluster's dimension, None if it leaves the plane."""
    if cluster.dimension == 3:
        return matrix
    return matrix[:2, :2] if matrix[2, 2] == 1.0 else None


def shifted_forces(cluster: Cluster, seed: int) -> tuple[Floats, Floats]:
    # One evaluation: on the way of a further step positions would be rounded differently.
    here = on_a_dyadic_grid(cluster)
    shift = np.random.default_rng(seed).integers(-(2**20), 2**20, cluster.dimension) * 2.0**-20
    found = []
    for one in (here, here.seen(np.eye(cluster.dimension), shift)):
        bench = one.bench("velocity_verlet", dt=0.0)
        bench.advance(1)
        found.append(bench.world.force)
    return found[0], found[1]


@examples()
@given(clusters(), seeds)
def test_i07_a_cluster_shifted_by_a_dyadic_vector_gives_the_same_bits(cluster: Cluster, seed: int) -> None:
    here, there = shifted_forces(cluster, seed)
    assert np.array_equal(here, there)


@examples()
@given(clusters())
def test_i08_a_mirrored_cluster_gives_the_same_bits(cluster: Cluster) -> None:
    here = forces(cluster)
    for full in MIRRORS:
        if (matrix := fitting(cluster, full)) is not None:
            assert np.array_equal(forces(cluster.seen(matrix)), turned(cluster, matrix, here))


@examples()
@given(clusters(most=2))
def test_i09_a_pair_rotated_by_90_degrees_about_z_gives_the_same_bits(cluster: Cluster) -> None:
    matrix = fitting(cluster, QUARTERS["z"])
    assert matrix is not None
    assert np.array_equal(forces(cluster.seen(matrix)), turned(cluster, matrix, forces(cluster)))


@examples()
@given(clusters(), st.sampled_from(sorted(QUARTERS)))
def test_i09_a_rotation_by_90_degrees_about_any_axis_changes_only_rounding(cluster: Cluster, axis: str) -> None:
    matrix = fitting(cluster, QUARTERS[axis])
    if matrix is not None:
        expected = turned(cluster, matrix, forces(cluster))
        assert forces(cluster.seen(matrix)) == pytest.approx(expected, abs=1e-12 * of_one_size(expected))


@examples()
@given(clusters(), st.floats(-3.2, 3.2), seeds)
def test_i09_any_rotation_changes_only_rounding(cluster: Cluster, angle: float, seed: int) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    axis = axis / np.linalg.norm(axis) if cluster.dimension == 3 else np.array([0.0, 0.0, 1.0])
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix = np.eye(3) + sin(angle) * skew + (1.0 - cos(angle)) * skew @ skew  # Rodrigues
    matrix = matrix[: cluster.dimension, : cluster.dimension]
    expected = turned(cluster, matrix, forces(cluster))
    # Overlaps are some percent of a radius: rounding of positions is that much larger in them.
    assert forces(cluster.seen(matrix)) == pytest.approx(expected, abs=1e-10 * of_one_size(expected))


@examples()
@given(clusters(), seeds)
def test_i10_the_order_of_rows_changes_only_the_order_of_sums(cluster: Cluster, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(cluster.radius))
    here = forces(cluster)[:, order]
    assert forces(cluster.shuffled(order)) == pytest.approx(here, abs=1e-12 * of_one_size(here))


@examples()
@given(clusters(most=2))
def test_i10_a_pair_in_the_other_order_gives_the_same_bits(cluster: Cluster) -> None:
    assert np.array_equal(forces(cluster.shuffled(np.array([1, 0]))), forces(cluster)[:, ::-1])


@examples()
@given(clusters(), seeds)
def test_i10_rows_sorted_by_ids_give_the_same_bits(cluster: Cluster, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(cluster.radius))
    bench = cluster.shuffled(order).bench()
    bench.world.sphere_id[:] = order
    bench.world = in_order_of_id(bench.world)
    bench.advance(STEPS)
    assert np.array_equal(bench.world.force, forces(cluster))


@examples()
@given(clusters(), seeds)
def test_i10_reordering_rows_and_back_keeps_lists_and_friction_springs(cluster: Cluster, seed: int) -> None:
    bench = cluster.bench()
    bench.world.material[:] = np.arange(len(cluster.radius)) % 2
    bench.advance(STEPS - 1)
    here = tables_of(bench.world)
    there = with_rows(bench.world, np.random.default_rng(seed).permutation(len(cluster.radius)))
    for name, table in tables_of(in_order_of_id(there)).items():
        # To be looked for anew is all that rows in another order cost, and in their own order not that.
        if name != "search.reference" or np.isfinite(table).all():
            assert np.array_equal(table, here[name]), name


def test_i10_spheres_near_walls_follow_their_rows() -> None:
    world = near_walls(3, 1.0)
    while rebuild_lists(world) == PAIRS_FULL:
        world = enlarge_pairs(world)
    here = tables_of(world)
    found = int(world.counters[WALL_CONTACT_COUNT])
    world.wall_contacts.touching[:found] = np.arange(found) % 2
    there = with_rows(world, np.random.default_rng(3).permutation(world.sphere_count))
    assert (np.diff(there.wall_contacts.sphere[:found].astype(int)) >= 0).all()
    back = in_order_of_id(there)
    assert all(np.array_equal(tables_of(back)[name], here[name]) for name in here if name.startswith("touches"))
    assert found > 3


@pytest.mark.parametrize("scene", scenes())
def test_i10_a_scene_begins_and_fills_in_the_order_of_ids(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    experiment = new_experiment(scene, FEW if scene == "heap" else dict(scenes()[scene].test_values))
    offered = {entry.name for entry in experiment.scene.course.actions(experiment) if entry.enabled}
    assert not apply(experiment, Act("fill" if "fill" in offered else "run"))
    assert (np.diff(experiment.run.world.sphere_id) > 0).all()


def restarted_forces(cluster: Cluster, order: Floats) -> Floats:
    """Forces after STEPS steps; before the last, rows take this order, are written to a file and read back."""
    bench = cluster.bench()
    bench.advance(STEPS - 1)
    blob = world_tables.to_bytes(with_rows(bench.world, order), SavedState(), {})
    bench.world, _, _ = world_tables.from_bytes(blob, SavedState)
    bench.advance(1)
    return bench.world.force


@examples(0.3)
@given(clusters(), seeds)
def test_i11_a_restart_in_another_order_gives_the_same_bits(cluster: Cluster, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(cluster.radius))
    here = forces(cluster)
    assert np.array_equal(restarted_forces(cluster, np.arange(len(order))), here)
    assert np.array_equal(restarted_forces(cluster, order), here)
