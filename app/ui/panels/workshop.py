"""Clump workshop: choose a body, approximate it by overlapping spheres, see both and the quality, pour the clump."""

from __future__ import annotations

import math

import numpy as np
from imgui_bundle import imgui, implot
from repose.app.figure import Figure, FigureAxis, Trace
from repose.app.language import translated
from repose.app.render.beside import view_of_clump
from repose.app.render.passes import scale_bar
from repose.app.render.text import draw_text, heading, note, si, text_width
from repose.app.render.theme import colour32
from repose.app.ui.clump_recipe import NUMBERS, CurvePoint
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel, Shown, with_edits
from repose.app.ui.parameter_rows import draw_field
from repose.app.ui.places import is_short
from repose.app.ui.plot_area import AxisRoom, draw_figure
from repose.app.ui.preset_library import different
from repose.app.ui.questions import replace_run
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, row, tooltip
from repose.sim.clumps.making import ClumpRow, piece_rows, quality_rows, volume_text
from repose.sim.experiment.commands import Act, Start
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.io.presets import PresetCard
from repose.sim.message import EMPTY, Capital, Message, _, joined, plain, sentence
from repose.sim.parameters import ParameterSet
from repose.sim.registry import scenes
from repose.sim.wording import reason_of

EXPORTS = {
    ".json": (_("clump file"), _("The clump with volume, inertia and quality; the scene clumps pours it.")),
    ".mol": (_("LAMMPS molecule"), _("Template: coordinates, diameters, mass, centre of mass and inertia.")),
    ".rigid": (_("LAMMPS fix rigid"), _("Mass, centre of mass and inertia for its `infile`.")),
    ".txt": (
        _("YADE text"),
        _("Text with x y z r and a clump number, in metres, for ymport.textClumps or ymport.text."),
    ),
}
"""Kinds of file: label and help by the ending."""
WORDS = {"IoU": _("IoU"), "Q_V": _("volume ratio"), "Q_r": _("roughness")}
"""Names of the measures in the panel, which has no subscripts."""
LEAST_PLOT = 110.0
"""Least height of the plot [px at scale 1]."""
FOOT = 142.0
"""Height of numbers and plot at the foot of the picture [px at scale 1]."""
HALF = 0.5
"""Share of the clumps that are mixed in, unless the run has another share [-]."""
MOST_POURED = 200
"""Largest number of spheres of a clump that the scene pours."""
FALLS_APART = _("The clump falls apart: choose more spheres, or allow pieces.")
"""Why a clump is not poured or saved."""


def draw(ui: Ui) -> None:
    """Draw recipe, progress, numbers and plot, and the buttons at the foot, which stay visible. In a short column
    numbers and plot are at the foot of the picture."""
    short = is_short(ui)
    _draw_title(ui)
    foot = imgui.get_frame_height() + 2 * imgui.get_style().item_spacing.y
    imgui.begin_child("recipe", imgui.ImVec2(0.0, -foot), imgui.ChildFlags_.nav_flattened)
    _draw_recipe(ui)
    _draw_progress(ui)
    if not short:
        _draw_numbers(ui)
        _draw_plot(ui)
    imgui.end_child()
    _draw_pour(ui)
    imgui.same_line()
    _draw_exports(ui)
    if short:
        _draw_below_picture(ui)


def foot_of_picture(ui: Ui) -> float:
    """Height that numbers and plot cover at the foot of the picture [px]."""
    return FOOT * ui.window.scale if is_short(ui) else 0.0


def _draw_below_picture(ui: Ui) -> None:
    """Draw numbers and plot beside each other, left of the scale bar."""
    left, _, right, bottom = ui.window.inset
    margin, high = 10.0 * ui.window.scale, FOOT * ui.window.scale
    free = ui.window.size[0] - left - right
    wide = free - 2.0 * margin - scale_bar.room(free, ui.window.scale, 3, text_width)
    if wide < LEAST_PLOT * ui.window.scale or high > 0.5 * ui.window.size[1]:
        return
    imgui.set_next_window_pos(imgui.ImVec2(left + margin, ui.window.size[1] - bottom - high - 0.5 * margin))
    imgui.set_next_window_size(imgui.ImVec2(wide, high))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_saved_settings
    imgui.begin("quality", None, flags | imgui.WindowFlags_.no_focus_on_appearing)
    half = 0.5 * (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x)
    imgui.begin_child("numbers", imgui.ImVec2(half, 0.0))
    _draw_numbers(ui)
    imgui.end_child()
    imgui.same_line()
    imgui.begin_child("plot", imgui.ImVec2(half, 0.0))
    _draw_plot(ui)
    imgui.end_child()
    imgui.end()


