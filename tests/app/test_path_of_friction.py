"""A change of friction passes from the slider to the numbers that the force reads through few files, each once."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from repose.app.window.physics import Physics
from repose.sim import registry
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Command

from tests.app.ui.panels.panel_harness import full_snapshot, open_harness

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 8


def files_on_stack() -> list[str]:
    """Files of the program on the call stack, the outermost call first, consecutive calls of one file counted once."""
    frame, files = sys._getframe(1), []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT / "app") or path.is_relative_to(ROOT / "sim"):
            files.append(path.relative_to(ROOT).as_posix())
        frame = frame.f_back
    return [name for name, _ in groupby(reversed(files))]


class NotedQueue:
    """A queue that notes through which files a command came."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.commands: list[Command] = []

    def put(self, command: Command) -> None:
        self.path = files_on_stack()
        self.commands.append(command)

    def empty(self) -> bool:
        return not self.commands

    def get(self) -> Command:
        return self.commands.pop(0)


def noted(numbers: Callable[..., Any], path: list[str]) -> Callable[..., Any]:
    """The function `numbers` of a law, which also notes through which files its parameters came."""

    def numbers_of(parameters: Any) -> Any:
        law = Path(inspect.getfile(numbers)).relative_to(ROOT).as_posix()
        path[:] = [*files_on_stack(), law]
        return numbers(parameters)

    return numbers_of


def test_friction_passes_from_slider_to_force_through_at_most_eight_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    physics, queue = Physics("heap", {}, 1), NotedQueue()
    monkeypatch.setattr(physics._runner, "_commands", queue)
    with open_harness(tmp_path, full_snapshot()) as harness:
        harness.ui.control.edits.send = physics.send
        harness.drag("field.friction", 0.1, 0.6, stops=1)
    to_queue = queue.path[queue.path.index("app/ui/parameter_rows.py") :]
    to_law: list[str] = []
    law = registry.laws()["lee_herrmann"]
    experiment = new_experiment("heap", {"grain_count": 4, "width": 0.015})
    monkeypatch.setitem(registry.laws(), law.name, replace(law, coefficients=noted(law.coefficients, to_law)))
    physics._runner._together.runs.append(experiment)
    physics._runner._carry_out_commands()
    assert experiment.engine.law_parameters.friction == experiment.parameters.friction > 0.5
    path = [*to_queue, *to_law[to_law.index(to_queue[-1]) + 1 :]]
    assert len(path) == len(set(path)) <= MOST_FILES, path
