"""Notices over the picture: questions, faults, compiling of the engine, recent events."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import pygame
from imgui_bundle import imgui
from repose.app.render.text import heading, note
from repose.app.render.theme import Colour, vector
from repose.app.ui.keys import Key
from repose.app.ui.lecture_mode import awaits_run
from repose.app.ui.panels import Panel
from repose.app.ui.panels.lecture import draw_offer
from repose.app.ui.panels.next_step import PREPARING
from repose.app.ui.panels.presentation import headline_foot
from repose.app.ui.panels.record import draw_indicator
from repose.app.ui.places import BELOW_LEGEND, NOTICE, NoticeArea, TaskArea
from repose.app.ui.preset_library import different
from repose.app.ui.questions import answer, open_question
from repose.app.ui.scene_actions import act
from repose.app.ui.toasts import Toast, current_toasts
from repose.app.ui.tools.inspect import end_with_grain
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width
from repose.sim.experiment.commands import Recover, RemoveGrain
from repose.sim.experiment.parameter_values import parameter_set, parameters_of
from repose.sim.experiment.snapshot import Notice
from repose.sim.message import EMPTY, Joined, Message, Number, _, joined, plain, plural
from repose.sim.parameters import Value
from repose.sim.study.preparation import Watch, needed_by

AT_ONCE = 0.25
"""Wall time after the choice of a scene from which the notice of its progress is shown [s]."""


@dataclass
class NoticeStack:
    """The notices over the picture."""

    top: float = 0.0
    """Height at which the first notice of a frame begins [px]."""
    foot: float = 0.0
    """Height at which the next notice of this frame begins [px]."""
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Left, top, right, bottom of those of this frame [px]."""
    closed: Notice | None = None
    """The scene's notice that the user has closed."""
    compiled: tuple[str, Mapping[str, Value], tuple[str, ...]] | None = None
    """Scene and values whose engine is compiled, and what of it."""
    waits_since: float | None = None
    """Wall time since which a lecture waits for the run of its step [s, clock of `time.monotonic`]; None if it does
    not."""
    watch: Watch | None = None
    """The progress of compiling that engine."""


def draw(ui: Ui) -> None:
    """Draw notices under the legend, at the right: first those that need an answer, then messages, which disappear by
    themselves."""
    snapshot, stack, task = ui.snapshot, ui.states[NoticeStack], ui.states[TaskArea]
    end_with_grain(ui)
    if stack.closed != snapshot.messages.notice:
        stack.closed = None
    if not snapshot.engine.compiling and stack.watch is not None:
        stack.watch.finish()
        stack.compiled = stack.watch = None
    if not awaits_run(ui):
        stack.waits_since = None
    elif stack.waits_since is None:
        stack.waits_since = time.monotonic()
    stack.foot = headline_foot(ui) if ui.mode.presenting else BELOW_LEGEND * ui.window.scale
    stack.boxes.clear()
    for box in (task.box, task.table):
        if box is not None and (task.below_legend or box[2] > _left_edge(ui)):
            stack.foot = max(stack.foot, box[3] - ui.window.inset[1] + 8.0 * ui.window.scale)
    stack.top = stack.foot
    if (question := open_question(ui)) is not None:
        _notice(ui, ui.palette.warning, _draw_question, name="question", clicked=question.at)
    if ui.program.dead:
        _notice(ui, ui.palette.bad, _draw_dead)
    elif snapshot.messages.fault is not None:
        _notice(ui, ui.palette.bad, _draw_fault)
    elif "picture" in ui.program.broken:
        _notice(ui, ui.palette.bad, _draw_no_picture)
    elif snapshot.engine.compiling or snapshot.serial == 0:
        _notice(ui, ui.palette.accent, _draw_compiling)
    elif snapshot.engine.relaxing is not None:
        _notice(ui, ui.palette.accent, _draw_relaxing)
    elif (awaited := ui.work.preset_library.awaited) and time.monotonic() >= awaited[-1].since + AT_ONCE:
        _notice(ui, ui.palette.accent, partial(_draw_awaited, awaited[-1].preset))
    elif stack.waits_since is not None and time.monotonic() >= stack.waits_since + AT_ONCE:
        _notice(ui, ui.palette.accent, partial(_draw_awaited, ui.work.preset_library.current))
    elif (
        ui.work.run_saver.lost is not None and not ui.mode.lecture.on
    ):  # an audience waits; the run is offered again afterwards
        _notice(ui, ui.palette.warning, _draw_lost)
    elif ui.settings.trouble and not ui.mode.lecture.on:
        _notice(ui, ui.palette.warning, _draw_settings)
    elif (
        snapshot.messages.notice is not None and stack.closed is None and not ui.mode.lecture.on
    ):  # the answer of a lecture says it
        _notice(ui, ui.palette.warning, _draw_scene)
    elif ui.work.film.trouble and not ui.work.film.running:
        _notice(ui, ui.palette.warning, _draw_no_film)
    if ui.work.run_saver.unsaved and not ui.mode.lecture.on:  # a lecture saves nothing automatically
        _notice(ui, ui.palette.bad, _draw_unsaved, name="unsaved")
    covered = ui.mode.overlay or ui.mode.help_open  # an offer can wait until the panel that it would cover is closed
    if ui.mode.lecture.lecture is not None and not ui.mode.lecture.on and not covered:
        _notice(ui, ui.palette.accent, draw_offer, name="lecture offer")
    for index, toast in enumerate(current_toasts(ui)):
        if ui.mode.presenting and not toast.bad:
            continue  # an audience looks at the grains and the number
        colour = ui.palette.bad if toast.bad else ui.palette.line
        _notice(ui, colour, partial(_draw_toast, toast), name=f"toast.{index}", is_toast=True)
    ui.states[NoticeArea].boxes = tuple(stack.boxes)
    if ui.work.film.running and (ui.mode.presenting or not ui.view.ui_visible):
        _draw_filming(ui)


