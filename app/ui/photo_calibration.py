"""Which friction makes a computed heap lie like that of the photograph: runs in the background, and what they give."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from repose.app.storage.paths import runs_folder
from repose.app.storage.plot_files import Sheet
from repose.app.storage.plot_files import draw as draw_sheet
from repose.app.ui.background_runs import BackgroundRuns
from repose.app.ui.preset_library import different
from repose.sim.engine.thread_count import available
from repose.sim.io import presets
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import Curve
from repose.sim.message import Capital, plain
from repose.sim.parameters import ParameterSet
from repose.sim.photo.heap_in_picture import PictureHeap
from repose.sim.study.calibration import (
    CalibrationResult,
    Goal,
    Observation,
    VariedRange,
    canonical_profile,
    report,
    rounded,
)
from repose.sim.study.calibration_runs import calibrate_in, in_words, preset_of, profile_curve

FRICTION = VariedRange("friction", 0.1, 1.5)
ROLLING = VariedRange("rolling_friction", 0.0, 0.5)
"""What is looked for, and where: sand and gravel are well within these ranges."""
CHOICES = {"friction": (FRICTION,), "rolling_friction": (ROLLING,), "both": (FRICTION, ROLLING)}


@dataclass(frozen=True)
class Calibrated:
    """What a calibration gave, and where it is."""

    goal: Goal
    found: CalibrationResult
    curve: Curve
    """The profile in the picture, the nearest computed one and their difference."""
    preset: Path | None
    """The preset with the values; None if there are none."""


@dataclass
class PhotoCalibration:
    """The calibration that is under way, and the last result. Written by `repose.app.ui.panels.photo`; the thread of
    `runs` writes `result`."""

    chosen: str = "friction"
    """A key of `CHOICES`."""
    folder: Callable[[], Path] = lambda: runs_folder() / "calibrations"
    runs: BackgroundRuns = field(default_factory=lambda: BackgroundRuns("calibration"))
    """`total` is the largest number of runs: the calibration ends earlier if the value is known."""
    result: Calibrated | None = None
    seen: Calibrated | None = None
    """The result that the panel has scrolled to, or scrolls to."""
    scrolling: int = 0
    """Number of further frames in which it scrolls: texts are wrapped anew once there is a scroll bar."""

    def start(self, make: Callable[[], Goal]) -> None:
        """Do the runs of the goal that `make` returns; if it raises `ParameterError`, this is the trouble."""
        if not self.runs.running:
            self.result = None
            self.runs.start(lambda: make().check(), self._run)

    def _run(self, goal: Goal) -> None:
        self.runs.total = goal.most_runs
        fixed = json_text({"values": dict(sorted(goal.values.items())), "profile": list(goal.profile)})
        varied = "-".join(own.name for own in goal.varied)
        folder = self.folder() / f"{goal.scene}-{varied}-{hashlib.sha256(fixed.encode()).hexdigest()[:8]}"
        runs = folder / "runs"
        runs.mkdir(parents=True, exist_ok=True)

        def on_progress(words: str, share: float) -> None:
            self.runs.show(share)

        def count(done: int) -> None:
            self.runs.done = done
            self.runs.share = max(self.runs.share, done / goal.most_runs)  # those on disk make no progress

        # One processor is left for the window and its run.
        found, seen = calibrate_in(runs, goal, max(1, available() - 1), on_progress, on_run=count)
        self.result = _written(folder, goal, found, seen)


def _written(folder: Path, goal: Goal, found: CalibrationResult, seen: Sequence[Observation]) -> Calibrated:
    """Write the result as the command `repose calibrate` does; raises `OSError`."""
    curve = profile_curve(goal, found, seen)
    sheet = Sheet(plain(Capital(goal.title)), plain(in_words(goal, found)), (curve,))
    write_whole_file(folder / "calibration.png", partial(draw_sheet, sheet))
    _write_text(folder / "result.json", json_text(report(goal, found, seen), indent=2))
    preset = folder / "preset.toml" if found.is_known else None
    if preset is not None:
        _write_text(preset, presets.dumps(preset_of(goal, found)))
    return Calibrated(goal, found, curve, preset)


def _write_text(path: Path, text: str) -> None:
    write_whole_file(path, lambda file: file.write(text.encode("utf-8")))


def goal_for(heap: PictureHeap, scene: str, parameters: ParameterSet, chosen: str) -> Goal:
    """The calibration of this scene with its present values for the profile of a photograph."""
    profile = canonical_profile(heap.x, heap.height)
    assert profile is not None  # the heap has a flank
    varied = CHOICES[chosen]
    names = {own.name for own in varied}
    values = {name: value for name, value in different(parameters).items() if name not in names}
    return Goal(
        scene,
        varied,
        wanted=1.0,
        wanted_error=heap.steepness_error,
        values=values,
        profile=tuple(map(rounded, profile)),
    )
