"""The state of a run for an export: tables, contacts, and a description of its origin."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.sampling import system_of
from repose.sim.io.exported_state import ExportedState


def state_of(experiment: Experiment, since_start: float | None = None) -> ExportedState:
    """The present state of an experiment, without a copy.

    For a series of states `since_start` [s] is the time since the log began. Step and time are then counted from there:
    those of the run begin anew at a reset, and readers of a series need increasing steps and times.
    """
    system, run = system_of(experiment), experiment.run
    step, time = (run.step, run.time) if since_start is None else (experiment.history.at, since_start)
    return ExportedState(
        world=run.world,
        step=step,
        time=time,
        dt=run.dt,
        series=run.series.columns(),
        velocity_shift=system.velocity_shift,
        find_contacts=lambda: system.contacts,
        origin=origin_of(experiment.scene, experiment.seed, time, experiment.parameters),
    )
