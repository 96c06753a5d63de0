"""Checks of the state of a scene that was read from a file: whether a run can reach it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np
from repose.sim.message import Message, plain, read_message
from repose.sim.scenes.common.measured_heap import measured_flaw

LATEST = 1e12
"""Latest accepted time [s]."""


def first_invalid(complaints: Mapping[str, bool]) -> Message | None:
    """The first impossible part, by its name."""
    return next((plain(name) for name, wrong in complaints.items() if wrong), None)


def is_finite(value: Any) -> bool:
    """Whether all numbers in a state are finite: in its fields, and in the lists, arrays and dataclasses in them."""
    if is_dataclass(value) and not isinstance(value, Message):
        return all(map(is_finite, vars(value).values()))
    if isinstance(value, Mapping):
        return all(map(is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(is_finite, value))
    if isinstance(value, np.ndarray):
        return bool(np.isfinite(value).all())
    return not isinstance(value, float) or math.isfinite(value)


def phase_flaws(state: Any) -> dict[str, bool]:
    """Whether clock and number of waits are impossible, by name."""
    return {
        "since": not 0.0 <= state.since <= LATEST,
        "quiet_since": not 0.0 <= state.quiet_since <= LATEST,
        "still_since": not 0.0 <= state.still_since <= LATEST,
        "waits_cut_short": state.waits_cut_short < 0,
    }


def invalid_poured(state: Any) -> dict[str, bool]:
    """Which parts of a state of poured grains are impossible, by name."""
    return {
        **phase_flaws(state),
        "radii": state.radii.ndim != 1 or not bool(((state.radii > 0.0) & (state.radii <= 1e4)).all()),
        "poured": not 0 <= state.poured <= len(state.radii),
        "removed": not 0 <= state.removed <= state.poured,
        "layers": state.layers < 0,
        "next_id": not 0 <= state.next_id < 2**53,
        "random": not is_generator_state(state.random),
        "measured": measured_flaw(state.measured),
    }


def is_generator_state(state: Mapping[str, Any]) -> bool:
    """Whether this is the state of a random generator."""
    try:
        np.random.default_rng().bit_generator.state = dict(state)
    except (TypeError, ValueError, KeyError, OverflowError):
        return False
    return True


def are_times(values: Collection[float]) -> bool:
    """Whether these are times of a run, ascending [s]."""
    return all(0.0 <= time <= LATEST for time in values) and [*values] == sorted(values)


def are_messages(values: Iterable[Any]) -> bool:
    """Whether these are data of messages."""
    try:
        return all(map(read_message, values))
    except ValueError:
        return False


def are_rows(rows: Collection[Collection[float]], count: int, width: int) -> bool:
    """Whether there are `count` rows of `width` finite numbers."""
    return len(rows) == count and all(len(row) == width and all(map(math.isfinite, row)) for row in rows)
