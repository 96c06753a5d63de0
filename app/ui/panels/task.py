"""The task of a scene over the picture: what to look for and the question, at the end the answer and whether the stated
outcomes hold, and on request a table of the found beside the expected ones, below the legend."""

from __future__ import annotations

from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.film_words import FAILS, HOLDS, verdict
from repose.app.render.text import text_width
from repose.app.render.theme import Colour, vector
from repose.app.ui.lecture_mode import guess_now
from repose.app.ui.panels import Panel
from repose.app.ui.panels.next_step import OVER
from repose.app.ui.places import ASIDE, BELOW_LEGEND, TaskArea, ToolArea, high_scene
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width
from repose.sim.experiment.experiment import Course, Scene
from repose.sim.experiment.run_answer import answer_words
from repose.sim.measure.display import Outcome
from repose.sim.message import EMPTY, Message, _
from repose.sim.registry import scenes

WIDTH, NARROWEST, LEGEND, PLUMB_LINE = 560.0, 300.0, 330.0, 180.0
"""Largest width of the text, least one of a question without a task, and room beside it for the legend, and for the
plumb line of a tilted table [px at scale 1]."""
PRESENTED, OUTCOMES = 0.62, 0.7
"""Fraction of the width for the text in a presentation [-], and size of the outcomes there relative to running text,
which is larger in a presentation [-]."""
STATEMENT = 0.42
"""Least fraction of the width of the table for the statements [-]."""
LINES = 2
"""Lines of the answer for which the picture leaves room before there is one."""
TOP, TITLE = 14.0, 62.0
"""Distance from the upper edge, and height of the title of a presentation [px at scale 1]."""
NO_INPUT = imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.no_nav | imgui.WindowFlags_.always_auto_resize
HEAD = (EMPTY, _("outcome"), _("found"), _("expected"))


@dataclass
class OutcomeTable:
    """Whether the table of the outcomes is open."""

    is_open: bool = False


def draw(ui: Ui) -> None:
    """Draw the task at the upper left of the picture beside the tools, or above pictures side by side, in scenes that
    state outcomes of a task; in others the question of the preset, and the answer."""
    snapshot, area = ui.snapshot, ui.states[TaskArea]
    area.foot, area.below_legend, area.box, area.table = None, False, None, None
    scene = scenes().get(snapshot.run.scene)
    stated = bool(snapshot.results.outcomes) or (scene is not None and states_outcomes(scene))
    words = _sentences(ui, stated)
    above_pictures = bool(ui.beside.runs) and not ui.mode.presenting
    if not words or ui.mode.lecture.on or not above_pictures:
        area.rows = 0.0
    if not (words and ui.view.ui_visible) or ui.mode.lecture.on or ui.mode.overlay not in ("", PANEL.name):
        return
    left, above, right, _ = ui.window.inset
    above -= area.rows
    tools = ui.states[ToolArea]
    # Side by side the buttons are above the pictures, and only the settings of a tool are over the first one.
    left = max(left, tools.corner[0] if ui.beside.runs else tools.right)
    right += ui.window.band
    free = ui.window.size[0] - left - right
    width = free - 32.0 * ui.window.scale
    if not above_pictures:
        width = min(WIDTH * ui.window.scale, width)
    if ui.mode.presenting:  # the title is above the task, the main result beside it
        width = min(width, PRESENTED * free)
    if not (stated or above_pictures):  # beside the legend a question and an answer need none of the grains
        width = min(width, max(free - LEGEND * ui.window.scale, NARROWEST * ui.window.scale))
    high = high_scene(ui)
    if high is not None:
        width = min(width, high[0] - left - 2.0 * ASIDE * ui.window.scale)
    beside = ui.mode.presenting or above_pictures or high is not None or free - width >= LEGEND * ui.window.scale
    if beside and not above_pictures and len(snapshot.geometry.gravity) == 2 and snapshot.geometry.gravity[0] != 0.0:
        width = min(width, free - (LEGEND + PLUMB_LINE) * ui.window.scale)
    top = (
        above
        + (0.5 * TOP if above_pictures else TOP if beside else BELOW_LEGEND) * ui.window.scale
        + (TITLE * ui.window.scale if ui.mode.presenting else 0.0)
    )
    imgui.set_next_window_pos(imgui.ImVec2(left + 16.0 * ui.window.scale, top))
    imgui.set_next_window_size_constraints(imgui.ImVec2(0.0, 0.0), imgui.ImVec2(width, ui.window.size[1]))
    imgui.push_style_color(imgui.Col_.window_bg, vector(ui.palette.panel, 0.94))
    inputs = imgui.WindowFlags_.always_auto_resize if snapshot.results.outcomes else NO_INPUT
    imgui.begin("task", None, (OVER & ~imgui.WindowFlags_.no_background) | inputs)
    imgui.pop_style_color()
    for sentence, colour in words:
        write(ui, sentence, colour, width - 16.0 * ui.window.scale)
    if snapshot.results.outcomes:
        _draw_verdict(ui, snapshot.results.outcomes, width)
    low, size = imgui.get_window_pos(), imgui.get_window_size()
    area.box = low.x, low.y, low.x + size.x, low.y + size.y
    ui.probe.mark_area("task", area.box)
    # The picture has its place below the answer from the beginning: it would jump when the answer comes.
    awaited = 0 if stated or answer_words(snapshot) else LINES
    area.foot, area.below_legend = low.y + size.y + awaited * imgui.get_text_line_height_with_spacing(), not beside
    if above_pictures:  # over one of the pictures it would hide its grains
        area.rows = area.foot - above
    imgui.end()
    table = ui.states[OutcomeTable]
    table.is_open &= bool(snapshot.results.outcomes)
    if table.is_open:
        below = above + BELOW_LEGEND * ui.window.scale
        top = below if beside else max(below, area.foot)
        area.table = _draw_table(ui, top, right, min(width, free - 32.0 * ui.window.scale))
        area.foot = max(area.foot, area.table[3])


