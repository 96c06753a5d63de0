"""Lectures: steps as a TOML file without code, each an experiment, what is done with it, and what is said about it.

Everything that can be checked before the first step is checked when the file is read: keys, scenes, presets,
parameters and their ranges, actions, colours, switches. A refusal names the file, the step and the nearest known name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Self

from annotated_types import Ge, Le, MaxLen, MinLen, Unit
from pydantic import AfterValidator, BeforeValidator, Field, InstanceOf, StringConstraints, model_validator
from repose.app.lectures import old_labels
from repose.app.render.camera import Box
from repose.app.render.colours import AUTOMATIC, COLOURINGS
from repose.app.render.orbit import VIEWS
from repose.sim.experiment.changes import offered_actions, offered_plots, offered_readings
from repose.sim.io import presets, schema
from repose.sim.measure.display import Guess
from repose.sim.message import Joined, Message, Number, _, plain, plural
from repose.sim.parameters import ParameterError, Value, require_known
from repose.sim.registry import scenes
from repose.sim.scene_fields import NAME
from repose.sim.wording import path_text

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
ROW = re.compile(r"_\d+$")
"""End of the name of a reading that exists for every row of a scene; the name with _1 stands for all of them."""


def _by_language(given: Any) -> Any:
    return {ENGLISH: given} if isinstance(given, str) else given


def _without_blanks(texts: dict[str, str]) -> dict[str, str]:
    return {language: text.strip() for language, text in texts.items() if text.strip()}


def _speed(given: Any) -> float | None:
    if given != FASTEST and (isinstance(given, bool) or given not in SPEEDS):
        raise ValueError
    return None if given == FASTEST else float(given)


def _switches() -> tuple[str, ...]:
    from repose.app.render.passes import all_switches  # imports every pass

    return tuple(switch.name for switch in all_switches())


Language = Annotated[
    str,
    StringConstraints(pattern=f"^{LANGUAGE.pattern}$"),
    schema.such_as(_("a language of two small letters"), "en"),
]
AS_TEXT = (
    BeforeValidator(_by_language),
    AfterValidator(_without_blanks),
    schema.Allowed(_('a text, or a table of texts by language, { en = "…", de = "…" }')),
)
Text = Annotated[dict[Language, Annotated[str, MaxLen(LONGEST_TEXT)]], *AS_TEXT]
"""A text by the code of its language."""
Notes = Annotated[dict[Language, Annotated[str, MaxLen(LONGEST_NOTES)]], *AS_TEXT]
Word = Annotated[str, MaxLen(LONGEST_TEXT)]
A_LIST_OF_NAMES = schema.such_as(_("a list of names"), '["…"]')
Names = Annotated[schema.ListOf[str], A_LIST_OF_NAMES]
Switches = Annotated[schema.ListOf[Annotated[str, schema.Known(_("switch"), _switches)]], A_LIST_OF_NAMES]
Bound = Annotated[float, Ge(-1e12), Le(1e12)]
CORNERS = _("the lower and upper corner in m")
IN_PLANE = schema.such_as(CORNERS, "[[0.0, 0.0], [0.1, 0.05]]")
IN_SPACE = schema.such_as(CORNERS, "[[-0.1, -0.1, 0.0], [0.1, 0.1, 0.2]]")


LEAST_CHOICES, MOST_CHOICES = 2, 6
"""How many choices a question can have: as many as fit below the picture."""


class GuessQuestion(schema.FilePart):
    """The number or the choice that the audience guesses, and the reading of the run that answers."""

    words: Text
    unit: Annotated[Word, AfterValidator(str.strip)] = ""
    low: Bound = 0.0
    high: Bound = 0.0
    """Ends of the slider, in that unit."""
    choices: schema.ListOf[Text] = ()
    """What the audience chooses from in place of a slider."""
    bounds: schema.ListOf[Bound] = ()
    """Values of the reading between one choice and the next, in that unit."""
    reading: Annotated[Word, AfterValidator(str.strip), schema.Allowed(_("the name of a reading"))]
    """Name of the reading that answers, whose unit may have another prefix."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.choices or self.bounds:
            self._check_choices()
            return self
        for key in ("low", "high"):
            if key not in self.model_fields_set:
                raise ParameterError(
                    Message("the key '{key}' of guess is missing: write low and high, or choices and bounds.", key=key)
                )
        if self.low >= self.high:
            high = Number(self.high, format="g")
            raise schema.refused("guess.low", self.low, Message("it must be below high = {high}", high=high))
        return self

    def _check_choices(self) -> None:
        """Raise `ParameterError` unless each choice but the last has an upper bound, and nothing else is given."""
        for key in ("low", "high"):
            if key in self.model_fields_set:
                raise schema.refused(f"guess.{key}", getattr(self, key), _("choices have bounds and no slider"))
        if not LEAST_CHOICES <= len(self.choices) <= MOST_CHOICES:
            words = Message("write {least} to {most} choices", least=str(LEAST_CHOICES), most=str(MOST_CHOICES))
            raise schema.refused("guess.choices", len(self.choices), words)
        if len(self.bounds) != len(self.choices) - 1 or list(self.bounds) != sorted(set(self.bounds)):
            words = _("write one number fewer than choices, each above the one before")
            raise schema.refused("guess.bounds", list(self.bounds), words)

    def in_language(self, language: str) -> Guess:
        """The guess as the panel shows it; choices are numbered from 1."""
        if self.choices:
            choices = tuple(plain(text_in(words, language)) for words in self.choices)
            return Guess(plain(text_in(self.words, language)), "", 1.0, float(len(choices)), choices)
        return Guess(plain(text_in(self.words, language)), self.unit, self.low, self.high)


