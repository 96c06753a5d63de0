"""Study: a slider, a range and a number of seeds become a plot with error bars while the run in the window goes on."""

from __future__ import annotations

from dataclasses import dataclass

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import draw_text, note, text_width
from repose.app.storage.paths import runs_folder
from repose.app.storage.plot_files import WRITERS, Sheet
from repose.app.ui.keys import Key
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel, width_beside
from repose.app.ui.panels.curves import draw_curve
from repose.app.ui.studies import MOST_SEEDS, MOST_VALUES, candidates, usual_range
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose, fitting_size, progress_with_words, tooltip
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.message import EMPTY, Joined, Message, _, formatted, joined, plain, plural
from repose.sim.parameters import ParameterSet
from repose.sim.registry import scenes

NUMBER, COUNT = 5.0, 6.5
"""Widths of a typed number and of a counter, in sizes of the font."""
PROGRESS = 10.0
"""Least width of the progress in the line of the buttons, in sizes of the font."""
NAME = 15.0
"""Largest width of the list of parameters, in sizes of the font."""
SHARE, LEAST, LEAST_PICTURE = 0.55, 400.0, 300.0
"""Fraction of the width of the picture for the panel at the right [-], least width of the panel, and least width left
for the grains, below which the panel covers the picture [px at scale 1]."""


@dataclass
class StudyPanel:
    """What the panel reports on."""

    exported: bool = False
    """Whether it reports on exported files."""


def draw(ui: Ui) -> None:
    """Draw a window beside the picture, where the run stays visible; over the picture if it is too narrow."""
    if ui.mode.overlay != PANEL.name:
        return
    size = begin_over_picture(ui, "study", width_beside(ui, ui.window.size[0] - ui.window.inset[0]))
    if size is None:
        return
    _draw_head(ui)
    scene, parameters = scenes().get(ui.snapshot.run.scene), parameters_of(ui.snapshot.run)
    if scene is None or scene.study is None or parameters is None:
        note(
            Message(
                "Runs of this scene measure no quantity that can be compared; runs of these scenes do: {scenes}.",
                scenes=Joined(tuple(entry.title for entry in scenes().values() if entry.study is not None)),
            ),
            ui.palette.muted,
        )
    else:
        _draw_request(ui, parameters)
        _draw_progress(ui)
        _draw_result(ui)
    imgui.end()


def beside(width: float, scale: float) -> float:
    """Width of the panel beside a picture of this width [px]; 0 if the grains would be too small."""
    own = max(SHARE * width, LEAST * scale)
    return own if width - own >= LEAST_PICTURE * scale else 0.0


def _draw_head(ui: Ui) -> None:
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(_("Study")))
    width = text_width(_("Close  F7")) + 2.5 * imgui.get_style().frame_padding.x
    imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x - width)
    if button(ui, "study.close", _("Close"), hint="F7", width=width, help=_("The runs go on.")):
        ui.mode.overlay = ""


def _draw_request(ui: Ui, parameters: ParameterSet) -> None:
    """Draw parameter, range, and numbers of values and seeds; locked while runs are under way."""
    form, scene = ui.work.study_form, ui.snapshot.run.scene
    over = form.varied(scene, parameters)
    imgui.begin_disabled(ui.work.studies.runs.running)
    font, gap = imgui.get_font_size(), imgui.get_style().item_spacing.x
    names = {name: entry.quantity.label for name, entry in candidates(parameters).items()}
    unit = over.quantity.unit
    words = (_("from"), _("to"), plain(unit or " "))
    range_width = 2.0 * NUMBER * font + sum(text_width(translated(word)) for word in words) + 5.0 * gap
    name_width = min(NAME * font, max(imgui.get_content_region_avail().x - range_width, NUMBER * font))
    imgui.begin_child("##over", imgui.ImVec2(name_width, imgui.get_frame_height()), imgui.ChildFlags_.nav_flattened)
    chosen = choose(
        ui, "study.over", EMPTY, names, over.name, _("The parameter that varies; all others keep their values.")
    )
    imgui.end_child()
    if chosen is not None and chosen != over.name:
        form.over, form.low, form.high = chosen, "", ""
    usual = usual_range(over, scene)
    for name, label, limit in (("low", _("from"), usual[0]), ("high", _("to"), usual[1])):
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(translated(label))
        imgui.same_line()
        imgui.set_next_item_width(NUMBER * font)
        hint = formatted(limit / over.quantity.scale, ".4g")
        __, text = imgui.input_text_with_hint(f"##{name}", translated(hint), getattr(form, name))
        setattr(form, name, text)
        ui.probe.mark(f"study.{name}")
        tooltip(
            ui,
            Message(
                "Unit: {value}. Allowed: {shown} to {shown2}.",
                value=unit or _("none"),
                shown=over.shown(over.low or 0),
                shown2=over.shown(over.high or 0),
            ),
        )
    imgui.same_line()
    imgui.text_disabled(unit or " ")
    for name, label, most, help in (
        ("count", _("values"), MOST_VALUES, _("Evenly spaced, both ends among them.")),
        ("seeds", _("seeds"), MOST_SEEDS, _("Runs at every value with seeds 1, 2, …: their scatter is the error bar.")),
    ):
        if name == "seeds":
            imgui.same_line(0.0, 1.5 * gap)
        imgui.set_next_item_width(COUNT * font)
        __, number = imgui.input_int(f"##{name}", getattr(form, name))
        least = 2 if name == "count" else 1
        setattr(form, name, min(max(number, least), most))
        ui.probe.mark(f"study.{name}")
        tooltip(ui, help)
        imgui.same_line()
        imgui.text_disabled(translated(label))
    imgui.end_disabled()


