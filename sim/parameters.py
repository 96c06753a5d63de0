"""Declaration and check of parameters.

A law or a scene declares its parameters as the fields of a `ParameterSet`, each once and in two lines:

    friction: float = number(0.5, 0.0, 2.0, "friction", "μ", group="Material",
        help="Friction coefficient between grains.")

`number`, `count`, `length`, `choice`, `switch`, `file_path` and `written` return a field of pydantic with default,
range and `Quantity`. Slider, command-line option and preset key follow from the declaration. Values are in SI units;
`Quantity.scale` converts them to the display unit.

Several sets share a declaration as a type, which has no default (`...`); each set states its own:

    Friction = Annotated[float, number(..., 0.0, 2.0, "friction", "μ", group="Material")]
    friction: Friction = 0.3
    friction: Friction = variant(0.3, help="Friction coefficient of glass beads.")
    friction: Annotated[Friction, Le(1.0)] = 0.3

Where a number is given, the text of a curve over simulated time (repose.sim.parameter_curves) can be given instead.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import EllipsisType
from typing import Annotated, Any, Literal, Self, get_args, get_origin

import annotated_types
from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, PrivateAttr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema
from repose.sim import registry
from repose.sim.choices import choice_name
from repose.sim.message import EMPTY, Joined, Message, Number, _, as_message, formatted, joined, plain
from repose.sim.numbers import COMMA, read_number, whole_if_exact
from repose.sim.numbers import LONGEST as LONGEST_NUMBER
from repose.sim.parameter_curves import CURVE_KINDS, CurveError, ParameterCurve, is_curve, read_curve
from repose.sim.wording import LONGEST, name_text, printable, short, value_text

Effect = Literal["now", "ramp", "prepare", "base", "anew", "restart"]
"""When a change acts:

- "now": at once, on the present grains. Used for parameters that only limit forces or describe a whole impact, and for
  parameters that are not numbers.
- "ramp": over one contact duration (repose.sim.experiment.activation), because forces are proportional to the parameter
  and a jump would accelerate the grains.
