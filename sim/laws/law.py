"""Law: what a file in this package declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repose.sim.engine.model import BoundLaw
from repose.sim.parameters import ParameterSet


@dataclass(frozen=True)
class Law:
    """A contact law: its parameters, and how they become functions and numbers."""

    name: str
    parameters: type[ParameterSet]
    bind: Callable[..., BoundLaw]
    """bind(parameters) -> the law's functions with the formulas that these parameters choose. Equal choices must give
    equal records, or the loop is compiled again."""
    numbers: Callable[..., tuple]
    """numbers(parameters) -> the tuple of numbers that the functions read as `params`."""
