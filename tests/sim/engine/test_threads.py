"""The number of threads leaves no trace in the run, a thread that does not come ends it with words, and what all share
is small."""

from __future__ import annotations

from concurrent.futures import Future

import numpy as np
import pytest
from repose.sim.engine import threads as engine_threads
from repose.sim.engine import workspace
from repose.sim.engine.builder import (
    add_spheres,
    empty_world,
    enlarge_pairs,
    fitted,
    set_walls,
    trimmed,
    with_threads,
)
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.thread_count import MOST_THREADS
from repose.sim.engine.workspace import FOUND, WALL_LIST_FITS
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, World, empty_pairs
from repose.sim.experiment.changes import clear_fault
from repose.sim.experiment.commands import Act, UseThreads
from repose.sim.experiment.control import apply, rewind_to
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import CHECKS_PER_CHECKPOINT, advance
from repose.sim.message import time_text
from repose.sim.study.bench import memory

from tests.english import english
from tests.sim.experiment.test_runner import make


def test_a_change_of_the_number_of_threads_between_batches_changes_no_bit() -> None:
    experiment = make()
    runner = Runner(lambda: experiment)
    runner._begin()
    apply(experiment, Act("fill"))
    entries, seen = list(experiment.history.log.entries), []
    for count in (2, 1, 3, None):
        runner.send(UseThreads(count))
        runner._turn()
        runner._publish()
        seen.append((runner.latest().engine.threads_asked, runner.latest().messages.refusal))
        advance(experiment, 1_000 - experiment.step % 1_000)
    assert english(seen) == [(2, ""), (1, ""), (3, ""), (None, "")]
    assert experiment.history.log.entries == entries
    alone = make()
    alone.session.threads = 1
    apply(alone, Act("fill"))
    advance(alone, experiment.step)
    assert state_hash(experiment.run) == state_hash(alone.run)
    assert verify(saved_copy(experiment), threads=2).differs_at is None


def test_an_impossible_number_of_threads_is_refused_and_the_old_one_kept() -> None:
    experiment = make()
    assert not apply(experiment, UseThreads(2))
    for count in (0, -1, MOST_THREADS + 1, True, 1.5, "2"):
        assert f"from 1 to {MOST_THREADS}" in str(apply(experiment, UseThreads(count)))
        assert experiment.session.threads == 2


def test_rewinding_past_a_change_of_threads_gives_the_same_bits() -> None:
    experiment = make()
    apply(experiment, Act("fill"))
    apply(experiment, UseThreads(2))
    advance(experiment, 3_000)
    before = state_hash(experiment.run)
    apply(experiment, UseThreads(1))
    rewind_to(experiment, 1_234)
    rewind_to(experiment, 3_000)
    assert state_hash(experiment.run) == before
    assert experiment.session.threads == 1


class NobodyComes:
    """A pool whose threads never begin."""

    def submit(self, *_: object) -> Future:
        return Future()

    def shutdown(self, wait: bool = True) -> None:
        assert not wait, "whoever waits for them waits for ever"


def test_a_thread_that_does_not_arrive_stops_the_run_at_the_last_good_state_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workspace, "LONGEST_WAIT", 0.1)
    experiment, alone = make(), make()
    for one in (experiment, alone):
        apply(one, Act("fill"))
    with monkeypatch.context() as patch:
        patch.setattr(engine_threads, "_pool_of", lambda others: NobodyComes())
        experiment.session.threads = 2
        good, begun = state_hash(experiment.run), experiment.time
        assert advance(experiment, 100) == 0
    assert experiment.fault is not None
    assert str(experiment.fault.message) == (
        f"One of 2 threads did not arrive within 0.1 s to step its grains at {time_text(begun)}: "
        f"stopped at the last good state, {time_text(begun)}. Likely cause: the operating system did not run it. "
        "Continue, or use one thread (--threads 1)."
    )
    assert state_hash(experiment.run) == good
    clear_fault(experiment)
    for one in (experiment, alone):
        assert advance(one, 500) == 500
    assert state_hash(experiment.run) == state_hash(alone.run)


def beads(listed: int, near_walls: int, room: int, room_at_walls: int) -> World:
    """10 000 beads in space over a plane with lists of so many pairs and contacts with the wall, and room for more."""
    count = 10_000
    blank = empty_world(3, 3, 3)
    world = add_spheres(blank, np.arange(3.0 * count).reshape(count, 3), 5e-3, 1e-3)
    world = set_walls(world, PLANE, np.array([[[0.0] * 3, [0.0, 0.0, 1.0], [0.0] * 3]]))
    world = fitted(world, empty_pairs(room, 3), room, wall_capacity=room_at_walls)
    world.counters[[PAIR_COUNT, WALL_CONTACT_COUNT]] = listed, near_walls
    return world


@pytest.mark.parametrize(
    ("listed", "near_walls", "threads", "bound"),
    [(33_000, 2200, 1, 1080), (33_000, 2200, 2, 1080), (55_800, 3500, 1, 1240), (55_800, 3500, 2, 1240)],
    ids=["at rest", "at rest, two threads", "flowing", "flowing, two threads"],
)
def test_the_memory_per_bead_in_space_is_that_of_its_lists_threads_included(
    listed: int, near_walls: int, threads: int, bound: int
) -> None:
    # As many entries as the lists of glass beads have, after others that were twice as long.
    world = with_threads(trimmed(beads(listed, near_walls, 2 * listed, 2 * near_walls)), threads)
    assert memory(world) / world.sphere_count < bound
    assert world.pairs.i.size > 1.1 * listed  # the next list may be longer
    assert trimmed(world) is world


def test_only_the_list_that_was_full_gets_more_room() -> None:
    world = beads(0, 0, 40_000, 2000)
    world.workspace.threads.thread_status[0, [FOUND, WALL_LIST_FITS]] = -1, 1
    larger = enlarge_pairs(world)
    assert (larger.pairs.i.size, larger.wall_contacts.sphere.size) == (45_000, 2000)
    world.workspace.threads.thread_status[0, [FOUND, WALL_LIST_FITS]] = 7, 0
    larger = enlarge_pairs(world)
    assert (larger.pairs.i.size, larger.wall_contacts.sphere.size) == (40_000, 3000)
    world.workspace.threads.thread_status[0, [FOUND, WALL_LIST_FITS]] = -1, 0
    larger = enlarge_pairs(world)
    assert (larger.pairs.i.size, larger.wall_contacts.sphere.size) == (45_000, 3000)


def test_a_run_gives_room_back_that_its_lists_do_not_need_and_keeps_its_bits() -> None:
    experiment, alone = make(), make()
    for one in (experiment, alone):
        apply(one, Act("fill"))
        advance(one, 10)
    while experiment.run.world.pairs.i.size < 10_000:
        experiment.run.world = enlarge_pairs(experiment.run.world)
    for one in (experiment, alone):
        advance(one, CHECK_STEPS * CHECKS_PER_CHECKPOINT)
    assert experiment.run.world.pairs.i.size < 2000
    assert state_hash(experiment.run) == state_hash(alone.run)
