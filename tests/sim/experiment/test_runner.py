"""The physics thread: exact steps, and neither thread waits for the other."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator

import numpy as np
import pytest
from repose.sim.experiment import latest
from repose.sim.experiment import runner as module
from repose.sim.experiment import take_snapshot as shown_values
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Copy, Pull, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment, Session
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import (
    FEWEST_SNAPSHOTS,
    PUBLISH_INTERVAL,
    PUBLISH_SHARE,
    Runner,
    pause_between_snapshots,
)
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.registry import scenes

from tests.english import english

SMALL = {"grain_count": 40, "width": 0.015}
PATIENCE = 60.0
"""How long a test waits for something that must happen [s]; nothing is judged by it."""


def make() -> Experiment:
    return new_experiment("heap", SMALL)


def until(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.002)


def held() -> Generator[Runner]:
    """A runner that holds the clock from the beginning, and is stopped in the end."""
    started = Runner(make)
    started.pause(True)
    started.start()
    until(lambda: not started.latest().engine.compiling)
    yield started
    started.stop()
    assert not started._thread.is_alive()


@pytest.fixture
def runner() -> Generator[Runner]:
    """A runner that holds the clock from the beginning."""
    yield from held()


def at_rest(runner: Runner) -> Snapshot:
    """The snapshot once the paused thread has nothing left to do."""
    until(lambda: runner.latest().engine.paused and runner._steps_asked == 0)
    serials = {runner.latest().serial}
    steps = [-1, runner.latest().run.step]

    def published_twice_without_a_step() -> bool:
        if runner.latest().serial not in serials:
            serials.add(runner.latest().serial)
            steps.append(runner.latest().run.step)
        return steps[-1] == steps[-2]

    until(published_twice_without_a_step)
    return runner.latest()


def test_the_runner_answers_during_compiling() -> None:
    gate = threading.Event()

    def slowly() -> Experiment:
        assert gate.wait(PATIENCE)
        return make()

    runner = Runner(slowly)
    runner.start()
    assert runner.latest().engine.compiling
    runner.send(SetParameters({"friction": 0.3}))
    gate.set()
    until(lambda: not runner.latest().engine.compiling)
    until(lambda: runner.latest().run.parameters.values.get("friction") == 0.3)
    runner.stop()


def test_a_run_whose_engine_is_compiled_is_shown_without_numbers_of_the_run_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiling, gate = threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        compiling.set()
        assert gate.wait(PATIENCE)

    session = Session(before_compiling=lambda experiment: runner.announce_compiling(experiment))
    runner = Runner(lambda: new_experiment("heap", SMALL, session=session))
    runner.pause(True)
    runner.start()
    runner.send(Act("fill"))
    runner.single_step(500)
    until(lambda: runner.latest().run.step == 500)
    assert runner.latest().results.kinetic_energy > 0.0
    monkeypatch.setattr("repose.sim.experiment.activation.is_compiled", lambda *_: compiling.is_set())
    monkeypatch.setattr("repose.sim.experiment.activation.compile_beside", slow)
    runner.send(Start("heap", SMALL | {"friction": 0.3}, 2))
    assert compiling.wait(PATIENCE)
    shown = runner.latest()
    gate.set()
    until(lambda: not runner.latest().engine.compiling)
    assert (shown.run.seed, shown.run.step, shown.engine.compiling, shown.engine.needed) == (
        2,
        0,
        True,
        ("heap", shown.run.parameters),
    )
    assert english(
        (shown.results.kinetic_energy, shown.results.energy, shown.results.comparison, shown.messages.latest)
    ) == (
        0.0,
        {},
        None,
        "",
    )
    assert (shown.history.begun_by, runner.latest().history.begun_by) == (1, 1)
    runner.stop()


def test_a_refused_start_leaves_the_number_of_the_experiment_in_the_snapshot(runner: Runner) -> None:
    runner.send(Start("heap", SMALL, 2))
    until(lambda: runner.latest().history.starts == 1)
    runner.send(Start("heap", {"friction": -1.0}, 3))
    until(lambda: runner.latest().history.starts == 2)
    assert (runner.latest().run.seed, runner.latest().history.begun_by) == (2, 1)


@pytest.mark.case("T16")
def test_a_paused_runner_does_exactly_the_requested_steps(runner: Runner) -> None:
    runner.send(Act("fill"))
    until(lambda: runner.latest().run.phase.name == "filling")
    assert at_rest(runner).run.step == 0
    for count, total in ((1, 1), (1, 2), (7, 9), (1000, 1009)):
        runner.single_step(count)
        assert at_rest(runner).run.step == total


@pytest.mark.case("T16")
def test_many_step_requests_from_two_threads_are_all_done(runner: Runner) -> None:
    runner.send(Act("fill"))

    def storm() -> None:
        for _ in range(1_000):
            runner.single_step()

    threads = [threading.Thread(target=storm) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert at_rest(runner).run.step == 2_000


@pytest.mark.case("T16")
def test_many_pauses_leave_the_thread_working(runner: Runner) -> None:
    runner.send(Act("fill"))
    for number in range(2_000):
        runner.pause(number % 2 == 0)
        runner.set_speed(None if number % 3 else 0.5)
    runner.pause(True)
    assert at_rest(runner).messages.fault is None
    step = at_rest(runner).run.step
    runner.single_step(3)
    assert at_rest(runner).run.step == step + 3


def test_steps_missed_during_a_pause_are_not_done_later(runner: Runner) -> None:
    runner.send(Act("fill"))
    runner.single_step(10_000_000)
    runner.pause(False)
    runner.pause(True)
    step = at_rest(runner).run.step
    assert step < 10_000_000
    runner.single_step(1)
    assert at_rest(runner).run.step == step + 1


@pytest.mark.case("G21")
def test_neither_drawing_nor_the_thread_changes_a_bit(runner: Runner) -> None:
    hashes: list[str] = []

    runner.send(Act("fill"))
    runner.single_step(20_000)
    while runner._steps_asked:
        snapshot = runner.latest()
        assert snapshot.grains.position.shape == (snapshot.grains.radius.size, 2)
        assert all(column.shape == snapshot.grains.radius.shape for column in snapshot.grains.columns.values())
    assert at_rest(runner).run.step == 20_000
    runner.send(Copy(lambda saved: hashes.append(state_hash(saved.now.now.run))))
    until(lambda: bool(hashes))
    foreground = make()
    apply(foreground, Act("fill"))
    advance(foreground, 20_000)
    assert hashes == [state_hash(foreground.run)]


def test_a_snapshot_shows_the_world(runner: Runner) -> None:
    runner.send(Act("fill"))
    runner.single_step(20_000)
    shown = at_rest(runner)
    alone = make()
    apply(alone, Act("fill"))
    advance(alone, 20_000)
    expected = Snapshot()
    shown_values.take_snapshot(alone, expected)
    assert shown.run.step == 20_000
    assert shown.run.time == expected.run.time
    assert np.array_equal(shown.grains.position, expected.grains.position)
    assert np.array_equal(shown.contacts.ends, expected.contacts.ends)
    assert len(shown.contacts.force) > 5
    assert shown.results.energy == expected.results.energy
    assert shown.grains.moving_count == expected.grains.moving_count == int((~shown.grains.fixed).sum())
    assert shown.stability.omega_dt < shown.stability.omega_dt_limit
    assert set(shown.grains.columns) == {
        "speed",
        "force",
        "pressure",
        "coordination",
        "cluster",
        "size",
        "layer",
        "members",
        "rotational",
    }


def test_a_refusal_is_shown_until_a_command_is_accepted(runner: Runner) -> None:
    runner.send(SetParameters({"frictoin": 0.2}))
    until(lambda: bool(runner.latest().messages.refusal))
    assert str(runner.latest().messages.refusal) == "Unknown parameter 'frictoin': did you mean 'friction'?"
    runner.send(SetParameters({"friction": 0.2}))
    until(lambda: not runner.latest().messages.refusal)
    assert runner.latest().run.parameters.values["friction"] == 0.2


def test_a_snapshot_says_whether_an_action_or_another_command_was_refused(runner: Runner) -> None:
    runner.send(Act("measure"))
    until(lambda: runner.latest().messages.refusals == 1)
    assert "not possible now" in str(runner.latest().messages.refusal)
    assert runner.latest().messages.refused_action
    runner.send(SetParameters({"friction": -1.0}))
    until(lambda: runner.latest().messages.refusals == 2)
    assert not runner.latest().messages.refused_action


def test_places_of_a_drag_leave_the_sentence_of_a_refused_measurement_and_are_counted_apart(runner: Runner) -> None:
    runner.send(Act("fill"))
    until(lambda: runner.latest().grains.moving_count > 0)
    held = int(runner.latest().grains.sphere_id[~runner.latest().grains.fixed][0])
    runner.send(Pull(held, (0.0, 0.0), 1e-6))
    runner.send(Act("measure"))
    for index in range(3):
        runner.send(Pull(held, (1e-3 * index, 0.0), 1e-6))
    until(lambda: runner.latest().messages.refusals == 1 and runner.latest().hand.pull is not None)
    assert "measure" in str(runner.latest().messages.refusal).lower()
    assert (runner.latest().messages.refused_action, runner.latest().messages.refused_drags) == (True, 0)
    runner.send(Pull(10**9, (0.0, 0.0), 1e-6))
    until(lambda: runner.latest().messages.refused_drags == 1)
    assert (runner.latest().messages.refusals, runner.latest().messages.refused_action) == (2, False)


@pytest.mark.parametrize("dragging", [False, True])
def test_slow_motion_has_the_requested_speed(runner: Runner, dragging: bool) -> None:
    runner.send(Act("fill"))
    runner.set_speed(0.01)
    began = time.monotonic()
    runner.pause(False)

    def arrived() -> bool:
        if dragging:
            runner.send(SetParameters({"friction": 0.1 + 0.1 * (runner.latest().serial % 7)}))
        return runner.latest().run.time > 2e-3

    until(arrived)
    # 2 ms of simulated time at a hundredth: it cannot take less; how much more is the machine's affair.
    assert time.monotonic() - began > 0.15


def test_a_fault_is_shown_and_can_be_recovered_from(runner: Runner) -> None:
    runner.send(Act("fill"))
    runner.send(SetParameters({"dt": 2e-5}))
    runner.single_step(20_000)
    at_rest(runner)
    runner.send(SetParameters({"normal_stiffness": 1e9}))
    runner.pause(False)
    until(lambda: runner.latest().messages.fault is not None)
    assert runner.latest().messages.fault.parameter == "normal_stiffness"
    step = runner.latest().run.step
    runner.send(SetParameters({"normal_stiffness": 1e6}))
    until(lambda: runner.latest().messages.fault is None and runner.latest().run.step > step)


@pytest.mark.case("T08")
def test_an_error_of_the_thread_is_shown_as_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> Experiment:
        raise RuntimeError("no such luck")

    runner = Runner(broken)
    runner.start()
    until(lambda: runner.latest().messages.fault is not None)
    assert "no such luck" in str(runner.latest().messages.fault.message)
    assert not runner.latest().engine.compiling
    runner.stop()
    capsys.readouterr()


def test_the_physics_thread_can_be_stopped_at_any_time_and_twice() -> None:
    never_started = Runner(make)
    never_started.stop()
    for wait in (0.0, 0.001, 0.01):
        runner = Runner(make)
        runner.start()
        runner.send(Act("fill"))
        runner.record(1e-4)  # nobody takes the frames: the thread is waiting when it is told to stop
        time.sleep(wait)
        runner.stop()
        runner.stop()
        assert not runner._thread.is_alive()


def test_many_runs_are_loaded_while_the_physics_thread_steps(runner: Runner) -> None:
    runner.pause(False)
    for seed in range(60):
        runner.send(Start("heap", SMALL, seed))
        runner.send(Act("run"))
    until(lambda: runner.latest().run.seed == 59 and runner.latest().run.step > 100)
    assert runner.latest().messages.fault is None
    assert not runner.latest().messages.refusal


def test_contacts_are_published_only_while_they_are_shown(runner: Runner) -> None:
    runner.send(Act("fill"))
    runner.single_step(20_000)
    assert len(at_rest(runner).contacts.force) > 5
    runner.show_contacts(False)
    until(lambda: len(runner.latest().contacts.force) == 0)
    shown = at_rest(runner)
    assert shown.contacts.ends.shape == (0, 4)
    assert (shown.grains.columns["coordination"] > 0.0).any()


def test_forces_of_contacts_are_published_only_while_they_are_shown(runner: Runner) -> None:
    runner.send(Act("fill"))
    runner.single_step(20_000)
    shown = at_rest(runner)
    assert shown.contacts.forces is None
    runner.show_forces(True)
    until(lambda: runner.latest().contacts.forces is not None)
    shown = at_rest(runner)
    assert shown.contacts.forces is not None
    assert shown.contacts.forces.normal_force.sum() > 0.0
    runner.show_forces(False)
    until(lambda: runner.latest().contacts.forces is None)


def test_snapshots_are_rarer_where_each_costs_more_but_never_stop() -> None:
    assert pause_between_snapshots(0.0) == PUBLISH_INTERVAL
    # A share s spent on snapshots of cost c leaves c/s between two.
    assert pause_between_snapshots(2.0 * PUBLISH_SHARE * PUBLISH_INTERVAL) == pytest.approx(2.0 * PUBLISH_INTERVAL)
    assert pause_between_snapshots(1.0) == 1.0 / FEWEST_SNAPSHOTS


def test_readings_are_sampled_again_soon_after_a_slow_first_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        now, pace = 0.0, 30.0

        def perf_counter(self) -> float:
            self.now += self.pace
            return self.now

    simulation, clock, looks = make(), Clock(), []
    monkeypatch.setattr(latest, "time", clock)
    monkeypatch.setattr(shown_values, "system_of", lambda experiment: looks.append(clock.now))
    monkeypatch.setattr(shown_values, "sorted_measurements", lambda: ())
    shown_values.shown_readings(simulation)  # half a minute, as where it is compiled
    clock.pace = 0.0
    clock.now += 0.9 * shown_values.LONGEST_WAIT
    shown_values.shown_readings(simulation)
    assert len(looks) == 1
    clock.now += 0.2 * shown_values.LONGEST_WAIT
    shown_values.shown_readings(simulation)
    assert len(looks) == 2


def test_a_long_relaxation_is_shown_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 0.0)
    made: list[Runner] = []
    going_on = threading.Event()

    def make() -> Experiment:
        def slowly(experiment: Experiment, share: float | None) -> bool:
            stop = made[0].announce_relaxing(experiment, share)
            going_on.wait(0.0 if stop else 0.05)
            return stop

        return new_experiment("heap", ready="column", session=Session(while_relaxing=slowly))

    made.append(Runner(make))
    runner = made[0]
    runner.stop_at_rest(True)
    runner.start()
    try:
        until(lambda: not runner.latest().engine.compiling and runner.latest().serial > 5)
        runner.send(SetParameters({"normal_stiffness": 1e9}))
        until(lambda: runner.latest().engine.relaxing is not None)
        assert 0.0 <= float(runner.latest().engine.relaxing or 0.0) <= 1.0
        assert runner.latest().grains.moving_count == 1100
        runner.stop_relaxing()
        until(lambda: "nothing has changed" in str(runner.latest().messages.refusal))
        assert runner.latest().engine.relaxing is None
        assert parameters_of(runner.latest().run) == scenes()["heap"].parameters()
    finally:
        runner.stop()


def test_the_end_of_a_relaxation_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 0.0)
    experiment = new_experiment("heap", scenes()["heap"].test_values)
    runner = Runner(lambda: experiment)
    shown: list[float | None] = []
    for share in (0.4, 0.996, None):
        runner._publish_at = 0.0 if share == 0.4 else math.inf  # nothing else is due
        runner.announce_relaxing(experiment, share)
        shown.append(runner.latest().engine.relaxing)
    assert shown == [0.4, 0.4, None]
