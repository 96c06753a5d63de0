"""Presets: scene, seed and the parameters that differ from the defaults, as small TOML files without code.

A file contains data only: its size is limited, every key must be known and every number finite and in range. In some
scenes it can name a mesh file of this machine; paths to other machines are refused before they are opened.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import tomlkit
from annotated_types import Ge, Gt, Le, MaxLen
from pydantic import AfterValidator, ConfigDict, Strict
from repose.sim.choices import choice_name
from repose.sim.direction import FASTEST, LONGEST, LOOKS, OWN, SLOWEST, SWITCHES, VIEWS, Direction, can_be_filled
from repose.sim.instruments.instrument import Instrument, unused_colour, unused_name
from repose.sim.io import schema, share_code
from repose.sim.message import EMPTY, Joined, Message, _, joined, plural
from repose.sim.parameters import ParameterError, ParameterSet, Value, require_known, require_local
from repose.sim.registry import (
    extra_modules,
    instruments,
    plots_of,
    plugin_folder,
    records,
    records_in,
    records_of,
    scenes,
)
from repose.sim.wording import message_of, name_text, path_text, short, value_text

DEFAULT = "thesis-heap"
FORMAT = 1
"""Version of the file format written and read here."""
STUDY_KEYS = frozenset(("preset", "seeds", "error", "most_seeds", "measured", "values", "grid", "case", "reference"))
"""Keys of the file of a study that no preset has."""
PRESET = "preset"
"""Name in `Preset.side_by_side` whose values are presets."""
FEWEST_RUNS, MOST_RUNS = 2, 4
"""Number of runs side by side."""

Line = Annotated[str, MaxLen(200)]


class PresetHead(schema.FilePart):
    """The keys of a file that a list of presets shows; other keys are not looked at."""

    model_config = ConfigDict(extra="ignore")

    title: Line = ""
    about: Line = ""
    question: Line = ""
    scene: Annotated[str, schema.Known(_("scene"), scenes)]


SPAN = schema.such_as(_("two numbers, the smaller first"), "[0.0, 0.1]")


def _rising(span: tuple[float, float] | None) -> tuple[float, float] | None:
    if span is not None and not span[0] < span[1]:
        raise ValueError
    return span


SENTENCE = schema.such_as(_("a sentence"), '"The wall opens"')


def _filled(text: str | None) -> str | None:
    if text is not None and not text.strip():
        raise ValueError
    return text


def switches() -> tuple[str, ...]:
    """Names of the switches of the picture, those of the draw passes of plug-ins included."""
    passes = (record for module in extra_modules() for record in records_in(module, "PASS"))
    own = (getattr(getattr(record, "switch", None), "name", "") for record in passes)
    return tuple(dict.fromkeys((*SWITCHES, *filter(None, own))))


def _colours() -> tuple[str, ...]:
    return (*records("colours"), *LOOKS, OWN)


class DirectionTable(schema.FilePart):
    """The table [direction]: the parts in which the preset is shown in another way than its scene."""

    see: Annotated[Line | None, AfterValidator(_filled), SENTENCE] = None
    answer: Annotated[Line | None, AfterValidator(_filled), SENTENCE] = None
    colour: Annotated[str | None, schema.KnownOfFew(_("colour"), _colours)] = None
    plot: Line | None = None
    speed: Annotated[float | None, Ge(SLOWEST), Le(FASTEST)] = None
    seconds: Annotated[float | None, Gt(0.0), Le(LONGEST)] = None
    speeds: Mapping[str, Annotated[float, Ge(SLOWEST), Le(FASTEST)]] | None = None
    span: Annotated[tuple[float, float] | None, Strict(False), AfterValidator(_rising), SPAN] = None
    show: Annotated[
        schema.ListOf[Annotated[str, schema.KnownOfFew(_("switch"), switches)]] | None,
        schema.such_as(_("a list of names"), '["rose"]'),
    ] = None
    look: Annotated[str | None, schema.KnownOfFew(_("look"), lambda: VIEWS)] = None
    tilted: bool | None = None

    def over(self, scene: Any) -> Direction:
        """The direction of a scene with these parts replaced; raises `ParameterError`."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if given.get("colour", scene.direction.colour) != scene.direction.colour:
            given.setdefault("span", None)  # the range of the scene is one of its own quantity
        for phase, speed in (given.get("speeds") or {}).items():
            if phase not in scene.phase_names:
                reason = Message("its phase must be one of {names}", names=", ".join(scene.phase_names))
                raise schema.refused(f"direction.speeds.{name_text(phase)}", speed, reason)
        if self.plot is not None and self.plot not in plots_of(scene.name):
            reason = Message("it must be one of {names}", names=short(", ".join(plots_of(scene.name)), 800))
            raise schema.refused("direction.plot", self.plot, reason)
        if self.answer is not None and not can_be_filled(self.answer, scene.course.answer_values):
            known = ", ".join(f"{{{name}}}" for name in scene.course.answer_values) or "none"
            reason = Message("its values must be of {names}", names=known)
            raise schema.refused("direction.answer", self.answer, reason)
        for key in ("see", "answer"):
            if given.get(key) is not None:
                given[key] = Message(given[key])  # a template of the catalogues
        directed: Direction = replace(scene.direction, **given)
        return directed


