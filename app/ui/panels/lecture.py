"""Lecture: title, question and progress of the step in a band above the picture, the notes of the speaker on demand."""

from __future__ import annotations

from functools import partial

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.pacing import clock_text, describe_speed
from repose.app.render.text import SMALL, draw_text, heading, note, shortened, text_width
from repose.app.render.theme import Colour, colour32, vector
from repose.app.ui.keys import Key
from repose.app.ui.lecture_mode import awaits_run, close_lecture, toggle_notes, wish
from repose.app.ui.panels import Panel
from repose.app.ui.pause_and_speed import describe_pace, wanted_speed
from repose.app.ui.places import LectureArea
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import SMALLEST_SIZE, WidgetState, button
from repose.sim.message import Message, _, joined, plain

TITLE = 1.5
"""Size of the title relative to running text."""
SMALLEST = SMALLEST_SIZE / TITLE
"""Smallest size of a long title relative to its usual size; a longer title is shortened."""
PAD = 10.0
"""Margin of the band [px at scale 1]."""
LINE = 3.0
"""Thickness of the bar of progress [px at scale 1]."""
NOTES = SMALL
"""Size of the notes relative to running text."""
MOST_NOTES = 0.4
"""Largest share of the height of the window that the notes cover [-]."""
FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)


def draw(ui: Ui) -> None:
    """The band at the top, and the notes at the foot if the window has to show them."""
    mode, area = ui.mode.lecture, ui.states[LectureArea]
    if not mode.on or not ui.view.ui_visible:
        area.band = area.notes = 0.0
        return
    _draw_band(ui)
    if mode.notes_shown:
        _draw_notes(ui)
    else:
        area.notes = 0.0


def draw_offer(ui: Ui) -> None:
    """Content of the notice about a lecture that is opened and not shown."""
    mode = ui.mode.lecture
    if mode.lecture is None:
        return
    heading(plain(mode.text(mode.lecture.title)), 1.2, ui.palette.text)
    count = len(mode.lecture.steps)
    note(
        Message(
            "Steps of the lecture: {count}. Page Down continues, Page Up goes back, Esc ends it; then your "
            "run is back.",
            count=count,
        ),
        ui.palette.muted,
    )
    label = _("Start") if mode.number == 0 else Message("Continue at step {number}", number=mode.number + 1)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if button(ui, "lecture.begin", label, hint="F5", emphasis=ui.palette.accent, width=half):
        wish(ui, "begin")
    imgui.same_line()
    if button(ui, "lecture.close", _("Close"), width=half, help=_("Without a lecture, F5 shows the presentation.")):
        close_lecture(ui)


def _draw_band(ui: Ui) -> None:
    """Title and progress on the first line, below them question or answer; its height is measured for the picture."""
    mode, pad = ui.mode.lecture, PAD * ui.window.scale
    assert mode.lecture is not None
    width, line = float(ui.window.size[0]), imgui.get_font_size()
    words, colour = _sentence(ui)
    count = len(mode.lecture.steps)
    progress = f"{mode.number + 1} / {count}"
    title = mode.text(mode.step.title)
    room = width - 4.0 * pad - text_width(progress, TITLE)
    size = TITLE * max(min(1.0, room / max(text_width(title, TITLE), 1.0)), SMALLEST)
    title = shortened(title, room, 1.1 * size)  # bold letters are wider
    wrapped = imgui.calc_text_size(words, wrap_width=width - 2.0 * pad).y if words else 0.0
    height = 0.7 * pad + 1.25 * TITLE * line + wrapped + (0.7 * pad if words else 0.3 * pad) + LINE * ui.window.scale
    ui.states[LectureArea].band = height
    imgui.set_next_window_pos(imgui.ImVec2(0.0, 0.0))
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(pad, 0.7 * pad))
    imgui.begin("lecture", None, FLAGS | imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.no_nav)
    imgui.pop_style_var()
    top = 0.7 * pad
    _bold(ui, pad, top, title, ui.palette.text, size)
    draw_text(width - pad - text_width(progress, TITLE), top, progress, ui.palette.muted, TITLE)
    ink_left = pad + 1.1 * text_width(title, size)
    _draw_clock(ui, ink_left, width - 3.0 * pad - text_width(progress, TITLE), top + 0.4 * (TITLE - 1.0) * 2.0 * line)
    ui.probe.mark_area("lecture.progress", (width - pad - text_width(progress, TITLE), top, width - pad, top + line))
    if words:
        imgui.set_cursor_screen_pos(imgui.ImVec2(pad, top + 1.25 * TITLE * line))
        imgui.push_text_wrap_pos(width - pad)
        imgui.text_colored(vector(colour), words)
        imgui.pop_text_wrap_pos()
    _draw_progress(ui, height, count)
    ui.probe.mark_area("lecture.band", (0.0, 0.0, width, height))
    imgui.end()


