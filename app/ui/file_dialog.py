"""The system's own dialog for choosing a file, polled once per frame."""

from __future__ import annotations

import logging
import shutil
import sys
from functools import cache
from typing import Any

log = logging.getLogger(__name__)

PROGRAMS = ("zenity", "kdialog", "qarma", "matedialog")
"""Programs that draw the dialog on Linux; one of them must be installed."""


@cache
def why_none() -> str:
    """Why this machine has no dialog, or an empty string."""
    if sys.platform.startswith("linux") and not any(map(shutil.which, PROGRAMS)):
        return f"No program for choosing files is installed ({' or '.join(PROGRAMS[:2])}): type the path."
    return ""


def open_dialog(title: str, kinds: str, suffixes: tuple[str, ...]) -> Any:
    """An open dialog, or None if none could be opened."""
    try:
        from imgui_bundle import portable_file_dialogs

        return portable_file_dialogs.open_file(title, "", [kinds, " ".join(f"*{suffix}" for suffix in suffixes)])
    except Exception:  # the desktop may raise anything; the path can still be typed
        log.warning("No file dialog could be opened.", exc_info=True)
        return None


def save_dialog(title: str, path: str, kinds: str, suffix: str) -> Any:
    """An open dialog for the name of a new file, or None if none could be opened; it asks before it returns the name of
    an existing one."""
    try:
        from imgui_bundle import portable_file_dialogs

        return portable_file_dialogs.save_file(title, path, [kinds, f"*{suffix}"])
    except Exception:  # the desktop may raise anything; the path can still be typed
        log.warning("No file dialog could be opened.", exc_info=True)
        return None


def answer(dialog: Any) -> str | None:
    """The selected path, empty if the dialog was cancelled; None while the dialog is open."""
    if not dialog.ready(0):
        return None
    chosen = dialog.result()
    return str(chosen if isinstance(chosen, str) else chosen[0]) if chosen else ""


def dismiss(dialog: Any) -> None:
    """Close an open dialog, which would otherwise delay the end of the program."""
    if not dialog.ready(0):
        dialog.kill()
