"""The sentence about the stated outcomes of a task."""

from __future__ import annotations

import pytest
from repose.app.render.film_words import verdict
from repose.sim.measure.display import Outcome
from repose.sim.message import Message, plain


@pytest.mark.parametrize(
    ("holds", "words"),
    [
        ([True], "✓ The stated outcome holds."),
        ([True, True], "✓ Both stated outcomes hold."),
        ([True, True, True], "✓ All 3 stated outcomes hold."),
        ([True, False], "✗ This does not hold: the spin of 2 stays."),
        ([False, True, False], "✗ This does not hold: the spin of 1 stays; the spin of 3 stays."),
        ([False] * 5, "✗ Several outcomes do not hold, such as: the spin of 1 stays; the spin of 2 stays."),
    ],
)
def test_two_outcomes_are_both_more_are_counted_and_those_that_fail_are_named(holds: list[bool], words: str) -> None:
    said = [Message("the spin of {number} stays", number=number) for number in range(1, 6)]
    outcomes = [Outcome(f"n{n}", said[n], plain("1"), plain("1"), held) for n, held in enumerate(holds)]
    assert str(verdict(outcomes)) == words