- "prepare": at once; before the experiment has begun (`Phase.begun`), its grains are prepared anew.
- "base": at once; walls and base are rebuilt under the present grains.
- "anew": at once; the experiment starts again and the present grains are lost. The window asks first.
- "restart": at the next start of the experiment."""

Value = float | int | str | bool
SWITCH = {"true": True, "false": False, "yes": True, "no": False}
"""Values of a switch by the words that a user types or reads in English, in small letters."""


class ParameterError(ValueError):
    """A refused parameter: one sentence with the value, the limit and what to do, without control characters."""

    def __init__(self, message: Message | str, in_units: Message = EMPTY, of_several: bool = False) -> None:
        self.message = message if isinstance(message, Message) else plain(printable(message))
        super().__init__(self.message)
        self.in_units = in_units or self.message
        """The sentence with label and display unit of the parameter, as a slider shows them."""
        self.of_several = of_several
        """Whether each value is allowed alone, and several do not go together."""


CONTACT = _("Contact")
"""The usual heading in the list of parameters."""


@dataclass(frozen=True)
class Quantity:
    """How a parameter is shown and when a change of it acts.

    The number shown is value / `scale`, in `unit`; `log` selects a logarithmic slider, and `group` is the heading in
    the list of parameters. A `Quantity` is part of the metadata of the field.
    """

    label: Message
    symbol: str
    unit: str = ""
    scale: float = 1.0
    log: bool = False
    effect: Effect = "now"
    group: Message = CONTACT
    damps_normal: bool = False
    """Whether it is the coefficient of the damping along the normal of a contact; a large one makes the automatic time
    step very small."""

    def __post_init__(self) -> None:
        # The parameters of a plug-in may have plain texts. One heading is that of all parameters with its words.
        object.__setattr__(self, "label", as_message(self.label))
        object.__setattr__(self, "group", self.group if isinstance(self.group, Message) else Message(self.group))


@dataclass(frozen=True)
class Parameter:
    """The declaration of one parameter, collected from the field for sliders, options and messages."""

    name: str
    quantity: Quantity
    help: Message
    default: Value
    kind: Literal["float", "int", "bool", "choice", "path", "text"]
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    """The allowed words; `dt` accepts a number or a word: its `kind` is "float" and its `choices` is ("auto",)."""
    suffixes: tuple[str, ...] = ()
    """Allowed endings of the file name, for a path, and for a text that a file can contain."""
    empty: Message = EMPTY
    """What an empty path or text means, in words."""
    replaces: tuple[str, ...] = ()
    """Names of the parameters that have no effect while this path or text is not empty."""
    form: Written | None = None
    """The form of a text; None for all other kinds."""

    def typed(self, text: str) -> str:
        """The value of a path or a text that a user types, drops or chooses: of a text also the content of a file."""
        text = unquoted(text)
        is_file = self.form is not None and text.lower().endswith(self.suffixes)
        return self.form.of_file(text) if self.form is not None and is_file else text

    def shown(self, value: Value, digits: int = 6) -> Message:
        """The value in the display unit, with that unit; a curve in words."""
        if self.kind in ("float", "int") and is_curve(value):
            return self._curve_in_words(read_curve(str(value)))
        if isinstance(value, bool):
            return _("yes") if value else _("no")
        if isinstance(value, str):
            if self.kind == "choice" or value in self.choices:
                return choice_name(value)
            if self.form is not None and value:
                return self.form.in_words(value)
            return plain(value) if value else self.empty
        if self.kind != "float" and isinstance(value, int):
            return formatted(value, "d", self.quantity.unit) if self.quantity.unit else plain(value)
        return formatted(value / self.quantity.scale, f".{digits}g", self.quantity.unit)

    def with_power(self, power: str) -> Parameter:
        """The parameter with `power` in place of the exponent p of its unit, if the unit has one."""
        unit = self.quantity.unit
        if not unit.endswith("^p"):
            return self
        return replace(self, quantity=replace(self.quantity, unit=unit.removesuffix("^p") + power))

    def converted(self, value: Any) -> Message:
        """The text after an SI value in a message: " (6 mm)"; empty if the display unit is the SI unit."""
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_CONVERTED
        return joined((" (", self.shown(value), ")"), "") if number and self.quantity.scale != 1.0 else EMPTY

    def named(self, value: Value) -> Message:
        """The value after its symbol, or without symbol after the label: "μ = 0.1", "grains rotate: yes"."""
        shown = self.shown(value)
        if self.quantity.symbol:
            return joined((self.quantity.symbol, shown), " = ")
        return joined((self.quantity.label, shown), ": ")

    def _curve_in_words(self, curve: ParameterCurve) -> Message:
        (low, high), (begin, end) = curve.extremes, curve.times
        kind = CURVE_KINDS[curve.kind].label
        span = Message("{low} to {high}", low=self.shown(low), high=self.shown(high))
        if math.isinf(end):
            return Message("{kind}, {span}", kind=kind, span=span)
        lasting = Number(end - begin, "s", digits=3)
        return Message("{kind}, {span} over {lasting}", kind=kind, span=span, lasting=lasting)

    def change(self, before: Value, after: Value) -> Message:
        """The change of the parameter in words: "gravity: 9.81 m/s² → 1.62 m/s²", with as many digits as show it."""
        if before == after:
            return Message("{label}: {after}, as before", label=self.quantity.label, after=self.shown(after))
        pairs = ([self._rounded(value, digits) for value in (before, after)] for digits in range(FEWEST_DIGITS, 17))
        old, new = next((pair for pair in pairs if pair[0] != pair[1]), (self.shown(before), self.shown(after)))
        return Message(
            "{label}: {before} → {after}", label=self.quantity.label, before=old, after=new, changed_parameter=self.name
        )

    def _rounded(self, value: Value, digits: int) -> Message:
        """The value with `digits` significant digits, in the display unit."""
        if isinstance(value, bool | str) or self.kind != "float":
            return self.shown(value)
        scale = self.quantity.scale
        return self.shown(float(f"{value / scale:.{digits}g}") * scale, max(digits, 6))


@dataclass(frozen=True)
class FilePath:
    """Marks a text as the path of a file; part of the metadata, beside the `Quantity`."""

    suffixes: tuple[str, ...]
    """Allowed endings of the file name."""
    empty: Message
    """What an empty text means, in words."""
    replaces: tuple[str, ...] = ()
    """Names of the parameters that have no effect while the text is not empty."""


@dataclass(frozen=True)
class Written:
    """Marks a text with a form of its own; part of the metadata, beside the `Quantity`."""

    checked: Callable[[str], str]
    """The text in its usual form; raises `ParameterError`."""
    of_file: Callable[[str], str]
    """The text that the file with this path states; raises `ParameterError`."""
    in_words: Callable[[str], Message]
    """What a text of this form says."""
    examples: tuple[str, ...]
    """Texts of this form; the first one is named in messages, all are suggested for runs side by side."""
    suffixes: tuple[str, ...]
    """Endings of such files."""
    empty: Message
    """What an empty text means, in words."""
    replaces: tuple[str, ...] = ()
    """Names of the parameters that have no effect while the text is not empty."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.checked, handler(source))


