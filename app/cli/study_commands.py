"""Commands for many runs: a sweep typed on the command line, a named study, a calibration."""

from __future__ import annotations

from repose.app.cli.terminal import table
from repose.app.jobs.requests import CalibrationRequest, StudyRequest, SweepRequest

SWEEP_EXAMPLES = """Examples:

repose sweep hourglass --seeds 1-5 --set count_for=4

repose sweep hourglass --over orifice=0.1,0.125,0.15 --out rates

repose sweep heap --over friction=0.1,0.4 --over integrator=gear5,leapfrog --seeds 1,2 --set grain_count=200
--set width=0.02 --out integrators"""
STUDY_EXAMPLES = """Examples:

repose study thesis-4.3 --seeds 5 --out laws

repose study thesis --out thesis --resume

repose study my_study.toml --error 0.5"""
CALIBRATE_EXAMPLES = """Examples:

repose calibrate --vary shear_stiffness=5:100 --out arctan

repose calibrate --angle 28 --angle-error 1 --vary friction=0.1:1.5

repose calibrate two_sided --picture heap.jpg --vary friction=0.1:1.5"""


def sweep(request: SweepRequest) -> int:
    """Repeat an experiment for several parameters and seeds.

    Writes a table, a fit and a picture. The result of every run is written to the folder at its end, so that an
    interruption loses only unfinished runs. The same command with the same --out continues the sweep, also with more
    values or seeds.
    """
    from repose.app.jobs.study_job import run_study
    from repose.app.jobs.study_plan import plan_sweep

    return run_study(plan_sweep(request))


def study(request: StudyRequest) -> int:
    """Do the runs of a study and draw its figure.

    The figure has error bars and fits; `thesis` makes all figures and a report. The result of every run is written to
    the folder at its end. After a stop, also by kill -9, the same command with --resume does the missing runs and gives
    the same files.
    """
    from repose.app.jobs.study_plan import plan_study, study_rows

    if not request.name:
        table(("study", "title", "description"), study_rows())
        return 0
    from repose.app.jobs.study_job import run_study

    return run_study(plan_study(request))


def calibrate(request: CalibrationRequest) -> int:
    """Find the parameter of a measured angle or picture.

    It is the value of one parameter with which heaps have this angle, or follow θ = arctan μ. The result is the value
    with its 95 % confidence interval, which contains the error of the measurement, a picture of the runs with the
    fitted curve, and a preset with the value. One angle determines one parameter: set the others with --set.
    """
    from repose.app.jobs.calibrate_job import run_calibration

    return run_calibration(request)
