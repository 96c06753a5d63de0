"""Share: the experiment as a QR code for an audience, as a code and as a command line; a code is opened here too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import heading, note, text_width
from repose.app.storage.paths import runs_folder
from repose.app.ui.keys import Key
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel
from repose.app.ui.panels.scenes import choose_preset
from repose.app.ui.qr_code import draw_qr
from repose.app.ui.sharing import code_or_refusal, copy_code, copy_command_line, write_qr
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button
from repose.sim.io import presets
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import message_of

SHARE = 0.6
"""Largest fraction of the width for the QR code [-]."""


@dataclass
class CodeEntry:
    """The code in the field."""

    text: str = ""


def draw(ui: Ui) -> None:
    """A window over the picture: the QR code at the left, the text at the right."""
    if ui.mode.overlay != PANEL.name:
        return
    size = begin_over_picture(ui, "share")
    if size is None:
        return
    code, refusal = code_or_refusal(ui)
    if code:
        room = imgui.get_content_region_avail()
        draw_qr(ui, "share.qr", code, min(room.y, SHARE * room.x))
        imgui.same_line(0.0, 18 * ui.window.scale)
    imgui.begin_child("text", imgui.ImVec2(0.0, 0.0), imgui.ChildFlags_.nav_flattened)
    _draw_text(ui, code, refusal)
    imgui.end_child()
    imgui.end()


def _draw_text(ui: Ui, code: str, refusal: Message) -> None:
    """Draw the shared code, buttons, and the field for another code."""
    close = text_width(_("Close  Esc")) + 3.0 * imgui.get_style().frame_padding.x
    heading(_("Share"), 1.35, ui.palette.text)
    imgui.same_line(imgui.get_content_region_avail().x - close)
    if button(ui, "share.close", _("Close"), hint=_("Esc"), width=close):
        ui.mode.overlay = ""
    if refusal:
        note(refusal, ui.palette.bad)
    else:
        note(
            _(
                "Scene, seed and present parameters. Anyone who opens the code in Repose gets the same run; with the "
                "same version it is equal bit for bit."
            ),
            ui.palette.muted,
        )
        _draw_code(code)
        if button(
            ui, "share.copy", _("Copy the code"), hint=_("Ctrl+Shift+C"), help=_("To paste it here on another machine.")
        ):
            copy_code(ui)
        words = _("A line for a terminal that runs the experiment without a window.")
        if button(ui, "share.command", _("Copy as command line"), hint=_("Ctrl+Shift+L"), help=words):
            copy_command_line(ui)
        if button(ui, "share.save", _("Save the QR code"), help=_("As PNG and SVG in the folder of the runs.")):
            writers = {f".{kind}": partial(write_qr, code, kind) for kind in ("png", "svg")}
            ui.work.run_saver.save_files(_("QR code"), runs_folder(), f"{ui.snapshot.run.scene}-code", writers)
    imgui.dummy(imgui.ImVec2(0.0, imgui.get_text_line_height()))
    imgui.text_disabled(translated(_("A code from somebody else")))
    _draw_field(ui)


def _draw_code(code: str) -> None:
    """Draw the code in lines as wide as the window; a code has no space at which a line could end."""
    room, line, width = imgui.get_content_region_avail().x, "", 0.0
    for letter in code:
        width += text_width(letter)
        if width > room:
            imgui.text_unformatted(line)
            line, width = "", text_width(letter)
        line += letter
    imgui.text_unformatted(line)


def _draw_field(ui: Ui) -> None:
    width = text_width(_("Open")) + 4.0 * imgui.get_style().frame_padding.x
    imgui.set_next_item_width(-width - imgui.get_style().item_spacing.x)
    flags = imgui.InputTextFlags_.enter_returns_true
    entry = ui.states[CodeEntry]
    entered, entry.text = imgui.input_text_with_hint(
        "##code", translated(_("paste it here: repose1-...")), entry.text, flags
    )
    ui.probe.mark("share.typed")
    imgui.same_line()
    if button(ui, "share.open", _("Open"), width=width, help=_("Start this experiment.")) or entered:
        open_code(ui, entry.text)


def open_code(ui: Ui, typed: str) -> None:
    """Start the experiment of a code in place of the run in the window."""
    code = "".join(typed.split())
    try:
        if not code:
            raise ParameterError(_("Paste a code first; it begins with repose1- or repose2-."))
        ui.work.preset_library.cards[code] = presets.card_of(code)
    except ParameterError as error:
        show_toast(ui, message_of(error), bad=True)
        return
    ui.mode.overlay, ui.states[CodeEntry].text = "", ""
    choose_preset(ui, code)


def toggle(ui: Ui) -> None:
    """Open the panel, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name


KEYS = (
    Key(
        "share",
        _("Ctrl+Shift+S"),
        _("share: QR code, code"),
        _("File"),
        toggle,
        codes=(pygame.K_s,),
        ctrl=True,
        shift=True,
    ),
    Key(
        "copy_code",
        _("Ctrl+Shift+C"),
        _("copy the code"),
        _("File"),
        copy_code,
        codes=(pygame.K_c,),
        ctrl=True,
        shift=True,
    ),
    Key(
        "copy_command_line",
        _("Ctrl+Shift+L"),
        _("copy as command line"),
        _("File"),
        copy_command_line,
        codes=(pygame.K_l,),
        ctrl=True,
        shift=True,
    ),
)
PANEL = Panel("share", _("Share"), 72, "over", draw, keys=KEYS)
