"""Where the picture looks: at everything until the user has moved it, then where the user left it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.camera import Camera2D, Inset, Size

if TYPE_CHECKING:
    import pygame

    from app.panels import Ui

LEGEND_ROOM, SCALE_BAR_ROOM = 84.0, 52.0
"""Room kept free above and below the scene when all of it is shown [px at scale 1]."""
ZOOM = 1.12
"""Magnification of one notch of the wheel."""


@dataclass
class Aim:
    """Keeps everything in view while window and scene change, and obeys the mouse."""

    everything: bool = True
    """True while the whole scene is shown."""
    _shown: object = None
    _dragging: bool = False

    def show_everything(self) -> None:
        """Look at the whole scene again."""
        self.everything, self._shown = True, None

    def follow(self, ui: Ui) -> None:
        """Frame the scene anew if window, panels or scene have changed."""
        wanted = (ui.snapshot.box, ui.size, ui.inset, ui.scale)
        if self.everything and wanted != self._shown and ui.snapshot.serial:
            left, top, right, bottom = ui.inset
            room: Inset = (left, top + LEGEND_ROOM * ui.scale, right, bottom + SCALE_BAR_ROOM * ui.scale)
            ui.camera.frame(ui.snapshot.box, ui.size, room, margin=0.03)
            self._shown = wanted

    def obey(self, event: pygame.Event, camera: Camera2D, size: Size, mouse: tuple[float, float], free: bool) -> None:
        """Drag to pan, wheel to zoom at the pointer; `free` is False while a panel has the mouse."""
        import pygame

        if event.type == pygame.MOUSEBUTTONDOWN and event.button <= 3:
            self._dragging = free
        elif event.type == pygame.MOUSEBUTTONUP:
            self._dragging = False
        elif event.type == pygame.MOUSEMOTION and self._dragging and any(event.buttons):
            camera.pan(*event.rel)
            self.everything = False
        elif event.type == pygame.MOUSEWHEEL and free:
            camera.zoom(ZOOM**event.precise_y, mouse, size)
            self.everything = False

    def for_film(self, ui: Ui, size: Size) -> Camera2D | None:
        """The camera of a film of that size: None for everything, else what the window shows between its panels."""
        if self.everything:
            return None
        left, top, right, bottom = ui.inset
        width, height = max(ui.size[0] - left - right, 1.0), max(ui.size[1] - top - bottom, 1.0)
        x, y = ui.camera.pixel_to_world((left + width / 2, top + height / 2), ui.size)
        return Camera2D((float(x), float(y)), ui.camera.metres_per_pixel * max(width / size[0], height / size[1]))
