"""Turning the glass with the mouse: the picture follows the pointer; the release turns the experiment.

During the drag only the picture rotates, as a rigid body; no physics is computed. After the release the action of the
scene turns the experiment. After a release before 90° the picture returns.
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
"""Fraction of the remaining angle covered in one frame after the release."""
ARRIVED = math.radians(0.5)
"""Remaining angle below which the rotation ends [rad]."""
PATIENCE = 300
"""Number of frames to wait for the turn of the experiment before the picture shows its state again."""
ALONG = 0.6
"""Cosine between axis and direction of view above which the pointer turns the glass around the axis."""


@dataclass
class Turning:
    """Angle of the picture, and whether the user is turning it."""

    angle: float = 0.0
    """Angle about the x axis [rad]."""
    dragged: bool = False
    """True during a drag."""
    _ctrl: bool = False
    _waited: int = 0
    """Number of frames since the command to turn was sent; 0 without a command."""

    def handle(self, event: pygame.Event, ui: Ui, free: bool) -> bool:
        """Turn with a Ctrl-drag; True if the event was used. `free` is False if the pointer is on a panel."""
        import pygame

        if event.type in (pygame.KEYDOWN, pygame.KEYUP):
            self._ctrl = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and self._ctrl and free:
            self.dragged = not self._waited and turnable(ui.snapshot) is not None
            return self.dragged
        elif event.type == pygame.MOUSEBUTTONUP and self.dragged:
            self.dragged = False
            return True
        elif event.type == pygame.WINDOWFOCUSLOST:  # another window or a dialog may get the release
            self._ctrl = self.dragged = False
        elif event.type == pygame.MOUSEMOTION and self.dragged:
            self._drag(event.rel, event.pos, ui)
            return True
        return False

    def update(self, ui: Ui) -> None:
        """One frame: rotate back or to half a turn, then send the command and wait for its effect."""
        action = turnable(ui.snapshot)
        if self._waited:
            self._waited += 1
            if action is None or self._waited > PATIENCE:
                self.angle, self._waited = 0.0, 0
        elif action is None:
            self.angle, self.dragged = 0.0, False
        elif not self.dragged and self.angle:
            goal = math.copysign(math.pi, self.angle) if abs(self.angle) > math.pi / 2 else 0.0
            self.angle += GLIDE * (goal - self.angle)
            if abs(goal - self.angle) < ARRIVED:
                self.angle = goal
                if goal:
                    ui.control.send(Act(action.name))
                    self._waited = 1

    def picture(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot rotated by the present angle; only what is drawn changes."""
        action = turnable(snapshot)
        if action is None or action.pivot is None or not self.angle:
            return snapshot
        return turned(snapshot, action.pivot, self.angle)

    def _drag(self, moved: tuple[float, float], mouse: tuple[float, float], ui: Ui) -> None:
        action = turnable(ui.snapshot)
        if action is None or action.pivot is None or not isinstance(ui.camera, Camera3D):
            return
        self.angle += swept(ui.camera, ui.window.size, action.pivot, mouse, moved, ui.snapshot.geometry.box)
        self.angle = max(-math.pi, min(math.pi, self.angle))


def turnable(snapshot: Snapshot) -> Action | None:
    """The action that turning the picture triggers now, or None."""
    return next((action for action in snapshot.run.actions if action.pivot is not None and action.enabled), None)


def swept(
    camera: Camera3D,
    size: Size,
    pivot: tuple[float, float, float],
    mouse: tuple[float, float],
    moved: tuple[float, float],
    box: tuple[tuple[float, ...], tuple[float, ...]],
) -> float:
    """Angle by which a pointer that has `moved` [pixel] to `mouse` turns the content of `box` [m] about the x axis
    [rad].

    In a view along the axis it is the angle of the pointer around the pivot; in a view from the side the near face
    follows the pointer up and down, 180° over the height of the box.
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
    """The snapshot in space to draw, rotated about the x axis through `pivot` [m] by `angle` [rad]."""
    cos, sin = math.cos(angle), math.sin(angle)
    rotation = np.array(((1.0, 0.0, 0.0), (0.0, cos, -sin), (0.0, sin, cos)), np.float32)
    centre = np.array(pivot, np.float32)

    def moved(points: np.ndarray) -> np.ndarray:
        result: np.ndarray = ((points - centre) @ rotation.T + centre).astype(np.float32)
        return result

    ends = moved(snapshot.contacts.ends.reshape(-1, 3)).reshape(-1, 6)
    orientation = snapshot.grains.orientation
    if orientation.size:
        w, x, y, z = orientation.T
        c, s = math.cos(0.5 * angle), math.sin(0.5 * angle)
        orientation = np.column_stack((c * w - s * x, c * x + s * w, c * y - s * z, c * z + s * y)).astype(np.float32)
    return replace(
        snapshot,
        grains=replace(snapshot.grains, position=moved(snapshot.grains.position), orientation=orientation),
        geometry=replace(snapshot.geometry, facets=moved(snapshot.geometry.facets)),
        # Forces and pull are drawn again once the experiment itself has turned.
        contacts=replace(snapshot.contacts, ends=ends, forces=None),
        hand=replace(snapshot.hand, pull=None),
    )
