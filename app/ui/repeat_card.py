"""Button, progress and result of repeated runs, beside the single run; the height never changes."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.render.text import draw_text, text_width
from repose.app.ui.repeats import RUNS
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, tooltip
from repose.sim.experiment.comparison import Row, Study, mean_in_words, repeated_in_words
from repose.sim.registry import scenes

TEXT = 0.86
"""Size of the result relative to running text: the whole sentence fits into a column."""
BUTTON_HELP = (
    f"The same experiment from its beginning with {RUNS} seeds, on free processors while the window continues. "
    "The error of one angle is that of its line fit; the scatter of heaps is known from several runs only."
)


def draw_repeats(ui: Ui) -> None:
    """Draw the card; nothing for a scene whose runs cannot be compared."""
    scene = scenes().get(ui.snapshot.scene)
    parameters = ui.snapshot.parameters
    if scene is None or scene.study is None or parameters is None:
        return
    if ui.repeats.running:
        _draw_progress(ui)
    elif button(ui, "repeat.start", f"Repeat × {RUNS}", help=BUTTON_HELP):
        ui.repeats.start(ui.snapshot.scene, parameters, ui.snapshot.seed)
    _draw_result(ui, scene.study, ui.repeats.mean(ui.snapshot.scene, parameters))


def _draw_progress(ui: Ui) -> None:
    """Share done and number of ended runs, with a button that ends the others."""
    stop = text_width("Stop") + 2.0 * imgui.get_style().frame_padding.x
    width = imgui.get_content_region_avail().x - stop - imgui.get_style().item_spacing.x
    words = f"{ui.repeats.done} of {RUNS} runs"
    imgui.progress_bar(ui.repeats.share, imgui.ImVec2(width, imgui.get_frame_height()), words)
    ui.probe.mark("repeat.progress")
    imgui.same_line()
    if button(ui, "repeat.stop", "Stop", width=stop, help="End these runs; those that have ended count."):
        ui.repeats.stop()


def _draw_result(ui: Ui, study: Study, row: Row | None) -> None:
    """One line: mean and error over the runs with their names, or the reason of a failure."""
    low, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    trouble = ui.repeats.trouble
    choices: tuple[str, ...] = (trouble,)
    if row is not None:
        number = mean_in_words(study, row, study.unit)
        choices = (repeated_in_words(study, row), f"{number} (mean over runs, n = {row.runs})", number)
    words = next((entry for entry in choices if text_width(entry, TEXT) <= room), choices[-1])
    imgui.push_clip_rect(low, imgui.ImVec2(low.x + room, low.y + 2.0 * imgui.get_text_line_height()), True)
    draw_text(low.x, low.y, words, ui.palette.muted if row is None else ui.palette.text, TEXT)
    imgui.pop_clip_rect()
    imgui.dummy(imgui.ImVec2(room, imgui.get_text_line_height()))
    ui.probe.mark("repeat.result")
    if row is not None or trouble:
        tooltip(" ".join(part for part in (row and repeated_in_words(study, row), trouble) if part))
