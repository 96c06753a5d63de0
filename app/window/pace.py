"""Frame rate: measured, limited to the rate of the screen, and on few processors limited for the sake of physics."""

from __future__ import annotations

import time

from repose.app.window.window import FEW_PROCESSORS
from repose.sim.engine.thread_count import available

SCREEN_RATE = 60
"""Frames per second of a usual screen [1/s]."""

SHARE = 0.8
"""Largest share of a processor that frames take where there are few [-]. Frames drawn without a graphics card take
more than a processor at full rate; physics, X server and operating system then have to share the other."""

SMOOTHING = 0.1
"""Weight of the last frame in the mean processor time of a frame [-]."""


class FramePace:
    """Waits for the next frame, and measures frames per second."""

    def __init__(self, vsync: bool) -> None:
        import pygame

        self._clock = pygame.time.Clock()
        self._vsync = vsync
        self._shares = available() <= FEW_PROCESSORS
        self._cost = 0.0
        """Mean processor time of a frame in this thread [s]."""
        self._before = time.thread_time()
        self.is_limited = False
        """Whether the processor time of frames limits their rate."""

    def wait(self, most: int) -> float:
        """Wait until the next frame is due at `most` frames per second [1/s]; frames per second, averaged over the last
        ten."""
        now = time.thread_time()
        self._cost += SMOOTHING * (now - self._before - self._cost)
        limit = rate_limit(self._cost, most) if self._shares else most
        self.is_limited = limit < most
        # Vertical synchronisation waits by itself for the frames of the screen.
        self._clock.tick(0.0 if self._vsync and limit >= SCREEN_RATE else limit)
        self._before = time.thread_time()
        return self._clock.get_fps()


def rate_limit(cost: float, most: int) -> float:
    """Largest number of frames per second [1/s], at most `most`, for a processor time of `cost` per frame [s]."""
    return SHARE / cost if cost * most > SHARE else most
