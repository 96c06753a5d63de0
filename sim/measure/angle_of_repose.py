"""Angle of repose of a heap at rest: the slope of a straight line through its surface grains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Method = Literal["line", "robust", "height_over_base", "sectors"]
"""The last one is that of a heap in space (repose.sim.measure.angle_of_repose_3d)."""
ERROR_OF: dict[Method, str] = {
    "line": "line fit",
    "robust": "line fit",
    "height_over_base": "one grain radius",
    "sectors": "sectors",
}
"""Source of the standard error of one measurement; heaps of other seeds scatter more."""


@dataclass(frozen=True)
class AngleOfRepose:
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

    @property
    def error_of(self) -> str:
        """Source of the standard error, in words."""
        return ERROR_OF[self.method]


def angle_in_words(angle: float, error: float, error_of: str) -> str:
    """An angle [rad] with its standard error and the source of the error: "13.0° ± 0.5° (line fit)"."""
    text = f"{math.degrees(angle):.1f}°".replace("-", "−")
    return f"{text} ± {math.degrees(error):.1f}° ({error_of})" if math.isfinite(error) else text


def measure_angle(
    position: NDArray[np.float64],
    radius: NDArray[np.float64],
    sphere_id: NDArray[np.int64],
    *,
    x_range: tuple[float, float],
    highest: int = 2,
    method: Method = "line",
) -> AngleOfRepose | None:
    """The slope of a heap that falls to the right, or None with fewer than three surface grains.

    `x_range` [m] is divided into strips one mean diameter wide; the `highest` grains of each strip, by the height of
    their centres, are the surface (thesis 3.2.3). position (n, 2) [m], radius (n,) [m], sphere_id (n,).
    "line" is the least-squares line; "robust" the Theil-Sen line, with half of its 68 % interval as
    error; "height_over_base" the height of the surface at the left over the length of the base,
    with an error of one grain radius at either end.
    """
    inside = np.flatnonzero((position[:, 0] >= x_range[0]) & (position[:, 0] <= x_range[1]))
    surface = surface_rows(position[inside], 2.0 * float(radius.mean()) if radius.size else 1.0, x_range[0], highest)
    used = inside[surface]
    if used.size < 3 or np.ptp(position[used, 0]) == 0.0:
        return None
    x, y = position[used].T
    slope, error, intercept = _FITS[method](x, y, float(radius.mean()))
    return AngleOfRepose(
        angle=float(np.arctan(-slope)),
        standard_error=float(error / (1.0 + slope**2)),
        slope=float(slope),
        intercept=float(intercept),
        x_range=(float(x.min()), float(x.max())),
        method=method,
        used_ids=tuple(sphere_id[used].tolist()),
        grains_left=int(radius.size),
    )


def surface_rows(position: NDArray[np.float64], width: float, left: float, highest: int) -> NDArray[np.int64]:
    """Rows of the `highest` grains of each strip of the given width [m], counted from `left` [m]."""
    strip = np.floor((position[:, 0] - left) / width).astype(np.int64)
    order = np.lexsort((-position[:, 1], strip))
    first = np.searchsorted(strip[order], strip[order])
    return np.sort(order[np.arange(order.size) - first < highest])


def _line(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float]:
    from scipy.stats import linregress  # scipy takes a third of a second to import: only when measuring

    fit = linregress(x, y)
    # scipy gives nan for the error of a perfectly level line.
    return fit.slope, float(np.nan_to_num(fit.stderr)), fit.intercept


def _robust(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float]:
    from scipy.stats import theilslopes

    fit = theilslopes(y, x, alpha=0.68)
    return fit.slope, 0.5 * (fit.high_slope - fit.low_slope), fit.intercept


def _height_over_base(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float]:
    height, base = float(y.max() - y.min()), float(np.ptp(x))
    slope = -height / base
    return slope, float(np.hypot(radius / base, slope * radius / base)), float(y.max() - slope * x.min())


_FITS = {"line": _line, "robust": _robust, "height_over_base": _height_over_base}
