"""Side by side: two to four experiments at equal times, their results in one plot and one table below the pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pygame
from imgui_bundle import imgui
from repose.app.figure import FigureAxis, Trace, figure_over_time
from repose.app.language import decimal_sign, translated
from repose.app.render.passes import scale_bar
from repose.app.render.text import RAISED, SHIFT, SMALL, note, pieces, si, text_width
from repose.app.render.theme import Colour, colour32, vector
from repose.app.ui.keys import Key
from repose.app.ui.main_result import headline, numbers
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel, instead
from repose.app.ui.panels.scenes import choose_preset
from repose.app.ui.panels.time_plot import BROAD, LINE, thinned
from repose.app.ui.picture_areas import (
    LabelStrip,
    beside_results,
    foot,
    insets,
    keep_one,
    planned,
    possible,
    results_area,
    start,
    usual_values,
)
from repose.app.ui.places import ToolArea
from repose.app.ui.plot_area import AxisRoom, draw_figure
from repose.app.ui.questions import replace_run
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width, choose, tooltip
from repose.sim.choices import choice_name
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Reading, SampledQuantity
from repose.sim.message import EMPTY, POINT, Message, Number, _, joined, label_of, plain
from repose.sim.parameters import Parameter, ParameterSet
from repose.sim.registry import scenes

PLOT, LEAST_PLOT = 0.42, 0.26
"""Usual fraction of the width below the pictures for the plot, and least fraction beside a wide table [-]."""
WITH_TABLE, WITH_PLOT = 480.0, 200.0
"""Width for plot and table, and for the plot alone, beside plates [px at scale 1]."""
CHOICE = 6.0
"""Least width of the choice of the quantity beside the button back to one run [font sizes]."""
LABEL = 1.1
"""Size of the label of a picture relative to running text [-]."""


@dataclass
class SideBySideForm:
    """The request for the next runs, as typed."""

    over: str = ""
    """Name of the parameter with a value for each run; empty: the parameter of the scene's study, or the first one."""
    text: str = ""
    """The values as typed, in the shown unit; empty: `usual_values`."""
    trouble: Message = EMPTY
    """Why the request was refused; empty if it was not."""


@dataclass
class ComparedQuantity:
    """The measurement in the plot of the runs side by side."""

    name: str = ""
    """As the user chose it."""


class Cell(NamedTuple):
    """One value of the table."""

    value: Message
    """Without its unit, unless that is a degree sign."""
    error: Message = EMPTY
    unit: str = ""
    note: Message = EMPTY
    """Words after the value; an angle has the source of its error here."""

    def shown(self, unit: bool = True, error: bool = True) -> Message:
        """The whole value, or the value without its unit or without its error."""
        parts = [self.value, *([self.error] if self.error and error else [])]
        words = joined(parts, " ± ")
        words = joined((words, self.unit), " ") if unit and self.unit else words
        return joined((words, self.note)) if self.note and error else words


NONE = Cell(plain("–"))
"""A run without this value."""
Row = tuple[Message, list[Cell]]
"""Name and value in every run."""
Table = list[tuple[str, list[str]]]
"""The texts of the table as shown."""
OVER = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_saved_settings


def draw(ui: Ui) -> None:
    """The request while the panel is open; labels and results while there are several runs."""
    ui.states[LabelStrip].height = 0.0
    if ui.beside.runs and instead(ui) is None:
        _draw_labels(ui)
        if foot(ui):
            _draw_results(ui)
    if ui.mode.overlay == PANEL.name and begin_over_picture(ui, "side by side") is not None:
        _draw_request(ui)
        imgui.end()


def colours(ui: Ui) -> tuple[Colour, ...]:
    """Colour of every run in plot, table and label; neighbouring colours also differ in lightness."""
    palette = ui.palette
    return palette.accent, palette.good, palette.warning, palette.bad


