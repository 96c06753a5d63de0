"""File: save and open whole runs, export grains; keys that seek in the history of the run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.director import FilmStyle
from repose.app.render.text import note
from repose.app.storage.paths import runs_folder
from repose.app.storage.run_saver import free_name
from repose.app.ui import file_dialog, rewind
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.preset_form import draw_preset_button
from repose.app.ui.questions import ask, replace_run
from repose.app.ui.ui import Ui
from repose.app.ui.whole_film import ONE_RUN
from repose.app.ui.widgets import button, button_width, row, tooltip
from repose.sim.io.archive import SUFFIX
from repose.sim.message import EMPTY, Message, _, plain
from repose.sim.parameters import unquoted
from repose.sim.wording import reason_of

EXPORTS = {
    ".csv": (
        plain("CSV"),
        _("A table as text, one row per grain, SI units in its head; 17 digits give the same bits back."),
    ),
    ".vtp": (plain("VTP"), _("Points with velocities and forces, for ParaView.")),
    ".vtk": (plain("VTK"), _("The same for programs that read the older format of VTK.")),
    ".lammpstrj": (_("Dump"), _("A dump as LAMMPS writes it, for OVITO and LAMMPS.")),
    ".xyz": (plain("XYZ"), _("Extended XYZ, for OVITO, ASE and others.")),
    ".h5": (plain("HDF5"), _("HDF5 in the layout H5MD, with contacts and measurements; needs the package h5py.")),
    ".svg": (plain("SVG"), _("A vector graphic of grains and contact forces, for papers; parameters and seed inside.")),
    ".npz": (plain("NPZ"), _("Every table of the state, for numpy.load.")),
    ".graphml": (
        plain("GraphML"),
        _("The contact network, for NetworkX and Gephi: grains and forces."),
    ),
}
"""Kinds of file the grains are written to for other programs: name and help; those of `repose.sim.io.export`, whose
import takes long."""
EXPORTS_IN_A_ROW = 3


def draw(ui: Ui) -> None:
    """File path, buttons, result of the last action."""
    _draw_file(ui)


def _draw_file(ui: Ui) -> None:
    saver = ui.work.run_saver
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(translated(_("Run")))
    imgui.same_line()
    imgui.set_next_item_width(-1)
    typed = imgui.input_text_with_hint(
        "##run", translated(Message("path of a file{suffix}", suffix=SUFFIX)), saver.path
    )
    saver.path = typed[1]
    ui.probe.mark("runs.path")
    tooltip(
        ui,
        _(
            "One file holds grains, contacts, plots, parameters and the log. A run opened from it continues bit for "
            "bit."
        ),
    )
    _draw_buttons(ui)
    _draw_sharing(ui)
    _draw_export(ui)
    row(_("Restore points in memory"), rewind.memory(ui), ui)
    tooltip(
        ui,
        _(
            "The run returns to these states at once; steps between them are computed again. When the memory is "
            "full, older ones become fewer."
        ),
    )
    if saver.message:
        note(saver.message, ui.palette.muted)
    if saver.trouble:
        note(saver.trouble, ui.palette.bad)


def _draw_buttons(ui: Ui) -> None:
    """Draw buttons to save and to open, with the dialog of the system if it has one, and for recent runs."""
    half = _half()
    missing = file_dialog.why_none()
    if button(ui, "runs.save", _("Save"), hint=_("Ctrl+S"), width=half):
        save_run(ui)
    imgui.same_line()
    if button(ui, "runs.open", _("Open") if missing else _("Open…"), hint=_("Ctrl+O"), width=half):
        open_run(ui)
    free = not missing and not file_dialog.is_open(ui)
    if button(
        ui, "runs.save_as", _("Save as…"), width=half, enabled=free, help=missing or _("Choose folder and name.")
    ):
        path = ui.work.run_saver.path.strip() or str(free_name(runs_folder(), ui.snapshot.run.scene))
        save = partial(ui.work.run_saver.save, asked=True)
        file_dialog.ask_to_save(ui, _("Save the run"), path, _("Runs"), SUFFIX, save)
    imgui.same_line()
    if button(ui, "runs.recent", _("Recent runs"), width=half, help=_("Saved runs with their pictures.")):
        ui.control.actions["recent_runs"]()


def _half() -> float:
    return float(imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2


def _draw_export(ui: Ui) -> None:
    """One button per file type; each writes to a free name in the folder of the runs."""
    imgui.align_text_to_frame_padding()
    imgui.text_disabled(translated(_("Export grains")))
    tooltip(
        ui, _("The grains as they are now. The command `repose export --every` writes a run over time, with contacts.")
    )
    spacing = imgui.get_style().item_spacing.x
    width = (imgui.get_content_region_avail().x - (EXPORTS_IN_A_ROW - 1) * spacing) / EXPORTS_IN_A_ROW
    for index, (suffix, (label, help)) in enumerate(EXPORTS.items()):
        if index % EXPORTS_IN_A_ROW:
            imgui.same_line()
        if button(ui, f"runs.export{suffix}", label, width=width, help=help):
            ui.work.run_saver.export(free_name(runs_folder(), ui.snapshot.run.scene, suffix))


def _draw_sharing(ui: Ui) -> None:
    """Buttons for what others get: a preset, a code, a page, the phones; above the exports, which fewer people need."""
    half = _half()
    draw_preset_button(ui, half)
    imgui.same_line()
    if button(
        ui,
        "runs.share",
        _("Share…"),
        hint=_("Ctrl+Shift+S"),
        help=_("A QR code, a code and a command line of this run."),
    ):
        ui.control.actions["share"]()
    phones, key = _("Phones…"), _("Ctrl+Shift+A")
    fit = max(button_width(_page_label(ui)), button_width(phones, key)) <= half
    _draw_page(ui, half if fit else -1.0)
    if fit:
        imgui.same_line()
    if button(
        ui,
        "runs.phones",
        phones,
        hint=key,
        help=_("Guesses of the audience by phone, and a remote."),
    ):
        ui.control.actions["audience"]()
    _draw_page_progress(ui)


def _page_label(ui: Ui) -> Message:
    return _("End this page") if ui.work.page.running else _("Page for browsers")


def _draw_page(ui: Ui, width: float) -> None:
    """The button that writes the whole run as one page, or ends this work."""
    page, several = ui.work.page, bool(ui.beside.runs)
    help = _(
        "The whole run from its beginning in one file that plays in any browser: with time, colours, force chains, "
        "readings, plots and parameters, in six languages, without a network. Another process computes the run again."
    )
    free = not several or page.running
    if button(ui, "runs.page", _page_label(ui), enabled=free, width=width, help=ONE_RUN if several else help):
        write_page(ui)


def _draw_page_progress(ui: Ui) -> None:
    page = ui.work.page
    if page.share is not None:
        imgui.progress_bar(page.share, imgui.ImVec2(-1.0, 0.0))
        ui.probe.mark("runs.page_progress")
    if page.message:
        note(page.message, ui.palette.muted)
    if page.trouble:
        note(page.trouble, ui.palette.bad)


def write_page(ui: Ui) -> None:
    """Write the whole run as one page to a free name in the folder of the runs, or end this work."""
    page, scene = ui.work.page, ui.snapshot.run.scene
    if page.running:
        page.stop()
        return
    try:
        runs_folder().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        page.message = EMPTY
        page.trouble = Message("{path} could not be written: {error}.", path=str(runs_folder()), error=reason_of(error))
        return
    style = FilmStyle(ui.work.film.size, ui.work.film.rate, ui.view, title=ui.work.preset_library.title(scene))
    page.begin(free_name(runs_folder(), scene, ".html"), style)


def save_run(ui: Ui) -> None:
    """Save to the typed or opened path; without a path to a new file in the folder of the runs.

    A file that this window has not written is replaced only after a question.
    """
    saver = ui.work.run_saver
    saver.save(saver.path.strip() or str(free_name(runs_folder(), ui.snapshot.run.scene)))
    if saver.confirm:
        path, saver.confirm = saver.confirm, ""
        text = Message("{name} exists already. Saving replaces it.", name=Path(path).name)
        ask(ui, text, _("Replace"), partial(saver.save, path, asked=True))


def open_run(ui: Ui) -> None:
    """Open the run that the user chooses in the dialog of the system; without a dialog, the run at the typed path."""
    if file_dialog.why_none():
        open_file(ui, ui.work.run_saver.path)
        return
    typed = unquoted(ui.work.run_saver.path)
    folder = Path(typed).expanduser().parent if typed else runs_folder()
    file_dialog.ask_to_open(ui, _("Open a run"), folder, _("Runs"), (SUFFIX,), partial(open_file, ui))


def open_file(ui: Ui, path: str) -> None:
    """Open a run, which replaces the run in the window; without such a file, say so without a question."""
    if not ui.work.run_saver.is_file(path):
        ui.work.run_saver.open(path)  # reports what is missing
        return
    replace_run(
        ui, Message("Open {name}?", name=Path(unquoted(path)).name), _("Open"), partial(ui.work.run_saver.open, path)
    )


KEYS = (
    Key("step_back", plain(","), _("one time step back"), _("Time"), rewind.step_back, characters=","),
    Key(
        "earlier", _("Page Up"), _("to the previous restore point"), _("Time"), rewind.earlier, codes=(pygame.K_PAGEUP,)
    ),
    Key("later", _("Page Down"), _("to the next restore point"), _("Time"), rewind.later, codes=(pygame.K_PAGEDOWN,)),
    Key("save_run", _("Ctrl+S"), _("save the run"), _("File"), save_run, codes=(pygame.K_s,), ctrl=True),
    Key("open_run", _("Ctrl+O"), _("open a run"), _("File"), open_run, codes=(pygame.K_o,), ctrl=True),
)
PANEL = Panel("runs", _("File"), 45, "tools", draw, keys=KEYS)
