"""Actions of the mouse on the grains, except the pull: rod or soft push with its force, and the shaking table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.orbit import Camera3D
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.pull_thread import LONGEST, THREAD, WIDTH, draw_arrow
from repose.sim.message import Message, Number, length_text, with_prefix

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

CIRCLE = 48
"""Number of corners of a circle, and of parts of a dashed circle."""
SOFT = 3
"""Length of a dash of the circle of a soft push [parts of the circle]."""
SWING = 26.0
"""Half the length of the line on which a mark oscillates for the shaking [units]."""
MARK = 5.0
"""Radius of this mark [units]."""
PAD = 6.0
"""Edge of the plate around the words [units]."""
ABOVE = 96.0
"""Height of the sign of the shaking above the lower edge of the free picture, over actions and scale bar [units]."""
EARTH = 9.81
"""Acceleration of free fall, the unit of the acceleration of the table [m/s²]."""


def circle_on(frame: Frame, centre: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Centre and outline of a disc or sphere in the picture [px], shapes (2,) and (CIRCLE + 1, 2)."""
    middle = np.asarray(frame.camera.world_to_pixel(centre, frame.size), float)
    ring = np.linspace(0.0, math.tau, CIRCLE + 1)
    scale = frame.metres_per_pixel
    if isinstance(frame.camera, Camera3D):
        scale = float(frame.camera.depth(centre[None, :])[0]) / frame.camera.focal(frame.size)
    return middle, middle + radius / scale * np.column_stack((np.cos(ring), np.sin(ring)))


def draw_push(frame: Frame, canvas: Canvas) -> None:
    """Draw the rod as a circle, with the force of the grains on the rod; a soft push as a dashed circle."""
    push = frame.snapshot.hand.push
    if push is None or not push.radius > 0.0:
        return
    centre, force = np.array(push.position), np.array(push.force)
    middle, outline = circle_on(frame, centre, push.radius)
    if not np.isfinite(outline).all():
        return
    if push.rigid:
        canvas.polyline(outline, frame.palette.text, WIDTH)
    else:
        for k in range(0, CIRCLE, 2 * SOFT):
            canvas.polyline(outline[k : k + SOFT + 1], frame.palette.text, THREAD)
    size = float(np.linalg.norm(force))
    if size > 0.0 and push.rigid:
        step = frame.metres_per_pixel * force / size
        beside = np.asarray(frame.camera.world_to_pixel(centre + step, frame.size), float)
        along = (beside - middle) / max(float(np.linalg.norm(beside - middle)), np.finfo(float).tiny)
        draw_arrow(frame, canvas, middle, along, 0.5 * LONGEST * frame.scale, with_prefix(size, "N", 3))


def draw_shaking(frame: Frame, canvas: Canvas) -> None:
    """Draw a line with an oscillating mark, and amplitude, frequency and acceleration on a plate, because grains and
    base can be behind the words."""
    shaking = frame.snapshot.hand.shaking
    if shaking is None:
        return
    __, __, right, bottom = frame.free_of_plates
    unit, ink, plate = frame.scale, frame.palette.text, frame.palette.background
    position = np.array((frame.size[0] - right - 2.0 * SWING * unit, frame.size[1] - bottom - ABOVE * unit))
    along = np.array((shaking.direction[0], -shaking.direction[-1]))
    words = Message(
        "shaken: {amplitude}, {frequency} Hz, up to {acceleration} g",
        amplitude=length_text(shaking.amplitude),
        frequency=Number(shaking.frequency, format="g"),
        acceleration=Number(shaking.acceleration / EARTH, format=".2g"),
    )
    last, (wide, high) = float(position[0]) - (SWING + 14.0) * unit, canvas.text_extent(words)
    pad, half = PAD * unit, 0.5 * high
    low, end = (last - wide - pad, float(position[1]) - half - pad), (last + pad, float(position[1]) + half + pad)
    canvas.rectangle(low, end, plate, 0.82, 6.0)
    canvas.polyline(
        np.array((position - SWING * unit * along, position + SWING * unit * along)), frame.palette.faint, WIDTH
    )
    mark = position - shaking.phase * SWING * unit * along  # the table is at -A at the beginning of its motion
    ring = np.linspace(0.0, math.tau, 17)
    canvas.polyline(mark + MARK * unit * np.column_stack((np.cos(ring), np.sin(ring))), frame.palette.chain, WIDTH)
    canvas.text((last, float(position[1])), words, ink, anchor=(1.0, 0.5), halo=plate)


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw push and shaking, if they act."""
    draw_push(frame, canvas)
    draw_shaking(frame, canvas)


PASS = Pass("hand", order=63, overlay=overlay)
