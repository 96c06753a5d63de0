"""Curves of parameters over simulated time, as texts: kind and numbers in SI, such as "ramp 0.2 0.8 0 5".

A text is what presets, lectures, studies, run files, scripts and the command line give in place of a number. Times
count from the moment at which the curve is set, which a run notes after the word "from": "ramp 0.2 0.8 0 5 from 3.2".
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from repose.sim.message import EMPTY, Message, Number, _
from repose.sim.numbers import COMMA, read_number

Numbers = tuple[float, ...]

FROM = "from"
"""Word before the time from which the times of a curve count."""
MOST_NUMBERS = 400
"""Largest number of numbers of a curve."""
LONGEST_TEXT = 12_000
"""Largest number of characters of a curve."""


class CurveError(ValueError):
    """A text that is meant as a curve and is none; `message` says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


@dataclass(frozen=True)
class CurveKind:
    """A family of curves: functions of its numbers."""

    label: Message
    form: str
    """How it is written."""
    points: Callable[[Numbers], tuple[tuple[float, float], ...]]
    """points(numbers) -> the times [s] with values at which it is given; empty for a curve by a formula."""
    value: Callable[[Numbers, float], float]
    """value(numbers, time) -> value [SI] at a time [s]."""
    extremes: Callable[[Numbers], tuple[float, float]]
    """Least and greatest value."""
    flaw: Callable[[Numbers], Message]
    """Why these numbers give no curve; empty if they do."""
    frequency: Callable[[Numbers], float] = lambda numbers: 0.0
    """Frequency of a periodic curve [Hz]; 0 for one that ends."""


def _between(points: tuple[tuple[float, float], ...], time: float) -> float:
    """Linear interpolation; the first value before the first point, the last one after the last."""
    number = bisect.bisect_right(points, (time, math.inf))
    if number == 0 or number == len(points):
        return points[max(0, number - 1)][1]
    (begin, before), (end, after) = points[number - 1 : number + 1]
    return before + (after - before) * (time - begin) / (end - begin)


def _held(points: tuple[tuple[float, float], ...], time: float) -> float:
    """The value of the last point at or before the time; the first value before the first point."""
    return points[max(0, bisect.bisect_right(points, (time, math.inf)) - 1)][1]


