"""Readings, plots and outcomes of an experiment, each with a name that no other one of its kind has in the scene."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Curve, Outcome, Reading
from repose.sim.measure.size_curves import size_curves
from repose.sim.parameters import ParameterError
from repose.sim.registry import extra_modules
from repose.sim.scene_fields import UnnamedRecord, same_names, unusable_field
from repose.sim.wording import described, short

Record = TypeVar("Record", Reading, Curve, Outcome)


def readings_of(experiment: Experiment) -> tuple[Reading, ...]:
    """The readings of the scene now; raises `ParameterError` if one has no name of its own, or if its plug-in fails."""
    return _named(experiment, "course.readings", experiment.scene.course.readings, Reading)


def curves_of(experiment: Experiment) -> tuple[Curve, ...]:
    """The plots of the scene now, and those of the sizes that its parameters state; raises `ParameterError` as
    `readings_of` does."""
    curves = _named(experiment, "view.curves", experiment.scene.view.curves, Curve)
    built = experiment.run.built
    sizes = built.distribution
    return curves if sizes is None else (*curves, *size_curves(sizes, built.grain_count, built.mean_radius))


def outcomes_of(experiment: Experiment) -> tuple[Outcome, ...]:
    """The outcomes of the scene now; raises `ParameterError` as `readings_of` does."""
    return _named(experiment, "course.outcomes", experiment.scene.course.outcomes, Outcome)


def require_names(experiment: Experiment) -> None:
    """Raise `ParameterError` if a reading, plot or outcome of the present state has no name of its own."""
    for records in (readings_of, curves_of, outcomes_of):
        records(experiment)


def _named(
    experiment: Experiment, field: str, records: Callable[[Experiment], Sequence[Record]], kind: type[Record]
) -> tuple[Record, ...]:
    scene = experiment.scene.name
    try:
        returned = records(experiment)
        items = tuple(returned) if isinstance(returned, Iterable) else (returned,)
    except UnnamedRecord as error:
        raise unusable_field(scene, field, error) from None
    except ParameterError:
        raise
    except Exception as error:  # a plug-in can raise any error; one of Repose itself keeps its traceback
        if not (position := place_in_plugin(error)):
            raise
        raise unusable_field(scene, field, f"{described(error)} ({position}).") from None
    if not all(isinstance(record, kind) for record in items):
        raise unusable_field(scene, field, f"it must return a tuple of records of the class {kind.__name__}.")
    names = [record.name for record in items]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise same_names(scene, field, twice)
    return items


def place_in_plugin(error: BaseException) -> str:
    """File and line of the innermost code of a plug-in that an error has left; empty if it has left none."""
    packages = {module.__name__.partition(".")[0] for module in extra_modules()}
    steps = [
        f"{short(Path(frame.f_code.co_filename).name)}, line {line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in packages
    ]
    return steps[-1] if steps else ""
