"""Property: the record of one number of a material, and what a law reads of it at a contact of two materials."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from repose.sim.engine.checked import checked_number


def geometric_mean(a: float, b: float) -> float:
    """The value of a contact between materials with the values a and b."""
    return math.sqrt(a * b)


def unchanged(value: float) -> float:
    """The value of a contact as the law reads it."""
    return value


@dataclass(frozen=True)
class Property:
    """One number of a material."""

    name: str
    """Keyword of `Material`, and name of the parameter of a law or scene from which its materials get it."""
    symbol: str = ""
    unit: str = ""
    default: float | None = None
    """Of a material for which it is not given; None if it must be given."""
    above: float = -math.inf
    """It must be larger [SI]."""
    least: float = -math.inf
    most: float = math.inf
    mean: Callable[[float, float], float] = geometric_mean
    """mean(a, b) -> the value of a contact of two materials; a scene can state another one for a pair."""
    column: Callable[[float], float] = unchanged
    """column(mean) -> the number that laws read."""
    of_pair: Callable[[Any, Any], float] | None = None
    """of_pair(material, other) -> the number that laws read, if it follows from several properties; in place of `mean`
    and `column`."""

    def checked(self, value: Any) -> float:
        """The value, if a material can have it; raises `ParameterError`."""
        return checked_number(self.name, value, self.unit, above=self.above, least=self.least, most=self.most)

    def of_contact(self, one: Any, other: Any, stated: float | None = None) -> float:
        """What laws read at a contact of two materials; `stated` is the value of this pair, if a scene states one."""
        if self.of_pair is not None:
            return self.of_pair(one, other)
        mean = self.mean(getattr(one, self.name), getattr(other, self.name)) if stated is None else stated
        return self.column(mean)
