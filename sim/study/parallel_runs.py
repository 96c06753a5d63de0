"""Many runs in separate processes, for studies: a process that dies loses only the run that it was doing.

Each process does one run after the other: program and compiled engine are loaded once per process. A process pool of
the standard library is not used: if one of its processes is killed, it loses all present and future runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.instruments.instrument import Instrument
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.io.json_text import json_text
from repose.sim.message import Message
from repose.sim.study.child_process import end_with_parent, ignore_interrupts, start_shielded
from repose.sim.wording import sentence_of

SEND_INTERVAL = 0.5
"""Wall time between two progress messages of a run [s]."""
LISTEN_INTERVAL = 0.2
"""Longest wall time until a request to stop is noticed [s]."""


Beside = Callable[["Task"], Mapping[str, Any]]


@dataclass(frozen=True)
class StoredStage:
    """A moment of a run whose grains are stored for a figure."""

    name: str
    """Key in the result of the run."""
    title: str
    """Title of its panel."""
    phase: str
    """Name of the phase of the scene."""
    after: float = 0.0
    """Time from the beginning of the phase [s]; the stage is the first snapshot after this time."""
    share: float | None = None
    """Instead: the stage is the last snapshot of the phase with at most this completed fraction."""


@dataclass(frozen=True)
class Task:
    """One run and the file of its result."""

    scene: str
    values: dict[str, Any]
    seed: int
    name: str
    """The run in words."""
    path: Path
    threads: int | None = 1
    """Threads of the engine; None for automatic."""
    stages: tuple[StoredStage, ...] = ()
    """The result contains the positions of the grains at these stages."""
    beside: Beside | None = None
    """Computes further entries of the result, such as results of another program for the same run."""
    instruments: tuple[Instrument, ...] = ()
    """Instruments that are placed at the beginning."""


Target = Callable[[Task, Connection], None]


@dataclass
class _Worker:
    """A process and the run that it does."""

    process: SpawnProcess
    line: Connection
    task: Task
    words: str = "starting"
    share: float = 0.0
    compiled: bool = False
    trouble: str = ""
    done: bool = False

    def begin(self, task: Task) -> None:
        self.task, self.words, self.share, self.trouble, self.done = task, "starting", 0.0, "", False
        self.line.send(task)


def attended(target: Target, line: Connection) -> None:
    """Do one task after the other in this process, until its parent ends."""
    end_with_parent()
    ignore_interrupts()
    while True:
        try:
            target(line.recv(), line)
            line.send({"done": True})
        except (EOFError, BrokenPipeError):
            return  # the parent process has ended


def work(task: Task, sender: Connection) -> None:
    """Do one run and write its result; sends keywords of `_Worker` meanwhile."""
    try:
        sender.send({"words": "getting the engine ready"})
        write_result(task, sender.send)
    except BrokenPipeError:
        raise
    except Exception as error:
        sender.send({"trouble": sentence_of(error)})


def write_result(task: Task, send: Callable[[dict[str, Any]], None] = lambda message: None) -> None:
    """Do one run in this process and write its result."""
    text = result_text(task, send)
    write_whole_file(task.path, lambda file: file.write(text.encode("utf-8")))


def result_text(task: Task, send: Callable[[dict[str, Any]], None] = lambda message: None) -> str:
    """Do one run in this process; returns the content of its file."""
    return json_text(_result(task, send))


def _result(task: Task, send: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The run's result with what the study of its scene measures, in the unit shown."""
    from repose.sim.experiment.commands import UseThreads
    from repose.sim.experiment.control import apply
    from repose.sim.experiment.headless import run_experiment

    last_sent = 0.0

    def on_progress(words: Message, share: float | None) -> None:
        nonlocal last_sent
        done = whole.at(experiment.phase, share)
        if time.monotonic() - last_sent >= SEND_INTERVAL:
            last_sent = time.monotonic()
            send({"words": str(words), "share": done})

    experiment = new_experiment(task.scene, task.values, task.seed, instruments=task.instruments)
    whole = ShareOfRun(experiment.scene.course.phases)
    apply(experiment, UseThreads(task.threads))
    send({"compiled": True})
    stages = Stages(task.stages) if task.stages else None
    watched: dict[str, Any] = {"on_frame": stages.take, "at_phases": True} if stages else {}
    result = run_experiment(experiment, on_progress=on_progress, **watched)
    study = experiment.scene.study
    point = study.measure(experiment) if study else None
    if study is not None and point is not None:
        value, error = point.value / study.scale, point.error / study.scale
        result["point"] = {"value": value, "error": error, "unit": study.unit, "aside": dict(point.aside)}
    else:
        result["point"] = None
    further = dict(task.beside(task)) if task.beside else {}
    return result | further | ({"stages": stages.taken} if stages else {})


