"""One declared parameter becomes one row: name, symbol and value on a slider, a list or a tick box.

The parameter set checks the values. After a refused value the old one remains in effect, and a message shows why.
"""

from __future__ import annotations

from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import SMALL, draw_symbol, draw_text, shortened, si, symbol_width, text_width
from repose.app.render.theme import Colour
from repose.app.ui.curve_editor import can_have_curve, draw_curve_mark, mark_width
from repose.app.ui.field_values import DIGITS, compact, editable, position, typed, value_at
from repose.app.ui.path_field import draw_path
from repose.app.ui.places import is_shown
from repose.app.ui.questions import request
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import dragged, draw_bar, right_clicked, tooltip
from repose.sim.choices import choice_name
from repose.sim.message import EMPTY, Message, _, joined, plain
from repose.sim.parameters import Parameter, Value

MORE = "parameters.more"
"""Entry of the settings that says whether all parameters are listed."""
TRACK = 11.0
"""Height of the bar of a slider [px at scale 1]."""
NARROW = 200.0
"""Width below which a row has no mark of a curve [px at scale 1]."""
TIGHT = 0.76
"""Size of symbol and value in a narrow row, as in a presentation, whose letters are large, relative to running text."""
EFFECTS = {
    "now": _("Takes effect at once."),
    "ramp": _(
        "Changes gradually over one contact duration (the longer of old and new): a jump would accelerate grains."
    ),
    "prepare": _("Takes effect at once; until the experiment has begun, the grains are prepared anew."),
    "base": _("Walls and base are rebuilt at once, under the grains if there are any."),
    "anew": _("The experiment restarts, after a question; undo restores the present grains."),
    "restart": _("Takes effect at the next start; at once while nothing has started."),
}


@dataclass
class FieldEntry:
    """What the user is doing in one of the rows; empty names if nothing."""

    typing: str = ""
    """Parameter of which a value is typed."""
    text: str = ""
    """The value typed so far."""
    fresh: bool = False
    """Whether the typing begins with this frame."""
    held: str = ""
    """Parameter whose slider acts when the mouse button is released."""
    held_value: Value = 0.0
    """The value of that slider."""
    reset: str = ""
    """Parameter that a double-click has reset, while the mouse button is still down."""


def _explain(ui: Ui, parameter: Parameter) -> None:
    """The meaning is in the tooltip; F1 also shows range, default and when a change takes effect."""
    page = describe(parameter, ui.snapshot.stability.contact_time)
    tooltip(ui, parameter.help or page, page)


def describe(parameter: Parameter, contact_time: float = 0.0) -> Message:
    """Text of the page: meaning, range, default and when a change takes effect.

    `contact_time` [s] is the contact duration in the run; omitted if 0.
    """
    quantity = parameter.quantity
    lines = [joined((quantity.label, quantity.symbol), "  ") if quantity.symbol else quantity.label, parameter.help]
    if parameter.low is not None and parameter.high is not None:
        span = Message("From {low} to {high}", low=parameter.shown(parameter.low), high=parameter.shown(parameter.high))
        lines.append(Message("{span}; default {default}.", span=span, default=parameter.shown(parameter.default)))
    elif parameter.kind != "bool":
        lines.append(Message("Default: {words}.", words=parameter.shown(parameter.default)))
    now = (
        Message(" The contact duration is {contact_time} now.", contact_time=si(contact_time, "s"))
        if contact_time and quantity.effect == "ramp"
        else EMPTY
    )
    lines.append(EFFECTS[quantity.effect] + now)
    if parameter.kind in ("float", "int"):
        lines.append(_("Ctrl-click, or Enter, types a value; double-click or right-click resets to the default."))
    else:
        lines.append(_("Right-click resets to the default."))
    return joined(lines, "\n")


