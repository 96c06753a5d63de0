"""A panel that fails shows a sentence in its place; the window and all other panels continue."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui, implot
from repose.app.lectures.lecture_file import load
from repose.app.storage.photo_files import Photo
from repose.app.ui import layout
from repose.app.ui.compared_photo import ComparedPhoto
from repose.app.ui.panels import Panel, all_panels
from repose.app.ui.places import StabilityArea
from repose.app.ui.ui import Ui
from repose.sim.measure.display import Outcome

from tests.app.ui.panels import panel_faults
from tests.app.ui.panels.panel_faults import OPENED, WAYS, bare_imgui, bare_ui, open_all, try_panel
from tests.app.ui.panels.panel_harness import full_snapshot, open_harness
from tests.snapshots import with_fields

ROOT = Path(__file__).resolve().parents[4]
every_panel = pytest.mark.parametrize("panel", all_panels(), ids=lambda panel: panel.name)


@every_panel
@pytest.mark.parametrize("way", WAYS)
def test_any_panel_can_fail_in_any_call_with_nested_calls_open(panel: Panel, way: str) -> None:
    with bare_ui(full_snapshot()) as ui:
        assert try_panel(ui, panel, way, lambda: None) == ""
        assert try_panel(ui, panel, way, open_all) == ""


@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize("name", ["experiment", "plots", "view", "transport", "notices"])
def test_what_a_panel_leaves_open_is_closed_for_it(name: str, opened: str) -> None:
    (panel,) = (panel for panel in all_panels() if panel.name == name)
    with bare_ui(full_snapshot()) as ui:
        assert try_panel(ui, panel, "second", OPENED[opened]) == ""


@pytest.mark.parametrize("opened", [name for name in OPENED if name != "nothing"])
def test_calls_left_open_on_purpose_are_open(opened: str) -> None:
    stacks: list[Any] = []

    def draw(ui: Ui) -> None:
        before = imgui.internal.ErrorRecoveryState()
        imgui.internal.error_recovery_store_state(before)
        imgui.begin("around")
        stacks.append(standing())
        OPENED[opened]()
        stacks.append(standing())
        layout._recover(before)

    with bare_imgui(), bare_ui(full_snapshot()) as ui:
        panel_faults.bare_frame(ui, draw)
    assert stacks[0] != stacks[1]


def standing() -> tuple[Any, ...]:
    """How much of everything is open."""
    state = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(state)
    sizes = [getattr(state, name) for name in dir(state) if name.startswith("size_of")]
    inner = imgui.internal.get_current_table, imgui.internal.get_current_tab_bar, implot.internal.get_current_plot
    return *sizes, *(look() is not None for look in inner)


@pytest.mark.parametrize(
    "panel", [panel for panel in all_panels() if panel.side != "low"], ids=lambda panel: panel.name
)
def test_a_panel_may_fail_at_any_of_its_widgets(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between whatever the panel itself has begun there."""
    with bare_ui(full_snapshot()) as ui:
        marked, due = 0, range(0)
        plain = {name: getattr(ui.probe, name) for name in ("mark", "mark_area")}

        def counted(act: Callable[..., None]) -> Callable[..., None]:
            def mark(*given: Any) -> None:
                nonlocal marked
                act(*given)
                marked += 1
                if marked in due:
                    raise panel_faults.Mistake("on purpose\nand more")

            return mark

        def draw(ui: Ui) -> None:
            nonlocal marked
            marked = 0
            for name, act in plain.items():
                monkeypatch.setattr(ui.probe, name, counted(act))
            try:
                panel.draw(ui)
            finally:
                for name, act in plain.items():
                    monkeypatch.setattr(ui.probe, name, act)

        watched = replace(panel, draw=draw)
        panels = tuple(watched if entry is panel else entry for entry in all_panels())
        monkeypatch.setattr(layout, "all_panels", lambda: panels)
        monkeypatch.setattr(layout.log, "disabled", True)
        ui.settings.choices.tabs = {"tab": panel.name}
        ui.mode.overlay = panel.name
        ui.mode.presenting = panel.name == "presentation"
        if panel.name == "task":  # drawn in scenes that state outcomes
            ui.snapshot = with_fields(ui.snapshot, outcomes=(Outcome("it_holds", "it holds", "1 m", "2 m", False),))
        if panel.name == "guess":  # drawn in scenes that ask for one
            ui.snapshot = with_fields(ui.snapshot, scene="drum")
        if panel.name == "lecture":  # drawn while one is shown
            ui.mode.lecture.lecture, ui.mode.lecture.on = load("heap-slope"), True
        if panel.name == "photo_over_picture":  # takes the mouse while clicks on a photograph are awaited
            photo = ui.states[ComparedPhoto]
            photo.photo, photo.picking = Photo("heap", np.zeros((60, 80, 3), np.uint8), 1.0, (80, 60)), "scale"
            ui.mode.overlay = "photo"
        ui.states[StabilityArea].shown = True
        with bare_imgui():
            panel_faults.apply(ui.palette, ui.window.scale)
            for _ in range(3):
                panel_faults.bare_frame(ui)
            most = marked
            assert most > 0
            for call in range(1, most + 1):
                due = range(call, call + 1)
                panel_faults.bare_frame(ui)
                assert ui.program.broken.pop(panel.name) == "Mistake: on purpose"


def test_the_window_continues_when_all_panels_fail_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(ui: Ui) -> Any:
        open_all()
        raise panel_faults.Mistake("on purpose")

    panels = tuple(replace(entry, draw=fail) for entry in all_panels())
    monkeypatch.setattr(layout, "all_panels", lambda: panels)
    monkeypatch.setattr(layout.log, "disabled", True)
    with bare_imgui(), bare_ui(full_snapshot()) as ui:
        panel_faults.apply(ui.palette, ui.window.scale)
        for _ in range(4):
            panel_faults.bare_frame(ui)
        shown = {entry.name for entry in panels if entry.side not in ("tools", "low", "instead")} | {"plots"}
        assert set(ui.program.broken) == shown
        assert {f"{name}.again" for name in shown} <= set(ui.probe.widgets)


def test_a_click_draws_a_failed_panel_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    plain = layout.note
    monkeypatch.setattr(layout, "note", lambda text, colour: (said.append(text), plain(text, colour))[1])
    with open_harness(tmp_path, full_snapshot()) as harness:
        harness.click("tab.view")
        harness.ui.program.broken["view"] = "ValueError: no such colour"
        harness.frame(2)
        assert str(said[-1]) == "The panel View stopped (ValueError: no such colour); the run continues."
        assert "view.colour" not in harness.widgets
        harness.click("view.again")
        assert harness.ui.program.broken == {}
        assert "view.colour" in harness.widgets


def test_the_harness_of_the_panels_imports_no_opengl() -> None:
    """OpenGL chooses its platform when it is imported: before a context is open it chooses one that sees no context of
    a later test in the same process."""
    code = "import sys, tests.app.ui.panels.panel_harness; sys.exit('OpenGL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT).returncode == 0
