"""Studies of the user as TOML files: numbers, words and tables only, never code.

title = "Does the base matter?"
scene = "heap"
seeds = 5                          # a number, or a list of seeds
error = 0.5                        # optional: seeds are added until the standard error is at most this

[values]                           # of all runs, SI
grain_count = 300

[grid]                             # every combination; the first one is on the abscissa
friction = [0.05, 0.1, 0.2]
integrator = ["gear5", "leapfrog"]

[[case]]                           # optional: sets of values to compare, also from presets
label = "linear"
values = { exponent = "linear", normal_stiffness = 1e4 }

[[reference]]                      # optional: published points, in the units shown: value, quantity, error
label = "measured"
points = [[0.1, 12.0, 1.5]]
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repose.sim.experiment.comparison import Published
from repose.sim.io.presets import read_toml
from repose.sim.message import _, plain
from repose.sim.parameters import ParameterError, ParameterSet, Value, require_known
from repose.sim.registry import default_scene, scenes
from repose.sim.study.plan import MOST_RUNS, Case, Reference, StudyPlan
from repose.sim.study.quantities import default_names, quantity_of, require_measured
from repose.sim.wording import path_text, reason_of, short, value_text

KEYS = (
    *("title", "about", "scene", "preset", "seeds", "error", "most_seeds", "measured", "values", "grid", "case"),
    "reference",
)
"""Keys of a file."""


def read_plan(path: Path) -> StudyPlan:
    """The study in a TOML file; raises `ParameterError` with the file, the key, the value and the limit."""
    text = read_toml(path, _("study"))
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{path_text(path)} is not valid TOML: {reason_of(error)}.") from None
    try:
        plan = _plan(document, path.stem).check()
        require_measured(plan.scene, plan.values_of(plan.cases[0], plan.combinations()[0]), plan.measured)
    except ParameterError as error:
        raise ParameterError(f"{path_text(path)}: {error}") from None
    return plan


def _plan(document: Mapping[str, Any], name: str) -> StudyPlan:
    for key in document:
        require_known(key, KEYS, plain("key"))
    scene = _of_type(document, "scene", str, default_scene())
    require_known(scene, scenes(), plain("scene"))
    measured = _measured(document)
    grid = {key: tuple(_values(key, values)) for key, values in _table(document, "grid").items()}
    parameters: type[ParameterSet] = scenes()[scene].parameters
    cases = tuple(_case(entry) for entry in _list(document, "case")) or (Case(""),)
    drawn = quantity_of(scene, (measured or default_names(scene, {}))[0])
    x_scale = (
        parameters.declared()[next(iter(grid))].quantity.scale
        if grid and next(iter(grid)) in parameters.declared()
        else 1.0
    )
    plan = StudyPlan(
        name=name,
        title=_of_type(document, "title", str, name),
        about=_of_type(document, "about", str, ""),
        scene=scene,
        preset=_of_type(document, "preset", str, ""),
        values=_table(document, "values"),
        grid=grid,
        cases=cases,
        seeds=_seeds(document.get("seeds", 3)),
        error=float(_of_type(document, "error", (int, float), 0.0)),
        most_seeds=_of_type(document, "most_seeds", int, StudyPlan.most_seeds),
        measured=measured,
        references=tuple(_reference(entry, x_scale, drawn.scale) for entry in _list(document, "reference")),
    )
    for key in ("values", "grid"):
        for entry in document.get(key, {}):
            _require_declared(entry, plan)
    return plan


def _require_declared(name: str, plan: StudyPlan) -> None:
    """Raise `ParameterError` if no parameter set of the scene has a parameter of this name."""
    known = set()
    for case in plan.cases:
        for varied in plan.combinations():
            known |= set(scenes()[plan.scene].parameters.chosen(plan.values_of(case, varied)).model_fields)
    require_known(name, known)


def _of_type(document: Mapping[str, Any], key: str, kind: Any, default: Any) -> Any:
    value = document.get(key, default)
    if isinstance(value, bool) or not isinstance(value, kind):
        words = "text" if kind is str else "a whole number" if kind is int else "a number"
        raise ParameterError(f"{key} = {value_text(value)} is refused: it must be {words}.")
    return value


def _table(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise ParameterError(f"{key} = {value_text(value)} is refused: it must be a table, [{key}].")
    return value


def _list(document: Mapping[str, Any], key: str) -> list[Any]:
    value = document.get(key, [])
    if not isinstance(value, list):
        raise ParameterError(f"{key} = {value_text(value)} is refused: it must be a list.")
    return value


def _values(name: str, values: Any) -> list[Value]:
    if not isinstance(values, list) or not all(isinstance(value, int | float | str | bool) for value in values):
        raise ParameterError(
            f"{short(name)} = {value_text(values)} is refused: it must be a list of values, such as [0.1, 0.2]."
        )
    if not values:
        raise ParameterError(f"{short(name)} is to vary over no values: give at least one.")
    return values


def _seeds(value: Any) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_RUNS:
        return tuple(range(1, value + 1))
    if isinstance(value, list) and value and all(isinstance(seed, int) for seed in value):
        return tuple(value)
    raise ParameterError(
        f"seeds = {value_text(value)} is refused: it must be a number of seeds, 1 to {MOST_RUNS}, or a list of seeds."
    )


def _measured(document: Mapping[str, Any]) -> tuple[str, ...]:
    names = _list(document, "measured")
    for name in names:
        if not isinstance(name, str) or not name:
            raise ParameterError(
                f"measured = {value_text(names)} is refused: it must be a list of names of quantities, such as "
                '["angle_of_repose", "grains_left"].'
            )
    return tuple(names)


def _case(entry: Any) -> Case:
    if not isinstance(entry, dict):
        raise ParameterError(f"case = {value_text(entry)} is refused: it must be a table, [[case]].")
    for key in entry:
        require_known(key, ("label", "values", "preset"), plain("key of a case"))
    label = _of_type(entry, "label", str, "")
    if not label:
        raise ParameterError("A case has no label: add one, which names its line in the figure.")
    return Case(label, _table(entry, "values"), _of_type(entry, "preset", str, ""))


def _reference(entry: Any, x_scale: float, y_scale: float) -> Reference:
    if not isinstance(entry, dict):
        raise ParameterError(f"reference = {value_text(entry)} is refused: it must be a table, [[reference]].")
    for key in entry:
        require_known(key, ("label", "points", "error_is"), plain("key of a reference"))
    rows = []
    for point in _list(entry, "points"):
        numbers = isinstance(point, list) and all(isinstance(x, int | float) and math.isfinite(x) for x in point)
        if not numbers or len(point) not in (2, 3):
            raise ParameterError(
                f"points = {value_text(point)} is refused: each is [value, quantity] or [value, quantity, error]."
            )
        at, value, error = (*point, math.nan)[:3]
        rows.append(Published(at * x_scale, value * y_scale, error * y_scale))
    scatter = _of_type(entry, "error_is", str, Reference.scatter)
    return Reference(_of_type(entry, "label", str, ""), None, tuple(rows), scatter)