def _draw_title(ui: Ui) -> None:
    start = imgui.get_cursor_pos()
    close = text_width(_("Close  Esc")) + 3.0 * imgui.get_style().frame_padding.x
    heading(_("Clump workshop"), 1.15, ui.palette.text)
    below = imgui.get_cursor_pos()
    imgui.set_cursor_pos(imgui.ImVec2(start.x + imgui.get_content_region_avail().x - close, start.y))
    if button(ui, "workshop.close", _("Close"), hint=_("Esc"), width=close):
        ui.mode.overlay = ""
    imgui.set_cursor_pos(imgui.ImVec2(below.x, max(below.y, imgui.get_cursor_pos_y())))


def _draw_recipe(ui: Ui) -> None:
    """One row per parameter that has a meaning for this body and this algorithm."""
    recipe = ui.work.workshop.recipe
    without = {"size"} if recipe.file else {"unit"}
    without |= set() if recipe.algorithm == "greedy" else {"rho"}
    made = ui.work.workshop.made
    without |= set() if recipe.allow_pieces or (made is not None and made.pieces > 1) else {"allow_pieces"}
    with with_edits(ui, ui.work.workshop.edits):
        for name, parameter in recipe.declared().items():
            if name not in without:
                draw_field(ui, parameter)
    for words in ui.work.workshop.edits.refusals.values():
        note(words, ui.palette.bad)


def _draw_progress(ui: Ui) -> None:
    """Draw the present work with a button that ends it; otherwise the trouble, and a button that makes the clump."""
    workshop = ui.work.workshop
    width = text_width(_("Stop")) + 3.0 * imgui.get_style().frame_padding.x
    room = imgui.get_content_region_avail().x - width - imgui.get_style().item_spacing.x
    if workshop.working:
        words = translated(plain(Capital(workshop.words)))
        imgui.progress_bar(workshop.share, imgui.ImVec2(room, imgui.get_frame_height()), words)
        ui.probe.mark("workshop.progress")
        imgui.same_line()
        if button(ui, "workshop.stop", _("Stop"), width=width, help=_("Keep the clump and the points made so far.")):
            workshop.stop()
    elif not workshop.is_made:
        if workshop.trouble:
            note(workshop.trouble, ui.palette.bad)
            ui.probe.mark("workshop.trouble")
        if button(ui, "workshop.make", _("Make the clump"), emphasis=ui.palette.accent):
            workshop.begin()
    elif not workshop.is_usable:
        note(workshop.apart or FALLS_APART, ui.palette.bad)
        ui.probe.mark("workshop.apart")
    else:
        imgui.dummy(imgui.ImVec2(1.0, imgui.get_frame_height()))


def _draw_numbers(ui: Ui) -> None:
    made = ui.work.workshop.made
    if made is None:
        return
    faded = not ui.work.workshop.is_made
    colour = ui.palette.muted if faded else ui.palette.text
    mass = ui.work.workshop.recipe.density * made.mass.volume
    lines = [
        ClumpRow(
            _("spheres"),
            plain(len(made.clump.radius)),
            _("fewer than the largest number where one more would add nothing"),
        ),
        *quality_rows(made.quality),
        *(piece_rows(made) if ui.work.workshop.is_usable else ()),  # otherwise a sentence says it
        ClumpRow(
            _("volume, mass"),
            Message("{volume}, {si}", volume=volume_text(made.mass.volume), si=si(1000.0 * mass, "g")),
            _("of the union of the spheres"),
        ),
    ]
    for line in lines:
        row(WORDS.get(line.name, line.name), line.value, ui, colour)
        tooltip(ui, sentence(line.meaning))


