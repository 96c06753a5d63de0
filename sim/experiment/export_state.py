"""The state of a run for an export: tables, contacts, and a description of its origin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from repose.sim.experiment.activation import gravity_on_table, model_for
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.instrument_values import shown_columns
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.sampling import system_of
from repose.sim.io.exported_state import ExportedState, contacts_of
from repose.sim.io.lammps import continuation
from repose.sim.io.lammps.wall_motion import WallMotion
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


def for_lammps(experiment: Experiment, motion: WallMotion = None) -> continuation.Exported:
    """The files with which LAMMPS continues a run from its present state, with its walls moving as the scene moves
    them, or by `motion`; raises `ParameterError` for what LAMMPS cannot continue."""
    scene, parameters, run = experiment.scene, experiment.parameters, experiment.run
    state = continuation.Continued(
        scene=scene.name,
        law=scene.law_of(parameters),
        parameters=parameters,
        model=model_for(scene, parameters, run.built),
        world=run.world,
        step=run.step,
        time=run.time,
        dt=run.dt,
        gravity=gravity_on_table(scene, parameters, scene.course.turned(run.state)),
        driven=tuple(sorted(driven.wall for driven in run.driven_walls)),
        motion=motion or scene.course.wall_motion(experiment),
        machines=scene.model.machines,
        stretched=_stretched(experiment),
    )
    return continuation.lammps_files(state)


def _stretched(experiment: Experiment) -> float:
    """Shear forces over normal forces, sums over all contacts [-]; 0 if nothing touches."""
    world = experiment.run.world
    if not (world.pairs.touching.any() or world.wall_contacts.touching.any()):
        return 0.0
    contacts = contacts_of(state_of(experiment), walls=True)
    return float(contacts.shear_force.sum() / max(np.abs(contacts.normal_force).sum(), 1e-300))


def write_lammps(experiment: Experiment, folder: str | Path, motion: WallMotion = None) -> tuple[str, ...]:
    """Write the files with which LAMMPS continues the run to a new folder, where all walls follow `motion`
    (repose.sim.io.lammps.wall_motion) if it is given; returns the differences from the run, one sentence each.

    Raises `ParameterError` for what LAMMPS cannot continue and for a folder that exists or cannot be written.
    """
    exported = for_lammps(experiment, motion)
    try:
        continuation.write_files(exported, Path(folder))
    except OSError as error:
        raise ParameterError(
            f"{path_text(folder)} cannot be written: {reason_of(error)}; name another folder."
        ) from None
    return exported.notes
