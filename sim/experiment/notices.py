"""The message about the last event of an experiment."""

from __future__ import annotations

from repose.sim.experiment.experiment import Experiment
from repose.sim.message import Message


def notify(experiment: Experiment, sentence: Message, repeats: bool = False) -> None:
    """Show one sentence beside the picture until the next one; `repeats` if it repeats what stands over the picture."""
    experiment.message, experiment.message_repeats = sentence, repeats
    experiment.messages += 1


def recall(experiment: Experiment, sentence: Message) -> None:
    """Show the message of an earlier state to which the experiment has returned, without counting it as new."""
    experiment.message, experiment.message_repeats = sentence, False