def _draw_labels(ui: Ui) -> None:
    """Draw the label of each run at the lower left of its picture, beside mouse tools that reach there, and a frame
    around the chosen picture."""
    tools_right, tools_foot = ui.states[ToolArea].corner
    draw, size = imgui.get_background_draw_list(), imgui.get_font_size() * LABEL
    for number, (run, position) in enumerate(zip(ui.beside.runs, insets(ui), strict=True)):
        left, top, right, bottom = position
        ink, words_ink = colours(ui)[number], colour32(ui.palette.text)
        low, high = imgui.ImVec2(left, top), imgui.ImVec2(ui.window.size[0] - right, ui.window.size[1] - bottom)
        font = ui.window.bold if ui.window.bold is not None else imgui.get_font()
        pad = 8.0 * ui.window.scale
        words = [
            (text, script, size * (SMALL if script else 1.0))
            for text, script in pieces(translated(run.run.label), RAISED)
        ]
        wide = sum(_bold_width(font, high_text, text) for text, _, high_text in words)
        base = imgui.ImVec2(low.x, high.y - size - 2.0 * pad)
        if base.x < tools_right and base.y < tools_foot:
            base.x = tools_right + pad
        box = imgui.ImVec2(base.x + wide + 3.0 * pad + 0.6 * size, high.y)
        dimension = run.grains.position.shape[1]
        if (
            box.x
            > high.x
            - scale_bar.room(high.x - low.x, ui.window.scale, dimension, text_width)
            + scale_bar.GAP * ui.window.scale
        ):
            ui.states[LabelStrip].height = high.y - base.y
        draw.add_rect_filled(base, box, colour32((*ui.palette.panel[:3], 0.85)), 0.0)
        middle = imgui.ImVec2(base.x + pad + 0.3 * size, base.y + pad + 0.5 * size)
        draw.add_circle_filled(middle, 0.3 * size, colour32(ink))
        at = imgui.ImVec2(base.x + 2.0 * pad + 0.6 * size, base.y + pad)
        for text, script, high_text in words:
            draw.add_text(font, high_text, imgui.ImVec2(at.x, at.y + SHIFT[script] * size), words_ink, text)
            at.x += _bold_width(font, high_text, text)
        ui.probe.mark_area(f"side_by_side.label{number + 1}", (base.x, base.y, box.x, box.y))
        ui.probe.mark_area(f"side_by_side.picture{number + 1}", (low.x, low.y, high.x, high.y))
        if number == ui.beside.chosen:
            thick = 2.0 * ui.window.scale
            inner = imgui.ImVec2(low.x + thick / 2, low.y + thick / 2)
            outer = imgui.ImVec2(high.x - thick / 2, high.y - thick / 2)
            draw.add_rect(inner, outer, colour32(ink), 0.0, thickness=thick)


def _bold_width(font: imgui.ImFont, height: float, text: str) -> float:
    """Width of a text in this font [px]."""
    style = imgui.get_style()
    imgui.push_font(font, height / (style.font_scale_main * style.font_scale_dpi))
    width = float(imgui.calc_text_size(text).x)
    imgui.pop_font()
    return width


def _draw_results(ui: Ui) -> None:
    """Draw the results below the pictures: plot at the left, table at the right; beside plates the table only if there
    is room for both."""
    left, top, width, height = results_area(ui)
    if width < WITH_PLOT * ui.window.scale:
        return
    has_table = width >= WITH_TABLE * ui.window.scale or not beside_results(ui)
    imgui.set_next_window_pos(imgui.ImVec2(left, top))
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    # The renderer of the pictures has filled the background.
    below = imgui.WindowFlags_.no_bring_to_front_on_focus | imgui.WindowFlags_.no_background
    imgui.begin("side by side results", None, OVER | below)
    room = imgui.get_content_region_avail()
    across = room.x - imgui.get_style().item_spacing.x
    least = PLOT if beside_results(ui) else LEAST_PLOT  # all is narrow beside plates: the table gives way
    table, needed = fitted(_head(ui), rows(ui), (1.0 - least) * across)
    plot = max(least * across, min(PLOT * across, across - needed)) if has_table else room.x
    imgui.begin_child("plot", imgui.ImVec2(plot, room.y), imgui.ChildFlags_.nav_flattened)
    _draw_plot(ui)
    imgui.end_child()
    if has_table:
        imgui.same_line()
        imgui.begin_child("table", imgui.ImVec2(0.0, room.y), imgui.ChildFlags_.nav_flattened)
        _draw_table(ui, table, needed)
        imgui.end_child()
    imgui.end()


