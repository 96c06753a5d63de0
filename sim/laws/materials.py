"""Materials, and the properties of a contact between two of them.

Seven properties are those of every material. Further ones are records in files of their own, in
repose.sim.laws.properties or a plug-in: a material has them by name, and a law reads those that it names among its
columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
from repose.sim import registry
from repose.sim.engine.jit import compilable
from repose.sim.engine.world import Floats
from repose.sim.laws.material_columns import COLUMN_COUNT
from repose.sim.laws.material_property import Property
from repose.sim.message import plain
from repose.sim.parameters import ParameterError, named_by_symbol, require_known


def damping_share(restitution: float) -> float:
    """-ln e / sqrt(pi² + ln² e): the damping ratio of a contact with restitution e; 1 for e = 0."""
    if restitution <= 0.0:
        return 1.0
    return -math.log(restitution) / math.hypot(math.pi, math.log(restitution))


def young_of_pair(a: Material, b: Material) -> float:
    """E* of two materials [Pa]: 1/E* = sum (1 - nu²)/E."""
    return 1.0 / ((1.0 - a.poisson**2) / a.young + (1.0 - b.poisson**2) / b.young)


def across_of_pair(a: Material, b: Material) -> float:
    """sqrt(4 G*/E*) of two materials, with 1/G* = sum (2 - nu)/G [-]."""
    shear = 1.0 / ((2.0 - a.poisson) / a.shear_modulus + (2.0 - b.poisson) / b.shear_modulus)
    return math.sqrt(4.0 * shear / young_of_pair(a, b))


# fmt: off
YOUNG = Property("young", "E", "Pa", above=0.0, of_pair=young_of_pair)
POISSON = Property("poisson", "ν", above=-1.0, most=0.5, of_pair=across_of_pair)
DENSITY = Property("density", "ρ", "kg/m³", above=0.0)
RESTITUTION = Property("restitution", "e", least=0.0, most=1.0, column=damping_share)
FRICTION = Property("friction", "μ", least=0.0)
ROLLING = Property("rolling_friction", "μ_r", default=0.0, least=0.0)
TWISTING = Property("twisting_friction", "μ_tw", default=0.0, least=0.0)
# fmt: on
COMMON = {entry.name: entry for entry in (YOUNG, POISSON, DENSITY, RESTITUTION, FRICTION, ROLLING, TWISTING)}
"""The properties of every material by name."""
CONTACT_COLUMNS = ("young", "poisson", "restitution", "friction", "rolling_friction", "twisting_friction")
"""Properties from which the columns of repose.sim.laws.material_columns follow, in their order. A law that reads
further properties appends their names."""


def further_properties() -> dict[str, Property]:
    """The properties by name that only some laws read, of the program and of plug-ins."""
    return registry.records("laws.properties")


def known_properties() -> dict[str, Property]:
    """Every property by name."""
    return COMMON | further_properties()


MISSING: Any = object()
"""Default of a property that must be given; Python would not name the symbol for which it was mistaken."""


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
    """One material, a tuple of its seven numbers; raises `ParameterError` for a number that no material has, and
    answers a symbol with the name."""

    further: tuple[tuple[str, float], ...] = ()
    """Names and values of further properties, sorted by name; each is also an attribute."""

    def __new__(
        cls,
        young: float = MISSING,
        poisson: float = MISSING,
        density: float = MISSING,
        restitution: float = MISSING,
        friction: float = MISSING,
        rolling_friction: float = 0.0,
        twisting_friction: float = 0.0,
        **further: float,
    ) -> Self:
        own = tuple((name, _further(name).checked(value)) for name, value in sorted(further.items()))
        given = (young, poisson, density, restitution, friction, rolling_friction, twisting_friction)
        missing = next((name for name, value in zip(COMMON, given, strict=True) if value is MISSING), "")
        if missing:
            raise ParameterError(
                f"{missing} is missing: give a Material its young, poisson, density, restitution and friction."
            )
        made = super().__new__(cls, *(one.checked(value) for one, value in zip(COMMON.values(), given, strict=True)))
        if own:
            made.further = own
        return made

    def __getattr__(self, name: str) -> float:
        """A further property: as given, or its default."""
        values = dict(self.further)
        if name in values:
            return values[name]
        entry = None if name.startswith("_") else further_properties().get(name)
        if entry is None:
            raise AttributeError(f"A material has no property {name!r}.")
        if entry.default is None:
            raise ParameterError(f"{name} is missing: a law reads it, give it to every Material.")
        return entry.default

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, other) is True and self.further == getattr(other, "further", ())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self.further)) if self.further else tuple.__hash__(self)

    def __repr__(self) -> str:
        return f"Material({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**(self._asdict() | changes))

    def _asdict(self) -> dict[str, float]:
        """Every given property by name."""
        common: dict[str, Any] = dict(zip(COMMON, self, strict=True))
        return common | dict(self.further)

    @property
    def shear_modulus(self) -> float:
        """E / (2 (1 + nu)) [Pa]."""
        return self.young / (2.0 * (1.0 + self.poisson))


def _further(name: str) -> Property:
    """The further property of this name; raises `ParameterError`, which answers a symbol with the name."""
    further = further_properties()
    if name not in further:
        names = named_by_symbol(name, {entry.name: entry.symbol for entry in known_properties().values()})
        if names:
            raise ParameterError(f"Unknown property '{name}': did you mean {' or '.join(map(str, names))}?")
        require_known(name, known_properties(), plain("property"))
    return further[name]


def pair_table(
    materials: Sequence[Material],
    differing: Mapping[tuple[int, int], Mapping[str, float]] | None = None,
    columns: Sequence[str] = CONTACT_COLUMNS,
) -> Floats:
    """The properties of a contact for every pair of materials, shape (materials², columns).

    Each column follows from the property that it names (`Property.of_contact`). `differing` gives values for a pair of
    rows in place of the mean, under the names of the properties. The pair (i, j) is row i * count + j.
    """
    count, known = len(materials), known_properties()
    table = np.empty((count * count, len(columns)))
    for i, a in enumerate(materials):
        for j, b in enumerate(materials):
            own = dict((differing or {}).get((i, j), (differing or {}).get((j, i), {})))
            table[i * count + j] = [known[name].of_contact(a, b, own.get(name)) for name in columns]
    return table


@compilable(forceinline=True)
def row_of(params: Any, kind: int) -> tuple[float, ...]:
    """The row of a law's `table` for one kind of pair, as a tuple indexed by the columns of every law of materials."""
    row = params.table[kind]
    return row[0], row[1], row[2], row[3], row[4], row[5]


@cache
def row_with(count: int) -> Any:
    """`row_of` for a table of `count` columns, those of every law of materials first."""
    if count == COLUMN_COUNT:
        return row_of
    shorter, last = row_with(count - 1), count - 1

    @compilable(forceinline=True)
    def longer(params: Any, kind: int) -> tuple[float, ...]:
        added = (params.table[kind, last],)
        whole: tuple[float, ...] = shorter(params, kind) + added
        return whole

    return longer