def _width(ui: Ui) -> float:
    """Width of the notices [px]; it can be too small for any."""
    left, __, right, __ = ui.window.inset
    return min(NOTICE * ui.window.scale, ui.window.size[0] - left - right - ui.window.band - 20 * ui.window.scale)


def _left_edge(ui: Ui) -> float:
    """Left edge of the notices [px]."""
    right = ui.window.inset[2] + ui.window.band
    return ui.window.size[0] - right - 14 * ui.window.scale - _width(ui)


def _notice(
    ui: Ui,
    edge: Colour,
    content: Callable[[Ui], None],
    name: str = "notice",
    is_toast: bool = False,
    clicked: tuple[float, float] | None = None,
) -> None:
    """Draw a window at the right edge, below earlier notices, or where the user has `clicked` [px]; at the edge it
    covers neither the legend nor the left wall. Nothing without room."""
    __, top, __, bottom = ui.window.inset
    width = _width(ui)
    at = imgui.ImVec2(_left_edge(ui), top + ui.states[NoticeStack].foot)
    if clicked is not None:
        at = _around(ui, clicked, width)
    if width < 80 or at.y > ui.window.size[1] - bottom:
        return
    imgui.set_next_window_pos(at)  # the left edge: for one frame ImGui places a new window as if it had no pivot
    imgui.set_next_window_size(imgui.ImVec2(width, 0))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.window.scale)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 1.5 * ui.window.scale)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(14 * ui.window.scale, 9 * ui.window.scale))
    imgui.push_style_color(imgui.Col_.border, vector(edge))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    if is_toast:
        flags |= imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.no_nav
    imgui.begin(name, None, flags | imgui.WindowFlags_.no_focus_on_appearing)
    # What is large over the picture, such as a plot or a panel, would cover what its keys answer and the buttons of a
    # notice. An open list stays in front of a notice.
    if is_toast or not imgui.is_popup_open("", imgui.PopupFlags_.any_popup):
        imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())
    imgui.pop_style_color()
    imgui.pop_style_var(3)
    content(ui)
    low, size = imgui.get_window_pos(), imgui.get_window_size()
    box = low.x, low.y, low.x + size.x, low.y + size.y
    ui.probe.mark_area(name, box)
    ui.states[NoticeStack].boxes.append(box)
    if clicked is None:
        ui.states[NoticeStack].foot += size.y + 8 * ui.window.scale
    imgui.end()


def _around(ui: Ui, clicked: tuple[float, float], width: float) -> imgui.ImVec2:
    """The corner of a notice of this width [px] with its words under the pointer: the second click of a double-click
    must not press one of its buttons."""
    room, line = 8.0 * ui.window.scale, imgui.get_text_line_height()
    x = min(max(clicked[0] - 0.5 * width, room), ui.window.size[0] - width - room)
    y = min(max(clicked[1] - line, room), ui.window.size[1] - 8.0 * line)
    return imgui.ImVec2(x, y)


