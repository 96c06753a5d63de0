"""Parameters: each declared once, with its symbol, unit, range and effect, and checked in one place.

A law, an integrator choice or a scene declares its parameters as the fields of a `ParameterSet`; the
slider, the command-line option, the preset key and the line in the manual are all made from that one
declaration. Values are SI; `Quantity.scale` converts to the unit a person reads.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

import annotated_types
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema
from repose.sim import registry
from repose.sim.numbers import about_comma, read_number

Effect = Literal["now", "ramp", "base", "anew", "restart"]
"""When a change acts:

- "now": on the running grains, at once. Parameters that only limit forces or describe a whole impact, and those that
  are no number.
- "ramp": over one contact time (repose.sim.experiment.activation), since forces are proportional to it and a jump would
  kick the grains.
- "base": at once; walls and base are rebuilt under the grains that are present.
- "anew": at once; the experiment begins anew, and grains that are present are lost. The window asks before it does so.
- "restart": when the experiment begins anew the next time."""

Value = float | int | str | bool


class ParameterError(ValueError):
    """A refused parameter: one sentence with the value, the limit and what to do."""


@dataclass(frozen=True)
class Quantity:
    """How one parameter is shown and when it acts.

    `shown = value / scale`, in `unit`; `log` asks for a logarithmic slider; `group` is the heading it
    stands under. It travels in the annotation of the field it describes.
    """

    label: str
    symbol: str
    unit: str = ""
    scale: float = 1.0
    log: bool = False
    effect: Effect = "now"
    group: str = "Contact"


@dataclass(frozen=True)
class Parameter:
    """One declared parameter, flattened for sliders, options and manuals."""

    name: str
    quantity: Quantity
    help: str
    default: Value
    kind: Literal["float", "int", "bool", "choice", "path"]
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    """The words allowed; for `dt`, which also takes a number, `kind` is "float" and choices is ("auto",)."""
    suffixes: tuple[str, ...] = ()
    """How the name of the file may end, for a path."""
    empty: str = ""
    """What no path stands for, in words."""

    def shown(self, value: Value) -> str:
        """The value as a person reads it, with its unit."""
        if isinstance(value, bool | str):
            return str(value) or self.empty
        number = f"{value / self.quantity.scale:.6g}" if self.kind == "float" else str(value)
        return f"{number} {self.quantity.unit}".strip()

    def with_power(self, power: str) -> Parameter:
        """The parameter with `power` in place of the exponent p of its unit, if the unit has one."""
        unit = self.quantity.unit
        if not unit.endswith("^p"):
            return self
        return replace(self, quantity=replace(self.quantity, unit=unit.removesuffix("^p") + power))

    def change(self, before: Value, after: Value) -> str:
        """What was changed, from what, to what: "gravity: 9.81 m/s² → 1.62 m/s²"."""
        return f"{self.quantity.label}: {self.shown(before)} → {self.shown(after)}"


@dataclass(frozen=True)
class FilePath:
    """Marks a text as the path of a file to be read; it travels in the annotation beside the `Quantity`."""

    suffixes: tuple[str, ...]
    """How its name may end."""
    empty: str
    """What an empty text stands for, in words."""


@dataclass(frozen=True)
class OneOf:
    """Marks a text as the name of a law, an integrator or another record; it travels in the annotation beside the
    `Quantity`. Names are looked up when a value is checked, not when it is declared: plug-ins may add some."""

    kind: str
    """A key of `repose.sim.registry.OFFERS`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every name allowed."""
        return tuple(registry.found(self.kind))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, name: str) -> str:
        if name not in self.names:
            raise ValueError(f"must be one of {', '.join(self.names)}")
        return name


POWERS = {"linear": "", "hertz": "^1.5"}
"""Ending of the unit of a stiffness, by the choice of the law's exponent."""


class ParameterSet(BaseModel):
    """An immutable, validated set of parameters in SI units."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    followers: ClassVar[tuple[str, ...]] = ()
    """Parameters that follow others until they are set: `kept` leaves out those that do."""

    @classmethod
    def declared(cls) -> dict[str, Parameter]:
        """Every parameter by name, in the order of declaration."""
        return {name: _flatten(name, field) for name, field in cls.model_fields.items()}

    def in_units(self) -> dict[str, Parameter]:
        """Every parameter by name, the exponent p of a unit such as N/m^p as this set has it: N/m^1.5, or N/m."""
        power = POWERS.get(str(getattr(self, "exponent", "")), "^p")
        return {name: entry.with_power(power) for name, entry in self.declared().items()}

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """The set with the given values and defaults for the rest; raises `ParameterError`."""
        for name in values:
            require_known(name, cls.model_fields)
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise ParameterError(" ".join(dict.fromkeys(map(cls._sentence, error.errors())))) from None

    @property
    def surfaces(self) -> Mapping[str, Any]:
        """What has been read of the files these parameters have named, by path (repose.sim.scenes.vessel.shape)."""
        return {}

    def changed(self, **values: Any) -> Self:
        """A copy with some values changed, validated as a whole; raises `ParameterError`."""
        return self.checked(self.kept(values) | values)

    def kept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Present values that remain when `values` are set."""
        return self.model_dump()

    @classmethod
    def chosen(cls, values: Mapping[str, Any]) -> type[ParameterSet]:
        """The class of the set that `checked` makes of these values."""
        return cls

    @classmethod
    def parse(cls, name: str, text: str) -> Value:
        """The value a person typed for `name`, in SI; raises `ParameterError`.

        The number grammar is that of `read_number`, and the whole string must be consumed: `0,2` and `1 mm` are
        refused.
        """
        require_known(name, cls.model_fields)
        parameter = cls.declared()[name]
        if parameter.kind == "path":
            return cls._one(name, unquoted(text))
        if parameter.kind in ("float", "int"):
            number = read_number(text)
            if isinstance(number, str):
                return cls._one(name, unquoted(number))
            return cls._one(name, float(number) if parameter.kind == "float" else number)
        try:
            document = tomllib.loads(f"value = {text.strip()}")
        except tomllib.TOMLDecodeError:
            document = {}
        return cls._one(name, document["value"] if document.keys() == {"value"} else text.strip())

    @classmethod
    def _one(cls, name: str, value: Any) -> Value:
        """One value, checked beside the defaults of the others."""
        checked: Value = getattr(cls.checked({name: value}), name)
        return checked

    @classmethod
    def _sentence(cls, detail: Any) -> str:
        name = str(detail["loc"][0]) if detail["loc"] else ""
        if name not in cls.model_fields:
            return str(detail["msg"]).removeprefix("Value error, ")
        parameter = cls.declared()[name]
        value = detail["input"]
        shown = repr(value) if len(repr(value)) <= LONGEST_SHOWN else f"{repr(value)[:LONGEST_SHOWN]}..."
        point = about_comma(value) if parameter.kind in ("float", "int") else ""
        allowed = _allowed(parameter)
        return f"{name} = {shown} is refused: it must be {allowed}; the default is {parameter.default!r}.{point}"


