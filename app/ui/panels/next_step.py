"""The actions of the scene over the picture: the next one as a large button, the others small, and the phase."""

from __future__ import annotations

import math
from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.lectures.step_course import RUN_ALL, goes_on
from repose.app.render.passes import scale_bar
from repose.app.render.text import SMALL, draw_text, symbol_width, text_width
from repose.app.render.theme import colour32
from repose.app.ui.panels import Panel, instead
from repose.app.ui.places import ACTIONS, ActionArea, shows_all, strip_height, take_focus
from repose.app.ui.replay_control import Replay
from repose.app.ui.scene_actions import RESET, act, as_offered
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import SMALLEST_SIZE, button, button_width, fitting_size, more_button, tooltip, with_key
from repose.sim.experiment.snapshot import Action, Snapshot
from repose.sim.message import Capital, _, joined, plain

LARGE, SMALLEST = 210.0, 120.0
"""Width of the large button, and its least width where the small ones need room for their labels [px at scale 1]."""
PAUSED = _("Paused: Space continues")
PREPARING = _("Preparing the engine…")
HEIGHT = 32.0
"""Height of all buttons, and width of those that show their key only [px at scale 1]."""
NARROWEST = 20.0
"""Least width of a button that shows its key only [px at scale 1]."""
TIGHT, LEAST = 2.0, 72.0
"""Gap between small buttons, and least width of the large one, in a strip without room for all actions, for example
beside an open study [px at scale 1]."""
FEWER = plain("«")
"""Label of the button that hides actions: the strip needs its room for their labels."""
FEW = 4
"""Number of actions up to which all have a button without *More*."""
UPPER_GAP, LEAST_HEIGHT = 4.0, 520.0
"""Distance of the two rows of actions where their names do not fit into one, and least height of a window with two rows
[px at scale 1]."""
ROUNDING = 0.01
"""Error of sums of widths [px]."""
MARGIN = 16.0
"""Distance between the edge of the picture and the large button [px at scale 1]."""
OVER = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_background
    | imgui.WindowFlags_.no_focus_on_appearing
)


@dataclass
class NextButton:
    """The large button."""

    pressed: str = ""
    """Name of the action that it had when it was pressed; empty if it is not pressed."""


def draw(ui: Ui) -> None:
    """The strip at the foot of the picture; nothing in it changes its place while an experiment runs."""
    area = ui.states[ActionArea]
    area.upper_row = 0.0
    left, _, _, bottom = ui.window.inset
    if not (ui.view.ui_visible and bottom) or ui.mode.presenting or instead(ui) is not None:
        return
    free = ui.window.size[0] - left
    dimension = ui.snapshot.grains.position.shape[1]
    width = free - MARGIN * ui.window.scale - scale_bar.room(free, ui.window.scale, dimension, text_width)
    if width < SMALLEST * ui.window.scale or not ui.snapshot.run.actions:
        return
    large, gap = _shares(ui, width)
    upper = _upper(ui, width, width - large)
    if upper:
        area.upper_row = imgui.get_frame_height() + UPPER_GAP * ui.window.scale
    foot = ui.window.size[1] - bottom - 4 * ui.window.scale
    imgui.set_next_window_pos(imgui.ImVec2(left + MARGIN * ui.window.scale, foot - strip_height(ui)))
    imgui.set_next_window_size(imgui.ImVec2(width, strip_height(ui)))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
    take_focus(ui, "actions")
    imgui.begin("actions", None, OVER)
    imgui.pop_style_var()
    _draw_phase(ui, width)
    if upper:
        now = next_action(ui.snapshot)
        start = imgui.get_cursor_pos_y()
        _draw_small(ui, width, upper, None if goes_on(ui.snapshot) else now, imgui.get_frame_height())
        imgui.set_cursor_pos_y(start + area.upper_row)
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(gap, imgui.get_style().item_spacing.y))
    drawn = draw_next(ui, large)
    imgui.same_line()
    lower = tuple(name for name in _small(ui) if name not in upper)
    _draw_small(ui, width - large, lower, drawn, HEIGHT * ui.window.scale, has_more=True)
    imgui.pop_style_var()
    imgui.end()


def _shares(ui: Ui, width: float) -> tuple[float, float]:
    """Width of the large button, and gap between the small ones, in a strip of this width [px]."""
    small = _with_labels(ui)
    labels = sum(small.values()) + len(small) * imgui.get_style().item_spacing.x
    if width - labels < SMALLEST * ui.window.scale:  # then without their keys, which the help names
        labels -= sum(small.values()) - sum(_with_words(ui).values())
    words = text_width(PAUSED, SMALLEST_SIZE) + 2.0 * imgui.get_style().frame_padding.x
    large = min(max(min(LARGE * ui.window.scale, width - labels), SMALLEST * ui.window.scale, math.ceil(words)), width)
    gap = imgui.get_style().item_spacing.x
    if width - large < len(small) * (NARROWEST * ui.window.scale + gap):
        gap = TIGHT * ui.window.scale
        large = min(large, max(width - len(small) * (NARROWEST * ui.window.scale + gap), LEAST * ui.window.scale))
    return large, gap