def _draw_plot(ui: Ui) -> None:
    """Draw one quantity of all runs over simulated time, and the button back to one run beside or below its name."""
    named = {entry.name: entry for run in ui.beside.runs for entry in run.results.quantities}
    entries = {name: entry for name, entry in named.items() if _known(ui, name)} or named  # none is known at first
    name = ui.states[ComparedQuantity].name
    if name not in entries:
        name = next((first for first in ("angle", "kinetic_energy") if first in entries), next(iter(entries), ""))
    width = button_width(_("Back to one run"), "F9")
    across, beside = imgui.get_content_region_avail().x, width + imgui.get_style().item_spacing.x
    narrow = across < beside + CHOICE * imgui.get_font_size()
    room = imgui.ImVec2(across if narrow else across - beside, imgui.get_frame_height())
    imgui.begin_child("##quantity", room, imgui.ChildFlags_.nav_flattened)
    titles = {key: entry.title for key, entry in entries.items()}
    chosen = choose(ui, "side_by_side.quantity", EMPTY, titles, name, _("The quantity in the plot."))
    imgui.end_child()
    if chosen is not None:
        ui.states[ComparedQuantity].name = chosen
    if not narrow:
        imgui.same_line()
    help = _("Continue only the chosen run, the one in the frame; the others end.")
    if button(ui, "side_by_side.back", _("Back to one run"), hint="F9", width=width, help=help):
        back(ui)
    if name:
        _draw_curves(ui, entries[name])


def _known(ui: Ui, name: str) -> bool:
    return any(np.isfinite(run.results.series.get(name, np.empty(0))).any() for run in ui.beside.runs)


def _draw_curves(ui: Ui, entry: SampledQuantity) -> None:
    """The quantity of every run over the whole time; the chosen run has a broad line."""
    series, end = [], 0.0
    for number, run in enumerate(ui.beside.runs):
        time, values = run.results.series.get("time", np.empty(0)), run.results.series.get(entry.name, np.empty(0))
        end = max(end, float(time[-1]) if len(time) else 0.0)
        weight = BROAD if number == ui.beside.chosen else LINE
        label = plain(run.run.label)
        series.append(Trace(label, thinned(time), thinned(values) / entry.scale, colours(ui)[number], weight))
    y_label, x_label = entry.axis.label, _("time [s]")
    imgui.text_colored(
        vector(ui.palette.muted), translated(Message("{y_label} over {x_label}", y_label=y_label, x_label=x_label))
    )
    size = imgui.get_content_region_avail()
    figure = figure_over_time(FigureAxis(x_label, 0.0, end or 1.0), y_label, series)
    rooms = AxisRoom(size.x - 3.0 * imgui.get_font_size()), AxisRoom(size.y - imgui.get_text_line_height())
    draw_figure("##side by side", size, figure, rooms, ui.window.scale)


def rows(ui: Ui) -> list[Row]:
    """Name, and value in every run, of the main result and of the readings of scene and packing."""
    table: dict[tuple[str, Message], list[Cell]] = {}
    for number, run in enumerate(ui.beside.runs):
        large = headline(run)
        entries: list[tuple[str, Message, Cell]] = []
        if large is not None:
            words = joined([part for part in (large.value, large.error) if part], " ")
            entries = [(large.name, large.label, main_cell(run) or Cell(words, note=large.outdated))]
        entries += [
            (reading.name, reading.label, cell_of(reading))
            for reading in (*run.results.readings, *run.results.bulk_readings)
            if large is None or reading.name != large.name
        ]
        entries.append(("time_step", _("time step"), Cell(plain(si(run.run.dt, "s")))))
        share = Number(100 * run.stability.largest_overlap, format=".2f")
        entries.append(
            ("largest_overlap", _("largest overlap"), Cell(Message("{largest_overlap} % of R", largest_overlap=share)))
        )
        for name, label, cell in entries:  # a label can contain a number that differs between the runs
            table.setdefault((name, label), [NONE] * len(ui.beside.runs))[number] = cell
    return [(label, cells) for (__, label), cells in table.items()]


def cell_of(reading: Reading) -> Cell:
    """Value, error and unit of a reading."""
    value, error = numbers(reading)
    unit = value.unit if error is None else error.unit
    if unit == "°":
        return Cell(plain(value), EMPTY if error is None else plain(error), note=reading.outdated)
    bare = plain(replace(value, unit=""))
    return Cell(bare, EMPTY if error is None else plain(replace(error, unit="")), unit, reading.outdated)


