"""Time along the bottom: events and present step of the run, pause, steps, speed in words, the clock."""

from __future__ import annotations

from dataclasses import dataclass

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.pacing import clock_text, describe_speed
from repose.app.render.text import SMALL, draw_text, grouped, text_width
from repose.app.render.theme import Colour, colour32, vector
from repose.app.ui import replay_control, rewind
from repose.app.ui.events import Kind
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.panels.record import draw_indicator
from repose.app.ui.panels.stability import draw_dot, follow_state, state
from repose.app.ui.pause_and_speed import SPEEDS, describe_pace, wanted_speed
from repose.app.ui.places import TIME, StabilityArea, is_shown, show, shows_all
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, dragged, more_button, more_width, slide, tooltip
from repose.sim.message import EMPTY, Message, _, formatted, joined, plain, plural, time_text

TIMELINE = 14.0
"""Height of the bar of time [px at scale 1]."""
NEAR = 6.0
"""Distance within which the pointer selects an event [px at scale 1]."""
MORE_KEY = "F12"
"""Key of *More*, beside its label where there is room."""
NUMBERS = "numbers"
"""Entry of the settings that says whether the counts of steps and frames are shown."""


@dataclass
class TimeBar:
    """The drag on the bar of time."""

    asked: int | None = None
    """Step that it last asked for; None without a drag."""


def draw(ui: Ui) -> None:
    """The bar of time over the whole width; below it controls, clock, recording and stability."""
    _draw_timeline(ui)
    room = imgui.get_content_region_avail().x / ui.window.scale
    _draw_controls(ui, room)
    end = _draw_clock(ui)
    _draw_watch(ui, room, end)


def _draw_timeline(ui: Ui) -> None:
    """Draw the position of the run in its history, with the events; a drag goes to the nearest checkpoint."""
    snapshot, size = ui.snapshot, imgui.ImVec2(imgui.get_content_region_avail().x, TIMELINE * ui.window.scale)
    imgui.invisible_button("##timeline", size)
    ui.probe.mark("rewind.bar")
    low = imgui.get_item_rect_min()
    share = snapshot.history.at / snapshot.history.log_end if snapshot.history.log_end else 0.0
    draw, middle = imgui.get_window_draw_list(), low.y + size.y / 2
    half, rounding = 3.0 * ui.window.scale, 3.0 * ui.window.scale
    hot = imgui.is_item_hovered() or imgui.is_item_active()
    ground = imgui.get_color_u32(imgui.Col_.frame_bg_hovered if hot else imgui.Col_.frame_bg)
    edge = low.x + share * size.x
    draw.add_rect_filled(
        imgui.ImVec2(low.x, middle - half), imgui.ImVec2(low.x + size.x, middle + half), ground, rounding
    )
    draw.add_rect_filled(
        imgui.ImVec2(low.x, middle - half), imgui.ImVec2(edge, middle + half), colour32(ui.palette.fill), rounding
    )
    for event in ui.events.shown:
        x = low.x + size.x * min(event.at / max(snapshot.history.log_end, 1), 1.0)
        thick, ink = max(1.0, ui.window.scale), colour32(_colour(ui, event.kind))
        draw.add_rect_filled(imgui.ImVec2(x - thick, low.y), imgui.ImVec2(x + thick, low.y + size.y), ink)
    knob = min(max(edge, low.x + half), low.x + size.x - half)
    draw.add_circle_filled(imgui.ImVec2(knob, middle), 5.0 * ui.window.scale, colour32(ui.palette.accent))
    _explain_timeline(ui, low.x, size.x)
    where = dragged(ui, low.x, size.x) if imgui.is_mouse_down(0) else None
    if where is None:
        if not imgui.is_item_active():
            ui.states[TimeBar].asked = None
        return
    at = rewind.nearest(ui, where)
    if at != ui.states[TimeBar].asked:
        ui.states[TimeBar].asked = at
        rewind.go_to(ui, at)