@dataclass(frozen=True)
class Help:
    """The help text of a field; part of the metadata. The first one counts, that of the field itself."""

    words: Message


@dataclass(frozen=True)
class OneOf:
    """Marks a text as the name of a law, an integrator or another record; part of the metadata, beside the
    `Quantity`. The names are looked up when a value is checked, because plug-ins can add names later."""

    kind: str
    """A key of `repose.sim.registry.OFFERS`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The allowed names."""
        return tuple(registry.records(self.kind))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def _checked(self, name: str) -> str:
        if name not in self.names:
            raise ValueError(Message("must be one of {names}", names=Joined(tuple(self.names))))
        return name


# The declaration of one parameter. The functions return `Any`, as pydantic's `Field` does.


def number(
    default: float | EllipsisType,
    low: float | None,
    high: float | None,
    label: Message,
    symbol: str = "",
    unit: str = "",
    *,
    scale: float | None = None,
    log: bool = False,
    effect: Effect = "now",
    group: Message = CONTACT,
    damps_normal: bool = False,
    help: Message = EMPTY,
) -> Any:
    """A number from `low` to `high` [SI], shown in `unit`, of which one is `scale` in SI (known for `DISPLAY_UNITS`).

    Without `low` and `high` the range is in the annotation: `Annotated[float, Ge(0.0), Le(1.0)] | Literal["auto"]`.
    """
    scale = DISPLAY_UNITS.get(unit, (unit, 1.0))[1] if scale is None else scale
    quantity = Quantity(label, symbol, unit, scale, log, effect, group, damps_normal)
    return _field(default, help, *_range(low, high), quantity)


def length(
    default: float | EllipsisType,
    low: float,
    high: float,
    label: Message,
    symbol: str = "",
    unit: str = "mm",
    *,
    log: bool = False,
    effect: Effect = "now",
    group: Message = CONTACT,
    help: Message = EMPTY,
) -> Any:
    """A length from `low` to `high` [m], shown in mm or in another `unit`."""
    return number(default, low, high, label, symbol, unit, log=log, effect=effect, group=group, help=help)


def count(
    default: int | EllipsisType,
    low: int,
    high: int,
    label: Message,
    symbol: str = "",
    unit: str = "",
    *,
    log: bool = False,
    effect: Effect = "now",
    group: Message = CONTACT,
    help: Message = EMPTY,
) -> Any:
    """A whole number from `low` to `high`."""
    quantity = Quantity(label, symbol, unit, log=log, effect=effect, group=group)
    return _field(default, help, *_range(low, high), quantity)


def choice(
    default: str | EllipsisType,
    label: Message,
    symbol: str = "",
    *,
    of: OneOf | None = None,
    effect: Effect = "now",
    group: Message = CONTACT,
    help: Message = EMPTY,
) -> Any:
    """A word: one of those of the annotation `Literal`, or the name of a record `of` a kind."""
    entries = () if of is None else (of,)
    return _field(default, help, *entries, Quantity(label, symbol, effect=effect, group=group))


def switch(
    default: bool | EllipsisType,
    label: Message,
    *,
    effect: Effect = "now",
    group: Message = CONTACT,
    help: Message = EMPTY,
) -> Any:
    """True or false."""
    return _field(default, help, Quantity(label, "", effect=effect, group=group))


def file_path(
    label: Message,
    suffixes: tuple[str, ...],
    *,
    empty: Message,
    replaces: tuple[str, ...] = (),
    effect: Effect = "now",
    group: Message = CONTACT,
    help: Message = EMPTY,
) -> Any:
    """The path of a file with one of these endings; the default is an empty text, whose meaning `empty` says."""
    limits: FieldInfo = Field(max_length=LONGEST_PATH, pattern=NO_CONTROL_CHARACTER)
    quantity = Quantity(label, "", effect=effect, group=group)
    return _field("", help, *limits.metadata, quantity, FilePath(suffixes, empty, replaces))


def written(
    label: Message, form: Written, *, effect: Effect = "now", group: Message = CONTACT, help: Message = EMPTY
) -> Any:
    """A text of this form; the default is an empty text, whose meaning the form says."""
    return _field("", help, form, Quantity(label, "", effect=effect, group=group))


def variant(default: Value | EllipsisType, *, help: Message) -> Any:
    """A parameter whose type is a shared declaration, with a default and a help text of its own."""
    return _field(default, help)


LONGEST_PATH, NO_CONTROL_CHARACTER = 4096, r"^[^\x00-\x1f]*$"
"""What a path may be, besides its ending."""


