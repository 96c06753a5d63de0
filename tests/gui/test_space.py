"""A scene in space in the real window: turned, moved, cut, coloured, paused, and the glass turned with the mouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.gui.desktop import Desktop, open_desktop

pytestmark = [pytest.mark.gui, pytest.mark.gl]

SMALL = """
title = "Small hourglass"
scene = "hourglass"
seed = 1

[parameters]
grain_count = 60
mean_radius = 0.02
orifice = 0.25
fill_height = 1.1
window = 10
"""
SIZE, CENTRE = (800, 600), (520, 285)
"""The window, and a pixel of the picture on the glass [px]; spheres are drawn in software, pixel by pixel."""


@pytest.fixture
def glass(tmp_path: Path) -> Iterator[Desktop]:
    preset = tmp_path / "small.toml"
    preset.write_text(SMALL, encoding="utf-8")
    with open_desktop(tmp_path, "--preset", str(preset), size=SIZE) as opened:
        yield opened


@pytest.fixture
def slow_glass(tmp_path: Path) -> Iterator[Desktop]:
    """Beads that are in flight for seconds: ranges of colours glide down for long once all have come to rest."""
    preset = tmp_path / "slow.toml"
    preset.write_text(SMALL + "gravity = 0.05\n", encoding="utf-8")
    with open_desktop(tmp_path, "--preset", str(preset), size=SIZE) as opened:
        opened.until(lambda: opened.state["time"] > 0.05, "flight")
        yield opened


def picture(desktop: Desktop, path: Path) -> np.ndarray:
    """What is between the panels, shape (height, width, 3)."""
    desktop.fresh()
    desktop.screenshot(path)
    return np.asarray(Image.open(path).convert("RGB"), float)[75:470, 250:790]


def drag(desktop: Desktop, by: tuple[int, int], button: int = 1, start: tuple[int, int] = CENTRE) -> None:
    desktop.move(*start)
    desktop.xdotool("mousedown", button)
    for step in range(1, 6):
        desktop.move(start[0] + by[0] * step / 5, start[1] + by[1] * step / 5)
    desktop.xdotool("mouseup", button)
    desktop.fresh()


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """Share of the pixels that are clearly others."""
    return float((np.abs(before - after).max(axis=2) > 24.0).mean())


@pytest.mark.slow
def test_the_picture_is_turned_zoomed_cut_and_coloured_while_paused(slow_glass: Desktop, tmp_path: Path) -> None:
    glass = slow_glass
    glass.press("space")
    glass.until(lambda: glass.state["paused"], "pause")
    step = glass.fresh()["state"]["step"]
    shot = tmp_path / "shot.png"
    still = picture(glass, shot)
    assert changed(still, picture(glass, shot)) < 0.001

    azimuth, elevation = glass.look()["direction"]
    drag(glass, (120, 40))
    turned = glass.look()["direction"]
    assert turned[0] < azimuth - 0.2
    assert turned[1] > elevation + 0.05
    orbited = picture(glass, shot)
    assert changed(still, orbited) > 0.02

    scale = glass.look()["metres_per_pixel"]
    glass.move(*CENTRE)
    glass.xdotool("click", 4, "click", 4)
    glass.until(lambda: glass.look()["metres_per_pixel"] < 0.9 * scale, "nearer picture")
    assert changed(orbited, picture(glass, shot)) > 0.02

    for key, wanted in (("1", (-np.pi / 2, 0.0)), ("2", (0.0, 0.0)), ("3", (-np.pi / 2, np.pi / 2))):
        glass.press(key)
        glass.until(lambda wanted=wanted: np.allclose(glass.look()["direction"], wanted, atol=1e-6), f"view {key}")
    glass.press("1")
    glass.until(lambda: np.allclose(glass.look()["direction"], (-np.pi / 2, 0.0), atol=1e-6), "front view")
    whole = picture(glass, shot)

    glass.click("tab.view")
    x, y = glass.look()["widgets"]["tab.view"][:2]
    glass.move(x, y + 60.0)
    glass.xdotool("click", "--repeat", 20, 5)
    glass.click("view.cut")
    glass.click("view.cut.y")
    glass.until(lambda: glass.look()["cut"] == "y", "cut")
    glass.move(*CENTRE)
    assert changed(whole, picture(glass, shot)) > 0.005

    before = picture(glass, shot)
    colour = glass.look()["colour_by"]
    glass.press("c")
    assert glass.look()["colour_by"] != colour
    for _ in range(8):  # slow beads in flight have one colour by force, too
        if changed(before, picture(glass, shot)) > 0.005:
            break
        glass.press("c")
    else:
        raise AssertionError("No quantity changes the colours.")
    assert glass.look()["broken"] == {}
    assert glass.state["step"] == step
    glass.press("space")
    glass.until(lambda: glass.state["step"] > step, "next step")


def test_an_empty_glass_is_turned_with_the_mouse_and_returns_after_less_than_half_a_turn(
    glass: Desktop, tmp_path: Path
) -> None:
    glass.press("plus", "plus")
    glass.until(lambda: glass.state["phase"] == "rested", "empty glass")
    glass.until(lambda: "turn" in glass.state["enabled"], "glass that can be turned")
    glass.press("2")
    glass.until(lambda: np.allclose(glass.look()["direction"], (0.0, 0.0), atol=1e-6), "side view")
    shot = tmp_path / "shot.png"
    upright = picture(glass, shot)
    glass.xdotool("keydown", "ctrl")
    try:
        drag(glass, (60, 60), start=(CENTRE[0] - 130, CENTRE[1] - 110))
        glass.until(lambda: glass.look()["turned"] == 0.0, "glass that has swung back")
        assert glass.state["phase"] == "rested"
        glass.move(CENTRE[0] - 130, CENTRE[1] - 110)
        glass.xdotool("mousedown", 1)
        for x, y in ((-40, -60), (-10, 10), (-40, 110)):
            glass.move(CENTRE[0] + x, CENTRE[1] + y)
        glass.until(lambda: abs(glass.look()["turned"]) > 1.8, "glass upside down")
        assert changed(upright, picture(glass, shot)) > 0.02
        glass.xdotool("mouseup", 1)
    finally:
        glass.xdotool("keyup", "ctrl")
    glass.until(lambda: glass.state["phase"] == "flowing", "grains running back")
    glass.until(lambda: glass.look()["turned"] == 0.0, "glass at rest")
    glass.until(lambda: glass.state["phase"] == "rested", "empty glass again")
    glass.press("t")
    glass.until(lambda: glass.state["phase"] == "flowing", "glass turned by key")
    assert glass.look()["broken"] == {}
