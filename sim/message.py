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

from repose.sim.scales import LARGE_TIME, SMALL_TIME, WITHOUT_GAP, prefixed

POINT = "."
"""Decimal sign of English."""
PERCENT = "%"
"""Ending of a format, such as ".0%", that writes a share in hundredths."""
STOPS = ".。"
"""Full stops of the languages."""
LARGE_LENGTH = 10.0
"""Lengths of at least this are written in m, shorter lengths in mm [m]."""


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
            number, gap, unit = prefixed(self.value, self.unit, self.digits).partition(" ")
            return f"{number.replace(POINT, decimal)}{gap}{unit}"
        gap = "" if self.unit in WITHOUT_GAP else " "
        number = f"{self.value:{self.format}}".rstrip(POINT)
        if number.endswith(PERCENT):  # a unit like others, with a gap, as in SI
            number = f"{number.removesuffix(PERCENT)} {PERCENT}"
        return f"{number.replace(POINT, decimal)}{gap}{self.unit}"


@dataclass(frozen=True)
class Joined:
    """Several values one after the other."""

    values: tuple[Value, ...]
    separator: str = ", "


@dataclass(frozen=True)
class Capital:
    """A value at the beginning of a sentence: its first letter is a capital."""

    value: Value


@dataclass(frozen=True)
class Clause:
    """A value that is a sentence, as a part of another one: without its full stop."""

    value: Value


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Message:
    """A template and its values: `Message("The film is saved: {name}.", name="run.mp4")`.

    A text among the values is a name from outside and is not translated; a message among them is translated. A message
    is a frozen record: it is stored, sent to another process and compared as data. It is no `str`: mypy refuses a
    message in place of a name, and a plain text in place of what is shown. `str(message)` is the English text, for
    files and for the terminal.
    """

    template: str
    plural: str
    """Template for any number but 1; empty for a message without a counted noun."""
    values: tuple[tuple[str, Value], ...]

    def __init__(self, template: str, /, **values: Value) -> None:
        _fill(self, template, "", tuple(values.items()))

    def __str__(self) -> str:
        shown = self.plural if self.plural and self.counted != 1 else self.template
        return filled(shown, self.values, str) if self.values else shown

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"

    def __bool__(self) -> bool:
        """Whether there is a text; `EMPTY`, an empty name and the join of nothing have none."""
        return self.template[:1] not in ("", "{") or str(self) != ""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        written = core_schema.plain_serializer_function_ser_schema(as_data)
        return core_schema.no_info_plain_validator_function(read_message, serialization=written)

    def __reduce__(self) -> tuple[Callable[..., Message], tuple[Any, ...]]:
        return _made, (self.template, self.plural, self.values)

    def __add__(self, other: Message | str) -> Message:
        """This message, and another one or a name directly after it."""
        return joined((self, other), "")

    @property
    def counted(self) -> Decimal:
        """The number that decides about singular and plural."""
        return number_of(dict(self.values)["count"])


Value = str | int | float | Number | Joined | Capital | Clause | Message
"""A value of a message."""


def _fill(message: Message, template: str, plural: str, values: tuple[tuple[str, Value], ...]) -> None:
    for name, part in (("template", template), ("plural", plural), ("values", values)):
        object.__setattr__(message, name, part)


def _made(template: str, plural: str, values: tuple[tuple[str, Value], ...]) -> Message:
    message = object.__new__(Message)
    _fill(message, template, plural, values)
    return message


def _(template: str) -> Message:
    """A message without values, such as a label."""
    return _made(template, "", ())


def plural(template: str, template_of_many: str, /, *, count: int | float | Number, **values: Value) -> Message:
    """A message with a counted noun: `plural("{count} grain", "{count} grains", count=5)`."""
    return _made(template, template_of_many, (("count", count), *values.items()))


def worded(template: str, values: Iterable[tuple[str, Value]], plural: str = "") -> Message:
    """A message of a template from elsewhere and values by name, of which it need not contain all."""
    return _made(template, plural, tuple(values))


def plain(value: Value) -> Message:
    """A message that is only a value: a name from outside, a number."""
    return _made(VALUE, "", (("value", value),))


def as_message(text: Message | str) -> Message:
    """A text from outside, such as a name in a plug-in, as the message that shows it; a message stays as it is."""
    return text if isinstance(text, Message) else plain(text)


def in_english(value: Any) -> Any:
    """The value with the English text in place of each message in its tables and lists, for files and scripts."""
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, dict):
        return {key: in_english(entry) for key, entry in value.items()}
    return type(value)(map(in_english, value)) if type(value) in (list, tuple) else value