def _range(low: float | None, high: float | None) -> tuple[Any, ...]:
    at_least = () if low is None else (annotated_types.Ge(low),)
    return at_least if high is None else (*at_least, annotated_types.Le(high))


def _field(default: Any, help: Message, *metadata: Any) -> Any:
    # An empty description would replace that of a shared declaration.
    made: FieldInfo = Field(default, description=str(help)) if help else Field(default)
    made.metadata.extend((*metadata, Help(as_message(help))) if help else metadata)
    return made


PARAMETER = _("parameter")
"""What a name is the name of."""
POWERS = {"linear": "", "hertz": "^1.5"}
"""Ending of the unit of a stiffness, by the choice of the law's exponent."""


class ParameterSet(BaseModel):
    """An immutable, validated set of parameters in SI units."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    @property
    def followers(self) -> tuple[str, ...]:
        """Parameters whose values are computed from other parameters until the user sets them; `kept` returns such a
        parameter only if it is set."""
        return ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        for name, field in cls.model_fields.items():
            if field.is_required():
                raise TypeError(f"the parameter {name} of {cls.__name__} has no default value")
            if not any(isinstance(entry, Quantity) for entry in field.metadata):
                raise TypeError(
                    f"the parameter {name} of {cls.__name__} has no label and range: declare it with number(), "
                    "count(), length(), choice() or switch(), or give it the type of the same parameter of another set"
                )

    @classmethod
    def declared(cls) -> dict[str, Parameter]:
        """Every parameter by name, in the order of declaration."""
        return dict(_declared(cls, _names_now(cls)))

    def in_units(self) -> dict[str, Parameter]:
        """Every parameter by name; the exponent p of a unit such as N/m^p has its value in this set: N/m^1.5 or N/m."""
        power = POWERS.get(str(getattr(self, "exponent", "")), "^p")
        return dict(_with_power(type(self), _names_now(type(self)), power))

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """The set with the given values and defaults for the rest; raises `ParameterError`."""
        declared = cls.declared()
        for name in values:
            if name not in declared:
                cls.require_parameter(name)
        plain = {name: plain_number(value) for name, value in values.items()}
        curves = curves_in(values, declared)
        plain |= {name: value_on(curve, 0.0, declared[name]) for name, curve in curves.items()}
        try:
            return cls.model_validate(plain).driven_by(curves)
        except ValidationError as error:
            details = error.errors()
            sentences, in_units = (
                joined(dict.fromkeys(cls._sentence(detail, units) for detail in details), " ")
                for units in (False, True)
            )
            raise ParameterError(sentences, in_units, all(map(_is_of_several, details))) from None

    _curves: dict[str, ParameterCurve] = PrivateAttr(default_factory=dict)

    @property
    def curves(self) -> Mapping[str, ParameterCurve]:
        """The curves that change parameters over time, by name; the fields have the present values."""
        return self._curves

    def driven_by(self, curves: Mapping[str, ParameterCurve]) -> Self:
        """This set with these curves too; the fields keep their values."""
        if not curves:
            return self
        driven = self.model_copy()
        driven._curves = {**self._curves, **curves}
        return driven

    def at(self, time: float, names: Container[str] | None = None) -> Self:
        """The set with the values of its curves, or of those of these `names`, at a simulated time [s]; a curve that
        does not say when it begins does so then."""
        wanted = {name: curve for name, curve in self._curves.items() if names is None or name in names}
        if not wanted:
            return self
        curves = {name: curve.set_at(time) for name, curve in wanted.items()}
        now = {name: value_on(curve, time, self.declared()[name]) for name, curve in curves.items()}
        if differing := {name: value for name, value in now.items() if value != getattr(self, name)}:
            return self.changed(**differing).driven_by(curves)
        return self if curves == wanted else self.driven_by(curves)

    def given(self, name: str) -> Value:
        """The value as it can be given: the text of the curve of a parameter that has one."""
        value: Value = self._curves[name].text if name in self._curves else getattr(self, name)
        return value

    def as_given(self) -> dict[str, Any]:
        """Every value as it can be given, by name."""
        return self.model_dump() | {name: curve.text for name, curve in self._curves.items()}

    @property
    def surfaces(self) -> Mapping[str, Any]:
        """Surfaces read from the files that these parameters name, by path (repose.sim.scenes.vessel.shape)."""
        return {}

    @property
    def distribution(self) -> Any:
        """The size distribution that these parameters state (repose.sim.size_distribution); None for none."""
        return None

    def changed(self, **values: Any) -> Self:
        """A copy with some values changed, validated as a whole; raises `ParameterError`. A value that is given ends
        the curve of its parameter."""
        kept = self.kept(values)
        held = {name: curve for name, curve in self._curves.items() if name in kept and name not in values}
        return self.checked(kept | values).driven_by(held)

    def kept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Present values that remain when `values` are set."""
        return self.model_dump()

    @classmethod
    def chosen(cls, values: Mapping[str, Any]) -> type[ParameterSet]:
        """The class of the set that `checked` returns for these values."""
        return cls

    @classmethod
    def require_parameter(cls, name: str) -> None:
        """Raise `ParameterError` if the set has no parameter of this name; a symbol is answered with the name."""
        require_parameter_of(name, (cls,))

    @classmethod
    def parse(cls, name: str, text: str) -> Value:
        """The value that a user typed for `name`, in SI; raises `ParameterError`.

        A number must be one that `read_number` accepts, without other characters: `0,2` and `1 mm` are refused.
        """
        cls.require_parameter(name)
        parameter = cls.declared()[name]
        if parameter.kind in ("path", "text"):
            return cls._one(name, parameter.typed(text))
        if parameter.kind in ("float", "int"):
            number = read_number(text)
            if isinstance(number, str):
                value = cls._one(name, unquoted(number))
                return unquoted(number) if is_curve(value) else value  # messages show a curve as it was typed
            return cls._one(name, float(number) if parameter.kind == "float" else whole_if_exact(number))
        if parameter.kind == "bool" and text.strip().lower() in SWITCH:
            return cls._one(name, SWITCH[text.strip().lower()])
        try:
            document = tomllib.loads(f"value = {text.strip()}")
        except tomllib.TOMLDecodeError:
            document = {}
        value = document["value"] if document.keys() == {"value"} else text.strip()
        digits = parameter.kind == "choice" and not isinstance(value, str)  # `test=6`: the choices are digits
        return cls._one(name, text.strip() if digits else value)

    @classmethod
    def listed(cls, name: str, text: str) -> list[str]:
        """The entries of a typed list of values of a parameter: between semicolons if it has one, otherwise between
        commas. The commas of a text with a form of its own, such as a size distribution, never separate values."""
        parameter = cls.declared().get(name)
        has_form = parameter is not None and parameter.form is not None
        return [word.strip() for word in text.split(";" if has_form or ";" in text else ",")]

    @classmethod
    def _one(cls, name: str, value: Any) -> Value:
        """One value, checked alone: whether it goes together with others is known only when all of them are given."""
        try:
            return cls.checked({name: value}).given(name)
        except ParameterError as error:
            if not error.of_several:
                raise
            given: Value = value
            return given

    @classmethod
    def _sentence(cls, detail: Any, in_units: bool) -> Message:
        """Why one value is refused, with the name and SI values, or `in_units` with the label in the display unit."""
        name = str(detail["loc"][0]) if detail["loc"] else ""
        if name not in cls.model_fields:
            said = detail.get("ctx", {}).get("error", "")
            return said.args[0] if isinstance(said, ValueError) and said.args else plain(str(detail["msg"]))
        parameter = cls.declared()[name]
        value = detail["input"]
        own = detail.get("ctx", {}).get("error")
        if parameter.form is not None and isinstance(own, ParameterError):
            return own.message
        shown = value_text(value)
        point = about_comma(value) if parameter.kind in ("float", "int") else EMPTY
        allowed = allowed_values(parameter)
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_CONVERTED
        if in_units:
            said = parameter.shown(value) if number else plain(shown)
            default = parameter.shown(parameter.default)
            limits = Message(
                "it must be {parameter}; the default is {default}.",
                parameter=allowed_values(parameter, in_units),
                default=default,
            )
            return (
                Message(
                    "{label} = {said} is refused: {limits}", label=parameter.quantity.label, said=said, limits=limits
                )
                + point
            )
        default = plain(value_text(parameter.default)) + parameter.converted(parameter.default)
        return (
            Message(
                "{name} = {shown}{value} is refused: it must be {allowed}; the default is {default}.",
                name=name,
                shown=shown,
                value=parameter.converted(value),
                allowed=allowed,
                default=default,
            )
            + point
        )


