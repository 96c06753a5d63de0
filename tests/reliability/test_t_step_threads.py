"""I13, T01 to T03, T08, T11: several threads step one world, and nothing of it knows how many.

What is compared is a digest of every table of the world, the width of the skin and the sums of the ledger among them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.engine import stages, workspace
from repose.sim.engine.builder import SphereGroup, add_spheres, fitted, set_walls, with_threads
from repose.sim.engine.contacts import pair_forces, partial_sums
from repose.sim.engine.contacts.wall_geometry import FACET, PLANE
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.neighbours.verlet_list import NOT_FINITE, OK, THREAD_MISSING, TOO_FAST
from repose.sim.engine.thread_count import available
from repose.sim.engine.threads import in_threads
from repose.sim.engine.workspace import CHUNK, WAIT_LIMIT
from repose.sim.engine.world import PAIR_COUNT, REBUILD_COUNT, WALL_CONTACT_COUNT, State, World, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import RestartPoint
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.thread_choice import ThreadChoice
from repose.sim.io.world_tables import tables_of
from repose.sim.registry import laws

from tests.reliability.random_clusters import RADIUS, VALUES, Cluster, clusters, examples
from tests.reliability.runs import go, poured, resumed, saved
from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

COUNTS = (1, 2, 3, 7, 16)
STEPS, DT = 60, 2e-6
KINDS = {
    "plane": ("lee_herrmann", "gear5", 2, False),
    "plane-turning": ("lee_herrmann", "gear5", 2, True),
    "space": ("memoryless", "leapfrog", 3, False),
    "space-turning": ("hertz_mindlin", "velocity_verlet", 3, True),
    "space-voigt": ("voigt", "gear5", 3, True),
}
"""Law, integrator, dimension and rotation: every way through the loop over pairs, and those of the scenes."""


GRAINS_PER_RANGE = 300
"""So few that the small worlds of these tests have several ranges of pairs."""


@pytest.fixture(autouse=True)
def several_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "GRAINS_PER_THREAD", GRAINS_PER_RANGE)


def digest(world: World) -> str:
    """Of all that makes the world."""
    found = hashlib.sha256()
    for table in tables_of(world).values():
        found.update(table.tobytes())
    return found.hexdigest()


def packed(kind: str = "plane", threads: int = 1, capacity: int | None = None) -> Bench:
    """Grains in a hurry, so many that there are pairs for several threads; in space a floor, and a wall on the move."""
    law, integrator, dimension, rotation = KINDS[kind]
    model, numbers = model_of(integrator, dimension, rotation, law=laws()[law], **VALUES.get(law, {}))
    generator = np.random.default_rng(5)
    side = 1.93 * RADIUS * np.arange({2: 48, 3: 12}[dimension])
    grid = np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)
    position = grid + generator.normal(0.0, 0.02 * RADIUS, grid.shape)
    radius = generator.uniform(0.95, 1.05, len(grid)) * RADIUS
    motion = {"velocity": generator.normal(0.0, 1.6, grid.shape)}
    if rotation:
        motion["spin"] = generator.normal(0.0, 300.0, (len(grid), model.spin_length))
    world = world_of(model, position, radius, 1e6 * radius**3, **motion, skin=0.1 * RADIUS)
    if dimension == 3:
        floor = [(0.0, 0.0, -0.9 * RADIUS), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)]
        pushing = [(-0.9 * RADIUS, y, z) for y, z in ((-1.0, -1.0), (2.0, -1.0), (-1.0, 2.0))]
        world = set_walls(world, [PLANE, FACET], [floor, pushing], velocity=[(0, 0, 0), (0.5, 0, 0)], material=1)
    if capacity is not None:
        world = fitted(world, world.pairs, capacity)
    gravity = (0.0,) * (dimension - 1) + (-9.81,)
    return Bench(with_threads(world, threads), model, numbers, DT, gravity, compiled=True)


def stepped(kind: str, threads: int, steps: int = STEPS) -> Bench:
    bench = packed(kind, threads)
    assert bench.advance(steps) == steps
    assert bench.world.workspace.threads.thread_status.shape[0] == threads
    return bench


@pytest.mark.parametrize("rounds", tiered([1, 3], fast={1}))
@pytest.mark.parametrize("kind", KINDS)
def test_t01_rounds_of_any_number_of_threads_give_one_hash(kind: str, rounds: int) -> None:
    alone = stepped(kind, 1)
    counters = alone.world.counters
    assert counters[PAIR_COUNT] > 3 * CHUNK
    assert alone.world.workspace.threads.range_count[0] >= 4, "one thread would have all the pairs"
    assert counters[REBUILD_COUNT] > 4
    assert alone.touching
    if KINDS[kind][2] == 3:
        assert counters[WALL_CONTACT_COUNT] > 100
        assert alone.world.walls.moved[1, 0] == pytest.approx(0.5 * STEPS * DT)
    found = {digest(stepped(kind, threads).world) for _ in range(rounds) for threads in COUNTS[1:]}
    assert found == {digest(alone.world)}


@pytest.mark.parametrize("repeats", tiered([20, 200], fast={20}))
def test_t02_repeats_give_one_hash(repeats: int) -> None:
    found = {digest(stepped("plane", 1 + max(2, available()), steps=10).world) for _ in range(repeats)}
    assert found == {digest(stepped("plane", 1, steps=10).world)}


@pytest.mark.parametrize("kind", ["plane", "space-turning"])
def test_t03_four_threads_for_every_processor_give_the_same_hash(kind: str) -> None:
    assert digest(stepped(kind, 4 * available()).world) == digest(stepped(kind, 1).world)


@pytest.fixture
def threads_of_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the engine in plain Python run in several threads, which swap as often as they can."""
    barriers = {count: threading.Barrier(count, timeout=60.0) for count in (2, 3)}

    def wait(tables) -> bool:
        if (count := tables.thread_status.shape[0]) > 1:
            barriers[count].wait()
        return True

    for module in (stages, verlet_list, pair_forces):
        monkeypatch.setattr(module, "wait", wait)
    monkeypatch.setattr(workspace, "GRAINS_PER_THREAD", 1)
    for module in (workspace, partial_sums, pair_forces):
        monkeypatch.setattr(module, "CHUNK", 3)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("threads_of_python")
