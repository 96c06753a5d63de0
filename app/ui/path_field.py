"""The row of a parameter that names a file: typed, or chosen in the system's dialog."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import text_width
from repose.app.ui import file_dialog
from repose.app.ui.edits import Edits
from repose.app.ui.questions import request
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, right_clicked, tooltip
from repose.sim.message import Message, _
from repose.sim.parameters import Parameter, unquoted


@dataclass
class TypedPaths:
    """The path that is being typed, by the name of its parameter."""

    texts: dict[str, str] = field(default_factory=dict)


def draw_path(ui: Ui, parameter: Parameter, page: Message) -> None:
    """Label, path and a button that opens the dialog; F1 shows the `page`."""
    name, texts = parameter.name, ui.states[TypedPaths].texts
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(parameter.quantity.label))
    imgui.same_line()
    choose = text_width(_("Choose")) + 2.0 * imgui.get_style().frame_padding.x
    imgui.set_next_item_width(-choose - imgui.get_style().item_spacing.x)
    flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.elide_left
    shown = texts.get(name, str(ui.control.edits.value(name)))
    missing = file_dialog.why_none()
    hint = _("type a path") if missing else parameter.empty
    entered, text = imgui.input_text_with_hint("##path", translated(hint), shown, flags)
    ui.probe.mark(f"field.{name}")
    tooltip(ui, parameter.help or page, page)
    if imgui.is_item_active():
        texts[name] = text
    else:
        texts.pop(name, None)
    if right_clicked():
        request(ui, parameter, parameter.default)
    elif entered or imgui.is_item_deactivated_after_edit():
        request(ui, parameter, unquoted(text))
    imgui.same_line()
    free = not missing and not file_dialog.is_open(ui)
    if button(ui, f"field.{name}.choose", _("Choose"), width=choose, enabled=free, help=missing or _("Choose a file.")):
        folder = Path(shown).parent if shown else None
        use = partial(_take_chosen, ui.control.edits, name)
        file_dialog.ask_to_open(ui, parameter.quantity.label, folder, _("Files"), parameter.suffixes, use)


def _take_chosen(edits: Edits, name: str, path: str) -> None:
    """Set the parameter, unless another scene without it has begun meanwhile."""
    if hasattr(edits.parameters, name):
        edits.set({name: path})
