"""The surface of a heap in a picture: where the backdrop ends, from above.

The backdrop is what reaches the upper border. Its colour in L*a*b* is a polynomial of second degree in the place (light
falls off), fitted again and again to what is like it and joined to the upper border. A pixel above the table belongs to
the heap from a distance of colour on: the threshold of Otsu between the backdrop, its shadows included, and the heap.
The distance is that of a*b* if the heap differs in it, because shadows have the colour of the backdrop, and otherwise
that of L*a*b*. A heap of the colour of its backdrop is found by its grains: the distance then is that of the local
standard deviation of L*, which the edge of the table has too.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.message import Message, Number, _
from repose.sim.parameters import ParameterError
from repose.sim.photo.marks import Marks, Pixel

SMOOTH = 1.5
"""Standard deviation of the smoothing before colours are compared [pixel]."""
GRAINS = 2.0
"""Standard deviation of the window in which the local standard deviation of L* is taken, in that of the smoothing: some
grains of a heap that is seen sharply are in it [-]."""
BAND = 0.06
"""Share of the height at the upper border that is backdrop at first [-]."""
ROUNDS = 5
"""Number of fits of the backdrop."""
LIKE = 6.0
"""Distance of colour up to which a pixel is like the backdrop, in standard deviations of the backdrop [-]."""
FAINTEST = 1.2
"""Least such distance in L*a*b* [-]; 2.3 is just noticeable."""
CLEAR = 5.0
"""Least difference of heap and backdrop, in standard deviations of the backdrop [-]."""
SMALLEST = 8.0
"""Least height of a heap [pixel], and a quarter of the least width."""
TABLE = 1.5
"""Distance from the line of the table up to which the boundary of the backdrop lies on it [pixel]."""
LEAST_TABLE = 0.06
"""Least share of the columns in which the table is seen for its edge to be a horizon [-]."""
BELOW = 0.03
"""Largest share of the columns in which the backdrop goes on below the horizon [-]."""
STEEPEST_TABLE = math.tan(math.radians(20.0))
"""Largest slope of a horizon that is looked for [-]."""
ABOVE, EDGE = 4.0, 20.0
"""How far above and below the end of the backdrop the edge of the table is looked for [pixel]."""
FRONT = 6.0
"""Least distance of the heap from a line that is not the edge on which it lies [pixel]."""
STEEP = 0.5
"""Share of the steepest change of an edge above which its width is taken [-]."""
WIDEST = 15.0
"""Largest such width of an edge [pixel], of a blur of 6 pixels; a table that fades in over more has none."""
TRIALS = 400
"""Number of lines through two columns that are compared."""


@dataclass(frozen=True)
class Horizon:
    """The line of the table."""

    start: Pixel
    """Two points of it."""
    end: Pixel
    error: float
    """Standard error of its angle [rad]."""
    detected: bool
    blurred: float = 0.0
    """How far above the line the backdrop ends, because the edge of the table is not sharp [pixel]."""

    @property
    def tilt(self) -> float:
        """Angle in the picture, positive if it falls to the right [rad]."""
        return math.atan2(self.end[1] - self.start[1], self.end[0] - self.start[0])

    def row(self, column: Floats) -> Floats:
        """Rows of the line at columns."""
        return self.start[1] + math.tan(self.tilt) * (column - self.start[0])

    def moved(self, down: float) -> Horizon:
        """A parallel line some rows below."""
        (x0, y0), (x1, y1) = self.start, self.end
        return replace(self, start=(x0, y0 + down), end=(x1, y1 + down))


@dataclass(frozen=True)
class FoundSurface:
    """The surface of a heap in pixels of the picture that was searched."""

    column: Floats
    """Columns with heap, ascending, shape (columns,)."""
    row: Floats
    """Row of the surface in each of them; nan in a gap."""
    horizon: Horizon
    threshold: float
    """Distance of colour from the backdrop [-]."""
    contrast: float
    """Difference of heap and backdrop, in standard deviations of the backdrop [-]."""
    by_colour: bool
    """Whether a*b* alone was compared."""
    by_grains: bool
    """Whether the local standard deviation of L* was compared."""


@dataclass(frozen=True)
class Compared:
    """A picture beside the model of its backdrop."""

    distance: Floats
    """Distance of colour from the backdrop, shape (height, width) [-]."""
    spread: float
    """Its size in the backdrop itself [-]."""
    by_colour: bool


def find_surface(picture: NDArray[np.uint8], marks: Marks, step: float = 1.0) -> tuple[FoundSurface, Compared]:
    """The surface of the heap by its colour, and if none is found by its grains; the arguments are those of
    `surface_with`, and the error, if there is one, is that of the colour."""
    try:
        return surface_with(picture, marks, step, SMOOTH, by_grains=False)
    except ParameterError:
        with suppress(ParameterError):
            return surface_with(picture, marks, step, SMOOTH, by_grains=True)
        raise


def surface_with(
    picture: NDArray[np.uint8], marks: Marks, step: float, smooth: float, by_grains: bool
) -> tuple[FoundSurface, Compared]:
    """The surface of the heap, and what it was found in; raises `ParameterError` in one sentence where there is none.

    picture (height, width, 3), `step` pixels of the whole picture per pixel; marks in pixels of the whole picture;
    `smooth` the standard deviation of the smoothing [pixel]; `by_grains` compares the local standard deviation of
    L*.
    """
    left, top, right, bottom = _cropped(picture, marks, step)
    part = picture[top:bottom, left:right]
    lab, spread, is_backdrop = _backdrop(part, smooth, by_grains)
    whole = _beside_backdrop(lab, spread)
    coloured = _beside_backdrop(*_backdrop(part, smooth, by_grains=False)[:2]) if by_grains else whole
    horizon = _horizon(is_backdrop, coloured, marks, step, (left, top))
    above = np.arange(part.shape[0])[:, None] < horizon.row(_middles(part.shape[1]))[None] - horizon.blurred - TABLE
    candidates = above & ~is_backdrop
    if not candidates.any():
        raise ParameterError(NO_HEAP)
    compared = whole if by_grains else _channel(lab, spread, candidates, whole)
    if marks.threshold is None:
        threshold = _otsu(compared, above, is_backdrop)
    else:
        threshold = marks.threshold
    column, row = surface_at(compared, horizon, threshold)
    inside = np.zeros(part.shape[:2], bool)
    rows = np.arange(part.shape[0])[:, None] + 0.5
    known = np.full(part.shape[1], np.inf)
    known[np.floor(column).astype(np.int64)] = np.nan_to_num(row, nan=np.inf)
    inside = (rows > known[None] + 2.0 * smooth) & above
    if not inside.any():
        raise ParameterError(NO_HEAP)
    contrast = float(np.median(compared.distance[inside])) / compared.spread
    if contrast < CLEAR:
        raise ParameterError(
            Message(
                "The heap is too faint: it differs from its background by {contrast} times the noise, and at least "
                "{least} are needed; photograph it before a background of another colour, or set a crop.",
                contrast=Number(contrast, format=".1f"),
                least=Number(CLEAR, format="g"),
            )
        )
    return FoundSurface(column, row, horizon, threshold, contrast, compared.by_colour, by_grains), compared


NO_HEAP = _(
    "No heap is found: nothing above the table differs from the background; set a crop around the heap, the horizon or "
    "the threshold."
)


def surface_at(compared: Compared, horizon: Horizon, threshold: float) -> tuple[Floats, Floats]:
    """Columns (at their middle) and rows of the upper border of the largest connected region above the horizon that has
    at least this distance of colour; between two rows the distance is linear. Raises `ParameterError` without a heap.
    """
    from skimage.measure import label

    distance = compared.distance
    height, width = distance.shape
    line = horizon.row(_middles(width))
    rows = np.arange(height)[:, None] + 0.5
    mask = (distance > threshold) & (rows < line[None] - horizon.blurred + 1.0)
    labels = label(mask, connectivity=1)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    if sizes.size < 2 or not sizes.any():
        raise ParameterError(NO_HEAP)
    region = labels == int(sizes.argmax())
    columns = np.flatnonzero(region.any(axis=0))
    first = region[:, columns].argmax(axis=0)
    row = first + 0.5
    inner = first > 0
    upper, lower = distance[first[inner] - 1, columns[inner]], distance[first[inner], columns[inner]]
    share = np.clip((lower - threshold) / np.maximum(lower - upper, 1e-9), 0.0, 1.0)
    row[inner] -= share
    row[~inner] = np.nan  # cut off by the upper border
    rise = line[columns] - row
    if not (np.nanmax(rise, initial=0.0) >= SMALLEST and columns.size >= 4.0 * SMALLEST):
        raise ParameterError(NO_HEAP)
    return _middles(width)[columns], row


def _middles(count: int) -> Floats:
    """Middles of pixels, shape (count,)."""
    middles: Floats = np.arange(count, dtype=np.float64) + 0.5
    return middles


def _cropped(picture: NDArray[np.uint8], marks: Marks, step: float) -> tuple[int, int, int, int]:
    """Left, upper, right and lower limit of the part that is searched [pixel of `picture`]."""
    height, width = picture.shape[:2]
    if marks.crop is None:
        return 0, 0, width, height
    (x0, y0), (x1, y1) = marks.crop
    left, right = (min(max(round(x / step), 0), width) for x in sorted((x0, x1)))
    top, bottom = (min(max(round(y / step), 0), height) for y in sorted((y0, y1)))
    if min(right - left, bottom - top) < SMALLEST * 2.0:
        raise ParameterError(_("The crop lies outside of the picture: choose one around the heap."))
    return left, top, right, bottom


def _backdrop(
    picture: NDArray[np.uint8], smooth: float, by_grains: bool
) -> tuple[Floats, tuple[float, float], NDArray[np.bool_]]:
    """Deviation of the smoothed picture from the backdrop in L*a*b*, or `by_grains` in the local standard deviation of
    L*, shape (height, width, 3 or 1), its typical size in the backdrop in all of them and in a*b*, and where the
    backdrop is."""
    from scipy.ndimage import gaussian_filter
    from skimage.color import rgb2lab
    from skimage.measure import label

    lab = rgb2lab(picture)
    if by_grains:
        light, wide = lab[..., 0], GRAINS * smooth
        variance = gaussian_filter(light * light, wide) - gaussian_filter(light, wide) ** 2
        lab = np.sqrt(np.maximum(variance, 0.0))[..., None]
    else:
        lab = gaussian_filter(lab, (smooth, smooth, 0.0))
    height, width, channels = lab.shape
    y, x = np.meshgrid(np.linspace(-1.0, 1.0, height), np.linspace(-1.0, 1.0, width), indexing="ij")
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    is_backdrop = np.zeros((height, width), bool)
    is_backdrop[: max(4, round(BAND * height))] = True
    deviation, size = lab, 1.0
    for fit in range(ROUNDS):
        used = terms[..., : (1, 3, 3)[fit] if fit < 3 else 6]  # a curve through a thin band would not hold below it
        rows = np.flatnonzero(is_backdrop)[:: max(1, int(is_backdrop.sum()) // 20_000)]
        flat = used.reshape(-1, used.shape[-1])
        coefficients = np.linalg.lstsq(flat[rows], lab.reshape(-1, channels)[rows], rcond=None)[0]
        deviation = lab - used @ coefficients
        distance = np.linalg.norm(deviation, axis=2)
        size = float(np.median(distance[is_backdrop]))
        labels = label(distance < max(LIKE * size, FAINTEST), connectivity=1)
        on_top = np.bincount(labels[0])
        on_top[0] = 0
        if not on_top.any():
            raise ParameterError(NO_HEAP)
        is_backdrop = labels == int(on_top.argmax())
    colour = float(np.median(np.linalg.norm(deviation[is_backdrop][:, 1:3], axis=1)))
    return deviation, (max(size, 0.05), max(colour, 0.05)), is_backdrop


def _beside_backdrop(deviation: Floats, spread: tuple[float, float]) -> Compared:
    """The distance in all channels."""
    return Compared(np.linalg.norm(deviation, axis=2), spread[0], by_colour=False)


def _horizon(
    is_backdrop: NDArray[np.bool_], coloured: Compared, marks: Marks, step: float, corner: tuple[int, int]
) -> Horizon:
    """The marked line of the table; without one that on which the backdrop ends beside the heap, or, on a table of the
    colour of the backdrop, whose front may be dark, that on which the heap ends below. Raises `ParameterError` if
    neither is seen.

    The line lies where the distance of colour changes most: a smoothed edge begins some pixels above, and in unequal
    light the model of the backdrop ends earlier still, by which all heights would be too small.
    """
    if marks.horizon is not None:
        start, end = (((x / step) - corner[0], (y / step) - corner[1]) for x, y in sorted(marks.horizon))
        marked = Horizon(start, end, 1.0 / step / math.dist(start, end), detected=False)
        above = marked.row(_middles(is_backdrop.shape[1])) - _first(~is_backdrop)
        beside = above[(above > -ABOVE) & (above < EDGE)]
        seen = beside.size >= LEAST_TABLE * above.size
        if not seen:
            return marked
        on_edge = beside[np.abs(beside - np.median(beside)) <= TABLE]  # as those that a line is fitted to
        return replace(marked, blurred=max(float(on_edge.mean()), 0.0))
    height, width = is_backdrop.shape
    points, turned = _on_line(_first(~is_backdrop)), False
    if points is None:
        points, turned = _on_line(_bottom(~is_backdrop)), True
    else:
        line = _line_through(points[0].astype(np.float64) + 0.5, points[1], width).row(_middles(width))
        lying = _bottom(~is_backdrop & (np.arange(height)[:, None] < line[None] - 2.0 * TABLE))
        gap = (line - lying)[np.isfinite(lying)]
        # The backdrop goes on below the whole heap: it lies on a table of its colour, whose front is the line.
        if gap.size >= 4.0 * SMALLEST and np.percentile(gap, 10.0) > FRONT and (below := _on_line(lying)) is not None:
            points, turned = below, True
    if points is None:
        raise ParameterError(
            _("The table is not found on which the heap lies: set the horizon by two points of the table.")
        )
    column, row = points
    middle = column.astype(np.float64) + 0.5
    horizon = _line_through(middle, row, width)
    line = horizon.row(middle)
    if turned:
        upwards = replace(coloured, distance=coloured.distance[::-1])
        return horizon.moved(-_to_edge(upwards, column, height - line))
    blurred = _to_edge(coloured, column, line)
    return replace(horizon.moved(blurred), blurred=max(blurred, 0.0))


def _first(mask: NDArray[np.bool_]) -> Floats:
    """The first row of the mask in each column, from above; nan where there is none, or where it is the border."""
    first: Floats = mask.argmax(axis=0).astype(np.float64)
    first[~mask.any(axis=0) | (first == 0.0)] = np.nan
    return first


def _bottom(mask: NDArray[np.bool_]) -> Floats:
    """The row below the largest connected region of the mask in each of its columns; nan beside it, and where it
    reaches the lower border."""
    from skimage.measure import label

    labels = label(mask, connectivity=1)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    if not sizes.any():
        return np.full(mask.shape[1], np.nan)
    bottom: Floats = mask.shape[0] - _first((labels == int(sizes.argmax()))[::-1])
    return bottom


def _on_line(row: Floats) -> tuple[NDArray[np.int64], Floats] | None:
    """Columns and rows of the points of columns on the line that most of them lie on, and nearly all others above; None
    if few lie on any."""
    columns = np.flatnonzero(np.isfinite(row))
    if columns.size < 4.0 * SMALLEST:
        return None
    x, y = columns + 0.5, row[columns]
    pairs = np.random.default_rng(0).integers(0, columns.size, (TRIALS, 2))
    pairs = pairs[np.abs(x[pairs[:, 0]] - x[pairs[:, 1]]) > SMALLEST]
    slopes = (y[pairs[:, 1]] - y[pairs[:, 0]]) / (x[pairs[:, 1]] - x[pairs[:, 0]])
    on_line, most = np.zeros(x.size, bool), LEAST_TABLE * row.size
    for a, start in zip(slopes, pairs[:, 0]):
        below = y - y[start] - a * (x - x[start])
        near = np.abs(below) <= TABLE
        flat = abs(a) <= STEEPEST_TABLE and (below > 2.0 * TABLE).sum() <= BELOW * x.size
        if flat and near.sum() >= most:
            on_line, most = near, int(near.sum())
    if not on_line.any():
        return None
    for _again in range(2):
        a, b = (float(number) for number in np.polyfit(x[on_line], y[on_line], 1))
        on_line = np.abs(y - (a * x + b)) <= TABLE
    return columns[on_line], y[on_line]


def _line_through(x: Floats, y: Floats, width: int) -> Horizon:
    """The line through points of the edge of the table, in a picture of this width."""
    a, b = (float(number) for number in np.polyfit(x, y, 1))
    left = y - (a * x + b)
    # Neighbouring columns are smoothed together: one in four smoothing lengths is independent, and rows are whole.
    independent = max(left.size / (4.0 * SMOOTH), 3.0)
    error = math.sqrt((float(left @ left) / left.size + 1.0 / 12.0) / independent) / float(x.std())
    return Horizon((0.0, b), (float(width), a * width + b), error, detected=True)


def _to_edge(coloured: Compared, column: NDArray[np.int64], row: Floats) -> float:
    """Rows from the points of a line down to the first edge in the distance of colour, in their median; 0 without one.

    An edge is a change larger than those before and behind it, by half as much as a step that is just noticeable, and
    by more than the noise: below the upper edge of a table, its front may be a far larger step.
    """
    from scipy.ndimage import map_coordinates

    below = np.arange(-ABOVE, EDGE + 1.0)
    places = np.stack(np.broadcast_arrays(row[None] + below[:, None] - 0.5, column[None]))
    change = np.diff(np.median(map_coordinates(coloured.distance, places, order=1, mode="nearest"), axis=1))
    noticeable = FAINTEST / (math.sqrt(2.0 * math.pi) * SMOOTH)
    peak = _first_peak(change, max(0.5 * noticeable, LIKE * coloured.spread / math.sqrt(column.size)))
    if not peak:
        return 0.0
    flat = np.flatnonzero(change < STEEP * change[peak])
    upper, lower = flat[flat < peak], flat[flat > peak]
    if (lower[0] if lower.size else change.size) - (upper[-1] if upper.size else -1) - 1 > WIDEST:
        return 0.0
    before, at, after = change[peak - 1 : peak + 2]
    return float(below[peak] + 0.5 + 0.5 * (before - after) / (before - 2.0 * at + after))


def _first_peak(values: Floats, height: float) -> int:
    """Number of the first value that others before and behind it, up to larger ones, fall below by this height; 0
    without one."""
    lowest, peak = float(values[0]), 0
    for number, value in enumerate(values):
        if value > values[peak]:
            peak = number
        elif value <= values[peak] - height and values[peak] >= lowest + height:
            return peak
        if value < lowest:
            lowest, peak = float(value), number
    return 0


def _channel(lab: Floats, spread: tuple[float, float], candidates: NDArray[np.bool_], whole: Compared) -> Compared:
    """The distance in a*b* where what is above the table differs clearly in it, otherwise that in L*a*b*."""
    colour = Compared(np.linalg.norm(lab[..., 1:], axis=2), spread[1], by_colour=True)
    typical = float(np.median(colour.distance[candidates]))
    return colour if typical > 2.0 * CLEAR * colour.spread and typical > 3.0 * FAINTEST else whole


def _otsu(compared: Compared, above: NDArray[np.bool_], is_backdrop: NDArray[np.bool_]) -> float:
    """The threshold of Otsu between what differs from the backdrop above the table, and as many pixels around it."""
    from skimage.filters import threshold_otsu

    other = above & ~is_backdrop
    rows, columns = np.flatnonzero(other.any(axis=1)), np.flatnonzero(other.any(axis=0))
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    values = compared.distance[box][above[box]]
    return float(threshold_otsu(np.minimum(values, np.percentile(values, 99.0))))
