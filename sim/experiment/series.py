"""Histories that grow for as long as a run lives, read while they grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from repose.sim.engine.world import Floats

ENERGY_SERIES = (
    "translational",
    "rotational",
    "potential",
    "elastic",
    "shear",
    "damping",
    "sliding",
    "poured",
    "removed",
    "work",
    "gap",
)
BULK_SERIES = ("packing_fraction", "pressure")
SERIES = (
    *("time", "kinetic_energy", "mean_speed", "coordination", "angle"),
    *BULK_SERIES,
    *(f"energy.{name}" for name in ENERGY_SERIES),
)
"""Columns of `Run.series`; nan stands for what there is not: an angle without a slope, a packing fraction and a
pressure without a packing, rotational energy where grains do not rotate."""

FIRST_CAPACITY = 256


@dataclass
class Series:
    """Named columns of samples.

    Rows once written never change and a full table is replaced by a larger copy, so a column handed out stays
    true while the physics thread goes on appending. A list of rows would be copied whole at every look.
    """

    names: tuple[str, ...]
    count: int = 0
    table: Floats = field(init=False)
    """Shape (names, capacity): each column lies in one piece, as plots want it."""

    def __post_init__(self) -> None:
        self.table = np.empty((len(self.names), FIRST_CAPACITY))

    @classmethod
    def of(cls, names: tuple[str, ...], table: Floats) -> Series:
        """The series with these samples, shape (names, samples)."""
        series = cls(names, table.shape[1])
        series.table = np.ascontiguousarray(np.hstack([table, np.empty((len(names), FIRST_CAPACITY))]))
        return series

    def append(self, row: Sequence[float]) -> None:
        """Add one sample, one number per name."""
        if self.count == self.table.shape[1]:
            self.table = np.concatenate([self.table, np.empty_like(self.table)], axis=1)
        self.table[:, self.count] = row
        self.count += 1

    def last(self, name: str) -> float:
        """The newest value of a column; raises IndexError before the first sample."""
        if self.count == 0:
            raise IndexError(f"The series '{name}' has no sample yet.")
        return float(self.table[self.names.index(name), self.count - 1])

    def columns(self) -> dict[str, Floats]:
        """Every column by name, shape (count,); not to be written to."""
        return {name: self.table[row, : self.count] for row, name in enumerate(self.names)}
