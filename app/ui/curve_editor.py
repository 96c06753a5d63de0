"""The editor of a curve of a parameter over time: its kind, its numbers with units, and its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import SMALL, draw_symbol, draw_text, note, si, symbol_width
from repose.app.render.theme import colour32, vector
from repose.app.ui.field_values import editable, typed
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose, tooltip
from repose.sim.message import EMPTY, Message, _, joined
from repose.sim.parameter_curves import CURVE_KINDS, ParameterCurve, number_text
from repose.sim.parameters import NO_CURVE, Parameter, ParameterError, curve_of

EDITOR = "curve editor"
WIDTH, HEIGHT = 300.0, 110.0
"""Width of the editor and height of its picture [px at scale 1]."""
SAMPLES = 160
"""Number of points of the drawn curve."""
PERIODS = 2.5
"""Number of periods that are drawn of a sine."""
FIRST_DURATION = 5.0
"""Duration of a new curve [s of the time scale of the scene]."""
HELP = _("A curve over time for this parameter. Moving its slider ends the curve.")
PAIRS = ("steps", "table")
"""Kinds whose numbers are typed as lines of a time and a value."""
LABELS = {
    "ramp": (_("from"), _("to"), _("begins"), _("ends")),
    "sine": (_("mean"), _("amplitude"), _("frequency")),
}
"""Names of the numbers of the other kinds."""


@dataclass
class CurveDraft:
    """What is typed into the editor."""

    name: str = ""
    """Parameter that is edited."""
    kind: str = "ramp"
    fields: dict[str, list[str]] = field(default_factory=dict)
    """Typed numbers by kind, values in the unit shown."""
    lines: str = ""
    """Typed pairs."""
    refusal: Message = EMPTY
    curve: ParameterCurve | None = None
    """The curve of what is typed."""
    read: object = None
    """What `refusal` and `curve` belong to."""


def can_have_curve(parameter: Parameter) -> bool:
    """Whether a parameter can change over time."""
    number = parameter.kind in ("float", "int") and not parameter.choices
    return number and parameter.quantity.effect not in NO_CURVE


def mark_width(ui: Ui) -> float:
    """Width that the mark takes at the end of the row of a parameter, with the gap before it [px]."""
    return 22.0 * ui.window.scale


def draw_curve_mark(ui: Ui, parameter: Parameter, height: float) -> None:
    """The mark at the end of a row: a small wave, bright while a curve drives the parameter; it opens the editor."""
    curves = ui.control.edits.parameters.curves if ui.control.edits.parameters is not None else {}
    driven = parameter.name in curves
    size = imgui.ImVec2(mark_width(ui) - 4.0 * ui.window.scale, height)
    pressed = imgui.invisible_button("##curve", size, imgui.ButtonFlags_.enable_nav)
    ui.probe.mark(f"field.{parameter.name}.curve")
    tooltip(ui, parameter.shown(curves[parameter.name].text) if driven else HELP, HELP)
    low, hot = imgui.get_item_rect_min(), imgui.is_item_hovered() or imgui.is_item_focused()
    ink = ui.palette.accent if driven else ui.palette.text if hot else ui.palette.muted
    middle, swing = low.y + 0.5 * height, 0.16 * height
    wave: list[Any] = [
        imgui.ImVec2(low.x + size.x * k / 16, middle - swing * math.sin(math.tau * k / 16)) for k in range(17)
    ]
    imgui.get_window_draw_list().add_polyline(wave, colour32(ink), (2.0 if driven else 1.2) * ui.window.scale, 0)
    if pressed:
        _begin(ui, parameter, curves.get(parameter.name))
        imgui.open_popup(EDITOR)
    _draw_editor(ui, parameter)


def _begin(ui: Ui, parameter: Parameter, curve: ParameterCurve | None) -> None:
    """Fill the editor with the present curve, or with a ramp from the present value."""
    draft = ui.states[CurveDraft]
    now = float(ui.control.edits.value(parameter.name))
    low, high = float(parameter.low or 0.0), float(parameter.high if parameter.high is not None else 1.0)
    aim = low + 0.5 * (high - low) if not parameter.quantity.log else math.sqrt(max(low, 1e-9 * high) * high)
    swing = 0.5 * min(now - low, high - now)
    last = FIRST_DURATION * ui.snapshot.run.time_scale

    def shown(value: float) -> str:
        return editable(parameter, value)

    draft.name, draft.kind, draft.refusal, draft.read = parameter.name, "ramp", EMPTY, None
    draft.fields = {
        "ramp": [shown(now), shown(aim), "0", number_text(last)],
        "sine": [shown(now), shown(swing), number_text(1.0 / ui.snapshot.run.time_scale)],
    }
    draft.lines = f"0 {shown(now)}\n{number_text(last)} {shown(aim)}"
    if curve is None:
        return
    draft.kind = curve.kind
    numbers = curve.numbers
    if curve.kind in PAIRS:
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        draft.lines = "\n".join(f"{number_text(time)} {shown(value)}" for time, value in pairs)
    else:
        of_value = _of_value(curve.kind)
        draft.fields[curve.kind] = [
            shown(number) if k < of_value else number_text(number) for k, number in enumerate(numbers)
        ]


def _of_value(kind: str) -> int:
    """How many of the numbers, the first ones, are values of the parameter; the others are times or frequencies."""
    return 2


def text_of(draft: CurveDraft, parameter: Parameter) -> str:
    """The typed curve as a text in SI; what is no number stays as it is, to be refused."""

    def value(word: str) -> str:
        number = typed(parameter, word)
        return number_text(float(number)) if isinstance(number, int | float) else str(number)

    if draft.kind in PAIRS:
        rows = [line.split() for line in draft.lines.splitlines() if line.strip()]
        words = [word for row in rows for word in (*row[:1], *map(value, row[1:]))]
    else:
        given = draft.fields[draft.kind]
        words = [value(word) if k < _of_value(draft.kind) else word for k, word in enumerate(given)]
    return " ".join((draft.kind, *(word.strip() or "?" for word in words)))


def _read(draft: CurveDraft, parameter: Parameter) -> str:
    """Update curve and refusal of the draft; returns its text."""
    text = text_of(draft, parameter)
    if draft.read != text:
        draft.read, draft.refusal = text, EMPTY
        try:
            draft.curve = curve_of(parameter, text)
        except ParameterError as error:
            draft.refusal = error.in_units
    return text


def _draw_editor(ui: Ui, parameter: Parameter) -> None:
    if not imgui.begin_popup(EDITOR):
        return
    draft, scale = ui.states[CurveDraft], ui.window.scale
    width = WIDTH * scale
    imgui.push_item_width(width)
    imgui.begin_group()
    title = joined((parameter.quantity.label, parameter.quantity.symbol), "  ")
    low = imgui.get_cursor_screen_pos()
    draw_symbol(low.x, low.y, title, ui.palette.text)
    imgui.dummy(imgui.ImVec2(width, imgui.get_text_line_height()))
    kinds = {name: kind.label for name, kind in CURVE_KINDS.items()}
    imgui.begin_child("kind", imgui.ImVec2(width, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
    if chosen := choose(ui, "curve.kind", EMPTY, kinds, draft.kind):
        draft.kind = chosen
    imgui.end_child()
    _draw_numbers(ui, draft, parameter, width)
    text = _read(draft, parameter)
    _draw_picture(ui, draft, parameter, imgui.ImVec2(width, HEIGHT * scale))
    # The height is that of the longest refusal: no control moves.
    imgui.begin_child("words", imgui.ImVec2(width, 3.0 * imgui.get_text_line_height_with_spacing()))
    if draft.refusal:
        note(draft.refusal, ui.palette.bad)
    else:
        note(_("Times count from the moment at which the curve is set."), ui.palette.muted)
    imgui.end_child()
    third = (width - 2.0 * imgui.get_style().item_spacing.x) / 3.0
    edits = ui.control.edits
    driven = edits.parameters is not None and parameter.name in edits.parameters.curves
    if button(
        ui, "curve.set", _("Set"), width=third, enabled=not draft.refusal, help=_("Follow this curve from now on.")
    ):
        edits.begin_gesture()
        if edits.set({parameter.name: text}):
            imgui.close_current_popup()
        else:
            draft.refusal = edits.refusals.get(parameter.name, EMPTY)
    imgui.same_line()
    remove = _("End the curve: the parameter keeps its present value.")
    if button(ui, "curve.remove", _("Remove"), width=third, enabled=driven, help=remove):
        edits.begin_gesture()
        edits.set({parameter.name: edits.value(parameter.name)})
        imgui.close_current_popup()
    imgui.same_line()
    if button(ui, "curve.close", _("Close"), width=third, hint=_("Esc")):
        imgui.close_current_popup()
    imgui.end_group()
    imgui.pop_item_width()
    imgui.end_popup()


def _draw_numbers(ui: Ui, draft: CurveDraft, parameter: Parameter, width: float) -> None:
    """The numbers of the kind, in a space that is the same for all kinds."""
    rows = 4
    room = rows * imgui.get_frame_height_with_spacing()
    imgui.begin_child("numbers", imgui.ImVec2(width, room), imgui.ChildFlags_.nav_flattened)
    if draft.kind in PAIRS:
        unit = parameter.quantity.unit
        words = (
            Message("Lines of a time [s] and a value [{unit}]", unit=unit)
            if unit
            else _("Lines of a time [s] and a value")
        )
        imgui.text_colored(vector(ui.palette.muted), translated(words))
        size = imgui.ImVec2(width, room - imgui.get_text_line_height_with_spacing())
        draft.lines = imgui.input_text_multiline("##lines", draft.lines, size)[1]
        ui.probe.mark("curve.lines")
    else:
        for k, label in enumerate(LABELS[draft.kind]):
            unit = parameter.quantity.unit if k < _of_value(draft.kind) else "s" if draft.kind == "ramp" else "Hz"
            imgui.align_text_to_frame_padding()
            imgui.text_colored(vector(ui.palette.muted), translated(label))
            imgui.same_line(0.4 * width)
            imgui.set_next_item_width(0.4 * width)
            if imgui.is_window_appearing() and k == 0:
                imgui.set_keyboard_focus_here()
            draft.fields[draft.kind][k] = imgui.input_text(f"##{draft.kind}{k}", draft.fields[draft.kind][k])[1]
            ui.probe.mark(f"curve.{draft.kind}.{k}")
            imgui.same_line()
            at = imgui.get_cursor_screen_pos()
            draw_symbol(at.x, at.y + imgui.get_style().frame_padding.y, unit, ui.palette.text)
            imgui.new_line()
    imgui.end_child()


def drawn_times(curve: ParameterCurve) -> tuple[float, float]:
    """Begin and end of the time axis of the picture, counted from when the curve is set [s]."""
    if curve.frequency:
        return 0.0, PERIODS / curve.frequency
    begin, end = curve.times
    return 0.0, end + 0.1 * (end - begin)


def _draw_picture(ui: Ui, draft: CurveDraft, parameter: Parameter, size: imgui.ImVec2) -> None:
    """The curve that was typed last and is one, with its extremes and the ends of its time."""
    imgui.dummy(size)
    ui.probe.mark("curve.picture")
    low, draw = imgui.get_item_rect_min(), imgui.get_window_draw_list()
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    draw.add_rect_filled(low, high, imgui.get_color_u32(imgui.Col_.frame_bg), imgui.get_style().frame_rounding)
    curve = draft.curve
    if curve is None:
        return
    line = SMALL * imgui.get_font_size()
    least, most = curve.extremes
    begin, end = drawn_times(curve)
    labels = [parameter.shown(value, 4) for value in (most, least)]
    pad = imgui.get_style().frame_padding
    left = low.x + pad.x + SMALL * max(map(symbol_width, labels)) + pad.x
    top, bottom = low.y + pad.y + 0.5 * line, high.y - pad.y - 1.6 * line
    right, span = high.x - 2.0 * pad.x, (most - least) or 1.0
    for label, value in zip(labels, (most, least), strict=True):
        y = bottom - (value - least) / span * (bottom - top)
        draw_text(low.x + pad.x, y - 0.5 * line, label, ui.palette.muted, SMALL)
        draw.add_line(imgui.ImVec2(left, y), imgui.ImVec2(right, y), colour32(ui.palette.muted, 0.3), ui.window.scale)
    for time, share in ((begin, 0.0), (end, 1.0)):
        words = si(time, "s")
        at = left + share * (right - left - SMALL * symbol_width(words))
        draw_text(at, high.y - pad.y - line, words, ui.palette.muted, SMALL)
    points: list[Any] = []
    for k in range(SAMPLES + 1):
        time = begin + (end - begin) * k / SAMPLES
        y = bottom - (curve.at(time) - least) / span * (bottom - top)
        points.append(imgui.ImVec2(left + (right - left) * k / SAMPLES, y))
    draw.add_polyline(points, colour32(ui.palette.accent), 2.0 * ui.window.scale, 0)
