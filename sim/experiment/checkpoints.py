"""Checkpoints for rewinding a run, within a memory budget: dense for recent steps, sparse for older ones."""

from __future__ import annotations

import bisect
import itertools
import mmap
import sys
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel
from repose.sim.engine.world import Floats
from repose.sim.experiment.run import PLAIN, Checkpoint
from repose.sim.message import Message

OWN_ENTRIES = 440
"""Memory of the entries of one checkpoint in `Checkpoints.shown` and in the table of sizes [bytes]."""


@dataclass
class Checkpoints:
    """Checkpoints in the order of their steps, of at most `budget` bytes together.

    If the budget is smaller than two checkpoints, only the first is kept: it is the beginning of the log.
    """

    budget: int = 0
    kept: list[Checkpoint] = field(default_factory=list)
    shown: tuple[tuple[int, float], ...] = ()
    """Step, counted since the log began, and simulated time [s] of each checkpoint."""
    bytes: int = 0
    """Memory of all checkpoints [bytes]."""
    _sizes: dict[tuple[int, int], tuple[Checkpoint | None, Checkpoint, int]] = field(default_factory=dict)
    """Each checkpoint with the one before it, by their `id`, and its memory without tables of series and without what
    it shares with that one [bytes]."""

    def begin(self, first: Checkpoint) -> None:
        """Discard all checkpoints but the first of a new log."""
        self.kept = [first]
        self._update_bytes()
        self._update_shown()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Add a checkpoint, unless a checkpoint of the same step exists, as it does while a log is replayed."""
        steps = [other.at for other in self.kept]
        index = bisect.bisect_left(steps, checkpoint.at)
        if self.budget <= 0 or (index < len(steps) and steps[index] == checkpoint.at):
            return
        self.kept.insert(index, checkpoint)
        self._update_bytes()
        while self.bytes > self.budget and len(self.kept) > 1:
            self._thin_out()
            self._update_bytes()
        self._update_shown()

    def before(self, at: int) -> Checkpoint:
        """The last checkpoint at or before step `at`."""
        index = bisect.bisect_right([other.at for other in self.kept], at)
        return self.kept[max(0, index - 1)]

    def cut(self, at: int) -> None:
        """Discard checkpoints after step `at`."""
        while len(self.kept) > 1 and self.kept[-1].at > at:
            self.kept.pop()
        self._update_bytes()
        self._update_shown()

    def _thin_out(self) -> None:
        """Discard the checkpoint with the smallest ratio of the distance between its neighbours to its age; never the
        first one, and the last one only if there are two."""
        if len(self.kept) == 2:
            del self.kept[1]
            return
        newest = self.kept[-1].at
        gaps = [
            (later.at - earlier.at) / (newest - own.at)
            for earlier, own, later in zip(self.kept, self.kept[1:], self.kept[2:], strict=False)
        ]
        del self.kept[1 + gaps.index(min(gaps))]

    def _update_bytes(self) -> None:
        """Update `bytes`. Parts that a checkpoint shares with the one before it are counted once. A few tables of
        series serve all checkpoints and are counted separately."""
        tables = {id(table): table for kept in self.kept for table in _series_of(kept)}
        pairs = [(None, self.kept[0]), *itertools.pairwise(self.kept)] if self.kept else []
        present = {(id(before), id(kept)): (before, kept) for before, kept in pairs}
        for gone in self._sizes.keys() - present.keys():
            del self._sizes[gone]
        for key in present.keys() - self._sizes.keys():
            before, kept = present[key]
            self._sizes[key] = before, kept, _own_bytes(kept, before)
        own = sum(size for *_, size in self._sizes.values())
        beside = sys.getsizeof(self.kept) + OWN_ENTRIES * len(self.kept)
        self.bytes = beside + own + sum(map(bytes_of, tables.values()))

    def _update_shown(self) -> None:
        self.shown = tuple((kept.at, kept.now.run.time) for kept in self.kept)


def _series_of(kept: Checkpoint) -> tuple[Floats, ...]:
    return tuple(point.run.series.table for point in (kept.now, kept.good, kept.before_change))


def _own_bytes(kept: Checkpoint, before: Checkpoint | None) -> int:
    """Memory of a checkpoint without tables of series and without what it shares with the one before it [bytes]."""
    seen = {id(table) for own in (kept, before) if own is not None for table in _series_of(own)}
    if before is not None:
        bytes_of(before, seen)
    return bytes_of(kept, seen)


def bytes_of(thing: Any, seen: set[int] | None = None) -> int:
    """Memory of an object and of everything that it refers to, each part counted once [bytes]. Parts whose `id` is in
    `seen` are left out; the others are added to it."""
    seen = set() if seen is None else seen
    waiting, total = [thing], 0
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        total += sys.getsizeof(part)
        if type(part) in PLAIN:
            continue
        if isinstance(part, np.ndarray):
            total += 2 * part.ndim * np.intp().itemsize  # shape and strides, which have memory of their own
            waiting.append(part.base)  # the storage of a view, which it keeps as a whole
        elif isinstance(part, memoryview):
            waiting.append(part.obj)
        elif isinstance(part, mmap.mmap):
            total += len(part)
        elif isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list | tuple | set | frozenset):
            if not PLAIN.issuperset(map(type, part)):
                waiting += part
                continue
            sizes = dict(zip(map(id, part), map(sys.getsizeof, part), strict=True))  # most parts are such numbers
            total += sum(sizes.values()) - sum(map(sizes.__getitem__, sizes.keys() & seen))
            seen.update(sizes)
        elif isinstance(part, BaseModel):
            waiting += [vars(part), part.model_fields_set, part.__pydantic_private__]
        elif isinstance(part, Message):  # its attributes have slots
            waiting += (part.template, part.plural, part.values)
        elif is_dataclass(part):
            waiting.append(vars(part))
    return total
