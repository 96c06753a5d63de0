"""Samples of sound from dissipated energy.

A share of the energy that viscous terms dissipate becomes sound: a click of energy E has the amplitude √E. Time is
divided into slots of 0.5 ms, which ears do not tell apart; each slot with dissipated energy gives one click, a damped
oscillation. Its pitch, one of eight, and its place in the slot follow from the number of the slot alone, so that the
same energies give the same samples, and clicks at equal distances are no tone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.app.storage.recorder import SOUND_RATE as RATE

Floats = NDArray[np.float64]

SLOT = 24
"""Samples of a slot."""
SLOTS = RATE // SLOT
"""Slots per second [1/s]."""
LENGTH = 480
"""Samples of a click, whose amplitude is then below 1 ‰."""
PITCHES = np.geomspace(1500.0, 5000.0, 8)
"""Frequencies of the clicks [Hz]."""
DECAY = 1.4e-3
"""Time in which a click falls to 1/e [s]."""
FULL = 0.9 * np.iinfo(np.int16).max
"""The largest sample [of 16 bits]."""


def _bank() -> Floats:
    time = np.arange(LENGTH) / RATE
    clicks: Floats = np.sin(2.0 * np.pi * PITCHES[:, None] * time) * np.exp(-time / DECAY)
    clicks /= np.sqrt((clicks**2).sum(axis=1, keepdims=True))
    return clicks


BANK = _bank()
"""One click per pitch, of unit energy, shape (pitches, LENGTH)."""


def scattered(number: NDArray[np.int64]) -> Floats:
    """A number from 0 to 1 for each whole number, the same for the same one: the multiplicative hash of Knuth (The Art
    of Computer Programming 3, 6.4), with the bits of the number mixed before."""
    bits = number.astype(np.uint32)
    bits = (bits ^ (bits >> np.uint32(15))) * np.uint32(0x85EBCA6B)
    bits = (bits ^ (bits >> np.uint32(13))) * np.uint32(2654435761)
    return bits / 2.0**32


def sound_of(energy: Floats, first: int) -> Floats:
    """Samples of slots with these energies [J], from the slot number `first` on; with `LENGTH` samples after the last
    slot, in which the last clicks end. The unit is √J."""
    samples = np.zeros(SLOT * len(energy) + LENGTH)
    rows = np.flatnonzero(energy > 0.0)
    if not len(rows):
        return samples
    number = rows + first
    start = SLOT * rows + (SLOT * scattered(number)).astype(np.int64)
    pitch = (len(BANK) * scattered(number + (1 << 30))).astype(np.int64)
    places = start[:, None] + np.arange(LENGTH)
    clicks = np.sqrt(energy[rows])[:, None] * BANK[pitch]
    samples += np.bincount(places.ravel(), clicks.ravel(), minlength=len(samples))[: len(samples)]
    return samples


def as_words(samples: Floats, largest: float) -> NDArray[np.int16]:
    """Samples as 16-bit words, of which `largest` is the loudest; what is louder is cut."""
    words: NDArray[np.int16] = np.rint(np.clip(samples / largest, -1.0, 1.0) * FULL).astype(np.int16)
    return words
