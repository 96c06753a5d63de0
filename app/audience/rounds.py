"""The answers as the window keeps them: one round for each question of the session, the table of all."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from repose.app.audience.exchange import Answered, AskedQuestion
from repose.sim.measure.display import AudienceGuesses, Guess

MOST_ROUNDS = 200
"""Rounds of a session that are kept; the oldest are forgotten first."""


@dataclass
class Round:
    """One question and its answers."""

    question: AskedQuestion
    key: object
    """What tells the question apart from others."""
    values: dict[str, float] = field(default_factory=dict)
    """The latest answer by phone, in the unit of the question."""
    result: float | None = None
    """The result of the run in this unit; None before there is one."""

    def as_kept(self, shown: bool) -> AudienceGuesses:
        """The answers without the phones, for the run."""
        return AudienceGuesses(self.question.guess, tuple(sorted(self.values.values())), self.result, shown)


def take(rounds: Sequence[Round], answers: Mapping[str, Answered]) -> bool:
    """Enter answers in the rounds to which they belong; returns whether there were any."""
    by_number = {entry.question.number: entry for entry in rounds}
    for client, answer in answers.items():
        if answer.number in by_number:
            by_number[answer.number].values[client] = answer.value
    return bool(answers)


def write_table(rounds: Sequence[Round], file: BinaryIO) -> None:
    """Write all answers as CSV, one a line: in increasing order, without names, addresses and times. A choice has its
    words in place of a number, and neither unit nor ends."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("round", "question", "unit", "low", "high", "guess", "result"))
    for entry in rounds:
        guess = entry.question.guess
        asked = (entry.question.number, _as_text(str(guess.words)), _as_text(guess.unit))
        ends = ("", "") if guess.choices else (f"{guess.low:.10g}", f"{guess.high:.10g}")
        result = "" if entry.result is None else _written(guess, entry.result)
        for value in sorted(entry.values.values()):
            table.writerow((*asked, *ends, _written(guess, value), result))
    file.write(text.getvalue().encode("utf-8"))


def _written(guess: Guess, value: float) -> str:
    """A guess or a result as it stands in the table."""
    return _as_text(str(guess.shown(value))) if guess.choices else f"{value:.10g}"


def _as_text(words: str) -> str:
    """Words of a lecture that a spreadsheet does not take for a formula."""
    return f"'{words}" if words[:1] in ("=", "+", "-", "@", "\t", "\r") else words
