"""Keys have the function in the help, on every layout, and none while a text is typed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pygame
import pytest
from repose.app.lectures.mode import LectureMode
from repose.app.ui.keys import dispatch, find_key, scene_keys
from repose.app.ui.panels import all_keys
from repose.app.ui.scene_actions import RESET
from repose.app.ui.states import States
from repose.app.ui.ui import WindowMode
from repose.app.ui.widgets import WidgetState
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.snapshot import Action, Snapshot
from repose.sim.registry import scenes

from tests.english import english
from tests.snapshots import snapshot_of

UI: Any = SimpleNamespace(control=SimpleNamespace(actions={}), mode=WindowMode(), states=States())


def press(key: int, text: str = "", mod: int = 0) -> pygame.event.Event:
    return pygame.event.Event(pygame.KEYDOWN, key=key, unicode=text, mod=mod)


@pytest.mark.parametrize(
    ("event", "does"),
    [
        (press(pygame.K_SPACE, " "), "pause"),
        (press(pygame.K_PERIOD, "."), "step"),
        (press(pygame.K_TAB, "\t"), "hide_panels"),
        (press(pygame.K_F1), "help"),
        (press(pygame.K_F11), "fullscreen"),
        (press(pygame.K_HOME), "frame_all"),
        (press(pygame.K_EQUALS, "+", pygame.KMOD_RSHIFT), "faster"),
        (press(pygame.K_KP_PLUS, "+"), "faster"),
        (press(pygame.K_MINUS, "-"), "slower"),
        (press(pygame.K_KP_MINUS, "-"), "slower"),
        (press(pygame.K_z, "\x1a", pygame.KMOD_LCTRL), "undo"),
        (press(pygame.K_z, "\x1a", pygame.KMOD_LCTRL | pygame.KMOD_LSHIFT), "redo"),
        (press(pygame.K_y, "\x19", pygame.KMOD_RCTRL), "redo"),
        (press(pygame.K_z, "z", pygame.KMOD_LMETA), "undo"),
        (press(pygame.K_c, "c", pygame.KMOD_CAPS | pygame.KMOD_NUM), "next_colour"),
        (press(pygame.K_v, "v"), "record"),
        (press(pygame.K_v, "\x16", pygame.KMOD_LCTRL | pygame.KMOD_LSHIFT), "film_whole_run"),
    ],
)
def test_a_key_acts_once(event: pygame.event.Event, does: str) -> None:
    done: list[str] = []
    keys = [replace(key, act=lambda ui, name=key.name: done.append(name)) for key in all_keys()]
    assert dispatch(event, keys, UI, typing=False)
    assert done == [does]


def test_a_key_without_its_own_function_calls_that_of_the_window() -> None:
    done: list[str] = []
    ui: Any = SimpleNamespace(
        control=SimpleNamespace(actions={"fullscreen": partial(done.append, "fullscreen")}),
        mode=WindowMode(),
        states=States(),
    )
    assert dispatch(press(pygame.K_F11), all_keys(), ui, typing=False)
    assert done == ["fullscreen"]
    ui.control.actions.clear()
    assert not dispatch(press(pygame.K_F11), all_keys(), ui, typing=False)


@pytest.mark.parametrize("text", ["f", "F"])
def test_the_letter_of_an_action_of_the_scene_sends_its_command(text: str) -> None:
    sent: list[Any] = []
    ui: Any = SimpleNamespace(control=SimpleNamespace(send=sent.append), snapshot=Snapshot())
    snapshot = snapshot_of(actions=(Action("pour", "Pour grains", "F", True, ""), Action("wait", "Wait", "", True, "")))
    keys = scene_keys(snapshot)
    assert english([(key.shown, key.help, key.group) for key in keys]) == [("F", "Pour grains", "Experiment")]
    assert dispatch(press(pygame.K_f, text), keys, ui, typing=False)
    assert sent == [Act("pour")]


def test_nothing_happens_while_a_text_is_typed() -> None:
    keys = [replace(key, act=pytest.fail) for key in all_keys()]
    assert not dispatch(press(pygame.K_v, "v"), keys, UI, typing=True)


@pytest.mark.parametrize(
    "event",
    [
        press(pygame.K_9, "9"),
        press(pygame.K_g, "\x07", pygame.KMOD_LCTRL),
        press(pygame.K_TAB, "\t", pygame.KMOD_LALT),
        press(pygame.K_LSHIFT),
        pygame.event.Event(pygame.KEYUP, key=pygame.K_f, unicode="f", mod=0),
    ],
)
def test_unknown_keys_have_no_effect(event: pygame.event.Event) -> None:
    assert not dispatch(event, [replace(key, act=pytest.fail) for key in all_keys()], UI, typing=False)


@pytest.mark.parametrize(("code", "does"), [(pygame.K_PAGEDOWN, "later"), (pygame.K_PAGEUP, "earlier")])
def test_the_page_keys_are_those_of_a_lecture_while_one_is_shown(code: int, does: str) -> None:
    wishes = {"later": "forward", "earlier": "back"}
    for ui, wanted in ((UI, does), (SimpleNamespace(mode=WindowMode(lecture=LectureMode(on=True))), wishes[does])):
        done: list[str] = []
        keys = [replace(key, act=lambda ui, name=key.name, done=done: done.append(name)) for key in all_keys()]
        dispatch(press(code), keys, ui, typing=False)
        assert done == [wanted]


def test_esc_gives_up_a_selected_slider_before_it_ends_the_lecture() -> None:
    leave = next(key for key in all_keys() if key.name == "leave")
    ui: Any = SimpleNamespace(mode=WindowMode(lecture=LectureMode(on=True)), states=States())
    ui.states[WidgetState].selected = "guess.slider"
    assert not leave.when(ui)
    ui.states.clear()
    assert leave.when(ui)


def test_no_two_keys_are_the_same() -> None:
    keys = [key for key in all_keys() if key.when(UI)]
    chords = [(code, key.ctrl, key.shift) for key in keys for code in (*key.codes, *key.characters)]
    assert len(chords) == len(set(chords))


def test_letters_follow_the_character_not_the_position_on_the_keyboard() -> None:
    found = find_key(all_keys(), pygame.K_q, "v", 0)
    assert found is not None
    assert found.name == "record"


@pytest.mark.parametrize("scene", sorted(scenes()))
def test_help_of_the_reset_says_what_its_button_says(scene: str) -> None:
    experiment = new_experiment(scene, dict(scenes()[scene].test_values))
    actions = scenes()[scene].course.actions(experiment)
    button = next(action for action in actions if action.name == RESET)
    (key,) = (key for key in scene_keys(snapshot_of(actions=actions)) if str(key.shown) == "R")
    help = str(button.help)
    assert str(key.help) == f"Reset: {help[:-1]}"
    if scene == "heap":
        readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
        assert f"**R** resets: {help[0].lower()}{help[1:]}" in " ".join(readme.split())
