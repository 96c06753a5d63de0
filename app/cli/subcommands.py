"""The arguments of the commands. Each command imports its modules when it runs.

Therefore `--help` and `--version` answer at once, also without numba, OpenGL or a display.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from repose.app.cli import lecture_command, saved_commands, standard_streams, study_commands
from repose.app.cli.film_options import Colour, Fps, Overlay, Show, Size, Speed, Video
from repose.app.cli.terminal import (
    REFUSED,
    THREADS_HELP,
    importing,
    refusals,
    refuse,
    table,
    typed_number,
    typed_whole,
)
from repose.app.progress import Progress, print_line, write_out
from repose.app.signals import INTERRUPTED, Interrupt
from repose.sim.message import plain
from repose.sim.wording import LONGEST, short

EXIT_CODES = (
    "Exit codes: 0 done; 1 done, but something asked for could not be written or a self-test failed; 2 input refused; "
    "3 stopped by a fault of the run; 130 stopped by Ctrl-C or a signal, with the results so far kept."
)
NOT_SHOWN = 1
"""Exit code if standard output is closed or full, and for other errors of the operating system."""
cli = typer.Typer(
    name="repose",
    help="A live granular laboratory: pour grains, open the wall, watch the heap form and read its angle of repose.\n\n"
    "Without a command the window opens; with no display the default experiment runs without one.",
    epilog=EXIT_CODES,
    rich_markup_mode=None,  # plain text is the same in a pipe and needs no extra start-up time
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code. An error of the user gives a sentence, not a traceback."""
    standard_streams.forgive()
    try:
        code = _run(arguments)
        standard_streams.flush()
    except OSError as error:
        standard_streams.print_error(error)
        standard_streams.discard()
        return NOT_SHOWN
    return code


def _run(arguments: Sequence[str]) -> int:
    if [*arguments] == ["--version"]:  # typer would import pydantic first, which takes longer than everything else
        _print_version()
        return 0
    try:
        code = cli(args=arguments, prog_name="repose", standalone_mode=False)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        for line in context.get_usage().splitlines() if context else ():
            print_line(line)
        print_line(_with_short(arguments, error.format_message()))
        return REFUSED
    except (Interrupt, KeyboardInterrupt, typer.Abort):
        print_line("Stopped.")
        return INTERRUPTED
    except SystemExit:  # how typer ends when a pipe is closed
        standard_streams.discard()
        return NOT_SHOWN
    return code if isinstance(code, int) else 0


def _with_short(arguments: Sequence[str], message: str) -> str:
    """The message of typer with long arguments shortened."""
    for word in sorted(arguments, key=len, reverse=True):
        for shown in (word, repr(word)[1:-1]):
            message = message.replace(shown, short(shown)) if len(shown) > LONGEST else message
    return message


def _print_version() -> None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        print(f"repose {version('repose')}")
    except PackageNotFoundError:
        print("repose, not installed: run from a folder")


