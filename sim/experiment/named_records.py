"""Readings, plots and outcomes of an experiment, each with a name that no other one of its kind has in the scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Curve, Outcome, Reading
from repose.sim.scene_fields import UnnamedRecord, same_names, unnamed_in

Record = TypeVar("Record", Reading, Curve, Outcome)


def readings_of(experiment: Experiment) -> tuple[Reading, ...]:
    """The readings of the scene now; raises `ParameterError` if one has no name of its own."""
    return _named(experiment, "course.readings", experiment.scene.course.readings)


def curves_of(experiment: Experiment) -> tuple[Curve, ...]:
    """The plots of the scene now; raises `ParameterError` if one has no name of its own."""
    return _named(experiment, "view.curves", experiment.scene.view.curves)


def outcomes_of(experiment: Experiment) -> tuple[Outcome, ...]:
    """The outcomes of the scene now; raises `ParameterError` if one has no name of its own."""
    return _named(experiment, "course.outcomes", experiment.scene.course.outcomes)


def require_names(experiment: Experiment) -> None:
    """Raise `ParameterError` if a reading, plot or outcome of the present state has no name of its own."""
    for records in (readings_of, curves_of, outcomes_of):
        records(experiment)


def _named(experiment: Experiment, field: str, records: Callable[[Experiment], Sequence[Record]]) -> tuple[Record, ...]:
    try:
        found = tuple(records(experiment))
    except UnnamedRecord as error:
        raise unnamed_in(experiment.scene.name, field, error) from None
    names = [record.name for record in found]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise same_names(experiment.scene.name, field, twice)
    return found
