"""Angle of repose of a heap at rest: the slope of a straight line through its surface grains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Method = Literal["line", "robust", "height_over_base"]


@dataclass(frozen=True)
class AngleOfRepose:
    """One reading of the slope.

    The surface is y = intercept + slope x [m]; a heap that falls to the right has a positive angle.
    """

    angle: float
    """[rad], arctan(-slope)."""
    standard_error: float
    """Of the angle, from the scatter of the surface grains about the line [rad]."""
    slope: float
    intercept: float
    """[m]."""
    x_range: tuple[float, float]
    """The stretch of surface fitted [m]."""
    method: Method
    used_ids: NDArray[np.int64]
    """`id` of each surface grain used, shape (used,)."""
    grains_left: int