def _draw_toast(toast: Toast, ui: Ui) -> None:
    note(toast.text, ui.palette.bad if toast.bad else ui.palette.text)


def _draw_question(ui: Ui) -> None:
    question = open_question(ui)
    if question is None:
        return
    note(question.text, ui.palette.text)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if button(ui, "question.yes", question.yes, hint="Y", emphasis=ui.palette.accent, width=half):
        answer(ui, True)
    imgui.same_line()
    if button(ui, "question.no", _("Cancel"), hint="N", width=half):
        answer(ui, False)


def _draw_awaited(preset: str, ui: Ui) -> None:
    """The scene that was chosen, while the window still shows the last one, or in a lecture nothing."""
    if preset:
        heading(ui.work.preset_library.titles.get(preset) or plain(preset), 1.2, ui.palette.text)
    note(_("The scene is being built."), ui.palette.muted)
    _draw_busy(ui)


def _draw_compiling(ui: Ui) -> None:
    """Progress and remaining time of compiling the engine; keys pressed meanwhile act when the engine is ready."""
    watch = _watch(ui)
    heading(PREPARING, 1.2, ui.palette.text)
    if watch is None or watch.is_stored:  # loading takes a second or two, of which no part is known
        note(_("The scene is being built.") if watch is None else _("It is loaded from disk."), ui.palette.muted)
        _draw_busy(ui)
        ui.probe.mark("notice.progress")
        return
    progress = watch.progress()
    if not progress.part:  # the engine is complete: what follows has no measured time
        note(_("It is ready; the first picture is being made."), ui.palette.muted)
        _draw_busy(ui)
        ui.probe.mark("notice.progress")
        return
    if progress.seconds_left is None:
        left = _("longer than expected")
    elif progress.seconds_left >= 1.0:
        left = Message("about {seconds_left} s left", seconds_left=Number(progress.seconds_left, format=".0f"))
    else:
        left = _("nearly ready")
    part = joined((": ", progress.part), "")
    note(
        Message(
            "{share}, {left}{part}. Later starts load it from disk.",
            share=Number(progress.share, format=".0%"),
            left=left,
            part=part,
        ),
        ui.palette.muted,
    )
    note(_("Keys and buttons act as soon as it is ready."), ui.palette.muted)
    imgui.progress_bar(progress.share, imgui.ImVec2(-1, 5 * ui.window.scale), "")
    ui.probe.mark("notice.progress")


def _draw_relaxing(ui: Ui) -> None:
    """Progress of the relaxation, with a button that cancels the change of parameters."""
    share = ui.snapshot.engine.relaxing or 0.0
    heading(_("The grains move apart…"), 1.2, ui.palette.text)
    note(
        Message(
            "{floor} %. The change is gradual: a sudden one would burst the packing.", floor=math.floor(100.0 * share)
        ),
        ui.palette.muted,
    )
    imgui.progress_bar(share, imgui.ImVec2(-1, 5 * ui.window.scale), "")
    ui.probe.mark("notice.relaxing")
    if button(
        ui, "notice.stop_relaxing", _("Stop"), hint="N", help=_("Keep the parameters and the grains as they were.")
    ):
        ui.control.actions["stop_relaxing"]()


def _watch(ui: Ui) -> Watch | None:
    """The progress of compiling the engine; None before there is a scene."""
    if ui.snapshot.engine.needed is None:
        return None
    scene, data = ui.snapshot.engine.needed
    parameters = parameter_set(scene, data)
    values = different(parameters) if parameters is not None else {}
    stack = ui.states[NoticeStack]
    asked = scene, values, ui.snapshot.engine.lacking
    if stack.compiled != asked:
        stack.compiled, stack.watch = asked, Watch(needed_by(scene, values), ui.snapshot.engine.lacking)
    return stack.watch


def _draw_busy(ui: Ui) -> None:
    """A moving bar for unknown progress."""
    low, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    imgui.progress_bar(0.0, imgui.ImVec2(-1, 5 * ui.window.scale), "")
    piece = 0.25 * width
    start = low.x + (imgui.get_time() * 0.4) % 1.0 * (width - piece)
    imgui.get_window_draw_list().add_rect_filled(
        imgui.ImVec2(start, low.y),
        imgui.ImVec2(start + piece, low.y + 5 * ui.window.scale),
        imgui.get_color_u32(imgui.Col_.plot_histogram),
        3 * ui.window.scale,
    )