@cli.callback(invoke_without_command=True)
def repose(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    preset: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Preset to start the window with; `repose presets` lists them.")
    ] = "",
    side_by_side: Annotated[
        list[str] | None,
        typer.Option(
            "--side-by-side",
            metavar="NAME=VALUE,VALUE,…",
            help="Two to four experiments in one window at equal times, each with its own value of a parameter, SI, or "
            "its own preset (preset=NAME,NAME); may be repeated.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[str, typer.Option(metavar="N|auto", help=THREADS_HELP, show_default=False)] = "",
    language: Annotated[
        str,
        typer.Option(
            metavar="CODE",
            help="Language of the window: en, de, pl, es, ru or ja; the last choice or the system's if not given.",
            show_default=False,
        ),
    ] = "",
    plugin: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE.py",
            help="Python file with laws, integrators, fields, bonds, scenes or measurements of your own; "
            "it is executed. May be repeated.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open the window, unless a command is given."""
    if version:
        _print_version()
        raise typer.Exit
    from repose.app.storage.engine_cache import choose_engine_cache
    from repose.app.storage.paths import remove_all_leftovers

    if complaint := choose_engine_cache():  # before a plug-in imports numba, which reads the folder only then
        print_line(complaint)
    remove_all_leftovers()
    offered = _use_plugins(plugin or ())
    if context.invoked_subcommand is not None:
        if side_by_side:
            raise typer.BadParameter("--side-by-side opens the window: leave the command out.")
        if language:
            raise typer.BadParameter("--language is that of the window: leave the command out.")
        for option, value in (("--preset", preset), ("--threads", threads)):
            if value:
                raise typer.BadParameter(
                    f"write it after the command: repose {context.invoked_subcommand} {option} {short(value)}"
                )
        return
    with refusals():
        from repose.app.jobs.doctor import has_display
        from repose.app.language import NATIVE
        from repose.sim.parameters import require_known

        if language:
            require_known(language, NATIVE, plain("language"))

        if has_display():
            from repose.app.window.start import run

            raise typer.Exit(
                run(preset or next(iter(offered), ""), threads, tuple(side_by_side or ()), language=language)
            )
        if side_by_side:
            refuse("--side-by-side needs the window, and no display was found; `repose sweep` compares runs without.")
        from repose.app.jobs.headless_job import run_job
        from repose.app.jobs.headless_plan import plan

        print_line(
            "No display was found, so the experiment runs without a window; `repose run --help` lists its options."
        )
        raise typer.Exit(run_job(plan(preset=preset, threads=threads)))


def _use_plugins(files: Sequence[Path]) -> list[str]:
    """Import these files as plug-ins and report the plug-ins that cannot be used; returns names of the files' scenes.

    A file that is named and of which a record is not used is refused: otherwise a shipped scene or law of that name
    would be run in its place. Shipped scenes are imported to compare names. This import takes a second; it is skipped
    if there are no plug-ins.
    """
    from repose.sim import registry

    registry.while_importing = importing
    try:
        modules = [registry.add_file(path) for path in files]
    except registry.PluginError as error:
        refuse(str(error))
    for sentence in (sentence for module in modules for sentence in registry.clashes_of(module)):
        refuse(sentence)
    for trouble in registry.troubles() if registry.plugins() else ():
        print_line(trouble)
    return [record.name for module in modules for record in registry.records_of(module, "scenes")]


@cli.command()
def run(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="[SCENE|FILE.py]",
            help="Scene to run (`repose scenes` lists them), or a Python file with a scene of your own, which is "
            "executed; that of the preset, or heap, if not given.",
            show_default=False,
        ),
    ] = "",
    preset: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Shipped preset or TOML file to start from.", show_default=False)
    ] = "",
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help='Change one parameter, SI value; may be repeated. --set "?" lists the parameters.',
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=typed_whole, metavar="NUMBER", help="Seed of the random numbers; the preset's if not given."
        ),
    ] = None,
    ready: Annotated[bool, typer.Option("--ready", help="Start from the preset's ready-filled container.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; a new one in the current folder if not given.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.repose", help="Save the whole run when it ends, so that it can be continued."),
    ] = None,
    saved: Annotated[
        Path | None, typer.Option("--from", metavar="FILE.repose", help="Continue a saved run, bit by bit.")
    ] = None,
    until: Annotated[
        float | None,
        typer.Option(parser=typed_number, metavar="SECONDS", help="End at this simulated time at the latest."),
    ] = None,
    threads: Annotated[str, typer.Option(metavar="N|auto", help=THREADS_HELP, show_default=False)] = "",
    json: Annotated[
        bool,
        typer.Option("--json", help="Print the result as JSON and nothing else; --out writes it and the picture too."),
    ] = False,
    video: Video = "",
    fps: Fps = None,
    size: Size = "1920x1080",
    speed: Speed = None,
    overlay: Overlay = "full",
    colour: Colour = "",
    show: Show = None,
    picture: Annotated[bool, typer.Option("--picture/--no-picture", help="Draw the end state as a PNG file.")] = True,
    repeat: Annotated[
        int | None,
        typer.Option(
            parser=typed_whole,
            metavar="NUMBER",
            help="Number of runs with consecutive seeds from --seed on, side by side: mean and standard error over "
            "runs. The error of a single run is only that of its line fit.",
        ),
    ] = None,
) -> None:
    """Run an experiment without a window and write its results."""
    with refusals():
        from repose.app.jobs.headless_job import run_job
        from repose.app.jobs.headless_plan import parameter_rows, plan
        from repose.sim.registry import default_scene

        if scene.endswith(".py"):
            offered = _use_plugins([Path(scene)])
            if len(offered) != 1:
                names = short(", ".join(offered)) or "none"
                refuse(
                    f"{short(scene)} offers {len(offered)} scenes ({names}); a file that is run must offer one, as "
                    "SCENE."
                )
            scene = offered[0]
        scene = scene or ("" if saved or preset else default_scene())
        if "?" in (changes or ()):
            table(("parameter", "value", "allowed", "meaning"), parameter_rows(scene, preset))
            return
        job = plan(
            scene,
            preset,
            changes or (),
            seed=seed,
            ready=ready,
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
            save=save,
            until=until,
            saved=saved,
            threads=threads,
        )
        if repeat is not None:
            from repose.app.jobs.study_job import run_study
            from repose.app.jobs.study_request import plan_repeat

            raise typer.Exit(run_study(plan_repeat(job, repeat)))
        raise typer.Exit(run_job(job))


