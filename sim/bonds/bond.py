"""Bond: the record that each file of this package offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repose.sim.engine.model import BoundBond
from repose.sim.message import Message
from repose.sim.parameters import ParameterSet


@dataclass(frozen=True)
class Bond:
    """A bond law: its parameters, and the functions and coefficients that follow from them."""

    name: str
    title: Message
    parameters: type[ParameterSet]
    """Parameters that a scene with these bonds declares; `bind` and `coefficients` read them by name."""
    bind: Callable[..., BoundBond]
    """bind(parameters) -> the functions of the law, with the formulas that these parameters select. Equal selections
    must give equal records; otherwise the loop is compiled again."""
    coefficients: Callable[..., tuple]
    """coefficients(parameters) -> the tuple of coefficients that the functions read as `params`."""
    columns: tuple[Message, ...]
    """Names and units of the numbers of a single bond: the rows of `BondTable.own`."""
