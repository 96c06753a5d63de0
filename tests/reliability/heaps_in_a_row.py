"""Resources of a process after each of many small heaps."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import NamedTuple

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, UseThreads
from repose.sim.experiment.runner import Runner

SMALL = {"grain_count": 40, "width": 0.015}
PATIENCE = 60.0
"""Longest wall time for a request to the physics thread [s]; for a new process five times as long."""


class InUse(NamedTuple):
    """Resources of this process."""

    memory: float
    """Resident memory [MB], 0 where the system does not report it."""
    threads: int
    files: int
    """Open files, 0 where the system does not report them."""


def in_use() -> InUse:
    """Resources of this process now."""
    gc.collect()
    try:
        pages, files = int(Path("/proc/self/statm").read_text().split()[1]), len(os.listdir("/proc/self/fd"))
    except OSError:
        return InUse(0.0, threading.active_count(), 0)
    return InUse(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, threading.active_count(), files)


@cache
def heaps_in_a_row(count: int = 20) -> tuple[InUse, ...]:
    """Resources of a new process after each of `count` small heaps. An older process reuses memory that it has freed
    before, which hides growth."""
    code = f"import json; from tests.reliability.heaps_in_a_row import do_heaps; print(json.dumps(do_heaps({count})))"
    return tuple(InUse(*held) for held in json.loads(output_of(code).splitlines()[-1]))


def do_heaps(count: int) -> list[InUse]:
    """Resources of this process after each of `count` small heaps that two threads step."""
    held, waiting = [], threading.Event()
    for seed in range(count):
        runner = Runner(lambda seed=seed: new_experiment("heap", SMALL, seed))  # type: ignore[misc]
        for command in (UseThreads(2), Act("run")):
            runner.send(command)
        runner.start()
        for _ in range(round(PATIENCE / 0.01)):
            if runner.latest().run.step >= 200 or runner.dead:
                break
            waiting.wait(0.01)
        shown = runner.latest()
        runner.stop()
        if shown.run.step < 200 or shown.messages.fault is not None:
            raise RuntimeError(f"Heap {seed + 1} of {count} stopped at step {shown.run.step}.")
        held.append(in_use())
    return held


def output_of(code: str) -> str:
    """Standard output of a new process that executes `code`."""
    folder = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * PATIENCE, check=True, cwd=folder)
    return done.stdout
