"""Records of a course: the time and named quantities, one row per record, as arrays in the state of the scene.

A quantity is a number, or one number per body. Rows that are written never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.world import Floats
from repose.sim.io.plain import Array
from repose.sim.scenes.common.state_checks import are_times

Columns: TypeAlias = dict[str, Array]
"""Recorded quantities by name, shape (records,) or (records, bodies), among them `time` since the beginning [s]."""

FIRST_ROOM = 64
"""Rows for which a new column has room."""


def keep_record(columns: Columns, values: Mapping[str, ArrayLike]) -> None:
    """Append one record to every column."""
    for name, value in values.items():
        columns[name] = _with_row(columns.get(name), np.asarray(value, float))


def _with_row(rows: Floats | None, row: Floats) -> Floats:
    """The rows and one more. They are the beginning of a longer array, which is replaced by one of twice the length
    when it is full; a copy of them has no spare rows."""
    count = 0 if rows is None else len(rows)
    room = None if rows is None else rows.base
    if room is None or len(room) == count or room.shape[1:] != row.shape:
        room = np.empty((max(FIRST_ROOM, 2 * count), *row.shape))
        room[:count] = rows if rows is not None else 0.0
    room[count] = row
    longer: Floats = room[: count + 1]
    return longer


def record_times(columns: Columns) -> Floats:
    """Times of the records since the beginning [s], shape (records,)."""
    return columns.get("time", np.empty(0))


def records_flaw(columns: Columns) -> bool:
    """Whether these columns, read from a file, are no records."""
    if not columns:
        return False
    time = record_times(columns)
    whole = all(len(rows) == time.size and np.isfinite(rows).all() for rows in columns.values())
    return not whole or not time.size or not are_times(time)
