"""The row of a parameter that names a file: typed, chosen in the system's dialog, or dropped on the window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from imgui_bundle import imgui
from repose.app.render.text import text_width
from repose.app.ui import file_dialog
from repose.app.ui.questions import request
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, right_clicked, tooltip
from repose.sim.parameters import Parameter, unquoted

DIALOG = "file dialog"
"""Entry of `Ui.memory`: the open dialog and its parameter."""


def draw_path(ui: Ui, parameter: Parameter, help: str) -> None:
    """Label, path and a button that opens the dialog."""
    name, key = parameter.name, f"path.{parameter.name}"
    _take_answer(ui)
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(parameter.quantity.label)
    imgui.same_line()
    choose = text_width("Choose") + 2.0 * imgui.get_style().frame_padding.x
    imgui.set_next_item_width(-choose - imgui.get_style().item_spacing.x)
    flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.elide_left
    shown = str(ui.memory.get(key, ui.edits.value(name)))
    entered, text = imgui.input_text_with_hint("##path", parameter.empty, shown, flags)
    ui.probe.mark(f"field.{name}")
    tooltip(help)
    if imgui.is_item_active():
        ui.memory[key] = text
    else:
        ui.memory.pop(key, None)
    if right_clicked():
        request(ui, parameter, parameter.default)
    elif entered or imgui.is_item_deactivated_after_edit():
        request(ui, parameter, unquoted(text))
    imgui.same_line()
    missing = file_dialog.why_none()
    free = not missing and DIALOG not in ui.memory
    if button(ui, f"field.{name}.choose", "Choose", width=choose, enabled=free, help=missing or "Choose a file."):
        dialog = file_dialog.open_dialog(parameter.quantity.label, "Files", parameter.suffixes)
        if dialog is not None:
            ui.memory[DIALOG] = (name, dialog)


def take_dropped(ui: Ui, path: str) -> str:
    """Set the parameter that accepts such a file; returns why that is not possible, or an empty string."""
    suffix, shown = Path(path).suffix.lower(), Path(path).name
    parameters = ui.edits.parameters
    declared = type(parameters).declared().values() if parameters is not None else ()
    fitting: Any = next((entry for entry in declared if suffix in entry.suffixes), None)
    if fitting is None:
        taken = [suffix for entry in declared for suffix in entry.suffixes]
        if taken:
            return f"'{shown}' is not used: a file that ends in {', '.join(taken)} can be dropped here."
        return (
            f"'{shown}' is not used: this experiment takes no files. Shapes are for 'Your own shape' and the clump "
            "workshop (W)."
        )
    request(ui, fitting, path)
    return ui.edits.refusals.get(fitting.name, "")


def close_dialog(ui: Ui) -> None:
    """Close the dialog at the end of the program."""
    if DIALOG in ui.memory:
        file_dialog.dismiss(ui.memory.pop(DIALOG)[1])


def _take_answer(ui: Ui) -> None:
    name, dialog = ui.memory.get(DIALOG, ("", None))
    chosen = file_dialog.answer(dialog) if dialog is not None else None
    if chosen is None:
        return
    del ui.memory[DIALOG]
    if chosen and hasattr(ui.edits.parameters, name):
        ui.edits.set({name: chosen})
