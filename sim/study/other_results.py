"""Results of another study or sweep, to be drawn beside those of this one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from repose.sim.experiment.comparison import Published
from repose.sim.io.json_text import read_json
from repose.sim.parameters import ParameterError
from repose.sim.study.plan import Reference, StudyPlan
from repose.sim.study.quantities import default_names, quantity_of
from repose.sim.wording import path_text, value_text

RESULT = "result.json"


def references_in(folder: Path, plan: StudyPlan) -> tuple[Reference, ...]:
    """Means with errors of every line of the study in `folder`; raises `ParameterError` where they cannot be compared
    with those of the plan: another scene, parameter or quantity."""
    name = (plan.measured or default_names(plan.scene, {}))[0]
    scale = quantity_of(plan.scene, name, plan.numbers).scale
    try:
        content: dict[str, Any] = read_json(folder / RESULT)
        theirs = (content["scene"], content["over"])
        lines = _lines_in(content, folder.name, name, plan.over, scale)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        raise ParameterError(
            f"--beside {path_text(folder)} contains no results of a study: name the folder of one."
        ) from None
    if theirs != (plan.scene, plan.over):
        raise ParameterError(
            f"--beside {path_text(folder)} contains {value_text(theirs[0])} over {value_text(theirs[1])}, not "
            f"'{plan.scene}' over '{plan.over}': they have no common axes."
        )
    if not lines:
        raise ParameterError(
            f"--beside {path_text(folder)} has measured no {name.replace('_', ' ')}: name another folder."
        )
    return tuple(Reference(label, points=tuple(points)) for label, points in lines.items())


def _lines_in(content: Any, study: str, name: str, over: str, scale: float) -> dict[str, list[Published]]:
    """The points of every line in the table of results, by its label."""
    lines: dict[str, list[Published]] = {}
    for row in content["table"]:
        mean = row.get(name)
        if not isinstance(row.get(over), int | float) or not isinstance(mean, dict):
            continue
        others = [word for key, word in row.items() if key == "case" or key in content["varied"]]
        words = ", ".join(str(word) for word in others if word is not row[over])
        label = f"{study}: {words}" if words else study
        error = mean["standard_error"]
        at, value = float(row[over]), float(mean["mean"]) * scale
        lines.setdefault(label, []).append(Published(at, value, 0.0 if error is None else float(error) * scale))
    return lines
