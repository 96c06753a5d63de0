"""Runs in separate processes: a killed one ends no other, a process does several, none outlives its parent; the share
done of a run never falls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from repose.sim.study import parallel_runs
from repose.sim.study.parallel_runs import Task, result_text, run_all

from tests.app.program import UNIX


def dies_once(task: Task, tell: Connection) -> None:
    """A worker that is killed at seed 1, refuses seed 2 and is fine otherwise."""
    tell.send({"compiled": True})
    if task.seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if task.seed == 2:
        tell.send({"trouble": "No."})
        return
    task.path.write_text("{}")


@UNIX
def test_a_killed_process_ends_no_other_run(tmp_path: Path) -> None:
    wanted = [Task("hourglass", {}, seed, f"run {seed}", tmp_path / str(seed)) for seed in range(1, 4)]
    ended: dict[str, str] = {}
    run_all(
        wanted,
        2,
        on_progress=lambda words, share: None,
        on_end=lambda task, lost: ended.update({task.name: lost}),
        target=dies_once,
    )
    assert "killed by signal 9" in ended.pop("run 1")
    assert ended == {"run 2": "No.", "run 3": ""}


def never_tells(task: Task, tell: Connection) -> None:
    """A worker that is busy for long without a word, as with compiling."""
    tell.send({"words": "busy"})
    time.sleep(60.0)


ORPHANING = """
from pathlib import Path
from repose.sim.study.parallel_runs import Task, run_all
from tests.sim.study.test_parallel_runs import never_tells
if __name__ == "__main__":
    task = Task("heap", {}, 1, "run", Path("result"))
    run_all([task], 1, on_progress=lambda *told: print(*told, flush=True), on_end=print, target=never_tells)
"""


def test_a_worker_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "sweep.py"
    script.write_text(ORPHANING)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    parent = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    with parent:
        assert parent.stdout is not None
        while b"busy" not in parent.stdout.readline():
            assert parent.poll() is None
        parent.kill()
        rest = threading.Thread(target=parent.stdout.read, daemon=True)
        rest.start()
        rest.join(30.0)  # the output ends with the last process that has it open
        assert not rest.is_alive(), "the worker lives on"


def says_its_process(task: Task, tell: Connection) -> None:
    tell.send({"compiled": True})
    task.path.write_text(str(os.getpid()))


def test_a_process_does_several_runs_and_runs_are_added_while_others_end(tmp_path: Path) -> None:
    def task(number: int) -> Task:
        return Task("heap", {}, number, f"run {number}", tmp_path / str(number))

    shares: list[float] = []
    run_all(
        [task(1), task(2)],
        1,
        on_progress=lambda words, share: shares.append(share),
        on_end=lambda ended, lost: [task(ended.seed + 2)] if ended.seed < 4 else None,
        target=says_its_process,
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "3", "4", "5"]
    assert len({path.read_text() for path in tmp_path.iterdir()}) == 1
    assert max(shares) <= 1.0


def test_the_share_done_of_a_run_rises_through_all_phases_and_never_falls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A phase whose end nobody can foresee, such as the flow through the open wall, has no share of its own."""
    monkeypatch.setattr(parallel_runs, "SEND_INTERVAL", 0.0)
    told: list[float] = []
    result_text(
        Task("heap", {"grain_count": 60}, 1, "run", tmp_path / "run.json"),
        lambda news: told.append(news["share"]) if "share" in news else None,
    )
    assert told == sorted(told)
    assert told[0] < 0.1
    assert 0.4 < told[-1] < 1.0  # the container was filled, with the flow to follow