def _is_of_several(detail: Any) -> bool:
    """Whether a refusal is that of values which do not go together; that of a file is one of its own parameter."""
    return not detail["loc"] and not isinstance(detail.get("ctx", {}).get("error"), ParameterError)


NO_CURVE = {
    "base": _("a change of it rebuilds walls and base"),
    "anew": _("a change of it starts the experiment again"),
    "restart": _("the experiment is set up with it at the start"),
}
"""Why a parameter has no curve, by its effect."""


def curves_in(values: Mapping[str, Any], declared: Mapping[str, Parameter]) -> dict[str, ParameterCurve]:
    """The curves among given values; raises `ParameterError`."""
    numbers = {name: text for name, text in values.items() if declared[name].kind in ("float", "int")}
    return {name: curve_of(declared[name], text) for name, text in numbers.items() if is_curve(text)}


def curve_of(parameter: Parameter, text: str) -> ParameterCurve:
    """The curve that a text gives for a parameter; raises `ParameterError` if it has none, or leaves its range."""
    if parameter.quantity.effect in NO_CURVE or parameter.choices:
        reason = NO_CURVE.get(parameter.quantity.effect, _("the steps of the run follow from it"))
        raise _refused_curve(parameter, text, Message("this parameter has no curve, because {reason}", reason=reason))
    try:
        curve = read_curve(text)
    except CurveError as error:
        raise _refused_curve(parameter, text, error.message) from None
    for value in curve.extremes:
        if not _is_in_range(parameter, value):
            reached, allowed = parameter.shown(value), allowed_values(parameter, in_units=True)
            raise _refused_curve(
                parameter,
                text,
                Message("it reaches {reached}, and must be {allowed} at all times", reached=reached, allowed=allowed),
            )
    return curve


