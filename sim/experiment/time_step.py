"""The time step of a running experiment: fixed, or "auto" from the stiffest contact. The only writer of `Run.dt`."""

from __future__ import annotations

from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import motions
from repose.sim.experiment import automatic_step
from repose.sim.experiment.activation import at_ramp_end, start_derivatives
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts

LARGE_RISE = 2.0
"""Ratio of a new step to the old one above which the higher derivatives restart [-]. Errors of the q-th derivative from
rounding and from jumps of the force scale with dt^(2-q), and the next prediction multiplies them by the new dt^(q-2):
the error of the fifth derivative grows by the cube of the ratio."""


def choose_dt(experiment: Experiment, first: bool = False) -> Survey | None:
    """Set the time step according to the parameters, stable at both ends of a ramp.

    If a fixed step is unstable, the step does not change and the survey of the contacts is returned, otherwise None.
    With `first` the step has just been requested and is set even if it is unstable.
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
    """Largest stable step for the present and the expected contacts, now and at the end of the ramp [s]."""
    now = automatic_step.foreseen_dt(experiment, survey_contacts(experiment))
    if experiment.run.ramp is None:
        return now
    with at_ramp_end(experiment):
        return min(now, automatic_step.foreseen_dt(experiment, survey_contacts(experiment)))


def _needed_dt(experiment: Experiment, first: bool) -> tuple[float, Survey]:
    """The fixed or the automatic step, and the survey from which it follows."""
    asked, survey = experiment.parameters.dt, survey_contacts(experiment)
    return (automatic_step.next_automatic_dt(experiment, survey, first) if asked == "auto" else asked), survey


def _take_dt(experiment: Experiment, dt: float) -> None:
    """Use the time step `dt` [s] from now on; velocities ahead of positions stay ahead by the same fraction of a
    step."""
    run, scheme, before = experiment.run, experiment.engine.model.integrator, experiment.run.dt
    run.clock_time, run.clock_step, run.dt = experiment.time, experiment.step, dt
    run.dt_changes.append((experiment.step, dt))
    for motion in motions(run.world):
        motion[:, 1] += scheme.velocity_lead * (dt - before) * motion[:, 2]
        if dt > LARGE_RISE * before and scheme.levels > 3:
            motion[:, 3:] = 0.0
    if dt > LARGE_RISE * before and scheme.levels > 3:
        start_derivatives(experiment)
