"""What the author of a scene is told about a field that is missing or wrong, with an example of what to write."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

from repose.sim.message import Message
from repose.sim.parameters import ParameterError
from repose.sim.wording import short, value_text

EXAMPLES = {
    "name": 'name="hopper"',
    "title": 'title="Hopper"',
    "summary": 'summary="Discs run out of a hopper."',
    "direction": 'direction=Direction(see="The flow stops.", colour="speed", plot="motion", speed=1.0, seconds=10.0)',
    "parameters": "parameters=HopperParameters",
    "model": 'model=ModelChoice(law="voigt", dimension=2, smallest_grain=smallest_grain)',
    "course": "course=Course(begin=begin, supervise=supervise, ...)",
    "view": "view=SceneView(box=lambda experiment: ((-0.1, 0.0), (0.1, 0.2)))",
    "hand": "hand=Hand(add_grains=add_grains)",
    "limits": "limits=SceneLimits(overlap_limit=0.5)",
    "see": 'see="The outlet clogs: the flow stops."',
    "colour": 'colour="speed", a quantity that the grains show',
    "plot": 'plot="motion", the plot that opens',
    "speed": "speed=0.1, simulated time per wall time",
    "seconds": "seconds=10.0, the wall time of the phenomenon",
    "law": 'law="voigt"',
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
"""An example for each record of a scene, and for each field of `Scene` and of its records that has no default."""
ALLOWED = {
    "seconds": "a time above 0, as in Pace(6.0, 'share')",
    "known_from": "'share', 'fall', 'before' or 'direction'",
    "pace": "None or a record, as in Pace(6.0, 'share')",
    "speed": "a number from 1e-6 to 1000, as in speed=0.1",
    "speeds": "a number from 1e-6 to 1000 for each phase, as in speeds={'flowing': 0.1}",
    "look": "'front', 'side', 'top' or 'three-quarter'",
    "answer": "a sentence with the names of values only, as in answer='The sphere stops after {time}.'",
    "span": "None or two numbers, the smaller first, as in span=(0.0, 0.1)",
}
"""What the fields of a phase, of its pace and of the direction of a scene can be."""
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


@dataclass(frozen=True, kw_only=True)
class SceneRecord:
    """Base of the dataclasses that are the records of a scene.

    A record does not know the name of its scene. In place of one that lacks a field, or has a field of another record,
    there is therefore a `WrongRecord`, which the scene refuses.
    """

    PLACE: ClassVar[str]
    """The field of `Scene` that holds the record."""

    def __new__(cls, **named: Any) -> Self:
        wrong: Any = wrong_fields(cls, named, f" in {cls.PLACE}={cls.__name__}(...)")
        return wrong or super().__new__(cls)

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), self.__dict__  # a snapshot with a record goes to another process, which makes it with its fields

    def __copy__(self) -> Self:
        return self  # it does not change, and `copy` would make it without fields

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class WrongRecord(NamedTuple):
    """What is wrong with the fields of a record of a scene, or of the scene itself."""

    where: str
    """The record in words, after a space; empty for the scene itself."""
    misplaced: tuple[str, ...]
    """Fields of one other record."""
    missing: str = ""
    """The first field that is missing."""

    def refusal(self, scene: Any) -> ParameterError:
        """The error of the scene of this name."""
        whose = f"The scene {value_text(scene)}"
        if not self.misplaced:
            return ParameterError(
                f"{whose} lacks the field '{self.missing}': give it{self.where}, as in {EXAMPLES[self.missing]}."
            )
        (record,) = _records_with(self.misplaced[0])
        moved = ", ".join(f"{name}=..." for name in self.misplaced)
        return ParameterError(
            f"{whose} has the field '{self.misplaced[0]}'{self.where}, which belongs in its record '{record.PLACE}': "
            f"write {record.PLACE}={record.__name__}({moved})."
        )


def wrong_fields(record: type, given: Collection[str], where: str = "") -> WrongRecord | None:
    """What is wrong with these names of the fields of a record, or of the scene itself; None if nothing is.

    Names that no record has are left to Python, which refuses them.
    """
    own = {entry.name: entry for entry in fields(record)}
    places = {name: _records_with(name) for name in given if name not in own}
    misplaced = [name for name, records in places.items() if records]
    if misplaced:
        return WrongRecord(where, tuple(name for name in misplaced if places[name] == places[misplaced[0]]))
    wanted = (name for name, entry in own.items() if entry.default is entry.default_factory is MISSING)
    missing = next((name for name in wanted if name not in given), "")
    return WrongRecord(where, (), missing) if missing else None


def _records_with(name: str) -> list[type[SceneRecord]]:
    """The record that has a field of this name, if there is one."""
    return [record for record in SceneRecord.__subclasses__() if name in {entry.name for entry in fields(record)}]


def require_records(scene: type, given: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for the first of these arguments of a scene that is missing, misplaced or no record."""
    name = given.get("name", "")
    if wrong := wrong_fields(scene, given):
        raise wrong.refusal(name)
    for record in SceneRecord.__subclasses__():
        record_given = given.get(record.PLACE)
        if isinstance(record_given, WrongRecord):
            raise record_given.refusal(name)
        if record.PLACE in given and not isinstance(record_given, record):
            raise ParameterError(
                f"The scene {value_text(name)} needs a {record.__name__} in its field '{record.PLACE}', as in "
                f"{EXAMPLES[record.PLACE]}."
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
    if isinstance(name, str) and NAME.fullmatch(name) and isinstance(label, Message | str):
        return
    shown = name if name or not isinstance(label, Message | str) else label
    raise UnnamedRecord(
        f"A {kind} with {value_text(str(shown))} lacks the field 'name': give it before the label, as in "
        f"{RECORDS[kind]}; a name has small letters, digits and underscores."
    )


def unusable_field(scene: str, field: str, reason: object) -> ParameterError:
    """The error of a scene whose function fails or returns other records than it must; the reason ends a sentence."""
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
        f"in the field 'phases' of its course, as in {EXAMPLES['phases']}."
    )


def refused_value(record: str, field: str, value: Any, name: Any = "") -> ParameterError:
    """The error of a record, "pace", "phase" or "direction", perhaps with a name, one of whose values is not
    allowed."""
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