class StepContent(schema.FilePart):
    """What is done, shown and said in one step."""

    title: Text
    question: Text = Field(default_factory=dict)
    answer: Text = Field(default_factory=dict)
    """Shown in place of the question once the step is over."""
    notes: Notes = Field(default_factory=dict)
    """For the speaker only."""
    actions: Names = ()
    """Actions of the scene in their order, each as soon as the scene offers it."""
    speed: Annotated[
        float | None,
        BeforeValidator(_speed),
        schema.Allowed(
            Message(
                'one of {speeds} or "{fastest}"; 1 is real time',
                speeds=Joined(tuple(Number(speed, format="g") for speed in SPEEDS)),
                fastest=FASTEST,
            )
        ),
    ] = 1.0
    """One of `SPEEDS`; None for as fast as possible."""
    paused: bool = False
    colour: Annotated[str, schema.Known(_("colour"), lambda: COLOURINGS, empty=True)] = AUTOMATIC
    show: Switches = ()
    hide: Switches = ()
    """Switches of the picture that are on, and off."""
    look: Annotated[str, schema.Known(_("look"), lambda: VIEWS, empty=True)] = ""
    """In space: the direction, one of `VIEWS`."""
    box: Annotated[schema.ListOf[schema.ListOf[int | float]] | None, IN_PLANE] = None
    """The part of the scene that fills the picture [m]; None: the camera follows the grains."""
    plot: Word = ""
    """Name of the plot that is shown large; empty for none."""
    photo: Word = ""
    """Picture of a heap beside the run, shipped or beside the file; empty for none. In a step its whole path."""
    controls: Names = ()
    """Parameters with a slider."""
    guess: Annotated[bool | GuessQuestion, schema.Allowed(_("true, false or a table, [step.guess]"))] = False
    """What the audience guesses; True for the guess of the scene."""
    until: Word = ""
    """Phase that ends the step; empty for the end of all motion."""
    seconds: Annotated[float, Ge(0.5), Le(LONGEST), Unit("s")] | None = None
    """Film time of the step [s], with `until` counted from the beginning of this phase; None: until the step ends."""


class StepTable(StepContent):
    """A table [[step]]: also the experiment that begins, or that the experiment of the step before continues."""

    preset: Word = ""
    scene: Annotated[str, schema.Known(_("scene"), scenes)] = ""
    seed: schema.Seed = 1
    ready: Annotated[bool | str, schema.Allowed(_("true, false or the name of a ready state"))] = True
    """Whether it begins with the ready state of the preset, or the name of another one."""
    parameters: Annotated[Mapping[str, Any], schema.a_table("[step.parameters]")] = {}
    side_by_side: Annotated[Mapping[str, schema.Values], schema.a_table_of_lists("[step.side_by_side]")] = {}
    instruments: Annotated[schema.ListOf[presets.InstrumentTable], schema.a_table("[[step.instruments]]")] = ()
    continues: bool = Field(False, alias="continue")

    @model_validator(mode="after")
    def _has_one_experiment(self) -> Self:
        given = [
            key
            for key in ("preset", "scene", "seed", "ready", "side_by_side", "instruments")
            if key in self.model_fields_set
        ]
        if self.continues and given:
            raise ParameterError(
                Message("{key} is refused beside continue = true: the run of the step before goes on.", key=given[0])
            )
        if not self.continues and ("preset" in given) == ("scene" in given):
            count = _("both are given") if "preset" in given else _("neither is given")
            raise ParameterError(
                Message("a step needs either preset or scene, or continue = true; {count_given}.", count_given=count)
            )
        return self