def _span(points: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    values = [value for _, value in points]
    return min(values), max(values)


def _ramp_points(numbers: Numbers) -> tuple[tuple[float, float], ...]:
    first, last, begin, end = numbers
    return (begin, first), (end, last)


def _pairs(numbers: Numbers) -> tuple[tuple[float, float], ...]:
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _flaw_of_times(points: tuple[tuple[float, float], ...]) -> Message:
    """Why these points give no curve: the first time that is not after the one before it, or before 0 s."""
    if points[0][0] < 0.0:
        return Message("its first time is {time} s, and must be at least 0 s", time=Number(points[0][0], format="g"))
    for (before, _value), (after, _next) in pairwise(points):
        if after <= before:
            return Message(
                "the time {after} s follows {before} s, and times must increase",
                after=Number(after, format="g"),
                before=Number(before, format="g"),
            )
    return EMPTY


def _flaw_of_ramp(numbers: Numbers) -> Message:
    if len(numbers) != 4:
        return Message("a ramp has 4 numbers, not {count}", count=len(numbers))
    return _flaw_of_times(_ramp_points(numbers))


def _flaw_of_pairs(numbers: Numbers) -> Message:
    if len(numbers) < 4 or len(numbers) % 2:
        return Message("it needs at least two pairs of a time and a value; numbers given: {count}", count=len(numbers))
    return _flaw_of_times(_pairs(numbers))


def _flaw_of_sine(numbers: Numbers) -> Message:
    if len(numbers) != 3:
        return Message("a sine has 3 numbers, not {count}", count=len(numbers))
    if numbers[2] <= 0.0:
        return Message("its frequency is {given} Hz, and must be above 0 Hz", given=Number(numbers[2], format="g"))
    return EMPTY


def _sine(numbers: Numbers, time: float) -> float:
    """The mean before the beginning."""
    mean, amplitude, frequency = numbers
    return mean + amplitude * math.sin(math.tau * frequency * max(0.0, time))


CURVE_KINDS: Mapping[str, CurveKind] = {
    "ramp": CurveKind(
        _("ramp"),
        "ramp VALUE VALUE TIME TIME",
        _ramp_points,
        lambda numbers, time: _between(_ramp_points(numbers), time),
        lambda numbers: _span(_ramp_points(numbers)),
        _flaw_of_ramp,
    ),
    "steps": CurveKind(
        _("steps"),
        "steps TIME VALUE TIME VALUE …",
        _pairs,
        lambda numbers, time: _held(_pairs(numbers), time),
        lambda numbers: _span(_pairs(numbers)),
        _flaw_of_pairs,
    ),
    "table": CurveKind(
        _("table"),
        "table TIME VALUE TIME VALUE …",
        _pairs,
        lambda numbers, time: _between(_pairs(numbers), time),
        lambda numbers: _span(_pairs(numbers)),
        _flaw_of_pairs,
    ),
    "sine": CurveKind(
        _("sine"),
        "sine MEAN AMPLITUDE FREQUENCY",
        lambda numbers: (),
        _sine,
        lambda numbers: (numbers[0] - abs(numbers[1]), numbers[0] + abs(numbers[1])),
        _flaw_of_sine,
        lambda numbers: numbers[2],
    ),
}
"""Every kind of curve by name; after its last time a curve keeps its last value."""


@dataclass(frozen=True)
class ParameterCurve:
    """The course of a parameter over time."""

    kind: str
    numbers: Numbers
    """SI."""
    begins: float | None = None
    """Simulated time from which its times count [s]; None for the moment at which it is set."""
    typed: str = field(default="", compare=False, repr=False)
    """How it was given, for messages."""

    @property
    def _kind(self) -> CurveKind:
        return CURVE_KINDS[self.kind]

    def at(self, time: float) -> float:
        """Value at a simulated time [SI]."""
        return self._kind.value(self.numbers, time - (self.begins or 0.0))

    @property
    def extremes(self) -> tuple[float, float]:
        """Least and greatest value [SI]."""
        return self._kind.extremes(self.numbers)

    @property
    def times(self) -> tuple[float, float]:
        """Simulated times at which it begins and ceases to change [s]; a periodic curve never ceases."""
        points, begins = self._kind.points(self.numbers), self.begins or 0.0
        return (begins + points[0][0], begins + points[-1][0]) if points else (begins, math.inf)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Simulated times [s] and values [SI] at which it is given; empty for a curve by a formula."""
        return tuple((time + (self.begins or 0.0), value) for time, value in self._kind.points(self.numbers))

    @property
    def frequency(self) -> float:
        """Frequency of a periodic curve [Hz]; 0 for one that ends."""
        return self._kind.frequency(self.numbers)

    @property
    def text(self) -> str:
        """How it is written; `read_curve` of it gives an equal curve."""
        begins = () if self.begins is None else (FROM, number_text(self.begins))
        return " ".join((self.kind, *map(number_text, self.numbers), *begins))

    def set_at(self, time: float) -> ParameterCurve:
        """This curve when it is set at a simulated time [s]."""
        return self if self.begins is not None else replace(self, begins=time)


def number_text(value: float) -> str:
    """The shortest text of a number that reads as the same number."""
    return repr(value).removesuffix(".0")


def is_curve(value: Any) -> bool:
    """Whether a value is meant as a curve: a text that begins with the name of a kind."""
    return isinstance(value, str) and value.partition(" ")[0] in CURVE_KINDS


@lru_cache(maxsize=256)  # a value is computed at every check
def read_curve(text: str) -> ParameterCurve:
    """The curve in a text; raises `CurveError`."""
    if len(text) > LONGEST_TEXT:
        raise CurveError(Message("its length of {count} is above {most}", count=len(text), most=LONGEST_TEXT))
    name, *words = text.split()  # the first word is known: `is_curve`
    begins = None
    if FROM in words:
        position = words.index(FROM)
        words, after = words[:position], words[position + 1 :]
        numbers = _numbers(after)
        if len(numbers) != 1 or numbers[0] < 0.0:
            raise CurveError(_("after “from” there is one time of at least 0 s"))
        begins = numbers[0]
    if len(words) > MOST_NUMBERS:
        raise CurveError(
            Message("the count of its numbers is {count}, at most {most} are read", count=len(words), most=MOST_NUMBERS)
        )
    numbers = _numbers(words)
    if flaw := CURVE_KINDS[name].flaw(numbers):
        raise CurveError(Message("{flaw}: write {form}", flaw=flaw, form=CURVE_KINDS[name].form))
    return ParameterCurve(name, numbers, begins, text)


def _no_number(word: str) -> Message:
    """What is wrong with a word where a number should be."""
    if parts := COMMA.fullmatch(word):
        return Message(
            "“{word}” has a comma: write {whole}.{decimals} with a point", word=word, whole=parts[1], decimals=parts[2]
        )
    return Message("“{word}” is no number", word=word)


def _numbers(words: list[str]) -> Numbers:
    numbers = []
    for word in words:
        number = read_number(word)
        if isinstance(number, str) or not math.isfinite(number):
            raise CurveError(_no_number(word[:40]))
        numbers.append(float(number))
    return tuple(numbers)
