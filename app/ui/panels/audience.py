"""Phones: the address at which the audience answers, as a QR code and in words; the remote of the lecturer."""

from __future__ import annotations

from dataclasses import dataclass

import pygame
from imgui_bundle import imgui
from repose.app.audience.interfaces import addresses
from repose.app.audience.secret import in_groups
from repose.app.audience.server import Server
from repose.app.render.text import heading, note, text_width
from repose.app.ui.keys import Key
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel
from repose.app.ui.phones import (
    Audience,
    ask_to_delete,
    choose_address,
    export,
    is_loopback,
    new_remote,
    present,
    show,
    switch_off,
    switch_on,
)
from repose.app.ui.qr_code import draw_qr
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose
from repose.sim.message import EMPTY, Message, _, plain, plural

SHARE = 0.5
"""Largest fraction of the width for the QR code [-]."""
AUTOMATIC = ""
"""Choice of the interface with the default route."""


@dataclass
class ShownCode:
    """Whose code the panel shows."""

    of_remote: bool = False
    addresses: tuple[str, ...] = ()
    """Addresses of this machine when the panel was opened."""


def draw(ui: Ui) -> None:
    """A window over the picture: the QR code at the left, counts and buttons at the right."""
    shown = ui.states[ShownCode]
    if ui.mode.overlay != PANEL.name:
        shown.of_remote, shown.addresses = False, ()
        return
    if begin_over_picture(ui, "audience") is None:
        return
    shown.addresses = shown.addresses or addresses()
    server, exchange = ui.states[Audience].server, ui.states[Audience].exchange
    shown.of_remote &= server is not None and not exchange.remotes  # what the audience sees is not shown for long
    if server is not None:
        room = imgui.get_content_region_avail()
        code = server.lecturer if shown.of_remote else server.audience
        draw_qr(ui, "audience.qr", f"http://{server.host}/{code}", min(room.y, SHARE * room.x))
        imgui.same_line(0.0, 18 * ui.window.scale)
    imgui.begin_child("text", imgui.ImVec2(0.0, 0.0), imgui.ChildFlags_.nav_flattened)
    _draw_head(ui)
    if server is None:
        _draw_off(ui)
    else:
        _draw_on(ui, server)
    imgui.end_child()
    imgui.end()


def _draw_head(ui: Ui) -> None:
    close = text_width(_("Close  Esc")) + 3.0 * imgui.get_style().frame_padding.x
    heading(_("Phones"), 1.35, ui.palette.text)
    imgui.same_line(max(imgui.get_content_region_avail().x - close, 0.0))
    if button(ui, "audience.close", _("Close"), hint=_("Esc"), width=close):
        ui.mode.overlay = ""


def _draw_off(ui: Ui) -> None:
    note(
        _(
            "Phones on the same network open a page with the question and send a guess; you see them as a histogram. "
            "Nothing is sent outside, and no name is asked for. The lecturer's own phone can be a remote."
        ),
        ui.palette.muted,
    )
    _draw_address(ui)
    if button(
        ui,
        "audience.on",
        _("Switch on"),
        emphasis=ui.palette.accent,
        help=_("Open the page for phones on this network, until you switch it off or close the window."),
    ):
        switch_on(ui)
    if ui.states[Audience].trouble:
        note(ui.states[Audience].trouble, ui.palette.bad)
    _draw_answers(ui)


def _draw_address(ui: Ui) -> None:
    options = {AUTOMATIC: _("automatic"), **{address: plain(address) for address in ui.states[ShownCode].addresses}}
    help = _("The network that the phones are in. Automatic: the one through which this machine reaches others.")
    chosen = choose(
        ui,
        "audience.address",
        _("Network"),
        options,
        ui.states[Audience].address,
        help,
        plain(ui.states[Audience].address),
    )
    if chosen is not None and chosen != ui.states[Audience].address:
        choose_address(ui, chosen)


