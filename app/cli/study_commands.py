"""Commands for many runs: a sweep typed on the command line, a named study, a calibration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from repose.app.cli.terminal import refusals, table, typed_number, typed_whole

SWEEP_EXAMPLES = """Examples:

repose sweep hourglass --seeds 1-5 --set count_for=4

repose sweep hourglass --over orifice=0.1,0.125,0.15 --out rates

repose sweep heap --over friction=0.1,0.4 --over integrator=gear5,leapfrog --seeds 1,2 --set grain_count=200
--set width=0.02 --out integrators"""
STUDY_EXAMPLES = """Examples:

repose study thesis-4.3 --seeds 5 --out laws

repose study thesis --out thesis --resume

repose study my_study.toml --error 0.5"""
WantedError = Annotated[
    float | None,
    typer.Option(
        parser=typed_number,
        metavar="NUMBER",
        help="Add seeds until the standard error of each mean is at most this, in the unit shown.",
        show_default=False,
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Do the runs on the workers of a scheduler of Dask, such as tcp://host:8786 (optional extra dask); each "
        "has the same bits as on this machine, and workers of other versions are refused.",
        show_default=False,
    ),
]
Beside = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR",
        help="Draw the results in the folder of another sweep or study beside these; may be repeated.",
        show_default=False,
    ),
]
CALIBRATE_EXAMPLES = """Examples:

repose calibrate --vary shear_stiffness=5:100 --out arctan

repose calibrate --angle 28 --angle-error 1 --vary friction=0.1:1.5"""


def sweep(
    scene: Annotated[str, typer.Argument(help="Scene to run: one that measures an angle or a flow rate.")] = "",
    preset: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Shipped preset or TOML file to start from.", show_default=False)
    ] = "",
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE,VALUE,…",
            help="A parameter to vary and its values, SI, or FIRST:LAST:COUNT; numbers and choices, and `preset`. The "
            "first is on the abscissa, each combination of the others is a line; that of the scene if not given.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[str, typer.Option(metavar="1,2,3|1-5", help="Seeds: every value is run with each.")] = "1-3",
    error: WantedError = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change one parameter of all runs, SI; may be repeated."),
    ] = None,
    processes: Annotated[int, typer.Option(parser=typed_whole, metavar="NUMBER", help="Runs at the same time.")] = 2,
    threads: Annotated[
        str,
        typer.Option(metavar="N|auto", help="Threads of each run; 1 if not given and several runs are done at once."),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results; a sweep that this folder contains in part is continued."),
    ] = None,
    dask: Dask = None,
    beside: Beside = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Size of the picture in pixels.")] = "1920x1080",
) -> None:
    """Repeat an experiment for several values of parameters and several seeds: table, fit and picture.

    The result of every run is written to the folder at its end, so that an interruption loses only unfinished runs. The
    same command with the same --out continues the sweep, also with more values or seeds.
    """
    with refusals():
        from repose.app.jobs.study_job import run_study
        from repose.app.jobs.study_request import plan_sweep

        asked = plan_sweep(
            scene,
            preset,
            over or (),
            seeds,
            changes or (),
            processes,
            out,
            size,
            json,
            threads,
            error=error,
            beside=beside or (),
            dask=dask,
        )
        raise typer.Exit(run_study(asked))


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME|FILE.toml]",
            help="A study, or a TOML file that describes one; without it the studies are listed.",
            show_default=False,
        ),
    ] = "",
    seeds: Annotated[
        str,
        typer.Option(
            metavar="N|1,2,3", help="Number of seeds, or seeds; those of the study if not given.", show_default=False
        ),
    ] = "",
    error: WantedError = None,
    workers: Annotated[
        int | None,
        typer.Option(parser=typed_whole, metavar="NUMBER", help="Runs at the same time; all processors if not given."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; a new one in the current folder if not given.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the study that the folder contains in part.")
    ] = False,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change one parameter of all runs that do not vary it, SI; may be repeated.",
        ),
    ] = None,
    threads: Annotated[
        str,
        typer.Option(metavar="N|auto", help="Threads of each run; 1 if not given and several runs are done at once."),
    ] = "",
    dask: Dask = None,
    beside: Beside = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False,
    picture: Annotated[bool, typer.Option("--picture/--no-picture", help="Draw each figure as PNG and PDF.")] = True,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Size of the pictures in pixels.")] = "1920x1080",
) -> None:
    """Do the runs of a study and draw its figure, with error bars and fits; `thesis` makes all figures and a report.

    The result of every run is written to the folder at its end. After a stop, also by kill -9, the same command with
    --resume does the missing runs and gives the same files.
    """
    with refusals():
        if not name:
            from repose.app.jobs.study_request import study_rows

            table(("study", "title", "description"), study_rows())
            raise typer.Exit
        from repose.app.jobs.study_job import run_study
        from repose.app.jobs.study_request import plan_study

        asked = plan_study(
            name,
            seeds,
            workers,
            out,
            resume,
            changes or (),
            error,
            threads,
            size,
            as_json=json,
            picture=picture,
            dask=dask,
            beside=beside or (),
        )
        raise typer.Exit(run_study(asked))


def calibrate(
    scene: Annotated[str, typer.Argument(help="Scene to run: one that measures an angle or a flow rate.")] = "heap",
    vary: Annotated[
        str, typer.Option(metavar="NAME=LOW:HIGH", help="The parameter to determine, and the range to look in, SI.")
    ] = "shear_stiffness=5:400",
    angle: Annotated[
        float | None,
        typer.Option(
            parser=typed_number,
            metavar="DEGREES",
            help="What was measured, in the unit in which the scene shows it; without it θ = arctan μ is looked for.",
            show_default=False,
        ),
    ] = None,
    angle_error: Annotated[
        float, typer.Option(parser=typed_number, metavar="DEGREES", help="Standard error of what was measured.")
    ] = 0.0,
    precision: Annotated[
        float,
        typer.Option(parser=typed_number, metavar="SHARE", help="Wanted standard error as a share of the value."),
    ] = 0.05,
    runs: Annotated[int, typer.Option(parser=typed_whole, metavar="NUMBER", help="Most runs to do.")] = 48,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change one parameter of all runs, SI; may be repeated."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(parser=typed_whole, metavar="NUMBER", help="Runs at the same time; all processors if not given."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; a new one in the current folder if not given.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the calibration in the folder.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False,
) -> None:
    """Find the value of one parameter for which heaps have a measured angle, or follow θ = arctan μ.

    The result is the value with its 95 % confidence interval, which contains the error of the measurement, a picture of
    the runs with the fitted curve, and a preset with the value. One angle determines one parameter: set the others with
    --set.
    """
    with refusals():
        from repose.app.jobs.calibrate_job import plan_calibration, run_calibration

        asked = plan_calibration(
            scene, vary, angle, angle_error, changes or (), precision, runs, workers, out, resume, as_json=json
        )
        raise typer.Exit(run_calibration(asked))