def main_cell(run: Snapshot) -> Cell | None:
    """The main result of a run; None for a measured slope, whose error has its source beside it."""
    large = headline(run)
    same = [reading for reading in run.results.readings if large is not None and reading.name == large.name]
    return cell_of(same[0]) if same and run.results.slope is None else None


def _head(ui: Ui) -> tuple[str, list[str]]:
    """The first row: the time, and the labels of the runs."""
    time = Message("at {max} s", max=Number(max(shot.run.time for shot in ui.beside.runs), format=".3g"))
    return translated(time), [translated(shot.run.label) for shot in ui.beside.runs]


def fitted(head: tuple[str, list[str]], table: list[Row], room: float) -> tuple[Table, float]:
    """The table in the longest form that is at most `room` wide, with the width that it needs [px].

    Shorter forms have the units beside the names. The shortest form has no errors, and scrolls if it is wider.
    """
    forms = (
        [in_full(row) for row in table],
        [shortened(row) for row in table],
        [shortened(row, error=False) for row in table],
    )
    for rest in forms:
        form = [head, *rest]
        columns = widths(form)
        wide = (
            sum(columns)
            + (2.0 * len(columns) + 2.0) * imgui.get_style().cell_padding.x
            + imgui.get_style().scrollbar_size
        )
        if wide <= room:
            break
    return form, wide


def in_full(row: Row) -> tuple[str, list[str]]:
    """The texts of a row with all units and errors."""
    name, cells = row
    return translated(name), [translated(cell.shown()) for cell in cells]


def shortened(row: Row, error: bool = True) -> tuple[str, list[str]]:
    """The texts of a row with the unit beside the name, if all values have the same unit."""
    name, cells = row
    units = {cell.unit for cell in cells if cell is not NONE}
    unit = units.pop() if len(units) == 1 else ""
    label = label_of(name, "", unit)
    return translated(label), [translated(cell.shown(unit=not unit, error=error)) for cell in cells]


def widths(table: Table) -> list[float]:
    """Width of the longest text of every column [px]."""
    columns = ([name for name, _ in table], *zip(*(values for _, values in table), strict=True))
    return [max(imgui.calc_text_size(text).x for text in column) for column in columns]


def _draw_table(ui: Ui, table: Table, needed: float) -> None:
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y
    spare, columns = imgui.get_content_region_avail().x - needed, widths(table)
    fits = spare >= 0.0
    even = (spare + sum(columns[1:])) / len(ui.beside.runs)
    if even >= max(columns[1:]):  # columns of equal width, which do not change with the values
        columns[1:] = [even] * len(ui.beside.runs)
    flags |= imgui.TableFlags_.sizing_fixed_fit if fits else imgui.TableFlags_.scroll_x
    if not imgui.begin_table("side by side" if fits else "side by side, scrolled", len(ui.beside.runs) + 1, flags):
        return
    # Columns without a width would keep the width of their first texts, and cut longer texts later.
    for number, wide in enumerate(columns):
        imgui.table_setup_column(f"##{number}", imgui.TableColumnFlags_.width_fixed, wide)
    imgui.table_setup_scroll_freeze(1, 1)
    for number, (name, values) in enumerate(table):
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text_colored(vector(ui.palette.muted), name)
        for run, value in enumerate(values):
            imgui.table_next_column()
            imgui.text_colored(vector(ui.palette.text if number else colours(ui)[run]), value)
    imgui.end_table()
    ui.probe.mark("side_by_side.table")


def _draw_request(ui: Ui) -> None:
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(_("Side by side")))
    width = text_width(_("Close  F8")) + 2.5 * imgui.get_style().frame_padding.x
    imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x - width)
    if button(ui, "side_by_side.close", _("Close"), hint="F8", width=width):
        ui.mode.overlay = ""
    note(
        _(
            "Two to four runs of this experiment with different values, at equal simulated times. Buttons act on all "
            "runs; a click on a picture chooses the run that the column shows."
        ),
        ui.palette.muted,
    )
    parameters, form = parameters_of(ui.snapshot.run), ui.states[SideBySideForm]
    if parameters is not None:
        _draw_values(ui, parameters, form)
    if form.trouble:
        note(form.trouble, ui.palette.bad)
    imgui.dummy(imgui.ImVec2(0.0, 4.0 * ui.window.scale))
    imgui.text_colored(vector(ui.palette.muted), translated(_("Examples")))
    together = [card for card in ui.work.preset_library.cards.values() if card.together]
    for card in together:
        if button(
            ui,
            f"side_by_side.{card.name}",
            Message(card.title),
            width=18.0 * imgui.get_font_size(),
            help=Message(card.about),
        ):
            ui.mode.overlay = ""
            choose_preset(ui, card.name)
        imgui.same_line()
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(vector(ui.palette.muted), translated(Message(card.question)))
        imgui.pop_text_wrap_pos()