@examples(0.5)
@given(clusters(), st.floats(0.5, 30.0))
def test_i13_one_two_and_three_threads_give_the_same_bits_in_any_cluster(cluster: Cluster, hurry: float) -> None:
    found = set()
    for threads in (1, 2, 3):
        bench = cluster.bench("velocity_verlet", dt=5e-6)
        bench.world.motion[: cluster.dimension, 1] *= hurry
        bench.world = with_threads(fitted(bench.world, bench.world.pairs, 6), threads)
        assert bench.advance(8) == 8
        found.add(digest(bench.world))
    assert len(found) == 1


def test_i13_the_number_of_threads_may_change_at_any_step() -> None:
    bench = packed("space-turning")
    for threads, steps in ((3, 1), (1, 19), (7, 2), (2, 23), (1, 1), (16, 14)):
        bench.world = with_threads(bench.world, threads)
        assert bench.advance(steps) == steps
    assert digest(bench.world) == digest(stepped("space-turning", 1).world)


@pytest.mark.parametrize("kind", ["plane", "space-turning"])
def test_i13_a_list_that_grows_gives_the_same_bits_with_any_number_of_threads(kind: str) -> None:
    expected = digest(stepped(kind, 1).world)
    for threads in (1, 2, 7):
        for capacity in (1, 100_000):
            bench = packed(kind, threads, capacity)
            assert bench.advance(STEPS) == STEPS
            assert digest(bench.world) == expected, (threads, capacity)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("level", "value", "expected"), [(0, np.nan, NOT_FINITE), (1, 600.0, TOO_FAST)])
def test_i13_a_sphere_that_is_not_finite_or_too_fast_is_named_with_any_number_of_threads(
    share: float, level: int, value: float, expected: int
) -> None:
    for threads in (1, 2, 7):
        bench = packed("plane", threads)
        bench.advance(20)
        culprit = int(share * (bench.world.sphere_count - 1))
        bench.world.motion[1, level, culprit] = value
        answer = bench.loop(bench.world, bench.numbers, bench.gravity, DT, 10)
        assert answer == (0, expected, culprit), threads


def test_i13_more_threads_than_spheres_step_them() -> None:
    found = set()
    for threads in (1, 7):
        bench = packed("space-turning")
        few = world_of(bench.model, [(0.0, 0.0, 0.0), (1.9e-3, 0.0, 0.0)], RADIUS, 1e-3, velocity=1.0)
        few = set_walls(few, PLANE, [[(0, 0, -0.9e-3), (0, 0, 1), (0, 0, 0)]], velocity=(0, 0, 0.5), material=1)
        bench.world = with_threads(few, threads)
        assert bench.advance(STEPS) == STEPS
        assert bench.touching
        found.add(digest(bench.world))
    assert len(found) == 1


def test_i13_spheres_added_to_a_world_of_several_threads_give_the_same_bits() -> None:
    found = set()
    for threads in (1, 3):
        bench = stepped("plane", threads, steps=20)
        bench.world = add_spheres(bench.world, [(1e-3, -1.9e-3)], RADIUS, 1e-3, SphereGroup(first_id=10_000))
        assert bench.world.workspace.threads.thread_status.shape[0] == threads
        assert bench.advance(20) == 20
        found.add(digest(bench.world))
    assert len(found) == 1


def test_i13_a_whole_scene_gives_the_same_bits_with_any_number_of_threads(blob: bytes) -> None:
    # A layer is poured and started up on the way, and the world is looked at. Up to there one thread is enough: while
    # other tests use the processors, seven threads wait a minute for each other in 7500 steps.
    before_pouring = saved(go(resumed(blob), 16_000))
    before, found = resumed(blob).run.state.layers, set()
    for threads in (1, 2, 7):
        experiment = resumed(before_pouring)
        experiment.session.threads = threads
        experiment.session.thread_choice = ThreadChoice(lambda: 0.0)
        found.add(state_hash(go(experiment, 16_500).run))
        assert experiment.run.state.layers > before
    assert len(found) == 1


