"""Instruments that are placed: their lines, and what they read beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.colours import Colour, of_category
from repose.app.render.passes import Frame, Pass, Switch, legend
from repose.app.render.passes.push_and_shake import circle_on
from repose.app.render.selection import members_of
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import ShownInstrument
from repose.sim.measure.display import Reading
from repose.sim.message import Message, _, formatted, joined, plain, with_prefix
from repose.sim.parameters import DISPLAY_UNITS

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

INSTRUMENTS = Switch(
    "instruments",
    _("Instruments"),
    _("Lines, halves, boxes, rulers, protractors and probes that were placed, with their values."),
    applies=lambda snapshot: bool(snapshot.geometry.instruments),
)
LINE, HALO = 2.0, 4.5
"""Widths of a line and of the dark or bright rim behind it [units]."""
TEXT, NAME = 0.85, 0.9
"""Sizes of values and names, relative to ordinary text."""
PAD, GAP = 5.0, 10.0
"""Padding of a plate, and its distance from the instrument [units]."""
RING = 1.25
"""Radius of the ring around a probed grain [radii of the grain]."""


SCALED = ("mm", "mm/s")
"""Display units that give way to others for large and small values."""
STRIP = 52.0
"""Height of the scale bar and of the actions at the foot of the picture, which no plate covers [units]."""


def colour_of(shown: ShownInstrument) -> Colour:
    """Its colour in pictures and plots."""
    return of_category(shown.instrument.colour)[:3]


def lines_of(frame: Frame, shown: ShownInstrument) -> list[Floats]:
    """Its lines in the picture [px], each of shape (points, 2); empty if it is not in view."""
    if shown.instrument.grain is not None:
        rows = np.flatnonzero(frame.snapshot.grains.sphere_id == shown.instrument.grain)
        if not rows.size:
            return []
        grains = frame.snapshot.grains
        members = members_of(frame.snapshot, int(rows[0]))
        rings = (circle_on(frame, grains.position[row].astype(float), RING * grains.radius[row]) for row in members)
        lines = [np.asarray(ring, float) for _middle, ring in rings]
    else:
        lines = [np.asarray(frame.camera.world_to_pixel(line, frame.size), float) for line in shown.outline]
    return [line for line in lines if np.isfinite(line).all()]


def value_in_words(reading: Reading) -> Message:
    """A value with a unit whose prefix suits it: 0.8 µm/s instead of 0.0008 mm/s."""
    unit, scale = DISPLAY_UNITS[reading.unit] if reading.unit in SCALED else (reading.unit, 1.0)
    readable = replace(reading, value=scale * reading.value, unit=unit).readable()
    return formatted(readable.value, readable.format, readable.unit)


def words_of(shown: ShownInstrument) -> list[Message]:
    """Its values with units, one line each, and since when it counts."""
    words = []
    for symbol, reading in zip(shown.symbols, shown.readings, strict=True):
        value = value_in_words(reading)
        words.append(joined((symbol, value), " = "))
    if shown.since:
        words.append(Message("since {time}", time=with_prefix(shown.since, "s", 3)))
    return words


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw every instrument, then the plates with their values."""
    seen = [(shown, lines) for shown in frame.snapshot.geometry.instruments if (lines := lines_of(frame, shown))]
    for shown, lines in seen:
        for line in lines:
            canvas.polyline(line, frame.palette.background, HALO, alpha=0.75)
        for line in lines:
            canvas.polyline(line, colour_of(shown), LINE)
    taken = [*frame.covered]
    if (area := legend.plate(frame, canvas)) is not None:
        taken.append(area)
    for shown, lines in seen:
        _draw_plate(frame, canvas, shown, np.concatenate(lines), taken)


def _draw_plate(
    frame: Frame,
    canvas: Canvas,
    shown: ShownInstrument,
    points: Floats,
    taken: list[tuple[float, float, float, float]],
) -> None:
    """Name and values on a plate beside the instrument, where no other plate is, if there is such a place."""
    unit, palette = frame.scale, frame.palette
    rows: list[tuple[Message, float, bool]] = [(plain(shown.instrument.name), NAME, True)]
    rows += [(words, TEXT, False) for words in words_of(shown)]
    extents = [canvas.text_extent(words, size, bold) for words, size, bold in rows]
    pad = PAD * unit
    width, height = max(extent[0] for extent in extents) + 3.0 * pad, sum(extent[1] for extent in extents) + 2.0 * pad
    left, top, right, bottom = frame.free_of_plates
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    gap = GAP * unit
    across, down = (x0 + x1 - width) / 2, (y0 + y1 - height) / 2
    places = [(x1 + gap, down), (x0 - gap - width, down), (across, y0 - gap - height), (across, y1 + gap)]
    sides = x1 + gap, x0 - gap - width
    places += [(x, down + step * (height + gap)) for step in (1, -1, 2, -2, 3, -3) for x in sides]
    places += [(x1 - width, y0 - gap - height), (x1 - width, y1 + gap), (x1 - width - gap, y0 + gap)]

    def inside(place: tuple[float, float]) -> tuple[float, float]:
        x = min(max(place[0], left + pad), max(frame.size[0] - right - width - pad, left + pad))
        return x, min(max(place[1], top + pad), max(frame.size[1] - bottom - STRIP * unit - height, top + pad))

    def overlaps(place: tuple[float, float]) -> float:
        (x, y), area = place, 0.0
        for a, b, c, d in taken:
            area += max(0.0, min(x + width, c) - max(x, a)) * max(0.0, min(y + height, d) - max(y, b))
        return area

    x, y = min((inside(place) for place in places), key=overlaps)
    taken.append((x, y, x + width, y + height))
    canvas.rectangle((x, y), (x + width, y + height), palette.background, alpha=0.82, rounding=4.0)
    canvas.rectangle((x, y), (x + 0.6 * pad, y + height), colour_of(shown), rounding=2.0)
    at = y + pad
    for (words, size, bold), (_width, high) in zip(rows, extents, strict=True):
        canvas.scripted((x + 1.8 * pad, at), words, palette.text, size, bold)
        at += high


PASS = Pass("instruments", order=61, overlay=overlay, switch=INSTRUMENTS)
