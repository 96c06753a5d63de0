"""What the export of a run reads: its present state, with the contacts and the words that say where it comes from."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.sampling import system_of
from repose.sim.io.exported_state import ExportedState


def state_of(experiment: Experiment, since_start: float | None = None) -> ExportedState:
    """The present state of an experiment; it is read, not copied.

    Of a run over time it has steps and time since its log began, which `since_start` [s] is: those of the run itself
    begin anew when it is reset, and readers of a series take steps and times that increase.
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