def _draw_dead(ui: Ui) -> None:
    heading(_("The physics thread has stopped"), 1.2, ui.palette.bad)
    note(ui.snapshot.messages.latest, ui.palette.text)
    if button(
        ui,
        "notice.revive",
        _("Restart the experiment"),
        emphasis=ui.palette.accent,
        help=_("From the beginning, with the present parameters."),
    ):
        ui.control.actions["revive"]()


def _draw_no_picture(ui: Ui) -> None:
    heading(_("The grains cannot be drawn"), 1.2, ui.palette.bad)
    note(
        Message("The run continues. The graphics driver reports: {broken}", broken=ui.program.broken["picture"]),
        ui.palette.text,
    )
    if button(ui, "notice.picture", _("Try again")):
        del ui.program.broken["picture"]


def _draw_fault(ui: Ui) -> None:
    fault = ui.snapshot.messages.fault
    if fault is None:
        return
    heading(_("The run has stopped"), 1.2, ui.palette.bad)
    note(fault.message, ui.palette.text)
    note(_("Continue from the last good state:"), ui.palette.muted)
    ways = ways_back(ui)
    whole, gap = imgui.get_content_region_avail().x, imgui.get_style().item_spacing.x
    for index, row in enumerate(in_rows([button_width(way[1], way[2]) for way in ways], whole, gap)):
        for column, (name, label, key, help, do) in enumerate(ways[k] for k in row):
            if column:
                imgui.same_line()
            emphasis = ui.palette.accent if index == column == 0 else None
            width = (whole - (len(row) - 1) * gap) / len(row)
            if button(ui, f"notice.{name}", label, hint=key, help=help, emphasis=emphasis, width=width):
                do()


def in_rows(needed: list[float], whole: float, gap: float) -> list[list[int]]:
    """Rows of the numbers of buttons with these widths [px]: two in a row if half of `whole` is enough for each."""
    rows: list[list[int]] = []
    half = (whole - gap) / 2
    for number, width in enumerate(needed):
        last = rows[-1] if rows else []
        if len(last) == 1 and max(width, needed[last[0]]) <= half:
            last.append(number)
        else:
            rows.append([number])
    return rows


def ways_back(ui: Ui) -> list[tuple[str, Message, Message, Message, Callable[[], object]]]:
    """Ways to continue after a fault, the likely remedy first: name, label, key, help, function."""
    fault, parameters = ui.snapshot.messages.fault, parameters_of(ui.snapshot.run)
    if fault is None or parameters is None or ui.program.dead:
        return []
    ways: list[tuple[str, Message, Message, Message, Callable[[], object]]] = []
    if back := ui.control.edits.to_undo():
        declared = parameters.in_units()
        quantities = [declared[name].quantity for name in back]
        one, many = (
            quantities[0].symbol or quantities[0].label,
            plural("{count} change", "{count} changes", count=len(back)),
        )
        short = one if len(back) == 1 else many
        again = [
            joined((declared[name].quantity.label, declared[name].shown(value)), " ") for name, value in back.items()
        ]
        help = Message("Restore {again} and the state before the change.", again=Joined(tuple(again)))
        ways.append(("undo", Message("Undo {short}", short=short), _("Ctrl+Z"), help, ui.control.edits.undo))
    for remedy in fault.remedies:
        if remedy.name == "smaller_dt":
            label = Message("Time step {shown}", shown=parameters.declared()["dt"].shown(remedy.values["dt"], digits=4))
            help = _("Halved until it is stable; other parameters unchanged.")
            ways.append(("halve", label, plain("H"), help, partial(ui.control.edits.set, remedy.values)))
        elif remedy.name == "auto_dt":
            ways.append(
                ("auto", _("Let the program choose Δt"), EMPTY, EMPTY, partial(ui.control.edits.set, remedy.values))
            )
        elif remedy.sphere_id is not None:
            help = _("The grain and its energy are removed permanently; the run continues.")
            remove = partial(ui.control.send, RemoveGrain(remedy.sphere_id))
            ways.append(
                ("remove", Message("Remove grain {sphere_id}", sphere_id=remedy.sphere_id), _("Del"), help, remove)
            )
    ways.append(
        (
            "recover",
            _("Continue unchanged"),
            EMPTY,
            _("Return to the last good state with the present parameters."),
            partial(ui.control.send, Recover({})),
        )
    )
    return ways