def _explain_timeline(ui: Ui, left: float, width: float) -> None:
    """Name the event under the pointer, or say what a click does."""
    end = max(ui.snapshot.history.log_end, 1)
    pointer = imgui.get_io().mouse_pos.x
    near = [event for event in ui.events.shown if abs(left + width * event.at / end - pointer) < NEAR * ui.window.scale]
    if near:
        tooltip(ui, joined([joined((time_text(event.time), event.text), ": ") for event in near[-4:]], "\n"))
    else:
        help = _("Drag to go back in time. Continuing from there deletes what came after it.")
        stored = plural(
            "{count} restore point is stored ({memory}).",
            "{count} restore points are stored ({memory}), most of them recent.",
            count=len(ui.snapshot.history.moments),
            memory=rewind.memory(ui),
        )
        tooltip(ui, help, joined((help, stored), " "))


def _colour(ui: Ui, kind: Kind) -> Colour:
    palette = ui.palette
    return {"phase": palette.accent, "measured": palette.good, "changed": palette.warning}[kind]


def _draw_controls(ui: Ui, room: float) -> None:
    """Pause, steps and speed; in a narrow window the keys remain."""
    paused = ui.snapshot.engine.paused or ui.control.transport.paused
    side, tight, everything = imgui.get_frame_height(), 2 * ui.window.scale, shows_all(ui, TIME)
    if room > 700.0 and everything:
        if button(ui, "rewind.earlier", plain("«"), width=side, help=_("To the previous restore point.  Key Page Up")):
            rewind.earlier(ui)
        imgui.same_line(0.0, tight)
        if button(ui, "rewind.step_back", plain("‹"), width=side, help=_("One time step back.  Key ,")):
            rewind.step_back(ui)
        imgui.same_line(0.0, tight)
    _draw_pause(ui, paused)
    if everything:
        _draw_steps(ui, room, side, tight)
    imgui.same_line(0.0, 12 * ui.window.scale)
    if everything:
        if button(ui, "transport.slower", plain("−"), width=side, help=_("Slower.  Key −")):
            ui.control.transport.choose(ui.control.transport.index - 1)
        imgui.same_line(0.0, tight)
    else:
        imgui.align_text_to_frame_padding()
        imgui.text_colored(vector(ui.palette.muted), translated(_("Speed")))
        imgui.same_line()
    _draw_speed(ui, room)
    if everything:
        imgui.same_line(0.0, tight)
        if button(ui, "transport.faster", plain("+"), width=side, help=_("Faster.  Key +")):
            ui.control.transport.choose(ui.control.transport.index + 1)


def _draw_pause(ui: Ui, paused: bool) -> None:
    """The button that pauses and continues. Nothing is to be paused at the end of a run: it shows the run again."""
    width = 118 * ui.window.scale
    replays = ui.states[replay_control.Replay].on
    if replays or (replay_control.is_possible(ui) and not paused):
        label, accent = (_("Stop"), ui.palette.accent) if replays else (_("Replay"), None)
        help = _("Show once more what has happened, in space from another side. The run and its result stay.")
        if button(ui, "transport.replay", label, hint="0", width=width, emphasis=accent, help=help):
            replay_control.start_or_stop(ui)
        return
    label, accent = (_("Continue"), ui.palette.accent) if paused else (_("Pause"), None)
    help = _("Pause the run, or continue it.")
    if button(ui, "transport.pause", label, hint=_("Space"), width=width, emphasis=accent, help=help):
        ui.control.transport.pause(not paused)


def _pause(ui: Ui) -> None:
    """Pause or continue; during a replay end it, because continuing from an earlier step deletes what came after it."""
    if ui.states[replay_control.Replay].on:
        replay_control.stop(ui)
    else:
        ui.control.transport.pause(not ui.control.transport.paused)


def _draw_steps(ui: Ui, room: float, side: float, tight: float) -> None:
    """The buttons of single steps, and of the next restore point."""
    imgui.same_line(0.0, tight)
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True)
    if button(
        ui, "transport.step", _("Step"), hint=".", width=58 * ui.window.scale, help=_("One time step, then pause.")
    ):
        rewind.step_forward(ui)
    imgui.pop_item_flag()
    if room > 700.0:
        imgui.same_line(0.0, tight)
        if button(ui, "rewind.later", plain("»"), width=side, help=_("To the next restore point.  Key Page Down")):
            rewind.later(ui)


