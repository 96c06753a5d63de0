"""Messages: texts as data, a template and its values, which are put into words of a language where they are shown.

`str(message)` is English. The window translates a message: it looks up the template, chooses the plural form and writes
the values with the decimal sign of the language. The tools that collect the templates find them by the names `_`,
`Message` and `plural`, so that the template is always written out there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from repose.sim.numbers import WITHOUT_GAP, with_prefix

POINT = "."
"""Decimal sign of English."""


@dataclass(frozen=True)
class Number:
    """A number with its unit as a value of a message.

    With a `format`, such as ".3g", the number is written in this unit; without, with `digits` significant digits and
    the prefix of the unit that keeps it readable.
    """

    value: float
    unit: str = ""
    format: str = ""
    digits: int = 4

    def __str__(self) -> str:
        return self.written(POINT)

    def written(self, decimal: str) -> str:
        """Number and unit with this decimal sign."""
        if not self.format:
            number, gap, unit = with_prefix(self.value, self.unit, self.digits).partition(" ")
            return f"{number.replace(POINT, decimal)}{gap}{unit}"
        gap = "" if self.unit in WITHOUT_GAP else " "
        return f"{self.value:{self.format}}".replace(POINT, decimal) + f"{gap}{self.unit}"


@dataclass(frozen=True)
class Joined:
    """Several values one after the other."""

    values: tuple[Value, ...]
    separator: str = ", "


class Message(str):
    """A template and its values: `Message("The film is saved: {name}.", name="run.mp4")`.

    A text among the values is a name from outside and is not translated; a message among them is translated.
    """

    __slots__ = ("plural", "template", "values")

    template: str
    plural: str
    """Template for any number but 1; empty for a message without a counted noun."""
    values: tuple[tuple[str, Value], ...]

    def __new__(cls, template: str, /, **values: Value) -> Message:
        return _made(template, "", tuple(values.items()))

    def __reduce__(self) -> tuple[Callable[..., Message], tuple[Any, ...]]:
        return _made, (self.template, self.plural, self.values)

    def __add__(self, other: str) -> Message:
        """This message, and another one or a name directly after it."""
        return joined((self, other), "")

    @property
    def counted(self) -> Decimal:
        """The number that decides about singular and plural."""
        return number_of(dict(self.values)["count"])


Value = str | int | float | Number | Joined
"""A value of a message; a `Message` is one too."""


def _made(template: str, plural: str, values: tuple[tuple[str, Value], ...]) -> Message:
    shown = plural if plural and number_of(dict(values)["count"]) != 1 else template
    message = str.__new__(Message, filled(shown, values, str) if values else shown)
    message.template, message.plural, message.values = template, plural, values
    return message


def _(template: str) -> Message:
    """A message without values, such as a label."""
    return _made(template, "", ())


def plural(template: str, template_of_many: str, /, *, count: int | float | Number, **values: Value) -> Message:
    """A message with a counted noun: `plural("{count} grain", "{count} grains", count=5)`."""
    return _made(template, template_of_many, (("count", count), *values.items()))


def plain(value: Value) -> Message:
    """A message that is only a value: a name from outside, a number."""
    return _made(VALUE, "", (("value", value),))


def joined(values: Iterable[Value], separator: str = ", ") -> Message:
    """A message of several values one after the other."""
    return plain(Joined(tuple(values), separator))


VALUE = "{value}"
"""Template of a message that is only a value."""


def filled(template: str, values: Iterable[tuple[str, Value]], written: Callable[[Any], str]) -> str:
    """The template with its values as `written` writes them."""
    return template.format(**{name: value_in_words(value, written) for name, value in values})


def value_in_words(value: Value, written: Callable[[Any], str]) -> str:
    """A value, or several, as `written` writes one."""
    if isinstance(value, Joined):
        return value.separator.join(value_in_words(entry, written) for entry in value.values)
    return written(value)


def number_of(count: Any) -> Decimal:
    """The number as it is written, whose digits after the point can decide about the plural."""
    try:
        return Decimal(f"{count.value:{count.format}}" if isinstance(count, Number) and count.format else str(count))
    except InvalidOperation:
        return Decimal(0)


def as_data(value: Value) -> Any:
    """A message or a value of one as plain data for a file in JSON."""
    if isinstance(value, Message):
        values = {name: as_data(entry) for name, entry in value.values}
        return {"template": value.template, **({"plural": value.plural} if value.plural else {}), "values": values}
    if isinstance(value, Joined):
        return {"parts": [as_data(entry) for entry in value.values], "separator": value.separator}
    if isinstance(value, Number):
        return {"number": [value.value, value.unit, value.format, value.digits]}
    return value


def from_data(data: Any) -> Any:
    """The value from which `as_data` made this; raises ValueError, KeyError or TypeError for other data."""
    if not isinstance(data, dict):
        return data
    if "template" in data:
        values = tuple((str(name), from_data(entry)) for name, entry in data["values"].items())
        return _made(str(data["template"]), str(data.get("plural", "")), values)
    if "parts" in data:
        return Joined(tuple(map(from_data, data["parts"])), str(data["separator"]))
    value, unit, format, digits = data["number"]
    return Number(value, str(unit), str(format), int(digits))
