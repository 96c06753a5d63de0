"""The heap in a picture: its profile in metres above the table, both flanks, and an honest error of their angles.

The error of the angle has four independent parts: the scatter about the line (as of a computed heap), the threshold
(half the difference of the angles with less and with more of it), the horizon (of one flank; in the mean of two it
cancels), and the direction of the camera, which is not known. A camera that looks down by β at a heap whose height
fills the angle h/Z shows its slope as tan θ (1 - tan β h/Z) cos β, so that dθ = sin 2θ / 2 (tan β h/Z).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.measure.flanks import Flanks, measure_flanks
from repose.sim.measure.surface_slope import slope_complaint
from repose.sim.message import Message, Number, _
from repose.sim.parameters import ParameterError
from repose.sim.photo.found_surface import SMOOTH, Compared, FoundSurface, find_surface, surface_at, surface_with
from repose.sim.photo.marks import Marks

NO_MARKS = Marks()
LESS, MORE = 0.7, 1.3
"""Thresholds whose angles are compared, over the one that is used [-]."""
NOISY = 50.0
"""Contrast below which the angle is compared with that in a smoother picture [-]. Noise moves the surface of a faint
heap to one side; smoothed over twice the length it is half as large, so that the difference of both angles is half of
what it adds, one standard error if two contain it."""
PITCH = math.radians(2.0)
"""Standard error of the direction of the camera [rad]: a hand, with the table in view, holds it level within it."""
FOCAL = 1.0
"""Focal length over the width of the picture [-]: of telephones 0.7 to 2."""
UNEVEN = 0.15
"""Largest deviation of a flank from its line, over its height [-]."""


@dataclass(frozen=True)
class PictureFlank:
    """A flank in the picture."""

    angle: float
    """[rad]."""
    standard_error: float
    """[rad]."""
    start: tuple[float, float]
    """Ends of the fitted line, x and height in the unit of the profile."""
    end: tuple[float, float]


@dataclass(frozen=True)
class PictureHeap:
    """What a picture shows."""

    x: Floats
    """Along the table, from the left [m; pixel without a scale], shape (columns,)."""
    height: Floats
    """Of the surface above the table [m; pixel without a scale]."""
    flanks: Flanks
    left: PictureFlank | None
    right: PictureFlank | None
    angle: float
    """Mean of the flanks [rad]."""
    standard_error: float
    """[rad]."""
    parts: dict[str, float]
    """Standard error of the mean angle due to `line`, `threshold`, `noise`, `horizon`, `camera` [rad]."""
    surface: FoundSurface
    scaled: bool
    """Whether lengths are metres."""
    origin: tuple[float, float]
    """Column and row at x = 0, height 0, in pixels of the whole picture."""
    pixel: float
    """Length of one pixel of the whole picture [m; 1 without a scale]."""

    @property
    def tilt(self) -> float:
        """Angle of the table in the picture, positive if it falls to the right [rad]."""
        return self.surface.horizon.tilt

    @property
    def flank_count(self) -> int:
        """Number of flanks, 1 for a heap that leans against a wall."""
        return (self.left is not None) + (self.right is not None)

    @property
    def steepness_error(self) -> float:
        """Standard error of tan θ over tan θ that is due to the picture, not to this heap's scatter about its lines
        [-]: dθ / (sin θ cos θ)."""
        of_picture = math.hypot(*(part for name, part in self.parts.items() if name != "line"))
        return of_picture / (math.sin(self.angle) * math.cos(self.angle))

    def pixel_of(self, x: Floats, height: Floats) -> Floats:
        """Column and row in the whole picture of places of the profile, shape (..., 2)."""
        along, up = np.asarray(x) / self.pixel, np.asarray(height) / self.pixel
        cos, sin = math.cos(self.tilt), math.sin(self.tilt)
        return np.stack([self.origin[0] + along * cos + up * sin, self.origin[1] + along * sin - up * cos], axis=-1)


def measure_picture(picture: NDArray[np.uint8], marks: Marks = NO_MARKS, step: float = 1.0) -> PictureHeap:
    """The heap in a picture (height, width, 3) with `step` pixels of the whole picture per pixel.

    Raises `ParameterError` in one sentence where no heap is seen, or nothing that its angle could be told from.
    """
    surface, compared = find_surface(picture, marks, step)
    corner = _corner(marks, step)
    surface = replace(surface, row=_corrected(surface, marks, step, corner))
    heap = _profile(surface, marks, step, corner)
    flanks = measure_flanks(*heap)
    if flanks is None or not flanks.measured:
        raise ParameterError(_("The heap has no flank that is long enough: set a crop around the whole heap."))
    others = _with_other_thresholds(surface, compared, marks, step, corner)
    smoother = _in_smoother_picture(picture, marks, step, surface.by_grains) if surface.contrast < NOISY else None
    scale = _pixel(marks) * step
    size = picture.shape[1] * scale
    left = _flank(flanks.left, [other.left for other in others], smoother and smoother.left, flanks, surface, size)
    right = _flank(flanks.right, [other.right for other in others], smoother and smoother.right, flanks, surface, size)
    _refuse_uneven(flanks, *heap)
    parts = _errors(flanks, others, smoother, surface, size)
    error = math.hypot(*parts.values())
    if complaint := slope_complaint(flanks.angle, error):
        raise ParameterError(complaint)
    at = _origin(surface, step, corner)
    return PictureHeap(
        *heap,
        flanks,
        None if left is None else _placed(left, flanks.left, -1.0),
        None if right is None else _placed(right, flanks.right, 1.0),
        flanks.angle,
        error,
        parts,
        surface,
        marks.scale is not None,
        at,
        _pixel(marks),
    )


def profile_in(picture: NDArray[np.uint8], marks: Marks, step: float = 1.0) -> tuple[Floats, Floats]:
    """Place along the table and height of the surface in a picture, as in `PictureHeap`; raises `ParameterError`."""
    surface, _compared = find_surface(picture, marks, step)
    return _profile(surface, marks, step, _corner(marks, step))


def _pixel(marks: Marks) -> float:
    """Length of a pixel of the whole picture [m; 1 without a scale]."""
    return marks.metres_per_pixel if marks.scale is not None else 1.0


def _corner(marks: Marks, step: float) -> tuple[int, int]:
    """Upper left corner of the part that is searched [pixel of the searched picture]."""
    if marks.crop is None:
        return 0, 0
    x, y = (min(place[axis] for place in marks.crop) for axis in (0, 1))
    return max(round(x / step), 0), max(round(y / step), 0)


def _corrected(surface: FoundSurface, marks: Marks, step: float, corner: tuple[int, int]) -> Floats:
    """The rows of the surface, on straight lines between the points that the user has set."""
    if len(marks.points) < 2:
        return surface.row
    points = np.array(marks.points) / step - corner
    inside = (surface.column >= points[0, 0]) & (surface.column <= points[-1, 0])
    return np.where(inside, np.interp(surface.column, *points.T), surface.row)


def _origin(surface: FoundSurface, step: float, corner: tuple[int, int]) -> tuple[float, float]:
    start = surface.horizon.start
    return (start[0] + corner[0]) * step, (start[1] + corner[1]) * step


def _profile(surface: FoundSurface, marks: Marks, step: float, corner: tuple[int, int]) -> tuple[Floats, Floats]:
    """Place along the table and height above it [m, or pixel of the whole picture], ascending."""
    known = np.isfinite(surface.row)
    tilt, start = surface.horizon.tilt, surface.horizon.start
    along, down = surface.column[known] - start[0], surface.row[known] - start[1]
    x = along * math.cos(tilt) + down * math.sin(tilt)
    height = along * math.sin(tilt) - down * math.cos(tilt)
    order = np.argsort(x)
    scale = _pixel(marks) * step
    return x[order] * scale, height[order] * scale


def _with_other_thresholds(
    surface: FoundSurface, compared: Compared, marks: Marks, step: float, corner: tuple[int, int]
) -> list[Flanks]:
    """The flanks with less and with more of the threshold, where a heap is left."""
    found = []
    for share in (LESS, MORE):
        try:
            column, row = surface_at(compared, surface.horizon, share * surface.threshold)
        except ParameterError:
            continue
        other = replace(surface, column=column, row=row)
        other = replace(other, row=_corrected(other, marks, step, corner))
        flanks = measure_flanks(*_profile(other, marks, step, corner))
        found += [flanks] if flanks is not None and flanks.measured else []
    return found


def _in_smoother_picture(picture: NDArray[np.uint8], marks: Marks, step: float, by_grains: bool) -> Flanks | None:
    """The flanks in a picture that is smoothed over twice the length, if a heap is left."""
    try:
        surface, _compared = surface_with(picture, marks, step, 2.0 * SMOOTH, by_grains)
    except ParameterError:
        return None
    corner = _corner(marks, step)
    surface = replace(surface, row=_corrected(surface, marks, step, corner))
    flanks = measure_flanks(*_profile(surface, marks, step, corner))
    return flanks if flanks is not None and flanks.measured else None


def _half_range(angles: list[float]) -> float:
    return 0.5 * (max(angles) - min(angles))


def _errors(
    flanks: Flanks, others: list[Flanks], smoother: Flanks | None, surface: FoundSurface, width: float
) -> dict[str, float]:
    """Parts of the standard error of the mean angle [rad]."""
    horizon = surface.horizon.error * abs((flanks.left is None) - (flanks.right is None))
    return {
        "line": flanks.standard_error,
        "threshold": _half_range([flanks.angle, *(other.angle for other in others)]),
        "noise": 0.0 if smoother is None else abs(smoother.angle - flanks.angle),
        "horizon": horizon,
        "camera": _of_camera(flanks.angle, flanks.height / width),
    }


def _of_camera(angle: float, share: float) -> float:
    """Error of an angle [rad] due to the direction of the camera; `share` is height of the heap over the width of the
    picture [-]."""
    return 0.5 * math.sin(2.0 * angle) * math.tan(PITCH) * share / FOCAL


def _flank(
    slope: Any, others: list[Any], smoother: Any, flanks: Flanks, surface: FoundSurface, width: float
) -> tuple[float, float] | None:
    """Angle and standard error of one flank [rad]."""
    if slope is None:
        return None
    of_threshold = _half_range([slope.angle, *(other.angle for other in others if other is not None)])
    of_noise = 0.0 if smoother is None else abs(smoother.angle - slope.angle)
    of_camera = _of_camera(slope.angle, flanks.height / width)
    return slope.angle, math.hypot(slope.standard_error, of_threshold, of_noise, surface.horizon.error, of_camera)


def _placed(found: tuple[float, float], slope: Any, sign: float) -> PictureFlank:
    ends = [(sign * x, slope.intercept + slope.slope * x) for x in slope.x_range]
    return PictureFlank(*found, *ends)


def _refuse_uneven(flanks: Flanks, x: Floats, height: Floats) -> None:
    for sign, flank in ((-1.0, flanks.left), (1.0, flanks.right)):
        if flank is None:
            continue
        inside = (sign * x >= flank.x_range[0]) & (sign * x <= flank.x_range[1])
        away = height[inside] - (flank.intercept + flank.slope * sign * x[inside])
        if (share := float(np.sqrt(np.mean(away**2))) / flanks.height) > UNEVEN:
            raise ParameterError(
                Message(
                    "What is found is no heap: its flank deviates from a line by {share} of the height; set a crop "
                    "around the heap, the horizon or the threshold.",
                    share=Number(share, format=".0%"),
                )
            )
