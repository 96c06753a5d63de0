"""A collapsing heap in the frames of a video: first motion, height and run-out over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.measure.flanks import ENDS
from repose.sim.message import Message, Number, _
from repose.sim.parameters import ParameterError
from repose.sim.photo.heap_in_picture import PictureHeap, measure_picture, profile_in
from repose.sim.photo.marks import Marks

BLOCK = 8
"""Width and height of the parts of a small frame that are compared [pixel]."""
SURE, LIKELY = 8.0, 5.0
"""Change of one part, and of `FEWEST` parts, in standard deviations of the parts that nothing moves in [-]."""
FEWEST = 3
GRAVITY = 9.81
"""[m/s²]; of the unit of time in which collapses of any size are compared."""


class TimedFrame(NamedTuple):
    """One frame."""

    time: float
    """[s]."""
    pixels: NDArray[np.uint8]
    """Shape (height, width, 3)."""


@dataclass(frozen=True)
class Collapse:
    """The collapse in a video. Lengths are metres, or pixels without a scale."""

    begins: float
    """Time of the last frame before the first motion, or as marked [s]."""
    time: Floats
    """Since then [s], shape (frames,)."""
    height: Floats
    """Greatest height above the table; nan in a frame without a heap."""
    run_out: Floats
    """Length of the table that grains lie on."""
    last: PictureHeap
    """The heap in the last frame."""
    profiles: tuple[tuple[Floats, Floats] | None, ...]
    """Place along the table and height of the surface in every frame; None in a frame without a heap."""


def first_motion(times: Sequence[float], small: Sequence[Floats]) -> float:
    """Time of the frame before the first in which something moves [s]; nan if nothing does.

    small: grey frames (height, width). Two neighbouring frames differ by noise and by the light: the mean differences
    of parts of them scatter about their median with a deviation that follows from their middle half (MAD).
    """
    for before, after, at in zip(small, small[1:], times):
        rows, columns = (size // BLOCK * BLOCK for size in after.shape)
        difference = (after - before)[:rows, :columns].reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK)
        parts = difference.mean(axis=(1, 3))
        parts = np.abs(parts - np.median(parts))
        deviation = max(1.4826 * float(np.median(parts)), 1.0 / BLOCK)  # rounding to whole numbers remains
        if parts.max() > SURE * deviation and (parts > LIKELY * deviation).sum() >= FEWEST:
            return float(at)
    return math.nan


def measure_collapse(
    frames: Sequence[TimedFrame], begins: float, marks: Marks, step: float, on_progress: Callable[[float], None]
) -> Collapse:
    """Height and run-out in every frame from `begins` on; the table and the threshold are those of the last frame.

    Raises `ParameterError` if the last frame shows no heap. `on_progress` gets the fraction that is done.
    """
    if not math.isfinite(begins):
        raise ParameterError(
            _("Nothing moves in the video: set its first motion, with --begins or the button Video begins.")
        )
    chosen = [frame for frame in frames if frame.time >= begins]
    if not chosen:
        raise ParameterError(
            Message(
                "A first motion at {begins} s is refused: the last frame of the video is at {last} s; give an earlier "
                "time.",
                begins=Number(begins, format=".4g"),
                last=Number(frames[-1].time if frames else 0.0, format=".4g"),
            )
        )
    last = measure_picture(chosen[-1].pixels, marks, step)
    ends = np.array([-1e4, 1e4]) * last.pixel
    (x0, y0), (x1, y1) = last.pixel_of(ends, np.zeros(2)).tolist()
    fixed = replace(marks, horizon=((x0, y0), (x1, y1)), threshold=last.surface.threshold, points=())
    height, run_out = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    profiles: list[tuple[Floats, Floats] | None] = [None] * len(chosen)
    for number, frame in enumerate(chosen):
        on_progress(number / len(chosen))
        try:
            x, y = profile_in(frame.pixels, fixed, step)
        except ParameterError:
            continue
        height[number], run_out[number] = size_of(x, y)
        profiles[number] = x + ends[0], y  # from the left end of the fixed horizon to the origin of the last heap
    return Collapse(begins, np.array([frame.time for frame in chosen]) - begins, height, run_out, last, tuple(profiles))


def size_of(x: Floats, y: Floats) -> tuple[float, float]:
    """Greatest height of a profile, and the length over which it is higher than `ENDS` of it."""
    return float(y.max()), float(np.ptp(x[y > ENDS * float(y.max())]))


def area_of(x: Floats, y: Floats) -> float:
    """Area below a profile, without what is below the table."""
    return float(np.trapezoid(np.maximum(y, 0.0), x))


def unit_of_time(area: float, gravity: float = GRAVITY) -> float:
    """√(L/g) [s] of a heap with this area [m²], L = √area."""
    return math.sqrt(math.sqrt(area) / gravity)


def in_own_units(
    time: Floats, height: Floats, run_out: Floats, area: float, gravity: float = GRAVITY
) -> tuple[Floats, Floats, Floats]:
    """Time over √(L/g), height and run-out over L = √area [m²]: alike for collapses of any size."""
    length = math.sqrt(area)
    return time / unit_of_time(area, gravity), height / length, run_out / length


def of_profiles(x: Floats, heights: Floats) -> tuple[Floats, Floats, float]:
    """Height and run-out of computed profiles (times, strips) at x [m], and the area of the last one [m²]."""
    width = float(x[1] - x[0])
    height = heights.max(axis=1)
    covered = heights > ENDS * height[:, None]
    return height, covered.sum(axis=1) * width, float(heights[-1].sum()) * width
