"""Labels at single spheres with the property that distinguishes them, such as the restitution."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from repose.app.render.colours import category, to_srgb
from repose.app.render.passes import Frame, Pass, Switch, legend
from repose.sim.experiment.snapshot import Floats
from repose.sim.measure.display import Label
from repose.sim.message import Message, _

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

LABELS = Switch(
    "labels",
    _("Labels"),
    _("The property that distinguishes each sphere, such as its restitution."),
    applies=lambda snapshot: bool(snapshot.grains.labels),
)
TEXT, NOTE, SMALL = 1.35, 1.2, 0.9
"""Text sizes, relative to ordinary text."""
GAP, NEARER = 8.0, 3.0
"""Distance between a sphere and its label, and between labels [units]; distance of a label without a line from other
spheres [gaps]."""

Place = tuple[float, float, float, float]
"""Rectangle: left, top, right, bottom [pixel]."""


class Placed(NamedTuple):
    """A label at its place."""

    number: int
    lines: list[tuple[Message, float, bool]]
    heights: list[float]
    """Heights of its lines [pixel]."""
    box: Place
    stem: Place | None
    """The line to the sphere of a higher label; None for a label at its sphere."""
    crossings: int
    """Number of other labels and lines that its line crosses."""
    shortened: int
    """Number of larger variants of the label without a good place."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw text above or beside every labelled sphere in view; without room there, higher with a line to the sphere."""
    spheres = _spheres(frame)
    for placed in _best(frame, canvas, spheres):
        left, top, right, bottom = placed.box
        if placed.stem is not None:
            x, _, _, end = placed.stem
            colour = tuple(float(part) for part in to_srgb(category(placed.number)))
            canvas.polyline(np.array(((x, bottom), (x, end))), (colour[0], colour[1], colour[2]), 1.6)
        for (text, size, bold), height in zip(placed.lines, placed.heights, strict=True):
            ink = frame.palette.text if bold else frame.palette.faint
            canvas.text(((left + right) / 2, top), text, ink, size, bold, (0.5, 0.0), frame.palette.background)
            top += height


def _best(frame: Frame, canvas: Canvas, spheres: dict[int, tuple[float, float, float]]) -> list[Placed]:
    """The arrangement with the largest variants of all labels; their sizes differ only where no equal ones fit."""
    order = sorted(spheres, key=lambda number: spheres[number][0])
    most = max((len(_variants(label)) for label in frame.snapshot.grains.labels), default=0)
    tried: list[list[Placed]] = []
    # First with no label near another sphere than its own, then wherever no line crosses a label.
    for first, apart in ((0, True), (0, False), (most - 1, False)):
        for numbers in (order, order[::-1]):
            tried.append(_arranged(frame, canvas, spheres, numbers, first, apart))
            if _blemishes(tried[-1])[:3] == (-len(order), 0, 1):
                return tried[-1]
    return min(tried, key=_blemishes, default=[])


def _blemishes(arranged: list[Placed]) -> tuple[int, int, int, int]:
    """Penalties of an arrangement, smaller is better: minus the number of labels, crossings, number of the variants
    used, shortened labels."""
    shortened = [placed.shortened for placed in arranged]
    return -len(arranged), sum(placed.crossings for placed in arranged), len({*shortened}), sum(shortened)


def _arranged(
    frame: Frame,
    canvas: Canvas,
    spheres: dict[int, tuple[float, float, float]],
    order: list[int],
    first: int,
    apart: bool,
) -> list[Placed]:
    """Places for the labels of these spheres (x, y, radius), found one after the other, beginning with the variant
    `first` of each label; `apart` prefers places that are near no other sphere to those whose line crosses nothing. No
    label is on the legend or on what covers the picture."""
    taken = [(x - radius, y - radius, x + radius, y + radius) for x, y, radius in _ghosts(frame)]
    area = legend.plate(frame, canvas)
    taken += [*frame.covered, *((area,) if area is not None else ())]
    arranged: list[Placed] = []
    for number in order:
        x, y, radius = spheres[number]
        others = [(u - r, v - r, u + r, v + r) for other, (u, v, r) in spheres.items() if other != number]
        choices: list[Placed] = []
        variants = _variants(frame.snapshot.grains.labels[number])
        first_of_this = min(first, len(variants) - 1)
        for shortened, lines in enumerate(variants[first_of_this:], first_of_this):
            extents = [canvas.text_extent(text, size, bold) for text, size, bold in lines]
            width, height = max(extent[0] for extent in extents), sum(extent[1] for extent in extents)
            position = _free_place(frame, (x, y, radius), (width, height), taken, others, apart)
            if position is None:
                continue
            left, top, crossings = position
            bottom = top + height
            box = left, top, left + width, bottom
            stem = (x, bottom, x, y - radius) if left <= x <= left + width and bottom < y - radius else None
            heights = [extent[1] for extent in extents]
            choices.append(Placed(number, lines, heights, box, stem, crossings, shortened))
            if crossings == 0:
                break
        if choices:
            arranged.append(min(choices, key=lambda placed: placed.crossings))
            taken.append(arranged[-1].box)
            if arranged[-1].stem is not None:
                taken.append(arranged[-1].stem)
    return arranged


