"""Lectures: steps as a TOML file without code, each an experiment, what is done with it, and what is said about it.

Everything that can be checked before the first step is checked when the file is read: keys, scenes, presets,
parameters and their ranges, actions, colours, switches. A refusal names the file, the step and the nearest known name.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from repose.app.lectures import old_labels
from repose.app.render.camera import Box
from repose.app.render.colours import AUTOMATIC, COLOURINGS
from repose.app.render.orbit import VIEWS
from repose.sim.experiment.changes import offered_actions, offered_plots, offered_readings
from repose.sim.io import presets
from repose.sim.measure.display import Guess
from repose.sim.message import Joined, Message, _, plain
from repose.sim.parameters import ParameterError, Value, checked_seed, require_known
from repose.sim.registry import scenes
from repose.sim.scene_fields import NAME
from repose.sim.wording import reason_of, value_text

FORMAT = 1
"""Version of the file format."""
MOST_STEPS = 100
LONGEST_TEXT, LONGEST_NOTES = 300, 4000
"""Largest number of characters of a text for the audience, and of the notes of a step."""
SPEEDS: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Simulated over wall time, relative to the time scale of the scene."""
FASTEST = "max"
"""Value of `speed` for as fast as possible."""
LONGEST = 600.0
"""Largest film time of a step [s]."""
ENGLISH = "en"
LANGUAGE = re.compile(r"[a-z]{2}(-[A-Z]{2})?")
"""Code of a language in a table of texts."""
HEAD = ("format", "title", "about", "step")
"""Keys of a file, besides tables of texts by language."""
HEAD_TEXTS, STEP_TEXTS = ("title", "about"), ("title", "question", "answer", "guess", "notes")
"""Texts in the table of a language: of the lecture, and of every step; `guess` stands for the words of the guess."""
EXPERIMENT = ("preset", "scene", "seed", "ready", "parameters", "side_by_side")
"""Keys of a step that begin an experiment; a step that continues the experiment before may have only `parameters`."""
KEYS = (
    *("title", "question", "answer", "notes", "guess", *EXPERIMENT, "continue", "actions", "speed", "paused"),
    *("colour", "show", "hide", "look", "box", "plot", "controls", "until", "seconds"),
)
"""Keys of a step."""
ROW = re.compile(r"_\d+$")
"""End of the name of a reading that exists for every row of a scene; the name with _1 stands for all of them."""
GUESS_KEYS = ("words", "unit", "low", "high", "reading")

Text = Mapping[str, str]
"""A text by the code of its language."""


@dataclass(frozen=True)
class GuessQuestion:
    """The number that the audience guesses, and the reading of the run that answers."""

    words: Text
    unit: str
    low: float
    high: float
    """Ends of the slider, in that unit."""
    reading: str
    """Name of the reading that answers, whose unit may have another prefix."""

    def in_language(self, language: str) -> Guess:
        """The guess as the panel shows it."""
        return Guess(plain(said(self.words, language)), self.unit, self.low, self.high)


