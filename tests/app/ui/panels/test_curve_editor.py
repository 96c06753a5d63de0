"""The editor of a curve over time: what is typed becomes a command, or a refusal that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.ui.curve_editor import CurveDraft
from repose.sim.experiment.commands import SetParameters

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness

FIELDS = ("ramp.0", "ramp.1", "ramp.2", "ramp.3")


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    with open_harness(tmp_path, full_snapshot()) as opened:
        opened.frame(3)
        opened.click("field.friction.curve")
        yield opened


def write(harness: PanelHarness, field: str, text: str) -> None:
    select(harness, field)
    harness.write(text, imgui.Key.tab)
    harness.frame(2)


def select(harness: PanelHarness, field: str) -> None:
    harness.click(f"curve.{field}")
    imgui.get_io().add_key_event(imgui.Key.mod_ctrl, True)
    harness.press(imgui.Key.a)
    imgui.get_io().add_key_event(imgui.Key.mod_ctrl, False)
    harness.frame(2)


def refusal(harness: PanelHarness) -> str:
    return str(harness.ui.states[CurveDraft].refusal)


def test_a_ramp_is_typed_and_set(harness: PanelHarness) -> None:
    for field, text in zip(FIELDS, ("0.2", "0,8", "0", "5"), strict=True):
        write(harness, field, text)
    assert refusal(harness) == ""
    harness.click("curve.set")
    assert harness.commands == [SetParameters({"friction": "ramp 0.2 0.8 0 5"})], "one value has a decimal comma"
    assert "curve.set" not in harness.widgets, "the editor has closed"


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("0.2", "0.8", "5", "5"), "the time 5 s follows 5 s, and times must increase"),
        (("0.2", "2.5", "0", "5"), "it reaches 2.5, and must be"),
        (("0.2", "0.8", "0", "1,5"), "“1,5” has a comma: write 1.5 with a point"),
        (("0.2", "", "0", "5"), "“?” is no number"),
    ],
)
def test_a_curve_that_is_none_is_refused_and_changes_nothing(
    harness: PanelHarness, texts: tuple[str, ...], words: str
) -> None:
    for field, text in zip(FIELDS, texts, strict=True):
        write(harness, field, text) if text else clear(harness, field)
    assert words in refusal(harness)
    harness.click("curve.set")
    assert harness.commands == []
    assert "curve.set" in harness.widgets, "the editor stays"


def clear(harness: PanelHarness, field: str) -> None:
    select(harness, field)
    harness.press(imgui.Key.delete, imgui.Key.tab)


def test_a_table_with_equal_times_is_refused_and_nothing_changes(harness: PanelHarness) -> None:
    harness.ui.states[CurveDraft].kind, harness.ui.states[CurveDraft].lines = "table", "0 0.1\n1 0.2\n1 0.3"
    harness.frame(3)
    assert "the time 1 s follows 1 s" in refusal(harness)
    harness.click("curve.set")
    assert harness.commands == []