def _draw_on(ui: Ui, server: Server) -> None:
    audience, shown = ui.states[Audience], ui.states[ShownCode]
    if shown.of_remote:
        note(_("Only for you: the first device that opens this page is the remote."), ui.palette.warning)
    else:
        note(_("Scan the code, or open this address and type the code:"), ui.palette.muted)
    heading(plain(server.host), 1.8, ui.palette.accent)
    heading(plain(in_groups(server.lecturer if shown.of_remote else server.audience)), 1.2, ui.palette.text)
    if is_loopback(audience):
        note(_("Only this machine reaches this address. Choose another network for phones."), ui.palette.warning)
    note(counts(ui), ui.palette.text)
    _draw_answers(ui)
    _draw_remote(ui)
    _draw_address(ui)
    if button(ui, "audience.off", _("Switch off"), help=_("Close all connections. The answers stay.")):
        switch_off(ui)


def counts(ui: Ui) -> Message:
    """How many phones show the page, and how many have answered the present question."""
    latest, connected = present(ui), ui.states[Audience].exchange.connected
    phones = plural("{count} phone is connected", "{count} phones are connected", count=connected)
    if latest is None:
        return Message("{phones}; nothing is asked now.", phones=phones)
    answers = plural("{count} answer", "{count} answers", count=len(latest.values))
    return Message("{phones}, {answers}.", phones=phones, answers=answers)


def _draw_answers(ui: Ui) -> None:
    """Show, export and delete the answers of the session."""
    audience, latest = ui.states[Audience], present(ui)
    if latest is not None and latest.values:
        draw_show(ui, "audience.show")
    if not any(entry.values for entry in audience.rounds):
        return
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    help = _("As CSV in the folder of the runs: every answer of this session, without names or addresses.")
    if button(ui, "audience.export", _("Export answers"), width=half, help=help):
        export(ui)
    imgui.same_line()
    if button(ui, "audience.delete", _("Delete answers…"), width=half, help=_("Delete all answers of this session.")):
        ask_to_delete(ui)
    saver = ui.work.run_saver
    for words, colour in ((saver.message, ui.palette.muted), (saver.trouble, ui.palette.bad)):
        if words:
            note(words, colour)


def draw_show(ui: Ui, name: str, width: float = -1.0) -> None:
    """The button that shows the answers as a histogram, or hides them."""
    shown = ui.states[Audience].shown
    label = _("Hide answers") if shown else _("Show answers")
    help = _("The histogram of the answers, beside the guess, with the result once there is one.")
    if button(ui, name, label, width=width, emphasis=None if shown else ui.palette.accent, help=help):
        show(ui, not shown)


def _draw_remote(ui: Ui) -> None:
    shown, remotes = ui.states[ShownCode], ui.states[Audience].exchange.remotes
    if remotes:
        note(_("The remote is connected."), ui.palette.good)
    label = _("Code of the audience") if shown.of_remote else _("Code of the remote")
    help = _("A new code for your own phone or second computer. A remote that is connected ends.")
    if button(ui, "audience.remote", label, help=EMPTY if shown.of_remote else help):
        shown.of_remote = not shown.of_remote
        if shown.of_remote:
            new_remote(ui)


def toggle(ui: Ui) -> None:
    """Open the panel, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name


def toggle_answers(ui: Ui) -> None:
    """Show the answers of the audience, or hide them."""
    show(ui, not ui.states[Audience].shown)


def _has_answers(ui: Ui) -> bool:
    latest = present(ui)
    return latest is not None and bool(latest.values)


KEYS = (
    Key(
        "audience",
        _("Ctrl+Shift+A"),
        _("phones: guesses of the audience, remote"),
        _("Lecture"),
        toggle,
        codes=(pygame.K_a,),
        ctrl=True,
        shift=True,
    ),
    Key(
        "show_answers",
        _("Ctrl+Shift+H"),
        _("show or hide the answers of the phones"),
        _("Lecture"),
        toggle_answers,
        codes=(pygame.K_h,),
        ctrl=True,
        shift=True,
        when=_has_answers,
    ),
)
PANEL = Panel("audience", _("Phones"), 73, "over", draw, keys=KEYS)
