"""The panel of integrators: its table is readable, and what needs an answer is in front of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.language import NATIVE, use_language
from repose.app.ui.over_picture import MARGIN
from repose.app.ui.panels import all_panels, integrators
from repose.app.ui.panels.integrators import HEAD, PLOT
from repose.app.ui.questions import ask
from repose.sim.study.integrator_errors import Errors

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness

LOW = 1024, 640
"""Size of a small window [px]."""


@pytest.fixture
def low(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PanelHarness]:
    """The panel in a small window."""
    shares = integrators.np.array([0.01, 0.1, 1.0])
    monkeypatch.setattr(integrators, "collision_errors", lambda *_: Errors(shares, 0.00999 * shares, 0.318))
    with open_harness(tmp_path, full_snapshot(), size=LOW) as harness:
        harness.ui.mode.overlay = "integrators"
        harness.frame(12)
        yield harness


@pytest.mark.parametrize("language", sorted(NATIVE))
@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_no_column_of_the_table_is_cut_in_any_language(low: PanelHarness, language: str, scale: float) -> None:
    use_language(language)
    try:
        low.ui.window.scale = imgui.get_style().font_scale_main = scale
        low.frame(12)
        right = low.ui.window.size[0] - low.ui.window.inset[2] - MARGIN * scale
        for head in HEAD:
            assert low.widgets[f"integrators.{head}"][2] <= right, (head, low.widgets[f"integrators.{head}"], right)
        left, _, end, _ = low.widgets["integrators.plot"]
        assert end - left >= PLOT
    finally:
        use_language("en")


@pytest.mark.parametrize("panel", [panel.name for panel in all_panels() if panel.side == "over"])
def test_a_question_is_answered_by_a_click_in_front_of_every_panel(low: PanelHarness, panel: str) -> None:
    ui, done = low.ui, []
    ui.mode.overlay = ""
    ask(ui, "Start the scene? It replaces the run in the window.", "Start", lambda: done.append("started"))
    low.frame(5)
    ui.mode.overlay, ui.mode.help_open = panel, panel == "help"
    low.frame(5)
    low.click("question.yes")
    assert done == ["started"]