def _draw_progress(ui: Ui) -> None:
    """Draw start or stop, progress and export; every part keeps its place. In a narrow panel the progress has a line of
    its own."""
    studies = ui.work.studies
    font, gap = imgui.get_font_size(), imgui.get_style().item_spacing.x
    width, across = 6.0 * font, imgui.get_content_region_avail().x
    beside = across - 3.0 * (width + gap)
    narrow = beside < PROGRESS * font
    if studies.runs.running:
        if button(ui, "study.stop", _("Stop"), width=width, help=_("End these runs; those that have ended count.")):
            studies.runs.stop()
    elif (parameters := parameters_of(ui.snapshot.run)) is not None and button(
        ui,
        "study.start",
        _("Start"),
        width=width,
        help=studies.runs.trouble
        or _(
            "On free processors; the run in the window goes on. Runs that were "
            "done earlier are on disk, and are not done again."
        ),
    ):
        run, form = ui.snapshot.run, ui.work.study_form
        studies.start(lambda: form.plan(run.scene, parameters))
    imgui.same_line()
    if not narrow:
        _draw_bar(ui, beside)
        imgui.same_line()
    shown = bool(studies.results)
    if button(
        ui, "study.export", _("Export"), width=width, enabled=shown, help=_("CSV, PNG and SVG in the folder of runs.")
    ):
        export(ui)
    imgui.same_line()
    help = _("Take all results off the plot; their files stay, and the same study shows them again.")
    if button(ui, "study.clear", _("Clear"), width=width, enabled=shown and not studies.runs.running, help=help):
        studies.forget()
    if narrow:
        _draw_bar(ui, across)
    line = imgui.get_cursor_pos()
    exported = (ui.work.run_saver.trouble or ui.work.run_saver.message) if ui.states[StudyPanel].exported else EMPTY
    trouble = studies.runs.trouble or exported
    imgui.text_unformatted(" ")  # a line is kept free, so that a message moves nothing
    if trouble:
        after = imgui.get_cursor_pos()
        imgui.set_cursor_pos(line)
        room, position = imgui.get_content_region_avail().x, imgui.get_cursor_screen_pos()
        draw_text(position.x, position.y, trouble, ui.palette.text, fitting_size(trouble, room))
        imgui.dummy(imgui.ImVec2(room, imgui.get_text_line_height()))
        ui.probe.mark("study.trouble")
        tooltip(ui, trouble)
        imgui.set_cursor_pos(after)


def _draw_bar(ui: Ui, width: float) -> None:
    """Draw the progress of the runs, in words too."""
    runs = ui.work.studies.runs
    texts = runs.progress
    if runs.stopped:
        words = plural(
            "stopped: {done} of {count} run",
            "stopped: {done} of {count} runs",
            count=runs.total,
            done=runs.done,
        )
        texts = (words,)
    progress_with_words(ui, texts, runs.share if runs.total else 0.0, width)
    ui.probe.mark("study.progress")


def _draw_result(ui: Ui) -> None:
    curve = ui.work.studies.curve()
    if curve is None:
        note(_("A point appears after each run, with an error bar from two seeds on."), ui.palette.muted)
        return
    draw_curve(ui, curve)


def export(ui: Ui) -> None:
    """Write the plot and its numbers to free names in the folder of the runs."""
    curve = ui.work.studies.curve()
    if curve is None:
        return
    plan = [*ui.work.studies.results.values()][-1].plan
    declared = plan.declared
    fixed = ", ".join(
        f"{declared[name].quantity.label} {declared[name].shown(value)}"
        for name, value in plan.values.items()
        if name in declared
    )
    title = scenes()[plan.scene].title
    sheet = Sheet(curve.heading, joined((title, fixed or _("default parameters"))), (curve,))
    ui.work.run_saver.save_plot(
        sheet, runs_folder(), f"{plan.scene}-study-{plan.over}".replace("_", "-"), tuple(WRITERS)
    )
    ui.states[StudyPanel].exported = True


def toggle(ui: Ui) -> None:
    """Open the panel, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name


KEYS = (
    Key(
        "study",
        plain("F7"),
        _("study: a slider over a range, with seeds and error bars"),
        _("Window"),
        toggle,
        codes=(pygame.K_F7,),
    ),
)
PANEL = Panel("study", _("Study"), 72, "over", draw, keys=KEYS, beside=lambda ui, width: beside(width, ui.window.scale))
