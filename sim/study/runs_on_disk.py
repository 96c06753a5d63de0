"""The runs of studies on disk: existing runs, missing runs, and further seeds that an error bar needs.

Files are named after scene, seed and parameters: studies in one folder share equal runs. Every decision depends on
results only, never on the order in which runs end: a study that was killed and continued gives the same files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from repose.sim.io.json_text import read_json
from repose.sim.numbers import read_whole
from repose.sim.parameters import ParameterError, Value
from repose.sim.registry import scenes
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import Task, run_all
from repose.sim.study.plan import DIGEST_DIGITS, Case, StudyPlan, StudyRun
from repose.sim.study.quantities import default_names, read
from repose.sim.wording import path_text, value_text

Progress = Callable[[str, float], None]
Ended = Callable[[Task, Mapping[str, Any] | None, str], None]
"""ended(task, its result or None, why it has none)."""


@dataclass
class StudyRuns:
    """All runs of some studies in a folder, and their results so far."""

    plans: tuple[StudyPlan, ...]
    folder: Path
    threads: int | None = 1
    """Threads of each run; None for automatic."""
    share: tuple[int, int] = (1, 1)
    """K and N: only every N-th run is done, from the K-th on."""
    elsewhere: Callable[..., None] | None = None
    """Function that does the runs instead of local processes (repose.sim.study.dask_runs)."""
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Results by the name of the file."""
    lost: dict[str, str] = field(default_factory=dict)
    """Why a run has no result, by the name of its file."""
    runs: dict[str, list[StudyRun]] = field(default_factory=dict)
    """Runs of each study, including those of added seeds."""
    _asked: set[str] = field(default_factory=set)
    _files: dict[str, Path] = field(default_factory=dict)
    """Files of runs by their digest: equal runs of several studies are done once."""

    def begin(self) -> list[Task]:
        """Read what the folder contains; returns the runs to do. Raises `ParameterError` for files of other runs."""
        self._files = {path.stem[-DIGEST_DIGITS:]: path for path in sorted(self.folder.glob("*.json"))}
        for plan in self.plans:
            self.runs[plan.name] = []
            for run in plan.runs(self.folder, threads=self.threads):
                self._add(plan, run)
        missing = self._missing()
        if self.share == (1, 1):
            return missing + self._more()
        own = set(self.names_of(*self.share))
        return [task for task in missing if task.path.name in own]

    def names_of(self, part: int, parts: int) -> list[str]:
        """Names of the files of a part of the runs, without further seeds, each once."""
        names = dict.fromkeys(run.task.path.name for runs in self.runs.values() for run in runs)
        return list(names)[part - 1 :: parts]

    def _add(self, plan: StudyPlan, run: StudyRun) -> None:
        """Add a run to a study, with its result if the folder contains it."""
        path = self._files.setdefault(run.task.path.stem[-DIGEST_DIGITS:], run.task.path)
        run = replace(run, task=replace(run.task, path=path))
        self.runs[plan.name].append(run)
        if path.exists() and path.name not in self.results:
            self.results[path.name] = earlier(run.task)

    def do(self, missing: Sequence[Task], workers: int, on_progress: Progress, on_end: Ended) -> None:
        """Do the missing runs; callbacks may raise, which ends all runs under way."""

        def ended(task: Task, lost: str) -> Sequence[Task]:
            if lost:
                self.lost[task.path.name] = lost
            else:
                self.results[task.path.name] = read_json(task.path)
            on_end(task, self.results.get(task.path.name), lost)
            return self._more() if self.share == (1, 1) else ()

        do_all = self.elsewhere or run_all
        do_all(missing, workers, on_progress=on_progress, on_end=ended)

    def outcome(self, plan: StudyPlan) -> StudyOutcome:
        """The results of one of the studies so far."""
        return StudyOutcome(plan, self.runs[plan.name], self.results, self.lost)

    def _missing(self) -> list[Task]:
        """Runs without a result that have not been requested yet, each once."""
        entries = []
        for run in (run for runs in self.runs.values() for run in runs):
            name = run.task.path.name
            if name not in self.results and name not in self._asked:
                self._asked.add(name)
                entries.append(run.task)
        return entries

    def _more(self) -> list[Task]:
        """Runs with further seeds, for the combinations of values whose error is too large."""
        for plan in (plan for plan in self.plans if plan.error):
            for case in plan.cases:
                for varied in plan.combinations():
                    self._add_seeds(plan, case, varied)
        return self._missing()

    def _add_seeds(self, plan: StudyPlan, case: Case, varied: Mapping[str, Value]) -> None:
        while True:
            own = [run for run in self.runs[plan.name] if run.case == case and run.varied == varied]
            names = [run.task.path.name for run in own]
            if any(name not in self.results and name not in self.lost for name in names):
                return  # some of its runs are under way
            done = [self.results[name] for name in names if name in self.results]
            measured = (plan.measured or default_names(plan.scene, {}))[0]
            points = [point for result in done if (point := read(plan.scene, measured, result, 0.0)) is not None]
            scale = self.outcome(plan).drawn.scale
            wanted = seeds_needed([point.value / scale for point in points], plan.error, len(own), plan.most_seeds)
            if wanted <= len(own):
                return
            last = max(run.seed for run in own)
            for seed in range(last + 1, last + 1 + wanted - len(own)):
                self._add(plan, plan.run(self.folder, case, varied, seed, self.threads))


