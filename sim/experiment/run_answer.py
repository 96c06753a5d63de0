"""The answer of a run to the question of its scene or preset, and of runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import Formatter
from typing import TYPE_CHECKING

from repose.sim.direction import Direction
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Answer
from repose.sim.message import EMPTY, Joined, Message, joined, plain, worded
from repose.sim.parameters import ParameterSet
from repose.sim.scene_fields import unusable_field

if TYPE_CHECKING:  # films and windows read answers from snapshots, before the engine is loaded
    from repose.sim.experiment.experiment import Experiment

NO_ANSWER = 'it must return None or an answer, as in Answer(0.4, Message("It rises to {height} m.", height=0.4)).'
"""How the refusal of a wrong answer ends."""
BESIDE = ", "
"""Between the values of runs side by side, in their order."""


def answer_of(experiment: Experiment) -> Answer | None:
    """The answer, in the words of the preset if it has some, the run has their values, and no parameter was changed:
    the words say what the preset has set, such as "on the Moon". None before the end of the run."""
    answer, own = experiment.scene.course.find_answer(experiment), own_words(experiment)
    if not isinstance(answer, Answer | None):
        raise unusable_field(experiment.scene.name, "find_answer", NO_ANSWER)
    if answer is None or not own or not values_of(own.template) <= dict(answer.words.values).keys():
        return answer
    return replace(answer, words=worded(own.template, answer.words.values))


def own_words(experiment: Experiment) -> Message:
    """The words of the preset for its answer; empty without such words, and once a parameter was changed."""
    own = experiment.direction.answer
    return own if own and same_physics(experiment.parameters, experiment.history.log.start.now.parameters) else EMPTY


def direction_for(direction: Direction, parameters: ParameterSet, preset: ParameterSet) -> Direction:
    """The direction of a preset for a run that begins with these parameters: the words of its answer belong to those of
    the preset only."""
    return direction if same_physics(parameters, preset) else replace(direction, answer=EMPTY)


def same_physics(one: ParameterSet, other: ParameterSet) -> bool:
    """Whether these are the same parameters; the time step may differ."""
    return type(one) is type(other) and one.as_given() | {"dt": None} == other.as_given() | {"dt": None}


def values_of(template: str) -> set[str]:
    """Names of the values of a template; raises ValueError for one with a brace that is not closed."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def answer_words(snapshot: Snapshot) -> Message:
    """The answer to show: of runs side by side one sentence with the values of all in their order, once all have
    ended; empty before."""
    answers = [shot.results.answer for shot in (snapshot, *snapshot.beside)]
    if any(answer is None for answer in answers):
        return EMPTY
    return _together([answer.words for answer in answers if answer is not None])


def _together(words: Sequence[Message]) -> Message:
    first = words[0]
    if len(words) == 1 or all(entry == first for entry in words):
        return first
    if any(entry.template != first.template for entry in words):  # the runs have other values or end differently
        return joined(words, " ")
    runs = [dict(entry.values) for entry in words]
    values = []
    for name, value in first.values:  # a run can have further values, which the template does not contain
        column = tuple(run[name] for run in runs if name in run)
        alike = len({str(plain(entry)) for entry in column}) == 1  # also if hidden decimals differ
        values.append((name, value if alike else Joined(column, BESIDE)))
    return worded(first.template, values, first.plural)
