"""Answers are counted in bars of the slider and exported without phones."""

from __future__ import annotations

import csv
import io

from repose.app.audience.exchange import Answered, AskedQuestion
from repose.app.audience.rounds import Round, take, write_table
from repose.sim.measure.display import AudienceGuesses, Guess
from repose.sim.message import plain

GUESS = Guess(plain("=How steep, in degrees?"), "°", 0.0, 60.0)


def test_answers_belong_to_their_round_and_a_phone_has_one() -> None:
    rounds = [Round(AskedQuestion(number, GUESS), number) for number in (1, 2)]
    assert take(rounds, {"a": Answered(1, 3.0), "b": Answered(2, 4.0), "c": Answered(9, 5.0)})
    assert take(rounds, {"a": Answered(1, 7.0)})
    assert not take(rounds, {})
    assert [entry.values for entry in rounds] == [{"a": 7.0}, {"b": 4.0}]


def test_the_table_has_neither_names_nor_the_order_of_arrival() -> None:
    entry = Round(AskedQuestion(3, GUESS), "key", {"phone-z": 30.0, "phone-a": 12.0}, result=31.25)
    file = io.BytesIO()
    write_table([entry], file)
    text = file.getvalue().decode("utf-8")
    assert "phone" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["guess"] for row in rows] == ["12", "30"]
    assert {row["result"] for row in rows} == {"31.25"}
    assert rows[0]["question"].startswith("'="), "no formula of a spreadsheet"


def test_what_is_kept_with_a_run_is_sorted() -> None:
    entry = Round(AskedQuestion(1, GUESS), "key", {"b": 30.0, "a": 12.0})
    assert entry.as_kept(shown=True) == AudienceGuesses(GUESS, (12.0, 30.0), None, shown=True)


def test_a_choice_stands_in_the_table_with_its_words() -> None:
    guess = Guess(plain("What happens?"), "", 1.0, 3.0, (plain("nothing"), plain("=it flows"), plain("it stops")))
    entry = Round(AskedQuestion(1, guess), "key", {"a": 3.0, "b": 2.0}, result=3.0)
    file = io.BytesIO()
    write_table([entry], file)
    rows = list(csv.DictReader(io.StringIO(file.getvalue().decode("utf-8"))))
    assert [row["guess"] for row in rows] == ["'=it flows", "it stops"], "no formula of a spreadsheet"
    assert {(row["low"], row["high"], row["result"]) for row in rows} == {("", "", "it stops")}
