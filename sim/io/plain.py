"""Dataclasses to and from plain data: numbers and text as in JSON, arrays and long lists of numbers as tables.

Data are written by the type of the value and read by the declared type; a value of another type, a missing or an
unknown key is refused. Nothing is called but the constructors of the declared types. pydantic has no strict mode in
which a dictionary becomes a dataclass with all keys required and integers bounded.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from repose.sim.parameters import ParameterError, ParameterSet

T = TypeVar("T")
Tables = dict[str, Any]

TABLE, NUMBER = "table", "number"
"""Key of the name of a table, and of a number that JSON cannot represent."""
LARGEST_INT = 2**63 - 1
LONG = 16
"""Least length of a list of numbers that is written as a table."""


class PlainError(ValueError):
    """Data of another type or range than declared; the message is one sentence."""


def encode(value: Any, tables: Tables, name: str) -> Any:
    """The value as plain data; its arrays are added to `tables` under names that begin with `name`."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {NUMBER: repr(float(value))}
    if isinstance(value, np.generic):
        return encode(value.item(), tables, name)
    if isinstance(value, np.ndarray):
        tables[name] = np.ascontiguousarray(value)
        return {TABLE: name}
    if isinstance(value, ParameterSet):
        return value.model_dump()
    if isinstance(value, Mapping):
        return {key: encode(entry, tables, f"{name}.{key}") for key, entry in value.items()}
    names = _names_of(type(value))
    if names is not None:
        return {key: encode(getattr(value, key), tables, f"{name}.{key}") for key in names}
    if isinstance(value, list | tuple):
        if len(value) >= LONG and _shape(value) is not None:
            tables[name] = np.array(value, float)
            return {TABLE: name}
        return [encode(entry, tables, f"{name}.{place}") for place, entry in enumerate(value)]
    raise TypeError(f"{name} is a {type(value).__name__}, which cannot be written as plain data.")


def decode(kind: type[T], plain: Any, tables: Tables, name: str) -> T:
    """The value of type `kind` that `encode` wrote as `plain`; raises `PlainError`."""
    value: T = _decoded(kind, plain, tables, name)
    return value


def _decoded(kind: Any, plain: Any, tables: Tables, name: str) -> Any:
    if isinstance(plain, dict) and plain.keys() == {TABLE}:
        plain = _table(plain[TABLE], tables, name, kind)
        if get_origin(kind) is np.ndarray:
            return plain
        plain = plain.tolist()
    elif get_origin(kind) is np.ndarray:
        _require(False, plain, name)
    elif isinstance(plain, dict) and plain.keys() == {NUMBER}:
        plain = _number(plain[NUMBER], name)
    if kind is Any:
        return _untyped(plain, tables, name)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(arguments, plain, tables, name)
    if origin is Literal:
        return _require(plain in arguments, plain, name)
    if origin is list:
        _require(isinstance(plain, list), plain, name)
        return [_decoded(arguments[0], entry, tables, f"{name}.{place}") for place, entry in enumerate(plain)]
    if origin is tuple:
        return _tuple(arguments, plain, tables, name)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        _require(isinstance(plain, dict), plain, name)
        return {key: _decoded(arguments[1], entry, tables, f"{name}.{key}") for key, entry in plain.items()}
    if kind is float:
        _require(type(plain) in (int, float), plain, name)
        return float(plain)
    if kind is int:
        return _require(type(plain) is int and abs(plain) <= LARGEST_INT, plain, name)
    if kind in (bool, str, type(None)):
        return _require(type(plain) is kind, plain, name)
    if isinstance(kind, type) and issubclass(kind, ParameterSet):
        return _parameters(kind, _require(isinstance(plain, dict), plain, name), name)
    names = _names_of(kind)
    if names is None:
        raise PlainError(f"{name} cannot be read: nothing is known of {kind}.")
    return _record(kind, names, plain, tables, name)


def _record(kind: Any, names: tuple[str, ...], plain: Any, tables: Tables, name: str) -> Any:
    if not isinstance(plain, dict) or plain.keys() != set(names):
        raise PlainError(f"{name} must have the entries {', '.join(names)}.")
    hints = get_type_hints(kind)
    return kind(**{key: _decoded(hints[key], plain[key], tables, f"{name}.{key}") for key in names})


def _tuple(arguments: tuple[Any, ...], plain: Any, tables: Tables, name: str) -> Any:
    _require(isinstance(plain, list), plain, name)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        arguments = (arguments[0],) * len(plain)
    _require(len(plain) == len(arguments), plain, name)
    parts = zip(arguments, plain, strict=True)
    return tuple(_decoded(part, entry, tables, f"{name}.{place}") for place, (part, entry) in enumerate(parts))


def _one_of(kinds: tuple[Any, ...], plain: Any, tables: Tables, name: str) -> Any:
    for kind in (type(plain),) if type(plain) in kinds else kinds:
        try:
            return _decoded(kind, plain, tables, name)
        except PlainError:
            continue
    return _require(False, plain, name)


def _parameters(kind: type[ParameterSet], plain: Any, name: str) -> ParameterSet:
    try:
        return kind.checked(plain)
    except ParameterError as error:
        raise PlainError(f"{name}: {error}") from None


def _untyped(plain: Any, tables: Tables, name: str) -> Any:
    if isinstance(plain, dict):
        return {key: _decoded(Any, entry, tables, f"{name}.{key}") for key, entry in plain.items()}
    if isinstance(plain, list):
        return [_decoded(Any, entry, tables, f"{name}.{place}") for place, entry in enumerate(plain)]
    return plain


def _names_of(kind: Any) -> tuple[str, ...] | None:
    """Names of the fields of a dataclass or NamedTuple, or None."""
    if is_dataclass(kind):
        return tuple(entry.name for entry in fields(kind))
    return getattr(kind, "_fields", None)


def _shape(value: Any) -> tuple[int, ...] | None:
    """Shape of a nested list of floats, or None if it is anything else."""
    if type(value) is float:
        return ()
    if not isinstance(value, list | tuple) or not value:
        return None
    first = _shape(value[0])
    if first is None or any(_shape(entry) != first for entry in value):
        return None
    return (len(value), *first)


def _table(table: Any, tables: Tables, name: str, kind: Any) -> Any:
    """The table of that name, which must have the declared type of number; lists are written as 64-bit floats."""
    if not isinstance(table, str) or table not in tables:
        raise PlainError(f"{name} names a table that is not there.")
    found = tables[table]
    declared = np.dtype(get_args(get_args(kind)[1])[0] if get_origin(kind) is np.ndarray else float)
    if found.dtype != declared:
        raise PlainError(f"{name} is a table of {found.dtype.str}, and must be one of {declared.str}.")
    return found


def _number(text: Any, name: str) -> float:
    _require(text in ("nan", "inf", "-inf"), text, name)
    return float(text)


def _require(fits: bool, plain: Any, name: str) -> Any:
    if not fits:
        raise PlainError(f"{name} = {repr(plain)[:60]} is not what belongs there.")
    return plain