def _draw_plot(ui: Ui) -> None:
    """Draw the measures of quality that are known so far over the number of spheres."""
    points = ui.work.workshop.points
    line = imgui.get_text_line_height()
    position = imgui.get_cursor_screen_pos()
    title = _("quality over number of spheres")
    if text_width(title) > imgui.get_content_region_avail().x:
        title = _("over number of spheres")
    draw_text(position.x, position.y, title, ui.palette.muted)
    imgui.dummy(imgui.ImVec2(1.0, line))
    curves = _curves(ui, points)
    legend = _legend_lines(curves) * imgui.get_text_line_height_with_spacing()
    least = 0.0 if is_short(ui) else LEAST_PLOT * ui.window.scale
    high = max(imgui.get_content_region_avail().y - legend, least, 3.0 * line)
    size = imgui.ImVec2(imgui.get_content_region_avail().x, high)
    last = max(ui.work.workshop.recipe.members, *(point.spheres for point in points), 10)
    known = [series for series in curves if len(series.y)]
    top = 1.05 * max([1.0, *(float(series.y.max()) for series in known)])
    ticks = [number for number in NUMBERS if number <= 1.25 * last]
    wide = size.x - 4.0 * line
    ticks = ticks if wide > len(ticks) * 2.2 * line else [n for n in ticks if math.log10(n).is_integer()]
    x = FigureAxis(EMPTY, 0.8, 1.25 * last, True, ticks=[(float(number), plain(f"{number:g}")) for number in ticks])
    figure = Figure(x, FigureAxis(EMPTY, 0.0, top), tuple(known))
    rooms = AxisRoom(wide), AxisRoom(high - 2.0 * line)
    draw_figure("##quality", size, figure, rooms, ui.window.scale, implot.Flags_.no_inputs)
    ui.probe.mark("workshop.plot")
    _draw_legend(ui, curves)


def _curves(ui: Ui, points: tuple[CurvePoint, ...]) -> list[Trace]:
    """Every measure of quality over the number of spheres, where it is known."""
    palette, numbers = ui.palette, np.array([float(point.spheres) for point in points])
    measures = {
        "IoU": ([point.quality.overlap for point in points], palette.accent),
        "Q_V": ([point.quality.volume_ratio for point in points], palette.good),
        "Q_r": ([point.quality.roughness for point in points], palette.warning),
    }
    curves = []
    for name, (values, colour) in measures.items():
        known = np.isfinite(np.array(values, float))
        y = np.array(values, float)[known]
        curves.append(Trace(WORDS[name], numbers[known], y, colour, width=1.6, mark="o", size=3.0))
    return curves


def _legend_starts(curves: list[Trace]) -> list[bool]:
    """Whether each entry of the legend begins a line: the first one, and those that do not fit beside the last one."""
    side, room, used, starts = 0.5 * imgui.get_font_size(), imgui.get_content_region_avail().x, math.inf, []
    for series in curves:
        wide = 1.5 * side + text_width(series.label)
        starts.append(used + 1.4 * side + wide > room)
        used = wide if starts[-1] else used + 1.4 * side + wide
    return starts


def _legend_lines(curves: list[Trace]) -> int:
    return sum(_legend_starts(curves))


def _draw_legend(ui: Ui, curves: list[Trace]) -> None:
    side, line = 0.5 * imgui.get_font_size(), imgui.get_text_line_height()
    for series, starts in zip(curves, _legend_starts(curves), strict=True):
        if not starts:
            imgui.same_line(0.0, 1.4 * side)
        low = imgui.get_cursor_screen_pos()
        middle = imgui.ImVec2(low.x + 0.5 * side, low.y + 0.5 * line)
        imgui.get_window_draw_list().add_circle_filled(middle, 0.4 * side, colour32(series.colour))
        imgui.dummy(imgui.ImVec2(side, line))
        imgui.same_line(0.0, 0.5 * side)
        imgui.text_unformatted(translated(series.label))
        high = imgui.get_item_rect_max()
        ui.probe.mark_area(f"workshop.legend.{series.label}", (low.x, low.y, high.x, high.y))


