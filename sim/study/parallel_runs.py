"""Many runs in separate processes, for a sweep or a repetition: one that dies does not affect the others.

A process per run instead of a pool: a pool whose process is killed loses every run under way and to come.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.comparison import PREPARED, Point
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.io.json_text import json_text
from repose.sim.study.child_process import end_with_parent, ignore_interrupts, start_shielded

TELL_INTERVAL = 0.5
"""Wall time between two progress messages of a run [s]."""
LISTEN_INTERVAL = 0.2
"""Longest wall time until a request to stop is noticed [s]."""


@dataclass(frozen=True)
class Task:
    """One run and the file its result goes to."""

    scene: str
    values: dict[str, Any]
    seed: int
    at: float
    """Value of what is varied, SI."""
    name: str
    """The run in words."""
    path: Path
    threads: int | None = 1
    """Threads of the engine; None for automatic."""


@dataclass
class _Running:
    task: Task
    process: SpawnProcess
    heard: Connection
    words: str = "starting"
    share: float = 0.0
    compiled: bool = False
    trouble: str = ""


def attended(target: Callable[[Task, Connection], None], task: Task, tell: Connection) -> None:
    """Do the work in this process as long as its parent lives."""
    end_with_parent()
    target(task, tell)


def work(task: Task, tell: Connection) -> None:
    """Do one run and write its result; tells keywords of `_Running` meanwhile."""
    ignore_interrupts()
    try:
        tell.send({"words": "getting the engine ready"})
        text = json_text(_result(task, tell))
        write_whole_file(task.path, lambda file: file.write(text.encode("utf-8")))
    except BrokenPipeError:
        return  # the parent process has ended
    except Exception as error:
        tell.send({"trouble": str(error) or type(error).__name__})


def _result(task: Task, tell: Connection) -> dict[str, Any]:
    """The run's result with its point."""
    from repose.sim.experiment.commands import UseThreads
    from repose.sim.experiment.control import apply
    from repose.sim.experiment.headless import run_experiment

    told = 0.0

    def on_progress(words: str, share: float | None) -> None:
        nonlocal told
        if time.monotonic() - told >= TELL_INTERVAL:
            told = time.monotonic()
            tell.send({"words": words, "share": share or 0.0})

    simulation = new_experiment(task.scene, task.values, task.seed)
    apply(simulation, UseThreads(task.threads))
    tell.send({"compiled": True})
    result = run_experiment(simulation, on_progress=on_progress)
    point = simulation.scene.study.measure(simulation) if simulation.scene.study else None
    # Its conditions are the parameters in the result.
    found = {name: value for name, value in point._asdict().items() if name != "conditions"} if point else None
    return result | {"point": found}


def point_of(task: Task, result: dict[str, Any]) -> Point | None:
    """What a run measured, at the value that is varied; None where it measured nothing."""
    found = result["point"]
    if found is None:
        return None
    error = math.nan if found["error"] is None else found["error"]
    aside = {name: math.nan if value is None else value for name, value in found["aside"].items()}
    prepared = {PREPARED: result.get("ready") is not None}
    return Point(task.at, found["value"], error, aside, {**result.get("parameters", {}), **prepared})


def run_all(
    tasks: Sequence[Task],
    processes: int,
    *,
    on_progress: Callable[[str, float], None],
    on_end: Callable[[Task, str], None],
    target: Callable[[Task, Connection], None] = work,
) -> None:
    """Do all tasks, `processes` at a time; `on_end(task, why it has no result, or "")` is called at the end of each.

    The first run begins alone until its engine is compiled: the others load it from disk instead of compiling it at the
    same time. An exception of a callback ends all runs.
    """
    waiting, running, compiled = list(tasks), list[_Running](), False
    try:
        while waiting or running:
            while waiting and len(running) < (processes if compiled else 1):
                running.append(_start(waiting.pop(0), target))
            wait([source for run in running for source in (run.heard, run.process.sentinel)], LISTEN_INTERVAL)
            for run in [*running]:
                alive = run.process.is_alive()
                _listen(run)
                compiled = compiled or run.compiled
                if not alive:
                    running.remove(run)
                    _end(run)
                    on_end(run.task, _why_lost(run))
            ended = len(tasks) - len(waiting) - len(running)
            share = (ended + sum(run.share for run in running)) / len(tasks)
            on_progress("; ".join(f"{run.task.name}: {run.words}" for run in running) or "all done", share)
    finally:
        for run in running:
            run.process.terminate()
        for run in running:
            _end(run)


def _start(task: Task, target: Callable[[Task, Connection], None]) -> _Running:
    context = get_context("spawn")
    heard, tell = context.Pipe(duplex=False)
    process = context.Process(target=attended, args=(target, task, tell), daemon=True)
    start_shielded(process)
    tell.close()  # the worker has its own end: after that is closed, no message follows
    return _Running(task, process, heard)


def _listen(run: _Running) -> None:
    """Read every message of the worker."""
    try:
        while run.heard.poll():
            for name, value in run.heard.recv().items():
                setattr(run, name, value)
    except (EOFError, OSError):
        run.process.join()


def _end(run: _Running) -> None:
    run.process.join()
    run.heard.close()


def _why_lost(run: _Running) -> str:
    if run.task.path.exists():
        return ""
    code = run.process.exitcode
    killed = f"its process was killed by signal {-code}" if code and code < 0 else f"its process ended with code {code}"
    return run.trouble or f"{killed}; the same command repeats it"