def _draw_speed(ui: Ui, room: float) -> None:
    """The slider of the speed."""
    last = len(SPEEDS) - 1
    speed = wanted_speed(ui.control.transport, ui.snapshot)
    shown = (describe_speed(speed), plain("max") if speed is None else formatted(speed, "g", "×"))
    wide = min(176.0, max(0.2 * room, 60.0)) * ui.window.scale
    where = slide(ui, "transport.speed", shown, ui.control.transport.index / last, wide, step=1 / last)
    tooltip(
        ui, _("Simulated seconds per real second. The time step does not change: a slow computer only takes longer.")
    )
    if where is not None and round(where * last) != ui.control.transport.index:
        ui.control.transport.choose(round(where * last))


def _draw_clock(ui: Ui) -> float:
    """Draw the simulated time, and beside it the actual speed if it is below the wanted one; returns its end [px]."""
    snapshot = ui.snapshot
    imgui.same_line(0.0, 14 * ui.window.scale)
    low = imgui.get_cursor_screen_pos()
    pad, in_history = imgui.get_style().frame_padding.y, snapshot.history.at < snapshot.history.log_end
    colour = ui.palette.accent if in_history else ui.palette.text
    draw_text(low.x, low.y + pad - 0.05 * imgui.get_font_size(), clock_text(snapshot), colour, 1.15)
    end = low.x + text_width("8888.888 s", 1.15)
    if in_history and not ui.states[replay_control.Replay].on:
        return _draw_warning(ui, end + 10 * ui.window.scale, low.y + pad + 0.1 * imgui.get_font_size())
    said = describe_pace(snapshot, wanted_speed(ui.control.transport, snapshot), ui.control.transport.held)
    wide = text_width(_("8888 × slow motion"), SMALL)
    if said and end + 10 * ui.window.scale + wide < ui.window.size[0] - _watch(ui):
        draw_text(end + 10 * ui.window.scale, low.y + pad + 0.1 * imgui.get_font_size(), said, ui.palette.muted, SMALL)
    imgui.dummy(imgui.ImVec2(1.0, imgui.get_frame_height()))
    return end + 10 * ui.window.scale + wide


def _draw_warning(ui: Ui, left: float, top: float) -> float:
    """Say beside the clock what continuing from an earlier step deletes, in as many words as fit; returns the end
    [px]."""
    room = ui.window.size[0] - _watch(ui) - left
    words = next((words for words in DELETES if text_width(words, SMALL) <= room), EMPTY)
    draw_text(left, top, words, ui.palette.warning, SMALL)
    imgui.dummy(imgui.ImVec2(1.0, imgui.get_frame_height()))
    return left + max(text_width(words, SMALL), text_width(_("8888 × slow motion"), SMALL))


DELETES = (
    _("An earlier step: continuing or changing anything from here deletes what came after it."),
    _("Continuing from here deletes what came after it."),
    _("an earlier step"),
)
"""What continuing from an earlier step deletes, from the longest to the shortest sentence."""
KINDS: dict[Kind, Message] = {
    "phase": _("phase"),
    "measured": _("measurement"),
    "changed": _("change"),
}
"""What the ticks of the bar of time stand for, by the kind of the event."""
WATCH = 300.0
"""Width kept at the right for recording, stability and the numbers [px at scale 1]."""


def _watch(ui: Ui) -> float:
    """Width kept at the right, with *More* [px]."""
    more = 0.0 if ui.settings.choices.expert else more_width(MORE_KEY) + imgui.get_style().item_spacing.x
    return WATCH * ui.window.scale + more


