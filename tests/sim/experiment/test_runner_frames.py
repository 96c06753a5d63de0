"""Frames for a film: at exact multiples of its interval of simulated time, for any reader."""

from __future__ import annotations

import gc
import queue
import threading
import weakref
from collections.abc import Generator

import numpy as np
import pytest
from repose.sim.experiment.commands import Act, Resume, Rewind, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.runner import FRAMES_WAITING, Runner
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance

from tests.sim.experiment.test_runner import PATIENCE, SMALL, held, make, until


@pytest.fixture
def runner() -> Generator[Runner]:
    """A runner that holds the clock from the beginning."""
    yield from held()


def assert_at_multiples(frames: list[Snapshot], interval: float) -> None:
    """Each frame is the first step at or after its multiple of the interval."""
    times, steps = np.array([(frame.run.time, frame.run.dt) for frame in frames]).T
    due = times[0] + interval * np.arange(times.size)
    step = np.maximum(steps, np.roll(steps, 1))  # the step that led there may have changed since
    assert (times >= due - 1e-12).all()
    assert (times < due + step * (1.0 + 1e-6)).all()


def test_frames_are_at_exact_multiples_although_the_step_changes() -> None:
    experiment = make()
    runner = Runner(lambda: experiment)
    runner._begin()
    apply(experiment, Act("fill"))
    interval, taken = 20e-3, []  # some hundred steps: most changes of the step fall between two frames
    frames = runner.record(interval)
    while len(taken) < 30:
        runner._batch_cost = 1e-9  # as on a fast machine: a batch could reach the frame at once
        runner._turn()
        while not frames.empty():
            taken.append(frames.get())
    assert len(experiment.run.dt_changes) > 3
    assert_at_multiples([frame for frame in taken if frame is not None], interval)


def test_frames_are_at_exact_multiples_for_a_slow_reader(runner: Runner) -> None:
    runner.send(Act("fill"))
    interval = 1e-3
    frames = runner.record(interval)
    runner.pause(False)
    taken: list[Snapshot] = []
    while len(taken) < 40:
        if len(taken) == 10:
            until(lambda: frames.qsize() == FRAMES_WAITING)  # physics waits for the film, not the other way round
        frame = frames.get(timeout=PATIENCE)
        assert frame is not None
        taken.append(frame)
    runner.record(None)
    while (last := frames.get(timeout=PATIENCE)) is not None:
        taken.append(last)
    assert_at_multiples(taken, interval)
    assert len({id(frame) for frame in taken}) == len(taken)
    step = runner.latest().run.step
    until(lambda: runner.latest().run.step > step)  # and it goes on once nobody records


@pytest.mark.parametrize("forth", [True, False])
def test_a_way_to_another_step_of_the_log_is_no_long_still_of_a_film(
    forth: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a replay that was filmed repeated the last picture for the duration of the rest of the run."""
    monkeypatch.setattr("repose.sim.experiment.runner.FRAMES_WAITING", 10**6)  # nobody reads them here
    experiment = make()
    apply(experiment, Act("fill"))
    advance(experiment, 4000)
    runner = Runner(lambda: experiment)
    runner._begin()
    runner.pause(True)
    runner.send(Rewind(100 if forth else 3900))
    runner._turn()
    frames = runner.record(experiment.dt)
    runner._turn()
    runner.send(Rewind(3900 if forth else 100))
    runner._turn()
    runner._turn()
    runner.record(None)
    taken = [frame.run.step for frame in iter(frames.get_nowait, None)]
    assert taken == ([100, 3900] if forth else [3900, 100])


def test_a_short_way_along_the_log_keeps_the_pace_of_a_film() -> None:
    experiment = make()
    apply(experiment, Act("fill"))
    advance(experiment, 200)
    runner = Runner(lambda: experiment)
    runner._begin()
    runner.pause(True)
    runner.send(Rewind(100))
    runner._turn()
    frames = runner.record(experiment.dt)
    runner._turn()
    runner.send(Rewind(105))
    runner._turn()
    runner.record(None)
    assert [frame.run.step for frame in iter(frames.get_nowait, None)] == [100, 105, 105, 105, 105, 105]


def test_recording_continues_in_a_new_experiment(runner: Runner) -> None:
    runner.send(Act("fill"))
    frames = runner.record(1e-3)
    runner.pause(False)
    for _ in range(5):
        assert frames.get(timeout=PATIENCE) is not None
    runner.send(Start("heap", SMALL, 2))
    runner.send(Act("fill"))
    seen = [frames.get(timeout=PATIENCE) for _ in range(FRAMES_WAITING + 5)]
    assert seen[-1] is not None
    assert seen[-1].run.seed == 2
    runner.record(None)


@pytest.mark.parametrize("opened", [False, True])
def test_a_recording_ends_when_another_scene_or_a_saved_run_takes_the_place(runner: Runner, opened: bool) -> None:
    runner.send(Act("fill"))
    frames = runner.record(1e-3)
    runner.pause(False)
    for _ in range(5):
        assert frames.get(timeout=PATIENCE) is not None
    later = make()
    apply(later, Act("fill"))
    advance(later, 20_000)
    runner.send(Resume(saved_copy(later)) if opened else Start("bounce", {}, 1))
    taken = 0
    while (frame := frames.get(timeout=PATIENCE)) is not None:
        assert frame.run.scene == "heap"
        assert frame.run.time < 0.5 * later.time
        taken += 1
        assert taken < 400
    step = runner.latest().run.step
    until(lambda: runner.latest().run.step > step)


def test_a_film_asked_for_after_a_scene_was_chosen_is_of_that_scene() -> None:
    runner = Runner(make)
    runner.send(Start("bounce", {}, 1))
    frames = runner.record(1e-3)
    runner.start()
    try:
        frame = frames.get(timeout=PATIENCE)
        assert frame is not None
        assert frame.run.scene == "bounce"
        assert runner.record(None) is frames
    finally:
        runner.stop()


def test_ending_a_recording_that_never_began_gives_an_ended_queue() -> None:
    runner = Runner(make)
    ended: queue.Queue[Snapshot | None] = runner.record(None)
    assert ended.get(timeout=PATIENCE) is None


def test_a_film_stopped_while_its_queue_is_full_leaves_neither_thread_nor_snapshot(runner: Runner) -> None:
    runner.send(Act("fill"))
    runner.pause(False)
    threads, held = threading.active_count(), []
    for _ in range(10):
        frames = runner.record(1e-3)
        until(lambda frames=frames: frames.qsize() == FRAMES_WAITING)
        assert runner.record(None) is frames
        held += [weakref.ref(frames.queue[0]), weakref.ref(frames)]
        assert frames.queue[-1] is None or frames.queue[-2] is None  # one may have been on its way
        del frames
    assert threading.active_count() == threads
    step = runner.latest().run.step
    until(lambda: runner.latest().run.step > step)
    gc.collect()
    assert [kept() for kept in held] == [None] * 20
