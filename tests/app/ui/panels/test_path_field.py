"""The row of a file: typed, dropped, selected in a dialog that can fail; refused in a sentence beside the field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from repose.app.ui import file_dialog
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.parameter_rows import describe
from repose.app.ui.toasts import Toasts
from repose.sim.experiment.commands import SetParameters
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.sim.io.test_mesh import binary, box
from tests.snapshots import put, with_fields


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    snapshot = with_fields(full_snapshot(), parameters=scenes()["vessel"].parameters(), moving_count=0)
    with open_harness(tmp_path, snapshot) as opened:
        opened.click("parameters.more")
        yield opened


@pytest.fixture
def mesh(tmp_path: Path) -> str:
    path = tmp_path / "box.stl"
    path.write_bytes(binary(box()))
    return str(path)


def test_a_path_is_typed(harness: PanelHarness, mesh: str) -> None:
    harness.click("field.mesh")
    harness.write(f'"{mesh}"')
    assert harness.commands == [SetParameters({"mesh": mesh})]


def test_an_unusable_path_is_refused_beside_the_field_and_not_sent(harness: PanelHarness) -> None:
    harness.click("field.mesh")
    harness.write("/nowhere/shape.stl")
    assert harness.commands == []
    assert "there is no such file" in str(harness.ui.control.edits.refusals["mesh"])


def test_escape_leaves_the_old_path(harness: PanelHarness, mesh: str) -> None:
    harness.click("field.mesh")
    harness.write(mesh, key=imgui.Key.escape)
    harness.frame(3)
    assert harness.commands == []
    assert harness.ui.control.edits.refusals == {}


def test_a_right_click_resets_to_the_goblet(harness: PanelHarness, mesh: str) -> None:
    harness.ui.control.edits.set({"mesh": mesh})
    harness.click("field.mesh", button=1)
    assert harness.commands[-1] == SetParameters({"mesh": ""})


def test_the_tooltip_says_what_an_empty_path_means() -> None:
    assert "Default: the goblet." in str(describe(scenes()["vessel"].parameters.declared()["mesh"]))


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


def test_the_path_selected_in_the_dialog_is_set_after_its_answer(
    harness: PanelHarness, mesh: str, dialogs: list
) -> None:
    dialogs.append(Dialog([mesh], open_for=100))
    harness.click("field.mesh.choose")
    assert harness.commands == []
    harness.frame(100)
    assert harness.commands == [SetParameters({"mesh": mesh})]


def test_a_cancelled_dialog_changes_nothing_and_an_open_one_is_closed_at_the_end(
    harness: PanelHarness, dialogs: list
) -> None:
    left = Dialog([], open_for=10_000)
    dialogs += [Dialog([]), left]
    harness.click("field.mesh.choose")
    harness.frame(10)
    harness.click("field.mesh.choose")
    file_dialog.dismiss(harness.ui)
    file_dialog.dismiss(harness.ui)
    assert left.killed
    assert harness.commands == []


def test_without_a_dialog_the_path_can_be_typed(harness: PanelHarness, mesh: str, dialogs: list) -> None:
    harness.click("field.mesh.choose")  # the queue is empty: opening fails
    assert harness.ui.program.broken == {}
    assert "type the path" in str(harness.ui.states[Toasts].shown[-1].text)
    harness.click("field.mesh")
    harness.write(mesh)
    assert harness.commands == [SetParameters({"mesh": mesh})]


def test_a_dropped_file_is_set_or_refused_in_a_sentence(harness: PanelHarness, mesh: str, tmp_path: Path) -> None:
    assert not take_dropped(harness.ui, mesh)
    assert harness.commands == [SetParameters({"mesh": mesh})]
    assert "no such file" in str(take_dropped(harness.ui, str(tmp_path / "none.OBJ")))
    assert "'a.xyz' is not used" in str(take_dropped(harness.ui, "/pictures/a.xyz"))
    put(harness.ui.snapshot, parameters=scenes()["heap"].parameters())
    harness.frame(1)
    assert "'box.stl' is not used" in str(take_dropped(harness.ui, mesh))
    assert len(harness.commands) == 1