def _draw_values(ui: Ui, parameters: ParameterSet, form: SideBySideForm) -> None:
    able = possible(parameters)
    if not able:
        return
    study = scenes()[ui.snapshot.run.scene].study if ui.snapshot.run.scene in scenes() else None
    first = study.over if study is not None and study.over in able else next(iter(able))
    over = able.get(form.over, able[first])
    font = imgui.get_font_size()
    names = {name: entry.quantity.label for name, entry in able.items()}
    imgui.begin_child("##over", imgui.ImVec2(15.0 * font, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
    chosen = choose(ui, "side_by_side.over", EMPTY, names, over.name, _("What differs; all others keep their values."))
    imgui.end_child()
    if chosen is not None and chosen != over.name:
        form.over, form.text, form.trouble, over = chosen, "", EMPTY, able[chosen]
    usual = usual_values(over, ui.snapshot.run.scene, getattr(parameters, over.name))
    width = button_width(_("Start"), _("Enter"))
    if imgui.get_content_region_avail().x >= 35.0 * font + width:
        imgui.same_line()
    imgui.set_next_item_width(14.0 * font)
    entered, form.text = imgui.input_text_with_hint(
        "##values", usual.replace(POINT, decimal_sign()), form.text, imgui.InputTextFlags_.enter_returns_true
    )
    ui.probe.mark("side_by_side.values")
    unit = over.quantity.unit
    allowed = (
        joined([choice_name(choice) for choice in over.choices])
        if over.choices
        else Message("a text such as '{example}'", example=plain(over.form.examples[0]))
        if over.form is not None
        else Message("{shown} to {high}", shown=over.shown(over.low or 0), high=_high(over.high, over))
    )
    tooltip(
        ui,
        Message(
            "A value for each run, with semicolons between them{value}. Allowed: {allowed}.",
            value=Message(", in {unit}", unit=unit) if unit else "",
            allowed=allowed,
        ),
    )
    imgui.same_line()
    imgui.text_disabled(unit or " ")
    imgui.same_line()
    help = _("Begin the experiment anew with each of these values and the same seed.")
    if button(ui, "side_by_side.start", _("Start"), hint=_("Enter"), width=width, help=help) or entered:
        command = planned(ui, parameters, over, form.text.strip() or usual)
        form.trouble = command if isinstance(command, Message) else EMPTY
        if not isinstance(command, Message):
            replace_run(ui, _("Start side by side?"), _("Start"), partial(start, ui, command))


def _high(high: float | None, over: Parameter) -> Message:
    return over.shown(high if high is not None else math.inf)


def back(ui: Ui) -> None:
    """Continue with the chosen run alone."""
    keep_one(ui)


def toggle(ui: Ui) -> None:
    """Open the request, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name
    if ui.mode.overlay:
        ui.work.preset_library.refresh()


def choose_next(ui: Ui) -> None:
    """Choose the next of the runs side by side."""
    if ui.beside.runs:
        ui.beside.chosen = (ui.beside.chosen + 1) % len(ui.beside.runs)


KEYS = (
    Key("side_by_side", plain("F8"), _("experiments side by side"), _("Window"), toggle, codes=(pygame.K_F8,)),
    Key(
        "back_to_one",
        plain("F9"),
        _("from runs side by side back to the chosen one"),
        _("Window"),
        back,
        codes=(pygame.K_F9,),
    ),
    Key(
        "next_run", plain("F3"), _("side by side: choose the next run"), _("Window"), choose_next, codes=(pygame.K_F3,)
    ),
)
PANEL = Panel("side_by_side", _("Side by side"), 50, "over", draw, keys=KEYS)
