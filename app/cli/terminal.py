"""Output of the commands (refusals as one sentence, rows as a table) and parsers of option values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import typer
from repose.app.progress import say
from repose.sim.numbers import about_comma, read_number, read_whole

REFUSED = 2
"""Exit code for input that is refused."""
THREADS_HELP = "Threads of the engine; every number gives the same bits; automatic if not given."
WIDE = 200
"""Characters per line of a table written to a file or pipe, so that rows are not wrapped."""


def typed_number(text: str) -> float:
    """The number given to an option; raises `typer.BadParameter`."""
    number = read_number(str(text))
    if isinstance(number, str):
        words = "" if about_comma(text) else ": write digits with a point, such as 0.5"
        raise typer.BadParameter(f"{text!r} is not a number{words}.{about_comma(text)}")
    return number


def typed_whole(text: str) -> int:
    """The whole number given to an option; raises `typer.BadParameter`."""
    number = read_whole(str(text))
    if isinstance(number, str):
        raise typer.BadParameter(f"{text!r} is not a whole number.{about_comma(text)}")
    return number


@contextmanager
def refusals() -> Iterator[None]:
    """Print the sentence of a refusal and exit with code 2."""
    from repose.app.storage.recorder import RecorderError
    from repose.app.window.window import WindowError
    from repose.sim.parameters import ParameterError

    try:
        yield
    except (ParameterError, RecorderError, WindowError) as error:
        say(str(error))
        raise typer.Exit(REFUSED) from None


def refuse(sentence: str) -> NoReturn:
    """Print why a request is refused and exit with code 2."""
    say(sentence)
    raise typer.Exit(REFUSED)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a header, as wide as the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console = Console(markup=False, highlight=False)
    console = console if console.is_terminal else Console(markup=False, highlight=False, width=WIDE)
    console.print(table)
