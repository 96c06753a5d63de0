"""T04 to T08, T13, T15: the physics thread and the clock: no steps are caught up, no wall clock in results, no waiting.

The test calls the turns of the runner and sets its clock: no test waits or is timed.
"""

from __future__ import annotations

import ast
import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from repose.sim.experiment import side_by_side
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters, Start
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import BATCH_TIME, FEWEST_SNAPSHOTS, LONGEST_BATCH, LONGEST_CATCH_UP, Runner
from repose.sim.experiment.stepping import advance

from tests.reliability.manual_runner import STEP_COST, ManualRunner
from tests.sim.experiment.test_runner import PATIENCE, SMALL, until

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("away", [1.0, 60.0, 8 * 3600.0])
@pytest.mark.parametrize("speed", [0.1, 1.0, None])
def test_t04_after_a_stop_of_any_length_no_step_is_caught_up(
    monkeypatch: pytest.MonkeyPatch, speed: float | None, away: float
) -> None:
    manual = ManualRunner(monkeypatch, speed)
    usual, time = manual.settled(), manual.simulation.time
    burst = [manual.turn(pause=away)] + [manual.turn() for _ in range(50)]
    assert max(burst) <= max(usual, BATCH_TIME / STEP_COST + 1)
    if speed is not None:
        # One batch may run before the schedule is dropped; besides it, what came due while we watched.
        due = speed * 50 * (1e-3 + BATCH_TIME) + BATCH_TIME / STEP_COST * manual.simulation.dt
        assert manual.simulation.time - time <= due + usual * manual.simulation.dt


STOPPED = """
import sys, time
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.runner import Runner
runner = Runner(lambda: new_experiment("heap", {"grain_count": 40, "width": 0.015}))
runner.set_speed(0.01)
runner.send(Act("fill"))
runner.start()
while runner.latest().run.step < 20:
    time.sleep(0.002)
print("ready", runner.latest().run.time, flush=True)
sys.stdin.readline()
shown = runner.latest()
print(shown.run.time, shown.messages.fault is None, flush=True)
runner.stop()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_t04_a_stopped_process_continues_from_the_same_step() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", STOPPED], cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        before = float(process.stdout.readline().split()[1])
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        threading.Event().wait(1.0)
        process.send_signal(signal.SIGCONT)
        process.stdin.write("\n")
        process.stdin.flush()
        after, sound = process.stdout.readline().split()
        assert process.wait(PATIENCE) == 0
    assert sound == "True"
    # Without a limit the second would be made up for at once: 10 ms of simulated time at a hundredth.
    assert float(after) - before < 0.01 * (1.0 + LONGEST_CATCH_UP) + 5e-3


def test_t05_the_engine_never_reads_the_wall_clock() -> None:
    wall = {"time.time", "time.time_ns", "datetime.now", "datetime.today", "datetime.datetime.now", "time.localtime"}
    for path in [*(ROOT / "sim").rglob("*.py"), *(ROOT / "app").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in wall:
                # A film's name may have the date in it, an autosave, the list of runs and a record of the benchmark,
                # but nothing that moves grains.
                assert path.relative_to(ROOT).parts[0] == "app", path
                assert path.name in ("film.py", "autosave.py", "recent_runs.py", "bench_job.py"), path


@pytest.mark.case("G11")
def test_t06_ten_seconds_without_a_snapshot_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = []
    for looking in (True, False):
        manual = ManualRunner(monkeypatch, 1.0)
        for _ in range(200):
            manual.turn(pause=50e-3)
            if looking:
                manual.runner.latest()
        shown = manual.runner.latest()
        assert (
            shown.run.step == manual.simulation.step
            or manual.simulation.step - shown.run.step <= 2 * BATCH_TIME / STEP_COST
        )
        hashes.append(state_hash(manual.simulation.run))
    assert hashes[0] == hashes[1]


def test_t06_a_snapshot_that_nobody_has_read_is_seldom_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    for looks, most, least in ((True, 50, 40), (False, FEWEST_SNAPSHOTS, 0.7 * FEWEST_SNAPSHOTS)):
        manual = ManualRunner(monkeypatch, 0.1)
        manual.turn()
        began, published = manual.clock.now, manual.runner._serial
        while manual.clock.now < began + 1.0:
            manual.turn(pause=20e-3)
            if looks:
                manual.runner.latest()
        assert least <= manual.runner._serial - published <= most


def test_t07_batches_stay_long_while_other_programs_use_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    manual = ManualRunner(monkeypatch, None)
    alone = [manual.turn() for _ in range(4)][-1]
    for share, longer in ((0.5, 2.0), (0.01, LONGEST_BATCH)):
        monkeypatch.setattr(manual.clock, "thread_time", lambda share=share: share * manual.clock.now)
        assert [manual.turn() for _ in range(3)][-1] == pytest.approx(longer * alone, rel=0.1)
        assert manual.simulation.step % CHECK_STEPS == 0


def test_t06_queued_commands_are_carried_out_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    manual = ManualRunner(monkeypatch, 1.0)
    manual.turn()
    for number in range(1000):
        manual.runner.send(SetParameters({"friction": 0.1 + 1e-4 * number}))
    usual = manual.turn()
    assert manual.simulation.parameters.friction == pytest.approx(0.1 + 1e-4 * 999, rel=1e-12)
    assert usual <= BATCH_TIME / STEP_COST + 1


class Slow:
    """Lets the steps of every runner last until `go_on` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inside, self.go_on = threading.Event(), threading.Event()
        self.asked: list[int] = []
        monkeypatch.setattr(side_by_side, "advance", self.advance)

    def advance(self, experiment: Experiment, steps: int, to_rest: bool) -> int:
        self.asked.append(steps)
        self.inside.set()
        assert self.go_on.wait(PATIENCE)
        return advance(experiment, steps, to_rest)