class StepTexts(schema.FilePart):
    """The texts of a step in another language; `guess` stands for the words of the guess, `choices` for its choices."""

    title: Word = ""
    question: Word = ""
    answer: Word = ""
    guess: Word = ""
    choices: schema.ListOf[Word] = ()
    notes: Annotated[str, MaxLen(LONGEST_NOTES)] = ""


class Translation(schema.FilePart):
    """The table of a language, with [[xx.step]] for every step."""

    title: Word = ""
    about: Word = ""
    step: schema.ListOf[Annotated[StepTexts, schema.a_table("[[xx.step]]")]] = ()


Translations = dict[
    str,
    Annotated[Translation, schema.Allowed(_("a table of texts, with [[xx.step]] for every step, where xx is its key"))],
]


class LectureFile(schema.FilePart):
    """The whole file, besides the tables of languages."""

    format: Annotated[int, schema.FileFormat("format", FORMAT)] = FORMAT
    title: Text = Field(default_factory=dict)
    about: Text = Field(default_factory=dict)
    step: Annotated[schema.ListOf[Annotated[StepTable, schema.a_table("[[step]]")]], MinLen(1), MaxLen(MOST_STEPS)]


class Step(StepContent):
    """One checked step of a lecture: the experiment, what is done, what is shown and what is said."""

    preset: InstanceOf[presets.Preset] | None = None
    """The experiment that begins; None continues the experiment of the step before."""
    values: Mapping[str, Value] = Field(default_factory=dict)
    """Parameters that change while the run goes on, SI."""
    box: Box | None = None

    @property
    def paces(self) -> bool:
        """Whether a film chooses the speed for each phase, because the file names none."""
        return "speed" not in self.model_fields_set


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


def text_in(text: Text, language: str = ENGLISH) -> str:
    """The text in this language, otherwise in English, otherwise in the first language of the table."""
    return text.get(language) or text.get(language[:2]) or text.get(ENGLISH) or next(iter(text.values()), "")


@cache
def names() -> tuple[str, ...]:
    """The shipped lectures."""
    shipped = (entry.name for entry in files("repose.assets").joinpath("lectures").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in shipped if name.endswith(".toml")))


def cards(language: str = ENGLISH) -> tuple[LectureCard, ...]:
    """The lectures for a list: those of the program, then those of the plug-in folder that can be used."""
    return (*_shipped_cards(language), *_own_cards(language, presets.plugin_stamps()))


def unusable() -> dict[str, str]:
    """Why lectures of the plug-in folder cannot be used, by name."""
    entries = {}
    for name in presets.plugin_files("lecture"):
        try:
            load(name)
        except ParameterError as error:
            entries[name] = str(error)
    return entries


@lru_cache(maxsize=1)  # a list in the window is drawn in every frame
def _own_cards(language: str, stamps: object) -> tuple[LectureCard, ...]:
    """Cards of the lectures of the plug-in folder, whose files have these times of the last change."""
    entries = []
    for name in presets.plugin_files("lecture"):
        with suppress(ParameterError):
            lecture = load(name)
            first = lecture.steps[0].preset
            assert first is not None  # the first step begins an experiment
            entries.append(
                LectureCard(name, text_in(lecture.title, language), text_in(lecture.about, language), first.name)
            )
    return tuple(entries)


@cache
def _shipped_cards(language: str) -> tuple[LectureCard, ...]:
    """Cards without a check of the steps."""
    entries = []
    for name in names():
        document = schema.from_toml(_shipped(name), name)
        own = document.get(language[:2], {})
        title, about = (own.get(key) or text_in(_by_language(document[key]), language) for key in ("title", "about"))
        preset = next((step["preset"] for step in document["step"] if "preset" in step), presets.DEFAULT)
        entries.append(LectureCard(name, title, about, preset))
    return tuple(entries)