class ShareOfRun:
    """Fraction of a whole run that is done, from the fractions of its phases; it never falls.

    A phase counts for half of what is left at its beginning if another can follow, because nothing is known of its
    length; the last one counts for all of it. A phase without a fraction adds nothing.
    """

    def __init__(self, phases: Sequence[Phase]) -> None:
        self._running = [phase.name for phase in phases if phase.runs]
        self._phase, self._before, self._done = "", 0.0, 0.0

    def at(self, phase: str, share: float | None) -> float:
        """The fraction done once this fraction of the phase is [-]."""
        if phase != self._phase:
            self._phase, self._before = phase, self._done
        if share is not None:
            part = 1.0 if phase in self._running[-1:] else 0.5
            self._done = max(self._done, self._before + part * (1.0 - self._before) * share)
        return self._done


class Stages:
    """Positions of the grains at several stages of a run."""

    BETWEEN = 0.02
    """Simulated time between two checks [s]."""

    def __init__(self, stages: Sequence[StoredStage]) -> None:
        self.taken: dict[str, dict[str, Any]] = {}
        self._stages = stages
        self._phase, self._began = "", 0.0

    def take(self, shot: Snapshot) -> float:
        """Store the snapshot if it is one of the stages; returns the time until the next check [s]."""
        if shot.run.phase.name != self._phase:
            self._phase, self._began = shot.run.phase.name, shot.run.time
        for stage in self._stages:
            if stage.phase != self._phase:
                continue
            if stage.share is not None:
                due = (shot.run.progress or 0.0) <= stage.share
            else:
                due = stage.name not in self.taken and shot.run.time >= self._began + stage.after
            if due:
                self._keep(stage.name, shot)
        return self.BETWEEN

    def _keep(self, stage: str, shot: Snapshot) -> None:
        digits = 7  # a tenth of a micrometre, far below what a picture shows
        self.taken[stage] = {
            "time": shot.run.time,
            "position": [[round(float(x), digits) for x in row] for row in shot.grains.position],
            "radius": [round(float(radius), digits) for radius in shot.grains.radius],
            "fixed": shot.grains.fixed.tolist(),
        }


def run_all(
    tasks: Sequence[Task],
    workers: int,
    *,
    on_progress: Callable[[str, float], None],
    on_end: Callable[[Task, str], Sequence[Task] | None],
    target: Target = work,
) -> None:
    """Do all tasks, `workers` at a time.

    `on_end(task, why it has no result, or "")` is called at the end of each, and returns further tasks or None. The
    first run begins alone until its engine is compiled: the others load it from disk instead of compiling it at the
    same time. An exception of a callback ends all runs.
    """
    waiting, running, idle = list(tasks), list[_Worker](), list[_Worker]()
    compiled, total = False, len(tasks)

    def ended(worker: _Worker, lost: str) -> None:
        nonlocal total
        running.remove(worker)
        more = on_end(worker.task, lost) or ()
        waiting.extend(more)
        total += len(more)

    try:
        while waiting or running:
            while waiting and len(running) < (workers if compiled else 1):
                task = waiting.pop(0)
                if idle:
                    running.append(idle.pop())
                    running[-1].begin(task)
                else:
                    running.append(_start(task, target))
            wait([source for worker in running for source in (worker.line, worker.process.sentinel)], LISTEN_INTERVAL)
            for worker in [*running]:
                alive = worker.process.is_alive()
                _listen(worker)
                compiled = compiled or worker.compiled
                if worker.done:
                    idle.append(worker)
                    ended(worker, "" if worker.task.path.exists() else worker.trouble or "it wrote no result")
                elif not alive:
                    _end(worker)
                    ended(worker, "" if worker.task.path.exists() else _why_lost(worker))
            done = total - len(waiting) - len(running)
            share = (done + sum(worker.share for worker in running)) / max(total, 1)
            on_progress("; ".join(f"{worker.task.name}: {worker.words}" for worker in running) or "all done", share)
    finally:
        for worker in (*running, *idle):
            worker.process.terminate()
        for worker in (*running, *idle):
            _end(worker)


def _start(task: Task, target: Target) -> _Worker:
    context = get_context("spawn")
    line, theirs = context.Pipe()
    process = context.Process(target=attended, args=(target, theirs), daemon=True)
    start_shielded(process)
    theirs.close()  # the worker has its own end; after this end is closed, no further message arrives
    worker = _Worker(process, line, task)
    worker.begin(task)
    return worker


def _listen(worker: _Worker) -> None:
    """Read every message of the worker."""
    try:
        while worker.line.poll():
            for name, value in worker.line.recv().items():
                setattr(worker, name, value)
    except (EOFError, OSError):
        worker.process.join()


def _end(worker: _Worker) -> None:
    worker.process.join()
    worker.line.close()


def _why_lost(worker: _Worker) -> str:
    code = worker.process.exitcode
    killed = f"its process was killed by signal {-code}" if code and code < 0 else f"its process ended with code {code}"
    return worker.trouble or f"{killed}; the same command repeats it"
