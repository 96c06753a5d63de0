"""Frame rate: limited to that of the screen, and measured."""

from __future__ import annotations

FRAME_RATE = 60
"""Largest number of frames per second without vertical synchronisation."""


class Pace:
    """Waits for the next frame without vertical synchronisation, and measures frames per second."""

    def __init__(self, vsync: bool) -> None:
        import pygame

        self._clock = pygame.time.Clock()
        self._limit = 0 if vsync else FRAME_RATE

    def wait(self) -> float:
        """Frames per second, averaged over the last ten."""
        self._clock.tick(self._limit)
        return self._clock.get_fps()
