"""Run files: first checkpoint, commands, state hashes, and the present state, from which a run continues bit by bit.

A file is read into new objects and checked completely before an experiment uses it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast, get_args, get_type_hints

import numpy as np
from repose.sim import registry
from repose.sim.direction import LOOKS, OWN, Direction
from repose.sim.engine.world import MATERIAL_COUNT, Floats, World
from repose.sim.experiment import hand, moved_walls
from repose.sim.experiment.beginning import flaw_of_world
from repose.sim.experiment.command_log import Entry, HashMark, Log, SavedRun
from repose.sim.experiment.commands import (
    Act,
    AddGrains,
    DrawWall,
    Logged,
    MoveWall,
    OfInstruments,
    Pull,
    Push,
    Release,
    RemoveGrain,
    RemoveWall,
    ServoWall,
    Shake,
    Still,
)
from repose.sim.experiment.comparison import Point as Measured
from repose.sim.experiment.experiment import Scene
from repose.sim.experiment.instrument_values import columns_of, fits
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import (
    RAMP_PARTS,
    Change,
    Checkpoint,
    DrivenWall,
    PlacedInstruments,
    Ramp,
    RestartPoint,
    Run,
)
from repose.sim.experiment.saved_surfaces import surfaces_from_plain, surfaces_to_plain, without_remote_paths
from repose.sim.experiment.series import FORMAT_4_NAMES, Series, series_names
from repose.sim.experiment.snapshot import Fault
from repose.sim.fields.pusher import Pusher
from repose.sim.fields.shaker import Shaker
from repose.sim.fields.target import Target
from repose.sim.io import archive
from repose.sim.io.archive import SUFFIX, ArchiveError, why_unreadable
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.io.mesh import Surface, kept_surfaces
from repose.sim.io.plain import PlainError, Tables, decode, encode
from repose.sim.io.world_tables import MOST, state_of, tables_of
from repose.sim.measure.booked import Booked
from repose.sim.measure.display import AudienceGuesses
from repose.sim.message import EMPTY, Joined, Message, Number, _, as_data
from repose.sim.parameter_curves import ParameterCurve, is_curve
from repose.sim.parameters import ParameterError, checked_seed, curves_in
from repose.sim.rate_integral import RateIntegral
from repose.sim.wording import message_of, reason_of, short, value_text

KIND, FORMAT, READABLE = "repose run", 15, (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
PICTURE = "picture"
"""Table with the bytes of a small picture for lists of files."""
PHOTO = "photo"
"""Table with the bytes of a photograph of a heap with its marks, as the program wrote them."""
MADE_OF = "made_of"
"""Entry with the data of a scene that is in no list (`Scene.made_of`), and first part of the names of its tables."""
DIRECTION = "direction"
"""Entry with the direction of a preset; files of older versions, and runs that their scene directs, have none."""
AUDIENCE = "audience"
"""Entry with the guesses of an audience; only files of runs that have some have it."""
PLAIN = (
    "dt",
    "clock_time",
    "clock_step",
    "booked",
    "bulk_step",
    "dt_changes",
    "ramp",
    "target",
    "pusher",
    "shaker",
    "ways",
    "driven_walls",
    "held_until",
    "placed",
)
"""Fields of `Run` that are written as numbers."""
BY_HAND = (
    AddGrains,
    DrawWall,
    RemoveWall,
    MoveWall,
    ServoWall,
    Pull,
    Push,
    Release,
    Shake,
    Still,
    *get_args(OfInstruments),
)
"""Commands whose values are checked by the types of their fields."""
LONGEST_STEP, LONGEST_TIME = 1.0, 1e12
"""Largest accepted time step and simulated time [s]."""
Found = TypeVar("Found")


def save(saved: SavedRun, path: Path) -> None:
    """Write a run; a crash leaves either the old or the new file. Raises `OSError`."""
    write_whole_file(path, lambda file: write(saved, file))


def load(path: str | Path) -> SavedRun:
    """The run in a file of unknown content; raises `ArchiveError` with the name of the file."""
    return opened(path, read)


def opened(path: str | Path, read: Callable[[BinaryIO], Found]) -> Found:
    """The result of `read` for a file of unknown content; raises `ArchiveError` with the name of the file."""
    path = Path(path)
    try:
        if not path.is_file():
            missing = _("there is no such file") if not path.exists() else _("it is not a regular file")
            raise ArchiveError(Message("{missing}; saved runs end in {suffix}.", missing=missing, suffix=SUFFIX))
        with path.open("rb") as file:
            return read(file)
    except ArchiveError as error:
        raise ArchiveError(
            Message("{path} cannot be opened: {error}", path=value_text(path), error=message_of(error))
        ) from None
    except (OSError, ValueError) as error:
        raise ArchiveError(
            Message("{path} cannot be opened: {error}.", path=value_text(path), error=reason_of(error))
        ) from None


def write(saved: SavedRun, file: BinaryIO, picture: bytes = b"", photo: bytes = b"") -> None:
    """Write a run, a small picture of it and a photograph beside it if given, to an open file; equal runs give equal
    files."""
    tables: Tables = {}
    runs: dict[int, Any] = {}
    log = saved.log
    points = [point for at in (log.start, saved.now) for point in (at.now, at.good, at.before_change)]
    manifest = {
        "kind": KIND,
        "format": FORMAT,
        "program": metadata.version("repose"),
        "engine": saved.engine,
        "scene": log.scene,
        "seed": log.seed,
        "ready": log.ready,
        "state_hash": state_hash(saved.now.now.run),
        "simulated_time": saved.now.now.run.time,
        "start": _checkpoint_to_plain(log.start, runs, tables),
        "now": _checkpoint_to_plain(saved.now, runs, tables),
        "entries": [_entry_to_plain(entry, tables) for entry in log.entries],
        "marks": [list(mark) for mark in log.marks],
        "end": log.end,
        "measured": encode([point._asdict() for point in saved.measured], tables, "measured"),
        "surfaces": surfaces_to_plain(points, tables),
    }
    if saved.direction is not None:
        texts = {name: as_data(getattr(saved.direction, name)) for name in ("see", "answer")}
        manifest[DIRECTION] = encode(saved.direction, tables, DIRECTION) | texts
    if saved.made_of is not None:
        tables |= {f"{MADE_OF}.world.{key}": table for key, table in tables_of(saved.made_of.world).items()}
        manifest[MADE_OF] = encode(saved.made_of.recipe, tables, MADE_OF)
    if saved.audience:
        manifest[AUDIENCE] = encode(list(saved.audience), tables, AUDIENCE)
        for entry, written in zip(saved.audience, manifest[AUDIENCE], strict=True):
            written["guess"]["words"] = as_data(entry.guess.words)
            written["guess"]["choices"] = [as_data(words) for words in entry.guess.choices]
    tables |= {name: np.frombuffer(b, np.uint8) for name, b in ((PICTURE, picture), (PHOTO, photo)) if b}
    archive.write(file, manifest | {"runs": [plain for plain, _ in runs.values()]}, tables)


@dataclass(frozen=True)
class Glimpse:
    """Data of a saved run for a list of files."""

    scene: str
    seed: int
    time: float | None
    """Simulated time [s]; None in files of older versions."""
    picture: bytes
    """The bytes of a small picture; empty if there is none."""


def glimpse(path: Path) -> Glimpse:
    """Scene, seed, time and picture of a saved run, without reading the rest; raises `ArchiveError`, `OSError`."""
    with path.open("rb") as file:
        return glimpse_of(file)


def glimpse_of(file: BinaryIO) -> Glimpse:
    """Scene, seed, time and picture of an open file; raises `ArchiveError`, `OSError`."""
    manifest, tables = archive.read(file, _("a saved run"), only=(PICTURE,))
    scene, seed, time = (manifest.get(name) for name in ("scene", "seed", "simulated_time"))
    if manifest.get("kind") != KIND or not isinstance(scene, str) or not isinstance(seed, int):
        raise ArchiveError(_("The file is no saved run of this program."))
    picture = tables[PICTURE].tobytes() if PICTURE in tables else b""
    return Glimpse(scene, seed, time if isinstance(time, float) else None, picture)


def photo_of(file: BinaryIO) -> bytes:
    """The bytes of the photograph in an open file, empty if there is none; raises `ArchiveError`."""
    _manifest, tables = archive.read(file, _("a saved run"), only=(PHOTO,))
    return tables[PHOTO].tobytes() if PHOTO in tables else b""


def read(file: BinaryIO) -> SavedRun:
    """The run in an open file; raises `ArchiveError`."""
    manifest, tables = archive.read(file, _("a saved run"))
    if manifest.get("kind") != KIND:
        raise ArchiveError(_("The file is no saved run of this program."))
    version = manifest.get("format")
    if type(version) is not int or version not in READABLE:
        raise ArchiveError(
            Message(
                "The file has format {found}; this program reads {format}.{found2}",
                found=value_text(version),
                format=f"{READABLE[0]}–{FORMAT}",
                found2=_advice(version),
            )
        )
    try:
        return _saved_run(manifest, tables)
    except PlainError as error:
        raise ArchiveError(Message("The file is damaged: {error}", error=message_of(error))) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(
            Message("The file cannot be read as a saved run: {error}.", error=why_unreadable(error))
        ) from None


def _advice(version: Any) -> Message:
    """Advice for a file of another format; empty if the format is unknown."""
    if type(version) is not int or version < 1:
        return EMPTY
    if version > FORMAT:
        return _(" It was saved by a newer version: use that version.")
    return _(" It was saved by an older version: use that version, or start again with the same parameters and seed.")


def _saved_run(manifest: dict[str, Any], tables: Tables) -> SavedRun:
    name = decode(str, manifest["scene"], tables, "scene")
    scenes = registry.scenes()
    if MADE_OF in manifest:
        scenes = {name: _scene_made_of(manifest[MADE_OF], tables)}
    if name not in scenes:
        raise ArchiveError(
            Message("The file is a run of the scene '{name}', which this program does not have.", name=short(name))
        )
    scene = scenes[name]
    if manifest["format"] < getattr(scene.state_type, "OLDEST_FORMAT", 0):
        raise ArchiveError(
            Message(
                "The file is a run of the scene '{name}', whose records have another form in this program.{advice}",
                name=name,
                advice=_advice(manifest["format"]),
            )
        )
    manifest = without_remote_paths(manifest)
    surfaces = surfaces_from_plain(manifest.get("surfaces", {}), tables)
    # No path in the file is ever opened, neither now nor when its commands are replayed.
    with kept_surfaces(surfaces, only=True):
        return _checked_run(scene, manifest, tables, surfaces)


def _scene_made_of(data: Any, tables: Tables) -> Scene:
    """The scene of a run that a script has set up."""
    try:
        made: Scene = registry.by_hand().scene_from_file(data, tables, state_of(tables, f"{MADE_OF}.world."))
    except ParameterError as error:
        raise ArchiveError(Message("The file cannot be used: {error}", error=message_of(error))) from None
    return made


def _checked_run(scene: Scene, manifest: dict[str, Any], tables: Tables, surfaces: Mapping[str, Surface]) -> SavedRun:
    name = scene.name
    runs = [_run_from_plain(scene, plain, tables, f"run{index}") for index, plain in enumerate(manifest["runs"])]
    checkpoints = [_checkpoint_from_plain(scene, manifest[key], runs, tables, key) for key in ("start", "now")]
    log = Log(
        name,
        checked_seed(manifest["seed"]),
        cast("str | None", decode(cast(Any, str | None), manifest["ready"], tables, "ready")),
        checkpoints[0],
        [_entry_from_plain(scene, plain, tables, surfaces) for plain in manifest["entries"]],
        [
            HashMark(decode(int, at, tables, "mark"), decode(str, text, tables, "mark"))
            for at, text in manifest["marks"]
        ],
        decode(int, manifest["end"], tables, "end"),
    )
    now = checkpoints[1]
    if not 0 <= log.start.commands <= now.commands <= len(log.entries) or not 0 <= log.start.at <= now.at == log.end:
        raise ArchiveError(_("The file's log ends before its present state: the file is damaged."))
    if any(point.now.run.dt == 0.0 and point.fault is None for point in checkpoints):
        raise ArchiveError(_("The file's time step is 0 s, which is impossible: the file is damaged."))
    if sorted(entry.at for entry in log.entries) != [entry.at for entry in log.entries]:
        raise ArchiveError(_("The commands of the file's log are not in order: the file is damaged."))
    whole = manifest["format"] >= 4  # hashes of older formats contain columns that no longer exist
    if whole and state_hash(now.now.run) != manifest["state_hash"]:
        raise ArchiveError(_("The state in the file does not have the hash in the file: the file is damaged."))
    measured = decode(list[Measured], manifest["measured"], tables, "measured")
    engine = decode(str, manifest["engine"], tables, "engine")
    direction = _direction_in(scene, manifest, tables)
    return SavedRun(log, now, measured, engine, scene.made_of, direction, _audience_in(manifest, tables))


def _audience_in(manifest: dict[str, Any], tables: Tables) -> tuple[AudienceGuesses, ...]:
    """The guesses of an audience; raises `ArchiveError` for numbers that neither slider nor choices give."""
    found = tuple(decode(list[AudienceGuesses], manifest.get(AUDIENCE, []), tables, AUDIENCE))
    for entry in found:
        low, high = entry.guess.low, entry.guess.high
        if entry.guess.choices and high - low != len(entry.guess.choices) - 1:
            raise ArchiveError(_("The guesses of the audience in the file are out of range: the file is damaged."))
        if not (math.isfinite(high - low) and low < high and all(low <= value <= high for value in entry.values)):
            raise ArchiveError(_("The guesses of the audience in the file are out of range: the file is damaged."))
    return found


def _direction_in(scene: Scene, manifest: dict[str, Any], tables: Tables) -> Direction | None:
    """The direction of a preset; a colour of a plug-in that is not there gives way to that of the scene."""
    if DIRECTION not in manifest:
        return None
    plain, kinds = decode(dict[str, Any], manifest[DIRECTION], tables, DIRECTION), get_type_hints(Direction)
    names = [entry.name for entry in fields(Direction)]
    try:
        saved = Direction(**{name: decode(kinds[name], plain[name], tables, f"{DIRECTION}.{name}") for name in names})
    except ParameterError as error:
        raise ArchiveError(Message("The file is damaged: {error}", error=message_of(error))) from None
    known = saved.colour in (*registry.records("colours"), *LOOKS, OWN)
    return saved if known else replace(saved, colour=scene.direction.colour)


def _checkpoint_to_plain(point: Checkpoint, runs: dict[int, Any], tables: Tables) -> dict[str, Any]:
    points = {
        name: {
            "parameters": point.parameters.model_dump(),
            "curves": {key: curve.text for key, curve in point.parameters.curves.items()},
            "run": _run_to_plain(point.run, runs, tables),
        }
        for name, point in (("now", point.now), ("good", point.good), ("before_change", point.before_change))
    }
    return {
        "at": point.at,
        "commands": point.commands,
        **points,
        "last_change": encode(point.last_change, tables, "change"),
        "fault": _fault_as_data(point.fault, tables),
        "message": as_data(point.message),
    }


def _fault_as_data(fault: Fault | None, tables: Tables) -> Any:
    """The fault as JSON data, with its messages as data."""
    plain = encode(fault, tables, "fault")
    if fault is not None:
        plain["message"] = as_data(fault.message)
        for entry, remedy in zip(plain["remedies"], fault.remedies, strict=True):
            entry["words"] = as_data(remedy.words)
    return plain


def _checkpoint_from_plain(scene: Scene, plain: Any, runs: list[Run], tables: Tables, name: str) -> Checkpoint:
    def point(which: str) -> RestartPoint:
        parameters = decode(scene.parameters, plain[which]["parameters"], tables, f"{name}.parameters")
        curves = decode(dict[str, str], plain[which].get("curves", {}), tables, f"{name}.curves")
        parameters = parameters.driven_by(_curves_in(parameters, curves))
        position = decode(int, plain[which]["run"], tables, f"{name}.run")
        _require_matching(scene, parameters, runs[position])
        return RestartPoint(parameters, runs[position])

    return Checkpoint(
        at=decode(int, plain["at"], tables, f"{name}.at"),
        commands=decode(int, plain["commands"], tables, f"{name}.commands"),
        now=point("now"),
        good=point("good"),
        before_change=point("before_change"),
        last_change=decode(Change, plain["last_change"], tables, f"{name}.last_change"),
        fault=cast("Fault | None", decode(cast(Any, Fault | None), plain["fault"], tables, f"{name}.fault")),
        message=decode(Message, plain["message"], tables, f"{name}.message"),
    )


def _require_matching(scene: Scene, parameters: Any, run: Run) -> None:
    """Raise `ArchiveError` unless the world has the tables that scene and parameters need."""
    world, law = run.world, registry.laws()[scene.law_of(parameters)]
    spin = (2 * scene.model.dimension - 3) * scene.model.rotates(run.built)
    levels = registry.integrators()[parameters.integrator].levels
    if world.motion.shape[:2] != (scene.model.dimension + spin, levels):
        raise ArchiveError(
            Message("The world in the file is not one of the scene '{name}': the file is damaged.", name=scene.name)
        )
    if flaw_of_world(scene, run.built, world):
        raise ArchiveError(
            Message("The world in the file is not one of the scene '{name}': the file is damaged.", name=scene.name)
        )
    if run.ramp is not None:
        _require_ramp(parameters, run.ramp)
    if (
        law.bind(parameters).needs_material
        and len(law.coefficients(parameters).table) != int(world.counters[MATERIAL_COUNT]) ** 2
    ):
        raise ArchiveError(_("The materials of the file's world are not those of its scene: the file is damaged."))


def _curves_in(parameters: Any, texts: Mapping[str, str]) -> Mapping[str, ParameterCurve]:
    """The curves of a set of parameters; raises `ArchiveError` for others than a run can have."""
    declared = parameters.declared()
    if not all(name in declared and is_curve(text) for name, text in texts.items()):
        raise ArchiveError(_("The file's curves of parameters are impossible: the file is damaged."))
    curves = curves_in(texts, declared)
    if any(curve.begins is None for curve in curves.values()) or curves.keys() != texts.keys():
        raise ArchiveError(_("The file's curves of parameters are impossible: the file is damaged."))
    return curves


def _require_ramp(parameters: Any, ramp: Ramp) -> None:
    """Raise `ArchiveError` unless the ramp can end at these parameters."""
    ramped = {name for name, entry in parameters.declared().items() if entry.quantity.effect == "ramp"}
    if not ramp.values.keys() <= ramped or ramp.steps < RAMP_PARTS or ramp.begins < 0:
        raise ArchiveError(_("The file's ramp of parameters is impossible: the file is damaged."))
    parameters.changed(**ramp.values)


def _run_to_plain(run: Run, runs: dict[int, Any], tables: Tables) -> int:
    """Index of a run in the file's list; a run that several restart points share is written once."""
    if id(run) not in runs:
        name = f"run{len(runs)}"
        tables |= {f"{name}.world.{key}": table for key, table in tables_of(run.world).items()}
        tables[f"{name}.series"] = run.series.table[:, : run.series.count]
        plain = {key: encode(getattr(run, key), tables, f"{name}.{key}") for key in (*PLAIN, "state", "built")}
        plain["series"] = list(run.series.names)
        runs[id(run)] = plain, len(runs)
    return int(runs[id(run)][1])


