"""A panel or a draw pass from a file in the plug-in folder appears with its key and its switch, with no other edit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pygame
import pytest
from repose.app.render.passes import all_passes, all_switches, needs_contacts
from repose.app.storage.settings import load_settings
from repose.app.storage.view_settings import View
from repose.app.ui.keys import dispatch
from repose.app.ui.panels import all_keys, all_panels
from repose.app.ui.ui import WindowMode
from repose.sim import registry

from tests.app.ui.panels.panel_harness import full_snapshot, open_harness

PANEL = """
from dataclasses import dataclass

from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel


SEEN = []


@dataclass
class Marks:
    count: int = 0


def mark(ui):
    ui.states[Marks].count += 1


def draw(ui):
    SEEN[:] = [ui.snapshot.run.scene, ui.states[Marks].count]


KEY = Key("mark", "J", "mark", "Plug-in", mark, characters="jJ")
PANEL = Panel("mine", "Mine", 90, "column", draw, keys=(KEY,))
"""
PASS = """
import numpy as np
from repose.app.render.passes import Pass, Switch


def instances(frame):
    return np.zeros((1, 9), np.float32)


SWITCH = Switch("halo", "Halo", "A line around the scene.", default=False, key="9")
PASS = Pass("halo", 60, "lines", (4, 1, 4), instances, dimensions=(2,), switch=SWITCH, needs_contacts=True)
"""
SAME_KEY = """
import pygame
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel

KEY = Key("mine", "F11", "mine", "Window", lambda ui: ui.control.actions["mine"](), codes=(pygame.K_F11,))
PANEL = Panel("mine", "Mine", 1, "column", lambda ui: None, keys=(KEY,))
"""
SEARCHES = (all_panels, all_passes, all_switches, all_keys)
"""Their answers are kept while the program runs."""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A function that puts a file with this text into the plug-in folder."""

    def forget() -> None:
        registry.forget_plugins()
        for search in SEARCHES:
            search.cache_clear()

    folder = tmp_path / "plug-ins"
    folder.mkdir()
    monkeypatch.setenv(registry.FOLDER, str(folder))

    def add(text: str) -> None:
        (folder / "extra.py").write_text(text)
        forget()

    yield add
    monkeypatch.undo()
    forget()


def pressed(letter: str) -> pygame.event.Event:
    return pygame.event.Event(pygame.KEYDOWN, key=ord(letter), unicode=letter, mod=0)


def test_a_panel_from_a_file_is_drawn_and_its_key_acts(plug_in: Callable[[str], None], tmp_path: Path) -> None:
    plug_in(PANEL)
    assert registry.troubles() == []
    with open_harness(tmp_path, full_snapshot()) as harness:
        harness.ui.mode.help_open = True
        harness.frame(3)
        (seen,) = (panel.draw.__globals__["SEEN"] for panel in all_panels() if panel.name == "mine")
        assert seen == ["heap", 0]
        assert harness.ui.program.broken == {}
        assert dispatch(pressed("j"), all_keys(), harness.ui, typing=False)
        harness.frame()
        assert seen == ["heap", 1]


def test_a_panel_with_an_unknown_side_is_refused_in_one_sentence(plug_in: Callable[[str], None]) -> None:
    plug_in(PANEL.replace('"column"', '"left"'))
    (trouble,) = registry.troubles()
    sides = "column, tools, low, bottom, over, instead"
    assert trouble.endswith(f"the panel 'mine' has the side 'left': use one of {sides}.")


def test_a_pass_from_a_file_gets_a_switch_a_key_and_a_setting(plug_in: Callable[[str], None], tmp_path: Path) -> None:
    plug_in(PASS)
    (halo,) = (item for item in all_passes() if item.name == "halo")
    switch = halo.switch
    assert switch is not None
    assert [item.order for item in all_passes()] == sorted(item.order for item in all_passes())
    with open_harness(tmp_path, full_snapshot()) as harness:
        assert not needs_contacts(harness.ui.view)
        harness.click("tab.view")
        harness.click("view.show_halo", share=0.1)
        assert switch.is_on(harness.ui.view)
        assert needs_contacts(harness.ui.view)
        harness.ui.settings.save()
        assert load_settings(harness.ui.settings.path).choices.view.shown == {"halo": True}
        assert dispatch(pressed("9"), all_keys(), harness.ui, typing=False)
        assert not switch.is_on(harness.ui.view)


def test_a_file_without_a_record_adds_nothing(plug_in: Callable[[str], None]) -> None:
    before = len(all_panels()), len(all_passes())
    plug_in("NUMBER = 7")
    assert len(registry.extra_modules()) == 1
    assert (len(all_panels()), len(all_passes())) == before


def test_a_key_of_the_program_has_precedence_over_that_of_a_plug_in(plug_in: Callable[[str], None]) -> None:
    done: list[str] = []
    actions = {name: lambda name=name: done.append(name) for name in ("fullscreen", "mine")}
    ui: Any = SimpleNamespace(control=SimpleNamespace(actions=actions), mode=WindowMode())
    plug_in(SAME_KEY)
    assert "mine" in {panel.name for panel in all_panels()}
    event = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11, unicode="", mod=0)
    assert dispatch(event, all_keys(), ui, typing=False)
    assert done == ["fullscreen"]


def test_settings_do_not_share_a_view() -> None:
    (switch, *_) = all_switches()
    first, second = load_settings(Path("none")), load_settings(Path("none"))
    before = switch.is_on(second.choices.view)
    switch.set(first.choices.view, not before)
    assert switch.is_on(second.choices.view) == before
    assert View().shown == {}
