"""The number of threads given on the command line."""

from __future__ import annotations

from repose.app.progress import print_line
from repose.sim.engine.thread_count import MOST_THREADS, available
from repose.sim.experiment.commands import checked_threads
from repose.sim.numbers import read_whole
from repose.sim.parameters import ParameterError, about_comma
from repose.sim.wording import value_text

AUTOMATIC = "auto"


def asked_threads(text: str) -> int | None:
    """The number given to --threads, None for automatic; raises `ParameterError`.

    A number above that of the processors is reduced to the number of processors, with a message: more threads would
    only wait.
    """
    word = text.strip().lower()
    if word in ("", AUTOMATIC):
        return None
    most = most_threads()
    whole = read_whole(word)
    if isinstance(whole, str) or whole < 1:
        raise ParameterError(
            f"--threads {value_text(text)} is refused: it must be a whole number from 1 to {most}, or {AUTOMATIC} "
            f"for as many as the run has work for.{about_comma(word)}"
        )
    if whole > most:
        print_line(f"--threads {text} is more than the {most} that this machine can use: the run uses {most}.")
    return checked_threads(min(whole, most))


def most_threads() -> int:
    """Most threads that a run can use on this machine."""
    return min(available(), MOST_THREADS)
