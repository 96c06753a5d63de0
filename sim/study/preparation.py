"""Engines of scenes and presets: whether they are compiled, expected compile times, and compiling ahead.

An engine is compiled in parts, one after the other. Their durations are kept beside the compiled code, so that the next
compilation on this machine has an estimate; before the first one the estimate is that of the developers' machine.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numba
from repose.sim import registry
from repose.sim.engine import jit
from repose.sim.engine.builder import with_levels, with_parts
from repose.sim.engine.composition import compose
from repose.sim.engine.contacts.contact_table import compile_table, compiled_evaluation, compiled_fill
from repose.sim.engine.model import Coefficients, Model
from repose.sim.engine.parts import compile_walls, compiled_parts, needed_parts, parts_of_walls
from repose.sim.engine.timestep.survey import compile_survey, compiled_survey
from repose.sim.engine.world import copy_world
from repose.sim.experiment.activation import bond_coefficients, engine_for, field_coefficients, model_for
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.hand import compile_fields, compiled_fields
from repose.sim.experiment.results import results_of
from repose.sim.io import presets
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.message import EMPTY, Message, _, plain
from repose.sim.parameters import Value

LOOP = "step loop"
LOOP_WORDS = _("step loop")
"""The step loop in the window, which waits for this part only."""
WALLS, HAND = "walls", "mouse"
PARTS = {LOOP: 10.0, "contact table": 3.0, "stable time step": 3.0, HAND: 1.5, WALLS: 5.0, "measurements": 1.5}
"""Parts of an engine in the order in which they are compiled, with the time each takes [s] where nothing is known of
this machine (processor time for the heap on an AMD EPYC server). Walls are a part of their own where the user can draw
some."""
WORDS = {LOOP: LOOP_WORDS, WALLS: _("walls"), HAND: _("forces of the mouse")}
"""The parts for which the window waits."""
FILE = "compile_times.json"
"""Durations of the parts by engine [s], in the folder of the compiled code."""
MOST = 0.95
"""Largest share of a part that is still being compiled [-]: on a busy machine it takes longer than expected."""


class Needed(NamedTuple):
    """An engine, and an experiment that needs it."""

    model: Model
    law: str
    scene: str
    values: Mapping[str, Value]

    @property
    def words(self) -> str:
        """Name for the user and in `FILE`: "heap: lee_herrmann, gear5, 2D"."""
        rotating = ", rotating" if self.model.rotation else ""
        kind = f"{self.law}, {self.model.integrator.name}, {self.model.dimension}D{rotating}"
        choices = "".join(f", {name} {value}" for name, value in self.values.items() if isinstance(value, str))
        return f"{self.scene}: {kind}{choices}"


class PreparationProgress(NamedTuple):
    """Progress of compiling."""

    part: Message
    """Part of the engine that is being compiled; empty when all are."""
    share: float
    """Completed fraction of the expected time [-]."""
    seconds_left: float | None
    """Expected remaining time [s]; None once a part takes longer than expected."""


def needed_by(scene: str, values: Mapping[str, Value]) -> Needed:
    """The engine of an experiment; raises `ParameterError`."""
    record = registry.scenes()[scene]
    parameters = record.parameters.checked(values)
    return Needed(model_for(record, parameters, parameters), record.law_of(parameters), scene, dict(values))


def needed_engines(first: str = presets.DEFAULT) -> tuple[Needed, ...]:
    """Every engine that a scene at its default parameters or a shipped preset needs; that of `first` comes first."""
    shipped = [presets.load(name) for name in (first, *presets.names())]
    starts = [(preset.scene, preset.values) for preset in shipped]
    entries = [needed_by(scene, values) for scene, values in (*starts, *((scene, {}) for scene in registry.scenes()))]
    engines: dict[Model, Needed] = {}
    for needed in entries:
        engines.setdefault(needed.model, needed)
    return tuple(engines.values())


def is_stored(needed: Needed) -> bool:
    """Whether all compiled functions of an engine are on disk, for this processor and these sources."""
    loops = loops_of(needed)
    return all(jit.is_stored(loop) for part in parts_of(needed) for loop in loops.get(part, ()))


def parts_of(needed: Needed) -> dict[str, float]:
    """The parts of an engine that are compiled ahead, as in `PARTS`."""
    drawn = registry.scenes()[needed.scene].hand.free_walls
    return {part: seconds for part, seconds in PARTS.items() if part != WALLS or drawn}


def loops_of(needed: Needed) -> dict[str, tuple[Any, ...]]:
    """numba's dispatchers of the functions of an engine, by part, not yet compiled."""
    scene, model = registry.scenes()[needed.scene], needed.model
    parameters = scene.parameters.checked(needed.values)
    coefficients = Coefficients(field_coefficients(scene, parameters), bond_coefficients(scene, parameters))
    params = registry.laws()[needed.law].coefficients(parameters)
    parts = compiled_parts(model, params, coefficients)
    steps = (
        compose(model).loop.dispatcher,
        *(getattr(parts, name) for name in needed_parts(parts, walled=False)),
    )
    table = compiled_evaluation(model.law, model.shapes, params), compiled_fill()
    walls = tuple(getattr(parts, name) for name in parts_of_walls(parts))
    loops = steps, table, (compiled_survey(model),), (compiled_fields(model, coefficients),), walls
    return dict(zip(PARTS, loops))


