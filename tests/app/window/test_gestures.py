"""Drags with a tool: the tool gets those that it takes, the camera all others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pygame
import pytest
from repose.app.ui import tools
from repose.app.ui.tools import Tool
from repose.app.ui.ui import RunsBeside, WindowArea, WindowMode
from repose.app.window.gestures import Gestures
from repose.sim.experiment.snapshot import Snapshot

from tests.snapshots import snapshot_of


@pytest.fixture
def ui(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A tool that takes drags from the right half, and writes down what happens to it until it has had enough."""
    done: list[object] = []
    found = SimpleNamespace(
        snapshot=Snapshot(serial=1),
        mode=WindowMode(tool="pen"),
        window=WindowArea(),
        beside=RunsBeside(),
        done=done,
        enough=False,
    )

    def hold(ui: Any, at: tuple[float, float]) -> bool:
        done.append(at)
        return not ui.enough

    pen = Tool(
        "pen",
        "Pen",
        1,
        "J",
        "",
        lambda ui, at: at[0] > 100,
        hold,
        lambda ui: done.append("up"),
        abandon=lambda ui: done.append("left"),
        click=lambda ui, at: done.append(("click", at)),
    )
    monkeypatch.setattr(tools, "all_tools", lambda: (Tool("look", "Look", 0, "Q", ""), pen))
    return found


def event(kind: int, **fields: Any) -> pygame.event.Event:
    return pygame.event.Event(kind, **fields)


def down(x: float, button: int = 1) -> pygame.event.Event:
    return event(pygame.MOUSEBUTTONDOWN, button=button, pos=(x, 50))


def up(x: float, button: int = 1) -> pygame.event.Event:
    return event(pygame.MOUSEBUTTONUP, button=button, pos=(x, 50))


def moved(x: float) -> pygame.event.Event:
    return event(pygame.MOUSEMOTION, pos=(x, 50), rel=(1, 0), buttons=(1, 0, 0))


def test_a_drag_is_told_once_per_frame_and_ends_where_the_button_goes_up(ui: Any) -> None:
    gestures = Gestures()
    assert all(gestures.handle(given, ui, True) for given in (down(150), moved(160), moved(170)))
    gestures.update(ui)
    gestures.update(ui)
    assert gestures.handle(up(180), ui, True)
    gestures.update(ui)
    assert ui.done == [(170, 50), (170, 50), (180, 50), "up"]


@pytest.mark.parametrize(
    ("press", "free", "mod", "tool"),
    [
        (down(50), True, 0, "pen"),
        (down(150), False, 0, "pen"),
        (down(150, button=3), True, 0, "pen"),
        (down(150), True, pygame.KMOD_CTRL, "pen"),
        (down(150), True, pygame.KMOD_SHIFT, "pen"),
        (down(150), True, 0, ""),
    ],
)
def test_other_drags_are_left_to_the_camera(ui: Any, press: Any, free: bool, mod: int, tool: str) -> None:
    gestures, ui.mode.tool = Gestures(), tool
    gestures.handle(event(pygame.KEYDOWN, mod=mod), ui, True)
    assert not gestures.handle(press, ui, free)
    assert not gestures.handle(moved(160), ui, True)
    gestures.update(ui)
    assert not gestures.handle(up(170), ui, True)
    assert ui.done == []


def test_a_tool_that_has_had_enough_gets_nothing_more_of_the_drag(ui: Any) -> None:
    gestures = Gestures()
    gestures.handle(down(150), ui, True)
    ui.enough = True
    gestures.update(ui)
    gestures.update(ui)
    assert ui.done == [(150, 50), "up"]
    assert gestures.tool is None


@pytest.mark.parametrize(
    ("then", "chosen", "told"),
    [
        (snapshot_of(serial=2, at=50, time=0.5), 0, "left"),  # undo, rewinding
        (snapshot_of(serial=2, at=101, time=0.0), 0, "left"),  # a restart
        (snapshot_of(serial=2, at=100, time=1.0, logs=1), 0, "left"),  # another experiment
        (snapshot_of(serial=2, at=101, time=1.1), 1, "up"),  # the next one of the experiments side by side
        (snapshot_of(serial=2, at=101, time=1.1), 0, (150, 50)),
    ],
)
def test_a_drag_is_left_where_the_run_goes_to_another_moment_while_the_button_is_down(
    ui: Any, then: Snapshot, chosen: int, told: object
) -> None:
    gestures, ui.snapshot = Gestures(), snapshot_of(serial=1, at=100, time=1.0)
    gestures.handle(down(150), ui, True)
    ui.snapshot, ui.beside.chosen = then, chosen
    gestures.update(ui)
    assert ui.done == [told]
    assert (gestures.tool is None) == isinstance(told, str)


def test_the_wheel_and_the_right_button_stay_the_cameras_during_a_drag(ui: Any) -> None:
    gestures = Gestures()
    gestures.handle(down(150), ui, True)
    assert not gestures.handle(event(pygame.MOUSEWHEEL, precise_y=1.0), ui, True)
    assert not gestures.handle(down(160, button=3), ui, True)
    assert not gestures.handle(up(160, button=3), ui, True)
    assert gestures.tool is not None


@pytest.mark.parametrize("start", [50, 150])
def test_a_click_is_told_to_the_tool_whoever_has_the_drag(ui: Any, start: float) -> None:
    gestures = Gestures()
    gestures.handle(down(start), ui, True)
    gestures.handle(up(start + 2), ui, True)
    assert ui.done[-1] == ("click", (start + 2, 50))
    gestures.handle(up(start), ui, True)  # pressed on a panel
    assert ui.done.count(("click", (start, 50))) == 0


def test_a_double_click_is_the_camera_s_only_while_neither_click_nor_drag_is_a_tool_s(ui: Any) -> None:
    gestures = Gestures()
    assert gestures.takes_clicks(ui)  # the pen acts on clicks
    ui.mode.tool = "look"
    assert not gestures.takes_clicks(ui)
    gestures.tool = tools.all_tools()[1]  # a drag that another tool began
    assert gestures.takes_clicks(ui)
