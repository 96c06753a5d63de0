"""Snapshots with dissipated energy, which need no engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from repose.sim.experiment.snapshot import ShownDissipation, Snapshot


def sounding(time: float, entries: dict[float, float], logs: int = 1) -> Snapshot:
    """A snapshot at a simulated time [s] with entries: energy [J] by the end of their intervals [s]."""
    shot = Snapshot()
    shot.run = replace(shot.run, time=time)
    shot.history = replace(shot.history, logs=logs)
    shot.dissipation = ShownDissipation(np.array(list(entries)), np.array(list(entries.values())))
    return shot
