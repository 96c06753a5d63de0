"""The real window: buttons clicked, sliders dragged and keys pressed as a lecturer would, the result read back.

A window takes seconds to open, and software draws every frame while a test waits. Therefore windows are as small as the
test allows, and tests share one: each leaves the program without messages and questions, and the last one closes it.
"""

from __future__ import annotations

import math
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.gui.desktop import Desktop, open_desktop, require_saved_run

pytestmark = [pytest.mark.gui, pytest.mark.gl]

SMALL = """
title = "Small heap"
scene = "heap"
seed = 1

[parameters]
grain_count = 60
width = 0.012
"""


PASSING = ("toast", "notice", "question")
"""First parts of the names of messages, which appear over the picture for a few seconds."""
SIZE, CENTRE = (800, 600), (400, 300)
"""Window for tests that do not depend on its size [px]."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def opened(folder: Path, size: tuple[int, int]) -> Iterator[Desktop]:
    """The window with the small heap."""
    preset = folder / "small.toml"
    preset.write_text(SMALL, encoding="utf-8")
    with open_desktop(folder, "--preset", str(preset), size=size) as desktop:
        yield desktop


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    yield from opened(tmp_path_factory.mktemp("shared"), SIZE)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    yield from opened(tmp_path_factory.mktemp("wide"), (1280, 720))


def colour_count(picture: Path) -> int:
    words = ["identify", "-format", "%k", str(picture)]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def with_grains(desktop: Desktop) -> None:
    """The heap at rest in the window, also where a test runs alone or after the table was emptied."""
    if desktop.state["moving_count"] == 0:
        desktop.press("r")
        desktop.until(lambda: desktop.state["phase"] in ("empty", "filled"), "reset run")
    if desktop.state["phase"] == "empty":
        desktop.click("next.action")
        desktop.until(lambda: desktop.state["phase"] == "filled", "filled container")
    if desktop.state["phase"] == "filled":
        desktop.click("next.action")
        desktop.until(lambda: desktop.state["phase"] == "rested", "heap at rest")


def undo(desktop: Desktop, times: int = 1) -> None:
    """Ctrl+Z in a pause, and wait for the end of the way through the log: a run that goes on would be beyond the state
    before when the next frame reports it, and it refuses what is done on this way."""
    desktop.press("space")
    desktop.until(lambda: desktop.state["paused"], "pause")
    before = desktop.fresh()["state"]["at"]
    desktop.press(*["ctrl+z"] * times)

    def there() -> bool:
        state = desktop.state
        return state["at"] < before and not state["doing"].startswith("moving to step")

    desktop.until(there, "the state before")
    desktop.press("space")
    desktop.until(lambda: not desktop.state["paused"], "end of the pause")


def test_the_picture_is_zoomed_with_the_wheel_and_home_shows_everything(shared: Desktop) -> None:
    before = shared.fresh()["metres_per_pixel"]
    shared.move(*CENTRE)
    shared.xdotool("click", 4)
    shared.until(lambda: shared.look()["metres_per_pixel"] < before, "zoomed picture")
    shared.press("Home")
    # The camera follows the grains, and approaches what they need without ever reaching it.
    shared.until(lambda: abs(shared.look()["metres_per_pixel"] / before - 1.0) < 0.02, "whole scene")


def test_a_side_button_of_the_mouse_has_no_effect(shared: Desktop) -> None:
    shared.move(*CENTRE)
    shared.xdotool("click", 8, "click", 9)
    assert shared.fresh()["broken"] == {}


def test_keys_pause_step_speed_help_and_hide(shared: Desktop) -> None:
    shared.press("space")
    shared.until(lambda: shared.state["paused"], "pause")
    before = shared.fresh()["state"]["step"]
    shared.press("period", "period", "period")
    shared.until(lambda: shared.state["step"] == before + 3, "three steps")
    assert shared.fresh()["state"]["step"] == before + 3
    shared.press("plus")
    assert shared.look()["speed"] == 2.0
    shared.press("minus", "minus")
    assert shared.look()["speed"] == 0.5
    shared.press("plus")
    shared.press("F1")
    assert "help.close" in shared.look()["widgets"]
    shared.press("Escape", "Tab")
    assert shared.look()["widgets"] == {}
    shared.press("Tab", "c", "f")
    assert "action.fill" in shared.look()["widgets"]
    assert shared.look()["colour_by"] == "speed"
    shared.press("space")
    shared.until(lambda: shared.state["moving_count"] > 0, "first grains")


def test_a_slider_is_dragged_typed_into_refused_and_undone(shared: Desktop) -> None:
    shared.point("field.friction", 0.1)
    shared.xdotool("mousedown", 1)
    for share in (0.3, 0.5, 0.6):
        shared.point("field.friction", share)
    shared.xdotool("mouseup", 1)
    shared.until(lambda: abs(shared.state["parameters"]["friction"] - 1.2) < 0.05, "friction dragged")
    shared.press("ctrl+z")
    shared.until(lambda: shared.state["parameters"]["friction"] == 0.1, "friction undone")
    shared.press("ctrl+y")
    shared.until(lambda: abs(shared.state["parameters"]["friction"] - 1.2) < 0.05, "friction redone")

    def write(text: str) -> None:
        shared.point("field.friction")
        shared.xdotool("keydown", "ctrl", "click", 1, "keyup", "ctrl")
        shared.xdotool("type", "--delay", 40, text)
        shared.press("Return")

    write("0.25")
    shared.until(lambda: shared.state["parameters"]["friction"] == 0.25, "friction typed")
    write("0,3")
    shared.until(lambda: shared.state["parameters"]["friction"] == 0.3, "decimal comma")
    write("0.25")
    shared.until(lambda: shared.state["parameters"]["friction"] == 0.25, "friction typed again")
    for text in ("9", "nan", "much"):
        write(text)
        shared.until(lambda: "friction" in shared.look()["refusals"], "refusal")
        assert "from 0 to 2" in shared.look()["refusals"]["friction"]
        assert shared.state["parameters"]["friction"] == 0.25
    shared.click("field.friction", button=3)
    shared.until(lambda: shared.state["parameters"]["friction"] == 0.1, "default")


def test_resizing_keeps_everything_inside(shared: Desktop) -> None:
    for size in ((700, 500), (400, 300), (100, 80), SIZE):
        shared.xdotool("windowsize", shared.window, *size)
        shared.until(lambda size=size: tuple(shared.look()["size"]) == size, "new size")
        found = shared.fresh()
        assert found["broken"] == {}
        assert all(box[2] <= size[0] for box in found["widgets"].values())


def test_a_heap_is_filled_opened_and_measured_by_clicking(shared: Desktop, tmp_path: Path) -> None:
    shared.press("r")
    shared.until(lambda: shared.state["phase"] == "empty", "empty container")
    shared.click("next.action")
    shared.until(lambda: shared.state["phase"] == "filled", "filled container")
    assert shared.state["moving_count"] == 60
    shared.click("next.action")
    shared.until(lambda: shared.state["phase"] == "rested", "heap at rest")
    assert 0 < shared.state["moving_count"] < 60
    shared.click("next.action")
    shared.until(lambda: shared.state["angle"] is not None, "angle")
    assert 0.0 < shared.state["angle"] < 1.0
    assert shared.state["measured"] == 1
    assert "experiment.angle" in shared.fresh()["widgets"]
    assert shared.look()["broken"] == {}
    shared.screenshot(tmp_path / "heap.png")
    assert colour_count(tmp_path / "heap.png") > 100


def test_a_grain_is_grabbed_dragged_dropped_and_put_back(shared: Desktop) -> None:
    with_grains(shared)
    shared.press("b")
    shared.move(*CENTRE)
    shared.xdotool("click", 5)  # the picture stops following the grains: the grain stays where it is read
    x, y = shared.fresh(5)["highest_grain"]
    before = shared.state
    shared.move(x, y)
    shared.xdotool("mousedown", 1)
    view = shared.fresh()["metres_per_pixel"]
    for step in range(1, 6):
        shared.move(x + 4 * step, y - 12 * step)
    shared.until(lambda: shared.state["pull"] is not None, "pull")

    def at_pointer() -> bool:
        pull = shared.state["pull"]
        return math.dist(pull["position"], pull["target"]) < 5e-4 and pull["force"][1] > 0.0

    shared.until(at_pointer, "grain at the pointer")
    shared.until(lambda: math.dist(shared.look()["highest_grain"], (x + 20, y - 60)) < 10.0, "the same in the picture")
    assert shared.look()["metres_per_pixel"] == view  # the picture stays where it is meanwhile
    shared.xdotool("mouseup", 1)
    shared.until(lambda: shared.state["pull"] is None and shared.state["step"] > before["step"], "free grain")
    undo(shared)
    assert math.dist(shared.fresh()["highest_grain"], (x, y)) < 2.0
    shared.press("q", "Home")
    assert shared.look()["broken"] == {}


def test_every_tool_acts_on_the_run_and_is_taken_back(shared: Desktop) -> None:
    with_grains(shared)
    shared.press("Tab")  # a grain can be under the buttons of the tools
    shared.move(*CENTRE)
    shared.xdotool("click", 5)  # the picture stops following the grains
    x, y = shared.fresh(5)["highest_grain"]
    tilt = shared.state["parameters"]["tilt"]
    for key, rigid in (("u", False), ("k", True)):
        shared.press(key)
        shared.move(x, y)
        shared.xdotool("mousedown", 1)
        shared.until(lambda: shared.state["push"] is not None, "push")
        begun = shared.state["push"]["position"]
        shared.move(x + 12, y + 8)
        shared.until(
            lambda begun=begun: (push := shared.state["push"])["radius"] > 0.0 and push["position"][0] > begun[0],
            "push at the pointer",
        )
        assert shared.state["push"]["rigid"] is rigid
        shared.xdotool("mouseup", 1)
        shared.until(lambda: shared.state["push"] is None, "end of the push")
        undo(shared)
        assert math.dist(shared.fresh()["highest_grain"], (x, y)) < 2.0
    shared.press("j")
    shared.move(x - 30, y - 60)
    shared.xdotool("mousedown", 1)
    shared.move(x + 30, y - 60)
    shared.xdotool("mouseup", 1)
    shared.until(lambda: shared.state["facets"] == 1, "wall")
    grains = shared.state["moving_count"]
    shared.press("d")
    shared.move(x, y - 90)
    shared.xdotool("click", 1)
    shared.until(lambda: shared.state["moving_count"] == grains + 10, "ten grains more")
    undo(shared)
    assert shared.state["moving_count"] == grains
    shared.press("x")
    shared.move(x, y - 60)
    shared.xdotool("click", 1)
    shared.until(lambda: shared.state["facets"] == 0, "no wall")
    shared.press("z", "Right", "Right")
    shared.until(lambda: abs(math.degrees(shared.state["parameters"]["tilt"] - tilt) - 2.0) < 0.01, "two degrees")
    shared.press("z")
    shared.until(lambda: shared.state["shaking"], "shaking")
    shared.press("z")
    shared.until(lambda: not shared.state["shaking"], "a table at rest")
    # Not by undo, which repeats every step since the first tilt, some 100 000: more than the patience of a wait.
    shared.press("Left", "Left")
    shared.until(lambda: abs(shared.state["parameters"]["tilt"] - tilt) < 1e-6, "the tilt that was there")
    shared.press("q", "Home", "Tab")
    assert shared.look()["broken"] == {}
    assert not [name for name in shared.look()["widgets"] if name.startswith("question")]


def test_a_click_selects_a_grain_and_a_drag_still_moves_the_picture(shared: Desktop) -> None:
    with_grains(shared)
    shared.press("i", "space")
    shared.until(lambda: shared.state["paused"], "pause")
    shared.move(*CENTRE)
    shared.xdotool("click", 5)  # the picture stops following the grains
    x, y = shared.fresh(5)["highest_grain"]
    shared.move(x, y)
    shared.xdotool("click", 1)
    shared.until(lambda: len(shared.look()["selected"]) == 1, "selected grain")
    shared.move(x + 60, y - 40)  # at another place: this is no double-click
    shared.xdotool("mousedown", 1)
    shared.move(x + 90, y - 60)
    shared.xdotool("mouseup", 1)
    there = shared.fresh()["highest_grain"]
    assert math.dist(there, (x + 30, y - 20)) < 3.0
    assert len(shared.look()["selected"]) == 1
    shared.move(there[0], there[1] - 60)
    shared.xdotool("click", 1)
    shared.until(lambda: shared.look()["selected"] == [], "nothing selected")
    shared.press("q", "Home", "space")
    assert shared.look()["broken"] == {}


def test_closing_the_window_ends_the_program_with_exit_code_0(shared: Desktop) -> None:
    shared.xdotool("key", "alt+F4")
    assert shared.program.wait(30) == 0


def test_during_a_whole_run_no_control_changes_its_place(wide: Desktop) -> None:
    places: dict[str, set[tuple[float, ...]]] = {}
    phases = set()

    def measured() -> bool:
        found = wide.look()
        phases.add(found["state"]["phase"])
        for name, box in found["widgets"].items():
            if name.startswith(PASSING) and box[2] - box[0] > 1:
                assert box[0] > found["inset"][0], name  # over the picture, where no control is
                assert box[3] < found["size"][1] - found["inset"][3] - 56 * found["scale"], name
            elif not name.startswith(("plots.", "experiment.angle", "experiment.headline", "next.")):
                # The question has its corner, and grows by the answer; no control is in it.
                places.setdefault(name, set()).add(tuple(box[:2] if name == "task" else box))
        return found["state"]["angle"] is not None

    wide.click("action.run")
    wide.until(measured, "angle")
    wide.fresh()
    measured()
    assert {"filling", "flowing", "rested"} <= phases
    assert {name for name, seen in places.items() if len(seen) > 1} == set()
    assert {"action.open", "field.friction", "field.base_radius", "parameters.more", "transport.pause"} <= set(places)
    kinds = [kind for _, kind, _ in wide.look()["events"]]
    assert kinds[-1] == "measured"
    assert any("wall is open" in text for _, _, text in wide.look()["events"])
    wide.until(lambda: wide.look()["toasts"] == [], "picture without messages")


def test_a_film_is_recorded_with_every_frame_it_says(wide: Desktop) -> None:
    import av

    wide.press("r")
    wide.until(lambda: wide.state["phase"] == "empty", "empty container")
    wide.click("next.action")
    wide.click("tab.record")
    wide.click("record.fps")
    wide.click("record.fps.24")
    wide.click("record.button")
    wide.until(lambda: wide.look()["film"]["frames"] >= 20, "twenty frames")
    wide.press("v")
    wide.until(lambda: not wide.look()["film"]["running"], "end of the film")
    film = wide.look()["film"]
    with av.open(film["path"]) as container:
        assert container.streams.video[0].average_rate == 24
        assert sum(1 for _ in container.decode(video=0)) == film["frames"]


def test_the_window_is_arranged_by_keys_and_asks_before_something_is_lost(wide: Desktop, tmp_path: Path) -> None:
    wide.press("r")
    wide.until(lambda: wide.state["phase"] == "empty", "empty container")
    wide.click("next.action")
    wide.until(lambda: wide.state["moving_count"] > 0, "first grains")
    assert wide.look()["inset"][0] <= 0.3 * 1280
    wide.press("F4")
    assert wide.look()["inset"][0] < 40
    assert "field.friction" not in wide.look()["widgets"]
    wide.press("ctrl+f")
    wide.xdotool("type", "--delay", 40, "damp norm")

    def found_fields() -> set[str]:
        # `field.NAME.curve` is the button of a parameter that can follow a curve over time.
        return {name for name in wide.look()["widgets"] if name.startswith("field.") and name.count(".") == 1}

    wide.until(lambda: found_fields() == {"field.normal_damping"}, "the parameter searched for")
    wide.click("parameters.more")
    assert "field.gravity" in wide.fresh()["widgets"]

    wide.press("F5")
    found = wide.fresh()
    box = found["widgets"]["presentation.headline"]
    assert 0.727 * (box[3] - box[1]) >= 0.06 * found["size"][1] - 1
    assert found["scale"] == pytest.approx(1.6 * min(found["size"][1] / 720, 1.0)), "letters keep their fraction"
    assert {"field.friction", "field.base_radius", "presentation.title"} <= set(found["widgets"])
    wide.press("v", "F5")
    wide.until(lambda: "record.indicator" in wide.look()["widgets"], "red dot in the bar")
    wide.until(lambda: any("heap-2.mp4" in text for text in wide.look()["toasts"]), "path of the second film")
    wide.click("record.indicator")
    wide.until(lambda: not wide.look()["film"]["running"], "end of the film")

    wide.press("space", "ctrl+s")
    wide.until(lambda: any("heap-1.repose" in text for text in wide.look()["toasts"]), "place of the saved run")
    step = wide.fresh()["state"]["step"]
    wide.press("o", "space")  # grains at rest would keep the clock where it is
    wide.until(lambda: wide.state["step"] > step + 500, "a run that has gone on")
    wide.press("ctrl+o")
    assert "question" in wide.fresh()["widgets"]
    wide.press("n")
    assert wide.fresh()["state"]["step"] > step
    wide.press("ctrl+o", "space", "y")
    wide.until(lambda: wide.state["step"] == step, "the saved run")


def test_a_termination_closes_the_window_and_the_run_is_offered_at_the_next_start(wide: Desktop) -> None:
    assert wide.state["moving_count"] > 0
    wide.program.send_signal(signal.SIGTERM)
    require_saved_run(wide)


def test_the_scene_at_rest_is_shown_while_compiling_and_closing_then_ends_with_exit_code_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "nothing compiled yet"))
    with open_desktop(tmp_path, size=SIZE, settle=False) as desktop:
        desktop.until(lambda: desktop.state["moving_count"] == 1100, "column")
        left, _, _, bottom = (round(edge) for edge in desktop.fresh()["inset"])
        desktop.screenshot(tmp_path / "rest.png")
        assert desktop.state["compiling"]
        picture = np.asarray(Image.open(tmp_path / "rest.png").convert("RGB"), float)[: SIZE[1] - bottom, left:]
        background = picture[-1, -1]
        assert (np.abs(picture - background).max(axis=2) > 24.0).mean() > 0.03, "grains are drawn"
        desktop.xdotool("key", "alt+F4")
        assert desktop.program.wait(30) == 0


def require_inside(desktop: Desktop, screen: tuple[int, int]) -> None:
    """The window and its frame are inside the screen, and the window uses most of its height."""
    left, top, width, height = desktop.place()
    assert (width, height) == tuple(desktop.fresh()["size"])
    assert left > 0
    assert top > 0
    assert left + width < screen[0]
    assert top + height < screen[1]
    assert height > 0.75 * screen[1]


def test_at_the_first_start_the_window_and_its_frame_are_inside_the_screen(tmp_path: Path, small: Path) -> None:
    size = (1280, 720)
    with open_desktop(tmp_path, "--preset", str(small), size=size, settle=False, first_start=True) as desktop:
        require_inside(desktop, size)


@pytest.mark.slow
def test_on_a_large_screen_text_is_larger_and_nothing_leaves_the_window(tmp_path: Path, small: Path) -> None:
    size = (2560, 1440)
    with open_desktop(tmp_path, "--preset", str(small), size=size, first_start=True) as desktop:
        require_inside(desktop, size)
        found = desktop.fresh()
        heights = [box[3] - box[1] for name, box in found["widgets"].items() if name.startswith("action.")]
        assert min(heights) > 30
        assert all(box[2] <= found["size"][0] and box[3] <= found["size"][1] for box in found["widgets"].values())
        desktop.screenshot(tmp_path / "large.png")
        assert colour_count(tmp_path / "large.png") > 100


@pytest.mark.case("G13")
@pytest.mark.parametrize(
    ("size", "place"),
    [
        pytest.param((1280, 720), "", id="as the screen"),
        pytest.param((1278, 695), "left = 5000\ntop = -900\n", id="as fits in its frame, on a screen that is gone"),
    ],
)
@pytest.mark.slow
def test_a_window_as_large_as_the_screen_is_inside_it_with_its_frame(
    tmp_path: Path, small: Path, place: str, size: tuple[int, int]
) -> None:
    settings = tmp_path / "config" / "repose" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"width = {size[0]}\nheight = {size[1]}\n{place}", encoding="utf-8")
    with open_desktop(tmp_path, "--preset", str(small), settle=False, first_start=True) as desktop:
        left, top, width, height = desktop.place()
        assert left >= 0
        assert top > 0
        assert left + width <= 1280
        assert top + height <= 720