def shared_names(one: ParameterSet | type[ParameterSet], other: ParameterSet | type[ParameterSet]) -> set[str]:
    """Names of the parameters that two sets have with the same unit."""
    a, b = one.declared(), other.declared()
    return {name for name in a if name in b and a[name].quantity.unit == b[name].quantity.unit}


LONGEST_SHOWN = 300
"""Characters of a refused value that are repeated."""

LARGEST_SEED = 2**63 - 1


def checked_seed(seed: Any) -> int:
    """The seed, if it is a valid one; raises `ParameterError`."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        shown = repr(seed) if len(repr(seed)) <= LONGEST_SHOWN else f"{repr(seed)[:LONGEST_SHOWN]}..."
        raise ParameterError(f"seed = {shown} is refused: it must be a whole number from 0 to {LARGEST_SEED}.")
    return seed


def require_local(name: str, path: str) -> None:
    """Raise `ParameterError` when a path names another machine, as \\\\server\\share and a URL do.

    To look whether such a file exists is to speak to that machine, and Windows gives it the user's name and a
    password hash on the way. Device names of Windows (\\\\?\\, \\\\.\\, \\??\\) may lead to the same.
    """
    slashes = path.strip().replace("\\", "/")
    if slashes.startswith(("//", "/??/")) or REMOTE.match(slashes):
        raise ParameterError(
            f"{name} = {path[:LONGEST_SHOWN]!r} is refused: a preset may not name a file on another machine; "
            "copy the file to this one, or choose it in the window yourself."
        )


REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""The scheme of a URL; one letter alone is a drive of Windows."""


def unquoted(text: str) -> str:
    """A path as typed or pasted: file managers copy it in quotes."""
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def require_known(name: str, names: Any, what: str = "parameter") -> None:
    """Raise `ParameterError` naming the nearest known name when `name` is not one of `names`."""
    if name in names:
        return
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.4)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names)}."
    raise ParameterError(f"Unknown {what} '{name}': {hint}")


def _allowed(parameter: Parameter) -> str:
    words = " or ".join(f"'{word}'" for word in parameter.choices)
    if parameter.kind == "choice":
        return words
    if parameter.kind == "bool":
        return "true or false"
    if parameter.kind == "path":
        return f"the path of a file that ends in {' or '.join(parameter.suffixes)}, or empty for {parameter.empty}"
    noun = "a whole number" if parameter.kind == "int" else "a number"
    unit = f" {SI_UNITS.get(parameter.quantity.unit, parameter.quantity.unit)}".rstrip()
    span = f"{noun} from {parameter.low:g} to {parameter.high:g}{unit}"
    if parameter.quantity.scale != 1.0 and parameter.low is not None and parameter.high is not None:
        span += f" ({parameter.shown(parameter.low)} to {parameter.shown(parameter.high)})"
    return f"{span}, or {words}" if words else span


SI_UNITS = {"mm": "m", "g": "kg", "°": "rad", "µs": "s", "mm/s": "m/s", "MPa": "Pa"}
"""The SI unit behind each friendly unit."""


def _flatten(name: str, field: Any) -> Parameter:
    quantity = next(entry for entry in field.metadata if isinstance(entry, Quantity))
    parts = _parts(field.annotation)
    # A union such as "a number or 'auto'" carries its bounds inside the member they belong to.
    inner = [entry for part in parts if get_origin(part) is Annotated for entry in get_args(part)]
    bounds = [*field.metadata, *inner]
    low: Any = next((entry.ge for entry in bounds if isinstance(entry, annotated_types.Ge)), None)
    high: Any = next((entry.le for entry in bounds if isinstance(entry, annotated_types.Le)), None)
    choices = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    choices += tuple(word for entry in field.metadata if isinstance(entry, OneOf) for word in entry.names)
    types = {part for part in (*parts, *inner) if isinstance(part, type)}
    kind: Any = "bool" if bool in types else "float" if float in types else "int" if int in types else "choice"
    file = next((entry for entry in field.metadata if isinstance(entry, FilePath)), None)
    suffixes, empty = (file.suffixes, file.empty) if file else ((), "")
    kind = "path" if file else kind
    return Parameter(name, quantity, field.description or "", field.default, kind, low, high, choices, suffixes, empty)


def _parts(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, or the annotation alone."""
    arguments = get_args(annotation)
    return arguments if arguments and get_origin(annotation) not in (Literal, Annotated) else (annotation,)
