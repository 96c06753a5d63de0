"""Runs of studies in the process of the test, so that a test of seconds needs no processes of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from repose.sim.study.parallel_runs import Task, write_result
from repose.sim.study.plan import StudyPlan


def run_here(
    tasks: Sequence[Task],
    workers: int,
    *,
    on_progress: Callable[[str, float], None],
    on_end: Callable[[Task, str], Sequence[Task] | None],
) -> None:
    """`run_all` without processes."""
    waiting = list(tasks)
    while waiting:
        task = waiting.pop(0)
        write_result(task)
        waiting.extend(on_end(task, "") or ())
        on_progress(task.name, 0.5)


def tiny(plan: StudyPlan, grains: int = 40, seeds: int = 2) -> StudyPlan:
    """The study with so few grains that a run takes part of a second, and with at most two values and so many
    seeds."""

    def smaller(values: Any) -> dict[str, Any]:
        return {name: value // 100 if name == "grain_count" else value for name, value in values.items()}

    cases = tuple(replace(case, values=smaller(case.values)) for case in plan.cases)
    grid = {name: values[:: max(1, len(values) - 1)] for name, values in plan.grid.items()}
    values = {"grain_count": grains, **{name: value for name, value in plan.values.items() if name != "width"}}
    values["width"] = 0.012
    if any("grain_count" in case.values for case in plan.cases):
        values.pop("grain_count")
    return replace(plan, cases=cases, grid=grid, values=values, seeds=plan.seeds[:seeds])