def _is_in_range(parameter: Parameter, value: float) -> bool:
    low, high = parameter.low, parameter.high
    return math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high)


def _refused_curve(parameter: Parameter, text: str, reason: Message) -> ParameterError:
    name, shown = parameter.name, value_text(text)
    return ParameterError(
        Message("{name} = {shown} is refused: {reason}.", name=name, shown=shown, reason=reason),
        Message("{label} = {shown} is refused: {reason}.", label=parameter.quantity.label, shown=shown, reason=reason),
    )


def value_on(curve: ParameterCurve, time: float, parameter: Parameter) -> float | int:
    """Value of a curve at a simulated time [s], the nearest whole number for a count."""
    return round(curve.at(time)) if parameter.kind == "int" else curve.at(time)


def changes_in(value: Any) -> dict[str, Message]:
    """The changes (`Parameter.change`) among the values of a message, by the name of the parameter."""
    if isinstance(value, Message):
        values = dict(value.values)
        if "changed_parameter" in values:
            return {str(values["changed_parameter"]): value}
        return {name: change for entry in values.values() for name, change in changes_in(entry).items()}
    if isinstance(value, Joined):
        return {name: change for entry in value.values for name, change in changes_in(entry).items()}
    return {}


def shared_names(one: ParameterSet | type[ParameterSet], other: ParameterSet | type[ParameterSet]) -> set[str]:
    """Names of the parameters that two sets have with the same unit."""
    a, b = one.declared(), other.declared()
    return {name for name in a if name in b and a[name].quantity.unit == b[name].quantity.unit}


FEWEST_DIGITS = 4
"""Least number of significant digits of the numbers in a message about a change."""

LARGEST_CONVERTED = 1e300
"""Values below this are also shown in the display unit; nan, inf and integers too large for a float are not."""
LARGEST_SEED = 2**63 - 1


def plain_number(value: Any) -> Any:
    """A number of numpy, or an array without dimensions, as Python's own; any other value is returned unchanged."""
    return value.item() if type(value).__module__ == "numpy" and not getattr(value, "ndim", 1) else value


def checked_seed(seed: Any) -> int:
    """The seed if it is valid; raises `ParameterError` otherwise."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise ParameterError(
            Message(
                "seed = {seed} is refused: it must be a whole number from 0 to {largest_seed}.",
                seed=value_text(seed),
                largest_seed=LARGEST_SEED,
            )
        )
    return seed


def require_local(name: str, path: str) -> None:
    """Raise `ParameterError` when a path names another machine, as \\\\server\\share and a URL do.

    Even a test whether such a file exists connects to the other machine, and Windows sends the user's name and a
    password hash to it. Device names of Windows (\\\\?\\, \\\\.\\, \\??\\) can have the same effect.
    """
    slashes = path.strip().replace("\\", "/")
    if slashes.startswith(("//", "/??/")) or REMOTE.match(slashes):
        raise ParameterError(
            Message(
                "{name} = {path} is refused: a preset may not name a file on another machine; copy the "
                "file to this machine, or choose it yourself in the window.",
                name=name,
                path=value_text(path),
            )
        )


REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""The scheme of a URL; a single letter is a drive of Windows."""