def _run_from_plain(scene: Scene, plain: Any, tables: Tables, name: str) -> Run:
    kinds: dict[str, Any] = {
        "dt": float,
        "clock_time": float,
        "clock_step": int,
        "booked": Booked,
        "bulk_step": int,
        "dt_changes": list[tuple[int, float]],
        "ramp": Ramp | None,
        "target": Target | None,
        "pusher": Pusher | None,
        "shaker": Shaker | None,
        "ways": dict[str, tuple[RateIntegral, ...]],
        "driven_walls": tuple[DrivenWall, ...],
        "held_until": float,
        "placed": PlacedInstruments,
        "state": scene.state_type,
        "built": scene.parameters,
    }
    if plain.get("measurement") is not None:  # up to format 4 the slope of a heap was no part of its state
        plain = plain | {"state": plain["state"] | {"slope": plain["measurement"]}}
    plain = {"ways": {}, "driven_walls": [], "held_until": 0.0, "placed": {}} | plain  # older files do not have them
    values = {key: decode(kind, plain.get(key), tables, f"{name}.{key}") for key, kind in kinds.items()}
    if not (0.0 <= values["dt"] <= LONGEST_STEP and math.isfinite(values["clock_time"])):
        raise ArchiveError(
            Message(
                "The file's time step is {values} s, which is impossible: the file is damaged.",
                values=Number(values["dt"], format="g"),
            )
        )
    names = decode(list[str], plain.get("series", list(FORMAT_4_NAMES)), tables, f"{name}.series")
    _require_instruments(scene, values["placed"])
    series = _series(tuple(names), tables[f"{name}.series"], columns_of(values["placed"], scene.model.dimension))
    run = Run(world=cast(World, state_of(tables, f"{name}.world.")), series=series, **values)
    _require_sound(scene, run)
    return run


