"""The arguments of the commands. Each command imports its modules when it runs.

Therefore `--help` and `--version` answer at once, also without numba, OpenGL or a display.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from repose.app.cli import lecture_command, saved_commands, standard_streams, study_commands
from repose.app.cli.record_options import from_options
from repose.app.cli.terminal import REFUSALS, REFUSED, importing, refuse, table
from repose.app.jobs.options import Option
from repose.app.jobs.requests import BenchRequest, ClumpRequest, RunRequest, WindowRequest
from repose.app.progress import print_line, write_out
from repose.app.signals import INTERRUPTED, Interrupt
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
    except REFUSALS as error:
        print_line(str(error))
        return REFUSED
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
@from_options
def repose(context: typer.Context, request: WindowRequest) -> int:
    """Open the window, unless a command is given."""
    if request.version:
        _print_version()
        raise typer.Exit
    from repose.app.storage.engine_cache import choose_engine_cache
    from repose.app.storage.paths import remove_all_leftovers

    if complaint := choose_engine_cache():  # before a plug-in imports numba, which reads the folder only then
        print_line(complaint)
    remove_all_leftovers()
    offered, command = _use_plugins(request.plugin), context.invoked_subcommand
    if command is not None:
        if request.side_by_side:
            raise typer.BadParameter("--side-by-side opens the window: leave the command out.")
        if request.language:
            raise typer.BadParameter(
                "--language before a command is that of the window: leave the command out, or give the language behind "
                "one that has --language, such as lecture."
            )
        if request.phones:
            raise typer.BadParameter("--phones is for the window: leave the command out, or use repose lecture.")
        for option, value in (("--preset", request.preset), ("--threads", request.threads)):
            if value:
                raise typer.BadParameter(f"write it after the command: repose {command} {option} {short(value)}")
        return 0
    from repose.app.jobs.doctor import has_display

    if has_display():
        from repose.app.window.start import run

        preset = request.preset or next(iter(offered), "")
        return run(preset, request.threads, request.side_by_side, language=request.language, phones=request.phones)
    if request.side_by_side:
        refuse("--side-by-side needs the window, and no display was found; `repose sweep` compares runs without.")
    from repose.app.jobs.headless_job import run_job
    from repose.app.jobs.headless_plan import plan

    print_line("No display was found, so the experiment runs without a window; `repose run --help` lists its options.")
    return run_job(plan(RunRequest(preset=request.preset, threads=request.threads)))


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
@from_options
def run(request: RunRequest) -> int:
    """Run an experiment without a window, write its results."""
    from repose.app.jobs.headless_job import print_estimate, run_job
    from repose.app.jobs.headless_plan import parameter_rows, plan
    from repose.sim.registry import default_scene

    scene = request.scene
    if scene.endswith(".py"):
        offered = _use_plugins([Path(scene)])
        if len(offered) != 1:
            names = short(", ".join(offered)) or "none"
            refuse(
                f"{short(scene)} offers {len(offered)} scenes ({names}); a file that is run must offer one, as SCENE."
            )
        scene = offered[0]
    scene = scene or ("" if request.saved or request.preset else default_scene())
    if "?" in request.changes:
        table(("parameter", "value", "allowed", "meaning"), parameter_rows(scene, request.preset))
        return 0
    job = plan(replace(request, scene=scene))
    if request.estimate:
        if request.saved is not None or request.repeat is not None:
            refuse("--estimate is for one run from its beginning: leave --from and --repeat out.")
        return print_estimate(job)
    if request.repeat is None:
        return run_job(job)
    from repose.app.jobs.study_job import run_study
    from repose.app.jobs.study_plan import plan_repeat

    return run_study(plan_repeat(job))


cli.command(epilog=study_commands.SWEEP_EXAMPLES)(from_options(study_commands.sweep))
cli.command(epilog=study_commands.STUDY_EXAMPLES)(from_options(study_commands.study))
cli.command(epilog=study_commands.CALIBRATE_EXAMPLES)(from_options(study_commands.calibrate))


@cli.command()
@from_options
def clump(request: ClumpRequest) -> int:
    """Approximate a body by overlapping spheres.

    Prints volume, inertia and quality, and writes a file and a picture.

    A clump that falls apart, or differs from the body in more than they have in common, is refused with a number of
    spheres that does. Files that exist are not overwritten. Ctrl-C ends the work without writing anything.
    """
    from repose.app.jobs.clump_job import clump_text, run_clump

    code, made = run_clump(request)
    if made is not None and request.json:
        print(clump_text(made), end="")
    elif made is not None:
        from repose.sim.clumps.making import rows

        table(("quantity", "value", "meaning"), [tuple(map(str, row)) for row in rows(made, request.density)])
    return code


cli.command()(from_options(saved_commands.replay))
cli.command()(from_options(saved_commands.picture))
cli.command()(from_options(saved_commands.export))
cli.command(name="open")(from_options(saved_commands.open_any))
cli.command(epilog=lecture_command.LECTURE_EXAMPLES)(from_options(lecture_command.lecture))


@cli.command()
def scenes() -> None:
    """List the scenes, and which of them LAMMPS continues.

    `repose export --for lammps` writes a run for LAMMPS.
    """
    from repose.sim.io.lammps.in_scenes import IN_LAMMPS
    from repose.sim.registry import scenes

    rows = [
        (
            scene.name,
            IN_LAMMPS[name].state if name in IN_LAMMPS else "not tried",
            f"{short(str(scene.title))}: {short(str(scene.summary))}",
        )
        for name, scene in scenes().items()
    ]
    table(("scene", "in LAMMPS", "description"), rows)


@cli.command()
def presets() -> None:
    """List the presets, and how each differs from its scene."""
    from repose.app.ui.preset_library import all_presets

    rows = all_presets()
    table(("preset", "scene", "title", "parameters"), rows)


@cli.command()
def doctor() -> None:
    """List what is installed or missing, and how to get it."""
    from repose.app.jobs.doctor import examine

    rows = [(finding.name, finding.value, finding.advice) for finding in examine()]
    table(("check", "found", "what to do"), rows)


@cli.command()
@from_options
def manual(
    to: Annotated[Path | None, Option("FOLDER", "Write the manual to a new folder.")] = None,
    browser: Annotated[bool, Option("", "Open its first page in the browser; it is printed in any case.")] = True,
) -> int:
    """Open the manual, which is built without a network.

    It has tutorial, how-to pages, reference and gallery.
    """
    from repose.app.jobs.manual_job import open_manual

    return open_manual(_help_of_commands(), to, browser)


WIDTH_OF_HELP = 88
"""Letters of a line in the manual: its column has room for 92 in a browser 1280 pixels wide."""


def _help_of_commands() -> dict[str, str]:
    """What `--help` prints for each command, by the words that are typed."""
    group: Any = typer.main.get_command(cli)
    commands = {"repose": group} | {f"repose {name}": command for name, command in group.commands.items()}
    return {
        name: command.get_help(command.make_context(name, [], resilient_parsing=True, terminal_width=WIDTH_OF_HELP))
        for name, command in sorted(commands.items())
    }


@cli.command()
@from_options
def install_shortcut(remove: Annotated[bool, Option("", "Remove the entry again.")] = False) -> int:
    """Put the window among the programs of this user.

    A desktop entry (Linux), in the Start menu (Windows), in Applications (macOS).
    """
    from repose.app.jobs.shortcut import install

    return install(remove)


@cli.command()
def prepare() -> int:
    """Compile the engines of all scenes and presets now.

    Each of them starts at once later. Ctrl-C ends the command and keeps the engines compiled so far; the next call
    continues.
    """
    from repose.app.jobs.prepare_job import prepare

    return prepare()


@cli.command()
@from_options
def validate(
    names: Annotated[
        tuple[str, ...],
        Option("[PRESET]…", "Runs to do; all where none is named.", is_argument=True, shows_default=False),
    ] = (),
    json: Annotated[bool, Option("", "Print the results as JSON and nothing else.")] = False,
    report: Annotated[
        Path | None,
        Option("FOLDER", "Write one HTML page with picture, plot and numbers of every run, to put beside a paper."),
    ] = None,
) -> int:
    """Compare runs with closed forms and published numbers.

    These are impacts of Chung & Ooi, bounce, slope and tests of single spheres. The window plays the same runs: S, then
    "Checks against closed forms". Exit code 1 if a number differs.
    """
    from repose.app.jobs import validate_job
    from repose.sim.io.json_text import json_text

    comparisons, stopped = validate_job.validate(names, quiet=json, report=report)
    if json:
        print(json_text(validate_job.as_json(comparisons), indent=2), flush=True)
    else:
        table(validate_job.HEAD, validate_job.rows(comparisons))
        write_out(validate_job.summary(comparisons, stopped))
    return validate_job.exit_code(comparisons, stopped)


@cli.command()
@from_options
def selftest(json: Annotated[bool, Option("", "Print the results as JSON and nothing else.")] = False) -> int:
    """Test engine, restart, film and picture on this machine."""
    from repose.app.jobs import selftest as tests

    findings = tests.examine(quiet=json)
    if json:
        print(tests.as_json(findings))
    else:
        table(("case", "quantity", "value", "bound", "result"), tests.rows(findings))
        write_out(tests.summary(findings))
    return tests.exit_code(findings)


@cli.command()
@from_options
def bench(request: BenchRequest) -> int:
    """Measure the speed of the engine and of the window.

    With gcc the engine is compared with a C program. The speeds of several runs, such as one of each version, are drawn
    from their records:

    repose bench --record monday.json

    repose bench monday.json friday.json --plot speed.png
    """
    from repose.app.jobs.bench_job import run_bench

    return run_bench(request)
