"""Presentation: the picture with its title, the clock, the main result in large letters, and few parameters."""

from __future__ import annotations

import pygame
from imgui_bundle import imgui
from repose.app.render.pacing import clock_text, describe_speed
from repose.app.render.passes import legend
from repose.app.render.passes.measured_slope import SLOPE
from repose.app.render.text import draw_text, shortened, text_width
from repose.app.render.theme import colour32
from repose.app.ui.keys import Key
from repose.app.ui.lecture_mode import awaits_run, wish
from repose.app.ui.main_result import headline
from repose.app.ui.panels import Panel
from repose.app.ui.panels.next_step import OVER, draw_next
from repose.app.ui.panels.parameters import lecture_parameters
from repose.app.ui.parameter_rows import draw_field, least_width
from repose.app.ui.pause_and_speed import describe_pace, wanted_speed
from repose.app.ui.places import BELOW_LEGEND, GuessArea
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import WidgetState
from repose.sim.message import _, formatted, joined, plain
from repose.sim.parameters import Parameter

LETTERS = 0.06
"""Height of the letters of the large number [share of the height of the window]."""
CAPITALS = 0.727
"""Height of a capital or a digit of the font, relative to its size [-]."""
TITLE = 1.25
"""Size of the title, relative to running text."""
NARROW = 0.4
"""Least fraction of the width for a title, even if the legend leaves less [-]."""
PLATE = 0.75
"""Opacity of the plate behind title and clock, and behind the number [-]."""
ACTION, CHIP, CHIP_PADDING = 170.0, 84.0, 8.0
"""Width of the large button, least width of a parameter, and distance of the parameter from its sides [px at scale
1]."""


def draw(ui: Ui) -> None:
    """Draw title and clock at the upper left, or at the lower left if the legend is as wide as the window; the number
    under the legend; action and parameters at the bottom."""
    if not (ui.mode.presenting and ui.view.ui_visible):
        return
    imgui.set_next_window_pos(imgui.ImVec2(0.0, 0.0))
    imgui.set_next_window_size(imgui.ImVec2(ui.window.size[0], ui.window.size[1]))
    flags = imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.no_nav | imgui.WindowFlags_.no_bring_to_front_on_focus
    imgui.begin("presentation", None, OVER | flags)
    if not ui.mode.lecture.on:
        _draw_title(ui)
    _draw_headline(ui)
    imgui.end()
    if ui.window.inset[3] and not (
        ui.mode.lecture.on and (ui.mode.lecture.notes_shown or not ui.mode.lecture.step.controls)
    ):
        _draw_chips(ui)


def is_on_slope(ui: Ui) -> bool:
    """Whether the picture itself shows the number, on the slope of the heap."""
    return ui.snapshot.results.slope is not None and SLOPE.is_on(ui.view)


def hides_number(ui: Ui) -> bool:
    """Whether a lecture hides the number, because nothing is measured yet or the guess shows the number."""
    return ui.mode.lecture.on and (ui.snapshot.results.slope is None or bool(ui.mode.lecture.step.guess))


def letter_size(ui: Ui) -> float:
    """Size of the font of the large number relative to running text [-]."""
    return LETTERS * ui.window.size[1] / CAPITALS / imgui.get_font_size()


def headline_foot(ui: Ui) -> float:
    """Lower edge of the large number [px]; notices begin there."""
    if is_on_slope(ui) or hides_number(ui):
        return BELOW_LEGEND * ui.window.scale
    return BELOW_LEGEND * ui.window.scale + letter_size(ui) * imgui.get_font_size() + 1.4 * imgui.get_font_size()


