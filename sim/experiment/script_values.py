"""Check what a script passes to an experiment: values of parameters, and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

from pydantic import ValidationError
from repose.sim.experiment.commands import Command, From, KeepOne, StartSideBySide
from repose.sim.io import schema
from repose.sim.io.schema import located, reader_of
from repose.sim.parameters import ParameterError, Value, plain_number
from repose.sim.wording import value_text


def plain_values(values: Any) -> dict[str, Value]:
    """Values of parameters with numpy's numbers as Python's own, which the log of a run can store.

    Raises `ParameterError` for other than a mapping, and for a vector of gravity.
    """
    if not isinstance(values, Mapping):
        raise ParameterError(
            f"values = {value_text(values)} is refused: give values by name, as in {{'friction': 0.2}}."
        )
    plain = {name: plain_number(value) for name, value in values.items()}
    gravity = plain.get("gravity")
    if isinstance(gravity, list | tuple) or hasattr(gravity, "shape"):
        raise ParameterError(
            f"gravity = {value_text(gravity)} is refused: give its size, a number from 0 to 100 m/s²; it points down "
            "the last axis, and tilt turns it towards x."
        )
    return plain


def checked_command(command: Any) -> Any:
    """The command with numpy's numbers as Python's own; raises `ParameterError` if one of its fields has another type
    than it declares. `control.apply` checks the values."""
    kind: Any = type(command)
    if kind in (StartSideBySide, KeepOne, From):
        raise ParameterError(
            f"{kind.__name__} is refused: it needs experiments side by side; make several Simulations."
        )
    if kind not in get_args(Command):
        raise ParameterError(f"{value_text(command)} is refused: it is no command. An action is carried out by act.")
    given = {field.name: getattr(command, field.name) for field in fields(command)}
    plain = {name: plain_values(value) if name == "values" else _plain(value) for name, value in given.items()}
    checked = {name: {} if name == "values" else value for name, value in plain.items()}
    kinds = get_type_hints(kind)
    for name, value in checked.items():
        try:
            reader_of(kinds[name]).validate_python(value, strict=True)  # a text is no number, nor is True
        except ValidationError as error:
            detail = error.errors()[0]
            detail["loc"] = (name, *detail["loc"])
            reason = schema.reason(located(kind, checked, detail))
            raise ParameterError(
                f"{name} = {value_text(given[name])} of {kind.__name__} is refused: {reason}."
            ) from None
    return replace(command, **plain)


def _plain(value: Any) -> Any:
    number = plain_number(value)
    number = number.tolist() if type(number).__module__ == "numpy" else number
    return tuple(number) if isinstance(number, list) else number