cli.command(epilog=study_commands.SWEEP_EXAMPLES)(study_commands.sweep)
cli.command(epilog=study_commands.STUDY_EXAMPLES)(study_commands.study)
cli.command(epilog=study_commands.CALIBRATE_EXAMPLES)(study_commands.calibrate)


@cli.command()
def clump(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SHAPE|FILE.stl|.obj|.npy",
            help="ball, cube, ellipsoid, tetrahedron, torus, rod, dumbbell, peanut, tetrapod, caltrop, vertebra; a "
            "closed mesh; or an array of voxels that are zero outside the body.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write the clump; the scene clumps pours such files.")
    ] = None,
    spheres: Annotated[
        int, typer.Option(parser=typed_whole, metavar="NUMBER", help="Largest number of spheres (P_max).")
    ] = 50,
    algorithm: Annotated[
        str,
        typer.Option(
            metavar="fitted|greedy",
            help="fitted: moved and resized until clump and body overlap most. greedy: inside the body, largest "
            "first (Karavaev et al. 2015).",
        ),
    ] = "fitted",
    rho: Annotated[
        float | None,
        typer.Option(
            parser=typed_number,
            metavar="NUMBER",
            help="Of the greedy algorithm: smallest distance of two centres over the radius of the earlier sphere, "
            "above 0 and at most 1; 0.85 if not given.",
        ),
    ] = None,
    grid: Annotated[
        int, typer.Option(parser=typed_whole, metavar="NUMBER", help="Cells along the longest edge of the body.")
    ] = 64,
    size: Annotated[
        float | None,
        typer.Option(
            parser=typed_number,
            metavar="METRES",
            help="Longest edge of the body; if not given, 0.01 for a shape, and as in the file for a mesh.",
        ),
    ] = None,
    unit: Annotated[
        str, typer.Option(metavar="mm|cm|m|inch", help="Unit of lengths in a file, edge of a voxel.")
    ] = "mm",
    kappa: Annotated[
        float,
        typer.Option(
            parser=typed_number, metavar="NUMBER", help="Step of sampling over the step of the grid, at most 1."
        ),
    ] = 0.5,
    density: Annotated[
        float, typer.Option(parser=typed_number, metavar="KG/M3", help="Density of the material.")
    ] = 2500.0,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the body beside the clump, coloured by radius.")
    ] = None,
    export: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE.mol|.rigid|.txt",
            help="Write the clump for other programs: LAMMPS molecule, LAMMPS fix rigid, YADE text. May be repeated.",
        ),
    ] = None,
    allow_pieces: Annotated[
        bool, typer.Option("--allow-pieces", help="Make also a clump that falls apart into pieces that do not touch.")
    ] = False,
    allow_poor_fit: Annotated[
        bool,
        typer.Option("--allow-poor-fit", help="Make also a clump whose overlap with the body (IoU) is less than 0.5."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the clump as JSON and nothing else.")] = False,
) -> None:
    """Approximate a body by overlapping spheres: table of volume, inertia and quality, file, picture.

    A clump that falls apart, or differs from the body in more than they have in common, is refused with a number of
    spheres that does. Files that exist are not overwritten. Ctrl-C ends the work without writing anything.
    """
    with refusals():
        from repose.app.jobs import clump_job

        request = clump_job.ClumpRequest(
            *(source, spheres, algorithm, rho, grid, size, unit, kappa, density, out, picture),
            exports=tuple(export or ()),
            allow_pieces=allow_pieces,
            allow_poor_fit=allow_poor_fit,
        )
        code, made = clump_job.run_clump(request, quiet=json)
        if made is not None and json:
            print(clump_job.text_of_made(made), end="")
        elif made is not None:
            from repose.sim.clumps.making import rows

            table(("quantity", "value", "meaning"), [tuple(map(str, row)) for row in rows(made, density)])
        raise typer.Exit(code)


cli.command()(saved_commands.replay)
cli.command()(saved_commands.picture)
cli.command()(saved_commands.export)
cli.command(name="open")(saved_commands.open_any)
cli.command(epilog=lecture_command.LECTURE_EXAMPLES)(lecture_command.lecture)


@cli.command()
def scenes() -> None:
    """List the scenes that can be run."""
    from repose.sim.registry import scenes

    rows = [(scene.name, f"{short(str(scene.title))}: {short(str(scene.summary))}") for scene in scenes().values()]
    table(("scene", "description"), rows)


@cli.command()
def presets() -> None:
    """List the presets, with the parameters in which each differs from its scene's defaults."""
    from repose.app.ui.preset_library import all_presets

    rows = all_presets()
    table(("preset", "scene", "title", "parameters"), rows)


@cli.command()
def doctor() -> None:
    """Check this machine: what is installed, what is missing and how to install it."""
    from repose.app.jobs.doctor import examine

    rows = [(finding.name, finding.value, finding.advice) for finding in examine()]
    table(("check", "found", "what to do"), rows)


@cli.command()
def install_shortcut(
    remove: Annotated[bool, typer.Option("--remove", help="Remove the entry again.")] = False,
) -> None:
    """Put the window among the programs of this user: desktop entry (Linux), Start menu (Windows), Applications
    (macOS)."""
    from repose.app.jobs.shortcut import install

    raise typer.Exit(install(remove))


@cli.command()
def prepare() -> None:
    """Compile the engines of all scenes and presets now, so that each of them starts at once later.

    Ctrl-C ends the command and keeps the engines compiled so far; the next call continues.
    """
    with refusals():
        from repose.app.jobs.prepare_job import prepare

        raise typer.Exit(prepare())


@cli.command()
def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PRESET]…", help="Runs to do; all where none is named.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON and nothing else.")] = False,
) -> None:
    """Compare runs with closed forms and published numbers: impacts of Chung & Ooi, bounce, slope, energy and momentum.

    The window plays the same runs: S, then "Checks against closed forms". Exit code 1 if a number differs.
    """
    with refusals():
        from repose.app.jobs import validate_job
        from repose.sim.io.json_text import json_text

        found, stopped = validate_job.validate(names or (), quiet=json)
        if json:
            print(json_text(validate_job.as_json(found), indent=2), flush=True)
        else:
            table(validate_job.HEAD, validate_job.rows(found))
            write_out(validate_job.summary(found, stopped))
        raise typer.Exit(validate_job.exit_code(found, stopped))


