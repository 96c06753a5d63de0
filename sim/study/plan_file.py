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

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field
from repose.sim.experiment.comparison import Published
from repose.sim.io import schema
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError, require_parameter_of
from repose.sim.registry import default_scene, scenes
from repose.sim.study.plan import MOST_RUNS, Case, Reference, StudyPlan
from repose.sim.study.quantities import default_names, quantity_of, require_measured
from repose.sim.wording import path_text

Table = Annotated[Mapping[str, Any], schema.a_table("[values]")]
"""Values of parameters, SI, which the parameter sets check."""
Point = Annotated[
    list[float],
    MinLen(2),
    MaxLen(3),
    schema.Allowed(_("a point of finite numbers, [value, quantity] or [value, quantity, error]")),
]


GridValues = Annotated[schema.Values, MinLen(1), schema.such_as(_("a list of values, at least one"), "[0.1, 0.2]")]


class CaseTable(schema.FilePart):
    """One of several sets of values."""

    label: Annotated[str, MinLen(1), schema.Allowed(_("a text, which names the line of the case in the figure"))]
    values: Table = Field(default_factory=dict)
    preset: str = ""


class ReferenceTable(schema.FilePart):
    """Published points, in the units shown."""

    label: str = ""
    points: Annotated[schema.ListOf[Point], schema.EntryName("point")] = ()
    error_is: str = Reference.scatter


class StudyFile(schema.FilePart):
    """The whole file."""

    title: str = ""
    about: str = ""
    scene: Annotated[str, schema.Known(_("scene"), scenes)] = ""
    preset: str = ""
    seeds: Annotated[
        Annotated[int, Ge(1), Le(MOST_RUNS)] | Annotated[list[int], MinLen(1)],
        schema.Allowed(Message("a number of seeds, 1 to {most_runs}, or a list of seeds", most_runs=MOST_RUNS)),
    ] = 3
    error: Annotated[float, Ge(0.0), schema.Allowed(_("a standard error, a number of at least 0"))] = 0.0
    most_seeds: Annotated[int, Ge(1)] = StudyPlan.most_seeds
    measured: Annotated[
        schema.ListOf[Annotated[str, MinLen(1)]],
        schema.such_as(_("a list of names of quantities"), '["angle_of_repose", "grains_left"]'),
    ] = ()
    values: Table = Field(default_factory=dict)
    grid: Annotated[Mapping[str, GridValues], schema.a_table_of_lists("[grid]")] = {}
    case: schema.ListOf[Annotated[CaseTable, schema.a_table("[[case]]")]] = ()
    reference: schema.ListOf[Annotated[ReferenceTable, schema.a_table("[[reference]]")]] = ()


def read_plan(path: Path) -> StudyPlan:
    """The study in a TOML file; raises `ParameterError` with the file, the key, the value and the limit."""
    document = schema.from_toml(schema.read_text(path, _("study")), path_text(path))
    if not document:
        raise ParameterError(
            Message('{name} is empty: a study has a scene, scene = "heap", or a preset.', name=path_text(path))
        )
    with schema.positioned(path_text(path)):
        plan = _plan(schema.checked(StudyFile, document), path.stem).check()
        require_measured(
            plan.scene,
            plan.values_of(plan.cases[0], plan.combinations()[0]),
            plan.measured,
            plan.instruments_of(plan.cases[0]),
        )
    return plan


def _plan(file: StudyFile, name: str) -> StudyPlan:
    scene = file.scene or default_scene()
    declared = scenes()[scene].parameters.declared()
    over = next(iter(file.grid), "")
    x_scale = declared[over].quantity.scale if over in declared else 1.0
    y_scale = quantity_of(scene, (file.measured or default_names(scene, {}))[0]).scale
    plan = StudyPlan(
        name=name,
        title=file.title if "title" in file.model_fields_set else name,
        about=file.about,
        scene=scene,
        preset=file.preset,
        values=file.values,
        grid={key: tuple(values) for key, values in file.grid.items()},
        cases=tuple(Case(case.label, case.values, case.preset) for case in file.case) or (Case(""),),
        seeds=tuple(file.seeds if isinstance(file.seeds, list) else range(1, file.seeds + 1)),
        error=file.error,
        most_seeds=file.most_seeds,
        measured=file.measured,
        references=tuple(_reference(entry, x_scale, y_scale) for entry in file.reference),
    )
    runs = (plan.values_of(case, varied) for case, varied in itertools.product(plan.cases, plan.combinations()))
    kinds = dict.fromkeys(scenes()[scene].parameters.chosen(values) for values in runs)
    for key in (*file.values, *file.grid):
        require_parameter_of(key, kinds)
    return plan


def _reference(entry: ReferenceTable, x_scale: float, y_scale: float) -> Reference:
    rows = ((*point, math.nan)[:3] for point in entry.points)
    points = tuple(Published(at * x_scale, value * y_scale, error * y_scale) for at, value, error in rows)
    return Reference(entry.label, None, points, entry.error_is)
