"""The guess of the audience: a slider before the run, and at its end the guess beside the answer of the run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from imgui_bundle import imgui
from repose.app.render.text import note, write
from repose.app.render.theme import colour32, vector
from repose.app.ui.lecture_mode import guess_now
from repose.app.ui.panels import Panel
from repose.app.ui.panels.notices_over_picture import NoticeStack
from repose.app.ui.places import GUESS, NOTICE, Focus, GuessArea, LectureArea, take_focus
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import row, slide, tooltip
from repose.sim.choices import choice_name
from repose.sim.measure.display import Answer, Guess
from repose.sim.message import Message, Number, _, joined, plain

WHOLE = 50.0
"""Length of a slider, in its unit, from which a guess has no decimals."""
STEP = 0.01
"""Part of the slider by which an arrow key moves it."""
HELP = _("Drag to keep the guess of the audience, or select it with Enter and use arrows. It stays beside the result.")
FIRST = 0.36
"""Fraction of the width for the words of the question, or for the two numbers, at the foot of the window [-]."""


@dataclass
class Guesses:
    """The guesses of the audience, each in its unit, by the name of `guess_now`."""

    values: dict[str, float] = field(default_factory=dict)


def draw(ui: Ui) -> None:
    """At the right of the picture of one run below the notices, in scenes that ask for a guess; in a lecture or
    presentation below the picture, where it covers neither the grains nor the measured angle."""
    asked, at_foot = guess_now(ui), ui.mode.presenting or ui.mode.lecture.on
    area = ui.states[GuessArea]
    area.shown, area.box = False, None
    # The pictures of several runs have no room for it, and their answers are several numbers.
    covered = not at_foot and (bool(ui.beside.runs) or ui.mode.overlay not in ("", GUESS))
    if asked is None or covered or not ui.view.ui_visible:
        area.foot = 0.0
        return
    left, top, right, bottom = ui.window.inset
    if at_foot:
        width, height = float(ui.window.size[0]), area.foot
        at = imgui.ImVec2(0.0, ui.window.size[1] - height - ui.states[LectureArea].notes)
    else:
        area.foot = 0.0
        right += ui.window.band  # beside the plates, as the notices above it
        width = min(NOTICE * ui.window.scale, ui.window.size[0] - left - right - 20 * ui.window.scale)
        at = imgui.ImVec2(ui.window.size[0] - right - 14 * ui.window.scale - width, top + ui.states[NoticeStack].foot)
        if width < 80 * ui.window.scale or at.y > ui.window.size[1] - bottom:
            return
    imgui.set_next_window_pos(at)
    imgui.set_next_window_size(imgui.ImVec2(width, 0))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0 if at_foot else 8 * ui.window.scale)
    imgui.push_style_color(imgui.Col_.window_bg, vector(ui.palette.panel, 0.94))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    chosen = ui.states[Focus].next == GUESS
    take_focus(ui, GUESS)
    area.shown = True
    imgui.begin(GUESS, None, flags | imgui.WindowFlags_.no_focus_on_appearing)
    imgui.pop_style_color()
    imgui.pop_style_var()
    _, guess, answer = asked
    if answer is None:
        _draw_parts(ui, lambda: _draw_words(guess), lambda: _draw_slider(ui, guess, chosen))
    else:
        _draw_parts(ui, lambda: _draw_numbers(ui, guess, answer), lambda: _draw_scale(ui, guess, answer))
    low, size = imgui.get_window_pos(), imgui.get_window_size()
    box = low.x, low.y, low.x + size.x, low.y + size.y
    ui.probe.mark_area(GUESS, box)
    if at_foot:
        area.foot = size.y
    else:
        area.box = box
    imgui.end()


def guessed(ui: Ui) -> float | None:
    """The present guess of the audience in its unit; None before there is one."""
    asked = guess_now(ui)
    return ui.states[Guesses].values.get(asked[0]) if asked is not None else None


def shown(guess: Guess, value: float, finer: int = 0) -> Message:
    """A number in the unit of the guess: "28°", "3.4 times"; `finer=1` adds a digit for a result, "28.3°"."""
    span = guess.high - guess.low
    decimals = max(int(span < WHOLE), 1 - math.floor(math.log10(span)))
    number = Number(value, "°" if guess.unit == "°" else "", f".{finer + decimals}f")
    return plain(number) if guess.unit in ("", "°") else joined((number, choice_name(guess.unit)), " ")


def _draw_parts(ui: Ui, first: Callable[[], None], second: Callable[[], None]) -> None:
    """Two parts, one below the other; at the foot of the window side by side."""
    if not (ui.mode.presenting or ui.mode.lecture.on):
        first()
        second()
        return
    if imgui.begin_table("parts", 2):
        imgui.table_setup_column("first", imgui.TableColumnFlags_.width_stretch, FIRST)
        imgui.table_setup_column("second", imgui.TableColumnFlags_.width_stretch, 1.0 - FIRST)
        for part in (first, second):
            imgui.table_next_column()
            part()
        imgui.end_table()


def _draw_words(guess: Guess) -> None:
    write(guess.words, imgui.get_content_region_avail().x)


def _draw_slider(ui: Ui, guess: Guess, chosen: bool) -> None:
    """The slider; `chosen` gives it the keyboard, so that Enter selects it at once."""
    value = guessed(ui)
    span = guess.high - guess.low
    where = 0.5 if value is None else (value - guess.low) / span
    text = _("your guess: drag") if value is None else Message("guess: {guess}", guess=shown(guess, value))
    moved = slide(ui, "guess.slider", (text,), where, step=STEP)
    if chosen:
        imgui.internal.set_focus_id(imgui.get_item_id(), imgui.internal.get_current_window())
        imgui.set_nav_cursor_visible(True)  # otherwise the first key would only show where the keyboard is
    if value is None:  # later, while the slider has the keyboard, the tooltip would cover the grains
        tooltip(ui, HELP)
    asked = guess_now(ui)
    if moved is not None and asked is not None:
        ui.states[Guesses].values[asked[0]] = guess.low + moved * span
    if ui.mode.lecture.on and ui.mode.lecture.unanswered:
        note(ui.mode.lecture.unanswered, ui.palette.bad)
        ui.probe.mark("guess.unanswered")


def _draw_numbers(ui: Ui, guess: Guess, answer: Answer) -> None:
    value, palette = guessed(ui), ui.palette
    if math.isfinite(answer.value):
        row(_("result"), shown(guess, answer.value, finer=1), ui, palette.good)
    if value is not None:
        row(_("your guess"), shown(guess, value), ui, palette.accent)


def _draw_scale(ui: Ui, guess: Guess, answer: Answer) -> None:
    """Guess and result on one scale, then the answer in a sentence."""
    value, palette = guessed(ui), ui.palette
    size = imgui.ImVec2(imgui.get_content_region_avail().x, 10.0 * ui.window.scale)
    imgui.dummy(size)
    low, ink = imgui.get_item_rect_min(), imgui.get_window_draw_list()
    middle = low.y + 0.5 * size.y
    ink.add_line(
        imgui.ImVec2(low.x, middle), imgui.ImVec2(low.x + size.x, middle), colour32(palette.muted), ui.window.scale
    )
    for number, colour in ((value, palette.accent), (answer.value, palette.good)):
        if number is not None and math.isfinite(number):
            share = min(max((number - guess.low) / (guess.high - guess.low), 0.0), 1.0)
            ink.add_circle_filled(imgui.ImVec2(low.x + share * size.x, middle), 5.0 * ui.window.scale, colour32(colour))
    ui.probe.mark("guess.scale")
    if answer.words:
        write(answer.words, imgui.get_content_region_avail().x)
        ui.probe.mark("guess.answer")


PANEL = Panel(GUESS, _("Guess"), 81, "over", draw)