@dataclass(frozen=True)
class Step:
    """One step of a lecture: the experiment, what is done, what is shown and what is said."""

    title: Text
    question: Text = field(default_factory=dict)
    answer: Text = field(default_factory=dict)
    """Shown in place of the question once the step is over."""
    notes: Text = field(default_factory=dict)
    """For the speaker only."""
    preset: presets.Preset | None = None
    """The experiment that begins; None continues the experiment of the step before."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """Parameters that change while the run goes on, SI."""
    actions: tuple[str, ...] = ()
    """Actions of the scene in their order, each as soon as the scene offers it."""
    speed: float | None = 1.0
    """One of `SPEEDS`; None for as fast as possible."""
    paces: bool = True
    """Whether a film chooses the speed for each phase, because the file names none."""
    paused: bool = False
    colour: str = AUTOMATIC
    show: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    """Switches of the picture that are on, and off."""
    look: str = ""
    """In space: the direction, one of `VIEWS`."""
    box: Box | None = None
    """The part of the scene that fills the picture [m]; None: the camera follows the grains."""
    plot: str = ""
    """Name of the plot that is shown large; empty for none."""
    controls: tuple[str, ...] = ()
    """Parameters with a slider."""
    guess: GuessQuestion | bool = False
    """What the audience guesses; True for the guess of the scene."""
    until: str = ""
    """Phase that ends the step; empty for the end of all motion."""
    seconds: float | None = None
    """Film time of the step [s], with `until` counted from the beginning of this phase; None: until the step ends."""


@dataclass(frozen=True)
class Lecture:
    """A checked lecture."""

    name: str
    """Name of a shipped lecture, or the path of a file."""
    title: Text
    steps: tuple[Step, ...]
    about: Text = field(default_factory=dict)

    def scene_of(self, number: int) -> str:
        """Name of the scene that a step shows."""
        preset = self.steps[self.beginning_of(number)].preset
        assert preset is not None  # the step does not continue another one
        return preset.scene

    def beginning_of(self, number: int) -> int:
        """Number of the step that begins the experiment of a step."""
        return max(k for k in range(number + 1) if self.steps[k].preset is not None)


@dataclass(frozen=True)
class LectureCard:
    """A lecture in a list."""

    name: str
    title: str
    about: str
    preset: str
    """First preset of the lecture; the list shows the picture of this preset."""


def said(text: Text, language: str = ENGLISH) -> str:
    """The text in this language, otherwise in English, otherwise in the first language of the table."""
    return text.get(language) or text.get(language[:2]) or text.get(ENGLISH) or next(iter(text.values()), "")


@cache
def names() -> tuple[str, ...]:
    """The shipped lectures."""
    found = (entry.name for entry in files("repose.assets").joinpath("lectures").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def cards(language: str = ENGLISH) -> tuple[LectureCard, ...]:
    """The lectures for a list: those of the program, then those of the plug-in folder that can be used."""
    return (*_shipped_cards(language), *_own_cards(language, presets.plugin_stamps()))


def unusable() -> dict[str, str]:
    """Why lectures of the plug-in folder cannot be used, by name."""
    found = {}
    for name in presets.plugin_files("lecture"):
        try:
            load(name)
        except ParameterError as error:
            found[name] = str(error)
    return found


@lru_cache(maxsize=1)  # a list in the window is drawn in every frame
def _own_cards(language: str, stamps: object) -> tuple[LectureCard, ...]:
    """Cards of the lectures of the plug-in folder, whose files have these times of the last change."""
    found = []
    for name in presets.plugin_files("lecture"):
        with suppress(ParameterError):
            lecture = load(name)
            first = lecture.steps[0].preset
            assert first is not None  # the first step begins an experiment
            found.append(LectureCard(name, said(lecture.title, language), said(lecture.about, language), first.name))
    return tuple(found)


@cache
def _shipped_cards(language: str) -> tuple[LectureCard, ...]:
    """Cards without a check of the steps."""
    found = []
    for name in names():
        document = tomllib.loads(_shipped(name))
        own = document.get(language[:2], {})
        title, about = (own.get(key) or said(_text(document, key), language) for key in HEAD_TEXTS)
        preset = next((step["preset"] for step in document["step"] if "preset" in step), presets.DEFAULT)
        found.append(LectureCard(name, title, about, preset))
    return tuple(found)


def load(name_or_path: str | Path) -> Lecture:
    """The lecture of this name, shipped or in the plug-in folder, or in this file; raises `ParameterError`."""
    path = presets.named_file(name_or_path, "lecture", names())
    if path is not None:
        text = presets.read_toml(
            path, _("lecture"), Message(" Shipped lectures: {names}.", names=Joined(tuple(names())))
        )
        return parse(text, str(path), path.parent)
    name = str(name_or_path)
    return parse(_shipped(name), name)


def parse(text: str, name: str, folder: Path | None = None) -> Lecture:
    """The lecture in `text`; presets that are files are looked for in `folder`. Raises `ParameterError`."""
    try:
        document = tomllib.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except RecursionError:
        raise ParameterError(f"{name}: tables are nested too deeply for a lecture.") from None
    except ValueError as error:
        raise ParameterError(f"{name} is not valid TOML: {reason_of(error)}.") from None
    try:
        return _lecture(document, name, folder)
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None


def _shipped(name: str) -> str:
    return files("repose.assets").joinpath("lectures", f"{name}.toml").read_text(encoding="utf-8")


def _lecture(document: Mapping[str, Any], name: str, folder: Path | None) -> Lecture:
    version = document.get("format", FORMAT)
    if isinstance(version, bool) or not isinstance(version, int) or version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        remedy = "a newer version of Repose made the file; use that version" if newer else f"write format = {FORMAT}"
        raise ParameterError(
            f"format = {value_text(version)} is unknown; this program reads format {FORMAT}: {remedy}."
        )
    languages = {key: table for key, table in document.items() if LANGUAGE.fullmatch(key)}
    for key in document:
        if key not in languages:
            require_known(key, HEAD, plain("key"))
    entries = document.get("step", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ParameterError("step must be a list of tables: begin every step with a line [[step]].")
    if not 1 <= len(entries) <= MOST_STEPS:
        raise ParameterError(
            f"{len(entries)} steps are refused: a lecture has 1 to {MOST_STEPS}, each a table [[step]]."
        )
    for language, table in languages.items():
        document, entries = _with_language(document, entries, language, table)
    steps: list[Step] = []
    scene = ""
    for number, entry in enumerate(entries, 1):
        try:
            step = _step(entry, scene, folder)
        except ParameterError as error:
            raise ParameterError(f"step {number} of {len(entries)}: {error}") from None
        scene = step.preset.scene if step.preset is not None else scene
        steps.append(step)
    return Lecture(name, _text(document, "title", Path(name).stem), tuple(steps), _text(document, "about"))


def _with_language(
    document: Mapping[str, Any], entries: list[dict[str, Any]], language: str, table: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Head and steps with the texts from the table of a language; the table has one [[xx.step]] for every step."""
    given = table.get("step", []) if isinstance(table, dict) else None
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise ParameterError(
            f"{language} is refused: it must be a table with texts, [{language}] and [[{language}.step]]."
        )
    for key in table:
        require_known(key, (*HEAD_TEXTS, "step"), plain(f"key of {language}"))
    if len(given) != len(entries):
        raise ParameterError(f"{language} has {len(given)} steps, the lecture {len(entries)}: translate each of them.")
    whole = {**document, **{key: _both(document.get(key), language, table[key]) for key in HEAD_TEXTS if key in table}}
    steps = []
    for number, (entry, texts) in enumerate(zip(entries, given, strict=True), 1):
        step = dict(entry)
        for key, text in texts.items():
            require_known(key, STEP_TEXTS, plain(f"key of {language}"))
            if key not in step:
                raise ParameterError(
                    f"{language}, step {number}: {key} is refused, because the step has none to translate."
                )
            if key == "guess" and isinstance(step[key], dict):
                step[key] = {**step[key], "words": _both(step[key].get("words"), language, text)}
            elif key != "guess":
                step[key] = _both(step[key], language, text)
        steps.append(step)
    return whole, steps


