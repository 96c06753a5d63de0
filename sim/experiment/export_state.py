"""What the export of a run reads: its present state, with the contacts and the words that say where it comes from."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.sampling import system_of
from repose.sim.io.exported_state import ExportedState


def state_of(experiment: Experiment) -> ExportedState:
    """The present state of an experiment; it is read, not copied."""
    system, run = system_of(experiment), experiment.run
    return ExportedState(
        world=run.world,
        step=run.step,
        time=run.time,
        dt=run.dt,
        series=run.series.columns(),
        velocity_shift=system.velocity_shift,
        find_contacts=lambda: system.contacts,
        origin=origin_of(experiment.scene, experiment.seed, run.time, experiment.parameters),
    )