def draw_field(ui: Ui, parameter: Parameter) -> None:
    """The row of one parameter. A refusal is shown over the picture, so that no row moves."""
    imgui.push_id(parameter.name)
    if ui.control.edits.parameters is not None:
        parameter = ui.control.edits.parameters.in_units().get(parameter.name, parameter)
    if ui.states[FieldEntry].typing == parameter.name:
        _draw_typing(ui, parameter)
    elif parameter.kind == "choice":
        _draw_choice(ui, parameter)
    elif parameter.kind == "bool":
        _draw_tick(ui, parameter)
    elif parameter.kind == "text":
        _draw_text(ui, parameter)
    elif parameter.kind == "path":
        draw_path(ui, parameter, describe(parameter, ui.snapshot.stability.contact_time))
    elif parameter.choices:
        _draw_automatic(ui, parameter)
    else:
        _draw_driven(ui, parameter)
    imgui.pop_id()


def row_height(ui: Ui) -> float:
    """Height of the row of a slider, with the distance to the next one [px]."""
    return float(imgui.get_text_line_height() + (2 + TRACK) * ui.window.scale + imgui.get_style().item_spacing.y)


def _draw_slider(ui: Ui, parameter: Parameter, width: float) -> None:
    """Name and value above the bar; both are dragged."""
    value = _shown(ui, parameter.name)
    automatic = isinstance(value, str)
    number = ui.snapshot.run.dt if isinstance(value, str) else float(value)
    line, gap = imgui.get_text_line_height(), 2 * ui.window.scale
    size = imgui.ImVec2(width, line + gap + TRACK * ui.window.scale)
    imgui.invisible_button("##slider", size, imgui.ButtonFlags_.enable_nav)
    ui.probe.mark(f"field.{parameter.name}")
    _explain(ui, parameter)
    low = imgui.get_item_rect_min()
    if not _reset_asked(ui, parameter):
        _follow_mouse(ui, parameter, low.x, size.x)
    shown = _shown(ui, parameter.name)
    if not isinstance(shown, str):
        number = float(shown)
    track = imgui.ImVec2(low.x, low.y + line + gap)
    draw_bar(ui, track, imgui.ImVec2(width, TRACK * ui.window.scale), position(parameter, number), filled=not automatic)
    text = parameter.shown(number, DIGITS) if parameter.kind == "float" else parameter.shown(int(number))
    _caption(ui, parameter, text, low.x, low.y, low.x + size.x)


def _draw_driven(ui: Ui, parameter: Parameter) -> None:
    """A slider, and the mark of its curve, where all parameters are listed or a curve drives it; its place is kept. A
    narrow row, as in a presentation, has no room for it."""
    top, width = imgui.get_cursor_screen_pos().y, imgui.get_content_region_avail().x
    if width < NARROW * ui.window.scale:
        _draw_slider(ui, parameter, width)
        return
    _draw_slider(ui, parameter, width - mark_width(ui))
    edits = ui.control.edits
    driven = edits.parameters is not None and parameter.name in edits.parameters.curves
    if can_have_curve(parameter) and (driven or ui.settings.choices.expert or is_shown(ui, MORE)):
        imgui.same_line(0.0, 4.0 * ui.window.scale)
        imgui.set_cursor_screen_pos(imgui.ImVec2(imgui.get_cursor_screen_pos().x, top))
        draw_curve_mark(ui, parameter, imgui.get_text_line_height() + (2 + TRACK) * ui.window.scale)


def _shown(ui: Ui, name: str) -> Value:
    """The value of the row: the one that waits for the release of the mouse button, or the requested one."""
    entry = ui.states[FieldEntry]
    return entry.held_value if entry.held == name else ui.control.edits.value(name)


def least_width(parameter: Parameter) -> float:
    """Width in which a choice without a symbol shows its name beside each of its values, in the letters of a narrow
    row; 0 for other parameters, whose symbol is enough [px]."""
    if parameter.kind != "choice" or parameter.quantity.symbol:
        return 0.0
    widest = max(symbol_width(choice_name(choice)) for choice in parameter.choices)
    words = text_width(parameter.quantity.label) + 1.5 * text_width(" ") + widest
    return TIGHT * words + imgui.get_frame_height() + 2.0 * imgui.get_style().frame_padding.x


