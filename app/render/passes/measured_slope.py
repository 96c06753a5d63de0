"""The measured slope, drawn on the heap: fitted line, angle with its error, and the grains of the fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.app.render.passes.discs import disc_rows
from repose.app.render.passes.displacement import DISPLACEMENT
from repose.app.render.passes.legend import plate
from repose.sim.experiment.experiment import Course
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.message import EMPTY, Message, Number, _, formatted, joined
from repose.sim.registry import scenes

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas


def measures_slope(snapshot: Snapshot) -> bool:
    """Whether the scene shown fits a line to a slope."""
    scene = scenes().get(snapshot.run.scene)
    return scene is not None and scene.course.measure is not Course.measure


SLOPE = Switch(
    "measurement",
    _("Measured slope"),
    _("Fitted line, its angle, and rings around the grains used for the fit."),
    applies=measures_slope,
)
NUMBER, NUMBER_IN_FILM = 2.4, 3.6
"""Size of the number, relative to ordinary text, in the window and in a film, which may be shown small."""
DIGIT = 0.727 * 16.0
"""Height of a digit of ordinary text: share of the font's size, times that size [units]."""
PAD = 10.0
"""Least distance of the number from the edges of the picture [units]."""
ERROR_WORDS = 1.1
"""Size of the line that names the kind of error, relative to ordinary text."""
PLATE = 0.85
"""Opacity of the plate behind the number where arrows cross its place [-]."""
BEYOND = 0.02
"""Extension of the line at its upper end [lengths of the fitted interval]."""


def _measured(frame: Frame) -> SurfaceSlope | None:
    measurement = frame.snapshot.results.slope
    if measurement is None or not math.isfinite(measurement.angle):
        return None
    return measurement


def rings(frame: Frame) -> Floats | None:
    """A ring around each grain used for the fit."""
    measurement = _measured(frame)
    if measurement is None:
        return None
    snapshot = frame.snapshot
    used = np.isin(snapshot.grains.sphere_id, measurement.used_ids)
    pixel = frame.metres_per_pixel
    ring = disc_rows(snapshot.grains.position[used], snapshot.grains.radius[used])
    # At least one pixel wide, and narrow enough to leave the colour of the grain visible.
    ring[:, 11] = np.clip(0.18 * snapshot.grains.radius[used] / pixel, 1.0, 1.6 * frame.scale)
    ring[:, 7:10] = to_linear(frame.palette.mark)
    ring[:, 10] = 1.0
    # A second ring in the colour of the background separates the ring from grains of a similar colour.
    shadow = ring.copy()
    shadow[:, 11] *= 2.0
    shadow[:, 7:10] = to_linear(frame.palette.background)
    return np.concatenate((shadow, ring))


def number_size(frame: Frame, canvas: Canvas, text: Message) -> float:
    """Size of the number, relative to ordinary text; in a presentation it follows the height of the picture. It fits
    into a narrow picture."""
    least = frame.view.letters * frame.size[1] / (DIGIT * frame.scale)
    size = max(NUMBER if frame.film is None else NUMBER_IN_FILM, least)
    room = frame.size[0] - frame.inset[0] - frame.free_of_plates[2] - 2.0 * PAD * frame.scale
    return size * min(1.0, max(room, 1.0) / max(canvas.text_extent(text, size, bold=True)[0], 1.0))


def label(measurement: SurfaceSlope) -> Message:
    """The angle with its error, such as "13.0° ± 0.5°"."""
    angle, error = math.degrees(measurement.angle), math.degrees(measurement.standard_error)
    text = formatted(abs(angle), ".1f", "°")
    if round(angle, 1) < 0.0:
        text = joined(("−", text), "")
    return joined((text, Number(error, "°", ".1f")), " ± ") if math.isfinite(error) else text


def label_extent(frame: Frame, canvas: Canvas, measurement: SurfaceSlope) -> tuple[float, float]:
    """Width and height of the number and the line below it [pixel]."""
    text = label(measurement)
    number = canvas.text_extent(text, number_size(frame, canvas, text), bold=True)
    words = canvas.text_extent(error_words(measurement), ERROR_WORDS)
    return max(number[0], words[0]), number[1] + (words[1] if error_words(measurement) else 0.0)


def error_words(measurement: SurfaceSlope) -> Message:
    """The kind of error, such as "± of the line fit"; empty without an error."""
    return (
        Message("± of the {error_of}", error_of=measurement.error_of)
        if math.isfinite(measurement.standard_error)
        else EMPTY
    )