def test_i13_restart_points_and_files_contain_no_storage_of_threads() -> None:
    experiment, alone = poured(3_000), poured(3_000)
    experiment.session.threads = 7
    experiment.session.thread_choice = ThreadChoice(lambda: 0.0)  # however busy the machine is
    for one in (experiment, alone):
        advance(one, 2_500)
    assert experiment.run.world.workspace.threads.thread_status.shape[0] == 7
    kept = [experiment.history.good, *(moment.now for moment in experiment.history.checkpoints.kept)]
    for point in (*kept, RestartPoint.of(experiment.parameters, experiment.run)):
        assert type(point.run.world) is State
    assert saved(experiment) == saved(alone)


def opened(threads: int) -> Experiment:
    """A column that begins to flow."""
    experiment = new_experiment("heap", ready="column")
    experiment.session.threads = threads
    experiment.session.thread_choice = ThreadChoice(lambda: 0.0)
    assert not apply(experiment, Act("open"))
    return experiment


def test_t11_two_runs_with_several_threads_and_a_snapshot_of_a_third_are_independent() -> None:
    steps, looks = 300, 20
    alone = opened(1)
    advance(alone, steps)
    expected, table = state_hash(alone.run), alone.engine.contact_table(alone.run.world, alone.engine.law_parameters)
    state, numbers = copy_world(alone.run.world), alone.engine.law_parameters

    def run(threads: int) -> str:
        experiment = opened(threads)
        while experiment.step < steps:
            advance(experiment, 7 if steps - experiment.step > 7 else steps - experiment.step)
        return state_hash(experiment.run)

    def analyse() -> bool:
        again = [alone.engine.contact_table(state, numbers) for _ in range(looks)]
        surveys = {survey_contacts(alone, state).contacts for _ in range(looks)}
        return len(surveys) == 1 and all(np.array_equal(one.force, table.force) for one in again)

    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(run, threads) for threads in (3, 3, 2)]
        looked = pool.submit(analyse)
        assert [one.result() for one in runs] == [expected] * 3
        assert looked.result()


def test_t11_after_a_fault_status_the_threads_step_the_next_world() -> None:
    bench = packed("plane", 3)
    bench.world.motion[0, 0, 7] = np.inf
    assert bench.loop(bench.world, bench.numbers, bench.gravity, DT, 5)[1] == NOT_FINITE
    bench = packed("plane", 3)
    assert bench.advance(STEPS) == STEPS
    assert bench.status == OK
    assert digest(bench.world) == digest(stepped("plane", 1).world)


@pytest.mark.parametrize("steps", [0, 4])
def test_t08_a_thread_that_does_not_arrive_is_reported(steps: int) -> None:
    bench = packed("plane", 3)
    bench.advance(1)
    before = digest(bench.world)
    bench.world.workspace.threads.barrier[WAIT_LIMIT] = 50
    call = (bench.world, bench.numbers, bench.gravity, DT)
    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(bench.loop.loop, *call, 10, 1)
        if steps:
            pool.submit(bench.loop.loop, *call, steps, 2)
        answers = {bench.loop.loop(*call, 10, 0), other.result()}
    assert answers == {(steps, THREAD_MISSING, -1)}
    if steps == 0:
        assert digest(bench.world) == before, "half a step was done"
    assert bench.loop(*call, 10)[1] == THREAD_MISSING, "the world is unfit for use"


def test_t08_ctrl_c_before_a_thread_begins_leaves_the_world_consistent_and_no_thread_waiting() -> None:
    bench = packed("plane", 3)
    bench.advance(10)
    before, ended = digest(bench.world), []

    def interrupted(*call: Any) -> tuple[int, int, int]:
        if call[5] == 0:  # the number of the thread
            raise KeyboardInterrupt
        ended.append(bench.loop.loop(*call))
        return ended[-1]

    with pytest.raises(KeyboardInterrupt):
        in_threads(interrupted)(bench.world, bench.numbers, bench.gravity, DT, 10)
    assert ended == [(0, THREAD_MISSING, -1)] * 2
    assert digest(bench.world) == before
    assert bench.advance(STEPS - 10) == STEPS - 10
    assert digest(bench.world) == digest(stepped("plane", 1).world)


FORKED = """
import os, signal, sys
from repose.sim.engine import workspace
from tests.reliability.test_t_step_threads import GRAINS_PER_RANGE, digest, packed
workspace.GRAINS_PER_THREAD = GRAINS_PER_RANGE
bench = packed("plane", 2)
bench.advance(5)
child = os.fork()
bench.advance(5)
if child == 0:
    os.write(1, digest(bench.world).encode())
    os._exit(0)
os.waitpid(child, 0)
os.write(1, b" " + digest(bench.world).encode())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_t12_a_forked_child_steps_with_threads_of_its_own() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.split() == [digest(stepped("plane", 1, steps=10).world)] * 2