def _both(text: Any, language: str, translation: Any) -> Any:
    """A text, or table of texts, with one more language."""
    return {**({ENGLISH: text} if isinstance(text, str) else text or {}), language: translation}


def _step(entry: Mapping[str, Any], before: str, folder: Path | None) -> Step:
    """The step in a table; `before` is the scene of the step before it, empty for the first one."""
    for key in entry:
        require_known(key, KEYS, plain("key"))
    if "title" not in entry:
        raise ParameterError("the key 'title' is missing: every step has one.")
    goes_on = _flag(entry, "continue")
    preset = None if goes_on else _preset(entry, folder)
    if goes_on and not before:
        raise ParameterError("continue = true is refused: the first step has no run before it to go on with.")
    for key in EXPERIMENT if goes_on else ():
        if key in entry and key != "parameters":
            raise ParameterError(f"{key} is refused beside continue = true: the run of the step before goes on.")
    scene = before if preset is None else preset.scene
    values = _values(entry, scene) if goes_on else {}
    parameters = scenes()[scene].parameters.chosen({} if preset is None else preset.values)
    controls = _names(entry, "controls", parameters.declared(), "parameter")
    speed = entry.get("speed", 1.0)
    if speed != FASTEST and (isinstance(speed, bool) or speed not in SPEEDS):
        listed = ", ".join(f"{known:g}" for known in SPEEDS)
        raise ParameterError(
            f'speed = {value_text(speed)} is refused: it must be one of {listed} or "{FASTEST}"; 1 is real time.'
        )
    colour, look, until, plot = (_word(entry, key) for key in ("colour", "look", "until", "plot"))
    for word, known, what in ((colour, COLOURINGS, "colour"), (look, VIEWS, "look")):
        if word:
            require_known(word, known, plain(what))
    if plot:
        offered = offered_plots(scene)
        plot = plot if plot in offered else old_labels.plot_named(plot, offered) or plot
        require_known(plot, offered, plain("plot"))
    phases = scenes()[scene].phase_names
    if until and until not in phases:
        raise ParameterError(
            f"until = {value_text(until)} is refused: the scene '{scene}' has no such phase, only {', '.join(phases)}."
        )
    in_space = scenes()[scene].model.dimension == 3
    if look and not in_space:
        raise ParameterError(f"look = '{look}' is refused: the scene '{scene}' is in the plane; use box.")
    return Step(
        title=_text(entry, "title"),
        question=_text(entry, "question"),
        answer=_text(entry, "answer"),
        notes=_text(entry, "notes", most=LONGEST_NOTES),
        preset=preset,
        values=values,
        actions=_names(entry, "actions", offered_actions(scene), "action"),
        speed=None if speed == FASTEST else float(speed),
        paces="speed" not in entry,
        paused=_flag(entry, "paused"),
        colour=colour or AUTOMATIC,
        show=_names(entry, "show", _switches(), "switch"),
        hide=_names(entry, "hide", _switches(), "switch"),
        look=look,
        box=_box(entry, in_space),
        plot=plot,
        controls=controls,
        guess=_guess(entry, scene),
        until=until,
        seconds=_number(entry, "seconds", 0.5, LONGEST, "s") if "seconds" in entry else None,
    )


