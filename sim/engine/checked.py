"""Check numbers and arrays that a script gives. A refusal names the value, its place in the array, and the limit."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

SMALLEST, LARGEST = 1e-100, 1e100
"""Least size of a number that must be positive, and largest of any number: products of three of them and their inverses
are finite."""


def numbers_in(name: str, value: Any, wanted: str = "a number or an array of numbers") -> NDArray[np.float64]:
    """The value as floats, in its own shape; raises `ParameterError`, which names what is `wanted`, for text, truth
    values, None and rows of different lengths."""
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(entry, Real) for entry in array.flat):
            array = array.astype(float)  # large whole numbers and fractions
    except (ValueError, OverflowError):
        array = np.zeros(0, str)
    if array.dtype.kind not in "iuf":
        raise ParameterError(f"{name} = {value_text(value)} is refused: it must be {wanted}.")
    return array.astype(float)


def checked_array(
    name: str,
    value: Any,
    shape: tuple[int, ...],
    unit: str = "",
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    most: float = math.inf,
) -> NDArray[np.float64]:
    """The value as finite floats above `above`, from `least` to `most` [unit], broadcast to `shape`; raises
    `ParameterError`, also for numbers beyond `LARGEST` and, if they must be positive, below `SMALLEST`."""
    array = numbers_in(name, value, "a number or an array of numbers" if shape else "a number")
    try:
        whole = np.broadcast_to(array, shape)
    except ValueError:
        one = f"an array of the shape {shape}" if shape else ""
        raise ParameterError(
            f"{name} has the shape {array.shape} and is refused: give {' or '.join(filter(None, ('a number', one)))}."
        ) from None
    lowest = SMALLEST if above == 0.0 else -LARGEST
    wrong = ~((whole > above) & (whole >= max(least, lowest)) & (whole <= min(most, LARGEST)))
    if wrong.any():
        position = np.unravel_index(int(wrong.argmax()), shape) if array.shape else ()
        index = f"[{', '.join(str(int(entry)) for entry in position)}]" if position else ""
        number = float(whole[tuple(position)] if position else array)
        extreme = math.isfinite(number) and (abs(number) > LARGEST or 0.0 < number < lowest)
        size = f", and its size from {SMALLEST:g} to {LARGEST:g}" if extreme else ""
        raise ParameterError(
            f"{name}{index} = {number!r}{_with_gap(unit)} is refused: it must be {_allowed(above, least, most, unit)}"
            f"{size}."
        )
    return whole


def checked_number(name: str, value: Any, unit: str = "", **limits: float) -> float:
    """One finite number within the limits of `checked_array`; raises `ParameterError`."""
    return float(checked_array(name, value, (), unit, **limits))


def checked_rows(name: str, value: Any, count: int, of: str, shape: tuple[int, ...] | None = None) -> NDArray[np.int64]:
    """Whole numbers from 0 to `count` - 1, rows of a table with `count` entries that `of` names; with `shape` broadcast
    to it. Raises `ParameterError`."""
    array = numbers_in(name, value)
    array = checked_array(name, array, array.shape if shape is None else shape)
    wrong = (array != np.round(array)) | (array < 0) | (array >= count)
    if wrong.any():
        raise ParameterError(
            f"{name} = {float(array[wrong][0]):g} is refused: there are {count} {of}; it must be a whole number from 0 "
            f"to {count - 1}."
        )
    return array.astype(np.int64)


def checked_flags(name: str, value: Any, count: int) -> NDArray[np.bool_]:
    """`True` or `False` for each of `count` entries; raises `ParameterError`, also for row numbers."""
    try:
        flags = np.asarray(value)
        if flags.dtype == bool:
            return np.broadcast_to(flags, count)
    except ValueError:
        pass
    raise ParameterError(
        f"{name} = {value_text(value)} is refused: it must be True or False, or an array of {count} of them."
    )


def _allowed(above: float, least: float, most: float, unit: str) -> str:
    """The limits in words."""
    gap = _with_gap(unit)
    if above > -math.inf:
        return f"a number above {above:g}{f' and at most {most:g}' if most < math.inf else ''}{gap}"
    if least == -math.inf:
        return "a finite number"
    return f"a number of at least {least:g}{gap}" if most == math.inf else f"a number from {least:g} to {most:g}{gap}"


def _with_gap(unit: str) -> str:
    return f" {unit}" if unit else ""
