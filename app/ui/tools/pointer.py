"""Functions shared by tools of the mouse: the place under the pointer, drags of one command per place, sliders."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from repose.app.render.picking import point_at, sphere_at
from repose.app.ui.toasts import show_toast
from repose.app.ui.tools import Pixel
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import slide
from repose.sim.experiment.commands import Command, Release
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message
from repose.sim.registry import scenes

STILL = 0.25
"""Motion of the pointer below which no command is sent [px]."""
EARTH = 9.81
"""Acceleration of free fall with which tools compare forces and accelerations [m/s²]."""


@dataclass
class Drag:
    """A drag that sends a command for every place of the pointer."""

    make: Callable[[tuple[float, ...]], Command]
    through: tuple[float, ...]
    """A point of the plane in which the pointer moves [m]."""
    refused: int
    """Number of refused pulls and pushes before the press."""
    sphere_id: int | None
    """The grain with which the drag ends; None for a drag of no single grain."""
    offset: tuple[float, ...]
    """Vector from the pointer to the place in the commands [m]."""
    sent: tuple[float, ...] | None = None
    """Place sent last [m]; None before the first."""


@dataclass
class PresentDrag:
    """The drag under way; None if there is none."""

    drag: Drag | None = None


def depth_at(ui: Ui, at: Pixel) -> tuple[float, ...]:
    """A point of the plane in which a pointer pressed here moves [m]: the grain under it, or the middle of the
    scene."""
    snapshot = ui.snapshot
    row = sphere_at(snapshot, ui.view, ui.camera, ui.window.size, at, 0.0)
    if row is not None:
        return tuple(map(float, snapshot.grains.position[row]))
    middle = np.mean(snapshot.geometry.focus or snapshot.geometry.box, axis=0)
    return tuple(map(float, middle))


def place_at(ui: Ui, at: Pixel) -> tuple[float, ...]:
    """The place under a pointer pressed here [m]."""
    return point_at(ui.camera, ui.window.size, at, depth_at(ui, at))


def grain_radius(snapshot: Snapshot) -> float:
    """Mean radius of the movable grains [m]; without grains, the radius of the smallest grain that the scene pours."""
    moving = np.isfinite(snapshot.grains.mass)
    if moving.any():
        return float(snapshot.grains.radius[moving].mean())
    scene = scenes().get(snapshot.run.scene)
    parameters = parameters_of(snapshot.run)
    if scene is None or parameters is None:
        return 1e-3
    radius: float = scene.model.smallest_grain(parameters)[1]
    return radius


def begin_drag(
    ui: Ui, at: Pixel, deed: str, make: Callable[[tuple[float, ...]], Command], row: int | None = None
) -> bool:
    """Begin a drag with the name `deed` for `TakeBack`, and send its first command. With a row, the drag is one of this
    grain, whose centre keeps its distance from the pointer."""
    grains, refused = ui.snapshot.grains, ui.snapshot.messages.refused_drags
    if row is None:
        through, sphere_id = depth_at(ui, at), None
        offset = (0.0,) * len(through)
    else:
        through, sphere_id = tuple(map(float, grains.position[row])), int(grains.sphere_id[row])
        pointer = point_at(ui.camera, ui.window.size, at, through)
        offset = tuple(there - here for there, here in zip(through, pointer, strict=True))
    ui.states[PresentDrag].drag = Drag(make, through, refused, sphere_id, offset)
    ui.control.edits.note(deed)
    return drag_on(ui, at)


def drag_on(ui: Ui, at: Pixel) -> bool:
    """Send the command for the place of the pointer, if it has moved; False once one of these commands is refused or
    the grain has left."""
    drag = ui.states[PresentDrag].drag
    if drag is None or ui.snapshot.messages.refused_drags > drag.refused:
        return False
    if drag.sphere_id is not None and not np.any(ui.snapshot.grains.sphere_id == drag.sphere_id):
        show_toast(
            ui, Message("Grain {sphere_id} has left the scene: nothing is held any more.", sphere_id=drag.sphere_id)
        )
        return False
    pointer = point_at(ui.camera, ui.window.size, at, drag.through)
    position = tuple(here + by for here, by in zip(pointer, drag.offset, strict=True))
    if drag.sent is None or math.dist(position, drag.sent) > STILL * ui.camera.resolution(ui.window.size):
        drag.sent = position
        ui.control.send(drag.make(position))
    return True


def end_drag(ui: Ui) -> None:
    """End the drag and its effect on the grains, if there is one."""
    if ui.states[PresentDrag].drag is not None:
        ui.states[PresentDrag].drag = None
        ui.control.send(Release())


def abandon_drag(ui: Ui) -> None:
    """End the drag after the run has moved to another time, where its pull or push does not act."""
    ui.states[PresentDrag].drag = None


def slide_log(ui: Ui, name: str, texts: tuple[Message, ...], value: float, span: tuple[float, float]) -> float:
    """Draw a slider on a logarithmic scale; returns the value, rounded to two digits if the slider was moved."""
    low, high = span
    decades = math.log10(high / low)
    where = slide(ui, name, texts, math.log10(value / low) / decades, step=0.05)
    return value if where is None else float(f"{low * 10.0 ** (decades * where):.2g}")
