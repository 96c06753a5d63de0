"""Where the picture looks: at everything until the user has moved it, then where the user left it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.camera import Box, Camera2D, Inset, Size
from app.framing import close_up, whole_scene

if TYPE_CHECKING:
    import pygame

    from app.panels import Ui

LEGEND_ROOM, SCALE_BAR_ROOM = 84.0, 52.0
"""Room kept free above and below the scene when all of it is shown [px at scale 1]."""
GLIDE = 0.2
"""Share of the way to a new view covered in one frame."""
ZOOM = 1.12
"""Magnification of one notch of the wheel."""


@dataclass
class Aim:
    """Keeps everything in view while window and scene change, and obeys the mouse."""

    everything: bool = True
    """True while the whole scene is shown."""
    _shown: object = None
    _box: Box | None = None
    _dragging: bool = False

    def show_everything(self) -> None:
        """Look at the whole scene again."""
        self.everything, self._shown = True, None

    def follow(self, ui: Ui) -> None:
        """Frame the scene, or the heap once it has been measured, gliding from one to the other."""
        if not self.everything or not ui.snapshot.serial:
            return
        scene = ui.snapshot
        target = whole_scene(scene) if scene.measurement is None else close_up(scene)
        self._box = _glide(self._box, target)
        wanted = (self._box, ui.size, ui.inset, ui.scale)
        if wanted != self._shown:
            left, top, right, bottom = ui.inset
            room: Inset = (left, top + LEGEND_ROOM * ui.scale, right, bottom + SCALE_BAR_ROOM * ui.scale)
            ui.camera.frame(self._box, ui.size, room, margin=0.03)
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


def _glide(box: Box | None, target: Box) -> Box:
    """A step from one view towards another; the target itself once the rest of the way would not be seen."""
    if box is None:
        return target
    (x0, y0), (x1, y1) = target
    near = 1e-3 * max(x1 - x0, y1 - y0)
    if (
        max(abs(a - b) for ours, theirs in zip(box, target, strict=True) for a, b in zip(ours, theirs, strict=True))
        < near
    ):
        return target
    low, high = (
        tuple(a + GLIDE * (b - a) for a, b in zip(ours, theirs, strict=True))
        for ours, theirs in zip(box, target, strict=True)
    )
    return (low[0], low[1]), (high[0], high[1])
