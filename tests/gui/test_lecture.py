"""The real window in the hands of a lecturer: sliders pulled to their ends, grains that stay, angles on the picture."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from repose.app.ui.places import BELOW_LEGEND
from repose.sim.registry import scenes

from tests.gui.desktop import Desktop, open_desktop, require_saved_run

pytestmark = [pytest.mark.gui, pytest.mark.gl]

SIZE = (800, 600)
"""Of the window [px]: what is drawn in software takes half the time of the usual one."""


def shown(desktop: Desktop, path: Path) -> np.ndarray:
    """What is between the panels, shape (height, width, 3)."""
    found = desktop.fresh()
    left, _, _, bottom = (round(edge) for edge in found["inset"])
    desktop.screenshot(path)
    return np.asarray(Image.open(path).convert("RGB"), float)[: SIZE[1] - bottom, left:]


def switched(desktop: Desktop, switch: str, path: Path) -> float:
    """Share of the picture that a switch of the picture changes [-]."""
    desktop.click("tab.view")
    on = shown(desktop, path)
    desktop.click(f"view.show_{switch}")
    off = shown(desktop, path)
    desktop.click(f"view.show_{switch}")
    return float((np.abs(on - off).max(axis=2) > 24.0).mean())


def preset(folder: Path, scene: str, **changes: str) -> str:
    """A preset file with the small parameters that tests of the scene use, and changes."""
    values = "\n".join(f"{name} = {value}" for name, value in {**scenes()[scene].test_values, **changes}.items())
    path = folder / f"{scene}.toml"
    path.write_text(f'scene = "{scene}"\n[parameters]\n{values}\n', encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_the_heap_in_space_shows_its_angle_on_the_picture(tmp_path: Path) -> None:
    with open_desktop(tmp_path, "--preset", preset(tmp_path, "heap3d"), size=SIZE) as desktop:
        far = desktop.fresh()["metres_per_pixel"]
        desktop.press("a", "plus", "plus", "plus", "plus")
        desktop.until(lambda: desktop.state["angle"] is not None, "angle")
        desktop.until(lambda: desktop.look()["metres_per_pixel"] < 0.7 * far, "camera close to the heap")
        desktop.press("space")
        desktop.until(lambda: desktop.state["paused"], "pause")
        assert switched(desktop, "measurement", tmp_path / "heap.png") > 0.02
        assert desktop.look()["broken"] == {}


@pytest.mark.slow
def test_bouncing_spheres_are_named_have_their_paths_and_begin_again(tmp_path: Path) -> None:
    with open_desktop(tmp_path, "--preset", preset(tmp_path, "bounce", repeat="true"), size=SIZE) as desktop:
        desktop.press("a")
        desktop.until(lambda: desktop.state["time"] > 0.2, "flight")
        desktop.press("space")
        desktop.until(lambda: desktop.state["paused"], "pause")
        for switch in ("labels", "tracks"):
            assert switched(desktop, switch, tmp_path / "bounce.png") > 0.001, switch
        desktop.press("space", "plus", "plus")
        kinds = [kind for _, kind, _ in desktop.look()["events"]]
        desktop.until(lambda: len(desktop.look()["events"]) >= len(kinds) + 2, "the next flight")
        assert desktop.look()["broken"] == {}


LECTURE = """
title = "Three steps"
[[step]]
title = "A column"
preset = "thesis-heap"
[[step]]
title = "Pour"
question = "How many layers?"
notes = "Say how many."
scene = "heap"
parameters = { grain_count = 40 }
actions = ["fill"]
speed = "max"
[[step]]
title = "Open"
continue = true
parameters = { friction = 0.5 }
actions = ["open"]
speed = "max"
"""


@pytest.fixture(scope="module")
def column(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    """One window with the filled column, with which its lecture begins, for the tests that continue where the one
    before has ended.

    These tests are the last ones: the window stays open until the end of the file, and draws.
    """
    folder = tmp_path_factory.mktemp("column")
    lecture = folder / "three-steps.toml"
    lecture.write_text(LECTURE, encoding="utf-8")
    with open_desktop(folder, "lecture", str(lecture), size=SIZE) as opened:
        yield opened


def pull(desktop: Desktop, field: str, *shares: float) -> None:
    """Drag a slider through these shares of its width."""
    desktop.point(field, 0.5)
    x0, y0, x1, y1 = desktop.look()["widgets"][field]
    desktop.xdotool("mousedown", 1)
    for share in shares:
        desktop.move(x0 + (x1 - x0) * share, (y0 + y1) / 2)
    desktop.xdotool("mouseup", 1)
    desktop.fresh()


def opened(desktop: Desktop, fewer: int) -> None:
    """Open the wall of the filled column and wait until so many grains have run out."""
    desktop.until(lambda: desktop.state["phase"] == "filled" and "open" in desktop.state["enabled"], "filled column")
    desktop.press("o")
    desktop.until(lambda: desktop.state["moving_count"] < 1100 - fewer, "grains running out")


def test_the_default_start_is_a_filled_column_ready_to_be_opened(column: Desktop) -> None:
    assert column.state["phase"] == "filled"
    assert column.state["moving_count"] == 1100
    assert "open" in column.state["enabled"]


def test_the_clock_stands_while_all_is_at_rest(column: Desktop) -> None:
    before = column.fresh()["state"]["time"]
    column.fresh()
    assert column.fresh()["state"]["time"] == before


def test_a_lecture_is_shown_step_by_step_and_the_run_comes_back_with_its_undo(column: Desktop) -> None:
    pull(column, "field.friction", 0.5)
    column.until(lambda: column.state["parameters"]["friction"] > 0.2, "another friction")
    friction, inset = column.fresh()["state"]["parameters"]["friction"], column.look()["inset"]
    column.press("F5")
    column.until(lambda: column.look()["lecture"]["over"], "the column of the lecture")
    assert column.fresh()["state"]["parameters"]["friction"] == 0.1
    column.press("Next")
    column.until(lambda: column.look()["lecture"]["step"] == 2 and column.look()["lecture"]["over"], "forty grains")
    found = column.fresh()
    assert found["lecture"]["on"]
    assert (found["state"]["moving_count"], found["state"]["phase"]) == (40, "filled")
    assert "lecture.band" in found["widgets"]
    assert "field.friction" not in found["widgets"]
    column.press("F2")
    column.until(lambda: "lecture.notes" in column.look()["widgets"], "notes")
    column.press("F2", "Next")
    column.until(lambda: column.state["parameters"]["friction"] == 0.5, "the friction of the third step")
    column.until(lambda: column.state["phase"] in ("flowing", "rested"), "open wall")
    column.press("Next")
    assert column.fresh()["lecture"]["step"] == 3  # the last one
    column.press("Prior")
    column.until(lambda: column.look()["lecture"]["step"] == 2 and column.look()["lecture"]["over"], "the second step")
    assert column.state["phase"] == "filled"
    column.press("Escape")
    column.until(lambda: not column.look()["lecture"]["kept"], "the run before the lecture")
    found = column.fresh()
    assert (found["state"]["moving_count"], found["state"]["phase"]) == (1100, "filled")
    assert found["state"]["parameters"]["friction"] == friction
    assert found["inset"] == inset
    column.press("ctrl+z")
    column.until(lambda: column.state["parameters"]["friction"] == 0.1, "the friction before the drag")
    column.click("lecture.close")
    column.until(lambda: column.look()["lecture"]["opened"] == "", "no lecture")
    column.press("r")
    column.until(lambda: column.state["phase"] == "filled" and "open" in column.state["enabled"], "filled column")


def test_k_n_at_its_maximum_and_a_reset_keep_the_column(column: Desktop) -> None:
    pull(column, "field.normal_stiffness", 0.8, 1.0)
    column.until(lambda: column.state["parameters"]["normal_stiffness"] == 1e9, "relaxed packing")
    relaxed = column.fresh()["state"]["time"]
    column.press("r")
    column.until(lambda: column.state["time"] < relaxed and "open" in column.state["enabled"], "filled column")
    before = column.fresh()["state"]["time"]
    column.press("o")
    column.until(lambda: column.state["time"] > before + 0.01, "flow")
    found = column.state
    assert (found["phase"], found["fault"]) == ("flowing", "")
    # No grain falls faster than freely; grains that burst apart have 3 m/s at once.
    assert 0.0 < found["mean_speed"] < 9.81 * (found["time"] - before)
    column.press("ctrl+z")
    column.until(lambda: column.state["parameters"]["normal_stiffness"] == 1e6, "the stiffness before")


def test_a_radius_of_the_base_changes_under_the_flowing_grains_and_back(column: Desktop) -> None:
    column.press("r")
    opened(column, 3)
    column.press("space")
    column.until(lambda: column.state["paused"], "pause")
    before = column.fresh()["state"]
    radius = before["parameters"]["base_radius"]
    pull(column, "field.base_radius", 0.6, 0.4, 0.3)
    column.until(lambda: column.state["parameters"]["base_radius"] > 2.0 * radius, "another base")
    found = column.fresh()
    assert found["state"]["phase"] == "flowing"
    # The row of the new base can end a little earlier: the grains beyond it have run out.
    assert before["moving_count"] - 50 < found["state"]["moving_count"] <= before["moving_count"]
    column.until(lambda: any("base grain radius: 0.25 mm →" in text for text in column.look()["toasts"]), "message")
    left, top, *_ = next(box for name, box in column.look()["widgets"].items() if name.startswith("toast"))
    assert left > found["inset"][0]
    assert top >= BELOW_LEGEND * found["scale"] - 1.0
    column.press("ctrl+z")
    column.until(lambda: column.state["parameters"]["base_radius"] == radius, "the base before")
    left_over = column.fresh()["state"]["moving_count"]
    assert left_over > before["moving_count"] - 50
    column.press("space")
    column.until(lambda: column.state["moving_count"] < left_over, "flow that goes on")
    assert column.state["fault"] == ""


def test_f_as_the_first_key_empties_and_pours(column: Desktop) -> None:
    column.press("r")
    column.until(lambda: column.state["phase"] == "filled", "filled column")
    column.press("f")
    column.until(lambda: column.state["phase"] == "filling", "grains poured")
    assert column.fresh()["state"]["refusal"] == ""
    column.press("r")
    column.until(lambda: column.state["phase"] == "filled", "filled column again")


def test_twenty_thousand_grains_make_a_column_not_a_straw(column: Desktop) -> None:
    width = column.fresh()["state"]["parameters"]["width"]
    column.press("ctrl+f")
    column.xdotool("type", "--delay", 40, "grain_count")
    column.point("field.grain_count")
    column.xdotool("keydown", "ctrl", "click", 1, "keyup", "ctrl")
    column.until(lambda: "field.grain_count.text" in column.look()["widgets"], "text field")
    column.fresh()  # letters typed in the frame that opens the field are lost
    column.xdotool("type", "--delay", 40, "20000")
    column.press("Return")
    column.until(lambda: column.state["parameters"]["grain_count"] == 20_000, "the number of grains")
    assert column.fresh()["state"]["parameters"]["width"] == pytest.approx(width * (20_000 / 1100) ** 0.5, rel=0.05)


def test_an_interrupt_closes_the_window_and_the_run_is_offered_at_the_next_start(column: Desktop) -> None:
    assert column.state["moving_count"] > 0
    column.program.send_signal(signal.SIGINT)
    require_saved_run(column)
