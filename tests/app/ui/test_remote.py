"""The remote acts as the buttons of the window do: same commands, same undo, same questions, same refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from repose.app.audience.pages import in_language
from repose.app.language import read_language
from repose.app.lectures.lecture_file import parse
from repose.app.ui import remote
from repose.app.ui.field_values import value_at
from repose.app.ui.panels.presentation import shown_parameters
from repose.app.ui.questions import open_question
from repose.app.ui.toasts import Toasts
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields


def do(harness: PanelHarness, **action: Any) -> list[bool]:
    shown: list[bool] = []
    remote.carry_out(harness.ui, action, shown.append)
    return shown


def rows(harness: PanelHarness) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in remote.state(harness.ui, 0.0)["parameters"]}


def see(harness: PanelHarness) -> None:
    harness.ui.control.edits.see(harness.ui.snapshot)


def test_the_state_is_data_in_any_language(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        see(harness)
        state = remote.state(harness.ui, 0.0)
        for code in ("en", "de"):
            told = json.loads(json.dumps(in_language(state, read_language(code))))
            assert told["actions"][1]["name"] == "open"
            assert told["parameters"][0]["ends"]
            assert len(told["speeds"]) > 5


def test_an_action_is_that_of_the_button_and_refused_where_the_button_is(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        do(harness, do="act", name="open")
        assert harness.commands == [Act("open")]
        do(harness, do="act", name="fill")
        do(harness, do="act", name="__class__")
        assert harness.commands == [Act("open")], "the button is not enabled, or there is none"
        assert harness.ui.states[Toasts].shown[-1].bad


def test_a_slider_has_the_values_and_the_undo_of_the_window(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        see(harness)
        parameter = next(entry for entry in shown_parameters(harness.ui) if entry.name == "friction")
        for position in (0.2, 0.3, 0.4):
            do(harness, do="set", name="friction", value=position, drag=1)
        sent = [command.values["friction"] for command in harness.commands if isinstance(command, SetParameters)]
        assert sent == [value_at(parameter, position) for position in (0.2, 0.3, 0.4)]
        assert len(harness.ui.control.edits.history.undoable) == 1, "one drag is undone at once"
        do(harness, do="set", name="friction", value=0.5, drag=2)
        assert len(harness.ui.control.edits.history.undoable) == 2


def test_a_change_that_removes_the_grains_asks_as_in_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shot = with_fields(full_snapshot(), scene="vessel", parameters=scenes()["vessel"].parameters())
    with open_harness(tmp_path, shot) as harness:
        see(harness)
        declared = harness.ui.control.edits.parameters
        assert declared is not None
        entries = [entry for entry in declared.declared().values() if entry.quantity.effect == "anew"]
        monkeypatch.setattr(remote, "shown_parameters", lambda ui: tuple(entries))
        anew = next(entry.name for entry in entries if entry.kind in ("float", "int"))
        do(harness, do="set", name=anew, value=0.9, drag=1)
        assert harness.commands == []
        question = open_question(harness.ui)
        assert question is not None
        assert remote.state(harness.ui, 0.0)["question"] == {"text": question.text, "yes": question.yes}
        do(harness, do="no")
        assert open_question(harness.ui) is None
        assert harness.commands == []
        do(harness, do="set", name=anew, value=0.9, drag=2)
        do(harness, do="yes")
        assert [type(command) for command in harness.commands] == [SetParameters]


@pytest.mark.parametrize(
    "action",
    [
        {"do": "set", "name": "young", "value": "1e9"},
        {"do": "set", "name": "friction", "value": 2.0},
        {"do": "set", "name": "friction", "value": float("nan")},
        {"do": "set", "name": "friction", "value": True},
        {"do": "set", "name": "friction", "value": "ramp 0 1 0 1"},
        {"do": "set", "name": "__init__", "value": 0.5},
        {"do": "set"},
        {"do": "speed", "value": 99},
        {"do": "speed", "value": -1},
        {"do": "speed", "value": True},
        {"do": "pause", "value": "x"},
        {"do": "quit"},
        {"do": "yes"},
        {"do": ""},
    ],
)
def test_what_the_window_does_not_offer_changes_nothing(tmp_path: Path, action: dict[str, Any]) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        see(harness)
        index, paused = harness.ui.control.transport.index, harness.ui.control.transport.paused
        assert do(harness, **action) == []
        assert harness.commands == []
        assert (harness.ui.control.transport.index, harness.ui.control.transport.paused) == (index, paused)
        assert harness.ui.states[Toasts].shown[-1].bad


def test_pause_speed_and_answers(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        do(harness, do="pause", value=True)
        assert harness.ui.control.transport.paused
        do(harness, do="speed", value=3)
        assert harness.ui.control.transport.index == 3
        assert do(harness, do="answers", value=True) == [True]


def test_a_lecture_is_controlled_and_its_notes_are_told(tmp_path: Path) -> None:
    step = '[[step]]\ntitle = "A"\nscene = "heap"\nnotes = "Ask first."\ncontrols = ["friction"]\n'
    with open_harness(tmp_path, full_snapshot()) as harness:
        see(harness)
        mode = harness.ui.mode.lecture
        mode.lecture = parse(step + step.replace('"A"', '"B"'), "mine")
        assert remote.state(harness.ui, 0.0)["offered"]
        do(harness, do="begin")
        mode.on = True
        state = remote.state(harness.ui, 0.0)
        assert state["step"] == {"number": 1, "count": 2, "title": "A", "next": "B"}
        assert state["notes"] == "Ask first."
        assert [row["name"] for row in state["parameters"]] == ["friction"]
        do(harness, do="next")
        do(harness, do="back")
        assert mode.wishes == ["begin", "forward", "back"]
