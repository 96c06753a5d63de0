"""The guess of the audience: a slider or choices before the run, at its end the guess beside the answer of the run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from imgui_bundle import imgui
from repose.app.audience.rounds import Round
from repose.app.render.text import draw_text, note, shortened, text_width, write
from repose.app.render.theme import Colour, colour32, vector
from repose.app.ui.lecture_mode import guess_now
from repose.app.ui.panels import Panel
from repose.app.ui.panels.audience import counts, draw_show
from repose.app.ui.panels.notices_over_picture import NoticeStack
from repose.app.ui.phones import Audience, present
from repose.app.ui.places import GUESS, NOTICE, Focus, GuessArea, LectureArea, free_of_actions, take_focus
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import SMALLEST_SIZE, button, fitting_size, row, slide, tooltip
from repose.sim.measure.display import Answer, Guess
from repose.sim.message import Message, _, joined

BARS = 44.0
"""Height of the histogram of the answers of phones [px at scale 1]."""
STEP = 0.01
"""Part of the slider by which an arrow key moves it."""
HELP = _("Drag to keep the guess of the audience, or select it with Enter and use arrows. It stays beside the result.")
CHOICE = 0.62
"""Fraction of the width for the words of a choice beside the bars of the answers [-]."""
RESULT, OWN = _("result"), _("your guess")
MOST_IN_A_COLUMN = 3
"""Choices that stand below one another at the foot of the window; more would take half of it."""
BAR = 3.0
"""Height of the bar of the answers below a choice [px at scale 1]."""
GROUND = 0.15
"""Opacity of the ground of the right choice [-]."""
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
    area.shown, area.box, area.place = False, None, None
    if asked is not None and not (at_foot or ui.beside.runs) and ui.view.ui_visible:
        left, top, width = _column(ui)
        area.place = left, top + ui.states[NoticeStack].top + area.height
    # The pictures of several runs have no room for it, and their answers are several numbers.
    covered = not at_foot and (bool(ui.beside.runs) or ui.mode.overlay not in ("", GUESS))
    if asked is None or covered or not ui.view.ui_visible:
        area.foot = 0.0
        return
    if at_foot:
        width, height = float(ui.window.size[0]), area.foot
        at = imgui.ImVec2(0.0, ui.window.size[1] - height - ui.states[LectureArea].notes)
    else:
        area.foot = 0.0
        left, top, width = _column(ui)
        at = imgui.ImVec2(left, top + ui.states[NoticeStack].foot)
        if width < 80 * ui.window.scale or at.y + area.height > ui.window.size[1] - free_of_actions(ui)[3]:
            return  # below several notices it would cover the actions, and comes back when one of them is closed
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
    __, guess, answer = asked
    latest = present(ui)

    def first() -> None:
        _draw_words(guess) if answer is None or guess.choices else _draw_numbers(ui, guess, answer)
        if latest is not None:
            _draw_counts(ui, latest)

    def second() -> None:
        if guess.choices:
            _draw_choices(ui, guess, chosen, answer)
            return
        if latest is not None and latest.values and ui.states[Audience].shown:
            _draw_histogram(ui, guess, latest)
        _draw_slider(ui, guess, chosen) if answer is None else _draw_scale(ui, guess, answer)

    _draw_parts(ui, first, second)
    help = _("Let the audience guess by phone.")
    # A lecture needs the room: there the key remains.
    if latest is None and not at_foot and button(ui, "guess.phones", _("Phones…"), hint=_("Ctrl+Shift+A"), help=help):
        ui.control.actions["audience"]()
    low, size = imgui.get_window_pos(), imgui.get_window_size()
    box = low.x, low.y, low.x + size.x, low.y + size.y
    ui.probe.mark_area(GUESS, box)
    if at_foot:
        area.foot = size.y
    else:
        area.box, area.height = box, size.y
    imgui.end()


def _column(ui: Ui) -> tuple[float, float, float]:
    """Left and upper edge, and width of its column at the right of the picture, beside the plates as the notices above
    it [px]."""
    left, top, right, _ = ui.window.inset
    right += ui.window.band
    width = min(NOTICE * ui.window.scale, ui.window.size[0] - left - right - 20 * ui.window.scale)
    return ui.window.size[0] - right - 14 * ui.window.scale - width, top, width


def guessed(ui: Ui) -> float | None:
    """The present guess of the audience in its unit; None before there is one."""
    asked = guess_now(ui)
    return ui.states[Guesses].values.get(asked[0]) if asked is not None else None


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
    text = _("your guess: drag") if value is None else Message("guess: {guess}", guess=guess.shown(value))
    moved = slide(ui, "guess.slider", (text,), where, step=STEP)
    if chosen:
        _give_keyboard()
    if value is None:  # later, while the slider has the keyboard, the tooltip would cover the grains
        tooltip(ui, HELP)
    asked = guess_now(ui)
    if moved is not None and asked is not None:
        ui.states[Guesses].values[asked[0]] = guess.low + moved * span
    _draw_unanswered(ui)


def _give_keyboard() -> None:
    """Give the widget just drawn the keyboard."""
    imgui.internal.set_focus_id(imgui.get_item_id(), imgui.internal.get_current_window())
    imgui.set_nav_cursor_visible(True)  # otherwise the first key would only show where the keyboard is


def _draw_unanswered(ui: Ui) -> None:
    if ui.mode.lecture.on and ui.mode.lecture.unanswered:
        note(ui.mode.lecture.unanswered, ui.palette.bad)
        ui.probe.mark("guess.unanswered")


def _draw_choices(ui: Ui, guess: Guess, chosen: bool, answer: Answer | None) -> None:
    """The choices as buttons until the run answers, below one another or in two columns, each with a bar of the answers
    of phones if they are shown; `chosen` gives the first one the keyboard."""
    latest, mine, asked = present(ui), guessed(ui), guess_now(ui)
    counted = latest.as_kept(shown=True).histogram() if latest is not None and ui.states[Audience].shown else []
    gap, room = imgui.get_style().item_spacing.x, imgui.get_content_region_avail().x
    values = [guess.low + number for number in range(len(guess.choices))]
    results = [answer is not None and answer.value == value for value in values]
    told = [
        joined([words for words, holds in ((RESULT, right), (OWN, mine == value)) if holds], ", ")
        for value, right in zip(values, results, strict=True)
        if answer is not None
    ]
    columns = _columns(ui, guess, room)
    whole = (room - (columns - 1) * gap) / columns
    width = (CHOICE if any(counted) and columns == 1 else 1.0) * whole
    for number, (value, words) in enumerate(zip(values, guess.choices, strict=True)):
        colour = ui.palette.good if results[number] else ui.palette.accent if mine == value else None
        if number % columns:
            imgui.same_line()
        name, low = f"guess.choice.{number + 1}", imgui.get_cursor_screen_pos()
        if answer is None:
            if button(ui, name, words, width=width, emphasis=colour) and asked is not None:
                ui.states[Guesses].values[asked[0]] = value
            if chosen and number == 0:
                _give_keyboard()
        else:
            if columns > 1:
                _draw_frame(ui, (low.x, low.y, whole), results[number], mine == value)
            _draw_answered(ui, words, told[number], (width, _digits() if columns > 1 else 0.0), colour)
            ui.probe.mark(name)
        if any(counted) and columns == 1:
            _draw_count(ui, (low.x + width + gap, low.y, whole - width - gap), counted[number], max(counted), colour)
        elif any(counted):
            on_button = answer is None and colour is not None
            ink = ui.palette.on_accent if on_button else colour or ui.palette.text
            _draw_count_below(ui, (low.x, low.y, whole), counted[number], max(counted), ink)
    if any(counted):
        ui.probe.mark("guess.histogram")
    if answer is None:
        _draw_unanswered(ui)
    elif answer.words:
        write(answer.words, room)
        ui.probe.mark("guess.answer")


def _columns(ui: Ui, guess: Guess, room: float) -> int:
    """Two columns at the foot of the window for more than `MOST_IN_A_COLUMN` choices, if each has room for its words
    beside the number of its answers; otherwise one."""
    if len(guess.choices) <= MOST_IN_A_COLUMN or not (ui.mode.presenting or ui.mode.lecture.on):
        return 1
    gap = imgui.get_style().item_spacing.x
    free = (room - gap) / 2.0 - 2.0 * _digits()
    return 2 if all(text_width(words, SMALLEST_SIZE) <= free for words in guess.choices) else 1


def _digits() -> float:
    """Width of the number of answers of a choice, with a margin [px]."""
    return text_width("00") + imgui.get_style().frame_padding.x


def _draw_frame(ui: Ui, room: tuple[float, float, float], right: bool, own: bool) -> None:
    """Tell the result, on a ground, and the guess, in a frame, where their words may have no room; `room` is left, top
    and width of the choice."""
    left, top, width = room
    low, high = imgui.ImVec2(left, top), imgui.ImVec2(left + width, top + imgui.get_frame_height())
    drawn, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    if right:
        drawn.add_rect_filled(low, high, colour32(ui.palette.good, GROUND), rounding)
    if own:
        drawn.add_rect(low, high, colour32(ui.palette.accent), rounding, thickness=1.5 * ui.window.scale)


def _draw_answered(ui: Ui, words: Message, told: Message, widths: tuple[float, float], colour: Colour | None) -> None:
    """The words of a choice, and at their right what it is, if there is room: the result, the guess, both or nothing.
    `widths` are that of the choice and that left free at its right for a number [px]; where one is, words are set in.
    """
    low, height, gap = imgui.get_cursor_screen_pos(), imgui.get_frame_height(), imgui.get_style().item_spacing.x
    width, free = widths[0] - widths[1], widths[1]
    indent = imgui.get_style().frame_padding.x if free else 0.0
    tail = text_width(told)
    if free and text_width(words, SMALLEST_SIZE) > width - indent - tail - gap:
        tail = 0.0
    room = width - indent - (tail + gap if tail else 0.0)
    size, ink = fitting_size(words, room), colour or ui.palette.text
    imgui.dummy(imgui.ImVec2(widths[0], height))
    lift = 0.5 * (height - imgui.get_font_size())
    top = low.y + 0.5 * (height - size * imgui.get_font_size())
    draw_text(low.x + indent, top, shortened(words, room, size), ink, size)
    if tail:
        draw_text(low.x + width - tail, low.y + lift, told, ink)


def _draw_count(ui: Ui, room: tuple[float, float, float], count: int, most: int, colour: Colour | None) -> None:
    """The number of answers of a choice, and their bar beside it; `room` is left, top and width of the longest one."""
    left, top, width = room
    pad = imgui.get_style().frame_padding
    digits, size = text_width(str(most)) + pad.x, imgui.get_frame_height()
    draw_text(left + digits - pad.x - text_width(str(count)), top + pad.y, str(count), colour or ui.palette.text)
    low, end = left + digits, left + digits + (width - digits) * count / most
    if count:
        imgui.get_window_draw_list().add_rect_filled(
            imgui.ImVec2(low, top + 0.2 * size),
            imgui.ImVec2(end, top + 0.8 * size),
            colour32(colour or ui.palette.muted),
        )


def _draw_count_below(ui: Ui, room: tuple[float, float, float], count: int, most: int, colour: Colour) -> None:
    """The number of answers at the right of a choice, and their bar along its lower edge; `room` is left, top and width
    of the choice."""
    left, top, width = room
    pad, foot = imgui.get_style().frame_padding, top + imgui.get_frame_height()
    draw_text(left + width - pad.x - text_width(str(count)), top + pad.y, str(count), colour)
    imgui.get_window_draw_list().add_rect_filled(
        imgui.ImVec2(left, foot - BAR * ui.window.scale),
        imgui.ImVec2(left + width * count / most, foot),
        colour32(colour),
    )


def _draw_counts(ui: Ui, latest: Round) -> None:
    """How many phones have answered, and the button that shows their answers or hides them."""
    note(counts(ui), ui.palette.muted)
    if latest.values:
        draw_show(ui, "guess.show_answers")


def _draw_histogram(ui: Ui, guess: Guess, latest: Round) -> None:
    """The answers of the phones over the scale of the guess, with the result of the run."""
    counted = latest.as_kept(shown=True).histogram()
    size = imgui.ImVec2(imgui.get_content_region_avail().x, BARS * ui.window.scale)
    imgui.dummy(size)
    low, ink, most = imgui.get_item_rect_min(), imgui.get_window_draw_list(), max(max(counted), 1)
    wide, foot, gap = size.x / len(counted), low.y + size.y, 0.5 * ui.window.scale
    for number, count in enumerate(counted):
        left, top = low.x + number * wide, foot - size.y * count / most
        if count:
            ink.add_rect_filled(
                imgui.ImVec2(left + gap, top), imgui.ImVec2(left + wide - gap, foot), colour32(ui.palette.accent)
            )
    ink.add_line(
        imgui.ImVec2(low.x, foot), imgui.ImVec2(low.x + size.x, foot), colour32(ui.palette.muted), ui.window.scale
    )
    if latest.result is not None:
        at = low.x + size.x * min(max((latest.result - guess.low) / (guess.high - guess.low), 0.0), 1.0)
        line = 3.0 * ui.window.scale
        ink.add_line(imgui.ImVec2(at, low.y), imgui.ImVec2(at, foot), colour32(ui.palette.panel), 2.0 * line)
        ink.add_line(imgui.ImVec2(at, low.y), imgui.ImVec2(at, foot), colour32(ui.palette.good), line)
    ui.probe.mark("guess.histogram")


def _draw_numbers(ui: Ui, guess: Guess, answer: Answer) -> None:
    value, palette = guessed(ui), ui.palette
    if math.isfinite(answer.value):
        row(RESULT, guess.shown(answer.value, finer=1), ui, palette.good)
    if value is not None:
        row(OWN, guess.shown(value), ui, palette.accent)


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
