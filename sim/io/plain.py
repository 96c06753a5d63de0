"""Conversion of dataclasses to and from JSON data, with long lists of numbers as tables.

pydantic reads strictly by the declared types and refuses unknown keys. It reads JSON text, because its strict mode
creates dataclasses only from JSON text. A missing key gets the default value of its field: files written before the
field existed can be read. This module adds tables and numbers that JSON cannot represent.
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import GetPydanticSchema, PydanticUserError, ValidationError
from pydantic_core import core_schema, to_jsonable_python
from repose.sim.io.schema import MISSING, UNKNOWN, located, reader_of, reason
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError, ParameterSet
from repose.sim.wording import value_text

T = TypeVar("T")
Tables = dict[str, Any]

TABLE, NUMBER = "table", "number"
"""Key of the name of a table, and of a number that JSON cannot represent."""
LARGEST_INT = 2**128
"""Bound of integers; the state of a random generator has 128 bits."""
LONGEST_VALUE = 60
"""Largest number of characters of a value in a message."""
LONG = 16
"""Length from which a list of numbers is written as a table."""


def _as_array(values: Any) -> NDArray[np.float64]:
    """The array of a list of numbers, or of equally long lists of numbers."""
    try:
        result = np.array(values)
    except ValueError:  # lists of different lengths
        result = np.array(None)
    if result.ndim == 0 or result.dtype.kind not in "fi":
        raise ValueError(_("it must be a list of numbers, or of equally long lists of them"))
    return result.astype(float)


Array = Annotated[
    NDArray[np.float64],
    GetPydanticSchema(lambda kind, handler: core_schema.no_info_plain_validator_function(_as_array)),
]
"""Type of a field of a dataclass that is an array of numbers; an array without rows is read with the shape (0,)."""


class PlainError(ValueError):
    """Data of another type or range than declared; the message is one sentence."""


def encode(value: Any, tables: Tables, name: str) -> Any:
    """The value as JSON data; its long lists of numbers are added to `tables` under names that begin with `name`."""
    return _with_tables(as_json(value), tables, name)


def decode(kind: type[T], plain: Any, tables: Tables, name: str) -> T:
    """The value of type `kind` that `encode` wrote as `plain`; raises `PlainError`."""
    whole = _without_tables(plain, tables, name)
    try:
        if isinstance(kind, type) and issubclass(kind, ParameterSet):
            return kind.checked(whole)
        value: T = reader_of(cast(Any, kind)).validate_json(json.dumps(whole), strict=True, extra="forbid")
        return value
    except ParameterError as error:
        raise PlainError(f"{name}: {error}") from None
    except ValidationError as error:
        problem = located(kind, whole, error.errors(include_url=False)[0])
        position = ".".join(map(str, (name, *problem.detail["loc"])))
        if problem.detail["type"] in MISSING:
            raise PlainError(Message("{place} is missing.", place=position)) from None
        if problem.detail["type"] in UNKNOWN:
            raise PlainError(Message("{place} is refused: there is no entry of this name.", place=position)) from None
        raise PlainError(
            Message(
                "{place} = {value_text} is refused: {reason}.",
                place=position,
                value_text=value_text(problem.detail["input"], LONGEST_VALUE),
                reason=problem.own or reason(problem),
            )
        ) from None


def require_plain(kind: Any, what: Message) -> None:
    """Raise `ParameterError` if values of this type cannot be saved; `what` names them."""
    try:
        reader_of(kind)
    except PydanticUserError as error:
        reason = str(error).split(". ")[0].splitlines()[0]
        raise ParameterError(
            Message(
                "{what} cannot be saved: it must contain only numbers, text, lists and dataclasses of "
                "these ({reason}).",
                what=what,
                reason=reason,
            )
        ) from None


def _of_numpy(value: Any) -> Any:
    return value.tolist()


def as_json(value: Any) -> Any:
    """The value as JSON data without tables, for a value of finite numbers."""
    return to_jsonable_python(value, inf_nan_mode="constants", fallback=_of_numpy)


def _with_tables(plain: Any, tables: Tables, name: str) -> Any:
    if isinstance(plain, float) and not math.isfinite(plain):
        return {NUMBER: repr(plain)}
    if isinstance(plain, dict):
        return {key: _with_tables(entry, tables, f"{name}.{key}") for key, entry in plain.items()}
    if isinstance(plain, list):
        if len(plain) >= LONG and _shape(plain) is not None:
            tables[name] = np.array(plain)
            return {TABLE: name}
        return [_with_tables(entry, tables, f"{name}.{index}") for index, entry in enumerate(plain)]
    return plain


def _without_tables(plain: Any, tables: Tables, name: str) -> Any:
    if isinstance(plain, dict) and plain.keys() == {TABLE}:
        return _table(plain[TABLE], tables, name).tolist()
    if isinstance(plain, dict) and plain.keys() == {NUMBER} and plain[NUMBER] in ("nan", "inf", "-inf"):
        return float(plain[NUMBER])
    if isinstance(plain, dict):
        return {key: _without_tables(entry, tables, f"{name}.{key}") for key, entry in plain.items()}
    if isinstance(plain, list):
        return [_without_tables(entry, tables, f"{name}.{index}") for index, entry in enumerate(plain)]
    if isinstance(plain, int) and abs(plain) > LARGEST_INT:
        raise PlainError(
            Message(
                "{name} = {plain} is refused: it has more than 128 bits.",
                name=name,
                plain=value_text(plain, LONGEST_VALUE),
            )
        )
    return plain


def _table(table: Any, tables: Tables, name: str) -> Any:
    """The table of that name: 64-bit floats, or the integers of earlier files."""
    if not isinstance(table, str) or table not in tables:
        raise PlainError(Message("{name} names a table that does not exist.", name=name))
    if (stored := tables[table]).dtype.str not in ("<f8", "<i8"):
        raise PlainError(
            Message("{name} is a table of {str}, and must be one of <f8.", name=name, str=stored.dtype.str)
        )
    return stored


def _shape(value: Any) -> tuple[int, ...] | None:
    """Shape of a nested list of floats, or None if it is anything else."""
    if type(value) is float:
        return ()
    shapes = {_shape(entry) for entry in value} if isinstance(value, list) else set()
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(value), *inner)