def _bold(ui: Ui, x: float, y: float, text: str, colour: Colour, size: float) -> None:
    font = ui.window.bold if ui.window.bold is not None else imgui.get_font()
    high = round(imgui.get_font_size() * size)
    imgui.get_window_draw_list().add_text(font, high, imgui.ImVec2(round(x), round(y)), colour32(colour), text)


def _sentence(ui: Ui) -> tuple[str, Colour]:
    """The question; once it is answered, the answer if there is one."""
    step, mode = ui.mode.lecture.step, ui.mode.lecture
    if mode.answered and step.answer:
        return mode.text(step.answer), ui.palette.good
    return mode.text(step.question), ui.palette.accent


def _draw_progress(ui: Ui, foot: float, count: int) -> None:
    """A bar along the foot of the band: the steps done."""
    high = LINE * ui.window.scale
    ink, width = imgui.get_window_draw_list(), float(ui.window.size[0])
    ink.add_rect_filled(imgui.ImVec2(0.0, foot - high), imgui.ImVec2(width, foot), colour32(ui.palette.raised))
    done = width * (ui.mode.lecture.number + 1) / count
    ink.add_rect_filled(imgui.ImVec2(0.0, foot - high), imgui.ImVec2(done, foot), colour32(ui.palette.accent))


def _draw_clock(ui: Ui, left: float, right: float, y: float) -> None:
    """Draw simulated time and speed of the step's run between title and progress, if there is room."""
    if awaits_run(ui):
        return
    wanted = wanted_speed(ui.control.transport, ui.snapshot)
    speed = describe_pace(ui.snapshot, wanted) or describe_speed(wanted)
    words = joined((clock_text(ui.snapshot), speed), "   ")
    x = right - text_width(words)
    if x > left:
        draw_text(x, y, words, ui.palette.muted)


def _draw_notes(ui: Ui) -> None:
    """Draw the notes of the speaker below the picture; long notes scroll."""
    mode = ui.mode.lecture
    assert mode.lecture is not None
    words = mode.text(mode.step.notes) or translated(_("This step has no notes."))
    if mode.unanswered:
        words = f"{translated(mode.unanswered)}\n{words}"
    pad = PAD * ui.window.scale
    width = float(ui.window.size[0])
    imgui.push_font(None, imgui.get_style().font_size_base * NOTES)
    needed = imgui.calc_text_size(words, wrap_width=width - 4.0 * pad).y + 2.0 * pad
    height = min(needed, MOST_NOTES * ui.window.size[1])
    ui.states[LectureArea].notes = height
    imgui.set_next_window_pos(imgui.ImVec2(0.0, ui.window.size[1] - height))
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(pad, pad))
    flags = FLAGS & ~int(imgui.WindowFlags_.no_scrollbar)
    imgui.begin("notes", None, flags)
    imgui.pop_style_var()
    imgui.push_text_wrap_pos(width - 3.0 * pad)
    imgui.text_unformatted(words)
    imgui.pop_text_wrap_pos()
    ui.probe.mark_area("lecture.notes", (0.0, ui.window.size[1] - height, width, float(ui.window.size[1])))
    imgui.end()
    imgui.pop_font()


def _is_on(ui: Ui) -> bool:
    return ui.mode.lecture.on


def _may_leave(ui: Ui) -> bool:
    """Whether Esc ends the lecture; otherwise Esc first closes a window over the picture, or releases a slider."""
    if not ui.mode.lecture.on or ui.mode.help_open or ui.states[WidgetState].selected:
        return False
    return ui.mode.overlay in ("", "large_plot")


KEYS = (
    Key(
        "forward",
        _("Page Down"),
        _("next step"),
        _("Lecture"),
        partial(wish, what="forward"),
        codes=(pygame.K_PAGEDOWN,),
        when=_is_on,
    ),
    Key(
        "back",
        _("Page Up"),
        _("step before"),
        _("Lecture"),
        partial(wish, what="back"),
        codes=(pygame.K_PAGEUP,),
        when=_is_on,
    ),
    Key("notes", plain("F2"), _("notes of the speaker"), _("Lecture"), toggle_notes, codes=(pygame.K_F2,), when=_is_on),
    Key(
        "leave",
        _("Esc"),
        _("end the lecture"),
        _("Lecture"),
        partial(wish, what="leave"),
        codes=(pygame.K_ESCAPE,),
        when=_may_leave,
    ),
)
"""Keys of a lecture; they come before the keys of other panels, which use the same keys without a lecture."""
PANEL = Panel("lecture", _("Lecture"), 5, "over", draw, keys=KEYS)
