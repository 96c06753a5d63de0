"""The dissipated energy between two snapshots of a run, and where it is heard."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from repose.app.sound.clicks import SLOTS, Floats, scattered
from repose.sim.experiment.snapshot import Snapshot


@dataclass
class Heard:
    """What has been heard of each run, of those side by side."""

    _until: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Number of the log and simulated time of the latest snapshot [s], by the number of the run."""

    def since_last(self, snapshot: Snapshot, begin: float, end: float) -> tuple[Floats, Floats]:
        """Times and energies of the entries after the snapshot before: the simulated time between both snapshots fills
        the time from `begin` to `end` of the sound [s]. An entry is heard at a place of its interval that follows from
        its number. Nothing is heard of a run that begins, is set back or jumps."""
        times, energies = [], []
        for number, shot in enumerate((snapshot, *snapshot.beside)):
            logs, before = self._until.get(number, (-1, 0.0))
            now, entries = shot.run.time, shot.dissipation
            self._until[number] = shot.history.logs, now
            if logs != shot.history.logs or now <= before or len(entries.interval_end) < 2:
                continue
            interval = np.diff(entries.interval_end, prepend=2.0 * entries.interval_end[0] - entries.interval_end[1])
            new = (entries.interval_end > before) & (entries.interval_end <= now) & (interval > 0.0)
            ends, interval = entries.interval_end[new], interval[new]
            at = ends - interval * scattered(np.rint(ends / interval).astype(np.int64))
            share = np.clip((at - before) / (now - before), 0.0, 1.0)
            times.append(begin + (end - begin) * share)
            energies.append(entries.interval_energy[new])
        if not times:
            return np.empty(0), np.empty(0)
        return np.concatenate(times), np.concatenate(energies)


def slots_of(times: Floats, energies: Floats, first: int, count: int) -> Floats:
    """The energy in each of `count` slots from the slot number `first` on [J]; times are in seconds of the sound."""
    slot = np.clip(np.floor(times * SLOTS).astype(np.int64) - first, 0, count - 1)
    return np.bincount(slot, energies, minlength=count).astype(np.float64, copy=False)
