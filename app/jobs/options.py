"""Options of commands as fields of dataclasses: default, help and check are declared once, beside the field.

A request is a frozen dataclass. The command line fills it from options (repose.app.cli.record_options); window, studies
and tests make it themselves, with the same checks:

    fps: float | None = option(None, "NUMBER", "Frames per second of film.", check=within(1.0, 1000.0, "1 to 1000"))

Requests that have the same option share its declaration as a type:

    Fps = Annotated[float | None, Option("NUMBER", "Frames per second of film.", check=...)]
    fps: Fps = None
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

Check = Callable[[str, Any], None]
"""check(option, value) raises `ParameterError`, which names the option, for a value that is not allowed."""


@dataclass(frozen=True)
class Option:
    """What the command line says about an option or an argument."""

    metavar: str
    """What the value is, in the help; empty for a switch, and for the usual word of the type."""
    help: str
    name: str = ""
    """Name on the command line if it is not that of the field."""
    check: Check | None = None
    """Check of a value that is not the default, of each value of several."""
    is_argument: bool = False
    """Whether the value has no name on the command line."""
    shows_default: bool = True


@dataclass(frozen=True)
class OptionField:
    """A field of a request, or an argument of a command."""

    name: str
    kind: Any
    """Its type."""
    default: Any
    """`...` if there is none."""
    option: Option | None

    @property
    def flag(self) -> str:
        """The option as it is typed, such as "--set"."""
        return (self.option and self.option.name) or f"--{self.name.replace('_', '-')}"

    @property
    def is_several(self) -> bool:
        """Whether the option may be repeated."""
        return get_origin(self.kind) is tuple


@dataclass(frozen=True)
class Request:
    """Base of the requests: making one checks its values and raises `ParameterError`."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for entry in option_fields(kind):
            value = getattr(self, entry.name)
            if entry.option is not None and entry.option.check is not None and value != entry.default:
                for each in value if entry.is_several else (value,):
                    entry.option.check(entry.flag, each)


def option(default: Any, metavar: str, help: str, **more: Any) -> Any:
    """The field of a request that is an option, with the further fields of `Option`; `...` for a required one."""
    return field(default=MISSING if default is ... else default, metadata={"option": Option(metavar, help, **more)})


@cache
def option_fields(owner: Any) -> tuple[OptionField, ...]:
    """The fields of a request, or the arguments of a function, in their order."""
    if is_dataclass(owner):
        declared = [(each.name, each.default, each.metadata.get("option")) for each in fields(owner)]
    else:
        declared = [(each.name, each.default, None) for each in inspect.signature(owner).parameters.values()]
    hints, entries = get_type_hints(owner, include_extras=True), []
    for name, default, own in declared:
        kind, *more = get_args(hints[name]) if get_origin(hints[name]) is Annotated else (hints[name],)
        required = default in (MISSING, inspect.Parameter.empty)
        entries.append(OptionField(name, kind, ... if required else default, own or next(iter(more), None)))
    return tuple(entries)