def _variants(label: Label) -> list[list[tuple[Message, float, bool]]]:
    """Lines of a label as text, size and weight: the full label first, then shorter and smaller ones."""
    first = [[(label.text, size, True)] for size in (TEXT, SMALL)]
    return [[*first[0], (label.note, NOTE, False)], *first] if label.note else first


def _free_place(
    frame: Frame,
    sphere: tuple[float, float, float],
    extent: tuple[float, float],
    taken: list[Place],
    others: list[Place],
    apart: bool,
) -> tuple[float, float, int] | None:
    """Left and top of a label of this extent at a sphere (x, y, radius), and the number of rectangles that its line
    crosses.

    The label is above, beside, below, or higher with a line, which crosses as few rectangles as possible. Without a
    line it is not near to one of the `others`, the other spheres, if possible. None if there is no free place in the
    visible part of the picture.
    """
    (x, y, radius), (width, height), gap = sphere, extent, GAP * frame.scale
    above, beside = y - radius - gap - height, y - height / 2
    places = [(x - width / 2, above), (x + radius + gap, beside), (x - radius - gap - width, beside)]
    sides = x + radius + gap, x - radius - gap - width
    places += [(side, beside + step * height) for step in (-0.5, 0.5, -1.0, 1.0) for side in sides]
    places += [(x - width / 2, y + radius + gap)]
    higher = [above - 0.5 * step * height for step in range(1, 12)]
    places += [(x - share * width, top) for top in higher for share in (0.5, 0.1, 0.9)]
    left, top, right, bottom = frame.free_of_plates
    lowest, farthest = frame.size[1] - bottom - height, frame.size[0] - right - width
    inside = (position for position in places if left <= position[0] <= farthest and top <= position[1] <= lowest)

    hidden = [*taken, *others]
    free = [position for position in inside if not any(_overlap(position, extent, other, gap / 2) for other in hidden)]

    def line(place: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
        """Upper end and extent of the line from a label at this place."""
        side, top = place
        return (x, top + height), (0.0, y - radius - top - height if side <= x <= side + width else 0.0)

    lines = [line(place) for place in free]
    crossings = [sum(_overlap(*line, other, gap / 4) for other in hidden) if line[1][1] > gap else 0 for line in lines]
    unclear = [
        end[1] <= gap and any(_overlap(place, extent, other, NEARER * gap) for other in others)
        for place, (_, end) in zip(free, lines, strict=True)
    ]
    best = int(np.lexsort((crossings, unclear) if apart else (unclear, crossings))[0]) if free else 0
    return (*free[best], crossings[best]) if free else None


def _overlap(position: tuple[float, float], extent: tuple[float, float], other: Place, gap: float) -> bool:
    """Whether a label at a place is nearer to another rectangle than `gap` [pixel]."""
    left, top, right, bottom = other
    across = position[0] < right + gap and position[0] + extent[0] > left - gap
    return across and position[1] < bottom + gap and position[1] + extent[1] > top - gap


def _spheres(frame: Frame) -> dict[int, tuple[float, float, float]]:
    """Centre and radius [pixel] of every labelled sphere in view, by the number of its label."""
    snapshot = frame.snapshot
    rows = {int(sphere): row for row, sphere in enumerate(snapshot.grains.sphere_id)}
    labelled = [
        (number, rows[label.sphere_id])
        for number, label in enumerate(snapshot.grains.labels)
        if label.sphere_id in rows
    ]
    seen = {
        number: _seen(frame, snapshot.grains.position[row], float(snapshot.grains.radius[row]))
        for number, row in labelled
    }
    return {number: position for number, position in seen.items() if np.isfinite(position).all()}


def _ghosts(frame: Frame) -> list[tuple[float, float, float]]:
    """Centre and radius [pixel] of every sphere of the closed form in view."""
    if frame.dimension != 3:
        return []
    seen = [_seen(frame, ghost[:3], float(ghost[3])) for ghost in frame.snapshot.geometry.ghosts]
    return [position for position in seen if np.isfinite(position).all()]


def _seen(frame: Frame, centre: Floats, radius: float) -> tuple[float, float, float]:
    """Centre and radius [pixel] of a sphere; nan behind the eye."""
    point = centre.astype(np.float64)[None]
    x, y = frame.camera.world_to_pixel(point, frame.size)[0]
    far = float(frame.orbit.depth(point)[0]) / frame.orbit.distance if frame.dimension == 3 else 1.0
    return float(x), float(y), radius / (frame.metres_per_pixel * far)


PASS = Pass("labels", order=60, overlay=overlay, switch=LABELS)
