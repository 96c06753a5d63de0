"""Conversion between a value, its position on the slider and the text to edit."""

from __future__ import annotations

import math
import re

from repose.app.language import decimal_sign
from repose.sim.message import Message, Number
from repose.sim.numbers import COMMA, read_number, whole_if_exact
from repose.sim.parameters import Parameter, ParameterError, Value
from repose.sim.scales import ratio_of_units
from repose.sim.wording import value_text

DECADES = 6
"""Decades of a logarithmic slider whose range begins at zero; its left end is zero."""
DIGITS = 5
"""Significant digits of a value in its row."""
LENGTH = re.compile(r"\s*([^\s\w]*\d\S*?)\s*([^\W\d]*)\s*")
"""A number and its unit, if there is one."""
ZERO_END = 0.03
"""Fraction of such a slider that means zero."""


def position(parameter: Parameter, value: float) -> float:
    """Position of a value on the slider, 0 to 1."""
    low, high = _range(parameter)
    if not parameter.quantity.log:
        return min(max((value - low) / (high - low), 0.0), 1.0)
    start, bottom = (ZERO_END, high * 10.0**-DECADES) if low == 0.0 else (0.0, low)
    if value < bottom:
        return 0.0
    return min(start + (1.0 - start) * math.log(value / bottom) / math.log(high / bottom), 1.0)


def value_at(parameter: Parameter, where: float) -> Value:
    """The value at a position on the slider, rounded to two or three digits, SI."""
    low, high = _range(parameter)
    if where <= 0.0 or where >= 1.0:
        value: float = low if where <= 0.0 else high
        return int(value) if parameter.kind == "int" else value
    if parameter.quantity.log:
        start, bottom = (ZERO_END, high * 10.0**-DECADES) if low == 0.0 else (0.0, low)
        if where < start:
            return low
        value = bottom * (high / bottom) ** ((where - start) / (1.0 - start))
        quantum = 10.0 ** (math.floor(math.log10(value)) - 1)
    else:
        value = low + (high - low) * where
        scale = parameter.quantity.scale
        quantum = 10.0 ** (math.floor(math.log10((high - low) / scale)) - 3) * scale
    if parameter.kind == "int":
        return min(max(round(value), int(low)), int(high))
    rounded = float(f"{round(value / quantum) * quantum:.12g}")
    return min(max(rounded, low), high)


def typed(parameter: Parameter, text: str) -> Value:
    """The typed value in SI; text that is not a number is returned unchanged, to be refused with a sentence.

    A decimal comma is read as a point, because a field contains one number and shows its value at once.
    """
    text = text.strip()
    if parameter.quantity.unit:
        text = text.removesuffix(parameter.quantity.unit).strip()
    if COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        number = read_number(text)
        if isinstance(number, str):
            return number
        if parameter.kind == "int":
            return whole_if_exact(number)
        value = float(f"{float(number) * parameter.quantity.scale:.15g}")
    except OverflowError:
        return math.inf
    # 90° must be allowed if π/2 is the limit, although the conversion is not exact.
    limits = (limit for limit in (parameter.low, parameter.high) if limit is not None)
    return next((limit for limit in limits if math.isclose(value, limit, rel_tol=1e-12)), value)


def typed_length(text: str, low: float, high: float) -> float:
    """A typed length such as "297 mm", "30 cm" or "0,3 m" [m], without a unit in mm; raises `ParameterError` for any
    other text and beyond `low` to `high` [m]."""
    parts = LENGTH.fullmatch(text)
    words, unit = parts.groups() if parts else (text, "")
    number = read_number(words.replace(",", ".") if COMMA.fullmatch(words) else words)
    ratio = ratio_of_units(unit or "mm", "m")
    if isinstance(number, str) or ratio is None:
        raise ParameterError(
            Message(
                "A length of {text} is refused: type a number with its unit, such as 297 mm or 0.3 m.",
                text=value_text(text.strip()),
            )
        )
    length = float(f"{number * ratio:.12g}")
    if not low <= length <= high:
        raise ParameterError(
            Message(
                "A length of {length} is refused: it must be {low} to {high}.",
                length=Number(length, "m"),
                low=Number(low, "m"),
                high=Number(high, "m"),
            )
        )
    return length


def compact(number: float) -> float:
    """The number with as many significant digits as the row prints."""
    return float(f"{number:.{DIGITS}g}")


def editable(parameter: Parameter, value: Value) -> str:
    """The value as text to edit, in the unit shown, without the unit, with the decimal sign of the window."""
    if isinstance(value, str):
        return value
    number = repr(value) if parameter.kind == "int" else f"{value / parameter.quantity.scale:.10g}"
    return number.replace(".", decimal_sign())


def _range(parameter: Parameter) -> tuple[float, float]:
    if parameter.low is None or parameter.high is None:
        raise ValueError(f"{parameter.name} declares no range, so that it cannot have a slider.")
    return parameter.low, parameter.high
