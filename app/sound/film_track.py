"""The sound of a film, on the clock of the film: what happens between two pictures is heard while the first is shown.

The loudest sample of the whole film is full scale: within a film, loudness follows the dissipated energy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from repose.app.sound.clicks import LENGTH, RATE, SLOT, SLOTS, Floats, as_words, sound_of
from repose.app.sound.heard import Heard, slots_of
from repose.sim.experiment.snapshot import Snapshot

BLOCK = 2 * SLOTS
"""Slots whose samples are computed at a time."""


class FilmTrack:
    """The sound of one film with `fps` frames per second."""

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._heard = Heard()
        self._energy = np.zeros(BLOCK)
        """Energy in each slot from the beginning of the film on [J]."""
        self._end = 0
        """Slots up to the last one with energy."""
        self._loudest: float | None = None

    def hear(self, snapshot: Snapshot, frame: int) -> None:
        """Hear what happened before this snapshot, whose picture is the frame number `frame` of the film, from 0."""
        begin, end = (frame - 1) / self._fps, frame / self._fps
        times, energies = self._heard.since_last(snapshot, begin, end)
        if not len(times):
            return
        first, last = int(begin * SLOTS), int(end * SLOTS) + 1
        if last > len(self._energy):
            self._energy = np.concatenate((self._energy, np.zeros(max(len(self._energy), last))))
        self._energy[first:last] += slots_of(times, energies, first, last - first)
        self._end, self._loudest = max(self._end, last), None

    def words(self, begin: int, end: int) -> Iterator[NDArray[np.int16]]:
        """The samples of the frames from `begin` to before `end`, in blocks."""
        if self._loudest is None:
            self._loudest = max((float(np.abs(block).max()) for block in self._blocks(0, self._end)), default=0.0)
        first, last = (round(frame / self._fps * RATE) for frame in (begin, end))
        place = first // SLOT
        for samples in self._blocks(place, -(-last // SLOT)):
            low, high = max(first - SLOT * place, 0), min(last - SLOT * place, len(samples))
            place += len(samples) // SLOT
            yield as_words(samples[low:high], self._loudest or 1.0)

    def _blocks(self, first: int, last: int) -> Iterator[Floats]:
        """Samples of the slots from `first` to before `last`, with what is left of clicks before them."""
        early = -(-LENGTH // SLOT) + 1
        for begin in range(first, last, BLOCK):
            end = min(begin + BLOCK, last)
            low = max(begin - early, 0)
            energy = self._energy[low:end]
            energy = np.concatenate((energy, np.zeros(end - low - len(energy))))
            yield sound_of(energy, low)[SLOT * (begin - low) : SLOT * (end - low)]
