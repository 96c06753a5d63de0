"""The sound of the window: what happened since the last picture is played while the next one is shown."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from repose.app.sound.clicks import RATE, SLOTS, as_words, sound_of
from repose.app.sound.heard import Heard, slots_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message
from repose.sim.wording import described, reason_of

BUFFER, CHANNELS = 512, 16
"""Samples that the system plays at a time, and pieces of sound that overlap at most."""
LONGEST = 0.1
"""Longest piece of sound [s]: a window that draws more slowly is silent in between."""
REFERENCE = 16.0
"""A click of this energy, in energies of a mean grain that falls by its diameter, is as loud as the loudest one of a
run that has no louder one [-]."""


@dataclass
class Speaker:
    """The clicks of the runs in the window, which are off until `hear` is called with `on`."""

    trouble: Message = EMPTY
    """Why there is no sound on this machine; empty otherwise."""
    _mixer: Any = None
    """The mixer of pygame; None while it is closed."""
    _heard: Heard = field(default_factory=Heard)
    _at: float = 0.0
    """Wall time of the latest snapshot [s]."""
    _serial: int = -1
    _run: int = -1
    """`ShownHistory.logs` of the run that is heard."""
    _loudest: float = 0.0
    """Amplitude of full scale: the loudest sample of this run so far [√J]."""

    def hear(self, snapshot: Snapshot, on: bool) -> None:
        """Play what happened since the last call, or be silent; call it once per frame of the window."""
        if not on:
            self.close()
            self.trouble = EMPTY
            return
        if self.trouble or not self._is_open() or snapshot.serial == self._serial:
            return
        now = time.perf_counter()
        duration, self._at, self._serial = min(now - self._at, LONGEST), now, snapshot.serial
        times, energies = self._heard.since_last(snapshot, 0.0, duration)
        if self._run != snapshot.history.logs:
            self._run, self._loudest = snapshot.history.logs, np.sqrt(REFERENCE * fall_energy(snapshot))
        if not len(times) or not energies.any():
            return
        samples = sound_of(slots_of(times, energies, 0, int(duration * SLOTS) + 1), first=int(now * SLOTS))
        self._loudest = max(self._loudest, float(np.abs(samples).max()))
        self._mixer.Sound(buffer=as_words(samples, self._loudest).tobytes()).play()

    def close(self) -> None:
        """Close the mixer."""
        if self._mixer is not None:
            self._mixer.quit()
            self._mixer = None

    def _is_open(self) -> bool:
        if self._mixer is None:
            try:
                from pygame import mixer

                mixer.init(RATE, -16, 1, BUFFER, allowedchanges=0)
                mixer.set_num_channels(CHANNELS)
            except Exception as error:  # no device, no library: of several kinds
                reason = reason_of(error, described(error))
                self.trouble = Message(
                    "This machine plays no sound ({reason}): connect a loudspeaker, or have the sound in a film.",
                    reason=reason,
                )
                return False
            self._mixer, self._at, self._heard = mixer, time.perf_counter(), Heard()
        return True


def fall_energy(snapshot: Snapshot) -> float:
    """Energy of a mean grain that falls by its diameter [J]; 0 without weight or grains."""
    grains = snapshot.grains
    loose = np.isfinite(grains.mass)
    if not loose.any():
        return 0.0
    weight = float(np.mean(grains.mass[loose], dtype=np.float64)) * float(np.linalg.norm(snapshot.geometry.gravity))
    return weight * 2.0 * float(np.mean(grains.radius[loose], dtype=np.float64))
