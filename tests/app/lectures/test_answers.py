"""The guess of a lecture is answered by a reading in the unit of the guess, or refused with what to do."""

from __future__ import annotations

import pytest
from repose.app.language import read_language
from repose.app.lectures.answers import answer_of, unanswered
from repose.app.lectures.lecture_file import Lecture, Question, load, parse
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Reading
from repose.sim.message import _

from tests.snapshots import snapshot_of, with_fields

READINGS = (
    Reading("mean time", 0.0008, "s"),
    Reading(_("angle of repose"), 12.6, "°"),
    Reading("none yet", float("nan")),
)
SHOT = snapshot_of(readings=READINGS, bulk_readings=(Reading("coordination number", 3.9),))


def asking(reading: str, unit: str, more: str = "") -> Lecture:
    guess = f'guess = {{ words = "w", unit = "{unit}", low = 0, high = 2, reading = "{reading}" }}\n'
    return parse(f'[[step]]\ntitle = "A"\nscene = "heap"\n{guess}{more.format(guess=guess)}', "mine.toml")


def question(reading: str, unit: str) -> Question:
    asked = asking(reading, unit).steps[0].guess
    assert isinstance(asked, Question)
    return asked


@pytest.mark.parametrize(("unit", "value"), [("s", 0.0008), ("ms", 0.8), ("µs", 800.0), ("μs", 800.0)])
def test_a_reading_answers_in_the_unit_of_the_slider_whatever_prefix_the_window_shows(unit: str, value: float) -> None:
    assert READINGS[0].readable().unit == "µs"
    answer = answer_of(question("mean time", unit), SHOT)
    assert answer is not None
    assert answer.value == pytest.approx(value, rel=1e-12)
    assert unanswered(asking("mean time", unit), 0, SHOT) == ""


@pytest.mark.parametrize(
    ("reading", "unit", "found", "needed"),
    [("mean time", "m", "0.0008 s", "s"), ("angle of repose", "rad", "12.6 °", "°"), ("angle of repose", "", "", "°")],
)
def test_a_reading_of_another_quantity_stands_beside_no_guess(reading: str, unit: str, found: str, needed: str) -> None:
    assert answer_of(question(reading, unit), SHOT) is None
    sentence = unanswered(asking(reading, unit), 0, SHOT)
    for words in (f'unit = "{unit}"', f"'{reading}'", found, f'write unit = "{needed}"'):
        assert words in sentence


def test_a_label_that_no_reading_has_is_reported_with_the_labels_there_are() -> None:
    lecture = asking("angle of repos", "°")
    assert answer_of(question("angle of repos", "°"), SHOT) is None
    sentence = unanswered(lecture, 0, SHOT)
    assert "'angle of repos'" in sentence
    assert sentence.endswith(": mean time, angle of repose, coordination number.")
    assert "none yet" not in sentence, "a reading without a value answers nothing"
    assert unanswered(lecture, 0, Snapshot()).endswith(": none.")


@pytest.mark.parametrize(("later", "silent"), [("continue = true", True), ('scene = "heap"', False)])
def test_a_guess_taken_before_the_run_is_answered_by_a_later_step_of_the_same_run(later: str, silent: bool) -> None:
    lecture = asking("tilting angle", "°", f'[[step]]\ntitle = "B"\n{later}\n{{guess}}')
    assert (unanswered(lecture, 0, SHOT) == "") is silent
    assert unanswered(lecture, 1, SHOT) != ""
    shipped = load("heap-slope")
    first = next(number for number, step in enumerate(shipped.steps) if isinstance(step.guess, Question))
    assert unanswered(shipped, first, with_fields(SHOT, readings=())) == ""


def test_the_label_may_be_that_of_a_window_in_another_language() -> None:
    german = read_language("de").translated(_("angle of repose"))
    assert german != "angle of repose"
    answer = answer_of(question(german, "°"), SHOT)
    assert answer is not None
    assert answer.value == 12.6
