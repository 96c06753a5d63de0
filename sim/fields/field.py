"""Field: the record that each file of this package offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repose.sim.engine.model import BoundField
from repose.sim.message import Message
from repose.sim.parameters import ParameterSet


@dataclass(frozen=True)
class Field:
    """A force on every sphere: its parameters, and the functions and coefficients that follow from them."""

    name: str
    title: Message
    parameters: type[ParameterSet]
    """Parameters that a scene with this field declares; `bind` and `coefficients` read them by name."""
    bind: Callable[..., BoundField]
    """bind(parameters) -> the functions of the field, with the formulas that these parameters select. Equal selections
    must give equal records; otherwise the loop is compiled again."""
    coefficients: Callable[..., tuple]
    """coefficients(parameters, dimension) -> the tuple of coefficients that the functions read as `params`."""
    at_a_place: bool = False
    """Whether the force depends on all coordinates of a sphere, as that of a heavy body does; such a field has no
    images, and a world with a periodic dimension refuses it. Fields read unwrapped positions."""
