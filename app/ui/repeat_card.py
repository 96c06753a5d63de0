"""Button and progress of repeated runs in one place, and their result among the readings."""

from __future__ import annotations

from dataclasses import dataclass, field

from imgui_bundle import imgui
from repose.app.render.text import draw_text, note, text_width
from repose.app.ui.studies import REPEATED, repetition
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, row, tooltip
from repose.sim.experiment.comparison import Study, mean_in_words, repeated_in_words
from repose.sim.experiment.latest import Latest
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.message import Message, _, plural
from repose.sim.registry import scenes

LABEL = Message("Repeat × {runs}", runs=REPEATED)
"""Label of the button; the progress that replaces the button during the runs has the same width."""
BUTTON_HELP = Message(
    "Repeats the experiment with {runs} seeds in the background. A single heap gives only the error of its line "
    "fit; several heaps show the scatter.",
    runs=REPEATED,
)


@dataclass
class RepeatedMean:
    """The mean shown last, which is found again for other parameters and results only."""

    latest: Latest = field(default_factory=Latest)


def repeats_width() -> float:
    """Width of the button [px], free in scenes whose runs cannot be compared: the field beside it keeps its place."""
    return text_width(LABEL) + 4.0 * imgui.get_style().frame_padding.x


def draw_repeats(ui: Ui, width: float, beside: bool = True) -> None:
    """The button `beside` the last widget, or below it; during the runs, their progress and a button that ends them.
    Nothing in a scene whose runs cannot be compared."""
    if _study(ui) is None:
        return
    if beside:
        imgui.same_line()
    parameters = parameters_of(ui.snapshot.run)
    if ui.work.repeats.runs.running:
        _draw_progress(ui, width)
    elif parameters is not None and button(ui, "repeat.start", LABEL, help=BUTTON_HELP, width=width):
        run = ui.snapshot.run
        ui.work.repeats.start(lambda: repetition(run.scene, parameters, run.seed))


def draw_repeated(ui: Ui) -> None:
    """Mean and error over the runs, with an explanation, and the last trouble; nothing before the first runs."""
    study, parameters, repeats = _study(ui), parameters_of(ui.snapshot.run), ui.work.repeats
    mean = None
    if study is not None and parameters is not None and repeats.results:
        run = ui.snapshot.run
        mean = ui.states[RepeatedMean].latest.get(
            (run.scene, parameters, repeats.results),
            lambda: repeats.mean(repetition(run.scene, parameters, run.seed)),
        )
    if mean is not None and study is not None:
        row(
            plural("mean over {count} run", "mean over {count} runs", count=mean.runs),
            mean_in_words(study, mean, study.unit),
            ui,
        )
        ui.probe.mark("repeat.result")
        tooltip(ui, repeated_in_words(study, mean))
    if repeats.runs.trouble:
        note(repeats.runs.trouble, ui.palette.warning)


def _study(ui: Ui) -> Study | None:
    """How runs of the scene are compared; None if they cannot be compared."""
    scene = scenes().get(ui.snapshot.run.scene)
    return scene.study if scene is not None and ui.snapshot.run.parameters.values else None


def _draw_progress(ui: Ui, width: float) -> None:
    """Fraction done and number of ended runs, with a button that ends the rest."""
    pad, gap = imgui.get_style().frame_padding.x, imgui.get_style().item_inner_spacing.x
    stop = text_width(_("Stop")) + pad
    low, size = imgui.get_cursor_screen_pos(), imgui.ImVec2(width - stop - gap, imgui.get_frame_height())
    imgui.progress_bar(ui.work.repeats.runs.share, size, "")
    ui.probe.mark("repeat.progress")
    done = ui.work.repeats.runs.done
    words = Message("{done} of {runs}", done=done, runs=REPEATED)
    tooltip(ui, plural("Ended: {done} of {count} run.", "Ended: {done} of {count} runs.", count=REPEATED, done=done))
    draw_text(
        low.x + (size.x - text_width(words)) / 2, low.y + imgui.get_style().frame_padding.y, words, ui.palette.text
    )
    imgui.same_line(0.0, gap)
    if button(ui, "repeat.stop", _("Stop"), width=stop, help=_("End these runs; those that have ended count.")):
        ui.work.repeats.runs.stop()
