"""How long a run will take: its simulated time and its processor time, before it starts, each with a bound.

The presets have been run once; `assets/run_lengths.json` has, for each, simulated time, steps and work at some points
of the run, the work in units of the cost of a step at its beginning. A short trial of the world itself measures this
cost on this machine, and the time step. A run with other parameters is compared with the preset of its scene that
differs in the fewest of them, and its bound is wider.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import begin_run
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.io import presets
from repose.sim.message import EMPTY, Message, Number
from repose.sim.parameters import ParameterSet, Value
from repose.sim.registry import scenes

WARM_STEPS, TRIAL_STEPS = 400, 20_000
"""Steps of a run between which the cost of a step is measured: the first ones load what is compiled. A trial of 2000
steps lasts 20 to 200 ms, over which the speed of a processor that shares its caches differs by a factor of two."""
TRIAL_TIME = 1.5
"""Processor time after which a trial ends earlier [s]."""
TRIALS = 3
"""Trials of which the median counts: the speed of a shared processor changes within a second."""
OTHER_MACHINE = 2.0
"""Factor by which this machine may be faster or slower than the one of the recorded runs, as long as nothing has been
tried out."""
SAME, OTHER, UNKNOWN = 2.0, 3.0, 10.0
"""Factor by which the real time may be longer or shorter: of a preset, of a scene with other parameters, and of a scene
without recorded runs."""
PACKED = ("grain_count",)
"""Parameters to which the cost of a step is about proportional."""
LASTING = ("duration", "stage_time")
"""Parameters to which the simulated time is about proportional."""


SHORT = 3.0
"""Time below which an estimate is not told more closely [s]: loading what is compiled takes as long."""
UNITS = ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min"))


def duration(seconds: float) -> str:
    """A wall time in words, with two digits."""
    for size, unit in UNITS:
        if seconds >= 2.0 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


@dataclass(frozen=True)
class RunLength:
    """An estimate of a run."""

    simulated: float
    """Simulated time at its end [s]."""
    seconds: float
    """Processor time of one thread [s]: on free processors the wall time."""
    factor: float
    """The real time is between `seconds` / factor and `seconds` · factor, if the run is like those recorded."""

    @property
    def words(self) -> Message:
        """The estimate in words; nothing finer for a run of seconds."""
        if self.seconds * self.factor < SHORT:
            return Message(
                "less than {time} for {simulated} of simulated time",
                time=duration(SHORT),
                simulated=Number(self.simulated, "s", digits=3),
            )
        low, high = duration(self.seconds / self.factor), duration(self.seconds * self.factor)
        return Message(
            "about {time} ({low} to {high}) for {simulated} of simulated time",
            time=duration(self.seconds),
            low=low,
            high=high,
            simulated=Number(self.simulated, "s", digits=3),
        )


@dataclass(frozen=True)
class Trial:
    """The first steps of a run."""

    step_cost: float
    """Processor time of a step [s]."""
    dt: float
    """[s]."""
    ended: float | None
    """Simulated time at which the run ended within the trial [s]; None if it goes on."""
    seconds: float
    """Processor time of the trial [s]."""


@dataclass(frozen=True)
class Recorded:
    """A preset that has been run."""

    preset: str
    seed: int
    values: Mapping[str, Any]
    """All parameters, SI."""
    trial: Trial
    """Its trial on the machine on which it was recorded."""
    rows: Sequence[tuple[float, float, float]]
    """Simulated time [s], steps, and work in steps of the trial."""


@cache
def recorded_runs(scene: str) -> list[Recorded]:
    """The recorded runs of a scene."""
    content = json.loads(files("repose.assets").joinpath("run_lengths.json").read_text(encoding="utf-8"))
    runs = []
    for entry in (entry for entry in content if entry["scene"] == scene):
        preset = presets.load(entry["preset"]).runs[entry["run"]]
        values = scenes()[scene].parameters.checked(preset.values).as_given()
        rows = [tuple(row) for row in entry["rows"]]
        trial = Trial(entry["step"], entry["dt"], None, 0.0)
        runs.append(Recorded(preset.name, preset.seed, values, trial, rows))
    return runs


class TrialClock:
    """Measures the cost of the first steps of a run: the median over batches, which a busy machine hardly changes."""

    def __init__(self) -> None:
        self._costs: list[float] = []
        self._last: tuple[float, int] | None = None
        self._began = time.thread_time()

    def see(self, experiment: Experiment) -> Trial | None:
        """To be called at every check; returns the trial when it is complete."""
        now, step = time.thread_time(), experiment.step
        before, self._last = self._last, (now, step)
        if before is not None and step >= before[1] + CHECK_STEPS:
            self._costs.append((now - before[0]) / (step - before[1]))
        elif before is not None and step > before[1]:
            self._last = before
        late = now - self._began > TRIAL_TIME and len(self._costs) > 3
        if step < TRIAL_STEPS and not late:
            return None
        warm = self._costs[WARM_STEPS // CHECK_STEPS :] or self._costs
        return Trial(statistics.median(warm), experiment.dt, None, now - self._began)


def try_out(scene: str, values: Mapping[str, Value], seed: int, ready: str | None = None) -> tuple[Trial, Experiment]:
    """Do the first steps of a run in one thread, several times, and return the trial of median cost with the last
    experiment; raises `ParameterError`."""
    trials, experiment = [], None
    for _ in range(TRIALS):
        trial, experiment = try_out_once(scene, values, seed, ready)
        trials.append(trial)
        if trial.ended is not None:
            break
    assert experiment is not None
    return sorted(trials, key=lambda each: each.step_cost)[len(trials) // 2], experiment


def try_out_once(
    scene: str, values: Mapping[str, Value], seed: int, ready: str | None = None
) -> tuple[Trial, Experiment]:
    """Do the first steps of a run in one thread; raises `ParameterError`."""
    experiment = new_experiment(scene, values, seed, ready)
    experiment.session.threads = 1
    begin_run(experiment)
    clock, began = TrialClock(), time.thread_time()
    while (trial := clock.see(experiment)) is None:
        if is_finished(experiment) or not advance(experiment, CHECK_STEPS):
            spent = time.thread_time() - began
            return Trial(spent / max(1, experiment.step), experiment.dt, experiment.time, spent), experiment
    return trial, experiment


def nearest(scene: str, parameters: ParameterSet) -> tuple[Recorded | None, set[str]]:
    """The recorded run that differs in the fewest parameters, and their names."""
    now = parameters.as_given()
    best: tuple[Recorded | None, set[str]] = None, set()
    for run in recorded_runs(scene):
        names = {name for name in run.values.keys() | now.keys() if run.values.get(name) != now.get(name)}
        if best[0] is None or len(names) < len(best[1]):
            best = run, names
    return best


def estimate(
    scene: str, values: Mapping[str, Value], seed: int, ready: str | None = None, until: float = math.inf
) -> RunLength:
    """The length of a run to its end, or to the simulated time `until` [s]; raises `ParameterError`."""
    trial, experiment = try_out(scene, values, seed, ready)
    if trial.ended is not None:
        return RunLength(min(trial.ended, until), trial.seconds, SAME)
    return estimated(trial, scene, experiment.parameters, until, seed)


def estimated(
    trial: Trial, scene: str, parameters: ParameterSet, until: float = math.inf, seed: int | None = None
) -> RunLength:
    """The length of a run whose first steps were tried out; `seed` is None for the recorded one. Another seed may have
    no prepared packing, and settles first."""
    run, differing = nearest(scene, parameters)
    if run is None:
        end = until if math.isfinite(until) else scenes()[scene].direction.seconds
        return RunLength(end, trial.step_cost * end / trial.dt, UNKNOWN)
    now = parameters.as_given()

    def ratio(names: Sequence[str]) -> float:
        known = [name for name in names if name in differing and isinstance(now.get(name), int | float)]
        return math.prod(float(now[name]) / float(run.values.get(name) or now[name]) for name in known)

    longer, larger = ratio(LASTING), ratio(PACKED)
    whole = run.rows[-1][0] * longer
    end = min(whole, until)
    work = work_until(run.rows, end / longer) * longer * larger * run.trial.dt / trial.dt
    if until > whole and math.isfinite(until):  # the scene ends by itself
        end = whole
    return RunLength(end, trial.step_cost * work, SAME if not differing and seed in (None, run.seed) else OTHER)


LEAST_TOLD = 10.0
"""Processor time from which on the length of a run is told [s]."""


@lru_cache(maxsize=16)  # the window asks in every frame
def expected(scene: str, parameters: ParameterSet) -> RunLength | None:
    """The length of a run without a trial, for a machine like that of the recorded runs; None without such a run."""
    run = nearest(scene, parameters)[0]
    if run is None:
        return None
    length = estimated(run.trial, scene, parameters)
    return replace(length, factor=length.factor * OTHER_MACHINE)


class LengthTeller:
    """Says how long a run will take as soon as its first steps are done, if it takes long."""

    def __init__(self, until: float) -> None:
        self._until, self._clock, self._told = until, TrialClock(), False

    def words(self, experiment: Experiment) -> Message:
        """The estimate at the step at which it is known, for a long run; empty before and after."""
        trial = None if self._told else self._clock.see(experiment)
        if trial is None:
            return EMPTY
        self._told = True
        length = estimated(trial, experiment.scene.name, experiment.parameters, self._until, experiment.seed)
        return Message("The run takes {words}.", words=length.words) if length.seconds >= LEAST_TOLD else EMPTY


def work_until(rows: Sequence[tuple[float, float, float]], time: float) -> float:
    """Work done up to a simulated time [steps of the trial], between the recorded points linearly."""
    points = [(0.0, 0.0), *((row[0], row[2]) for row in rows)]
    for (begin, before), (end, after) in pairwise(points):
        if time < end:
            return before + (after - before) * (time - begin) / (end - begin)
    return points[-1][1]
