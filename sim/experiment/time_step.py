"""The time step of a running experiment: fixed, or "auto" from the stiffest contact. The only writer of `Run.dt`."""

from __future__ import annotations

from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import motions
from repose.sim.experiment import automatic_step
from repose.sim.experiment.activation import at_ramp_end, start_derivatives
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts

LARGE_RISE = 2.0
"""A step this many times larger restarts the higher derivatives [-]. What rounding and jumps of the force leave in the
q-th derivative scales with dt^(2-q), and the next prediction multiplies it by the new dt^(q-2): the fifth by the rise
cubed."""


def choose_dt(experiment: Experiment, first: bool = False) -> Survey | None:
    """Set the time step that the parameters ask for, stable at both ends of a ramp.

    Returns the survey of the contacts that do not bear a fixed step, which then stays as it is, or None. `first` means
    that the step was just asked for: it is taken whatever the contacts bear.
    """
    dt, survey = _needed_dt(experiment, first)
    if experiment.run.ramp is not None:
        with at_ramp_end(experiment):
            dt, survey = min((dt, survey), _needed_dt(experiment, first), key=lambda end: (end[0], end[1].stable_dt))
    if experiment.parameters.dt != "auto" and dt > survey.stable_dt and not first:
        return survey
    if dt != experiment.run.dt:
        _take_dt(experiment, dt)
    return None


def foreseen_dt(experiment: Experiment) -> float:
    """Largest step stable for the contacts present and those to come, now and when the ramp is over [s]."""
    now = automatic_step.foreseen_dt(experiment, survey_contacts(experiment))
    if experiment.run.ramp is None:
        return now
    with at_ramp_end(experiment):
        return min(now, automatic_step.foreseen_dt(experiment, survey_contacts(experiment)))


def _needed_dt(experiment: Experiment, first: bool) -> tuple[float, Survey]:
    """The fixed or the automatic step, with the survey it follows from."""
    asked, survey = experiment.parameters.dt, survey_contacts(experiment)
    return (automatic_step.next_automatic_dt(experiment, survey, first) if asked == "auto" else asked), survey


def _take_dt(experiment: Experiment, dt: float) -> None:
    """Step by `dt` [s] from now on; velocities ahead of their positions stay ahead by the same share of a step."""
    run, scheme, before = experiment.run, experiment.engine.model.integrator, experiment.run.dt
    run.clock_time, run.clock_step, run.dt = experiment.time, experiment.step, dt
    run.dt_changes.append((experiment.step, dt))
    for motion in motions(run.world):
        motion[:, 1] += scheme.velocity_lead * (dt - before) * motion[:, 2]
        if dt > LARGE_RISE * before and scheme.levels > 3:
            motion[:, 3:] = 0.0
    if dt > LARGE_RISE * before and scheme.levels > 3:
        start_derivatives(experiment)
