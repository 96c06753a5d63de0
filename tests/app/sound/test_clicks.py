"""A click has the energy that was dissipated, and the same energies give the same samples."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.sound.clicks import DECAY, FULL, LENGTH, RATE, SLOT, as_words, scattered, sound_of


def test_the_energy_of_a_click_is_the_dissipated_energy() -> None:
    for slot in range(20):
        energy = np.zeros(20)
        energy[slot] = 3e-6
        assert (sound_of(energy, 7) ** 2).sum() == pytest.approx(3e-6)


def test_a_click_begins_in_its_slot_and_has_ended_after_its_length() -> None:
    energy = np.zeros(40)
    energy[5] = 1.0
    heard = np.flatnonzero(sound_of(energy, 0))
    assert 5 * SLOT <= heard[0] <= 6 * SLOT + 1
    assert heard[-1] < 6 * SLOT + LENGTH
    assert np.exp(-LENGTH / RATE / DECAY) < 1e-3, "what is cut off the end"


def test_blocks_of_a_sound_are_the_sound() -> None:
    energy = np.random.default_rng(1).exponential(size=300) * (np.arange(300) % 3 == 0)
    whole = sound_of(energy, 0)
    first, second = sound_of(energy[:100], 0), sound_of(energy[100:], 100)
    joined = np.zeros_like(whole)
    joined[: len(first)] += first
    joined[100 * SLOT :] += second
    np.testing.assert_allclose(joined, whole, atol=1e-12)


def test_numbers_are_scattered_evenly() -> None:
    found = scattered(np.arange(100_000))
    assert ((found >= 0.0) & (found < 1.0)).all()
    counts = np.histogram(found, 50, (0.0, 1.0))[0]
    assert np.abs(counts - 2000).max() < 5 * np.sqrt(2000)
    # Neighbours are independent: their correlation is 0 within 5 standard errors, 1/sqrt(n).
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 5 / np.sqrt(100_000)


def test_words_are_cut_at_full_scale() -> None:
    words = as_words(np.array([0.0, 0.5, 1.0, 3.0, -3.0]), 1.0)
    assert words.tolist() == [0, round(0.5 * FULL), round(FULL), round(FULL), -round(FULL)]
