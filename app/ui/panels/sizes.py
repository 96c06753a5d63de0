"""Grain sizes: kind and numbers of the distribution, or the table of a sieve curve, beside the wanted and the generated
curve."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import note, text_width
from repose.app.ui import file_dialog
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel, width_beside
from repose.app.ui.panels.curves import draw_curve
from repose.app.ui.panels.study import beside
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose, tooltip
from repose.sim.measure.size_curves import size_curves
from repose.sim.message import EMPTY, Message, Number, _, plain, plural
from repose.sim.parameters import Parameter, ParameterError
from repose.sim.size_distribution import (
    BY,
    KINDS,
    MOST_ROWS,
    SIEVE,
    SizeDistribution,
    deviation,
    read_sizes,
    sorted_radii,
)
from repose.sim.wording import message_of

NAME = "sizes"
"""Name of the panel, and of the parameter that it changes."""
OWN = "own"
"""Entry of the list of kinds that stands for the spread of the scene."""
FIELD, CELL = 5.0, 6.0
"""Widths of a number and of a cell of the table, in sizes of the font."""
ROWS = 7.5
"""Height of the table before it is scrolled [rows]."""
FAITHFUL = 0.01
"""Largest deviation of the generated curve that needs no remark [-]."""
FIRST_TABLE = ((0.5, 0.0), (1.0, 0.5), (1.5, 1.0))
"""Rows of a new sieve curve: size over the mean diameter, and share that passes [-]."""


@dataclass
class SizesPanel:
    """What is typed: it becomes the value of the parameter once it is a distribution."""

    of: str = ""
    """The value from which the texts were made."""
    numbers: list[str] = field(default_factory=list)
    """Numbers of the formula, or the cells of the table in turn."""
    refusal: Message = EMPTY
    """Why the texts are no distribution."""


def draw(ui: Ui) -> None:
    """Draw a window beside the picture, or over it if the picture is too narrow."""
    parameters = ui.control.edits.parameters
    if ui.mode.overlay != PANEL.name or parameters is None:
        return
    parameter = type(parameters).declared().get(NAME)
    if begin_over_picture(ui, NAME, width_beside(ui, ui.window.size[0] - ui.window.inset[0])) is None:
        return
    _draw_head(ui)
    if parameter is None:
        note(_("The grains of this scene have no size distribution."), ui.palette.muted)
    else:
        sizes = _draw_form(ui, parameter)
        if sizes is not None:
            _draw_result(ui, sizes)
    imgui.end()


def _draw_head(ui: Ui) -> None:
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(_("Grain sizes")))
    width = text_width(_("Close  Esc")) + 2.5 * imgui.get_style().frame_padding.x
    imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x - width)
    if button(ui, "sizes.close", _("Close"), hint=_("Esc"), width=width):
        ui.mode.overlay = ""


def _draw_form(ui: Ui, parameter: Parameter) -> SizeDistribution | None:
    """Draw kind, measure and numbers; returns the distribution to show, also while it is typed."""
    text = str(ui.control.edits.value(NAME))
    sizes, panel = read_sizes(text) if text else None, ui.states[SizesPanel]
    if panel.of != text:
        panel.of, panel.numbers, panel.refusal = text, _texts(sizes), EMPTY
    _draw_kind(ui, parameter, sizes)
    if sizes is None:
        note(
            _("The radii of the scene: its mean radius and its spread. Choose a kind, or drop a CSV file here."),
            ui.palette.muted,
        )
        return None
    shown = _draw_table(ui, sizes) if sizes.kind == SIEVE else _draw_numbers(ui, sizes)
    refusal = panel.refusal or ui.control.edits.refusals.get(NAME, EMPTY)
    if refusal:
        note(refusal, ui.palette.bad)
    return shown


def _draw_kind(ui: Ui, parameter: Parameter, sizes: SizeDistribution | None) -> None:
    kinds = {OWN: parameter.empty, **{name: kind.label for name, kind in KINDS.items()}}
    font, gap = imgui.get_font_size(), imgui.get_style().item_spacing.x
    whole, file = imgui.get_content_region_avail().x, text_width(_("CSV file")) + 1.5 * font
    counted = sizes is not None and sizes.kind != "equal"
    by_width = max(text_width(label) for label in BY.values()) + 2.5 * font if counted else 0.0
    imgui.begin_child(
        "##kind",
        imgui.ImVec2(whole - file - by_width - (2.0 if counted else 1.0) * gap, imgui.get_frame_height()),
        imgui.ChildFlags_.nav_flattened,
    )
    current = OWN if sizes is None else sizes.kind
    help = KINDS[sizes.kind].help if sizes is not None else parameter.help
    kind = choose(ui, "sizes.kind", EMPTY, kinds, current, help)
    imgui.end_child()
    if kind is not None and kind != current:
        _set(ui, _first_text(ui, kind))
    if counted and sizes is not None:
        imgui.same_line()
        imgui.begin_child("##by", imgui.ImVec2(by_width, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
        by = choose(ui, "sizes.by", EMPTY, BY, sizes.by, _("What the shares of the curve count."))
        imgui.end_child()
        if by is not None and by != sizes.by:
            _set(ui, SizeDistribution(sizes.kind, "mass" if by == "mass" else "number", sizes.numbers).text())
    imgui.same_line()
    missing = file_dialog.why_none()
    words = missing or _("A sieve curve: diameter in mm and passing % in every row.")
    if button(
        ui, "sizes.file", _("CSV file"), width=file, enabled=not missing and not file_dialog.is_open(ui), help=words
    ):
        file_dialog.ask_to_open(
            ui, parameter.quantity.label, None, _("Files"), parameter.suffixes, partial(take_file, ui, parameter)
        )


def _first_text(ui: Ui, kind: str) -> str:
    """A kind with its usual numbers; a sieve curve about the present mean radius."""
    if kind == OWN:
        return ""
    if kind != SIEVE:
        return kind
    mean = 2e3 * float(ui.control.edits.value("mean_radius"))
    rows = ", ".join(f"{size * mean:.4g} mm {100.0 * share:g} %" for size, share in FIRST_TABLE)
    return f"{SIEVE} by mass: {rows}"


def _texts(sizes: SizeDistribution | None) -> list[str]:
    """The numbers as texts to edit: in the unit shown; of a table diameters in mm and shares in %."""
    if sizes is None:
        return []
    if sizes.kind == SIEVE:
        return [f"{value:.10g}" for size, share in sizes.rows for value in (1e3 * size, 100.0 * share)]
    entries = KINDS[sizes.kind].numbers
    return [f"{value / entry.scale:.10g}" for entry, value in zip(entries, sizes.numbers, strict=True)]


def _typed(sizes: SizeDistribution, texts: list[str]) -> str:
    """The text of a distribution of this kind with these numbers, as typed."""
    if sizes.kind == SIEVE:
        rows = ", ".join(f"{size} mm {share} %" for size, share in zip(texts[::2], texts[1::2], strict=True))
        return f"{SIEVE} by {sizes.by}: {rows}"
    entries = zip(KINDS[sizes.kind].numbers, texts, strict=True)
    return f"{sizes.kind} by {sizes.by}: " + ", ".join(f"{entry.name} {text} {entry.unit}" for entry, text in entries)


def _draw_numbers(ui: Ui, sizes: SizeDistribution) -> SizeDistribution:
    """Draw the numbers of a formula in one line each."""
    for at, entry in enumerate(KINDS[sizes.kind].numbers):
        imgui.set_next_item_width(FIELD * imgui.get_font_size())
        _draw_cell(ui, at, f"sizes.{entry.name}")
        words = Message(
            "From {low} to {high}.",
            low=Number(entry.low / entry.scale, entry.unit, ".4g"),
            high=Number(entry.high / entry.scale, entry.unit, ".4g"),
        )
        tooltip(ui, words)
        imgui.same_line()
        imgui.text_unformatted(f"{entry.unit} {translated(entry.label)}".strip())
    return _take(ui, sizes)


def _draw_table(ui: Ui, sizes: SizeDistribution) -> SizeDistribution:
    """Draw the rows of a sieve curve with buttons that add and remove one."""
    panel, count = ui.states[SizesPanel], len(ui.states[SizesPanel].numbers) // 2
    width, font = CELL * imgui.get_font_size(), imgui.get_font_size()
    imgui.text_disabled(translated(_("diameter [mm]  |  passing [%]")))
    high = min(count + 0.3, ROWS) * imgui.get_frame_height_with_spacing()
    imgui.begin_child("##table", imgui.ImVec2(2.0 * width + 5.0 * font, high), imgui.ChildFlags_.nav_flattened)
    removed = -1
    for row in range(count):
        for column in range(2):
            imgui.set_next_item_width(width)
            _draw_cell(ui, 2 * row + column, f"sizes.{row}.{column}")
            imgui.same_line()
        help = _("Remove this sieve.")
        if button(ui, f"sizes.remove.{row}", plain("−"), width=1.6 * font, enabled=count > 2, help=help):
            removed = row
    imgui.end_child()
    imgui.same_line()
    help = _("Add a sieve between the last two.")
    if button(ui, "sizes.add", _("Add"), width=4.0 * font, enabled=count < MOST_ROWS, help=help):
        (low, below), (high, share) = sizes.rows[-2:]
        panel.numbers[-2:-2] = [f"{1e3 * math.sqrt(low * high):.4g}", f"{50.0 * (below + share):.4g}"]
        _commit(ui, sizes)
    if removed >= 0:
        del panel.numbers[2 * removed : 2 * removed + 2]
        _commit(ui, sizes)
    return _take(ui, sizes)


def _draw_cell(ui: Ui, at: int, name: str) -> None:
    """Draw one number to be typed; what is typed counts when the field is left."""
    panel = ui.states[SizesPanel]
    flags = imgui.InputTextFlags_.auto_select_all
    _changed, panel.numbers[at] = imgui.input_text(f"##{name}", panel.numbers[at], flags)
    ui.probe.mark(name)
    if imgui.is_item_deactivated_after_edit():
        text = str(ui.control.edits.value(NAME))
        if text:
            _commit(ui, read_sizes(text))


def _take(ui: Ui, sizes: SizeDistribution) -> SizeDistribution:
    """The distribution that is typed, or the present one while the texts are none."""
    try:
        return read_sizes(_typed(sizes, ui.states[SizesPanel].numbers))
    except ParameterError:
        return sizes


def _commit(ui: Ui, sizes: SizeDistribution) -> None:
    """Make the texts the value; texts that are no distribution stay, with a sentence."""
    _set(ui, _typed(sizes, [text.strip().replace(",", ".") for text in ui.states[SizesPanel].numbers]))


def _set(ui: Ui, text: str) -> None:
    """Request a distribution; with a sieve curve its mean radius, so that one undo restores both."""
    panel, edits = ui.states[SizesPanel], ui.control.edits
    panel.refusal = EMPTY
    try:
        mean = read_sizes(text).mean_radius if text else None
    except ParameterError as error:
        panel.refusal = message_of(error)
        return
    edits.set({NAME: text} if mean is None else {NAME: text, "mean_radius": mean})


def take_file(ui: Ui, parameter: Parameter, path: str) -> None:
    """Read the sieve curve in a chosen or dropped file into the open panel, which shows why a file is refused."""
    ui.mode.overlay = PANEL.name
    try:
        text = parameter.typed(path)
    except ParameterError as error:
        ui.states[SizesPanel].refusal = message_of(error)
        return
    _set(ui, text)


def _draw_result(ui: Ui, sizes: SizeDistribution) -> None:
    """Draw what the grains are like, and both curves."""
    edits = ui.control.edits
    count = int(edits.value("grain_count"))
    mean = sizes.mean_radius or float(edits.value("mean_radius"))
    radii = sorted_radii(sizes, count, mean)
    off = deviation(sizes, radii, mean)
    words = plural(
        "{count} grain, {low} to {high}, mean diameter {mean}; the generated curve differs by {off} at most.",
        "{count} grains, {low} to {high}, mean diameter {mean}; the generated curve differs by {off} at most.",
        count=count,
        low=Number(2e3 * float(radii[0]), format=".3g"),
        high=Number(2e3 * float(radii[-1]), "mm", ".3g"),
        mean=Number(2e3 * mean, "mm", ".3g"),
        off=Number(100.0 * off, "%", ".2g"),
    )
    if off > FAITHFUL:
        heaviest = 100.0 * float(radii[-1] ** 3 / (radii**3).sum())
        words += Message(
            " The largest grain alone is {share} of the mass: more grains follow the curve better.",
            share=Number(heaviest, "%", ".2g"),
        )
    note(words, ui.palette.warning if off > FAITHFUL else ui.palette.muted)
    if mean / float(radii[0]) > 1.0 + 1e-9:
        factor = mean / float(radii[0])
        words = Message(
            "The automatic time step follows the smallest grain: {low} to {high} times as many steps as equal grains "
            "need.",
            low=Number(factor, format=".2g"),
            high=Number(factor**1.5, format=".2g"),
        )
        note(words, ui.palette.muted)
    curves, room = size_curves(sizes, count, mean), imgui.get_content_region_avail()
    gap, wide = imgui.get_style().item_spacing, room.x > 1.6 * room.y
    size = imgui.ImVec2(0.5 * (room.x - gap.x), room.y) if wide else imgui.ImVec2(room.x, 0.5 * (room.y - gap.y))
    for number, curve in enumerate(curves):
        if number and wide:
            imgui.same_line()
        imgui.begin_child(f"##{curve.name}", size, imgui.ChildFlags_.nav_flattened)
        draw_curve(ui, curve)
        imgui.end_child()
        ui.probe.mark(f"sizes.{curve.name}")


PANEL = Panel(NAME, _("Grain sizes"), 73, "over", draw, beside=lambda ui, width: beside(width, ui.window.scale))