def _require_sound(scene: Scene, run: Run) -> None:
    """Raise `ArchiveError` unless time, energies and the scene's state have values that a run can reach."""
    steps = [0, *(step for step, _ in run.dt_changes), run.step]
    complaints = {
        "clock": not (0 <= run.clock_step <= run.step and 0.0 <= run.clock_time <= LONGEST_TIME),
        "time of the hand": not 0.0 <= run.held_until <= LONGEST_TIME,
        "changes of the time step": steps != sorted(steps)
        or not all(0.0 < dt <= LONGEST_STEP for _, dt in run.dt_changes),
        "step of the last sample": not 0 <= run.bulk_step <= run.step,
        "energy ledger": not all(abs(value) <= MOST for value in vars(run.booked).values()),
        "ramp": run.ramp is not None and not 0 <= run.ramp.begins <= run.step,
        "walls that follow curves": moved_walls.impossible(run),
        **hand.impossible(run, scene.model.dimension),
    }
    for what, wrong in complaints.items():
        if wrong:
            raise ArchiveError(Message("The file's {what} cannot have this value: the file is damaged.", what=what))
    if run.state.phase not in scene.phase_names:
        raise ArchiveError(
            Message(
                "The file's phase '{phase}' is none of the scene '{name}', which has {phase_names}: the file is "
                "damaged, or of another version of the scene.",
                phase=short(run.state.phase),
                name=scene.name,
                phase_names=Joined(scene.phase_names),
            )
        )
    if invalid_state := scene.course.invalid_state(run.state, run.world, run.built):
        raise ArchiveError(
            Message(
                "The file's {flaw} cannot have this value in the scene '{name}': the file is damaged.",
                flaw=invalid_state,
                name=scene.name,
            )
        )


