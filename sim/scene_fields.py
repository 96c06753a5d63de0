"""What the author of a scene is told about a field that is missing or wrong, with an example of what to write."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

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