def _preset(entry: Mapping[str, Any], folder: Path | None) -> presets.Preset:
    """The experiment that a step begins: a preset with changes, or a scene."""
    if ("preset" in entry) == ("scene" in entry):
        count = "both are given" if "preset" in entry else "neither is given"
        raise ParameterError(f"a step needs either preset or scene, or continue = true; {count}.")
    if "preset" in entry:
        named = _word(entry, "preset")
        base = presets.load(folder / named if folder is not None and named.endswith(".toml") else named)
    else:
        scene = _word(entry, "scene")
        require_known(scene, scenes(), plain("scene"))
        base = presets.Preset(scene, str(scenes()[scene].title), scene)
    values = {**base.values, **_values(entry, base.scene, base.values)}
    scenes()[base.scene].parameters.checked(values)
    together = _table(entry, "side_by_side") if "side_by_side" in entry else base.side_by_side
    if not all(isinstance(given, list | tuple) for given in together.values()):
        raise ParameterError("side_by_side is refused: it must be a table with a list of values for every parameter.")
    preset = replace(
        base,
        values=values,
        seed=checked_seed(entry.get("seed", base.seed)),
        ready=base.ready if _flag(entry, "ready", True) else None,
        side_by_side={key: tuple(given) for key, given in together.items()},
    )
    _ = preset.runs  # refused here and not when the step begins
    return preset


def _values(entry: Mapping[str, Any], scene: str, under: Mapping[str, Value] | None = None) -> dict[str, Value]:
    """The checked parameters of a step, SI."""
    values = _table(entry, "parameters")
    checked = scenes()[scene].parameters.checked({**(under or {}), **values})
    return {name: getattr(checked, name) for name in values}


def _guess(entry: Mapping[str, Any], scene: str) -> GuessQuestion | bool:
    given = entry.get("guess", False)
    if isinstance(given, bool):
        if given and scenes()[scene].guess is None:
            raise ParameterError(
                f"guess = true is refused: the scene '{scene}' asks for none; write a table, [step.guess]."
            )
        return given
    table = _table(entry, "guess")
    for key in table:
        require_known(key, GUESS_KEYS, plain("key of guess"))
    for key in ("words", "low", "high", "reading"):
        if key not in table:
            raise ParameterError(f"the key '{key}' of guess is missing; it has {', '.join(GUESS_KEYS)}.")
    given = _word(table, "reading").strip()
    reading = old_labels.reading_named(given) or given
    if not NAME.fullmatch(reading) or not _has_reading(scene, reading):
        offered = offered_readings(scene)
        near = difflib.get_close_matches("_".join(re.findall("[a-z0-9]+", given.lower())), offered, n=1)
        wrong = f"the scene '{scene}' has no such reading; " if NAME.fullmatch(reading) else ""
        hint = "" if wrong else ", and not its label"
        raise ParameterError(
            f"reading = {value_text(given)} of guess is refused: {wrong}write the name of a reading, such as "
            f"{', '.join(near or offered)}{hint}."
        )
    low, high = (_number(table, key, -1e12, 1e12) for key in ("low", "high"))
    if low >= high:
        raise ParameterError(f"guess from {low:g} to {high:g} is refused: low must be below high.")
    return GuessQuestion(_text(table, "words"), _word(table, "unit").strip(), low, high, reading)


