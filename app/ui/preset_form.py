"""The form that saves the parameters in effect as a preset."""

from __future__ import annotations

from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button
from repose.sim.experiment.snapshot import placed_in
from repose.sim.message import _

WIDTH = 220.0
"""Width of the form [px at scale 1]."""
FORM = "save preset"


@dataclass
class PresetForm:
    """What is typed into the form."""

    name: str = ""


def draw_preset_button(ui: Ui, width: float = -1.0) -> None:
    """The button that opens the form, and the form."""
    help = _("Save the parameters in effect as a preset, which then appears among the scenes.")
    if button(ui, "experiment.save", _("Save preset…"), width=width, help=help):
        ui.states[PresetForm].name = ""
        imgui.open_popup(FORM)
    _draw_form(ui)


def _draw_form(ui: Ui) -> None:
    if not imgui.begin_popup(FORM):
        return
    imgui.text_unformatted(translated(_("Name of the preset")))
    if imgui.is_window_appearing():
        imgui.set_keyboard_focus_here()
    imgui.set_next_item_width(WIDTH * ui.window.scale)
    flags = imgui.InputTextFlags_.enter_returns_true
    form = ui.states[PresetForm]
    entered, form.name = imgui.input_text("##name", form.name, flags)
    ui.probe.mark("experiment.save.name")
    entered |= button(ui, "experiment.save.now", _("Save"), width=WIDTH * ui.window.scale)
    parameters = ui.control.edits.parameters
    if entered and parameters is not None:
        ui.work.preset_library.save(
            form.name, ui.snapshot.run.scene, parameters, ui.snapshot.run.seed, placed_in(ui.snapshot)
        )
        imgui.close_current_popup()
    imgui.end_popup()
