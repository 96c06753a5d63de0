"""The real window goes back in time by keys, and offers the run of a killed window."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from repose.app.storage import autosave, paths
from repose.sim.experiment.history import saved_copy

from tests.app.page.columns_of import columns_of
from tests.gui.desktop import open_desktop
from tests.reliability.runs import poured

pytestmark = [pytest.mark.gui, pytest.mark.gl]

SMALL = 'scene = "heap"\n[parameters]\ngrain_count = 60\nwidth = 0.012\n'


def test_keys_go_to_an_earlier_step_and_continue(tmp_path: Path) -> None:
    preset = tmp_path / "small.toml"
    preset.write_text(SMALL)
    with open_desktop(tmp_path, "--preset", str(preset)) as desktop:
        desktop.click("next.action")
        desktop.until(lambda: desktop.state["step"] > 9_000, "some history")
        desktop.press("Prior")
        desktop.until(lambda: desktop.state["paused"] and desktop.state["step"] % 2_000 == 0, "a moment kept")
        step = desktop.state["step"]
        desktop.press("comma")
        desktop.until(lambda: desktop.state["step"] == step - 1, "one step back")
        desktop.press("period")
        desktop.until(lambda: desktop.state["step"] == step, "one step on")
        desktop.click("tab.runs")
        desktop.until(lambda: "runs.save" in desktop.fresh()["widgets"], "the panel")
        if picture := os.environ.get("REPOSE_PICTURE"):
            desktop.screenshot(Path(picture))


def test_n15_the_run_of_a_killed_window_is_offered_and_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "autosave_folder", lambda: tmp_path / "state" / "repose" / "autosave")
    position = autosave.begin()
    lost = poured(20_000)
    position.save(saved_copy(lost))
    position.lock.close()  # as the system does when a process is killed
    preset = tmp_path / "small.toml"
    preset.write_text(SMALL)
    with open_desktop(tmp_path, "--preset", str(preset), size=(800, 600)) as desktop:
        desktop.until(lambda: "notice.open_lost" in desktop.fresh()["widgets"], "the offer")
        if picture := os.environ.get("REPOSE_PICTURE"):
            desktop.screenshot(Path(picture).with_stem("offer"))
        desktop.press("space")
        desktop.until(lambda: desktop.state["paused"], "pause")
        desktop.click("notice.open_lost")
        desktop.until(lambda: desktop.state["step"] == 20_000, "the run of the other window")
        assert desktop.state["moving_count"] == np.count_nonzero(~lost.run.world.fixed)
        assert "notice.open_lost" not in desktop.fresh()["widgets"]
        saved = tmp_path / "Documents" / "Repose" / "heap-1.repose"
        desktop.press("ctrl+s")
        desktop.until(saved.exists, "the file saved by a key")


def test_a_button_writes_the_run_as_a_page(tmp_path: Path) -> None:
    preset = tmp_path / "small.toml"
    preset.write_text(SMALL)
    with open_desktop(tmp_path, "--preset", str(preset)) as desktop:  # the column needs no scrolling
        desktop.click("next.action")
        desktop.until(lambda: desktop.state["step"] > 2_000, "some steps")
        desktop.click("tab.runs")
        desktop.click("runs.page")
        desktop.until(lambda: "runs.page_progress" in desktop.fresh()["widgets"], "the progress")
        page = tmp_path / "Documents" / "Repose" / "heap-1.html"
        desktop.until(page.exists, "the page")
        desktop.until(lambda: "runs.page_progress" not in desktop.fresh()["widgets"], "its end")
        assert any(str(page) in toast for toast in desktop.look()["toasts"])
        columns = columns_of(page.read_bytes())[1]
        assert len(columns["time"]) >= 2
        if picture := os.environ.get("REPOSE_PICTURE"):
            desktop.screenshot(Path(picture))