def _has_reading(scene: str, reading: str) -> bool:
    """Whether the scene can have a reading of this name; True for a scene that does not declare all of its names."""
    declared = scenes()[scene].course.later_readings is not None
    return not declared or ROW.sub("_1", reading) in offered_readings(scene)


def _box(entry: Mapping[str, Any], in_space: bool) -> Box | None:
    given = entry.get("box")
    if given is None:
        return None
    corners = [
        tuple(float(number) for number in corner if isinstance(number, int | float) and not isinstance(number, bool))
        for corner in (given if isinstance(given, list) else ())
        if isinstance(corner, list)
    ]
    axes = 3 if in_space else 2
    if [*map(len, corners)] != [axes, axes] or not all(low < high < math.inf for low, high in zip(*corners)):
        example = "[[-0.1, -0.1, 0.0], [0.1, 0.1, 0.2]]" if in_space else "[[0.0, 0.0], [0.1, 0.05]]"
        raise ParameterError(
            f"box = {value_text(given)} is refused: write its lower and upper corner in m, such as {example}."
        )
    return corners[0], corners[1]


def _text(table: Mapping[str, Any], key: str, default: str = "", most: int = LONGEST_TEXT) -> Text:
    """A text, or a table with one for each language."""
    given = table.get(key, default)
    texts = {ENGLISH: given} if isinstance(given, str) else given
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ParameterError(
            f"{key} = {value_text(given)} is refused: it must be a text, or a table of texts by language, "
            '{ en = "…", de = "…" }.'
        )
    for language, text in texts.items():
        if not LANGUAGE.fullmatch(language):
            raise ParameterError(f"{key}.{language} is refused: a language is two small letters, such as en or de.")
        if len(text) > most:
            raise ParameterError(f"{key} has {len(text)} characters; at most {most} are shown.")
    return {language: text.strip() for language, text in texts.items() if text.strip()}


def _word(table: Mapping[str, Any], key: str) -> str:
    given = table.get(key, "")
    if not isinstance(given, str) or len(given) > LONGEST_TEXT:
        raise ParameterError(
            f"{key} = {value_text(given)} is refused: it must be a text of at most {LONGEST_TEXT} characters."
        )
    return given


def _flag(table: Mapping[str, Any], key: str, default: bool = False) -> bool:
    given = table.get(key, default)
    if not isinstance(given, bool):
        raise ParameterError(f"{key} = {value_text(given)} is refused: it must be true or false.")
    return given


def _number(table: Mapping[str, Any], key: str, low: float, high: float, unit: str = "") -> float:
    given = table[key]
    if isinstance(given, bool) or not isinstance(given, int | float) or not low <= given <= high:
        limits = f"a number from {low:g} to {high:g} {unit}".rstrip()
        raise ParameterError(f"{key} = {value_text(given)} is refused: it must be {limits}.")
    return float(given)


def _names(table: Mapping[str, Any], key: str, known: Any, what: str) -> tuple[str, ...]:
    given = table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ParameterError(f'{key} = {value_text(given)} is refused: it must be a list of names, such as ["…"].')
    for name in given:
        require_known(name, known, plain(what))
    return tuple(given)


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    given = table.get(key, {})
    if not isinstance(given, dict):
        raise ParameterError(f"{key} = {value_text(given)} is refused: it must be a table.")
    return given


def _switches() -> tuple[str, ...]:
    from repose.app.render.passes import all_switches  # imports every pass

    return tuple(switch.name for switch in all_switches())
