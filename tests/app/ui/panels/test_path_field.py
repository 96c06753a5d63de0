"""The row of a file: typed, dropped, chosen in a dialog that may fail; refused in words beside the field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from repose.app.ui import file_dialog
from repose.app.ui.fields import describe
from repose.app.ui.path_field import close_dialog, take_dropped
from repose.sim.experiment.commands import SetParameters
from repose.sim.registry import scenes

from tests.app.ui.panels.stage import Stage, full_snapshot, open_stage
from tests.sim.io.test_mesh import binary, box


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    snapshot = replace(full_snapshot(), parameters=scenes()["vessel"].parameters(), moving_count=0)
    with open_stage(tmp_path, snapshot) as opened:
        opened.click("parameters.more")
        yield opened


@pytest.fixture
def mesh(tmp_path: Path) -> str:
    path = tmp_path / "box.stl"
    path.write_bytes(binary(box()))
    return str(path)


def test_a_path_is_typed(stage: Stage, mesh: str) -> None:
    stage.click("field.mesh")
    stage.write(f'"{mesh}"')
    assert stage.commands == [SetParameters({"mesh": mesh})]


def test_a_path_that_cannot_be_used_is_refused_beside_the_field_and_not_sent(stage: Stage) -> None:
    stage.click("field.mesh")
    stage.write("/nowhere/shape.stl")
    assert stage.commands == []
    assert "there is no such file" in stage.ui.edits.refusals["mesh"]


def test_escape_leaves_the_old_path(stage: Stage, mesh: str) -> None:
    stage.click("field.mesh")
    stage.write(mesh, key=imgui.Key.escape)
    stage.frame(3)
    assert stage.commands == []
    assert stage.ui.edits.refusals == {}


def test_a_right_click_brings_the_goblet_back(stage: Stage, mesh: str) -> None:
    stage.ui.edits.set({"mesh": mesh})
    stage.click("field.mesh", button=1)
    assert stage.commands[-1] == SetParameters({"mesh": ""})


def test_the_tooltip_says_what_stands_for_no_file() -> None:
    assert "Default: the goblet." in describe(scenes()["vessel"].parameters.declared()["mesh"])


class Dialog:
    """A dialog of the system, as it answers."""

    def __init__(self, answers: list[str], open_for: int = 3) -> None:
        self.answers, self.open_for, self.killed = answers, open_for, False

    def ready(self, timeout: int) -> bool:
        assert timeout == 0, "the frame must not wait"
        self.open_for -= 1
        return self.open_for < 0

    def result(self) -> list[str]:
        return self.answers

    def kill(self) -> bool:
        self.killed = True
        return True


@pytest.fixture
def dialogs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    from imgui_bundle import portable_file_dialogs

    queue: list[Any] = []
    monkeypatch.setattr(portable_file_dialogs, "open_file", lambda *asked: queue.pop(0))
    monkeypatch.setattr(file_dialog, "why_none", lambda: "")
    return queue


def test_what_is_chosen_in_the_dialog_is_set_once_it_is_answered(stage: Stage, mesh: str, dialogs: list) -> None:
    dialogs.append(Dialog([mesh], open_for=100))
    stage.click("field.mesh.choose")
    assert stage.commands == []
    stage.frame(100)
    assert stage.commands == [SetParameters({"mesh": mesh})]


def test_a_dialog_dismissed_changes_nothing_and_one_left_open_is_closed_at_the_end(stage: Stage, dialogs: list) -> None:
    left = Dialog([], open_for=10_000)
    dialogs += [Dialog([]), left]
    stage.click("field.mesh.choose")
    stage.frame(10)
    stage.click("field.mesh.choose")
    close_dialog(stage.ui)
    close_dialog(stage.ui)
    assert left.killed
    assert stage.commands == []


def test_a_desktop_that_has_no_dialog_leaves_the_typed_path(stage: Stage, mesh: str, dialogs: list) -> None:
    stage.click("field.mesh.choose")  # the queue is empty: opening fails
    assert stage.ui.broken == {}
    stage.click("field.mesh")
    stage.write(mesh)
    assert stage.commands == [SetParameters({"mesh": mesh})]


def test_a_dropped_file_is_set_or_refused_in_words(stage: Stage, mesh: str, tmp_path: Path) -> None:
    assert take_dropped(stage.ui, mesh) == ""
    assert stage.commands == [SetParameters({"mesh": mesh})]
    assert "no such file" in take_dropped(stage.ui, str(tmp_path / "none.OBJ"))
    assert "'a.png' is not used" in take_dropped(stage.ui, "/pictures/a.png")
    stage.ui.snapshot.parameters = scenes()["heap"].parameters()
    assert "'box.stl' is not used" in take_dropped(stage.ui, mesh)
    assert len(stage.commands) == 1
