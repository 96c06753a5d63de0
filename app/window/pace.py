"""The pace of the frame loop: no faster than the screen, and counted."""

from __future__ import annotations

FRAME_RATE = 60
"""Frames per second at most, where the screen does not set the pace."""


class Pace:
    """Waits for the next frame where the screen does not, and counts frames per second."""

    def __init__(self, vsync: bool) -> None:
        import pygame

        self._clock = pygame.time.Clock()
        self._limit = 0 if vsync else FRAME_RATE

    def wait(self) -> float:
        """Frames per second, averaged over the last ten."""
        self._clock.tick(self._limit)
        return self._clock.get_fps()
