"""Instruments that are placed: their lines, and what they read beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.colours import Colour, of_category
from repose.app.render.passes import Frame, Pass, Switch, legend, triad
from repose.app.render.passes.caption import result_foot
from repose.app.render.passes.push_and_shake import circle_on
from repose.app.render.passes.scale_bar import SCALE_BAR
from repose.app.render.selection import members_of
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import ShownInstrument, Snapshot
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
LEADING = 1.12
"""Height of a line of text over that of its letters [-]: the indices of one line do not touch the next one."""
PAD, GAP = 5.0, 10.0
"""Padding of a plate, and its distance from the instrument [units]."""
RING = 1.25
"""Radius of the ring around a probed grain [radii of the grain, of a body of the circle around its members]."""


SCALED = ("mm", "mm/s")
"""Display units that give way to others for large and small values."""
THIN = 1.0
"""Width of the line from a plate to an instrument that is farther away [units]."""
CELL = 8.0
"""Side of a cell of the grid that says where grains and lines are [units]."""
LINE_COUNTS, PLATE_COUNTS, FAR = 4.0, 20.0, 0.015
"""What a plate avoids: a cell with a line counts as so many with grains, a plate below as so many times its area; and
the share of a plate that grains may cover per height of distance from the instrument [-]."""
MOST_POINTS = 400
"""Points along one section of a line that are looked at; more are outside the picture."""
WAYS, COLUMNS = 6, 9
"""Number of places above and below the middle, in steps of half a plate, and across the picture, that are tried."""
STRIP = 52.0
"""Height of the scale bar and of the actions at the foot of the picture, which no plate covers [units]."""


def colour_of(shown: ShownInstrument) -> Colour:
    """Its colour in pictures and plots."""
    return of_category(shown.instrument.colour)[:3]


def ring_around(snapshot: Snapshot, grain: int) -> tuple[Floats, float] | None:
    """Centre and radius of the ring around a probed grain, the sphere of this id or the body that it belongs to [m];
    None if it has left."""
    grains = snapshot.grains
    rows = np.flatnonzero(grains.sphere_id == grain)
    if not rows.size:
        return None
    members = members_of(snapshot, int(rows[0]))
    places, radii = grains.position[members].astype(float), grains.radius[members].astype(float)
    middle = places.mean(axis=0)
    return middle, RING * float((np.linalg.norm(places - middle, axis=1) + radii).max())


def lines_of(frame: Frame, shown: ShownInstrument) -> list[Floats]:
    """Its lines in the picture [px], each of shape (points, 2); empty if it is not in view."""
    if shown.instrument.grain is not None:
        if (ring := ring_around(frame.snapshot, shown.instrument.grain)) is None:
            return []
        lines = [np.asarray(circle_on(frame, *ring)[1], float)]
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
    taken = [*frame.covered, *canvas.taken]
    if (area := legend.plate(frame, canvas)) is not None:
        taken.append(area)
    if frame.snapshot.grains.position.shape[1] == 3 and SCALE_BAR.is_on(frame.view):
        taken.append(triad.area_of(frame))
    if frame.film is not None and frame.film.result:
        above = area[3] if area is not None else 0.0
        taken.append((0.0, 0.0, frame.size[0], result_foot(frame.film.result, frame.size, frame.scale, above)))
    grains, cell = frame.snapshot.grains, CELL * frame.scale
    centres = np.asarray(frame.camera.world_to_pixel(grains.position.astype(float), frame.size), float)
    radius = grains.radius.astype(float) / frame.metres_per_pixel
    ground = ground_of(frame.size, cell, centres, radius, [line for _shown, lines in seen for line in lines])
    for shown, lines in seen:
        points = np.concatenate([_points_along(line, 4.0 * ground.cell) for line in lines])
        _draw_plate(frame, canvas, shown, points, taken, ground)


@dataclass(frozen=True)
class Ground:
    """What plates should leave free: how much of each rectangle from the upper left corner grains and lines cover."""

    cell: float
    """Side of a cell [px]."""
    sums: Floats
    """Covered area above and to the left of each corner of a cell [px²], shape (columns + 1, rows + 1)."""

    def under(self, x: float, y: float, width: float, height: float) -> float:
        """Covered area of a rectangle [px²], whole cells that it touches."""
        limit = np.array(self.sums.shape) - 1
        (a, b), (c, d) = (
            np.clip(np.floor(np.array((x, y)) / self.cell).astype(int), 0, limit),
            np.clip(np.ceil(np.array((x + width, y + height)) / self.cell).astype(int), 0, limit),
        )
        return float(self.sums[c, d] - self.sums[a, d] - self.sums[c, b] + self.sums[a, b])


def ground_of(size: tuple[int, int], cell: float, seen: Floats, radius: Floats, lines: list[Floats]) -> Ground:
    """Grains, by centre and radius, and the lines of all instruments [px] on a grid over a picture of this size."""
    shape = tuple(math.ceil(side / cell) for side in size)
    areas = math.pi * radius**2
    places, weights = [seen], [areas]
    for line in lines:
        along = _points_along(line, cell)
        places.append(along)
        weights.append(np.full(len(along), LINE_COUNTS * cell * cell))
    at, weight = np.concatenate(places), np.concatenate(weights)
    index = np.floor(at / cell)
    inside = np.isfinite(at).all(axis=1) & (index >= 0).all(axis=1) & (index < shape).all(axis=1)
    flat = np.ravel_multi_index(tuple(index[inside].astype(int).T), shape)
    covered = np.bincount(flat, weight[inside], minlength=math.prod(shape)).reshape(shape)
    return Ground(cell, np.pad(covered.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))))


def place_beside(
    points: Floats,
    extent: Floats,
    room: tuple[Floats, Floats],
    gap: float,
    taken: list[tuple[float, float, float, float]],
    ground: Ground,
) -> Floats:
    """Upper left corner of a plate of this extent [px] for an instrument with these points, shape (points, 2).

    It is within `room`, the lowest and highest corner, and hides as little as possible of the areas that are `taken`,
    of lines and of grains; of two equal places the nearer one.
    """
    low, high = room
    width, height = float(extent[0]), float(extent[1])
    seen = np.clip(points, low, high + extent)  # the middle of a line that leaves the picture is that of what is seen
    (x0, y0), (x1, y1) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    across, down = (x0 + x1 - width) / 2, (y0 + y1 - height) / 2
    places = [(x1 + gap, down), (x0 - gap - width, down), (across, y0 - gap - height), (across, y1 + gap)]
    places += [(x1 - width, y0 - gap - height), (x1 - width, y1 + gap), (x1 - width - gap, y0 + gap)]
    tops = [down + step * (height + gap) / 2 for step in range(-WAYS, WAYS + 1)]
    places += [(x, y) for x in (x1 + gap, x0 - gap - width) for y in tops]
    places += [(x, y) for x in np.linspace(low[0], high[0], COLUMNS).tolist() for y in tops]

    def cost(place: Floats) -> float:
        """Area that the plate hides, and a little for its distance [px²]."""
        x, y, hidden = float(place[0]), float(place[1]), 0.0
        for a, b, c, d in taken:
            hidden += max(0.0, min(x + width, c) - max(x, a)) * max(0.0, min(y + height, d) - max(y, b))
        far = float(np.hypot(*(np.clip(points, place, place + extent) - points).T).min())
        return PLATE_COUNTS * hidden + ground.under(x, y, width, height) + FAR * height * far

    return min((np.clip(place, low, high) for place in places), key=cost)


def _points_along(line: Floats, spacing: float) -> Floats:
    """Points along a line at this distance or less [px], no more than `MOST_POINTS` for each of its sections."""
    lengths = np.hypot(*np.diff(line, axis=0).T)
    shares = [np.linspace(0.0, 1.0, min(math.ceil(length / spacing), MOST_POINTS) + 1)[:, None] for length in lengths]
    return np.concatenate([a + share * (b - a) for a, b, share in zip(line[:-1], line[1:], shares, strict=True)])


def _draw_plate(
    frame: Frame,
    canvas: Canvas,
    shown: ShownInstrument,
    points: Floats,
    taken: list[tuple[float, float, float, float]],
    ground: Ground,
) -> None:
    """Name and values on a plate beside the instrument, if possible where no other plate, no line and no grain is. A
    plate that is farther away has a line to the instrument."""
    unit, palette = frame.scale, frame.palette
    rows: list[tuple[Message, float, bool]] = [(plain(shown.instrument.name), NAME, True)]
    rows += [(words, TEXT, False) for words in words_of(shown)]
    extents = [
        (canvas.scripted_width(words, size, bold), LEADING * canvas.text_extent(words, size, bold)[1])
        for words, size, bold in rows
    ]
    pad, gap = PAD * unit, GAP * unit
    width, height = max(extent[0] for extent in extents) + 3.0 * pad, sum(extent[1] for extent in extents) + 2.0 * pad
    extent, (left, top, right, bottom) = np.array((width, height)), frame.free_of_plates
    low = np.array((left + pad, top + pad))
    high = np.array((frame.size[0] - right - pad, frame.size[1] - bottom - STRIP * unit))
    best = place_beside(points, extent, (low, np.maximum(high - extent, low)), gap, taken, ground)
    x, y = map(float, best)
    nearest = np.clip(points, best, best + extent)
    distance = np.hypot(*(nearest - points).T)
    if distance.min() > 2.0 * gap:
        to = int(distance.argmin())
        canvas.polyline(np.array((nearest[to], points[to])), colour_of(shown), THIN, alpha=0.6)
    taken.append((x, y, x + width, y + height))
    canvas.rectangle((x, y), (x + width, y + height), palette.background, alpha=0.82, rounding=4.0)
    canvas.rectangle((x, y), (x + 0.6 * pad, y + height), colour_of(shown), rounding=2.0)
    at = y + pad
    for (words, size, bold), (_width, tall) in zip(rows, extents, strict=True):
        canvas.scripted((x + 1.8 * pad, at), words, palette.text, size, bold)
        at += tall


PASS = Pass("instruments", order=61, overlay=overlay, switch=INSTRUMENTS)
