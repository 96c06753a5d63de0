"""Commands from functions that take requests: each field of a request is an option (repose.app.jobs.options)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Annotated, Any, get_args, get_origin

import typer
from repose.app.cli.terminal import typed_number, typed_path, typed_whole
from repose.app.jobs.options import OptionField, Request, option_fields

PARSERS: dict[Any, Callable[[str], Any]] = {float: typed_number, int: typed_whole, Path: typed_path}


def from_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as typer calls it: with the values of the options in place of the requests."""

    def command(**values: Any) -> Any:
        return filled(function, values)

    update_wrapper(command, function)
    command.__dict__["__signature__"] = inspect.Signature(_parameters(function))
    return command


def filled(owner: Callable[..., Any], values: dict[str, Any]) -> Any:
    """The request, or the result of the function, made with these values of options."""
    arguments = {}
    for entry in option_fields(owner):
        if _is_request(entry.kind):
            arguments[entry.name] = filled(entry.kind, values)
        else:
            value = values[entry.name]
            arguments[entry.name] = entry.default if value is None else tuple(value) if entry.is_several else value
    return owner(**arguments)


def _is_request(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Request)


def _parameters(owner: Callable[..., Any]) -> list[inspect.Parameter]:
    entries = []
    for entry in option_fields(owner):
        if _is_request(entry.kind):
            entries += _parameters(entry.kind)
        else:
            # A default that the help does not show is None here: typer would parse the others like typed values.
            hidden = entry.is_several or (entry.option is not None and not entry.option.shows_default)
            start = inspect.Parameter.empty if entry.default is ... else None if hidden else entry.default
            kind = _annotated(entry)
            entries.append(
                inspect.Parameter(entry.name, inspect.Parameter.KEYWORD_ONLY, default=start, annotation=kind)
            )
    return entries


def _annotated(entry: OptionField) -> Any:
    """The type of an argument of a function with what typer needs to know."""
    kind, option = entry.kind, entry.option
    if option is None:
        return kind  # the context of typer
    parts = get_args(kind)
    if entry.is_several:
        kind = GenericAlias(list, parts[0])
    plain = parts[0] if get_origin(kind) is UnionType else kind
    words: dict[str, Any] = {
        "metavar": option.metavar or None,
        "help": option.help,
        "show_default": option.shows_default,
        "parser": PARSERS.get(plain),
    }
    if option.is_argument:
        return Annotated[kind, typer.Argument(**words)]
    # A switch that is on unless it is switched off has two names, which typer makes.
    names = () if plain is bool and entry.default else (entry.flag,)
    return Annotated[kind, typer.Option(*names, **words)]
