"""The sentence that tells the last event of an experiment."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment


def tell(experiment: Experiment, sentence: str) -> None:
    """Show one sentence beside the picture until the next one."""
    experiment.message = sentence
