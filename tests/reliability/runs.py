"""Small runs in the middle of an event, and functions that save and continue them."""

from __future__ import annotations

import io

from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.stepping import advance

SMALL = {"grain_count": 40, "width": 0.015}
FEW = {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3, "dt": 4e-5}
"""Grains few enough for the engine in plain Python."""
CYLINDER = {"pouring": "cylinder", "grain_count": 5, "base": "smooth"}


def go(simulation: Experiment, at: int) -> Experiment:
    """Advance until so many steps have been done since the beginning."""
    while simulation.history.at < at and simulation.fault is None:
        advance(simulation, min(997, at - simulation.history.at))
    return simulation


def poured(at: int = 20_000, **values: object) -> Experiment:
    """A small heap in the midst of being filled, grains touching."""
    experiment = new_experiment("heap", SMALL | values)
    assert not apply(experiment, Act("fill"))
    return go(experiment, at)


def landed(scene: str = "heap", values: dict | None = None, action: str | None = "fill") -> Experiment:
    """A few grains whose first contact is some steps old, for an engine in plain Python."""
    experiment = new_experiment(scene, FEW if values is None else values)
    assert action is None or not apply(experiment, Act(action))
    while survey_contacts(experiment).contacts == 0:
        advance(experiment, 20)
        assert experiment.fault is None
    return go(experiment, experiment.history.at + 15)


def saved(simulation: Experiment) -> bytes:
    """The run as the bytes of a file."""
    file = io.BytesIO()
    saved_run.write(saved_copy(simulation), file)
    return file.getvalue()


def resumed(blob: bytes) -> Experiment:
    """The run in such bytes."""
    return resumed_experiment(saved_run.read(io.BytesIO(blob)))


def changed(simulation: Experiment, **values: object) -> Experiment:
    """The same after a live change of parameters."""
    assert not apply(simulation, SetParameters(values))
    return simulation
