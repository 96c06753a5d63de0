"""The real window: a clump made in the workshop with mouse and keys, turned, saved and poured."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from repose.sim.clumps.clump_file import read_clump

from tests.gui.desktop import Desktop, open_desktop

pytestmark = [pytest.mark.gui, pytest.mark.gl]

SIZE = (1280, 720)


def made(desktop: Desktop, spheres: int) -> None:
    """Wait for a clump with at most so many spheres and for its curve."""
    desktop.until(
        lambda: (
            (state := desktop.look()["workshop"])["recipe"]["members"] == spheres
            and state["is_made"]
            and not state["working"]
        ),
        f"a clump of {spheres} spheres",
    )


def typed(desktop: Desktop, field: str, text: str) -> None:
    """Type a value into a slider."""
    desktop.point(field)
    desktop.xdotool("keydown", "ctrl", "click", 1, "keyup", "ctrl")
    desktop.until(lambda: f"{field}.text" in desktop.look()["widgets"], "text field")
    desktop.fresh()  # letters typed in the frame that opens the field are lost
    desktop.xdotool("type", "--delay", 40, text)
    desktop.press("Return")


def halves(desktop: Desktop, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Left and right half of the picture between column, legend and bar, shape (height, width, 3)."""
    found = desktop.fresh()
    left, _, _, bottom = (round(edge) for edge in found["inset"])
    desktop.screenshot(path)
    whole = np.asarray(Image.open(path).convert("RGB"), float)[100 : SIZE[1] - bottom - 60, left + 80 :]
    middle = whole.shape[1] // 2
    return whole[:, :middle], whole[:, middle:]


def test_a_clump_is_made_turned_exported_and_poured(tmp_path: Path) -> None:
    preset = tmp_path / "few.toml"
    preset.write_text('scene = "clumps"\n[parameters]\ngrain_count = 40\nshape = "peanut"\nmembers = 2\nyoung = 1e6\n')
    with open_desktop(tmp_path, "--preset", str(preset), size=SIZE) as desktop:
        desktop.press("w")
        desktop.click("field.algorithm")
        desktop.click("field.algorithm.greedy")
        typed(desktop, "field.cells", "24")
        typed(desktop, "field.members", "8")
        made(desktop, 8)
        desktop.click("field.shape")
        desktop.click("field.shape.torus")
        desktop.until(lambda: desktop.look()["workshop"]["recipe"]["shape"] == "torus", "the body chosen")
        made(desktop, 8)
        assert desktop.look()["workshop"]["points"] == [1, 2, 5, 8]
        body, clump = halves(desktop, tmp_path / "before.png")
        if picture := os.environ.get("REPOSE_PICTURE"):
            desktop.screenshot(Path(picture))
        background = body[0, 0]
        grey, coloured = (np.ptp(part, axis=2) for part in (body, clump))
        drawn = np.abs(body - background).max(axis=2) > 30.0
        assert drawn.mean() > 0.05  # the body, in grey
        assert (grey[drawn] < 30.0).mean() > 0.9
        assert (coloured > 60.0).mean() > 0.02  # the clump, coloured by radius
        # A drag on the picture turns both, and leaves the camera of the run alone.
        far = desktop.look()["direction"]
        desktop.move(800, 400)
        desktop.xdotool("mousedown", 1)
        desktop.move(860, 430)
        desktop.xdotool("mouseup", 1)
        after, _ = halves(desktop, tmp_path / "after.png")
        assert (np.abs(after - body).max(axis=2) > 30.0).mean() > 0.01
        assert desktop.look()["direction"] == far
        desktop.press("ctrl+z")
        desktop.until(lambda: desktop.look()["workshop"]["recipe"]["shape"] == "cube", "the body before")
        made(desktop, 8)
        folder = tmp_path / "Documents" / "Repose"
        desktop.click("workshop.export")
        desktop.click("workshop.export.txt")
        desktop.until((folder / "cube-8-1.txt").exists, "the file for YADE")
        desktop.click("workshop.pour")
        desktop.until(lambda: desktop.state["parameters"]["clump"] == str(folder / "cube-8-1.json"), "the scene")
        desktop.until(
            lambda: desktop.state["phase"] == "filling" and desktop.state["moving_count"] > 0, "clumps falling"
        )
        assert len(read_clump(folder / "cube-8-1.json").clump.radius) == 8
        # Once more, as the second clump of a mixture with the first.
        desktop.press("w")
        desktop.click("workshop.mix")
        desktop.until(lambda: "question.yes" in desktop.look()["widgets"], "the question")
        desktop.press("y")
        desktop.until(lambda: desktop.state["parameters"]["second_clump"].endswith("cube-8-2.json"), "the mixture")
        assert desktop.state["parameters"]["clump"] == str(folder / "cube-8-1.json")
        assert desktop.state["parameters"]["second_share"] == 0.5
        assert desktop.state["fault"] == ""
        assert desktop.look()["broken"] == {}
