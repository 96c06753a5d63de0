"""Law: the record that each file of this package offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repose.sim.engine.model import BoundLaw
from repose.sim.parameters import ParameterSet


@dataclass(frozen=True)
class Law:
    """A contact law: its parameters, and the functions and coefficients that follow from them."""

    name: str
    parameters: type[ParameterSet]
    bind: Callable[..., BoundLaw]
    """bind(parameters) -> the functions of the law, with the formulas that these parameters select. Equal selections
    must give equal records; otherwise the loop is compiled again."""
    coefficients: Callable[..., tuple]
    """coefficients(parameters) -> the tuple of coefficients that the functions read as `params`."""
    lecture: tuple[str, ...] = ()
    """The parameters of the law that matter in a lecture, by name: the window shows them before those of the scene."""