def compile_engine(needed: Needed, show_progress: Callable[[str], None] = lambda part: None) -> None:
    """Compile an engine part by part, or load what is on disk; `show_progress(part)` is called before each part."""
    stored = is_stored(needed)
    scene = registry.scenes()[needed.scene]
    parameters = scene.parameters.checked(needed.values)
    engine, model = engine_for(scene, parameters, parameters), needed.model
    world = with_parts(with_levels(scene.course.begin(parameters, 1)[0], model.integrator.levels), model)
    coefficients = Coefficients(engine.field_coefficients, engine.bond_coefficients)
    of_walls = compiled_parts(model, engine.law_parameters, coefficients)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: engine.advance(copy_world(world), engine.law_parameters, engine.gravity, 0.0, 0, coefficients),
        lambda: compile_table(model, world, engine.law_parameters),
        lambda: compile_survey(model, world, engine.law_parameters, coefficients),
        lambda: compile_fields(model, coefficients),
        lambda: compile_walls(of_walls),
        lambda: results_of(new_experiment(needed.scene, needed.values)),
    )
    took = {}
    for part, call in zip(PARTS, calls, strict=True):
        if part not in parts_of(needed):
            continue
        show_progress(part)
        began = time.monotonic()
        call()
        took[part] = time.monotonic() - began
    if not stored:
        _keep(needed.words, took)


def expected_times(needed: Needed) -> dict[str, float]:
    """Expected duration of each part of compiling an engine on this machine [s]."""
    known, parts = _kept(), parts_of(needed)
    if known.get(needed.words, {}).keys() == parts.keys():
        return known[needed.words]
    factors = [sum(times.values()) / sum(PARTS[part] for part in times) for times in known.values()]
    factor = statistics.median(factors) if factors else 1.0
    return {part: factor * seconds for part, seconds in parts.items()}


def progress_in(expected: Mapping[str, float], part: str, seconds: float) -> PreparationProgress:
    """Progress `seconds` after the compiler began with `part`; its share and its remaining time never go back."""
    names = list(expected)
    if part not in expected:
        return PreparationProgress(EMPTY, 1.0, 0.0)
    before = sum(expected[name] for name in names[: names.index(part)])
    after = sum(expected[name] for name in names[names.index(part) + 1 :])
    left = expected[part] - seconds + after if seconds < expected[part] else None
    share = min(seconds / max(expected[part], 1e-3), MOST)
    words = WORDS.get(part) or plain(part)
    return PreparationProgress(words, (before + share * expected[part]) / sum(expected.values()), left)


class Watch:
    """Progress of the parts of an engine for which the window waits, which another thread compiles; the other parts are
    compiled in a process beside it (repose.sim.experiment.compile_beside), or when they are needed.

    `lacking` are the parts: the step loop, with walls if the world has some; or the walls or the mouse alone.
    `progress` is called every frame; `finish` stores the duration of what was compiled and not loaded.
    """

    def __init__(
        self, needed: Needed, lacking: tuple[str, ...] = (LOOP,), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._needed, self._clock, self._lacking = needed, clock, lacking or (LOOP,)
        loops = loops_of(needed)
        self._loops = [loop for part in self._lacking for loop in loops[part]]
        self.is_stored = all(map(jit.is_stored, self._loops))
        """Whether everything is on disk and is only loaded."""
        self._expected = expected_times(needed)
        self._whole = sum(self._expected.get(part, PARTS[part]) for part in self._lacking)
        self._began = clock()
        self._ended: float | None = None
        """Time at which everything was first found compiled [s]."""

    def progress(self) -> PreparationProgress:
        """Progress of compiling."""
        now, part = self._clock(), self._lacking[0]
        if self._ended is None and all(loop.overloads for loop in self._loops):
            self._ended = now
        return progress_in({part: self._whole}, "" if self._ended else part, now - self._began)

    def finish(self) -> None:
        """Store the duration; called when the engine is compiled."""
        self.progress()
        if self.is_stored or self._ended is None or self._ended <= self._began:
            return
        part, *others = self._lacking
        took = self._ended - self._began - sum(self._expected.get(other, PARTS[other]) for other in others)
        if took > 0.0 and part in self._expected:
            _keep(self._needed.words, self._expected | {part: took})


def _file() -> Path | None:
    return Path(numba.config.CACHE_DIR) / FILE if numba.config.CACHE_DIR else None


def _kept() -> dict[str, dict[str, float]]:
    """Durations by engine and part [s]; other entries are ignored."""
    file = _file()
    if file is None:
        return {}
    with suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
        content = json.loads(file.read_text(encoding="utf-8"))
        return {
            words: {part: float(times[part]) for part in PARTS if part in times}
            for words, times in content.items()
            if times.keys() | {WALLS} == PARTS.keys() and all(0.0 < float(seconds) < 1e5 for seconds in times.values())
        }
    return {}


def _keep(words: str, times: Mapping[str, float]) -> None:
    """Add the durations of an engine to the file; without a folder or with a full disk nothing is stored."""
    file = _file()
    if file is not None:
        text = json.dumps(_kept() | {words: dict(times)}, indent=1)
        with suppress(OSError):
            write_whole_file(file, lambda draft: draft.write(text.encode("utf-8")))
