"""Field: the record that each file of this package offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from repose.sim.engine.model import BoundField
from repose.sim.message import Message
from repose.sim.parameters import ParameterSet
from repose.sim.rate_integral import RateIntegral


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
    way: Callable[[Any], tuple[RateIntegral, ...]] = lambda coefficients: ()
    """way(coefficients) -> what a field that depends on time integrates from the time 0 on, such as its phase; the
    rates can change during a run."""
    gone: Callable[[Any, tuple[RateIntegral, ...]], Any] = lambda coefficients, way: coefficients
    """gone(coefficients, way) -> the coefficients of a field that has gone this way until now."""
    at_a_place: bool = False
    """Whether the force depends on all coordinates of a sphere, as that of a heavy body does; such a field has no
    images, and a world with a periodic dimension refuses it. Fields read unwrapped positions."""