def _draw_title(ui: Ui) -> None:
    snapshot, left, beside_it, margin = ui.snapshot, ui.window.inset[0], 20 * ui.window.scale, 14 * ui.window.scale
    x = left + beside_it
    wanted, edge = (
        wanted_speed(ui.control.transport, snapshot),
        legend.left_edge(ui.window.size[0] - ui.window.inset[2], ui.window.scale),
    )
    room = max(edge - left - 1.6 * beside_it, NARROW * (ui.window.size[0] - left))
    title = shortened(ui.work.preset_library.title(snapshot.run.scene), room, TITLE)
    speed = describe_pace(snapshot, wanted, ui.control.transport.held) or describe_speed(wanted)
    beside = x + text_width("888.88 s") + margin
    right = max(x + text_width(title, TITLE), beside + text_width(speed)) + 0.6 * beside_it
    first = 1.3 * TITLE * imgui.get_font_size()
    height = first + 1.6 * imgui.get_font_size()
    beside_legend = right <= edge
    y = margin if beside_legend else ui.window.size[1] - ui.window.inset[3] - height - 0.6 * margin
    second = y + first
    low, high = (left + 0.4 * beside_it, y - 0.6 * margin), (right, y + height)
    # A heap that fills the picture has its wall behind the words: without a plate both would be equally light.
    plate = colour32(ui.palette.panel, PLATE)
    imgui.get_window_draw_list().add_rect_filled(imgui.ImVec2(*low), imgui.ImVec2(*high), plate, 6 * ui.window.scale)
    ui.probe.mark_area("presentation.title", (*low, *high))
    draw_text(x, y, title, ui.palette.text, TITLE)
    in_seconds = snapshot.run.time_scale == 1.0  # the last digit of milliseconds would flicker; an impact takes µs
    clock = formatted(snapshot.run.time, ".2f", "s") if in_seconds else clock_text(snapshot)
    draw_text(x, second, clock, ui.palette.text)
    draw_text(beside, second, speed, ui.palette.muted)


def _draw_headline(ui: Ui) -> None:
    """Draw the number right-aligned under the legend, unless the picture shows it on the measured slope."""
    result = headline(ui.snapshot)
    if result is None or is_on_slope(ui) or hides_number(ui) or awaits_run(ui):
        return
    size, right = letter_size(ui), ui.window.size[0] - ui.window.inset[2] - ui.window.band - 24 * ui.window.scale
    y, line = ui.window.inset[1] + BELOW_LEGEND * ui.window.scale, imgui.get_font_size()
    left = right - text_width(result.value, size)
    words = joined([part for part in (result.whole_label, result.error) if part], "  ")
    start, pad = min(left, right - text_width(words)), 0.4 * line
    # Beside a large plot the picture is narrow, and grains are behind the words.
    low, high = imgui.ImVec2(start - pad, y), imgui.ImVec2(right + pad, y + (size + 1.2) * line)
    plate = colour32(ui.palette.panel, PLATE)
    imgui.get_window_draw_list().add_rect_filled(low, high, plate, 6 * ui.window.scale)
    draw_text(left, y, result.value, ui.palette.muted if result.outdated else ui.palette.text, size)
    ui.probe.mark_area("presentation.headline", (left, y, right, y + size * line))
    draw_text(right - text_width(words), y + size * line, words, ui.palette.muted)


