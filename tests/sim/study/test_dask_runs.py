"""Runs with Dask: the same bits as here, workers that die, other versions, schedulers that do not answer."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from repose.sim.parameters import ParameterError
from repose.sim.study import dask_runs
from repose.sim.study.dask_runs import connect, differing, identity, run_on_dask
from repose.sim.study.parallel_runs import Task, write_result

from tests.app.program import UNIX, start

NOTHING_LISTENS = "tcp://127.0.0.1:9"


def tasks(folder: Path, seeds: int) -> list[Task]:
    values = {"grain_count": 12, "width": 0.012}
    return [Task("heap", values, seed, f"seed {seed}", folder / f"{seed}.json") for seed in range(1, seeds + 1)]


def done(address: str, wanted: list[Task], on_progress: Any = lambda words, share: None) -> dict[str, str]:
    """Why each of the tasks has no result, or an empty string."""
    found: dict[str, str] = {}

    def on_end(task: Task, lost: str) -> None:
        found[task.name] = lost

    run_on_dask(address, wanted, 0, on_progress=on_progress, on_end=on_end)
    return found


def test_a_difference_of_versions_is_named() -> None:
    ours = identity()
    assert differing(ours, ours, "host") == ""
    assert differing(ours, {**ours, "numba": "0.1"}, "host") == (
        f"the worker host has numba 0.1, and this machine {ours['numba']}: use equal versions."
    )
    with pytest.raises(ParameterError, match=r"engine .*, and this machine 0"):
        dask_runs.remote(tasks(Path(), 1)[0], {**ours, "engine": "0"})


class FutureCancelledError(Exception):
    """Named as that of distributed, raised by a run whose scheduler has ended."""


def test_a_run_whose_scheduler_has_ended_is_lost_with_a_sentence_that_says_how_to_continue() -> None:
    error = FutureCancelledError("remote-1 cancelled for reason: scheduler-connection-lost.\nClient lost it.")
    assert dask_runs._first_sentence(error) == "the scheduler is gone; the same command with --resume repeats it"
    assert dask_runs._first_sentence(ValueError("No room.\nTraceback")) == "No room."


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_runs, "PATIENCE", 0.5)
    for address in (NOTHING_LISTENS, "nonsense://"):
        with pytest.raises(ParameterError, match=r"no scheduler answers there"):
            connect(address)


@pytest.mark.slow
def test_a_server_that_is_no_scheduler_is_refused_in_a_sentence() -> None:
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as caller:
                caller.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(ParameterError, match=r"is no scheduler of Dask"):
            connect(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        answering.join()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_bits_of_this_machine_also_when_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    here, there, again = (tmp_path / name for name in ("here", "there", "again"))
    for folder in (here, there, again):
        folder.mkdir()
    for task in tasks(here, 3):
        write_result(task)
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert done(address, tasks(there, 3)) == {"seed 1": "", "seed 2": "", "seed 3": ""}
        for seed in (1, 2, 3):
            assert (there / f"{seed}.json").read_bytes() == (here / f"{seed}.json").read_bytes()

        killed: list[int] = []

        def kill_one(words: str, share: float) -> None:
            if not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        assert set(done(address, tasks(again, 3), kill_one).values()) == {""}
        assert killed
        for seed in (1, 2, 3):
            assert (again / f"{seed}.json").read_bytes() == (here / f"{seed}.json").read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_of_other_versions_are_refused_before_any_run(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as cluster:
        ours = identity()
        monkeypatch.setattr(dask_runs, "differing", lambda a, b, who: differing({**ours, "repose": "9"}, b, who))
        with pytest.raises(ParameterError, match=r"has repose .*, and this machine 9"):
            connect(cluster.scheduler_address)


STUDY = """
scene = "heap"
seeds = 2
[values]
grain_count = 12
width = 0.012
"""


@pytest.mark.slow
@UNIX
def test_the_loss_of_the_scheduler_is_told_in_sentences_without_tracebacks(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "two.toml").write_text(STUDY)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    port = address.rpartition(":")[2]
    part = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port]
    scheduler = subprocess.Popen([*part, "--no-dashboard"], **quiet)
    part = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--death-timeout", "60"]
    worker = subprocess.Popen([*part, "--no-dashboard"], **quiet)
    program = start(["study", "two.toml", "--dask", address, "--out", "out", "--no-picture"], tmp_path)
    try:
        assert program.stderr is not None
        lines = []
        for line in program.stderr:
            lines.append(line)
            if "runs with" in line:
                break
        scheduler.kill()
        _, told = program.communicate(timeout=120)
    finally:
        for process in (scheduler, worker, program):
            process.kill()
            process.wait()
    told = "".join(lines) + told
    assert "Traceback" not in told
    assert "the scheduler is gone; the same command with --resume repeats it" in told
    assert program.returncode == 3
