"""The guesses of an audience are counted in bars of the slider."""

from __future__ import annotations

import pytest
from repose.sim.measure.display import BARS, AudienceGuesses, Guess
from repose.sim.message import plain


@pytest.mark.parametrize(("low", "high"), [(0.0, 60.0), (0.0, 5.0), (-1.0, 1.0), (0.0, 1e-3), (0.0, 0.4)])
def test_a_histogram_counts_every_guess_once(low: float, high: float) -> None:
    guess = Guess(plain("x"), "", low, high)
    values = tuple(low + (high - low) * k / 96 for k in range(97))
    counts = AudienceGuesses(guess, values).histogram()
    assert sum(counts) == 97
    assert len(counts) <= BARS
    assert (high - low) / len(counts) >= 0.999 * 10.0**-guess.decimals, "a bar is at least one step wide"


def test_the_ends_of_the_slider_are_in_the_first_and_the_last_bar() -> None:
    counts = AudienceGuesses(Guess(plain("x"), "°", 0.0, 60.0), (0.0, 0.0, 60.0)).histogram()
    assert (counts[0], counts[-1]) == (2, 1)


@pytest.mark.parametrize("count", range(2, 7))
def test_choices_are_counted_one_by_one_and_called_by_their_names(count: int) -> None:
    names = tuple(plain(f"choice {number}") for number in range(1, count + 1))
    guess = Guess(plain("x"), "", 1.0, float(count), names)
    values = tuple(float(number) for number in range(1, count + 1) for _ in range(number))
    assert AudienceGuesses(guess, values).histogram() == list(range(1, count + 1))
    assert [str(guess.shown(float(number), finer=1)) for number in range(1, count + 1)] == list(map(str, names))
