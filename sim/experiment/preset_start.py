"""The commands that start a preset."""

from __future__ import annotations

from repose.sim.experiment.commands import Start, StartSideBySide
from repose.sim.io.presets import Preset


def starts_of(preset: Preset) -> tuple[Start, ...]:
    """The start of each run of a preset."""
    return tuple(
        Start(run.scene, dict(run.values), run.seed, run.ready, run.direction, run.instruments) for run in preset.runs
    )


def start_of(preset: Preset) -> Start | StartSideBySide:
    """The command that starts a preset: one run, or several side by side."""
    starts = starts_of(preset)
    return starts[0] if len(starts) == 1 else StartSideBySide(starts)
