"""The sentence that tells the last event of an experiment."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment


def tell(experiment: Experiment, sentence: str, repeats: bool = False) -> None:
    """Show one sentence beside the picture until the next one; `repeats` if it says the same as the phase label."""
    experiment.message, experiment.message_repeats = sentence, repeats
    experiment.messages += 1


def recall(experiment: Experiment, sentence: str) -> None:
    """Show the sentence of an earlier moment, to which the experiment has returned; nothing new has happened."""
    experiment.message, experiment.message_repeats = sentence, False
