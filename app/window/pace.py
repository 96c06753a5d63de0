"""Frame rate: limited to that of the screen and to what physics leaves of few processors, and measured."""

from __future__ import annotations

import time

from repose.app.window.window import FEW_PROCESSORS
from repose.sim.engine.thread_count import available

FRAME_RATE = 60.0
"""Largest number of frames per second without vertical synchronisation."""

SHARE = 0.6
"""Largest share of a processor that frames take where there are few [-]. Frames drawn without a graphics card take
more than a processor at full rate; physics, X server and operating system then have to share the other."""

SMOOTHING = 0.1
"""Weight of the last frame in the mean processor time of a frame [-]."""


class Pace:
    """Waits for the next frame, and measures frames per second."""

    def __init__(self, vsync: bool) -> None:
        import pygame

        self._clock = pygame.time.Clock()
        self._full = 0.0 if vsync else FRAME_RATE
        self._shares = available() <= FEW_PROCESSORS
        self._cost = 0.0
        """Mean processor time of a frame in this thread [s]."""
        self._before = time.thread_time()

    def wait(self) -> float:
        """Frames per second, averaged over the last ten."""
        now = time.thread_time()
        self._cost += SMOOTHING * (now - self._before - self._cost)
        self._clock.tick(rate_limit(self._cost) or self._full if self._shares else self._full)
        self._before = time.thread_time()
        return self._clock.get_fps()


def rate_limit(cost: float) -> float:
    """Largest number of frames per second for a processor time of `cost` per frame [s]; 0 if it is that of the
    screen."""
    return SHARE / cost if cost * FRAME_RATE > SHARE else 0.0
