"""Turning the glass by hand: the picture follows the pointer, and the experiment is turned once it is let go.

Nothing is computed on the way: grains and glass turn as one stiff body, whose grains lie as they lay, and the scene's
own action does the rest. Let go before half of the way, everything swings back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.camera import Size
from repose.app.render.orbit import Camera3D
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Act
from repose.sim.experiment.snapshot import Action, Snapshot

if TYPE_CHECKING:
    import pygame

GLIDE = 0.2
"""Share of the rest of the way covered in one frame once the glass has been let go."""
ARRIVED = math.radians(0.5)
"""Where the glide ends: nothing more of it could be seen [rad]."""
PATIENCE = 300
"""Frames to wait for the experiment to be turned before the picture shows it as it is."""
ALONG = 0.6
"""How far the axis must point at the eye for the pointer to turn it like the hand of a clock [cosine]."""


@dataclass
class Turning:
    """How far the picture is turned, and by whom."""

    angle: float = 0.0
    """About the x axis [rad]."""
    held: bool = False
    """True while the hand turns it."""
    _ctrl: bool = False
    _waited: int = 0
    """Frames since the experiment was asked to turn; 0 while it has not been."""

    def obey(self, event: pygame.Event, ui: Ui, free: bool) -> bool:
        """Turn under a Ctrl-drag; True if the event was meant for this. `free` is False while a panel has the mouse."""
        import pygame

        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            self._ctrl = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and self._ctrl and free:
            self.held = not self._waited and turnable(ui.snapshot) is not None
            return self.held
        elif event.type == pygame.MOUSEBUTTONUP and self.held:
            self.held = False
            return True
        elif event.type == pygame.MOUSEMOTION and self.held:
            self._drag(event.rel, event.pos, ui)
            return True
        return False

    def follow(self, ui: Ui) -> None:
        """One frame: swing back or over, ask the experiment to turn, show it once it has."""
        action = turnable(ui.snapshot)
        if self._waited:
            self._waited += 1
            if action is None or self._waited > PATIENCE:
                self.angle, self._waited = 0.0, 0
        elif action is None:
            self.angle, self.held = 0.0, False
        elif not self.held and self.angle:
            goal = math.copysign(math.pi, self.angle) if abs(self.angle) > math.pi / 2 else 0.0
            self.angle += GLIDE * (goal - self.angle)
            if abs(goal - self.angle) < ARRIVED:
                self.angle = goal
                if goal:
                    ui.send(Act(action.name))
                    self._waited = 1

    def picture(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot as the hand holds it: what is drawn turns, nothing else changes."""
        action = turnable(snapshot)
        if action is None or action.pivot is None or not self.angle:
            return snapshot
        return turned(snapshot, action.pivot, self.angle)

    def _drag(self, moved: tuple[float, float], mouse: tuple[float, float], ui: Ui) -> None:
        action = turnable(ui.snapshot)
        if action is None or action.pivot is None or not isinstance(ui.camera, Camera3D):
            return
        self.angle += swept(ui.camera, ui.size, action.pivot, mouse, moved, ui.snapshot.box)
        self.angle = max(-math.pi, min(math.pi, self.angle))


def turnable(snapshot: Snapshot) -> Action | None:
    """The action that can be done by turning the picture now, if there is one."""
    return next((action for action in snapshot.actions if action.pivot is not None and action.enabled), None)


def swept(
    camera: Camera3D,
    size: Size,
    pivot: tuple[float, float, float],
    mouse: tuple[float, float],
    moved: tuple[float, float],
    box: tuple[tuple[float, ...], tuple[float, ...]],
) -> float:
    """How far a pointer that has `moved` [pixel] to `mouse` turns what is in `box` [m] about the x axis [rad].

    Seen along the axis it is the angle swept around the pivot; seen from its side the near face follows the hand up
    and down, half a turn over the height of the box.
    """
    facing = float(camera.axes()[2, 0])
    if abs(facing) > ALONG:
        centre = camera.world_to_pixel(pivot, size)
        now, before = np.array(mouse) - centre, np.array(mouse) - moved - centre
        # Pixels count downwards: the sign makes a counter-clockwise sweep positive when the axis points at the eye.
        angle = math.atan2(before[0] * -now[1] + before[1] * now[0], float(before @ now))
        return math.copysign(1.0, facing) * angle
    height = (box[1][2] - box[0][2]) / camera.resolution(size)
    # About +x the near face, the one at -y for an eye at -y, goes down.
    return math.copysign(math.pi, -float(camera.axes()[2, 1])) * moved[1] / max(height, 1.0)


def turned(snapshot: Snapshot, pivot: tuple[float, float, float], angle: float) -> Snapshot:
    """What is drawn of a snapshot in space, rotated about the x axis through `pivot` [m] by `angle` [rad]."""
    cos, sin = math.cos(angle), math.sin(angle)
    rotation = np.array(((1.0, 0.0, 0.0), (0.0, cos, -sin), (0.0, sin, cos)), np.float32)
    centre = np.array(pivot, np.float32)

    def moved(points: np.ndarray) -> np.ndarray:
        result: np.ndarray = ((points - centre) @ rotation.T + centre).astype(np.float32)
        return result

    ends = moved(snapshot.contact_ends.reshape(-1, 3)).reshape(-1, 6)
    orientation = snapshot.orientation
    if orientation.size:
        w, x, y, z = orientation.T
        c, s = math.cos(0.5 * angle), math.sin(0.5 * angle)
        orientation = np.column_stack((c * w - s * x, c * x + s * w, c * y - s * z, c * z + s * y)).astype(np.float32)
    return replace(
        snapshot,
        position=moved(snapshot.position),
        facets=moved(snapshot.facets),
        contact_ends=ends,
        orientation=orientation,
    )