def states_outcomes(scene: Scene) -> bool:
    """Whether the scene states the outcomes of its task."""
    return scene.course.outcomes is not Course.outcomes


def _sentences(ui: Ui, stated: bool) -> list[tuple[Message, Colour]]:
    """The description of a task with `stated` outcomes, the question to the audience, and at the end the answer of the
    run, unless it stands beside the guess of the audience; each with its colour."""
    about, question = ui.work.preset_library.sentences(ui.snapshot.run.scene)
    told = answer_words(ui.snapshot) if guess_now(ui) is None else EMPTY
    every = ((about if stated else EMPTY, ui.palette.text), (question, ui.palette.accent), (told, ui.palette.good))
    return [(words, colour) for words, colour in every if words]


def _draw_verdict(ui: Ui, outcomes: tuple[Outcome, ...], width: float) -> None:
    """Draw the sentence, and a button that opens or closes the table."""
    holds, table = all(entry.holds for entry in outcomes), ui.states[OutcomeTable]
    colour = ui.palette.good if holds else ui.palette.bad
    write(ui, verdict(outcomes), colour, width - 16.0 * ui.window.scale)
    label = _("Hide the table") if table.is_open else _("Show the table")
    if button(
        ui, "task.table", label, help=_("Each stated outcome with the numbers of this run."), width=button_width(label)
    ):
        table.is_open = not table.is_open


def _draw_table(ui: Ui, top: float, right: float, width: float) -> tuple[float, float, float, float]:
    """Draw the table at the right of the picture, in a window of its own; returns its left, top, right, bottom [px]."""
    corner = imgui.ImVec2(ui.window.size[0] - right - 16.0 * ui.window.scale, top)
    imgui.set_next_window_pos(corner, pivot=imgui.ImVec2(1.0, 0.0))
    imgui.set_next_window_size_constraints(imgui.ImVec2(0.0, 0.0), imgui.ImVec2(width, ui.window.size[1]))
    imgui.push_style_color(imgui.Col_.window_bg, vector(ui.palette.panel, 0.92))
    imgui.begin("outcomes of the task", None, (OVER & ~imgui.WindowFlags_.no_background) | NO_INPUT)
    imgui.pop_style_color()
    # In the large letters of a presentation the table would cover the picture.
    imgui.push_font(None, (OUTCOMES if ui.mode.presenting else 1.0) * imgui.get_style().font_size_base)
    _draw_outcomes(ui, ui.snapshot.results.outcomes, width)
    imgui.pop_font()
    low, size = imgui.get_window_pos(), imgui.get_window_size()
    imgui.end()
    return low.x, low.y, low.x + size.x, low.y + size.y


def write(ui: Ui, words: Message, colour: Colour, right: float) -> None:
    """Draw words that are wrapped at `right` in the window [px]."""
    imgui.push_text_wrap_pos(right)
    imgui.text_colored(vector(colour), translated(words))
    ui.probe.mark("task.words")
    imgui.pop_text_wrap_pos()


def _draw_outcomes(ui: Ui, outcomes: tuple[Outcome, ...], width: float) -> None:
    """Draw a row for each outcome: whether it holds, its statement, the number of the run and the expected number."""
    sides = [max(text_width(word) for word in words) for words in _columns(outcomes)]
    gap = 2.0 * imgui.get_style().cell_padding.x + imgui.get_style().item_spacing.x
    sides[1:] = shared_widths(sides[1:], width - sides[0] - len(sides) * gap - 24.0 * ui.window.scale)
    if not imgui.begin_table("outcomes", len(HEAD), imgui.TableFlags_.sizing_fixed_fit):
        return
    for side in sides:
        imgui.table_setup_column("", imgui.TableColumnFlags_.width_fixed, side)
    for words in (HEAD, *_rows(outcomes)):
        imgui.table_next_row()
        for index, word in enumerate(words):
            imgui.table_next_column()
            colour = ui.palette.muted if words is HEAD else ui.palette.text
            if index == 0:
                colour = ui.palette.good if word == HOLDS else ui.palette.bad
            write(ui, word, colour, imgui.get_cursor_pos_x() + sides[index] + 1.0)
    imgui.end_table()


def shared_widths(needed: list[float], room: float) -> list[float]:
    """Widths [px] of statement, found and expected value in a row of the width `room`. If the row does not fit, the
    statement gets at least the fraction `STATEMENT` of it, and the text of the others wraps too."""
    statement, *others = needed
    statement = min(statement, max(room - sum(others), STATEMENT * room))
    spare = room - statement
    if sum(others) > spare:
        narrow = min(min(others), 0.5 * spare)
        others = [narrow if side == min(others) else spare - narrow for side in others]
    return [statement, *others]


def _rows(outcomes: tuple[Outcome, ...]) -> list[tuple[Message, ...]]:
    return [(HOLDS if entry.holds else FAILS, entry.statement, entry.found, entry.expected) for entry in outcomes]


def _columns(outcomes: tuple[Outcome, ...]) -> list[tuple[Message, ...]]:
    return list(zip(HEAD, *_rows(outcomes), strict=True))


PANEL = Panel("task", _("Task"), 55, "over", draw)