def load(name_or_path: str | Path) -> Lecture:
    """The lecture of this name, shipped or in the plug-in folder, or in this file; raises `ParameterError`."""
    path = presets.named_file(name_or_path, "lecture", names())
    if path is not None:
        instead = Message(" Shipped lectures: {names}.", names=Joined(names()))
        return parse(schema.read_text(path, _("lecture"), instead), str(path), path.parent)
    name = str(name_or_path)
    return parse(_shipped(name), name)


def parse(text: str, name: str, folder: Path | None = None) -> Lecture:
    """The lecture in `text`; presets that are files are looked for in `folder`. Raises `ParameterError`."""
    document = schema.from_toml(text, path_text(name))
    with schema.positioned(path_text(name)):
        return _lecture(document, name, folder)


def _shipped(name: str) -> str:
    return files("repose.assets").joinpath("lectures", f"{name}.toml").read_text(encoding="utf-8")


def _lecture(document: Mapping[str, Any], name: str, folder: Path | None) -> Lecture:
    tables = {key: table for key, table in document.items() if LANGUAGE.fullmatch(key)}
    file = schema.checked(LectureFile, {key: value for key, value in document.items() if key not in tables})
    for language, table in schema.checked(Translations, tables).items():
        for own, text in ((file.title, table.title), (file.about, table.about)):
            _add(own, language, text)
        if len(table.step) != len(file.step):
            raise ParameterError(
                plural(
                    "{language} has {count} step, the lecture {steps}: translate each of them.",
                    "{language} has {count} steps, the lecture {steps}: translate each of them.",
                    count=len(table.step),
                    language=language,
                    steps=len(file.step),
                )
            )
        for number, (entry, texts) in enumerate(zip(file.step, table.step, strict=True), 1):
            with schema.positioned(schema.entry_of(f"{language}.step", number, len(file.step))):
                _translate(entry, language, texts)
    steps: list[Step] = []
    scene, held = "", dict[str, Value]()
    for number, entry in enumerate(file.step, 1):
        with schema.positioned(schema.entry_of("step", number, len(file.step))):
            step = _step(entry, scene, held, folder)
            held = {**(held if step.preset is None else step.preset.values), **step.values}
        scene = step.preset.scene if step.preset is not None else scene
        steps.append(step)
    return Lecture(name, file.title or {ENGLISH: Path(name).stem}, tuple(steps), file.about)


def _translate(entry: StepTable, language: str, texts: StepTexts) -> None:
    """Add the texts of a step in another language."""
    choices = entry.guess.choices if isinstance(entry.guess, GuessQuestion) else ()
    if texts.choices and len(texts.choices) != len(choices):
        reason = Message("the step has {count} choices: translate each of them", count=str(len(choices)))
        raise schema.refused("choices", list(texts.choices), reason)
    for words, text in zip(choices, texts.choices):
        _add(words, language, text)
    for key, text in texts:
        if key == "choices":
            continue
        own = getattr(entry, key)
        if key in texts.model_fields_set - entry.model_fields_set:
            raise schema.refused(key, text, _("the step has none to translate"))
        _add(own.words if isinstance(own, GuessQuestion) else own, language, text)


def _add(own: Text | bool, language: str, text: str) -> None:
    if isinstance(own, dict) and text.strip():
        own[language] = text.strip()


def _step(table: StepTable, before: str, held: Mapping[str, Value], folder: Path | None) -> Step:
    """The step in a table, if its scene has what it names; `before` is the scene of the step before it, empty for the
    first one, and `held` are the values that lecture and preset have given that run, its contact law among them."""
    if table.continues and not before:
        raise schema.refused("continue", True, _("the first step has no run before it to go on with"))
    preset = None if table.continues else _preset(table, folder)
    scene = before if preset is None else preset.scene
    record = scenes()[scene]
    parameters = record.parameters.chosen({**held, **table.parameters} if preset is None else preset.values)
    plots = offered_plots(scene) if table.plot else ()
    plot = table.plot if table.plot in plots else old_labels.plot_named(table.plot, plots) or table.plot
    named: tuple[tuple[Iterable[str], Any, Message], ...] = (
        (table.actions, offered_actions(scene) if table.actions else (), _("action")),
        ((plot,) if plot else (), plots, _("plot")),
    )
    for name in table.controls:
        parameters.require_parameter(name)
    for names, known, what in named:
        for name in names:
            require_known(name, known, what)
    if table.until and table.until not in record.phase_names:
        phases = ", ".join(record.phase_names)
        reason = Message("the scene '{scene}' has no such phase, only {phases}", scene=scene, phases=phases)
        raise schema.refused("until", table.until, reason)
    in_space = record.model.dimension == 3
    if table.look and not in_space:
        raise schema.refused("look", table.look, Message("the scene '{scene}' is in the plane; use box", scene=scene))
    content = {name: getattr(table, name) for name in StepContent.model_fields}
    content |= {
        "preset": preset,
        "values": _values(table, scene, held) if preset is None else {},
        "colour": table.colour or AUTOMATIC,
        "box": _box(table, in_space),
        "plot": plot,
        "photo": _photo(table.photo, folder),
        "guess": _guess(table, scene),
    }
    return Step.model_construct(table.model_fields_set, **content)


