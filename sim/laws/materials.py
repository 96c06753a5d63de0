"""Materials, and the properties of a contact between two of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from repose.sim.engine.checked import checked_number
from repose.sim.engine.jit import compilable
from repose.sim.engine.world import Floats
from repose.sim.laws.material_columns import COLUMN_COUNT


class _Columns(NamedTuple):
    young: float
    """Young's modulus [Pa], above 0."""
    poisson: float
    """Poisson's ratio, above -1 and at most 0.5 [-]."""
    density: float
    """[kg/m³], above 0."""
    restitution: float
    """Speed after over speed before an impact, from 0 to 1 [-]."""
    friction: float
    """Friction coefficient, at least 0 [-]."""
    rolling_friction: float = 0.0
    """Resistance to rolling over R* F_n, at least 0 [-]."""
    twisting_friction: float = 0.0
    """Resistance to twisting over R* F_n, at least 0 [-]."""


class Material(_Columns):
    """One material; raises `ParameterError` for a number that no material has."""

    __slots__ = ()

    def __new__(
        cls,
        young: float,
        poisson: float,
        density: float,
        restitution: float,
        friction: float,
        rolling_friction: float = 0.0,
        twisting_friction: float = 0.0,
    ) -> Self:
        return super().__new__(
            cls,
            checked_number("young", young, "Pa", above=0.0),
            checked_number("poisson", poisson, above=-1.0, most=0.5),
            checked_number("density", density, "kg/m³", above=0.0),
            checked_number("restitution", restitution, least=0.0, most=1.0),
            checked_number("friction", friction, least=0.0),
            checked_number("rolling_friction", rolling_friction, least=0.0),
            checked_number("twisting_friction", twisting_friction, least=0.0),
        )

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)  # `_replace` calls it

    @property
    def shear_modulus(self) -> float:
        """E / (2 (1 + nu)) [Pa]."""
        return self.young / (2.0 * (1.0 + self.poisson))


def damping_share(restitution: float) -> float:
    """-ln e / sqrt(pi² + ln² e): the damping ratio of a contact with restitution e; 1 for e = 0."""
    if restitution <= 0.0:
        return 1.0
    return -math.log(restitution) / math.hypot(math.pi, math.log(restitution))


def pair_table(
    materials: Sequence[Material], differing: Mapping[tuple[int, int], Mapping[str, float]] | None = None
) -> Floats:
    """The properties of a contact for every pair of materials, shape (materials², COLUMN_COUNT).

    1/E* = sum (1 - nu²)/E;  1/G* = sum (2 - nu)/G. Restitution and frictions are geometric means, unless `differing`
    gives them for a pair of rows, under the names of `Material`. The pair (i, j) is row i * count + j.
    """
    count = len(materials)
    table = np.empty((count * count, COLUMN_COUNT))
    for i, a in enumerate(materials):
        for j, b in enumerate(materials):
            own = dict((differing or {}).get((i, j), (differing or {}).get((j, i), {})))
            mean = {name: math.sqrt(getattr(a, name) * getattr(b, name)) for name in _MEANS} | own
            young = 1.0 / ((1.0 - a.poisson**2) / a.young + (1.0 - b.poisson**2) / b.young)
            shear = 1.0 / ((2.0 - a.poisson) / a.shear_modulus + (2.0 - b.poisson) / b.shear_modulus)
            table[i * count + j] = (
                young,
                math.sqrt(4.0 * shear / young),
                damping_share(mean["restitution"]),
                mean["friction"],
                mean["rolling_friction"],
                mean["twisting_friction"],
            )
    return table


@compilable(forceinline=True)
def row_of(params: Any, kind: int) -> tuple[float, ...]:
    """The row of a law's `table` for one kind of pair, as a tuple indexed by the columns above."""
    row = params.table[kind]
    return row[0], row[1], row[2], row[3], row[4], row[5]


_MEANS = ("restitution", "friction", "rolling_friction", "twisting_friction")
