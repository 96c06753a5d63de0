"""What the user tells about a picture: scale, horizon, crop, threshold, points of the surface. Plain data, in pixels of
the whole picture turned upright, from its upper left corner."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from repose.sim.message import Message, Number, _
from repose.sim.parameters import ParameterError

Pixel = tuple[float, float]
"""Column and row."""
SHORTEST = 4.0
"""Least distance of two points that determine a scale or a horizon [pixel]."""
LEAST_CROP = 32.0
"""Least width and height of the part of the picture in which the heap is looked for [pixel]."""


@dataclass(frozen=True)
class Marks:
    """The marks of one picture; making them checks them. Raises `ParameterError`."""

    scale: tuple[Pixel, Pixel] | None = None
    """Two points at a known distance."""
    length: float = math.nan
    """That distance [m]."""
    horizon: tuple[Pixel, Pixel] | None = None
    """Two points of the table; None: its edge is looked for."""
    crop: tuple[Pixel, Pixel] | None = None
    """Opposite corners of the part in which the heap is looked for; None: everywhere."""
    threshold: float | None = None
    """Distance of colour from the backdrop from which a pixel belongs to the heap [-]; None: that of Otsu."""
    points: tuple[Pixel, ...] = ()
    """Points of the surface, by column, that replace what was found between the first and the last one."""

    def __post_init__(self) -> None:
        places = [*(self.scale or ()), *(self.horizon or ()), *(self.crop or ()), *self.points]
        if not all(math.isfinite(number) for place in places for number in place):
            raise ParameterError(_("A mark is refused: columns and rows are finite numbers of pixels."))
        if self.scale is not None:
            if not 0.0 < self.length < math.inf:
                raise ParameterError(
                    Message(
                        "A length of {length} is refused as scale: it is above 0 m.",
                        length=Number(self.length, "m", "g"),
                    )
                )
            _require_apart(self.scale, _("scale"))
        if self.horizon is not None:
            _require_apart(self.horizon, _("horizon"))
            (x0, y0), (x1, y1) = self.horizon
            if abs(y1 - y0) > abs(x1 - x0):
                raise ParameterError(
                    _("A horizon is refused: it rises by more than 45°. Choose two points of the table.")
                )
        if self.crop is not None and min(abs(self.crop[1][axis] - self.crop[0][axis]) for axis in (0, 1)) < LEAST_CROP:
            raise ParameterError(
                Message("A crop is refused: it is at least {least} pixels wide and high.", least=round(LEAST_CROP))
            )
        if self.threshold is not None and not 0.0 < self.threshold < math.inf:
            raise ParameterError(
                Message(
                    "A threshold of {threshold} is refused: it is above 0.",
                    threshold=Number(self.threshold, format="g"),
                )
            )

    @property
    def metres_per_pixel(self) -> float:
        """nan without a scale."""
        return self.length / math.dist(*self.scale) if self.scale is not None else math.nan

    def with_point(self, point: Pixel, number: int | None = None) -> Marks:
        """The marks with a further point of the surface, or with this one moved."""
        kept = [other for k, other in enumerate(self.points) if k != number]
        return replace(self, points=tuple(sorted([*kept, point])))


def _require_apart(points: tuple[Pixel, Pixel], what: Message) -> None:
    if math.dist(*points) < SHORTEST:
        raise ParameterError(
            Message(
                "The two points of the {what} are {distance} pixels apart: choose two at least {least} apart.",
                what=what,
                distance=Number(math.dist(*points), format=".3g"),
                least=round(SHORTEST),
            )
        )