def unquoted(text: str) -> str:
    """A typed or pasted path without the quotes that some file managers add."""
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def about_comma(text: Any) -> Message:
    """What to type instead of a number with a comma, beginning with a blank; empty for any other text."""
    parts = COMMA.fullmatch(text.strip()) if isinstance(text, str) and len(text) <= LONGEST_NUMBER else None
    return Message(" Use a point: {whole}.{decimals}.", whole=parts[1], decimals=parts[2]) if parts else EMPTY


BOUNDARIES = ("period", "lowest")
"""Names by which scripts state periodic boundaries: no parameters of a scene."""


def require_known(name: str, names: Any, what: Message = PARAMETER) -> None:
    """Raise `ParameterError` if `name` is not one of `names`; the message suggests the most similar name."""
    if not isinstance(name, str) or name not in names:
        raise ParameterError(unknown(name, names, what))


def require_parameter_of(name: str, kinds: Iterable[type[ParameterSet]]) -> None:
    """Raise `ParameterError` if none of the sets has a parameter of this name; a symbol is answered with the name."""
    declared = {field: entry for kind in kinds for field, entry in kind.declared().items()}
    if isinstance(name, str) and name not in declared:
        of_symbol = named_by_symbol(name, {field: entry.quantity.symbol for field, entry in declared.items()})
        if of_symbol:
            raise ParameterError(
                Message(
                    "Unknown {what} '{name}': {hint}",
                    what=PARAMETER,
                    name=short(name),
                    hint=Message("did you mean {names}?", names=any_of(of_symbol)),
                )
            )
    require_known(name, declared)


def unknown(name: Any, names: Any, what: Message = PARAMETER) -> Message:
    """The sentence about a name that is not one of `names`, with the most similar one."""
    near = difflib.get_close_matches(name[:LONGEST], list(names), n=1, cutoff=0.6) if isinstance(name, str) else []
    if isinstance(name, str) and name in BOUNDARIES and what is PARAMETER:
        hint = _("the boundaries are those of the scene; a script gives a period to place_spheres or to Setup.")
    elif near:
        hint = Message("did you mean '{near}'?", near=near[0])
    else:
        hint = Message("known: {value}.", value=short(", ".join(names), 800) or "none")
    return Message("Unknown {what} '{name}': {hint}", what=what, name=name_text(name), hint=hint)


def named_by_symbol(symbol: str, symbols: Mapping[str, str]) -> list[Message]:
    """The names whose symbol is written like this, each with its symbol: 'friction' (μ) for mu, by the names of Greek
    letters and with or without marks between letters and index; in small letters only if nothing else agrees.
    `symbols` are the symbols by name."""
    for spelled in (_spelled, lambda text: _spelled(text).lower()):
        wanted = spelled(symbol)
        names = [name for name, known in symbols.items() if wanted and spelled(known) == wanted]
        if names:
            return [plain(f"'{name}' ({symbols[name]})") for name in names]
    return []


def _spelled(symbol: str) -> str:
    """A symbol in Latin letters and digits: mur for μ_r, l0 for l₀."""
    letters = []
    for letter in unicodedata.normalize("NFKC", symbol):
        greek = GREEK.fullmatch(unicodedata.name(letter, ""))
        word = "lambda" if greek and greek[2] == "LAMDA" else greek[2].lower() if greek else letter
        letters.append(word.capitalize() if greek and greek[1] == "CAPITAL" else word)
    return "".join(letter for letter in "".join(letters) if letter.isalnum())


GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?([A-Z]+)")
"""Name of a Greek letter in Unicode."""


def allowed_values(parameter: Parameter, in_units: bool = False) -> Message:
    """The values that a parameter can have, in words: in SI with the shown values, or `in_units` as shown only."""
    words = either(parameter.choices)
    if parameter.kind == "choice":
        return words
    if parameter.kind == "bool":
        return _("true or false")
    if parameter.kind == "path":
        return Message(
            "the path of a file that ends in {suffixes}, or empty for {empty}",
            suffixes=any_of(tuple(map(plain, parameter.suffixes))),
            empty=parameter.empty,
        )
    if parameter.form is not None:
        return Message(
            "a text such as '{example}', or empty for {empty}",
            example=plain(parameter.form.examples[0]),
            empty=parameter.empty,
        )
    noun = _("a whole number") if parameter.kind == "int" else _("a number")
    if in_units and parameter.low is not None and parameter.high is not None:
        span = Message(
            "{noun} from {low} to {high}",
            noun=noun,
            low=parameter.shown(parameter.low),
            high=parameter.shown(parameter.high),
        )
        return Message("{span}, or {words}", span=span, words=words) if words else span
    if parameter.low is None or parameter.high is None:
        return noun
    same = parameter.quantity.unit if parameter.quantity.scale == 1.0 else ""
    unit = f" {DISPLAY_UNITS.get(parameter.quantity.unit, (same,))[0]}".rstrip()
    digits = "d" if parameter.kind == "int" else "g"
    span = Message(
        "{noun} from {low} to {high}{unit}",
        noun=noun,
        low=Number(parameter.low, format=digits),
        high=Number(parameter.high, format=digits),
        unit=unit,
    )
    if parameter.quantity.scale != 1.0:
        span += Message(" ({low} to {high})", low=parameter.shown(parameter.low), high=parameter.shown(parameter.high))
    return Message("{span}, or {words}", span=span, words=words) if words else span


