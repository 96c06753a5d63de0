"""Output of the commands (refusals as one sentence, rows as a table) and parsers of option values."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from repose.app.errors import RecorderError, WindowError
from repose.app.progress import print_line
from repose.app.signals import CAUGHT, stop_at_once
from repose.sim.numbers import read_number, read_whole
from repose.sim.parameters import ParameterError, about_comma
from repose.sim.wording import printable, short, value_text

REFUSED = 2
"""Exit code for input that is refused."""
REFUSALS = (ParameterError, RecorderError, WindowError)
"""Errors whose sentence says why a request is refused."""
WIDE = 200
"""Characters per line of a table written to a file or pipe, so that rows are not wrapped."""
PATIENCE = 2.0
"""Wall time after which the plug-in that is being imported is named [s]."""


def typed_number(text: str) -> float:
    """The number given to an option; raises `typer.BadParameter`."""
    number = read_number(str(text))
    if isinstance(number, str):
        words = "" if about_comma(text) else ": write digits with a point, such as 0.5"
        raise typer.BadParameter(f"{value_text(text)} is not a number{words}.{about_comma(text)}")
    return number


def typed_whole(text: str) -> int:
    """The whole number given to an option; raises `typer.BadParameter`."""
    number = read_whole(str(text))
    if isinstance(number, str):
        raise typer.BadParameter(f"{value_text(text)} is not a whole number.{about_comma(text)}")
    return number


def typed_path(text: str | Path) -> Path:
    """The file or folder given to an option; raises `typer.BadParameter` for an empty text, which would be the current
    folder: `--out "$FOLDER"` of a script that sets no FOLDER."""
    if not str(text).strip():
        raise typer.BadParameter("'' is the name of no file and no folder; the current folder is '.'.")
    return Path(text)


def refuse(sentence: str) -> NoReturn:
    """Print why a request is refused and exit with code 2."""
    print_line(sentence)
    raise typer.Exit(REFUSED)


@contextmanager
def importing(source: str) -> Iterator[None]:
    """Name the plug-in `source` if its import takes longer than `PATIENCE`; it may never end.

    A signal whose exception the plug-in or its report catches is answered after the import.
    """
    words = f"The plug-in {short(source)} is still being read after {PATIENCE:g} s; Ctrl-C stops the command."
    timer = threading.Timer(PATIENCE, print_line, [words])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if CAUGHT:
        stop_at_once()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a header, as wide as the terminal; control characters in a cell are escaped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*map(printable, row))
    console = Console(markup=False, highlight=False)
    console = console if console.is_terminal else Console(markup=False, highlight=False, width=WIDE)
    console.print(table)
