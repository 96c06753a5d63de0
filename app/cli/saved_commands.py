"""Commands for saved runs: list or verify the log, export the grains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from repose.app.cli.terminal import THREADS_HELP, refusals, table
from repose.app.progress import say
from repose.app.signals import INTERRUPTED


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE.repose", help="A saved run.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Run it again from its beginning and compare every state hash.")
    ] = False,
    threads: Annotated[str, typer.Option(metavar="N|auto", help=THREADS_HELP, show_default=False)] = "",
) -> None:
    """List the commands in the log of a saved run, or verify that it runs again to the same bits.

    With --verify the exit code is 0 if all hashes agree, and 3 with the first step that differs if not.
    """
    with refusals():
        from repose.app.jobs.replay_job import commands_in, verify_run
        from repose.app.stopping import StopAsked
        from repose.app.thread_count import asked_threads

        chosen = asked_threads(threads)
        if not verify:
            table(("step", "command", "with"), commands_in(file))
            return
        try:
            raise typer.Exit(verify_run(file, threads=chosen))
        except StopAsked:
            say("Stopped before the end.")
            raise typer.Exit(INTERRUPTED) from None


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.repose", help="A saved run.")],
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE.csv|.vtk|.npz", help="File to write; the suffix selects the format.")
    ],
) -> None:
    """Write the grains of a saved run for other programs: a table, points for ParaView, or every array for numpy.

    All numbers are SI and give back the same bits: text has 17 digits.
    """
    with refusals():
        from repose.app.jobs.replay_job import export_run

        raise typer.Exit(export_run(file, to))
