"""The sentence about the stated outcomes of a task."""

from __future__ import annotations

import pytest
from repose.app.render.film_words import verdict
from repose.sim.measure.display import Outcome
from repose.sim.message import _


@pytest.mark.parametrize(
    ("holds", "words"),
    [
        ([True], "✓ The stated outcome holds."),
        ([True, True], "✓ Both stated outcomes hold."),
        ([True, True, True], "✓ All 3 stated outcomes hold."),
        ([True, False], "✗ 1 of 2 stated outcomes hold."),
    ],
)
def test_two_outcomes_are_both_and_more_are_counted(holds: list[bool], words: str) -> None:
    outcomes = [Outcome(f"n{n}", _("it holds"), _("1"), _("1"), held) for n, held in enumerate(holds)]
    assert str(verdict(outcomes)) == words
