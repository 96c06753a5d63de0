"""Window: theme, text size, full screen and help."""

from __future__ import annotations

from dataclasses import dataclass

import pygame
from imgui_bundle import imgui
from repose.app.language import NATIVE, current_language, use_language
from repose.app.render.text import note
from repose.app.render.theme import PALETTES
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, checkbox, choose, slide
from repose.sim.message import EMPTY, Message, Number, _, formatted, plain

SMALLEST_TEXT, LARGEST_TEXT = 0.6, 2.0
FRAME_RATES = (20, 30, 60)
"""Frames per second offered [1/s]."""
THEMES = {"dark": _("Dark"), "light": _("Light"), "projector": _("Projector")}
NATIVE_NAMES = {code: plain(name) for code, name in NATIVE.items()}
LANGUAGE_HELP = _("Language of the window and of films; files and the command line stay English.")
EXPERT_HELP = _("All controls at once; otherwise those used most, and the others under More (F12).")
SOUND_HELP = _(
    "Impacts as clicks, the louder the more energy contacts dissipate; a replay is silent. Films have their own switch."
)
FRAME_RATE_HELP = _(
    "Fewer frames leave more time to the physics where there is no graphics card, and save the battery."
)


def draw(ui: Ui) -> None:
    """Theme, text size, full screen, help."""
    _draw_theme(ui)
    _draw_text_size(ui)
    _draw_frame_rate(ui)
    _draw_language(ui)
    choices = ui.settings.choices
    expert = checkbox(ui, "window.expert", _("Expert layout"), choices.expert, EXPERT_HELP)
    if expert != choices.expert:
        choices.expert = expert
    sound = checkbox(ui, "window.sound", _("Sound of impacts"), choices.sound, SOUND_HELP)
    if sound != choices.sound:
        choices.sound = sound
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    shown: tuple[tuple[str, Message, Message], ...] = (
        ("fullscreen", _("Full screen"), plain("F11")),
        ("hide_panels", _("Hide panels"), _("Tab")),
        ("help", _("Keys and mouse"), plain("F1")),
    )
    for index, (action, label, hint) in enumerate(shown):
        if index == 1:
            imgui.same_line()
        if button(ui, f"window.{action}", label, hint=hint, width=half if index < 2 else -1.0):
            ui.control.actions[action]()
    if ui.program.preparing:
        note(ui.program.preparing, ui.palette.muted)


def _draw_theme(ui: Ui) -> None:
    choices = ui.settings.choices
    gap = imgui.get_style().item_spacing.x
    third = (imgui.get_content_region_avail().x - 2 * gap) / 3
    for index, name in enumerate(PALETTES):
        if index:
            imgui.same_line()
        chosen = choices.theme == name
        help = _("White, strong contrasts and larger text, for a lecture room.") if name == "projector" else EMPTY
        emphasis = ui.palette.accent if chosen else None
        if button(ui, f"window.theme.{name}", THEMES[name], width=third, emphasis=emphasis, help=help):
            choices.theme = name


@dataclass
class TextSizeEntry:
    """The slider of the text size."""

    size: float | None = None
    """The size chosen so far [-]; None while nobody drags."""


def _draw_text_size(ui: Ui) -> None:
    """The size takes effect when the mouse button is released: a slider that grows under the pointer is hard to set."""
    entry = ui.states[TextSizeEntry]
    wanted = entry.size if entry.size is not None else ui.settings.choices.font_scale
    share = (wanted - SMALLEST_TEXT) / (LARGEST_TEXT - SMALLEST_TEXT)
    where = slide(
        ui,
        "window.text",
        (Message("text size {wanted}", wanted=Number(wanted, format=".0%")), formatted(wanted, ".0%")),
        share,
        step=1 / 28,
    )
    if where is not None:
        entry.size = round(SMALLEST_TEXT + where * (LARGEST_TEXT - SMALLEST_TEXT), 2)
    if not imgui.is_item_active() and entry.size is not None:
        ui.settings.choices.font_scale, entry.size = entry.size, None


def _draw_frame_rate(ui: Ui) -> None:
    choices = ui.settings.choices
    rates = {
        str(rate): Message("at most {rate} per second", rate=rate)
        for rate in sorted({*FRAME_RATES, choices.frame_rate})
    }
    rate = choose(ui, "window.frame_rate", _("Frames"), rates, str(choices.frame_rate), FRAME_RATE_HELP)
    if rate is not None:
        choices.frame_rate = int(rate)


def _draw_language(ui: Ui) -> None:
    """Languages under their own names; the choice acts from the next frame on."""
    language = choose(ui, "window.language", _("Language"), NATIVE_NAMES, current_language(), LANGUAGE_HELP)
    if language is not None:
        if trouble := use_language(language):
            show_toast(ui, trouble, bad=True)
        else:
            ui.settings.choices.language = language


def toggle_sound(ui: Ui) -> None:
    """Switch the sound of impacts on or off."""
    choices = ui.settings.choices
    choices.sound = not choices.sound
    show_toast(ui, _("Impacts are heard.") if choices.sound else _("Impacts are silent."))


KEYS = (
    Key(
        "sound",
        _("Ctrl+Shift+M"),
        _("sound of impacts on or off"),
        _("Window"),
        toggle_sound,
        codes=(pygame.K_m,),
        ctrl=True,
        shift=True,
    ),
)
PANEL = Panel("appearance", _("Window"), 50, "tools", draw, keys=KEYS)
