"""Bond: what a file in this package declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repose.sim.engine.model import BoundBond
from repose.sim.parameters import ParameterSet


@dataclass(frozen=True)
class Bond:
    """A bond law: its parameters, and how they become functions and numbers."""

    name: str
    title: str
    parameters: type[ParameterSet]
    """Parameters that a scene with these bonds declares; `bind` and `numbers` read them by name."""
    bind: Callable[..., BoundBond]
    """bind(parameters) -> the law's functions with the formulas that these parameters choose. Equal choices must give
    equal records, or the loop is compiled again."""
    numbers: Callable[..., tuple]
    """numbers(parameters) -> the tuple of numbers that the functions read as `params`."""
    columns: tuple[str, ...]
    """What the numbers of a single bond are, with their units: the rows of `Bonds.own`."""