def place_label(frame: Frame, canvas: Canvas, extent: tuple[float, float], x: float, y: float) -> tuple[float, float]:
    """Middle and upper edge of a label of this extent [pixel]: `x` and `y`, moved into the free part and away from the
    legend."""
    (width, height), (left, above, right, below), pad = extent, frame.free_of_plates, PAD * frame.scale
    x = min(max(x, left + pad + width / 2), frame.size[0] - right - pad - width / 2)
    y = min(max(y, above + pad), frame.size[1] - below - pad - height)
    legend = plate(frame, canvas)
    if legend is None or y >= legend[3] or x + width / 2 <= legend[0]:
        return x, y
    beside = legend[0] - width / 2
    return (beside, y) if beside - width / 2 >= left + pad else (x, legend[3])


def write_label(frame: Frame, canvas: Canvas, measurement: SurfaceSlope, x: float, y: float) -> None:
    """Draw the number, centred at `x` with its top at `y` [pixel], or away from the legend, and below it the kind of
    error."""
    if frame.film is not None and frame.film.result:
        return  # the answer at the end of a film states it, and stands where it would be
    x, y = place_label(frame, canvas, label_extent(frame, canvas, measurement), x, y)
    text, palette = label(measurement), frame.palette
    size = number_size(frame, canvas, text)
    (wide, high), pad = label_extent(frame, canvas, measurement), 0.5 * PAD * frame.scale
    low, end = (x - wide / 2 - pad, y - pad), (x + wide / 2 + pad, y + high + pad)
    canvas.taken.append((*low, *end))
    if frame.shows(DISPLACEMENT):  # arrows of grains that have moved far cross the place of the number
        canvas.rectangle(low, end, palette.background, PLATE, 6.0)
    canvas.text((x, y), text, palette.text, size, bold=True, anchor=(0.5, 0.0), halo=palette.background)
    y += canvas.text_extent(text, size, bold=True)[1]
    words = error_words(measurement)
    canvas.text((x, y), words, palette.faint, ERROR_WORDS, anchor=(0.5, 0.0), halo=palette.background)


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the fitted line, a horizontal line from its foot, the arc between them and the number."""
    measurement = _measured(frame)
    if measurement is None:
        return
    palette, unit = frame.palette, frame.scale
    x0, x1 = measurement.x_range
    stretch = x1 - x0
    foot_x, top_x = (x1, x0) if measurement.angle >= 0.0 else (x0, x1)
    outward = math.copysign(1.0, foot_x - top_x)
    xs = np.array((top_x - outward * BEYOND * stretch, foot_x))
    ends = frame.camera.world_to_pixel(
        np.column_stack((xs, measurement.intercept + measurement.slope * xs)), frame.size
    )
    top, foot = ends
    length = float(np.hypot(*(top - foot)))
    if not math.isfinite(length) or length < 8.0 * unit:
        return
    reach = min(0.42 * length, 190.0 * unit)
    # The slope is measured from the table, which may be drawn tilted.
    cos, sin = math.cos(frame.tilt), math.sin(frame.tilt)
    table = np.array(((cos, sin), (-sin, cos)))
    level = np.array((foot, foot - np.array((outward * reach * 1.15, 0.0)) @ table))
    tilt = abs(measurement.angle)
    turn = np.linspace(0.0, tilt, 25)
    arc = foot + reach * np.column_stack((-outward * np.cos(turn), -np.sin(turn))) @ table
    for line, width in ((ends, 2.2), (level, 1.4), (arc, 2.2)):
        canvas.polyline(line, palette.background, width + 3.0, alpha=0.65)
    canvas.polyline(ends, palette.mark, 2.2)
    canvas.polyline(level, palette.mark, 1.4)
    canvas.polyline(arc, palette.mark, 2.2)
    _write_angle(frame, canvas, measurement, top, foot)


def _write_angle(frame: Frame, canvas: Canvas, measurement: SurfaceSlope, top: Floats, foot: Floats) -> None:
    """Draw the number above the grains of the slope, inside the part of the window without panels."""
    width, height = label_extent(frame, canvas, measurement)
    pad = PAD * frame.scale
    x = place_label(frame, canvas, (width, 0.0), top[0] + 0.62 * (foot[0] - top[0]), math.inf)[0]
    y = top[1] + 0.62 * (foot[1] - top[1])
    snapshot = frame.snapshot
    moving = ~snapshot.grains.fixed
    centres = frame.camera.world_to_pixel(snapshot.grains.position[moving, :2], frame.size)
    radii = snapshot.grains.radius[moving] / frame.metres_per_pixel
    under = np.abs(centres[:, 0] - x) < width / 2 + radii + pad
    if under.any():
        y = min(y, float((centres[under, 1] - radii[under]).min()))
    write_label(frame, canvas, measurement, x, y - height - 0.6 * pad)


PASS = Pass(
    "measurement",
    order=40,
    shader="discs",
    attributes=(2, 1, 4, 4, 1),
    instances=rings,
    overlay=overlay,
    dimensions=(2,),
    switch=SLOPE,
)
