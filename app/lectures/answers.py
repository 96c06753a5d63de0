"""The reading of a run that answers the guess of a lecture, in the unit of the guess, or why there is no answer.

A scene has some readings only late in a run, and a scene of a plug-in need not declare them. A name that a run could
have but has not is therefore reported at the end of the step; other names are refused when the file is read.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable

from repose.app.lectures.lecture_file import GuessQuestion, Lecture
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Answer, Reading
from repose.sim.message import EMPTY, Message
from repose.sim.scales import ratio_of_units


def answer_of(question: GuessQuestion, shot: Snapshot) -> Answer | None:
    """The answer in the unit of the guess, or the number of the choice, from 1; None without such a reading, or if its
    unit is that of another quantity."""
    reading = _reading(question, shot)
    ratio = None if reading is None else ratio_of_units(reading.unit, question.unit)
    if reading is None or ratio is None:
        return None
    value = reading.value * ratio
    return Answer(1.0 + bisect_right(question.bounds, value) if question.choices else value, EMPTY)


def unanswered(lecture: Lecture, number: int, shot: Snapshot) -> Message:
    """Why the guess of a step has no answer at the end of the step, in a sentence; empty if there is an answer, or if a
    later step of the same run asks for the same reading."""
    question = lecture.steps[number].guess
    if not isinstance(question, GuessQuestion) or answer_of(question, shot) is not None:
        return EMPTY
    reading = _reading(question, shot)
    if reading is not None:
        value = f"{reading.digits} {reading.unit}".rstrip()
        words = {"unit": question.unit, "name": reading.name, "value": value, "unit2": reading.unit}
        if question.choices:
            return Message(
                "unit = \"{unit}\" of the guess is refused: the reading '{name}' is {value}; write unit = "
                '"{unit2}" in the lecture, and bounds in it.',
                **words,
            )
        return Message(
            "unit = \"{unit}\" of the guess is refused: the reading '{name}' is {value}; write unit = "
            '"{unit2}" in the lecture, and low and high in it.',
            **words,
        )
    for later in lecture.steps[number + 1 :]:
        if later.preset is not None:
            break
        if isinstance(later.guess, GuessQuestion) and later.guess.reading == question.reading:
            return EMPTY
    names = ", ".join(f"{reading.name} ({reading.label})" for reading in _readings(shot)) or "none"
    return Message(
        "The guess has no answer, because the run has no reading '{reading}'; write one of its "
        "readings in the lecture: {names}.",
        reading=question.reading,
        names=names,
    )


def _readings(shot: Snapshot) -> Iterable[Reading]:
    """All readings with a value, first those of the scene."""
    return (
        reading for reading in (*shot.results.readings, *shot.results.bulk_readings) if math.isfinite(reading.value)
    )


def _reading(question: GuessQuestion, shot: Snapshot) -> Reading | None:
    return next((reading for reading in _readings(shot) if reading.name == question.reading), None)
