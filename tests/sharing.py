"""Distribution of tests to workers: compiling takes most of the time, and most of it is the same for all loops.

All experiments share the step loop, and those of one dimension what finds neighbours. So one worker compiles all of it,
and the others read it from disk; meanwhile those begin with what needs none of it, and with what takes longest.
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

COMPILING = (
    "tests/sim/experiment/test_faults.py",
    "tests/sim/test_scenes.py",
    "tests/sim/engine/neighbours/test_verlet_list.py",
    "tests/reliability/test_t_step_threads.py",
    "tests/sim/test_heap_rotation.py",
    "tests/sim/test_start_up.py",
    "tests/reliability/test_t_everything.py",
)
"""Between them they need every loop there is, the heap's first. One that is forgotten here costs time only."""

FIRST = (
    "tests/sim/test_law_contract.py",
    "tests/sim/engine/timestep/test_stable_step.py",
    "tests/sim/engine/timestep/test_survey.py",
    "tests/reliability/test_i_frames.py",
    "tests/verification/test_ratcheting.py",
    "tests/gui/test_window.py",
    "tests/gui/test_scenes_and_plots.py",
    "tests/gui/test_saved_runs.py",
    "tests/gui/test_space.py",
    "tests/gui/test_lecture.py",
    "tests/gui/test_workshop.py",
    "tests/test_wheel.py",
    "tests/app/jobs/test_selftest.py",
    "tests/sim/engine/test_jit.py",
    "tests/reliability/test_l_heaps_in_a_row.py",
    "tests/reliability/test_s_mutated_runs.py",
    "tests/app/test_signals.py",
)
"""For the other workers: a minute without any loop, then windows, those of scenes whose loops are compiled late at the
end; then files of few tests that take long, so that no worker begins such a file when the others are done."""


ROOT = Path(__file__).resolve().parent.parent


def rewrite_in_turn(places: Iterable[Path]) -> None:
    """Import the test files at these places in an order that differs between workers.

    pytest rewrites the assertions of a file at its first import and keeps the result on disk. In a fresh checkout
    workers that import in the same order all rewrite the same file at the same time.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    files = sorted(
        {file for position in places for file in ([position] if position.is_file() else position.rglob("test_*.py"))}
    )
    number, count = int(os.environ["PYTEST_XDIST_WORKER"][2:]), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    begin = len(files) * number // count
    for file in files[begin:] + files[:begin]:
        with suppress(Exception):  # whatever is wrong with a file, pytest says so when it collects it
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


class OneCompiles(LoadFileScheduling):
    """As `--dist=loadfile`, but that the files which compile are one piece of work."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return COMPILING[0] if file in COMPILING else file


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests in the order in which workers take them: the rest with the largest files first."""
    files = [item.nodeid.split("::")[0] for item in items]
    counts = Counter(files)
    rank = {file: index for index, file in enumerate(COMPILING + FIRST)}
    keys = {file: (rank.get(file, len(rank)), -counts[file], index) for index, file in enumerate(counts)}
    return [item for _, item in sorted(zip(files, items), key=lambda pair: keys[pair[0]])]
