"""The phase of an experiment, and the time at which the phase began."""

from __future__ import annotations

from dataclasses import dataclass

from repose.sim.experiment.experiment import Experiment


@dataclass
class PhaseState:
    """State of every scene: which phase it is in."""

    phase: str = "empty"
    """Such as empty, filling, filled, flowing or rested; the names that a scene uses are in its `flaw`."""
    since: float = 0.0
    """When the phase began [s]."""


def enter(experiment: Experiment, phase: str) -> None:
    """Begin another phase."""
    experiment.run.state.phase, experiment.run.state.since = phase, experiment.time
