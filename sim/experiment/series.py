"""Samples of every measurement over time; they are read while the run appends to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from repose.sim import registry
from repose.sim.engine.world import Floats

FORMAT_4_NAMES = (
    *("time", "kinetic_energy", "mean_speed", "coordination", "angle", "packing_fraction", "pressure"),
    *("energy.translational", "energy.rotational", "energy.potential", "energy.elastic", "energy.shear"),
    *("energy.damping", "energy.sliding", "energy.poured", "energy.removed", "energy.work", "energy.gap"),
)
"""Columns in saved runs of formats 2 to 4, which do not name them."""

FIRST_CAPACITY = 256


def series_names() -> tuple[str, ...]:
    """Columns of `Run.series`: the time [s], and every measurement in SI units; nan stands for a missing value."""
    return ("time", *registry.measurements())


@dataclass
class Series:
    """Named columns of samples.

    Written rows never change, and a full table is replaced by a larger copy: a column remains valid while the physics
    thread appends. A list of rows would be copied as a whole for every snapshot.
    """

    names: tuple[str, ...]
    count: int = 0
    table: Floats = field(init=False)
    """Shape (names, capacity): each column is contiguous in memory, as plots require."""

    def __post_init__(self) -> None:
        self.table = np.empty((len(self.names), FIRST_CAPACITY))

    @classmethod
    def of(cls, names: tuple[str, ...], table: Floats, columns: tuple[str, ...] | None = None) -> Series:
        """The series with these samples, shape (columns, samples).

        `columns` names the rows of `table` if they differ from `names`; missing columns become nan.
        """
        series = cls(names, table.shape[1])
        known = dict(zip(columns or names, table, strict=True))
        missing = np.full(table.shape[1], np.nan)
        samples = np.array([known.get(name, missing) for name in names]).reshape(len(names), table.shape[1])
        series.table = np.ascontiguousarray(np.hstack([samples, np.empty((len(names), FIRST_CAPACITY))]))
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
        """Every column by name, shape (count,); read only."""
        return {name: self.table[row, : self.count] for row, name in enumerate(self.names)}