def either(words: Sequence[str]) -> Message:
    """The words in quotes, one of which is allowed: 'line' or 'robust'."""
    return any_of([plain(f"'{word}'") for word in words])


def any_of(words: Sequence[Message]) -> Message:
    """The words, one of which is allowed."""
    *rest, last = words or [EMPTY]
    return Message("{words} or {last}", words=any_of(rest), last=last) if rest else last


DISPLAY_UNITS = {
    "mm": ("m", 1e-3),
    "µm": ("m", 1e-6),
    "g": ("kg", 1e-3),
    "°": ("rad", math.pi / 180),
    "°/s": ("rad/s", math.pi / 180),
    "1/min": ("rad/s", math.tau / 60),
    "µs": ("s", 1e-6),
    "mm/s": ("m/s", 1e-3),
    "MPa": ("Pa", 1e6),
    "mPa s": ("Pa s", 1e-3),
    "mN": ("N", 1e-3),
    "%": ("", 1e-2),
}
"""The SI unit of each display unit, and the SI value of one of it. A scaled display unit that is not in this table (of
a plug-in) is shown without its SI unit."""


def _names_now(kind: type[ParameterSet]) -> tuple[tuple[str, ...], ...]:
    """The names that each `OneOf` of a set allows at present; the declared parameters change only with these names."""
    return tuple(one.names for one in _one_of(kind))


@lru_cache(maxsize=256)
def _one_of(kind: type[ParameterSet]) -> tuple[OneOf, ...]:
    fields = kind.model_fields.values()
    return tuple(entry for field in fields for entry in field.metadata if isinstance(entry, OneOf))


@lru_cache(maxsize=256)
def _declared(kind: type[ParameterSet], names: tuple[tuple[str, ...], ...]) -> dict[str, Parameter]:
    """`ParameterSet.declared`, cached because the window reads it several times per frame."""
    return {name: _flatten(name, field) for name, field in kind.model_fields.items()}


@lru_cache(maxsize=256)
def _with_power(kind: type[ParameterSet], names: tuple[tuple[str, ...], ...], power: str) -> dict[str, Parameter]:
    return {name: entry.with_power(power) for name, entry in _declared(kind, names).items()}


def _flatten(name: str, field: Any) -> Parameter:
    quantity = next(entry for entry in field.metadata if isinstance(entry, Quantity))
    parts = _parts(field.annotation)
    # In a union such as "a number or 'auto'" the bounds are in the annotation of one member.
    inner = [entry for part in parts if get_origin(part) is Annotated for entry in get_args(part)]
    bounds = [*field.metadata, *inner]
    # A field can narrow the bounds of its type: the tightest bounds count.
    lows: list[Any] = [entry.ge for entry in bounds if isinstance(entry, annotated_types.Ge)]
    highs: list[Any] = [entry.le for entry in bounds if isinstance(entry, annotated_types.Le)]
    low, high = max(lows, default=None), min(highs, default=None)
    choices = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    choices += tuple(word for entry in field.metadata if isinstance(entry, OneOf) for word in entry.names)
    types = {part for part in (*parts, *inner) if isinstance(part, type)}
    kind: Any = "bool" if bool in types else "float" if float in types else "int" if int in types else "choice"
    file = next((entry for entry in field.metadata if isinstance(entry, FilePath)), None)
    form = next((entry for entry in field.metadata if isinstance(entry, Written)), None)
    of_text = file or form
    suffixes, empty, replaces = (of_text.suffixes, of_text.empty, of_text.replaces) if of_text else ((), EMPTY, ())
    kind = "path" if file else "text" if form else kind
    helps = [entry.words for entry in field.metadata if isinstance(entry, Help)]
    help = helps[0] if helps else plain(field.description or "")
    return Parameter(name, quantity, help, field.default, kind, low, high, choices, suffixes, empty, replaces, form)


def _parts(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, or the annotation itself."""
    arguments = get_args(annotation)
    return arguments if arguments and get_origin(annotation) not in (Literal, Annotated) else (annotation,)
