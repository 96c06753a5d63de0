"""Experiment: preset, seed, and the readings of the scene and the packing."""

from __future__ import annotations

from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import SMALL, draw_text, heading, shortened, text_width
from repose.app.render.theme import vector
from repose.app.ui.main_result import Headline, headline, in_words
from repose.app.ui.panels import Panel
from repose.app.ui.panels.scenes import choose_preset
from repose.app.ui.places import is_low
from repose.app.ui.repeat_card import draw_repeated, draw_repeats, repeats_width
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import MIDDLE_SIZE, SMALLEST_SIZE, button, choose, row, tooltip
from repose.sim.experiment.snapshot import placed_in
from repose.sim.message import EMPTY, Message, _, joined, plain
from repose.sim.numbers import read_whole
from repose.sim.parameters import ParameterError, checked_seed
from repose.sim.wording import message_of

CARD, LOW_CARD = 138.0, 54.0
"""Height of the readings, which scroll, and of the main result alone [px at scale 1]."""
NOTHING = Headline("", plain("–"), EMPTY, _("no values yet"))
"""Headline before the main result is known."""
SMALL_TITLE = SMALLEST_SIZE
"""Size down to which the title of a preset is written smaller before the button beside it has only its key [-]."""
LARGE = 1.9
"""Size of the main result relative to running text [-]."""
BESIDE = (MIDDLE_SIZE, SMALL, SMALLEST_SIZE, 0.64, 0.58)
"""Sizes of error and name beside the main result, the first that fits, relative to running text, unless `LEAST_TEXT` is
larger [-]."""
METHODS = {
    "line": _("least-squares line"),
    "robust": _("Theil-Sen line"),
    "height_over_base": _("height over base"),
    "sectors": _("lines in sectors"),
    "flank": _("radius over height"),
}


def draw(ui: Ui) -> None:
    """Preset and seed, the readings."""
    _draw_start(ui)
    if ui.settings.choices.expert:  # otherwise with all parameters
        draw_seed(ui)
    _draw_card(ui)


def _draw_start(ui: Ui) -> None:
    """Draw the list of presets and the button of the scenes, which has no key beside a very long title, and in enlarged
    letters only its key if the title is then whole."""
    gap, library = imgui.get_style().item_spacing.x, ui.work.preset_library
    width, pad = imgui.get_content_region_avail().x, imgui.get_style().frame_padding.x
    # An opened run has no preset: it has the title of its scene.
    shown = library.titles.get(library.current) or library.title(ui.snapshot.run.scene)
    title = text_width(shown, SMALL_TITLE) + imgui.get_frame_height() + 2.0 * pad
    label = _("Scenes")
    hint, pictures = "S", text_width(_("Scenes  S")) + 3.0 * pad
    if title > width - pictures - gap:
        hint, pictures = "", text_width(label) + 2.0 * pad
    key = text_width("S") + 3.0 * pad
    if width - pictures - gap < title <= width - key - gap and ui.window.scale > 1.0:
        label, hint, pictures = plain("S"), "", key
    size = imgui.ImVec2(width - pictures - gap, imgui.get_frame_height())
    imgui.begin_child("preset", size, imgui.ChildFlags_.nav_flattened)
    chosen = choose(ui, "experiment.preset", EMPTY, library.titles, library.current, shown, shown)
    imgui.end_child()
    if chosen is not None:
        choose_preset(ui, chosen)
    imgui.same_line()
    if button(ui, "experiment.scenes", label, hint=hint, width=pictures, help=_("Choose a scene from pictures.")):
        ui.control.actions["scenes"]()


LEAST_SEED = 2.0
"""Least width of the field of the seed beside both buttons [font sizes]."""


@dataclass
class SeedEntry:
    """The field of the seed."""

    text: str | None = None
    """The seed typed so far; None while nobody types."""


def draw_seed(ui: Ui) -> None:
    """Draw the field of the seed, and buttons for the next seed and for repeated runs, below them without room."""
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(translated(_("Seed")))
    imgui.same_line()
    pad, gap = imgui.get_style().frame_padding.x, imgui.get_style().item_spacing.x
    new, repeats = text_width(_("New")) + 2 * pad, repeats_width()
    room = imgui.get_content_region_avail().x - new - gap
    beside = room - repeats - gap >= LEAST_SEED * imgui.get_font_size()
    imgui.set_next_item_width(room - repeats - gap if beside else room)
    entry = ui.states[SeedEntry]
    text = entry.text if entry.text is not None else str(ui.snapshot.run.seed)
    entered, text = imgui.input_text("##seed", text, imgui.InputTextFlags_.enter_returns_true)
    ui.probe.mark("experiment.seed")
    tooltip(
        ui,
        _(
            "Determines radii and positions of the grains: the same seed gives the same run, bit for bit. Enter "
            "restarts."
        ),
    )
    entry.text = text if imgui.is_item_active() else None
    if entered:
        _start_with(ui, text)
    imgui.same_line()
    if button(ui, "experiment.new_seed", _("New"), width=new, help=_("Restart with the next seed.")):
        _start_with(ui, str(ui.snapshot.run.seed + 1))
    draw_repeats(ui, repeats if beside else imgui.get_content_region_avail().x, beside)