def _draw_watch(ui: Ui, room: float, left: float) -> None:
    """Draw at the right the recording, the dot of stability, and the counts if the user wants them."""
    side = imgui.get_frame_height()
    stable, gap = (86.0 if room > 560.0 else 26.0) * ui.window.scale, 6 * ui.window.scale
    record = (150.0 if room > 860.0 else 26.0) * ui.window.scale
    right = ui.window.size[0] - imgui.get_style().window_padding.x
    imgui.same_line()
    top = imgui.get_cursor_screen_pos().y
    if not ui.settings.choices.expert:
        wide = more_width(MORE_KEY)
        imgui.set_cursor_screen_pos(imgui.ImVec2(right - wide, top))
        more_button(ui, TIME, wide, hint=MORE_KEY)
        imgui.same_line()
        right -= wide + gap
    start = right - side - stable - record - 2 * gap
    if start < left - text_width(_("8888 × slow motion"), SMALL):
        return
    imgui.set_cursor_screen_pos(imgui.ImVec2(start, top))
    draw_indicator(ui, record)
    imgui.same_line(0.0, gap)
    follow_state(ui)
    everything = shows_all(ui, TIME)
    if everything or state(ui) in ("warning", "bad") or ui.states[StabilityArea].shown:
        draw_dot(ui, stable)
    if not everything:
        _draw_legend(ui, left + gap, start - 2 * gap, top)
        return
    imgui.same_line(0.0, gap)
    on = is_shown(ui, NUMBERS)
    help = _("Steps, steps per second, grains, frames per second.")
    if button(ui, "transport.numbers", plain("#"), width=side, emphasis=ui.palette.accent if on else None, help=help):
        show(ui, NUMBERS, not on)
    (_draw_numbers if on else _draw_legend)(ui, left + gap, start - 2 * gap, top)


def _draw_legend(ui: Ui, left: float, right: float, top: float) -> None:
    """Say what the colours of the ticks on the bar of time mean, as far as there are such ticks and there is room."""
    kinds, gap = {event.kind for event in ui.events.shown}, 6 * ui.window.scale
    base, high = top + (imgui.get_frame_height() - SMALL * imgui.get_font_size()) / 2, SMALL * imgui.get_font_size()
    wide = {kind: text_width(words, SMALL) for kind, words in KINDS.items() if kind in kinds}
    x = right - sum(wide.values()) - len(wide) * 4 * gap
    if x < left:
        return
    for kind, width in wide.items():
        x += 3 * gap
        ink, draw = colour32(_colour(ui, kind)), imgui.get_window_draw_list()
        draw.add_rect_filled(imgui.ImVec2(x - gap - 2 * ui.window.scale, base), imgui.ImVec2(x - gap, base + high), ink)
        draw_text(x, base, KINDS[kind], ui.palette.muted, SMALL)
        x += width + gap


def _draw_numbers(ui: Ui, left: float, right: float, top: float) -> None:
    """Draw as many counts as fit, the most important ones first."""
    snapshot = ui.snapshot
    readouts = (
        (_("steps/s"), grouped(round(snapshot.engine.steps_per_second)), "8 888 888"),
        (_("frames/s"), f"{ui.window.fps:.0f}", _("frames/s")),
        (_("steps"), grouped(snapshot.run.step), "888 888 888"),
        # A sphere that is not released yet does not count as moving; 0 grains would contradict the picture.
        (_("grains"), grouped(snapshot.grains.moving_count) if snapshot.grains.moving_count else "–", "88 888"),
    )
    high, small, gap = imgui.get_frame_height(), imgui.get_font_size() * SMALL, 12 * ui.window.scale
    x = right
    for name, value, sample in readouts:
        x -= max(text_width(sample, 0.9), text_width(name, SMALL))
        if x < left:
            return
        base = top + (high - small - imgui.get_font_size()) / 2
        draw_text(x, base, name, ui.palette.muted, SMALL)
        draw_text(x, base + small * 1.05, value, ui.palette.text, 0.9)
        x -= gap


KEYS = (
    Key(
        "pause",
        _("Space"),
        _("pause or continue"),
        _("Time"),
        _pause,
        codes=(pygame.K_SPACE,),
    ),
    Key(
        "replay",
        plain("0"),
        _("at the end of a run: show it once more"),
        _("Time"),
        replay_control.start_or_stop,
        codes=(pygame.K_0, pygame.K_KP_0),
    ),
    Key("step", plain("."), _("one time step"), _("Time"), rewind.step_forward, characters="."),
    Key(
        "faster",
        plain("+"),
        _("faster"),
        _("Time"),
        lambda ui: ui.control.transport.choose(ui.control.transport.index + 1),
        codes=(pygame.K_KP_PLUS,),
        characters="+=",
    ),
    Key(
        "slower",
        plain("−"),
        _("slower"),
        _("Time"),
        lambda ui: ui.control.transport.choose(ui.control.transport.index - 1),
        codes=(pygame.K_KP_MINUS,),
        characters="-_",
    ),
)
PANEL = Panel("transport", _("Transport"), 10, "bottom", draw, keys=KEYS)