def _upper(ui: Ui, width: float, beside: float) -> tuple[str, ...]:
    """Names of the first actions, which have a row of their own above the others because the names of all do not fit
    `beside` the large button [px]; empty if they do, or if two rows of this width are too narrow too."""
    gap, words, names = imgui.get_style().item_spacing.x, _with_words(ui), tuple(_small(ui))
    if ui.window.size[1] < LEAST_HEIGHT * ui.window.scale:
        return ()
    for count in range(len(names)):
        above, below = (sum(words[name] + gap for name in part) for part in (names[:count], names[count:]))
        if below + (words[ACTIONS] + gap if ACTIONS in words else 0.0) <= beside:
            return names[:count] if above <= width else ()
    return ()


def next_action(snapshot: Snapshot) -> Action | None:
    """The action that continues the experiment: the last possible one; once its result is shown, the reset.

    An action that has to wait for the moment stays where it is. The action for the whole experiment and the reset are
    returned only if no other action continues the experiment.
    """
    enabled = {action.name: action for action in snapshot.run.actions if action.enabled or action.obstacle}
    steps = [action for name, action in enabled.items() if name not in (RESET, RUN_ALL)]
    if steps and not steps[-1].done:
        return steps[-1]
    order = (RESET, RUN_ALL) if steps else (RUN_ALL, RESET)
    return next((enabled[name] for name in order if name in enabled), None)


def draw_next(ui: Ui, width: float, height: float = HEIGHT) -> Action | None:
    """Draw the large button, or the progress while the experiment goes on; returns the action of the button."""
    snapshot, size = ui.snapshot, imgui.ImVec2(width, height * ui.window.scale)
    action = next_action(snapshot)
    if action is None or goes_on(snapshot):
        imgui.dummy(size)
        _draw_progress(ui, size)
        ui.probe.mark("next.progress")
        return None
    imgui.push_style_var(
        imgui.StyleVar_.frame_padding, imgui.ImVec2(8 * ui.window.scale, (size.y - imgui.get_font_size()) / 2)
    )
    clicked = button(
        ui,
        "next.action",
        action.label,
        hint=action.key,
        help=action.obstacle or action.help,
        width=width,
        enabled=action.enabled,
        emphasis=ui.palette.accent,
    )
    if imgui.is_item_activated():
        ui.states[NextButton].pressed = action.name
    if clicked:  # the button may have another action now
        pressed, ui.states[NextButton].pressed = ui.states[NextButton].pressed or action.name, ""
        act(ui, next((entry for entry in snapshot.run.actions if entry.name == pressed), action))
    imgui.pop_style_var()
    return action


def _draw_progress(ui: Ui, size: imgui.ImVec2) -> None:
    snapshot, low = ui.snapshot, imgui.get_item_rect_min()
    done = min(max(snapshot.run.progress or 0.0, 0.0), 1.0)
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    ink, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    ink.add_rect_filled(low, high, colour32(ui.palette.raised), rounding)
    ink.push_clip_rect(low, imgui.ImVec2(low.x + done * size.x, high.y), True)
    ink.add_rect_filled(low, high, colour32(ui.palette.fill), rounding)
    ink.pop_clip_rect()
    room = size.x - 2 * imgui.get_style().frame_padding.x
    # Without room for the whole sentence, its first word: half a word says nothing.
    texts = [_("Replay")] if ui.states[Replay].on else [PAUSED, _("Paused")]
    if snapshot.engine.compiling:  # nothing goes on yet
        texts = [PREPARING]
    elif not ui.control.transport.paused:  # the numbers of the phase are written above
        texts = [joined((Capital(snapshot.run.phase.label), "…"), " ")]
    text = next((words for words in texts if text_width(words, fitting_size(words, room)) <= room), texts[-1])
    share = fitting_size(text, room)
    at = low.x + (size.x - text_width(text, share)) / 2, low.y + (size.y - share * imgui.get_font_size()) / 2
    draw_text(*at, text, ui.palette.text, share)
    if text != texts[0]:
        tooltip(ui, texts[0])


def _draw_phase(ui: Ui, width: float) -> None:
    """The phase in words, on one line."""
    label, low = ui.snapshot.run.phase_label, imgui.get_cursor_screen_pos()
    awaited = ui.snapshot.engine.compiling and goes_on(ui.snapshot)  # the phase has not begun to run
    if not awaited and text_width(label, 0.9) <= width:
        pad = 4 * ui.window.scale
        size = imgui.ImVec2(text_width(label, 0.9) + 2 * pad, imgui.get_font_size())
        _draw_ground(ui, imgui.ImVec2(low.x - pad, low.y), size)
        draw_text(low.x, low.y, plain(Capital(label)), ui.palette.muted, 0.9)
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(imgui.get_style().item_spacing.x, 0.0))
    imgui.dummy(imgui.ImVec2(1.0, imgui.get_font_size() + 2 * ui.window.scale))
    imgui.pop_style_var()


