"""Plots of a scene: its run beside the expected law, and the comparison of its runs."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.figure import Figure, ScreenColours, figure_on_screen
from repose.app.language import translated
from repose.app.render.colours import of_category
from repose.app.render.text import SMALL, draw_text, in_one_piece, shortened, text_width
from repose.app.render.text_size import LEAST_TEXT
from repose.app.render.theme import colour32, vector
from repose.app.ui.plot_area import AxisRoom, draw_figure, pen
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import MIDDLE_SIZE, fitting_size, tooltip
from repose.sim.measure.display import Curve
from repose.sim.message import Message

LEAST_PLOT = 110.0
"""Height of a plot below which table and legend are not shown [px at scale 1]; the large plot shows them."""
CURVES, WIDE, BESIDE = 0.6, 1.3, 0.42
"""Least share of the height of a large plot for its curves; ratio of the sides from which legend and table can be
beside the plot, and their largest share of the width [-]."""
AXES = 3.5
"""Height of the numbers and the label of the horizontal axis, with paddings [lines of text]."""
LEAST_LINES = 6.0
"""Least height of a plot [lines of text]."""
NOTE = SMALL
"""Size of the note under the heading, relative to normal text [-]."""
SIZES = (1.0, MIDDLE_SIZE, SMALL)
"""Sizes of the labels in place of the heading, the first that fits, relative to normal text [-]."""


def draw_curve(ui: Ui, curve: Curve) -> None:
    """Draw points with errors over lines, axes with units, and legend and table if they fit: below the plot, or beside
    it in a wide window whose curves would be lower than the share `CURVES`."""
    style, line, figure = imgui.get_style(), imgui.get_text_line_height(), figure_of(ui, curve)
    room, start, whole = imgui.get_content_region_avail(), imgui.get_cursor_screen_pos(), imgui.get_window_height()
    imgui.dummy(imgui.ImVec2(1.0, line))
    free = room.y - imgui.get_text_line_height_with_spacing()
    least = LEAST_PLOT * ui.window.scale
    legend = -(-len(figure.legend) // _legend_columns(figure)) * imgui.get_text_line_height_with_spacing()
    apart = _room_for_note(curve, room.x) if legend and free - 2.0 * line - legend >= least else 0.0
    if apart:
        imgui.same_line(0.0, apart)
        _draw_note(ui, curve.note)
    elif curve.note:
        free -= _draw_note(ui, curve.note)
    table = _table_height(len(curve.table), 1.0)
    is_wide = room.x > WIDE * room.y
    if is_wide and legend + table and free - legend - table - AXES * line < CURVES * whole:
        _draw_beside(ui, curve, figure, imgui.ImVec2(room.x, free), start)
        return
    legend = legend if free - legend >= least else 0.0
    fits = _table_width(curve, 1.0) <= room.x
    # The curves come first: a wider window, such as one with a folded column, has the table beside them.
    spare = free - legend - max(least, CURVES * whole + AXES * line)
    table = table if fits and table <= spare else 0.0
    size = imgui.ImVec2(-1, max(free - legend - table, LEAST_LINES * line))
    # A label longer than its axis would overlap the others.
    named = size.y - 3.0 * line > text_width(curve.y_label)
    heading = curve.heading if named else _heading_of_axes(curve)
    below = size.y - imgui.get_text_line_height_with_spacing()
    if not legend and not named and below >= LEAST_LINES * line:  # the heading has the units: labels come below it
        if _draw_labels(ui, figure, imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x):
            imgui.dummy(imgui.ImVec2(1.0, line))
            size.y = below
        _draw_heading(ui, heading, start)
    elif legend or not _draw_labels(
        ui, figure, start, imgui.get_content_region_avail().x, "" if named else units_of(curve)
    ):
        _draw_heading(ui, heading or curve.title, start)
    _draw_plot(curve, figure, imgui.ImVec2(room.x, size.y), named)
    if legend:
        _draw_legend(ui, figure)
    if table:
        imgui.dummy(imgui.ImVec2(0.0, 0.5 * style.item_spacing.y))
        _draw_table(ui, curve)


def _draw_beside(ui: Ui, curve: Curve, figure: Figure, room: imgui.ImVec2, start: imgui.ImVec2) -> None:
    """Draw the plot at the left, and at its right legend and table in letters in which they fit there."""
    line, gap = imgui.get_text_line_height(), imgui.get_style().item_spacing.x
    most = BESIDE * room.x
    sizes = [share for share in (1.0, 0.9, 0.8, 0.7, 0.6) if share * imgui.get_font_size() >= LEAST_TEXT]
    size = next(
        (
            share
            for share in sizes or [1.0]
            if _side_width(curve, figure, share) <= most
            and len(figure.legend) * 1.3 * share * line + _table_height(len(curve.table), share) <= room.y
        ),
        sizes[-1] if sizes else 1.0,
    )
    width = min(_side_width(curve, figure, size), most)
    named = room.y - 3.0 * line > text_width(curve.y_label)
    _draw_heading(ui, (curve.heading if named else _heading_of_axes(curve)) or curve.title, start)
    _draw_plot(curve, figure, imgui.ImVec2(room.x - width - gap, room.y), named)
    imgui.same_line(0.0, gap)
    imgui.begin_child("beside", imgui.ImVec2(width, room.y), imgui.ChildFlags_.nav_flattened)
    imgui.push_font(None, imgui.get_style().font_size_base * _pushed(size))
    _draw_legend(ui, figure)
    if curve.table:
        imgui.dummy(imgui.ImVec2(0.0, 0.5 * line))
        _draw_table(ui, curve)
    imgui.pop_font()
    imgui.end_child()


def _pushed(size: float) -> float:
    """Size of a font relative to the base size of the style, so that it is `size` times as large as the present one."""
    style = imgui.get_style()
    return size * float(imgui.get_font_size()) / (style.font_size_base * style.font_scale_main * style.font_scale_dpi)


def _side_width(curve: Curve, figure: Figure, size: float) -> float:
    """Width of legend and table in letters of this size, relative to the present ones [px]."""
    sample = 2.4 * 0.55 * size * imgui.get_font_size() + imgui.get_style().item_spacing.x
    entries = [text_width(series.label, size) + sample + 1.0 for series in figure.legend]
    return max((*entries, _table_width(curve, size)), default=0.0)


def _table_width(curve: Curve, size: float) -> float:
    """Width of the table [px]."""
    columns = [max(text_width(word, size) for word in words) for words in zip(*curve.table, strict=True)]
    return sum(columns) + (2.0 * len(columns) + 1.0) * imgui.get_style().cell_padding.x


def _table_height(rows: int, size: float) -> float:
    """Height of a table of so many rows with the distance above it [px]."""
    style = imgui.get_style()
    each = size * imgui.get_text_line_height() + 2.0 * style.cell_padding.y
    return rows * each + 2.0 * style.item_spacing.y if rows else 0.0


def _heading_of_axes(curve: Curve) -> Message:
    return Message("{y_label} over {x_label}", y_label=curve.y_label, x_label=curve.x_label)


def _draw_plot(curve: Curve, figure: Figure, size: imgui.ImVec2, named: bool) -> None:
    """Draw the axes, with their labels if they are `named`, and what is in them."""
    line = imgui.get_text_line_height()
    length = imgui.ImVec2(size.x - 5.0 * line, size.y - (3.5 if named else 2.0) * line)
    names = [in_one_piece(axis.label) if named else "" for axis in (figure.x, figure.y)]
    rooms = AxisRoom(length.x, names[0]), AxisRoom(length.y, names[1])
    draw_figure(f"##{curve.name}", size, figure, rooms, pen())


def _draw_heading(ui: Ui, heading: Message, start: imgui.ImVec2) -> None:
    """Draw the heading of a plot, in smaller letters or shortened if it is wider than the panel."""
    room = imgui.get_content_region_avail().x
    size = fitting_size(heading, room)
    draw_text(start.x, start.y, shortened(heading, room, size), ui.palette.muted, size)


def _room_for_note(curve: Curve, room: float) -> float:
    """Where the note begins in the line of the heading, if both fit into this width [px]; 0 for a line of its own."""
    heading = max(map(text_width, (curve.heading or curve.title, _heading_of_axes(curve))))
    begin = heading + 2.0 * imgui.get_font_size()
    return begin if curve.note and begin + text_width(curve.note, NOTE) <= room else 0.0


def _draw_note(ui: Ui, words: Message) -> float:
    """Draw the note that says which runs are plotted, shortened to one line; returns its height [px]."""
    room = imgui.get_content_region_avail().x
    shown = shortened(words, room, NOTE)
    position = imgui.get_cursor_screen_pos()
    draw_text(position.x, position.y, shown, ui.palette.text, NOTE)
    imgui.dummy(imgui.ImVec2(room, NOTE * imgui.get_text_line_height()))
    ui.probe.mark("plot.note")
    if shown != translated(words):
        tooltip(ui, words)
    return NOTE * imgui.get_text_line_height() + imgui.get_style().item_spacing.y


def figure_of(ui: Ui, curve: Curve) -> Figure:
    """What the window draws of a curve; lines beside labelled spheres are grey."""
    palette = ui.palette
    named = bool(ui.snapshot.grains.labels)
    others = (palette.muted,) if named else (palette.warning, palette.good, palette.bad, palette.muted)
    return figure_on_screen(curve, ScreenColours(palette.accent, of_category, others))


def _legend_columns(figure: Figure) -> int:
    """Number of entries of the legend beside each other in the width that is left."""
    widest = max((text_width(series.named) for series in figure.legend), default=0.0) + 2.4 * imgui.get_font_size()
    return max(int(imgui.get_content_region_avail().x // widest), 1)


def _draw_legend(ui: Ui, figure: Figure) -> None:
    """Draw every label with its colour under the plot, where the legend covers no point."""
    side, start = imgui.get_font_size() * 0.55, imgui.get_cursor_pos_x()
    count, room = _legend_columns(figure), imgui.get_content_region_avail().x
    for number, series in enumerate(figure.legend):
        if number % count:
            imgui.same_line()
            imgui.set_cursor_pos_x(start + number % count * room / count)
        low, high = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
        middle, ink = low.y + high / 2, colour32(series.colour)
        draw = imgui.get_window_draw_list()
        if series.mark == "o":
            draw.add_circle_filled(imgui.ImVec2(low.x + side, middle), side * 0.45, ink)
        elif series.mark:  # the cross of the plot
            arm, across = side * 0.4, 1.4 * pen()
            for rise in (-arm, arm):
                ends = (low.x + side - arm, middle - rise), (low.x + side + arm, middle + rise)
                draw.add_line(imgui.ImVec2(*ends[0]), imgui.ImVec2(*ends[1]), ink, across)
        else:
            draw.add_line(imgui.ImVec2(low.x, middle), imgui.ImVec2(low.x + 2 * side, middle), ink, 2.0 * pen())
        imgui.dummy(imgui.ImVec2(2.4 * side, high))
        imgui.same_line()
        words = series.named
        if text_width(words) > imgui.get_content_region_avail().x:
            words = series.label
        imgui.push_text_wrap_pos(0.0)  # beside the plot a label can be longer than its room
        imgui.text_colored(vector(ui.palette.text), translated(words))
        imgui.pop_text_wrap_pos()


def units_of(curve: Curve) -> str:
    """The units of both axes, as short as possible: "y [mm], x [s]"; an axis without unit is left out."""
    return ", ".join(f"{name} [{axis.unit}]" for name, axis in (("y", curve.y), ("x", curve.x)) if axis.unit)


def _draw_labels(ui: Ui, figure: Figure, start: imgui.ImVec2, room: float, units: str = "") -> bool:
    """Draw the labels of several lines in their colours instead of the heading, and `units` after them if these fit.

    For plots whose legend does not fit. Returns False if there is only one line, or if the labels do not fit.
    """
    labels, gap = [series.label for series in figure.legend], 0.7 * imgui.get_font_size()
    widths = [sum(text_width(label, size) for label in labels) + gap * (len(labels) - 1) for size in SIZES]
    last = text_width(units, SIZES[-1]) + gap
    if units and widths[-1] + last <= room:
        room -= last
    else:
        units = ""
    size = next((size for size, width in zip(SIZES, widths, strict=True) if width <= room), None)
    if len(labels) < 2 or size is None:
        return False
    x = start.x
    for series in figure.legend:
        draw_text(x, start.y, series.label, series.colour, size)
        x += text_width(series.label, size) + gap
    draw_text(x, start.y, units, ui.palette.muted, SIZES[-1])
    return True


def _draw_table(ui: Ui, curve: Curve) -> None:
    head, *rows = curve.table
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    if not imgui.begin_table(f"##table {curve.name}", len(head), flags):
        return
    for index, words in enumerate((head, *rows)):
        imgui.table_next_row()
        for word in words:
            imgui.table_next_column()
            imgui.text_colored(vector(ui.palette.text if index else ui.palette.muted), translated(word))
    imgui.end_table()