def test_t07_a_slow_step_delays_neither_picture_nor_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    runner = Runner(lambda: new_experiment("heap", SMALL))
    runner.start()
    assert slow.inside.wait(PATIENCE)
    # The thread is inside a step now and stays there: all of this returns although no step ends.
    for _ in range(60):
        assert runner.latest().run.parameters.values
        runner.send(SetParameters({"friction": 0.2}))
        runner.pause(True)
        runner.set_speed(1.0)
    slow.go_on.set()
    until(lambda: runner.latest().run.parameters.values["friction"] == 0.2)
    runner.stop()
    assert not runner._thread.is_alive()


def test_t07_when_steps_get_slow_a_batch_becomes_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    manual = ManualRunner(monkeypatch, None)
    assert manual.settled() > 100

    def slowly(experiment: Experiment, steps: int, to_rest: bool) -> int:
        manual.clock.now += 2.0 * steps
        return advance(experiment, steps, to_rest)

    monkeypatch.setattr(side_by_side, "advance", slowly)
    manual.turn()
    assert [manual.turn() for _ in range(5)] == [1] * 5  # so that a stop is heeded after one step


def test_t08_an_error_in_the_thread_is_reported_and_the_last_picture_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Experiment] = []

    def make() -> Experiment:
        steps.append(new_experiment("heap", SMALL))
        return steps[-1]

    def broken(experiment: Experiment, count: int, to_rest: bool) -> int:
        if experiment.step > 2_000:
            raise RuntimeError("a grain too many")
        return advance(experiment, count)

    monkeypatch.setattr(side_by_side, "advance", broken)

    runner = Runner(make)
    runner.send(Act("fill"))
    runner.start()
    until(lambda: runner.dead)
    shown = runner.latest()
    assert shown.messages.fault is not None
    assert "a grain too many" in str(shown.messages.fault.message)
    assert str(shown.messages.fault.message).endswith("Start the experiment anew.")
    assert shown.grains.moving_count > 0
    assert np.isfinite(shown.grains.position).all()
    assert steps[0].step > 2_000
    runner.stop()
    capsys.readouterr()


