"""Quantities that a study measures, by name, read from the results of its runs.

A name denotes the quantity by which runs of the scene are compared, such as flow_rate, a measurement
(repose.sim.measure), or a number in the result of a run, such as grains_left or energy.sliding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.comparison import PREPARED, Point, ResultNumber
from repose.sim.experiment.results import results_of
from repose.sim.instruments.instrument import Instrument
from repose.sim.message import EMPTY, Message, plain
from repose.sim.parameters import ParameterError, Value, require_known
from repose.sim.registry import measurements, scenes


class ShownQuantity(NamedTuple):
    """How a quantity is shown."""

    name: str
    label: Message
    symbol: str
    unit: str
    scale: float
    """SI value of one shown unit."""
    error_of: Message = EMPTY
    """Origin of the error of a single run."""
    error_name: str = "run"
    """Name of this origin in results."""


def name_of_study(scene: str) -> str:
    """Name of the quantity by which runs of the scene are compared; empty if there is none."""
    study = scenes()[scene].study
    return "" if study is None else study.name


def names_beside(scene: str) -> tuple[str, ...]:
    """Names of the numbers that are reported beside this quantity."""
    study = scenes()[scene].study
    return () if study is None else tuple(study.beside)


def quantity_of(scene: str, name: str, numbers: Mapping[str, ResultNumber] | None = None) -> ShownQuantity:
    """The quantity of that name; `numbers` are those that a study adds to the results of the scene."""
    if name == name_of_study(scene):
        study = scenes()[scene].study
        return ShownQuantity(
            name, study.quantity, study.symbol, study.unit, study.scale, study.error_of, study.error_name
        )
    if name in measurements():
        measurement = measurements()[name]
        return ShownQuantity(
            name,
            measurement.title,
            measurement.symbol,
            measurement.unit_in(scenes()[scene].model.dimension),
            measurement.scale,
        )
    last = name.rpartition(".")[2]
    known = {**scenes()[scene].course.result_numbers, **(numbers or {})}
    shown = known.get(last) or ResultNumber(plain(last.replace("_", " ")))
    return ShownQuantity(name, shown.label, shown.symbol, shown.unit, 1.0)


def default_names(scene: str, results: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """The quantity of the scene, and the numbers beside it that the results contain.

    Raises `ParameterError` if runs of the scene are not compared by a quantity.
    """
    own = name_of_study(scene)
    if not own:
        able = ", ".join(entry.name for entry in scenes().values() if entry.study)
        raise ParameterError(
            Message(
                "Scene '{scene}' measures no quantity for a comparison of runs; choose one of: {able}.",
                scene=scene,
                able=able,
            )
        )
    return (own, *(name for name in names_beside(scene) if any(name in result for result in results.values())))


def require_measured(
    scene: str, values: Mapping[str, Value], names: Sequence[str], instruments: Sequence[Instrument] = ()
) -> None:
    """Raise `ParameterError` for a name that no quantity of a run with these values [SI] and instruments has.

    What a run has not measured at its beginning may contain any number, such as those of a surface at rest.
    """
    others = [name for name in names if name != name_of_study(scene) and name not in measurements()]
    if not others:
        return
    numbers = dict(numbers_in(results_of(new_experiment(scene, values, 1, instruments=instruments))))
    open_names = tuple(name for name, value in numbers.items() if value is None)
    for name in others:
        if name not in numbers and not name.startswith(tuple(f"{begin}." for begin in open_names)):
            require_known(name, (name_of_study(scene), *measurements(), *numbers), plain("quantity"))


def numbers_in(results: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, float | None]]:
    """All numbers of a result, and entries not measured yet, by name."""
    for key, value in results.items():
        if isinstance(value, Mapping):
            yield from numbers_in(value, f"{within}{key}.")
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            yield f"{within}{key}", value


def read(scene: str, name: str, result: Mapping[str, Any], at: float) -> Point | None:
    """The result of a run, SI, at the value `at` on the abscissa; None if it measured nothing."""
    conditions = {**result.get("parameters", {}), PREPARED: result.get("ready") is not None}
    if name == name_of_study(scene):
        point = result["point"]
        if point is None:
            return None
        scale = quantity_of(scene, name).scale
        error = math.nan if point["error"] is None else point["error"] * scale
        aside = {key: math.nan if value is None else value for key, value in point["aside"].items()}
        return Point(at, point["value"] * scale, error, aside, conditions)
    point = result["measurements"] if name in measurements() else result
    for part in [name] if name in measurements() else name.split("."):
        point = point.get(part) if isinstance(point, Mapping) else None
    if isinstance(point, bool) or not isinstance(point, int | float):
        return None
    return Point(at, float(point), math.nan, {}, conditions)
