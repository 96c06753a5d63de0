"""The real window: a scene chosen from its picture, a plot shown large and saved, a run with its picture, repeats."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repose.app.storage.thumbnails import pixels
from repose.sim.experiment.saved_run import glimpse
from repose.sim.registry import scenes

from tests.gui.desktop import open_desktop

pytestmark = [pytest.mark.gui, pytest.mark.gl]


def test_a_lecture_from_the_picture_of_a_scene_to_the_saved_plot(tmp_path: Path) -> None:
    values = "\n".join(f"{name} = {value}" for name, value in scenes()["heap"].test_values.items())
    own = tmp_path / "config" / "repose" / "presets"
    with open_desktop(tmp_path, size=(800, 600), settle=False) as desktop:
        own.mkdir()
        (own / "small.toml").write_text(f'title = "Small"\nscene = "heap"\nquestion = "?"\n[parameters]\n{values}\n')
        desktop.press("s")
        desktop.until(lambda: "card.thesis-heap" in desktop.look()["widgets"], "the pictures")
        if picture := os.environ.get("REPOSE_PICTURE"):
            desktop.screenshot(Path(picture))
        desktop.press("Escape")
        desktop.until(lambda: "card.thesis-heap" not in desktop.fresh()["widgets"], "end of the choice")
        desktop.press("s")
        card = f"card.{own / 'small.toml'}"
        x0, y0, x1, y1 = desktop.look()["widgets"]["card.thesis-heap"]
        desktop.move((x0 + x1) / 2, (y0 + y1) / 2)
        desktop.click("scenes.to.Your presets")
        desktop.click(card)
        desktop.until(lambda: desktop.state["parameters"].get("grain_count") == 90, "the scene chosen")
        desktop.press("a")
        desktop.until(lambda: desktop.state["angle"] is not None, "the angle")
        desktop.press("p")
        desktop.until(lambda: "large.comparison" in desktop.fresh()["widgets"], "the large plot")
        desktop.click("large.comparison")
        desktop.press("ctrl+e")
        folder = tmp_path / "Documents" / "Repose"
        table = folder / "heap-comparison-1.csv"
        desktop.until(lambda: all(table.with_suffix(end).exists() for end in (".csv", ".png", ".svg")), "the plot")
        assert "# parameter friction: friction 0.4\n" in table.read_text()
        desktop.press("p", "ctrl+s")
        saved = folder / "heap-1.repose"
        desktop.until(lambda: saved.exists() and saved.stat().st_size > 0, "the saved run")
        seen = glimpse(saved)
        rows = pixels(seen.picture)
        assert rows is not None
        assert rows[..., :3].std() > 5.0
        desktop.press("ctrl+r")
        desktop.until(lambda: any("card.heap-1" in name for name in desktop.fresh()["widgets"]), "its card")
        assert desktop.look()["broken"] == {}


@pytest.mark.slow
def test_five_repeated_runs_give_mean_and_error_in_the_window(tmp_path: Path) -> None:
    values = "\n".join(f"{name} = {value}" for name, value in scenes()["heap"].test_values.items())
    preset = tmp_path / "small.toml"
    preset.write_text(f'scene = "heap"\n[parameters]\n{values}\n')
    with open_desktop(tmp_path, "--preset", str(preset)) as desktop:
        desktop.press("space")
        desktop.click("repeat.start")
        desktop.until(lambda: "repeat.stop" in desktop.look()["widgets"], "the runs")
        desktop.until(lambda: desktop.state["measured"] >= 2, "two runs that ended")
        desktop.click("repeat.stop")
        desktop.until(lambda: "repeat.start" in desktop.fresh()["widgets"], "the end of the runs")