FIRST_RUN = """
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
simulation = new_experiment("heap", {"grain_count": 3})
advance(simulation, 1)
print(state_hash(simulation.run))
"""


def first_runs(folder: Path, count: int) -> set[str]:
    """State hashes of so many processes that begin at once with the same cache folder."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", FIRST_RUN], cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True
        )
        for _ in range(count)
    ]
    done = [(process.communicate(), process.returncode) for process in processes]
    assert all(code == 0 for _, code in done), done
    return {out for (out, _), _ in done}


@pytest.mark.slow
@pytest.mark.timeout(3000)  # eight compilations at once
def test_t13_eight_first_runs_at_once_compile_and_agree(tmp_path: Path) -> None:
    assert len(first_runs(tmp_path, 8)) == 1
    assert len(first_runs(tmp_path, 1)) == 1


@pytest.mark.case("F01")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the super-user may write anywhere")
def test_t13_without_a_writable_cache_the_engine_is_compiled_at_every_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert len(first_runs(tmp_path, 1)) == 1


@pytest.mark.parametrize("speed", [0.0, -1.0, -1e300])
def test_t15_at_a_speed_of_zero_or_less_no_step_is_done(monkeypatch: pytest.MonkeyPatch, speed: float) -> None:
    manual = ManualRunner(monkeypatch, speed)
    assert [manual.turn() for _ in range(50)] == [0] * 50
    manual.runner.set_speed(1.0)
    assert sum(manual.turn() for _ in range(50)) > 0


@pytest.mark.parametrize("speed", [0.01, 0.1, 1.0])
def test_t15_a_speed_that_the_machine_reaches_is_kept(monkeypatch: pytest.MonkeyPatch, speed: float) -> None:
    manual = ManualRunner(monkeypatch, speed)
    manual.settled()
    wall, time = manual.clock.now, manual.simulation.time
    for _ in range(500):
        manual.turn()
    share = (manual.simulation.time - time) / (speed * (manual.clock.now - wall))
    # Whole steps in, whole steps out: one turn of each may be missing.
    assert share == pytest.approx(1.0, abs=0.02 + 2.0 * manual.simulation.dt / (speed * (manual.clock.now - wall)))
    shown = manual.runner.latest()
    assert shown.engine.realtime_factor == pytest.approx(speed, rel=0.1)


def beyond_the_machine(monkeypatch: pytest.MonkeyPatch) -> tuple[ManualRunner, list[float], float]:
    """A runner asked for a thousand times real time; what it shows of its pace, and the pace it has."""
    manual = ManualRunner(monkeypatch, 1000.0)
    manual.settled()
    wall, time, shown = manual.clock.now, manual.simulation.time, []
    for _ in range(150):
        assert manual.turn() <= BATCH_TIME / STEP_COST + 1
        shown.append(manual.runner.latest().engine.realtime_factor)
    return manual, shown, (manual.simulation.time - time) / (manual.clock.now - wall)


def test_t15_a_speed_beyond_the_machine_gives_its_largest_speed_and_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    _, shown, reached = beyond_the_machine(monkeypatch)
    assert reached < 100.0
    assert max(shown) == pytest.approx(reached, rel=0.3)


def test_t15_the_shown_speed_does_not_flicker_on_a_machine_that_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    _, shown, reached = beyond_the_machine(monkeypatch)
    assert min(shown) > 0.3 * reached


@pytest.mark.parametrize("speed", [math.nan, math.inf])
def test_t15_a_speed_that_is_not_finite_does_not_end_the_thread(monkeypatch: pytest.MonkeyPatch, speed: float) -> None:
    manual = ManualRunner(monkeypatch, speed)
    for _ in range(10):
        manual.turn()


def test_t16_a_new_experiment_among_single_steps_drops_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    manual = ManualRunner(monkeypatch, None)
    manual.turn()
    manual.runner.single_step(7)
    manual.runner.send(Start("heap", SMALL, 3))
    manual.runner.send(Act("fill"))
    for _ in range(5):
        manual.turn()
    assert manual.simulation.step == 7