def label_of(words: Message, symbol: Message | str = "", unit: str = "") -> Message:
    """Label of an axis or a column: words, symbol and unit, each of which can be empty."""
    parts = [part for part in (words, symbol, f"[{unit}]" if unit else "") if part]
    return joined(parts, " ") if parts != [words] else words


def sentence(words: Message) -> Message:
    """A sentence of words that begin with a small letter and end without a full stop."""
    return Message("{words}.", words=Capital(words))


def with_prefix(value: float, unit: str, digits: int = 4) -> Message:
    """A value with `digits` significant digits and a unit whose prefix keeps it readable: "319.8 nJ"."""
    return plain(Number(float(value), unit, digits=digits))


def formatted(value: float, format: str, unit: str = "") -> Message:
    """A number in this format, with its unit: "30.0°"."""
    return plain(Number(value if isinstance(value, int) else float(value), unit, format))


def time_text(seconds: float) -> Message:
    """A time as a message shows it: "2.7143 s", "54.2 ms", "798.7 µs"."""
    if abs(seconds) >= LARGE_TIME:
        return formatted(seconds, ".4f", "s")
    if seconds == 0.0 or abs(seconds) >= SMALL_TIME:
        return formatted(1e3 * seconds, ".4g", "ms")
    return with_prefix(seconds, "s")


def length_text(*metres: float) -> Message:
    """A length as a message shows it, or the coordinates of a point in parentheses: "0.8 mm", "(19.6, 8.2) mm"."""
    large = max(map(abs, metres)) >= LARGE_LENGTH
    numbers = tuple(Number(float(x if large else 1e3 * x), format=".4g") for x in metres)
    unit = "m" if large else "mm"
    if len(numbers) == 1:
        return formatted(numbers[0].value, ".4g", unit)
    return joined(("(", Joined(numbers), f") {unit}"), "")


def joined(values: Iterable[Value], separator: str = ", ") -> Message:
    """A message of several values one after the other."""
    return plain(Joined(tuple(values), separator))


EMPTY = _made("", "", ())
"""A message without text, which is false."""
VALUE = "{value}"
"""Template of a message that is only a value."""


def replaced(value: Any, old: Message, new: Message) -> Any:
    """The message or value with another message in place of one of those in it."""
    if value == old:
        return new
    if isinstance(value, Message):
        values = tuple((name, replaced(entry, old, new)) for name, entry in value.values)
        return _made(value.template, value.plural, values)
    if isinstance(value, Joined):
        return Joined(tuple(replaced(entry, old, new) for entry in value.values), value.separator)
    return value


def filled(template: str, values: Iterable[tuple[str, Value]], written: Callable[[Any], str]) -> str:
    """The template with its values as `written` writes them."""
    return template.format(**{name: value_in_words(value, written) for name, value in values})


def value_in_words(value: Value, written: Callable[[Any], str]) -> str:
    """A value, or several, as `written` writes one."""
    if isinstance(value, Joined):
        return value.separator.join(value_in_words(entry, written) for entry in value.values)
    if isinstance(value, Capital):
        words = value_in_words(value.value, written)
        return words[:1].upper() + words[1:]
    if isinstance(value, Clause):
        return value_in_words(value.value, written).rstrip(STOPS)
    return written(value)


def read_message(data: Any) -> Message:
    """The message from a file; a text of an older version is shown as it stands. Raises ValueError for other data."""
    try:
        message = from_data(data)
    except (LookupError, TypeError, AttributeError, ValueError):
        raise ValueError("it is no message") from None
    if not isinstance(message, Message | str):
        raise ValueError("it is no message")
    return as_message(message)


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
    if isinstance(value, Capital):
        return {"capital": as_data(value.value)}
    if isinstance(value, Clause):
        return {"clause": as_data(value.value)}
    if isinstance(value, Number):
        return {"number": [value.value, value.unit, value.format, value.digits]}
    return value


def from_data(data: Any) -> Any:
    """The value from which `as_data` made this; raises ValueError, LookupError or TypeError for other data."""
    if not isinstance(data, dict):
        return data
    if "template" in data:
        values = tuple((str(name), from_data(entry)) for name, entry in data["values"].items())
        message = _made(str(data["template"]), str(data.get("plural", "")), values)
        str(message)  # raises an error here, and not where it is drawn, if the values do not suit the template
        return message
    if "parts" in data:
        return Joined(tuple(map(from_data, data["parts"])), str(data["separator"]))
    if "capital" in data:
        return Capital(from_data(data["capital"]))
    if "clause" in data:
        return Clause(from_data(data["clause"]))
    value, unit, format, digits = data["number"]
    return Number(value, str(unit), str(format), int(digits))