def _caption(ui: Ui, parameter: Parameter, value: Message, left: float, top: float, right: float) -> None:
    """Name, symbol and, if there is room, when a change takes effect, at the left; the value at the right.

    If not even the symbol has room beside the value, as in a presentation, both are smaller.
    """
    quantity, palette = parameter.quantity, ui.palette
    tight = symbol_width(quantity.symbol or quantity.label) + symbol_width(joined(("  ", value), "")) > right - left
    if tight:
        imgui.push_font(None, imgui.get_style().font_size_base * TIGHT)
    start = right - symbol_width(value)
    gap = text_width(" ") * 1.5
    clip = imgui.get_window_draw_list()
    clip.push_clip_rect(
        imgui.ImVec2(left, top - 10), imgui.ImVec2(start - gap, top + imgui.get_frame_height() + 10), True
    )
    free = start - gap - left
    wide = text_width(quantity.label) + gap + symbol_width(quantity.symbol)
    x = left
    if wide <= free or not quantity.symbol:
        words = quantity.label if wide <= free + gap else shortened(quantity.label, free)
        x = draw_text(x, top, words, palette.text) + gap
    x = draw_symbol(x, top, quantity.symbol, palette.muted) + gap
    tag, colour = _tag(ui, parameter)
    if tag and x + text_width(tag, SMALL) <= start - gap:
        draw_text(x, top + imgui.get_font_size() * (1 - SMALL) * 0.6, tag, colour, SMALL)
    clip.pop_clip_rect()
    ill = parameter.name in ui.control.edits.refusals or (parameter.name == "dt" and ui.snapshot.stability.dt_warning)
    draw_symbol(start, top, value, palette.bad if ill else palette.text)
    if tight:
        imgui.pop_font()


def _tag(ui: Ui, parameter: Parameter) -> tuple[Message, Colour]:
    if ui.control.edits.parameters is not None and parameter.name in ui.control.edits.parameters.curves:
        return _("over time"), ui.palette.accent
    if parameter.quantity.effect == "restart":
        return _("at next start") if ui.snapshot.run.phase.begun else EMPTY, ui.palette.muted
    if parameter.quantity.effect == "anew" and ui.snapshot.grains.moving_count:
        return _("restarts"), ui.palette.warning
    return EMPTY, ui.palette.muted


def _reset_asked(ui: Ui, parameter: Parameter) -> bool:
    """Reset on a double-click or right-click; True while that mouse button is still down."""
    name, entry = parameter.name, ui.states[FieldEntry]
    twice = (
        imgui.is_item_hovered(imgui.HoveredFlags_.no_nav_override)
        and imgui.is_mouse_double_clicked(0)
        and not imgui.get_io().key_ctrl
    )
    if twice:
        entry.reset = name
        # The first of the two clicks has moved the slider; both clicks are one step of the undo history.
        request(ui, parameter, parameter.default, gesture=("drag", name))
    elif right_clicked():
        request(ui, parameter, parameter.default)
    if entry.reset == name:
        if imgui.is_item_active():
            return True
        entry.reset = ""
    return False


def _follow_mouse(ui: Ui, parameter: Parameter, left: float, width: float) -> None:
    """Set the value under the pointer while the row is dragged; with Ctrl, or by keyboard, begin to type instead."""
    name, io, entry = parameter.name, imgui.get_io(), ui.states[FieldEntry]
    if imgui.is_item_activated():
        ui.control.edits.begin_gesture()
        # Activated without the mouse: the keyboard can only type.
        if io.key_ctrl or not imgui.is_mouse_down(0):
            entry.typing, entry.text, entry.fresh = name, editable(parameter, ui.control.edits.value(name)), True
            return
    where = dragged(ui, left, width)
    if where is not None and parameter.quantity.effect in ("base", "anew") and ui.snapshot.grains.moving_count:
        entry.held, entry.held_value = name, value_at(parameter, where)
    elif where is not None:
        ui.control.edits.set({name: value_at(parameter, where)}, gesture=("drag", name))
    if imgui.is_item_deactivated() and entry.held == name:
        entry.held = ""
        request(ui, parameter, entry.held_value)


