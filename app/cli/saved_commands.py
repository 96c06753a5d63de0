"""Commands for saved runs: list, film or verify the log, export the grains."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from repose.app.cli.film_options import Colour, Fps, Overlay, Show, Size, Speed, Video
from repose.app.cli.terminal import THREADS_HELP, refusals, refuse, table, typed_number
from repose.app.progress import print_line
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
    show: Show = None,
) -> None:
    """List the commands of a saved run, film it, or verify that a repeated run gives the same bits.

    A film can show any part of the run at any speed and size: the run is computed again, and its state hashes are
    compared. With --verify or --video the exit code is 3 if a hash differs.
    """
    with refusals():
        from repose.app.jobs.film_plan import parsed_size, plan_film
        from repose.app.jobs.replay_job import commands_in, film_run, verify_run
        from repose.app.stopping import StopAsked
        from repose.app.thread_option import asked_threads

        chosen = asked_threads(threads)
        plan = plan_film(video, parsed_size(size), fps, speed, overlay, colour, show or ())
        if not verify and plan is None:
            table(("step", "command", "with"), commands_in(file))
            return
        try:
            if plan is not None:
                raise typer.Exit(film_run(file, plan, since, math.inf if until is None else until, chosen))
            raise typer.Exit(verify_run(file, threads=chosen))
        except StopAsked:
            print_line("Stopped before the end.")
            raise typer.Exit(INTERRUPTED) from None


def picture(
    file: Annotated[Path, typer.Argument(metavar="FILE.repose", help="A saved run.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.png|.svg", help="File to write; the suffix selects the format: pixels, or grains and forces."
        ),
    ],
    size: Size = "1920x1080",
    colour: Colour = "",
    show: Show = None,
    light: Annotated[bool, typer.Option("--light", help="A light background, for print.")] = False,
) -> None:
    """Draw the last state of a saved run, of runs side by side all of them.

    Program, scene, seed, time and every parameter with its unit are inside the file.
    """
    with refusals():
        from repose.app.jobs.film_plan import parsed_size
        from repose.app.jobs.picture_job import take_picture

        raise typer.Exit(take_picture(file, out, parsed_size(size), colour, show or (), light))


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.repose", help="A saved run.")],
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            metavar="FILE.csv|.vtk|.vtp|.svg|.npz|.lammpstrj|.xyz|.h5|DIR",
            help="File to write, whose suffix selects the format; with --for the new folder.",
        ),
    ],
    program: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="ovito|paraview|xyz|hdf5|lammps",
            help="Program that reads the run, contacts included, or with lammps continues it, from a new folder.",
            show_default=False,
        ),
    ] = "",
    every: Annotated[
        float | None,
        typer.Option(
            parser=typed_number,
            metavar="SECONDS",
            help="Simulated time between two states; the run is computed again. Without it the last state is written.",
        ),
    ] = None,
    since: Annotated[
        float, typer.Option("--from", parser=typed_number, metavar="SECONDS", help="Simulated time of the first state.")
    ] = 0.0,
    until: Annotated[
        float | None,
        typer.Option("--until", parser=typed_number, metavar="SECONDS", help="Simulated time of the last state."),
    ] = None,
) -> None:
    """Write a saved run for other programs: a table, points for ParaView, a dump for OVITO, extended XYZ, HDF5, a
    vector graphic, all arrays for numpy, a script for LAMMPS.

    All numbers are in SI units and exact: text has 17 digits. `repose open` shows what LAMMPS has computed.
    """
    with refusals():
        from repose.app.jobs.replay_job import ExportedPart, export_for, export_run
        from repose.app.stopping import StopAsked

        part = ExportedPart(every, since, math.inf if until is None else until)
        try:
            raise typer.Exit(export_for(program, file, to, part) if program else export_run(file, to, part))
        except StopAsked:
            print_line("Stopped before the end.")
            raise typer.Exit(INTERRUPTED) from None


def open_any(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CODE|FILE",
            help="A code of an experiment, a saved run, a preset, a lecture, or a text dump of LAMMPS: id, x y z, "
            "radius; in SI.",
        ),
    ],
    radius: Annotated[
        float | None,
        typer.Option(parser=typed_number, metavar="METRES", help="Radius of all spheres if the dump has none."),
    ] = None,
    timestep: Annotated[
        float | None,
        typer.Option(parser=typed_number, metavar="SECONDS", help="Time step of the run if the dump has no times."),
    ] = None,
    window: Annotated[
        bool, typer.Option("--window/--no-window", help="Show it in the window, or only measure and film it.")
    ] = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; a new one in the current folder if not given.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change one parameter, such as gate; SI; may be repeated."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False,
    video: Video = "",
    fps: Fps = None,
    size: Size = "1920x1080",
    speed: Speed = None,
    overlay: Overlay = "full",
    colour: Colour = "",
    show: Show = None,
    picture: Annotated[bool, typer.Option("--picture/--no-picture", help="Draw the last frame as a PNG file.")] = True,
) -> None:
    """Open what somebody has shared, in the window; a dump of LAMMPS is also measured: slope, spheres that pass a gate,
    contacts, a film.

    Without a window, or with --no-window, --json, --video, --out or --set, it is run or played to its end, and
    result.json and a picture are written.
    """
    with refusals():
        from repose.app.jobs.doctor import has_display
        from repose.app.jobs.shared import found_in

        found = found_in(what, radius, timestep)
        if found.remark:
            print_line(found.remark)
        if window and not (json or video or out or changes) and has_display():
            from repose.app.window.start import run

            raise typer.Exit(run(found.preset, saved=found.run, lecture=found.lecture))
        if found.lecture is not None:
            refuse(
                f"{what} is a lecture, which is shown in the window. Without one, `repose lecture {what} "
                "--film FILE.mp4` makes a film of it, and --notes prints its notes."
            )
        from repose.app.jobs.headless_job import run_job
        from repose.app.jobs.headless_plan import plan

        asked = plan(
            preset=found.preset,
            saved=found.run,
            ready=found.ready,
            changes=changes or (),
            out=out,
            as_json=json,
            video=video,
            fps=fps,
            size=size,
            speed=speed,
            overlay=overlay,
            colour=colour,
            show=show or (),
            picture=picture,
        )
        raise typer.Exit(run_job(asked))