def _draw_pour(ui: Ui) -> None:
    workshop = ui.work.workshop
    made = workshop.made
    few = made is not None and len(made.clump.radius) <= MOST_POURED
    ready = workshop.is_usable and few
    help = _("Save the clump and start the scene clumps with it.")
    if made is not None and not few:
        help = Message(
            "Clumps of at most {most_poured} spheres are poured: make one with fewer.", most_poured=MOST_POURED
        )
    elif workshop.is_made and not workshop.is_usable:
        help = FALLS_APART
    width = (imgui.get_content_region_avail().x - 2.0 * imgui.get_style().item_spacing.x) / 3.0
    if button(ui, "workshop.pour", _("Pour it"), width=width, enabled=ready, emphasis=ui.palette.accent, help=help):
        replace_run(ui, _("Pour this clump?"), _("Pour"), lambda: pour(ui))
    imgui.same_line()
    help = (
        _(
            "Save the clump and pour it with the clumps of the present run, half of each; the shares can be "
            "changed among the parameters."
        )
        if _parameters_of_clumps(ui)
        else _("Adds the clump to those of the scene clumps: pour one first.")
    )
    if button(
        ui, "workshop.mix", _("Mix it in"), width=width, enabled=ready and bool(_parameters_of_clumps(ui)), help=help
    ):
        replace_run(ui, _("Pour a mixture with this clump?"), _("Pour"), lambda: pour(ui, second=True))


def _parameters_of_clumps(ui: Ui) -> ParameterSet | None:
    """The parameters of the run in the window, if its scene is clumps."""
    return parameters_of(ui.snapshot.run) if ui.snapshot.run.scene == "clumps" else None


def pour(ui: Ui, second: bool = False) -> None:
    """Save the clump, start the scene clumps with it, and pour; with `second` it is the second clump of a mixture."""
    path = save(ui, ".json")
    if not path:
        return
    snapshot, parameters = ui.snapshot, _parameters_of_clumps(ui)
    values = different(parameters) if parameters is not None else {}
    ui.mode.overlay = ""
    ui.control.edits.forget()
    added = {"second_share": values.get("second_share", HALF), "second_clump": path} if second else {"clump": path}
    ui.control.send(Start("clumps", values | added, snapshot.run.seed))
    ui.work.preset_library.expect(PresetCard("clumps", str(scenes()["clumps"].title), "clumps"))
    ui.control.send(Act("fill"))


def _draw_exports(ui: Ui) -> None:
    """A button that opens the list of the kinds of file."""
    help = Message("Write the clump to a new file in {folder}.", folder=str(ui.work.workshop.folder))
    if ui.work.workshop.is_made and not ui.work.workshop.is_usable:
        help = FALLS_APART
    if button(ui, "workshop.export", _("Export…"), enabled=ui.work.workshop.is_usable, help=help):
        imgui.open_popup("exports")
    if imgui.begin_popup("exports"):
        for suffix, (label, words) in EXPORTS.items():
            if imgui.selectable(translated(joined((label, f"({suffix})"), " ")), False)[0]:
                save(ui, suffix)
            ui.probe.mark(f"workshop.export{suffix}")
            tooltip(ui, words)
        imgui.end_popup()


def save(ui: Ui, suffix: str) -> str:
    """Write the clump to a new file and report its path; returns the path, empty if writing failed."""
    try:
        path = ui.work.workshop.save(suffix)
    except OSError as error:
        show_toast(
            ui,
            Message(
                "The clump could not be written to {folder}: {error}.",
                folder=str(ui.work.workshop.folder),
                error=reason_of(error),
            ),
            bad=True,
        )
        return ""
    show_toast(ui, Message("The clump is in {path}.", path=str(path)))
    return str(path)


def picture(ui: Ui) -> Shown | None:
    """Body and clump beside each other."""
    workshop = ui.work.workshop
    snapshot = workshop.picture()
    if snapshot is None:
        return None
    return Shown(
        snapshot, view_of_clump(ui.view), workshop.camera, workshop.ranges, workshop.corners, foot_of_picture(ui)
    )


def toggle(ui: Ui) -> None:
    """Open the workshop, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name
    if ui.mode.overlay:
        ui.mode.presenting, ui.view.ui_visible = False, True
        if not (ui.work.workshop.is_made or ui.work.workshop.working):
            ui.work.workshop.begin()


KEYS = (
    Key(
        "workshop", plain("W"), _("clump workshop: a body as overlapping spheres"), _("Window"), toggle, characters="wW"
    ),
)
PANEL = Panel(
    "workshop",
    _("Clump workshop"),
    55,
    "instead",
    draw,
    keys=KEYS,
    picture=picture,
    edits=lambda ui: ui.work.workshop.edits,
)
