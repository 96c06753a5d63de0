"""What the author of a scene is told about a field that is missing or wrong, with an example of what to write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from repose.sim.message import Message
from repose.sim.parameters import ParameterError
from repose.sim.wording import short, value_text

EXAMPLES = {
    "name": 'name="hopper"',
    "title": 'title="Hopper"',
    "summary": 'summary="Discs run out of a hopper."',
    "law": 'law="voigt"',
    "parameters": "parameters=HopperParameters",
    "dimension": "dimension=2",
    "begin": "begin=begin, a function begin(parameters, seed) -> tuple[World, HopperState]",
    "supervise": "supervise=lambda experiment: None",
    "actions": "actions=lambda experiment: ()",
    "act": 'act=lambda experiment, action: ""',
    "phases": 'phases=(Phase("flowing", _("flowing"), runs=True), Phase("rested", _("at rest"), ends=True))',
    "describe": 'describe=lambda experiment: (experiment.phase, "grains flow", None)',
    "box": "box=lambda experiment: ((-0.1, 0.0), (0.1, 0.2))",
    "results": "results=lambda experiment: {}",
    "check": 'check=lambda experiment: ""',
    "smallest_grain": "smallest_grain=lambda parameters: (1e-6, 1e-3)",
}
"""An example for each field of `Scene` that has no default."""
ALLOWED = {
    "seconds": "a film time above 0, as in Pace(6.0, 'share')",
    "known_from": "'share', 'fall' or 'before'",
    "pace": "None or a record, as in Pace(6.0, 'share')",
    "colour": "'', 'speed' or 'layer'",
}
"""What the fields of a phase and of its pace can be."""
RECORDS = {
    "reading": 'Reading("flow_rate", _("flow rate"), 3.2, "1/s")',
    "curve": 'Curve("flow", _("Flow"), TIME, Axis(_("flow rate"), "1/s"), lines)',
    "outcome": 'Outcome("momentum", _("the momentum stays"), found, expected, True)',
    "measurement": 'Measurement("mean_overlap", _("mean overlap"), "δ", "mm", mean_overlap)',
}
"""An example of each kind of record whose name files refer to."""
NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
"""Name of a record: words of small letters, joined by underscores; a dot begins a part, as in energy.sliding."""
LABELS = ("label", "title", "statement")
"""Fields with the label of such a record."""
LONGEST_NAME = 60
"""Largest number of characters of the name of a phase."""


def require_given(wanted: Iterable[str], given: Collection[str], scene: Any) -> None:
    """Raise `ParameterError` for the first field of a scene that is wanted and not given."""
    missing = next((name for name in wanted if name not in given), None)
    if missing is not None:
        raise ParameterError(
            f"The scene {value_text(scene)} lacks the field '{missing}': give it, as in {EXAMPLES[missing]}."
        )


def is_name(name: Any) -> bool:
    """Whether a phase can have this name."""
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


class UnnamedRecord(ParameterError):
    """A record lacks a name that files can refer to."""


def require_name(kind: str, given: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Raise `UnnamedRecord` unless the arguments of a record, one of `RECORDS`, begin with its name and its label."""
    name = given[0] if given else named.get("name", "")
    label = given[1] if len(given) > 1 else next((named[key] for key in LABELS if key in named), "")
    if isinstance(name, str) and not isinstance(name, Message) and NAME.fullmatch(name) and isinstance(label, str):
        return
    shown = name if name or not isinstance(label, str) else label
    raise UnnamedRecord(
        f"A {kind} with {value_text(str(shown))} lacks the field 'name': give it before the label, as in "
        f"{RECORDS[kind]}; a name has small letters, digits and underscores."
    )


def unnamed_in(scene: str, field: str, reason: Exception) -> ParameterError:
    """The error of a scene whose function returns a record without a name."""
    return ParameterError(f"The scene '{scene}' cannot be used, because of its field '{field}': {reason}")


def same_names(scene: str, field: str, name: str) -> ParameterError:
    """The error of a scene whose function returns two records of one name."""
    return ParameterError(
        f"The scene '{scene}' cannot be used, because of its field '{field}': two records have the name '{name}'; "
        "rename one of them."
    )


def no_phases(scene: Any) -> ParameterError:
    """The error of a scene whose phases are no records with different names."""
    return ParameterError(
        f"The scene {value_text(scene)} needs records with different names of 1 to {LONGEST_NAME} printable characters "
        f"in its field 'phases', as in {EXAMPLES['phases']}."
    )


def refused_value(record: str, field: str, value: Any, name: Any = "") -> ParameterError:
    """The error of a record, "pace" or "phase", perhaps with a name, whose field has a value that is not allowed."""
    whose = f"{record} {value_text(name)}" if name else record
    return ParameterError(
        f"The {whose} has {field} = {value_text(value)}, which is refused: it must be {ALLOWED[field]}."
    )


def unknown_phase(scene: str, phase: Any, names: Collection[str]) -> ParameterError:
    """The error of a scene with these phases that has entered another one."""
    shown = short(str(phase))
    return ParameterError(
        f"The scene '{scene}' has no phase '{shown}', only {', '.join(names)}: add "
        f'Phase("{shown}", _("{shown}")) to its phases.'
    )


def no_phase_in_state(scene: str, names: Collection[str]) -> ParameterError:
    """The error of a scene whose state does not hold the name of a phase."""
    return ParameterError(
        f"The state of the scene '{scene}' lacks the field 'phase': give it, as in phase: str = "
        f'"{next(iter(names))}".'
    )