def _start_with(ui: Ui, text: str) -> None:
    """Restart the experiment with the seed in `text`, or show why it is refused."""
    parameters = ui.control.edits.parameters
    if parameters is None:
        return
    try:
        seed = checked_seed(read_whole(text))
    except (ParameterError, ValueError) as error:
        ui.work.preset_library.trouble = message_of(error)
        return
    ui.work.preset_library.trouble = EMPTY
    ui.work.preset_library.restart(ui.snapshot.run, parameters, seed, placed_in(ui.snapshot))


def _draw_card(ui: Ui) -> None:
    """The readings in a card of fixed height, so that nothing below it moves when the number of rows changes.

    In a low column the card has the main result only, and a tab all others.
    """
    imgui.push_style_color(imgui.Col_.child_bg, vector(ui.palette.raised, 0.45))
    size = imgui.ImVec2(0.0, (LOW_CARD if is_low(ui) else CARD) * ui.window.scale)
    imgui.begin_child("readings", size, imgui.ChildFlags_.always_use_window_padding | imgui.ChildFlags_.nav_flattened)
    imgui.pop_style_color()
    _draw_headline(ui, headline(ui.snapshot) or NOTHING)
    if not is_low(ui):
        draw_readings(ui)
    imgui.end_child()
    ui.probe.mark("experiment.card")


def draw_readings(ui: Ui) -> None:
    """Draw the mean over repeated runs, all readings except the main result, and the method of the angle."""
    draw_repeated(ui)
    large = headline(ui.snapshot) or NOTHING
    for reading in (*ui.snapshot.results.readings, *ui.snapshot.results.bulk_readings):
        if reading.name == large.name:
            continue
        row(reading.whole_label, in_words(reading), ui, ui.palette.muted if reading.outdated else None)
        words = (
            Message("± is the standard error ({error_of}).", error_of=reading.error_of)
            if reading.error_of and reading.error is not None
            else EMPTY
        )
        if reading.help or words:
            tooltip(ui, joined([part for part in (reading.help, words) if part], " "))
    measured = ui.snapshot.results.slope
    if measured is not None:
        row(measured.label_of_method, METHODS[measured.method], ui)
        row(_("surface grains used"), plain(len(measured.used_ids)), ui)


def halves(text: str) -> tuple[str, str]:
    """The text in two lines, divided at the space next to its middle."""
    spaces = [index for index, letter in enumerate(text) if letter == " "]
    middle = min(spaces, key=lambda index: abs(2 * index - len(text)), default=len(text))
    return text[:middle], text[middle:].strip()


def _draw_headline(ui: Ui, shown: Headline) -> None:
    """Draw the main result in large letters; a dash before it is known."""
    top, ink = imgui.get_cursor_pos_y(), ui.palette.muted if shown.outdated else ui.palette.text
    heading(shown.value, LARGE, ink)
    ui.probe.mark("experiment.angle" if ui.snapshot.results.slope is not None else "experiment.headline")
    low, high = imgui.get_item_rect_max(), imgui.get_font_size()
    room = imgui.get_window_pos().x + imgui.get_window_width() - imgui.get_style().window_padding.x
    x, y = low.x + 8 * ui.window.scale, low.y - LARGE * high * 1.06
    label = translated(shown.whole_label)  # before it is divided: a half is no sentence
    lines: list[tuple[Message | str, tuple[float, float, float, float]]] = [
        (shown.error, ink),
        (label, ui.palette.muted),
    ]
    if not shown.error and x + text_width(label, BESIDE[0]) > room:
        lines = [(half, ui.palette.muted) for half in halves(label)]
    for text, colour in lines:
        size = next((size for size in BESIDE if x + text_width(text, size) <= room), BESIDE[-1])
        if text:
            draw_text(x, y, shortened(text, room - x, size), colour, size)
        y += high * 1.05
    if ui.snapshot.results.slope is not None:
        tooltip(ui, _("Standard error from the scatter of surface grains about the fitted line. Seeds scatter more."))
    imgui.set_cursor_pos_y(top + LARGE * high * 1.25)
    imgui.dummy(imgui.ImVec2(0.0, 0.0))


PANEL = Panel("experiment", _("Experiment"), 10, "column", draw)
