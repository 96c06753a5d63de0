"""Results of another study or sweep, to be drawn beside those of this one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from repose.sim.experiment.comparison import Published
from repose.sim.parameters import ParameterError
from repose.sim.study.plan import Reference, StudyPlan
from repose.sim.study.quantities import default_names, quantity_of

RESULT = "result.json"


def references_in(folder: Path, plan: StudyPlan) -> tuple[Reference, ...]:
    """Means with errors of every line of the study in `folder`; raises `ParameterError` where they cannot be compared
    with those of the plan: another scene, parameter or quantity."""
    try:
        found: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
        theirs, rows = (found["scene"], found["over"]), list(found["table"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ParameterError(f"--beside {folder} contains no results of a study: name the folder of one.") from None
    name = (plan.measured or default_names(plan.scene, {}))[0]
    if theirs != (plan.scene, plan.over):
        raise ParameterError(
            f"--beside {folder} contains {theirs[0]} over {theirs[1]}, not {plan.scene} over {plan.over}: they have no "
            "common axes."
        )
    scale = quantity_of(plan.scene, name).scale
    lines: dict[str, list[Published]] = {}
    for row in rows:
        mean = row.get(name)
        if not isinstance(row.get(plan.over), int | float) or not isinstance(mean, dict):
            continue
        others = [word for key, word in row.items() if key == "case" or key in found["varied"]]
        words = ", ".join(str(word) for word in others if word is not row[plan.over])
        label = f"{folder.name}: {words}" if words else folder.name
        error = mean["standard_error"]
        at, value = float(row[plan.over]), float(mean["mean"]) * scale
        lines.setdefault(label, []).append(Published(at, value, 0.0 if error is None else float(error) * scale))
    if not lines:
        raise ParameterError(f"--beside {folder} has measured no {name.replace('_', ' ')}: name another folder.")
    return tuple(Reference(label, points=tuple(points)) for label, points in lines.items())