@cli.command()
def selftest(
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON and nothing else.")] = False,
) -> None:
    """Test engine, restart, film and picture on this machine."""
    from repose.app.jobs import selftest as tests

    findings = tests.examine(quiet=json)
    if json:
        print(tests.as_json(findings))
    else:
        table(("case", "quantity", "value", "bound", "result"), tests.rows(findings))
        write_out(tests.summary(findings))
    raise typer.Exit(tests.exit_code(findings))


@cli.command()
def bench(
    json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON and nothing else.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="The smaller heaps and short runs of the window only, no beads in space.")
    ] = False,
) -> None:
    """Measure the speed of the engine, compared with a C program if gcc is installed, and of the window."""
    from repose.app.jobs import frame_bench
    from repose.app.jobs.remaining_time import time_left
    from repose.sim.study import bench

    began, of_engine = time.monotonic(), 0.5 if quick else 0.8  # fraction of the whole time

    def shown(progress: Progress, first: float, last: float) -> bench.ShowProgress:
        def show_progress(words: str, share: float) -> None:
            done = first + (last - first) * share
            progress.show(words, done, time_left(began, done))

        return show_progress

    with Progress("Measuring the engine", quiet=json) as progress:
        engine = bench.measure_engine(quick, shown(progress, 0.0, of_engine))
    if not json:
        write_out(bench.describe(engine))
    with Progress("Measuring the window", quiet=json) as progress:
        frames = frame_bench.measure_frames(quick, shown(progress, of_engine, 1.0))
    if json:
        from json import dumps

        print(dumps(engine | {"window": frames}, indent=1))
    else:
        write_out(f"\n{frame_bench.describe(frames)}")