def _draw_typing(ui: Ui, parameter: Parameter) -> None:
    entry = ui.states[FieldEntry]
    fresh, entry.fresh = entry.fresh, False
    label = joined([part for part in (parameter.quantity.label, parameter.quantity.unit, "=") if part], " ")
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(label))
    imgui.same_line()
    imgui.set_next_item_width(-1.0)
    if fresh:
        imgui.set_keyboard_focus_here()
    flags = imgui.InputTextFlags_.auto_select_all | imgui.InputTextFlags_.enter_returns_true
    entered, entry.text = imgui.input_text("##typed", entry.text, flags)
    ui.probe.mark(f"field.{parameter.name}.text")
    left = not fresh and imgui.is_item_deactivated()
    if entered or (left and not imgui.is_key_pressed(imgui.Key.escape)):
        request(ui, parameter, typed(parameter, entry.text))
    if entered or left:
        entry.typing = ""


def _draw_choice(ui: Ui, parameter: Parameter) -> None:
    name, current = parameter.name, str(ui.control.edits.value(parameter.name))
    low, pad = imgui.get_cursor_screen_pos(), imgui.get_style().frame_padding
    width = imgui.get_content_region_avail().x
    imgui.set_next_item_width(width)
    imgui.push_style_var(imgui.StyleVar_.button_text_align, imgui.ImVec2(1.0, 0.5))
    open_now = imgui.begin_combo("##choice", "", imgui.ComboFlags_.height_large)
    imgui.pop_style_var()
    if open_now:
        for choice in parameter.choices:
            if imgui.selectable(f"{translated(choice_name(choice))}###{choice}", choice == current)[0]:
                request(ui, parameter, choice)
            ui.probe.mark(f"field.{name}.{choice}")
        imgui.end_combo()
    else:
        ui.probe.mark(f"field.{name}")
        _explain(ui, parameter)
        if right_clicked():
            request(ui, parameter, parameter.default)
    right = low.x + width - imgui.get_frame_height() - pad.x
    _caption(ui, parameter, choice_name(str(ui.control.edits.value(name))), low.x + pad.x, low.y + pad.y, right)


def _draw_tick(ui: Ui, parameter: Parameter) -> None:
    changed, value = imgui.checkbox(
        f"{translated(parameter.quantity.label)}###{parameter.name}", bool(ui.control.edits.value(parameter.name))
    )
    ui.probe.mark(f"field.{parameter.name}")
    _explain(ui, parameter)
    if right_clicked():
        request(ui, parameter, parameter.default)
    elif changed:
        request(ui, parameter, value)


def _draw_text(ui: Ui, parameter: Parameter) -> None:
    """The value in words; a click opens the panel in which it is edited, which has the name of the parameter."""
    name, low = parameter.name, imgui.get_cursor_screen_pos()
    width, pad = imgui.get_content_region_avail().x, imgui.get_style().frame_padding
    if imgui.button("##open", imgui.ImVec2(width, imgui.get_frame_height())):
        ui.mode.overlay = "" if ui.mode.overlay == name else name
    ui.probe.mark(f"field.{name}")
    _explain(ui, parameter)
    if right_clicked():
        request(ui, parameter, parameter.default)
    value = parameter.shown(ui.control.edits.value(name))
    label = 1.5 * text_width(" ") + text_width(parameter.quantity.label)
    words = plain(shortened(value, max(width - label - 2.0 * pad.x, 0.4 * width)))
    _caption(ui, parameter, words, low.x + pad.x, low.y + pad.y, low.x + width - pad.x)


def _draw_automatic(ui: Ui, parameter: Parameter) -> None:
    """A slider and a tick box: if ticked, the program chooses the value and the slider shows it."""
    (word,) = parameter.choices
    value = ui.control.edits.value(parameter.name)
    box = imgui.get_frame_height() + imgui.get_style().item_inner_spacing.x + text_width(choice_name(word))
    _draw_slider(ui, parameter, imgui.get_content_region_avail().x - box - imgui.get_style().item_spacing.x)
    imgui.same_line()
    changed, automatic = imgui.checkbox(f"{translated(choice_name(word))}###{word}", value == word)
    ui.probe.mark(f"field.{parameter.name}.{word}")
    tooltip(
        ui, Message("{label}: let the program choose, or keep the value it has now.", label=parameter.quantity.label)
    )
    if changed:
        ui.control.edits.set({parameter.name: word if automatic else compact(ui.snapshot.run.dt)})