class InstrumentTable(schema.FilePart):
    """A table [[instruments]]: an instrument that is placed at the beginning."""

    kind: Annotated[str, schema.KnownOfFew(_("instrument"), instruments)]
    name: Line = ""
    points: Annotated[
        schema.ListOf[schema.ListOf[float]], schema.such_as(_("a list of points in m"), "[[0.0, 0.1], [0.2, 0.1]]")
    ] = ()
    grain: int | None = None
    colour: int | None = None
    time: Annotated[float, Ge(0.0)] = 0.0


def placed(tables: Sequence[InstrumentTable]) -> tuple[Instrument, ...]:
    """The instruments of these tables; those without a name or colour get one of their own. What cannot be in the scene
    is refused at the start."""
    made: list[Instrument] = []
    for table in tables:
        name = table.name or unused_name((other.name for other in made), table.kind)
        colour = unused_colour(other.colour for other in made) if table.colour is None else table.colour
        made.append(Instrument(table.kind, name, table.points, table.grain, colour, table.time))
    return tuple(made)


class PresetFile(PresetHead):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    format: Annotated[int, schema.FileFormat("format", FORMAT)] = FORMAT
    seed: schema.Seed = 1
    ready: Line = ""
    parameters: Annotated[Mapping[str, Any], schema.a_table("[parameters]")] = {}
    side_by_side: Annotated[Mapping[str, schema.Values], schema.a_table_of_lists("[side_by_side]")] = {}
    direction: DirectionTable | None = None
    instruments: Annotated[schema.ListOf[InstrumentTable], schema.a_table("[[instruments]]")] = ()


KEYS = tuple(PresetFile.model_fields)
"""Keys of a file."""


