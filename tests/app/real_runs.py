"""Snapshots of real, small runs of every scene, as the physics thread publishes them."""

from __future__ import annotations

import copy
import functools
from typing import Any

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.registry import scenes

MOST_STEPS = 200_000
"""A run that has not ended by then is broken."""

SHOWN_EVERY = 20
"""Checks between two snapshots."""


def shot(experiment: Experiment) -> Snapshot:
    """A snapshot of the experiment as it is, contacts and their forces included."""
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot, forces=True)
    return snapshot


@functools.cache
def course(scene: str, **values: Any) -> tuple[Snapshot, ...]:
    """Snapshots of the whole experiment with the scene's test values, the first and the last one among them."""
    experiment = new_experiment(scene, {**scenes()[scene].test_values, **values})
    shots = [shot(experiment)]
    assert not apply(experiment, Act("run"))
    checks = 0
    while not is_finished(experiment):
        advance(experiment, CHECK_STEPS)
        checks += 1
        assert checks * CHECK_STEPS < MOST_STEPS, f"{scene} does not end: {experiment.phase}"
        if checks % SHOWN_EVERY == 0:
            shots.append(shot(experiment))
    return (*shots, shot(experiment))


def finished(scene: str, **values: Any) -> Snapshot:
    """The last snapshot of the experiment, for a test to change."""
    return copy.copy(course(scene, **values)[-1])


def in_phase(scene: str, phase: str) -> list[Snapshot]:
    """Snapshots of the course in that phase."""
    return [snapshot for snapshot in course(scene) if snapshot.run.phase.name == phase]
