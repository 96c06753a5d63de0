"""The state of a run for an export: tables, contacts, and a description of its origin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from repose.sim.experiment.activation import gravity_on_table, model_for
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.instrument_values import shown_columns
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.run import Run
from repose.sim.experiment.sampling import system_of
from repose.sim.io.exported_state import ExportedState
from repose.sim.io.lammps import continuation
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of


def state_of(experiment: Experiment, since_start: float | None = None) -> ExportedState:
    """The present state of an experiment, without a copy.

    For a series of states `since_start` [s] is the time since the log began. Step and time are then counted from there:
    those of the run begin anew at a reset, and readers of a series need increasing steps and times.
    """
    system, run = system_of(experiment), experiment.run
    step, time = (run.step, run.time) if since_start is None else (experiment.history.at, since_start)
    return ExportedState(
        world=run.world,
        grains=experiment.grains,
        step=step,
        time=time,
        dt=run.dt,
        series=shown_columns(experiment),
        velocity_shift=system.velocity_shift,
        find_contacts=lambda: system.contacts,
        origin=origin_of(experiment.scene, experiment.seed, time, experiment.parameters),
    )


def for_lammps(scene: Scene, parameters: Any, run: Run) -> continuation.Exported:
    """The files with which LAMMPS continues a run from its present state; raises `ParameterError` for what LAMMPS
    cannot continue."""
    model = model_for(scene, parameters, run.built)
    law = scene.law_of(parameters)
    gravity = gravity_on_table(scene, parameters, scene.course.turned(run.state))
    driven = frozenset(driven.wall for driven in run.driven_walls)
    return continuation.lammps_files(
        continuation.Continued(scene.name, law, parameters, model, run.world, run.step, run.dt, gravity, driven)
    )


def write_lammps(experiment: Experiment, folder: str | Path) -> tuple[str, ...]:
    """Write the files with which LAMMPS continues the run to a new folder; returns the differences from the run, one
    sentence each.

    Raises `ParameterError` for what LAMMPS cannot continue and for a folder that exists or cannot be written.
    """
    exported = for_lammps(experiment.scene, experiment.parameters, experiment.run)
    try:
        continuation.write_files(exported, Path(folder))
    except OSError as error:
        raise ParameterError(
            f"{path_text(folder)} cannot be written: {reason_of(error)}; name another folder."
        ) from None
    return exported.notes