@dataclass(frozen=True)
class Preset:
    """One way to start a scene."""

    name: str
    title: str
    scene: str
    seed: int = 1
    values: Mapping[str, Value] = field(default_factory=dict)
    """Parameters that differ from the scene's defaults, SI."""
    ready: str | None = None
    """Name of a prepared state from which this preset can start."""
    about: str = ""
    """What the preset shows, one sentence."""
    question: str = ""
    """A question to the audience before the run."""
    direction: Direction | None = None
    """How it is shown; None for the direction of the scene."""
    side_by_side: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Parameters with a value for each of the runs side by side, SI, or `PRESET` with names of presets; empty for a
    single run."""
    instruments: tuple[Instrument, ...] = ()
    """Instruments that are placed at the beginning."""

    @property
    def card(self) -> PresetCard:
        """What a list of presets shows of it."""
        own = self.direction.see if self.direction is not None else EMPTY
        see = "" if own == scenes()[self.scene].direction.see else own.template
        together = bool(self.side_by_side)
        return PresetCard(self.name, self.title, self.scene, self.about, self.question, together, see)

    @property
    def runs(self) -> tuple[Preset, ...]:
        """The runs side by side, or this one alone; raises `ParameterError`."""
        return beside(self, self.side_by_side) if self.side_by_side else (self,)


@dataclass(frozen=True)
class PresetCard:
    """Data of a preset for a list of presets."""

    name: str
    title: str
    scene: str
    about: str = ""
    question: str = ""
    together: bool = False
    """Whether it is several runs side by side."""
    see: str = ""
    """What the audience should see, if it is not what it should see in the scene; one sentence."""


@cache
def names() -> tuple[str, ...]:
    """The shipped presets, the default one first."""
    shipped = {entry.name.removesuffix(".toml") for entry in _shipped().iterdir() if entry.name.endswith(".toml")}
    return (DEFAULT, *sorted(shipped - {DEFAULT}))


def plugin_scenes() -> tuple[str, ...]:
    """Presets for the scenes of plug-ins, with the name of the scene and default parameters."""
    return tuple(record.name for module in extra_modules() for record in records_of(module, "scenes"))


def kind_of(text: str) -> str:
    """The kind of the content of a TOML file by its keys: "preset", "lecture" or "study". A file that cannot be read
    counts as a preset, whose reader says why."""
    try:
        keys = tomllib.loads(text).keys()
    except (ValueError, RecursionError):
        return "preset"
    if "step" in keys or ("steps" in keys and "scene" not in keys):
        return "lecture"
    return "study" if STUDY_KEYS & keys else "preset"


def plugin_files(kind: str) -> dict[str, Path]:
    """The files of a kind in the plug-in folder, in the order of their names: the file name without its ending."""
    return {path.stem: path for path, own in _kinds(plugin_stamps()) if own == kind}


def plugin_stamps() -> tuple[tuple[Path, int], ...]:
    """The TOML files of the plug-in folder, each with the time of its last change [ns]; empty if it is not readable,
    which `repose.sim.registry` reports."""
    try:
        paths = sorted(path for path in plugin_folder().glob("*.toml") if not path.name.startswith("_"))
        return tuple((path, path.stat().st_mtime_ns) for path in paths)
    except OSError:
        return ()


@lru_cache(maxsize=1)  # lists in the window are drawn in every frame
def _kinds(stamps: tuple[tuple[Path, int], ...]) -> list[tuple[Path, str]]:
    entries = []
    for path, __ in stamps:
        try:
            entries.append((path, kind_of(schema.read_text(path, _("preset")))))
        except ParameterError:
            entries.append((path, kind_of("")))
    return entries


def named_file(name_or_path: str | Path, kind: str, shipped: Sequence[str]) -> Path | None:
    """The file that is meant: a path, or the name of a file of this kind in the plug-in folder; None for a shipped
    name. Raises `ParameterError` for an unknown name."""
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text or "\\" in text:
        return Path(name_or_path)
    if text in shipped:
        return None
    own = plugin_files(kind)
    require_known(text, (*shipped, *own), choice_name(kind))
    return own[text]


def listed() -> tuple[str, ...]:
    """The presets that have a name: those of the program, of the scenes of plug-ins, and of the plug-in folder."""
    return tuple(dict.fromkeys((*names(), *plugin_scenes(), *plugin_files("preset"))))


def load(name_or_path: str | Path) -> Preset:
    """The preset of that name, shipped or in the plug-in folder, in that file or in a code, or the scene of a plug-in.

    Raises `ParameterError`.
    """
    if name_or_path in plugin_scenes():
        scene = scenes()[str(name_or_path)]
        return Preset(scene.name, str(scene.title), scene.name, about=str(scene.summary))
    if share_code.is_code(str(name_or_path)):
        return _of_code(str(name_or_path))
    return parse(*_read(name_or_path))


def code_of(preset: Preset) -> str:
    """A code that contains the preset; raises `ParameterError` for a value that another machine does not have."""
    _require_no_files(preset.scene, preset.values, preset.side_by_side)
    return share_code.encode(preset.scene, preset.seed, preset.ready, preset.values, preset.side_by_side)


def _require_no_files(scene: Any, values: Mapping[str, Any], together: Any) -> None:
    """Raise `ParameterError` if a value, or one of those of runs side by side, names a file; nothing is opened."""
    declared = scenes()[scene].parameters.declared() if isinstance(scene, str) and scene in scenes() else {}
    beside = together if isinstance(together, Mapping) else {}
    given = beside.get(PRESET, ())
    for named in given if isinstance(given, Sequence) else ():
        require_known(str(named), names(), _("preset"))  # a preset file is not opened here
    for name, entry in declared.items():
        if entry.kind == "path" and beside.get(name):
            raise ParameterError(
                Message("{name} names files of one machine, which a code cannot contain: share a saved run.", name=name)
            )
        if entry.kind == "path" and values.get(name):
            raise ParameterError(
                Message(
                    "{name} names {name2}, a file of one machine, which a code cannot contain: share a "
                    "saved run instead.",
                    name=name,
                    name2=Path(str(values[name])).name,
                )
            )


def _of_code(code: str) -> Preset:
    document = share_code.decode(code)
    program, own = document.pop("program"), metadata.version("repose")
    try:
        _require_no_files(document["scene"], document["parameters"], document.get("side_by_side"))
        preset = _preset(document, "shared")
        if preset.ready:
            require_known(preset.ready, scenes()[preset.scene].course.prepared, _("ready state"))
    except ParameterError as error:
        made = (
            Message(" Repose {program} made it, this is {own}.", program=program, own=own) if program != own else EMPTY
        )
        raise ParameterError(
            Message("The code cannot be used: {error}{made}", error=message_of(error), made=made)
        ) from None
    return replace(preset, title=f"{scenes()[preset.scene].title}, shared", about=str(scenes()[preset.scene].summary))


def card_of(name_or_path: str | Path) -> PresetCard:
    """The card of a preset, without a check of its values, because that can read a mesh; raises `ParameterError`.

    An unknown scene is refused, because such a file is not a preset of this program.
    """
    if name_or_path in plugin_scenes():
        return load(name_or_path).card
    if share_code.is_code(str(name_or_path)):
        return replace(load(name_or_path).card, name=str(name_or_path))
    text, name = _read(name_or_path)
    document = _document(text, name)
    head = schema.checked(PresetHead, document)
    title = head.title if "title" in head.model_fields_set else Path(name).stem
    together, directed = bool(document.get("side_by_side")), document.get("direction")
    see = directed.get("see", "") if isinstance(directed, dict) else ""
    return PresetCard(
        str(name_or_path),
        title,
        head.scene,
        head.about,
        head.question,
        together,
        see if isinstance(see, str) else "",
    )


def title_of(scene: str, parameters: ParameterSet) -> str:
    """Title of the shipped preset with these parameters, or of the scene."""
    for name in names():
        if card_of(name).scene == scene:
            preset = load(name)
            if parameters == scenes()[scene].parameters.checked(preset.values):
                return preset.title
    return str(scenes()[scene].title)


def beside(preset: Preset, values: Mapping[str, tuple[Value, ...]]) -> tuple[Preset, ...]:
    """One preset per run side by side; every parameter must have equally many values; raises `ParameterError`."""
    counts = {name: len(given) for name, given in values.items()}
    for name, count in counts.items():
        if not FEWEST_RUNS <= count <= MOST_RUNS:
            raise ParameterError(
                plural(
                    "{name} with {count} value is refused: side by side are {fewest_runs} to {most_runs} runs, "
                    "each with its own.",
                    "{name} with {count} values is refused: side by side are {fewest_runs} to {most_runs} runs, "
                    "each with its own.",
                    count=count,
                    name=name,
                    fewest_runs=FEWEST_RUNS,
                    most_runs=MOST_RUNS,
                )
            )
    if len(set(counts.values())) > 1:
        words = joined([Message("{name} has {count}", name=name, count=count) for name, count in counts.items()])
        raise ParameterError(
            Message("The numbers of values differ ({words}): every parameter needs one for each run.", words=words)
        )
    runs = []
    for number in range(next(iter(counts.values()))):
        own = {name: given[number] for name, given in values.items()}
        base = preset
        if (named := own.pop(PRESET, None)) is not None:
            base = load(str(named))
            if base.side_by_side:
                raise ParameterError(
                    Message(
                        "{preset} = {named} is refused: it is several runs side by side itself.",
                        preset=PRESET,
                        named=named,
                    )
                )
        kept = scenes()[base.scene].parameters.checked({**base.values, **own})
        checked = {name: kept.given(name) for name in {**base.values, **own}}
        runs.append(replace(base, values=checked, side_by_side={}))
    if len({(run.scene, repr(sorted(run.values.items())), run.seed) for run in runs}) < len(runs):
        raise ParameterError(_("Two of the runs side by side are equal: give each of them a value of its own."))
    return tuple(runs)


def side_by_side(preset: Preset, typed: Sequence[str]) -> Preset:
    """The preset with typed values NAME=VALUE,VALUE,… for runs side by side, SI; raises `ParameterError`."""
    values: dict[str, tuple[Value, ...]] = {}
    parameters = scenes()[preset.scene].parameters
    for text in typed:
        name, equals, given = text.partition("=")
        name = name.strip()
        words = parameters.listed(name, given)
        if not equals or not all(words):
            raise ParameterError(
                Message(
                    "--side-by-side {text} is refused: write it as NAME=VALUE,VALUE, for example friction=0.1,0.2,0.4; "
                    "semicolons separate values that contain commas.",
                    text=value_text(text),
                )
            )
        if name in values:
            raise ParameterError(Message("--side-by-side gives {name} twice: leave one out.", name=name))
        values[name] = tuple(word if name == PRESET else parameters.parse(name, word) for word in words)
    together = replace(preset, side_by_side=values)
    __ = together.runs  # refused here, before a window opens
    return together


def parse(text: str, name: str) -> Preset:
    """The preset in `text`; raises `ParameterError` with `name`, the key, the value and the limit."""
    document = _document(text, name)
    with schema.positioned(path_text(name)):
        return _preset(document, name)


def _read(name_or_path: str | Path) -> tuple[str, str]:
    """Text and name of the preset of that name, or in that file."""
    path = named_file(name_or_path, "preset", (*names(), *plugin_scenes()))
    if path is not None:
        instead = Message(" Shipped presets: {join}.", join=Joined(tuple(names())))
        return schema.read_text(path, _("preset"), instead), str(path)
    text = str(name_or_path)
    return _shipped().joinpath(f"{text}.toml").read_text(encoding="utf-8"), text


def _document(text: str, name: str) -> dict[str, Any]:
    document = schema.from_toml(text, path_text(name), decimal=True)
    if not document:
        raise ParameterError(
            Message('{name} is empty: a preset must name its scene, scene = "heap".', name=path_text(name))
        )
    return document


def dumps(preset: Preset, over: str = "") -> str:
    """The preset as the text of a file; comments in `over`, the text it replaces, are kept.

    Raises `ParameterError` for values that `load` would refuse.
    """
    _require_local_files(preset.scene, preset.values)
    parameters = scenes()[preset.scene].parameters.checked(preset.values)
    declared = parameters.declared()
    document = tomlkit.parse(over)
    document["format"] = FORMAT
    document["title"] = preset.title
    for key, text in (("about", preset.about), ("question", preset.question)):
        if text:
            document[key] = text
        else:
            document.pop(key, None)
    document["scene"] = preset.scene
    document["seed"] = preset.seed
    if preset.ready is None:
        document.pop("ready", None)
    else:
        document["ready"] = preset.ready
    if "parameters" not in document:
        document.add(tomlkit.nl())
        document["parameters"] = tomlkit.table()
    table: Any = document["parameters"]
    values = {name: value for name, value in parameters.as_given().items() if value != declared[name].default}
    for name in [name for name in table if name not in values]:
        del table[name]
    for name, value in values.items():
        fresh = name not in table
        table[name] = value
        if fresh:
            table[name].comment(_comment(declared[name], value))
    document.pop("instruments", None)
    if preset.instruments:
        rows: Any = tomlkit.aot()
        for instrument in preset.instruments:
            row: dict[str, Any] = {"kind": instrument.kind, "name": instrument.name, "colour": instrument.colour}
            row |= {"points": [list(point) for point in instrument.points]} if instrument.points else {}
            row |= {} if instrument.grain is None else {"grain": instrument.grain}
            rows.append(tomlkit.item(row | ({"time": instrument.time} if instrument.time else {})))
        document["instruments"] = rows
    return tomlkit.dumps(document)


def _preset(document: Mapping[str, Any], name: str) -> Preset:
    file = schema.checked(PresetFile, document)
    _require_local_files(file.scene, file.parameters)
    kept: ParameterSet = scenes()[file.scene].parameters.checked(file.parameters)
    preset = Preset(
        name=name,
        title=file.title if "title" in file.model_fields_set else Path(name).stem,
        scene=file.scene,
        seed=file.seed,
        values={key: kept.given(key) for key in file.parameters},
        ready=file.ready or None,
        about=file.about,
        question=file.question,
        direction=None if file.direction is None else file.direction.over(scenes()[file.scene]),
        side_by_side={key: tuple(given) for key, given in file.side_by_side.items()},
        instruments=placed(file.instruments),
    )
    __ = preset.runs  # refused here and not at its start
    return preset


def _require_local_files(scene: str, values: Mapping[str, Any]) -> None:
    """Raise `ParameterError` if a value is a path to another machine; nothing is opened."""
    for name, entry in scenes()[scene].parameters.declared().items():
        if entry.kind == "path" and isinstance(values.get(name), str):
            require_local(name, values[name])


def _comment(parameter: Any, value: Value) -> str:
    unit = parameter.quantity.unit
    return f"{parameter.quantity.label}, {parameter.shown(value)}" if unit else str(parameter.quantity.label)


def _shipped() -> Any:
    return files("repose.assets").joinpath("presets")