def _draw_chips(ui: Ui) -> None:
    """The next action and the parameters of the lecture side by side."""
    high, pad = ui.window.inset[3] - ui.states[GuessArea].foot, 10 * ui.window.scale
    left, width = ui.window.inset[0], ui.window.size[0] - ui.window.inset[0]
    imgui.set_next_window_pos(imgui.ImVec2(left, ui.window.size[1] - ui.window.inset[3]))
    imgui.set_next_window_size(imgui.ImVec2(width, high))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(pad, 4 * ui.window.scale))
    # A window that appears would be drawn over an open choice of scenes.
    imgui.begin("chips", None, OVER | imgui.WindowFlags_.no_bring_to_front_on_focus)
    imgui.pop_style_var()
    action = 0.0 if ui.mode.lecture.on else ACTION * ui.window.scale
    if action:
        draw_next(ui, action, 42.0)
    chips = shown_parameters(ui)
    gap = 6 * ui.window.scale
    free = width - 2 * pad - action
    chips = chips[: int(free // (CHIP * ui.window.scale + gap))]
    inside = 2 * CHIP_PADDING * ui.window.scale
    widths = shared([least_width(entry) + inside for entry in chips], free - len(chips) * gap, CHIP * ui.window.scale)
    for index, (parameter, width) in enumerate(zip(chips, widths, strict=True)):
        if index or action:
            imgui.same_line(0.0, gap)
        _draw_chip(ui, parameter.name, width, high - 10 * ui.window.scale)
    imgui.end()


def shared(needs: list[float], room: float, least: float) -> list[float]:
    """Widths that fill the room: equal ones, but a parameter that needs more has it if the others keep the `least`
    [px]."""
    if not needs:
        return []
    equal = room / len(needs)
    large = [index for index, need in enumerate(needs) if need > equal]
    rest = len(needs) - len(large)
    taken = sum(needs[index] for index in large)
    if not large or not rest or room - taken < rest * least:
        return [equal] * len(needs)
    return [need if need > equal else (room - taken) / rest for need in needs]


def shown_parameters(ui: Ui) -> tuple[Parameter, ...]:
    """The lecture parameters of the scene; in a lecture the parameters that the step names."""
    parameters = ui.control.edits.parameters
    if parameters is None:
        return ()
    if not ui.mode.lecture.on:
        return tuple(lecture_parameters(ui.snapshot.run.scene, type(parameters)))
    declared = parameters.declared()
    return tuple(declared[name] for name in ui.mode.lecture.step.controls if name in declared)


def _draw_chip(ui: Ui, name: str, width: float, height: float) -> None:
    low = imgui.get_cursor_screen_pos()
    corner = imgui.ImVec2(low.x + width, low.y + height)
    imgui.get_window_draw_list().add_rect_filled(low, corner, colour32(ui.palette.panel), 6 * ui.window.scale)
    imgui.push_style_var(
        imgui.StyleVar_.window_padding, imgui.ImVec2(CHIP_PADDING * ui.window.scale, 6 * ui.window.scale)
    )
    flags = imgui.ChildFlags_.always_use_window_padding | imgui.ChildFlags_.nav_flattened
    imgui.begin_child(f"chip.{name}", imgui.ImVec2(width, height), flags, imgui.WindowFlags_.no_scrollbar)
    imgui.pop_style_var()
    parameters = ui.control.edits.parameters
    if parameters is not None:
        draw_field(ui, type(parameters).declared()[name])
    imgui.end_child()


def toggle(ui: Ui) -> None:
    """Begin or end the presentation; begin the lecture if one is opened."""
    if ui.mode.lecture.lecture is not None:
        wish(ui, "begin")
    else:
        ui.mode.presenting = not ui.mode.presenting


def leave(ui: Ui) -> None:
    """End the presentation."""
    ui.mode.presenting = False


def may_leave(ui: Ui) -> bool:
    """Whether Esc ends the presentation; otherwise Esc first closes what is open, or releases a slider. A lecture,
    which is presented too, has a key of its own."""
    mode = ui.mode
    if not mode.presenting or mode.lecture.on or mode.help_open or ui.states[WidgetState].selected:
        return False
    return mode.overlay in ("", "large_plot") and not imgui.is_popup_open("", imgui.PopupFlags_.any_popup)


KEYS = (
    Key(
        "leave_presentation",
        _("Esc"),
        _("end the presentation"),
        _("Window"),
        leave,
        codes=(pygame.K_ESCAPE,),
        when=may_leave,
    ),
    Key(
        "present",
        plain("F5"),
        _("presentation: large letters; an opened lecture"),
        _("Window"),
        toggle,
        codes=(pygame.K_F5,),
    ),
)
PANEL = Panel("presentation", _("Presentation"), 60, "over", draw, keys=KEYS)