MOST_NAMED = 20
"""Most incomplete parts that an error names."""


def joined(parts: Path, runs: StudyRuns) -> dict[str, Path]:
    """The files of all runs of a study, by their names, in the folders of its parts; raises `ParameterError` for a
    part that is missing, has not done all of its runs, or has a damaged one."""
    folders = {}
    for folder in sorted(parts.glob("part-*-of-*")):
        part, total = (read_whole(word) for word in folder.name.removeprefix("part-").split("-of-", 1))
        if isinstance(part, int) and isinstance(total, int):
            folders[part, total] = folder
    totals = {total for _, total in folders}
    if len(totals) != 1:
        found = "parts of different numbers" if totals else "no part of a study"
        raise ParameterError(
            f"--join {path_text(parts)} contains {found}: give the folder that was --out of all parts."
        )
    total = totals.pop()
    found_files: dict[str, Path] = {}
    lacking: dict[int, str] = {}
    for part in range(1, total + 1):
        files = {name: folders.get((part, total), parts) / "runs" / name for name in runs.names_of(part, total)}
        if missing := sum(not path.exists() for path in files.values()):
            lacking[part] = f"{missing} of {len(files)}"
        found_files |= files
    if lacking:
        named = ", ".join(f"{part}/{total} ({count})" for part, count in list(lacking.items())[:MOST_NAMED])
        more = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
        raise ParameterError(
            f"--join {path_text(parts)}: runs of {len(lacking)} of {total} parts are missing: do them again with "
            f"--part {named}{more}."
        )
    tasks = {run.task.path.name: run.task for of_study in runs.runs.values() for run in of_study}
    for name, path in found_files.items():  # before anything is written
        earlier(replace(tasks[name], path=path))
    return found_files


def seeds_needed(values: Sequence[float], error: float, done: int, most: int) -> int:
    """Number of seeds after which the mean of such values is expected to have this standard error.

    From the standard deviation s of the values so far: (s / error)², at most twice as many as are done, because s of a
    few values is itself uncertain by s / √(2 n - 2), and at most `most`. With fewer than two values another run is
    needed.
    """
    if done >= most:
        return done
    if len(values) < 2:
        return done + 1
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    if variance <= len(values) * error**2:
        return done
    return min(most, 2 * done, max(done + 1, math.ceil(variance / error**2)))


def earlier(task: Task) -> dict[str, Any]:
    """The result of an earlier run; raises `ParameterError` if its scene, seed, version or parameters differ."""
    try:
        content: dict[str, Any] = read_json(task.path)
        theirs = {name: content[name] for name in ("scene", "seed", "version")} | content["parameters"]
        readable = _is_point(content["point"]) and isinstance(content.get("measurements", {}), dict)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        readable = False
    if not readable:
        raise ParameterError(
            f"{path_text(task.path)} contains no result of a run: remove it and do the run again, or choose another "
            "folder."
        )
    ours = {"scene": task.scene, "seed": task.seed, "version": metadata.version("repose")}
    ours |= scenes()[task.scene].parameters.checked(task.values).at(0.0).as_given()
    for name in ours | theirs:
        if ours.get(name) != theirs.get(name):
            raise ParameterError(
                f"{path_text(task.path)} was run with {name} = {value_text(theirs.get(name))}, not "
                f"{value_text(ours.get(name))}: choose another --out."
            )
    return content


def _is_point(point: Any) -> bool:
    """Whether this is what the result of a run contains as its point: numbers, or nothing measured."""
    if point is None:
        return True
    numbers = [point["value"], *(x for x in (point["error"], *point["aside"].values()) if x is not None)]
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in numbers)
