"""The system's own dialog for choosing a file: one at a time, polled once per frame, whatever the window shows."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.sim.message import EMPTY, Joined, Message, _

log = logging.getLogger(__name__)

PROGRAMS = ("zenity", "kdialog", "qarma", "matedialog")
"""Programs that draw the dialog on Linux; one of them must be installed."""


@dataclass
class OpenDialog:
    """The open dialog; None if there is none."""

    dialog: Any = None
    act: Callable[[str], object] = lambda path: None
    """Gets the selected path."""


@cache
def why_none() -> Message:
    """Why this machine has no dialog, or an empty string."""
    if sys.platform.startswith("linux") and not any(map(shutil.which, PROGRAMS)):
        return Message(
            "No program for choosing files is installed ({join}): type the path.",
            join=Joined(tuple(PROGRAMS[:2]), " or "),
        )
    return EMPTY


def is_open(ui: Ui) -> bool:
    """Whether a dialog waits for its answer; another one cannot be opened."""
    return ui.states[OpenDialog].dialog is not None


def ask_to_open(
    ui: Ui, title: Message, folder: Path | None, kinds: Message, suffixes: tuple[str, ...], act: Callable[[str], object]
) -> None:
    """Open a dialog that begins in the folder; `act` gets the path of the selected file."""
    # With a separator at the end: without it, zenity shows the parent folder.
    begins = os.path.join(folder, "") if folder is not None else ""
    filters = [kinds, " ".join(f"*{suffix}" for suffix in suffixes)]
    _ask(ui, "open_file", (title, begins, filters), act)


def ask_to_save(ui: Ui, title: Message, path: str, kinds: Message, suffix: str, act: Callable[[str], object]) -> None:
    """Open a dialog for the name of a new file; the dialog asks before it returns the name of an existing file."""
    _ask(ui, "save_file", (title, path, [kinds, f"*{suffix}"]), act)


def take_answer(ui: Ui) -> None:
    """Pass the selected path on; a cancelled dialog does nothing. Call it once per frame."""
    shown = ui.states[OpenDialog]
    if shown.dialog is None or not shown.dialog.ready(0):
        return
    chosen, shown.dialog = shown.dialog.result(), None
    if chosen:
        shown.act(str(chosen if isinstance(chosen, str) else chosen[0]))


def dismiss(ui: Ui) -> None:
    """Close an open dialog, which would otherwise delay the end of the program."""
    dialog, ui.states[OpenDialog].dialog = ui.states[OpenDialog].dialog, None
    if dialog is not None and not dialog.ready(0):
        dialog.kill()


def _ask(ui: Ui, kind: str, asked: tuple[Any, ...], act: Callable[[str], object]) -> None:
    if is_open(ui):
        return
    try:
        from imgui_bundle import portable_file_dialogs

        shown = ui.states[OpenDialog]
        shown.dialog, shown.act = getattr(portable_file_dialogs, kind)(*asked), act
    except Exception:  # the desktop may raise anything; the path can still be typed
        log.warning("No file dialog could be opened.", exc_info=True)
        show_toast(ui, _("The system opens no dialog for choosing files: type the path."), bad=True)
