"""Comparison of runs with closed forms and published numbers: the presets of the scenes of the group "checks".

The window plays the same presets before an audience, with the same numbers at the end (`Scene.course.outcomes`).
"""

from __future__ import annotations

import time
from typing import NamedTuple

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.named_records import outcomes_of
from repose.sim.io import presets
from repose.sim.measure.display import Outcome
from repose.sim.message import plain
from repose.sim.parameters import require_known
from repose.sim.registry import scenes

GROUP = "checks"
"""Group of the scenes that compare a run with a closed form."""


class Comparison(NamedTuple):
    """One run and its numbers beside those expected."""

    preset: str
    title: str
    outcomes: tuple[Outcome, ...]
    trouble: str
    """Why the run gave no numbers; empty if it did."""
    experiment: Experiment | None = None
    """The experiment at the end of the run."""
    seconds: float = 0.0
    """Wall time of the run, compiling included [s]."""

    @property
    def holds(self) -> bool:
        """Whether there are numbers and all of them are as expected."""
        return not self.trouble and bool(self.outcomes) and all(outcome.holds for outcome in self.outcomes)


def comparisons() -> tuple[str, ...]:
    """Names of the presets that are compared."""
    return tuple(name for name in presets.names() if scenes()[presets.card_of(name).scene].group == GROUP)


def compare(name: str) -> Comparison:
    """Run one of these presets to its end; raises `ParameterError` for any other name."""
    require_known(name, comparisons(), plain("validation"))
    began = time.perf_counter()
    preset = presets.load(name)
    experiment = new_experiment(preset.scene, preset.values, preset.seed)
    result = run_experiment(experiment)
    outcomes = outcomes_of(experiment)
    trouble = result["fault"] or ("" if outcomes else result["complaint"] or "the run has no numbers")
    return Comparison(name, preset.title, outcomes, trouble, experiment, time.perf_counter() - began)