def _draw_ground(ui: Ui, low: imgui.ImVec2, size: imgui.ImVec2) -> None:
    """Draw a background under words or a disabled button, which would be illegible over grains."""
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    rounding = imgui.get_style().frame_rounding
    imgui.get_window_draw_list().add_rect_filled(low, high, colour32(ui.palette.panel, 0.82), rounding)


def _draw_small(
    ui: Ui, width: float, names: tuple[str, ...], large: Action | None, height: float, has_more: bool = False
) -> None:
    """Draw every one of these actions in its own place, which is empty while the large button has the action, and last
    the button for more; in a small room actions with long labels show only their key."""
    gap = imgui.get_style().item_spacing.x
    actions = tuple(action for action in as_offered(ui) if action.name in names)
    (wide, labelled), whole = _share_out(ui, width, names, has_more), _with_labels(ui)
    imgui.push_style_var(
        imgui.StyleVar_.frame_padding,
        imgui.ImVec2(imgui.get_style().frame_padding.x, (height - imgui.get_font_size()) / 2),
    )
    used = 0.0
    for action in actions:
        if used:
            imgui.same_line()
        used += wide[action.name] + gap
        if used > width + 1.0:
            break
        if large is not None and action.name == large.name:
            imgui.dummy(imgui.ImVec2(wide[action.name], height))
            continue
        labels = action.name in labelled
        label, hint = (action.label, action.key) if labels else (plain(action.key), "")
        hint = hint if wide[action.name] >= whole[action.name] else ""
        help = action.obstacle or (action.help if labels else joined((action.label, action.help), ": "))
        help = help if hint else with_key(help, action.key)
        name = f"action.{action.name}"
        _draw_ground(ui, imgui.get_cursor_screen_pos(), imgui.ImVec2(wide[action.name], height))
        if button(ui, name, label, hint=hint, help=help, width=wide[action.name], enabled=action.enabled):
            act(ui, action)
    if ACTIONS in wide and used + wide[ACTIONS] <= width + 1.0:
        imgui.same_line()
        _draw_ground(ui, imgui.get_cursor_screen_pos(), imgui.ImVec2(wide[ACTIONS], height))
        more_button(ui, ACTIONS, wide[ACTIONS], FEWER if shows_all(ui, ACTIONS) else _("More"))
    imgui.pop_style_var()


def _small(ui: Ui) -> dict[str, Action]:
    """The actions with a small button: all of them, or, of many actions, those that every scene has."""
    actions = {action.name: action for action in ui.snapshot.run.actions}
    if len(actions) <= FEW or shows_all(ui, ACTIONS):
        return actions
    return {name: action for name, action in actions.items() if name in (RESET, RUN_ALL)}


def _share_out(ui: Ui, width: float, names: tuple[str, ...], has_more: bool) -> tuple[dict[str, float], set[str]]:
    """The width of every small button of a row [px], and the names of those that show their label, the shortest labels
    first.

    Labels are shown without their keys before one of them gives way to its key. Neither depends on which actions are
    possible: nothing moves while an experiment runs.
    """
    gap, whole = imgui.get_style().item_spacing.x, _with_labels(ui)
    more = whole.get(ACTIONS, 0.0) if has_more else 0.0
    whole = {name: whole[name] for name in names}
    width -= more + gap if more else 0.0
    if sum(whole.values()) + len(whole) * gap > width:
        words = _with_words(ui)
        whole = {name: words[name] for name in names}
    key = max(min(HEIGHT * ui.window.scale, width / len(whole) - gap), NARROWEST * ui.window.scale)
    wide, labelled = dict.fromkeys(whole, key), set()
    left = width - len(whole) * (key + gap)
    for name in sorted(whole, key=lambda name: whole[name]):
        if whole[name] - key <= left + ROUNDING:  # the large button often leaves exactly the width of all
            left -= whole[name] - key
            wide[name] = whole[name]
            labelled.add(name)
    if more:
        wide[ACTIONS] = more
    return wide, labelled


def _with_labels(ui: Ui) -> dict[str, float]:
    """The width of every small button with its label [px], by the name of its action; last that of *More*, if some
    actions are under it."""
    pad = 2 * imgui.get_style().frame_padding.x
    wide = {
        name: symbol_width(action.label) + text_width(action.key, SMALL) + 1.4 * pad
        for name, action in _small(ui).items()
    }
    has_more = len(ui.snapshot.run.actions) > FEW and not ui.settings.choices.expert
    sign = symbol_width(FEWER) + imgui.get_style().frame_padding.x
    more = sign if shows_all(ui, ACTIONS) else button_width(_("More"))
    return wide | ({ACTIONS: more} if has_more else {})


def _with_words(ui: Ui) -> dict[str, float]:
    """`_with_labels` with labels in small letters, without their keys [px]."""
    pad, whole = 2 * imgui.get_style().frame_padding.x, _with_labels(ui)
    words = {name: math.ceil(text_width(action.label, SMALL) + pad) for name, action in _small(ui).items()}
    return whole | words


PANEL = Panel("next_step", _("Actions"), 70, "over", draw)
