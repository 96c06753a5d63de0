"""A measured slope of the surface of grains, to be shown beside the picture and drawn on the grains."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from repose.sim.message import EMPTY, Message, Number, _

Method = Literal["line", "robust", "height_over_base", "sectors", "flank"]
"""The last two methods are for heaps in space (repose.sim.measure.angle_of_repose_3d and flank_angle)."""
ERROR_OF: dict[Method, Message] = {
    "line": _("line fit"),
    "robust": _("line fit"),
    "height_over_base": _("one grain radius"),
    "sectors": _("sectors"),
    "flank": _("sectors"),
}
"""Source of the standard error of one measurement; heaps of other seeds scatter more."""

LEVEL = 2.0
"""Standard errors within which a slope may be that of a level surface [-]: one of 44 level surfaces seems to fall by
more."""
STEEPEST = math.radians(60.0)
"""Largest angle of repose of loose discs and spheres: that of the flank of densely packed equal discs, each of which
lies on two others [rad]."""


@dataclass(frozen=True)
class SurfaceSlope:
    """One measurement of the slope.

    The surface is y = intercept + slope x [m]; a heap that falls to the right has a positive angle. In space y is the
    height and x the distance from the vertical axis through the origin.
    """

    angle: float
    """Angle of repose [rad], arctan(-slope)."""
    standard_error: float
    """Standard error of the angle from the scatter of the surface grains about the line [rad]. It is the error of the
    line, not the scatter of the angles of several runs."""
    slope: float
    intercept: float
    """Height of the line at x = 0 [m]."""
    x_range: tuple[float, float]
    """Interval of x of the fitted surface [m]."""
    method: Method
    used_ids: tuple[int, ...]
    """`id` of each surface grain used."""
    grains_left: int
    by_method: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Angle and standard error of every method on the same surface grains [rad]; empty unless requested."""
    bend: float = math.nan
    """Slope angle at the top minus slope angle at the foot of the flank [rad], from y = a + b x + c x² through the same
    grains; nan unless requested."""
    bend_error: float = math.nan
    """Standard error of `bend` [rad]."""
    is_curved: bool = False
    """Whether c differs from zero with a confidence of 95 % (two-sided t-test)."""

    name: ClassVar[str] = "angle_of_repose"
    """Name of its reading."""
    label: ClassVar[Message] = _("angle of repose")
    label_of_method: ClassVar[Message] = _("angle of repose, by")

    @property
    def sentence(self) -> Message:
        """The angle in words, for a list of events."""
        return Message("Angle of repose {angle}°", angle=Number(math.degrees(self.angle), format=".1f"))

    @property
    def error_of(self) -> Message:
        """Source of the standard error, in words."""
        return ERROR_OF[self.method]


def slope_complaint(angle: float, standard_error: float, steepest: float = STEEPEST, level: float = LEVEL) -> Message:
    """Why a measured slope [rad] is not that of a heap: it may be level within `level` standard errors, or is as steep
    as `steepest`; empty if it is that of a heap. An error that is not known counts as 0."""
    error = standard_error if math.isfinite(standard_error) else 0.0
    if level * error < angle < steepest:
        return EMPTY
    return Message(
        "A slope of {angle}° ± {error}° is not that of a heap.",
        angle=Number(math.degrees(angle), format=".1f"),
        error=Number(math.degrees(error), format=".1f"),
    )
