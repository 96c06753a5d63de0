"""Commands for saved runs: list, film or verify the log, export the grains."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from repose.app.cli.film_options import Colour, Fps, Overlay, Size, Speed, Video
from repose.app.cli.terminal import THREADS_HELP, refusals, table, typed_number
from repose.app.progress import say
from repose.app.signals import INTERRUPTED


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE.repose", help="A saved run.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Repeat the run from its beginning and compare every state hash.")
    ] = False,
    threads: Annotated[str, typer.Option(metavar="N|auto", help=THREADS_HELP, show_default=False)] = "",
    video: Video = "",
    since: Annotated[
        float,
        typer.Option("--from", parser=typed_number, metavar="SECONDS", help="Simulated time at which the film begins."),
    ] = 0.0,
    until: Annotated[
        float | None,
        typer.Option("--to", parser=typed_number, metavar="SECONDS", help="Simulated time at which the film ends."),
    ] = None,
    fps: Fps = None,
    size: Size = "1920x1080",
    speed: Speed = None,
    overlay: Overlay = "full",
    colour: Colour = "",
) -> None:
    """List the commands of a saved run, film it, or verify that a repeated run gives the same bits.

    A film can show any part of the run at any speed and size: the run is computed again, and its state hashes are
    compared. With --verify or --video the exit code is 3 if a hash differs.
    """
    with refusals():
        from repose.app.jobs.film_plan import parsed_size, plan_film
        from repose.app.jobs.replay_job import commands_in, film_run, verify_run
        from repose.app.stopping import StopAsked
        from repose.app.thread_count import asked_threads

        chosen = asked_threads(threads)
        plan = plan_film(video, parsed_size(size), fps, speed, overlay, colour)
        if not verify and plan is None:
            table(("step", "command", "with"), commands_in(file))
            return
        try:
            if plan is not None:
                raise typer.Exit(film_run(file, plan, since, math.inf if until is None else until, chosen))
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
    """Write the grains of a saved run for other programs: a table, points for ParaView, or all arrays for numpy.

    All numbers are in SI units and exact: text has 17 digits.
    """
    with refusals():
        from repose.app.jobs.replay_job import export_run

        raise typer.Exit(export_run(file, to))