def _preset(table: StepTable, folder: Path | None) -> presets.Preset:
    """The experiment that a step begins: a preset with changes, or a scene."""
    if table.scene:
        base = presets.Preset(table.scene, str(scenes()[table.scene].title), table.scene)
    else:
        named = table.preset
        base = presets.load(folder / named if folder is not None and named.endswith(".toml") else named)
    given = table.model_fields_set
    if isinstance(table.ready, str):
        require_known(table.ready, scenes()[base.scene].course.prepared, _("ready state"))
    ready = base.ready if table.ready is True else table.ready or None
    together = {key: tuple(values) for key, values in table.side_by_side.items()}
    preset = replace(
        base,
        values={**base.values, **_values(table, base.scene, base.values)},
        seed=table.seed if "seed" in given else base.seed,
        ready=ready,
        side_by_side=together if "side_by_side" in given else base.side_by_side,
        instruments=presets.placed(table.instruments) if "instruments" in given else base.instruments,
    )
    __ = preset.runs  # refused here and not when the step begins
    return preset


def _photo(named: str, folder: Path | None) -> str:
    """The path of a picture beside the file of the lecture, or of a shipped one; raises `ParameterError`."""
    if not named:
        return ""
    shipped = files("repose.assets").joinpath("photos", named)
    for path in (*([folder / named] if folder is not None else []), Path(str(shipped))):
        if path.is_file():
            return str(path)
    raise schema.refused("photo", named, _("there is no such picture, shipped or beside the file of the lecture"))


def _values(table: StepTable, scene: str, under: Mapping[str, Value] | None = None) -> dict[str, Value]:
    """The checked parameters of a step, SI."""
    made = scenes()[scene].parameters.checked({**(under or {}), **table.parameters})
    return {name: made.given(name) for name in table.parameters}


def _guess(table: StepTable, scene: str) -> GuessQuestion | bool:
    question = table.guess
    if isinstance(question, bool):
        if question and scenes()[scene].guess is None:
            reason = Message("the scene '{scene}' asks for none; write a table, [step.guess]", scene=scene)
            raise schema.refused("guess", question, reason)
        return question
    given = question.reading
    reading = old_labels.reading_named(given) or given
    if NAME.fullmatch(reading) and _has_reading(scene, reading):
        return question.model_copy(update={"reading": reading})
    offered = offered_readings(scene)
    near = difflib.get_close_matches("_".join(re.findall("[a-z0-9]+", given.lower())), offered, n=1)
    names = ", ".join(near or offered)
    raise schema.refused(
        "guess.reading",
        given,
        Message(
            "the scene '{scene}' has no such reading; write the name of a reading, such as {names}",
            scene=scene,
            names=names,
        )
        if NAME.fullmatch(reading)
        else Message("write the name of a reading, such as {names}, and not its label", names=names),
    )


def _has_reading(scene: str, reading: str) -> bool:
    """Whether the scene can have a reading of this name; True for a scene that does not declare all of its names."""
    declared = scenes()[scene].course.later_readings is not None
    return not declared or ROW.sub("_1", reading) in offered_readings(scene)


def _box(table: StepTable, in_space: bool) -> Box | None:
    if table.box is None:
        return None
    axes = 3 if in_space else 2
    if [*map(len, table.box)] == [axes, axes] and all(low < high for low, high in zip(*table.box)):
        low, high = (tuple(map(float, corner)) for corner in table.box)
        return low, high
    allowed = (IN_SPACE if in_space else IN_PLANE).words
    raise schema.refused("box", table.box, Message("it must be {allowed}", allowed=allowed))