def _draw_settings(ui: Ui) -> None:
    note(ui.settings.trouble, ui.palette.text)
    if button(ui, "notice.settings", _("Close"), width=140 * ui.window.scale):
        ui.settings.trouble = EMPTY


def _draw_unsaved(ui: Ui) -> None:
    note(ui.work.run_saver.unsaved, ui.palette.text)


def _draw_lost(ui: Ui) -> None:
    """Offer the run of a window that ended unexpectedly; in few words in a presentation, where letters are large and an
    audience looks at the grains."""
    help = _("It was saved automatically and can be continued. Opening it replaces the run in the window.")
    if ui.mode.presenting:
        note(_("The last run ended unexpectedly"), ui.palette.warning)
    else:
        heading(_("The last run ended unexpectedly"), 1.2, ui.palette.warning)
        note(help, ui.palette.text)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if button(ui, "notice.open_lost", _("Open"), help=help, emphasis=ui.palette.accent, width=half):
        ui.work.run_saver.open_lost()
    imgui.same_line()
    if button(ui, "notice.discard_lost", _("Discard"), width=half):
        ui.work.run_saver.discard_lost()


def _draw_scene(ui: Ui) -> None:
    notice = ui.snapshot.messages.notice
    if notice is None:
        return
    heading(notice.heading, 1.2, ui.palette.warning)
    note(notice.text, ui.palette.text)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    for action in ui.snapshot.run.actions:
        if action.name == notice.action and action.enabled:
            if button(ui, "notice.action", action.label, hint=action.key, help=action.help, width=half):
                act(ui, action)
            imgui.same_line()
    if button(ui, "notice.scene", _("Close"), width=half):
        ui.states[NoticeStack].closed = notice


def _draw_no_film(ui: Ui) -> None:
    film = ui.work.film
    note(film.trouble, ui.palette.text)
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if film.format != ".png":
        if button(ui, "notice.pictures", _("Record PNG pictures"), width=half):
            film.format = ".png"
            film.start(ui.snapshot.run.scene)
        imgui.same_line()
    if button(ui, "notice.no_film", _("Close"), width=half):
        film.trouble = EMPTY


def _draw_filming(ui: Ui) -> None:
    """Draw the indicator of a recording at the lower left of the picture, if no bar shows the recording."""
    left, foot = ui.window.inset[0], ui.window.size[1] - ui.window.inset[3]
    corner = imgui.ImVec2(left + 10 * ui.window.scale, foot - 12 * ui.window.scale)
    imgui.set_next_window_pos(corner, imgui.Cond_.always, imgui.ImVec2(0.0, 1.0))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    flags |= imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_focus_on_appearing
    imgui.begin("filming", None, flags)
    draw_indicator(ui, 230 * ui.window.scale)
    imgui.end()


def _answer(yes: bool, ui: Ui) -> None:
    if open_question(ui) is None and not yes and ui.snapshot.engine.relaxing is not None:
        ui.control.actions["stop_relaxing"]()
    answer(ui, yes)


def _continue_by(name: str, ui: Ui) -> None:
    """Carry out the remedy of this name after a fault; do nothing without a fault."""
    for way, *__, do in ways_back(ui):
        if way == name:
            do()


KEYS = (
    Key("yes", plain("Y"), _("after a question: yes"), _("Experiment"), partial(_answer, True), characters="yY"),
    Key(
        "no",
        plain("N"),
        _("after a question: no; stop a long change"),
        _("Experiment"),
        partial(_answer, False),
        characters="nN",
    ),
    Key(
        "halve",
        plain("H"),
        _("after a fault: smaller time step"),
        _("Parameters"),
        partial(_continue_by, "halve"),
        characters="hH",
    ),
    Key(
        "remove",
        _("Del"),
        _("after a fault: remove the grain"),
        _("Parameters"),
        partial(_continue_by, "remove"),
        codes=(pygame.K_DELETE,),
    ),
)
PANEL = Panel("notices", _("Notices"), 80, "over", draw, keys=KEYS)
