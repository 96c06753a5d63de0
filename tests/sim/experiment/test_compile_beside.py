"""What a process beside the first one compiles, and when none is started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repose.sim.engine.composition import Kind
from repose.sim.experiment import compile_beside as beside
from repose.sim.registry import laws, scenes
from repose.sim.study.preparation import needed_by

HEAP = needed_by("heap", {"grain_count": 3})
NUMBERS = laws()[HEAP.law].coefficients(scenes()["heap"].parameters.checked(HEAP.values))


class FakeProcess:
    """A process that only notes what it is told."""

    def __init__(self, told: list[str]) -> None:
        self.told, self.stdin = told, self

    def write(self, line: str) -> None:
        self.told.append(line)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize(("stored", "processors"), [(True, 2), (False, 1), (False, 2)])
def test_a_process_is_started_where_something_is_missing_and_a_processor_is_free(
    stored: bool, processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(beside, "is_stored", lambda part: stored)
    monkeypatch.setattr(beside, "available", lambda: processors)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: FakeProcess(told))
    monkeypatch.setattr(beside, "_await", lambda process: None)
    beside.compile_beside(HEAP.model, NUMBERS, "heap", {"grain_count": 3}, Kind(walled=False, periodic=True))
    expected = {"scene": "heap", "values": {"grain_count": 3}, "walled": False, "periodic": True}
    assert [json.loads(line) for line in told] == ([expected] if not stored and processors > 1 else [])


def test_where_no_process_can_be_started_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(beside, "is_stored", lambda part: False)
    monkeypatch.setattr(beside, "available", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    beside.compile_beside(HEAP.model, NUMBERS, "heap", {}, Kind(walled=False, periodic=False))


@pytest.mark.slow
@pytest.mark.parametrize("periodic", [False, True])
def test_the_process_compiles_what_the_loop_does_not_need_at_once(tmp_path: Path, periodic: bool) -> None:
    request = json.dumps({"scene": "heap", "values": {"grain_count": 3}, "walled": True, "periodic": periodic})
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", beside.CODE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdin is not None
        process.stdin.write(request + "\n")
        process.stdin.flush()  # and not closed: the process ends with its parent
        assert process.wait() == 0
    names = {path.name.split("-")[0].rsplit(".", 1)[-1] for path in tmp_path.rglob("*.nbi")}
    of_walls = {"refresh_wall_list", "search_acting", "record_wall_energy"}
    assert names == {"moved_too_far", "renew_lists", "survey_all", "fill", "evaluate", "add_field_forces"} | of_walls
