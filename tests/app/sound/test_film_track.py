"""The track of a film: what happens between two pictures is heard while the first of them is shown."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.sound.clicks import FULL, LENGTH, RATE, SLOT
from repose.app.sound.film_track import FilmTrack

from tests.app.sound.sounding import sounding

FPS = 25.0
FRAME = round(RATE / FPS)


def track_of(entries: dict[float, float], frames: int = 40, step: float = 0.01) -> FilmTrack:
    """A film with a frame every `step` of simulated time [s]."""
    track = FilmTrack(FPS)
    for frame in range(frames):
        now = frame * step
        track.hear(sounding(now, {time: energy for time, energy in entries.items() if time <= now + 1e-12}), frame)
    return track


def words_of(track: FilmTrack, begin: int = 0, end: int = 40) -> np.ndarray:
    return np.concatenate(list(track.words(begin, end)))


def quiet_but(loud: dict[float, float], step: float = 1e-3) -> dict[float, float]:
    """An entry every `step` [s], without energy but for some."""
    times = [round(k * step, 9) for k in range(1, 400)]
    return {time: loud.get(time, 0.0) for time in times}


def test_an_impact_is_heard_during_the_frame_in_which_it_happens() -> None:
    words = words_of(track_of(quiet_but({0.105: 1e-6})))
    assert len(words) == 40 * FRAME
    heard = np.flatnonzero(words)
    # The interval from 0.104 to 0.105 s is from 40 to 50 % of frame 10.
    assert 10.4 * FRAME - SLOT <= heard[0] <= 10.5 * FRAME + SLOT
    assert heard[-1] < 10.5 * FRAME + 2 * SLOT + LENGTH


def test_loudness_follows_the_dissipated_energy() -> None:
    words = words_of(track_of(quiet_but({0.1: 4e-6, 0.3: 1e-6}))).astype(float)
    first, second = (words[lo * FRAME : (lo + 5) * FRAME] for lo in (9, 29))
    assert np.abs(words).max() == round(FULL)
    # Energy is the sum of squares of the samples; half a step of rounding for each of at most LENGTH samples.
    ratio = (first**2).sum() / (second**2).sum()
    assert ratio == pytest.approx(4.0, rel=2.0 * 0.5 * np.sqrt(LENGTH / (second**2).sum()) * 2)


def test_the_same_run_gives_the_same_track_and_its_parts_are_the_whole() -> None:
    energies = np.random.default_rng(3).exponential(size=399) * 1e-6
    entries = dict(zip(quiet_but({}), energies.tolist(), strict=True))
    whole = words_of(track_of(entries))
    assert whole.tobytes() == words_of(track_of(entries)).tobytes()
    parts = track_of(entries)
    assert np.array_equal(np.concatenate([words_of(parts, 0, 17), words_of(parts, 17, 40)]), whole)
    assert np.abs(whole).max() == round(FULL)


def test_a_film_without_impacts_is_silent_and_as_long_as_its_pictures() -> None:
    words = words_of(FilmTrack(FPS))
    assert len(words) == 40 * FRAME
    assert not words.any()


def test_a_run_that_begins_anew_or_is_set_back_adds_nothing() -> None:
    track = FilmTrack(FPS)
    entries = quiet_but({0.105: 1e-6})
    track.hear(sounding(0.1, entries), 0)
    track.hear(sounding(0.2, entries, logs=2), 1)
    track.hear(sounding(0.1, entries, logs=2), 2)
    assert not words_of(track).any()
    track.hear(sounding(0.11, entries, logs=2), 3)
    assert words_of(track).any()


def test_runs_side_by_side_are_heard_together() -> None:
    together = FilmTrack(FPS)
    for frame, now in enumerate((0.1, 0.11)):
        shot = sounding(now, quiet_but({}))
        shot.beside = (sounding(now, quiet_but({0.105: 1e-6})),)
        together.hear(shot, frame)
    assert words_of(together).any()
