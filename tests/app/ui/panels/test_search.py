"""Ctrl+F searches all parameters; Esc lists again what was listed before."""

from __future__ import annotations

import pygame
import pytest
from imgui_bundle import imgui
from repose.app.ui.keys import dispatch
from repose.app.ui.panels import all_keys

from tests.app.ui.panels.panel_harness import PanelHarness


def key(harness: PanelHarness, code: int, mod: int = 0) -> None:
    event = pygame.event.Event(pygame.KEYDOWN, key=code, unicode="", mod=mod)
    dispatch(event, all_keys(), harness.ui, imgui.get_io().want_text_input)
    harness.frame(3)


@pytest.mark.parametrize("typing", [True, False])
def test_esc_after_ctrl_f_shows_the_plots_again(harness: PanelHarness, typing: bool) -> None:
    assert "tab.plots" in harness.widgets
    key(harness, pygame.K_f, pygame.KMOD_CTRL)
    assert imgui.get_io().want_text_input
    harness.write("wall", imgui.Key.escape if typing else imgui.Key.enter)
    if not typing:
        assert "tab.plots" not in harness.widgets
        key(harness, pygame.K_ESCAPE)
    harness.frame(3)
    assert "tab.plots" in harness.widgets
    assert "parameters.search" not in harness.widgets
    key(harness, pygame.K_f, pygame.KMOD_CTRL)
    assert "field.friction" in harness.widgets  # the text of the last search is gone


def test_esc_leaves_the_list_of_all_parameters_that_the_user_has_opened(harness: PanelHarness) -> None:
    harness.click("parameters.more")
    key(harness, pygame.K_f, pygame.KMOD_CTRL)
    harness.write("wall", imgui.Key.escape)
    harness.frame(3)
    assert {"parameters.search", "field.friction"} <= set(harness.widgets)
    assert "tab.plots" not in harness.widgets


def test_esc_closes_the_help_before_it_ends_the_search(harness: PanelHarness) -> None:
    key(harness, pygame.K_f, pygame.KMOD_CTRL)
    harness.write("wall")
    key(harness, pygame.K_F1)
    key(harness, pygame.K_ESCAPE)
    assert not harness.ui.mode.help_open
    assert "parameters.search" in harness.widgets