def _require_instruments(scene: Scene, placed: PlacedInstruments) -> None:
    """Raise `ArchiveError` unless the instruments are of kinds of this program and have the places of their kinds."""
    dimension, rows = scene.model.dimension, len(placed.ids)
    names = [instrument.name for instrument in placed.instruments]
    for instrument in placed.instruments:
        if instrument.kind not in registry.instruments():
            raise ArchiveError(
                Message(
                    "The file has an instrument of the kind {kind}, which this program does not have.",
                    kind=value_text(instrument.kind),
                )
            )
    sound = (
        len(set(names)) == len(names) == len(placed.passed)
        and all(fits(instrument, dimension) for instrument in placed.instruments)
        and np.isfinite(placed.ids).all()
        and np.isfinite(placed.places).all()
        and (not rows or placed.places.shape == (rows, dimension))
    )
    if not sound:
        raise ArchiveError(_("The file's instruments are impossible: the file is damaged."))


def _series(names: tuple[str, ...], table: Floats, of_instruments: tuple[str, ...]) -> Series:
    """The series of this program with the samples of a file; measurements that the file does not have are nan."""
    blank = Series((*series_names(), *of_instruments))
    if table.ndim != 2 or len(table) != len(names) or table.dtype != blank.table.dtype or "time" not in names:
        raise ArchiveError(_("The series in the file have other columns than the file names: the file is damaged."))
    return Series.of(blank.names, table, names)


