"""The real window with a body of large particles: geometry seen at once, sliders at their ends, outcomes, the past."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.desktop import open_desktop
from tests.gui.test_lecture import pull

pytestmark = [pytest.mark.gui, pytest.mark.gl]


@pytest.mark.slow
def test_a_rod_is_changed_dropped_made_as_stiff_as_possible_and_judged(tmp_path: Path) -> None:
    own = tmp_path / "rod.toml"
    own.write_text('scene = "rod"\n[parameters]\nlength = 12\nduration = 4.0\n', encoding="utf-8")
    with open_desktop(tmp_path, "--preset", str(own), size=(1280, 720)) as desktop:
        near = desktop.fresh()["metres_per_pixel"]
        assert "task" in desktop.look()["widgets"]
        pull(desktop, "field.length", 0.9)
        desktop.until(lambda: desktop.look()["metres_per_pixel"] > 1.5 * near, "picture of the longer rod")
        desktop.press("ctrl+z")
        desktop.until(lambda: desktop.state["parameters"]["length"] == 12, "rod as before")
        desktop.xdotool("key", "a", "key", "space")
        desktop.until(lambda: desktop.state["paused"] and desktop.state["phase"] == "flowing", "fall, and pause")
        pull(desktop, "field.bond_stiffness", 0.9, 1.2)
        desktop.until(lambda: desktop.state["parameters"]["bond_stiffness"] == 3e5, "stiffest rod")
        desktop.press("space")
        desktop.until(lambda: desktop.state["time"] > 0.5, "motion of the stiff rod")
        assert desktop.state["fault"] == ""
        desktop.press("ctrl+z")
        desktop.until(lambda: desktop.state["parameters"]["bond_stiffness"] == 1e4, "stiffness before")
        desktop.until(lambda: desktop.state["phase"] == "rested", "end")
        assert len(desktop.fresh()["state"]["outcomes"]) == 5
        assert all(desktop.state["outcomes"].values())
        end = desktop.state["time"]
        desktop.press("comma")
        desktop.until(lambda: desktop.state["time"] < end, "one step back")
        # The clock goes on until the parts are at rest: one step back may still be after the end.
        state = desktop.fresh()["state"]
        assert bool(state["outcomes"]) == (state["phase"] == "rested")
        desktop.press("F5")
        desktop.until(lambda: "presentation.title" in desktop.look()["widgets"], "presentation")
        task, title = desktop.fresh()["widgets"]["task"], desktop.look()["widgets"]["presentation.title"]
        assert task[1] >= title[3]
        desktop.press("ctrl+s")
        saved = tmp_path / "Documents" / "Repose" / "rod-1.repose"
        desktop.until(lambda: saved.exists() and saved.stat().st_size > 0, "the saved run")
        assert desktop.look()["broken"] == {}
