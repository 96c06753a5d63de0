"""The texts of a film: title, parameters, speed, result."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.run_answer import answer_words
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Outcome, Reading
from repose.sim.message import EMPTY, Capital, Joined, Message, Number, _, joined, plain, plural
from repose.sim.registry import scenes

MOST_PARAMETERS, MOST_READINGS = 5, 3
"""Largest numbers of parameters and readings written on a picture."""
MOST_OUTCOMES = 3
"""Largest number of outcomes of a task that are written one by one; more would be too small to read."""
MOST_FAILED = 2
"""Largest number of stated outcomes that do not hold and are named one by one."""
BOTH = 2
"""Number of outcomes that a sentence does not count."""
HOLDS, FAILS = plain("✓"), plain("✗")


PIECE = re.compile(r"[\u3000-\u9fff\uff00-\uffef][、。：]*|[^\s\u3000-\u9fff\uff00-\uffef]+(?: ± [\d.,]+\S*)?|\s+")
"""A Japanese character, a word, a number with its error, or a gap: a line can end between two of them."""
RESULT, LINES = 2.0, 3
"""Size of the result relative to ordinary text, and largest number of its entries in that size; more entries are
smaller."""
LETTER, WIDE_LETTER, KANA = 0.46, 0.64, "\u3000"
"""Mean width of a bold letter and of a Japanese one in units of the height, and the first of these letters."""
FEW, SMALLER = 2, (1.0, 0.85, 0.7)
"""Number of lines up to which sentences that are wrapped keep this size, and the shares of it that are tried; a result
of many large lines would cover the grains."""


@dataclass(frozen=True)
class Lines:
    """The texts of a lecture step in a film."""

    title: str
    question: str = ""
    """The question, or its answer once the step is over."""
    place: str = ""
    """Title of the lecture and number of the step, on the title card."""
    over: bool = False
    """Whether the step is over and the answer replaces the question."""


@dataclass(frozen=True)
class FilmWords:
    """The texts on one picture of a film; symbols can have scripts, such as k_n."""

    title: Message
    parameters: tuple[Message, ...]
    """Parameters of the lecture, and those that differ from the defaults of the scene."""
    origin: Message
    """Seed and version, with which the film can be made again."""
    speed: float | None
    """Simulated seconds per second of film; None for a still."""
    result: tuple[Message, ...] = ()
    """Readings at the end of a scene that draws no angle."""
    column: float = 0.0
    """Width of the column of the result at the left of the grains [pixel]; 0: it is as wide as the picture."""
    card: float = 0.0
    """Opacity of the title card."""
    lines: Lines | None = None
    """Texts of a lecture in the picture and on the card."""


def wrapped(text: str, width: Callable[[str], float], room: float) -> list[str]:
    """A text in lines of at most `room` [pixel], if no word is longer; `width` measures a line. Lines also end between
    letters of Japanese, which has no blanks."""
    lines, gap = [""], ""
    for piece in PIECE.findall(text):
        if piece.isspace():
            gap = " "
        elif lines[-1] and width(lines[-1] + gap + piece) > room:
            lines.append(piece)
            gap = ""
        else:
            lines[-1] += gap * bool(lines[-1]) + piece
            gap = ""
    return lines if lines[-1] else []


def result_size(texts: Sequence[str], room: float, letter: float, least: float) -> tuple[float, list[str]]:
    """The size of a result relative to ordinary text, not below `least`, and about the lines that it has in `room`
    [pixel]; `letter` is the height of a letter of ordinary text [pixel]. It is known before letters are drawn, so that
    the camera can leave room for it."""
    whole = RESULT * min(1.0, LINES / max(len(texts), 1))
    for share in SMALLER:
        size = max(share * whole, min(whole, least))
        lines = [line for text in texts for line in wrapped(text, functools.partial(about_width, letter * size), room)]
        if len(lines) <= max(FEW, len(texts)):
            break
    return size, lines


def about_width(height: float, line: str) -> float:
    """Width of a line in bold letters of this height, rather too wide [pixel]."""
    return height * sum(WIDE_LETTER if letter >= KANA else LETTER for letter in line)


def film_words(
    snapshot: Snapshot,
    speed: float,
    ending: bool = False,
    card: float = 0.0,
    title: Message = EMPTY,
    lines: Lines | None = None,
) -> FilmWords:
    """The texts for a snapshot; `ending` adds the result. Without `title` the film has the title of the scene."""
    scene = scenes().get(snapshot.run.scene)
    name = title if title else scene.title if scene is not None else plain(Capital(snapshot.run.scene))
    # In a lecture the answer states the result: readings would cover the grains.
    result = _result(snapshot) if ending and lines is None else ()
    origin = Message("seed {seed}  ·  Repose {version}", seed=snapshot.run.seed, version=_version())
    return FilmWords(name, _parameters(snapshot), origin, None if ending else speed, result, card=card, lines=lines)


def verdict(outcomes: Sequence[Outcome]) -> Message:
    """Whether the outcomes that a task states hold, or which of them do not, one sentence after a tick or a cross."""
    count, held = len(outcomes), sum(entry.holds for entry in outcomes)
    if held == count == BOTH:
        words = _("Both stated outcomes hold.")
    elif held == count:
        words = plural("The stated outcome holds.", "All {count} stated outcomes hold.", count=count)
    else:
        failed = [entry.statement for entry in outcomes if not entry.holds]
        named = joined(failed[:MOST_FAILED], "; ")
        if len(failed) > MOST_FAILED:
            words = Message("Several outcomes do not hold, such as: {statements}.", statements=named)
        else:
            words = Message("This does not hold: {statements}.", statements=named)
    return joined((HOLDS if held == count else FAILS, words), " ")


def _result(snapshot: Snapshot) -> tuple[Message, ...]:
    """The answer of the run and whether the outcomes hold; without an answer the readings with an expected value, or
    else the outcomes of the task; in scenes without all of these the first readings."""
    outcomes, answer = snapshot.results.outcomes, answer_words(snapshot)
    if answer:
        return (answer, verdict(outcomes)) if outcomes else (answer,)
    if snapshot.results.slope is not None:  # the picture shows the angle
        return ()
    compared = any(entry.expected is not None for entry in snapshot.results.readings)
    if len(outcomes) > MOST_OUTCOMES and not compared:
        return (verdict(outcomes), *map(_read, snapshot.results.readings[: MOST_OUTCOMES - 1]))
    if outcomes and not compared:
        return tuple(
            joined((f"{HOLDS if entry.holds else FAILS} ", entry.statement, ": ", entry.found), "")
            for entry in outcomes
        )
    return tuple(map(_read, shown_readings(snapshot.results.readings)))


def shown_readings(readings: Sequence[Reading]) -> Sequence[Reading]:
    """The readings at the end of a film: every reading with an expected value, otherwise the first ones."""
    return [entry for entry in readings if entry.expected is not None] or readings[:MOST_READINGS]


def _parameters(snapshot: Snapshot) -> tuple[Message, ...]:
    """The parameters that differ from the defaults first, filled up with those of a lecture, in the lecture's order."""
    values = parameters_of(snapshot.run)
    scene = scenes().get(snapshot.run.scene)
    if values is None or scene is None:
        return ()
    declared = values.in_units()
    differ = [name for name, entry in declared.items() if getattr(values, name) != entry.default]
    chosen = [*differ, *(name for name in scene.lecture if name not in differ)][:MOST_PARAMETERS]
    order = [*scene.lecture, *declared]
    names = sorted((name for name in chosen if name in declared), key=order.index)
    return tuple(declared[name].named(getattr(values, name)) for name in names)


def reading_value(reading: Reading) -> Message:
    """The value of a reading with its error, in the digits that the error justifies, and that of the closed form."""
    reading = reading.readable()
    error = reading.error if reading.error is not None and math.isfinite(reading.error) else None
    digits = max(0, 1 - math.floor(math.log10(error))) if error else 0
    number: Number | Joined = Number(reading.value, reading.unit, reading.format)
    if error:
        form = f".{digits}f"
        number = Joined((Number(reading.value, format=form), Number(error, reading.unit, form)), " ± ")
    if reading.expected is None:
        return plain(number)
    return plain(number) + Message("  (closed form {expected})", expected=Number(reading.expected, format=".4g"))


def _read(reading: Reading) -> Message:
    """A reading with its value."""
    return joined((reading.whole_label, reading_value(reading)), ": ")


@functools.cache
def _version() -> str:
    return version("repose")