def _entry_to_plain(entry: Entry, tables: Tables) -> list[Any]:
    command = entry.command
    return [entry.at, type(command).__name__, encode(command, tables, f"command{entry.at}")]


def _entry_from_plain(scene: Scene, plain: Any, tables: Tables, surfaces: Mapping[str, Surface]) -> Entry:
    at, name, values = plain
    kinds = {kind.__name__: kind for kind in get_args(Logged)}
    if name not in kinds or type(at) is not int or at < 0:
        raise ArchiveError(
            Message(
                "The file's log contains the command {name}, which this program does not know.", name=value_text(name)
            )
        )
    if kinds[name] in BY_HAND:
        return Entry(at, decode(kinds[name], values, tables, "command"))
    make = cast(Callable[..., Any], kinds[name])
    filled = decode(dict[str, Any], values, tables, "command")
    needed = {Act: str, RemoveGrain: int}.get(kinds[name], dict)
    if not all(isinstance(value, needed) for value in filled.values()):
        raise ArchiveError(
            Message("The file's log contains a {name} without its values: the file is damaged.", name=name)
        )
    command = make(**filled)
    for key, entry in scene.parameters.declared().items():
        if entry.kind == "path" and getattr(command, "values", {}).get(key, "") not in ("", *surfaces):
            raise ArchiveError(_("The file's log names a shape that the file does not contain: the file is damaged."))
    return Entry(at, command)
