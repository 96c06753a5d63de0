"""A panel or a draw pass from a plug-in module appears with its key and its switch, and no other file knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pygame
import pytest
from repose.app.render.passes import Frame, Pass, Switch, all_passes, all_switches, needs_contacts
from repose.app.storage.settings import load_settings
from repose.app.storage.view import View
from repose.app.ui.keys import Key, dispatch
from repose.app.ui.panels import Panel, all_keys, all_panels
from repose.app.ui.ui import Ui
from repose.sim import registry

from tests.app.ui.panels.stage import full_snapshot, open_stage

SWITCH = Switch("halo", "Halo", "A line around the scene.", default=False, key="J")


def plugin(**offered: Any) -> ModuleType:
    module = ModuleType("plugin")
    vars(module).update(offered)
    return module


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ModuleType]]:
    modules: list[ModuleType] = []
    monkeypatch.setattr(registry, "extra_modules", lambda: modules, raising=False)
    found = (all_panels, all_passes, all_switches, all_keys)
    for search in found:
        search.cache_clear()
    yield modules
    for search in found:
        search.cache_clear()


def pressed(letter: str) -> pygame.event.Event:
    return pygame.event.Event(pygame.KEYDOWN, key=ord(letter), unicode=letter, mod=0)


def test_a_panel_of_a_plugin_is_drawn_and_its_key_acts(plugins: list[ModuleType], tmp_path: Path) -> None:
    drawn: list[str] = []
    key = Key("mark", "J", "mark", "Plug-in", lambda ui: ui.memory.update(marked=True), characters="jJ")
    panel = Panel("mine", "Mine", 90, "left", lambda ui: drawn.append(ui.snapshot.scene), keys=(key,))
    plugins.append(plugin(PANEL=panel))
    with open_stage(tmp_path, full_snapshot()) as stage:
        stage.ui.help_open = True
        stage.frame(3)
        assert drawn[-1] == "heap"
        assert stage.ui.broken == {}
        assert dispatch(pressed("j"), all_keys(), stage.ui, typing=False)
        assert stage.ui.memory["marked"]


def test_a_pass_of_a_plugin_gets_a_switch_a_key_and_a_setting(plugins: list[ModuleType], tmp_path: Path) -> None:
    def instances(frame: Frame) -> np.ndarray:
        return np.zeros((1, 9), np.float32)

    item = Pass("halo", 60, "lines", (4, 1, 4), instances, dimensions=(2,), switch=SWITCH, needs_contacts=True)
    plugins += [plugin(PASS=item), plugin(SCENE="neither panel nor pass")]
    assert item in all_passes()
    assert all_passes().index(item) == [other.order <= 60 for other in all_passes()].index(False) - 1
    with open_stage(tmp_path, full_snapshot()) as stage:
        assert not needs_contacts(stage.ui.view)
        stage.click("tab.view")
        stage.click("view.show_halo", share=0.1)
        assert SWITCH.is_on(stage.ui.view)
        assert needs_contacts(stage.ui.view)
        stage.ui.settings.save()
        assert load_settings(stage.ui.settings.path).choices.view.shown == {"halo": True}
        assert dispatch(pressed("j"), all_keys(), stage.ui, typing=False)
        assert not SWITCH.is_on(stage.ui.view)


def test_modules_without_a_record_are_passed_over(plugins: list[ModuleType]) -> None:
    before = len(all_panels()), len(all_passes())
    plugins.append(plugin())
    all_panels.cache_clear()
    all_passes.cache_clear()
    assert (len(all_panels()), len(all_passes())) == before


def test_a_key_of_the_program_comes_before_the_same_key_of_a_plugin(plugins: list[ModuleType]) -> None:
    ui: Any = Ui.__new__(Ui)
    done: list[str] = []
    ui.actions = {"fullscreen": lambda: done.append("fullscreen")}
    own = Key("mine", "F11", "mine", "Window", lambda ui: done.append("mine"), codes=(pygame.K_F11,))
    plugins.append(plugin(PANEL=Panel("mine", "Mine", 1, "left", lambda ui: None, keys=(own,))))
    event = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11, unicode="", mod=0)
    assert dispatch(event, all_keys(), ui, typing=False)
    assert done == ["fullscreen"]


def test_settings_do_not_share_a_view() -> None:
    first, second = load_settings(Path("none")), load_settings(Path("none"))
    SWITCH.set(first.choices.view, True)
    assert not SWITCH.is_on(second.choices.view)
    assert View().shown == {}
