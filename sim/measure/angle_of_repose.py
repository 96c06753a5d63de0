"""Angle of repose of a heap at rest: the slope of a straight line through its surface grains."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.measure.surface_slope import Method, SurfaceSlope
from repose.sim.message import EMPTY, Joined, Message, Number, formatted, joined


def bend_in_words(slope: SurfaceSlope) -> Message:
    """The curvature of a flank in words: "4.2° ± 1.5° steeper at the top"; empty for a straight flank."""
    if not slope.is_curved:
        return EMPTY
    bend, error = abs(math.degrees(slope.bend)), math.degrees(slope.bend_error)
    if slope.bend > 0.0:
        return Message(
            "{bend}° ± {error}° steeper at the top", bend=Number(bend, format=".1f"), error=Number(error, format=".1f")
        )
    return Message(
        "{bend}° ± {error}° steeper at the foot", bend=Number(bend, format=".1f"), error=Number(error, format=".1f")
    )


def angle_in_words(angle: float, error: float, error_of: Message) -> Message:
    """An angle [rad] with its standard error and the source of the error: "13.0° ± 0.5° (line fit)"."""
    shown = formatted(math.degrees(angle), ".1f", "°")
    if not math.isfinite(error):
        return shown
    return joined((shown, " ± ", Number(math.degrees(error), "°", ".1f"), " (", error_of, ")"), "")


def with_error(angle: float, error: float) -> Joined:
    """An angle [rad] with its standard error, in a sentence: "13.0° ± 0.5°"."""
    shown = (Number(math.degrees(angle), "°", ".1f"), Number(math.degrees(error), "°", ".1f"))
    return Joined(shown if math.isfinite(error) else shown[:1], " ± ")


def measure_angle(
    position: NDArray[np.float64],
    radius: NDArray[np.float64],
    sphere_id: NDArray[np.int64],
    *,
    x_range: tuple[float, float],
    highest: int = 2,
    method: Method = "line",
    complete: bool = False,
) -> SurfaceSlope | None:
    """The slope of a heap that falls to the right, or None with fewer than three surface grains.

    `x_range` [m] is divided into strips one mean diameter wide; the `highest` grains of each strip, by the height of
    their centres, are the surface (thesis 3.2.3). position (n, 2) [m], radius (n,) [m], sphere_id (n,).
    "line" is the least-squares line; "robust" the Theil-Sen line, with half of its 68 % interval as
    error; "height_over_base" the height of the surface at the left over the length of the base,
    with an error of one grain radius at either end. With `complete` the angle is found by every method, and the
    curvature of the flank.
    """
    inside = np.flatnonzero((position[:, 0] >= x_range[0]) & (position[:, 0] <= x_range[1]))
    surface = surface_rows(position[inside], 2.0 * float(radius.mean()) if radius.size else 1.0, x_range[0], highest)
    used = inside[surface]
    if used.size < 3 or np.ptp(position[used, 0]) == 0.0:
        return None
    x, y = position[used].T
    slope, error, intercept = _FITS[method](x, y, float(radius.mean()))
    by_method = {}
    for name, fit in _FITS.items() if complete else ():
        other, its_error, _ = fit(x, y, float(radius.mean()))
        by_method[name] = float(np.arctan(-other)), float(its_error / (1.0 + other**2))
    bend, bend_error, is_curved = _bend(x, y) if complete else (math.nan, math.nan, False)
    return SurfaceSlope(
        angle=float(np.arctan(-slope)),
        standard_error=float(error / (1.0 + slope**2)),
        slope=float(slope),
        intercept=float(intercept),
        x_range=(float(x.min()), float(x.max())),
        method=method,
        used_ids=tuple(sphere_id[used].tolist()),
        grains_left=int(radius.size),
        by_method=by_method,
        bend=bend,
        bend_error=bend_error,
        is_curved=is_curved,
    )


def _bend(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, bool]:
    """Angle at the left end minus that at the right end of the parabola y = a + b u + c u², u = x - mean(x), with its
    standard error [rad], and whether c is significant.

    The angle is arctan(-(b + 2 c u)); the error of the difference is therefore 2 σ_c (u_1 - u_0)/(1 + b²).
    """
    if x.size < 5 or np.unique(x).size < 4:
        return math.nan, math.nan, False
    from scipy.stats import t as student

    u = x - x.mean()
    (c, b, _), covariance = np.polyfit(u, y, 2, cov=True)
    error = math.sqrt(max(float(covariance[0, 0]), 0.0))
    ends = np.array((u.min(), u.max()))
    top, foot = np.arctan(-(b + 2.0 * c * ends))
    quantile = float(student.ppf(0.975, x.size - 3))
    rounding = 1e-9 * float(np.ptp(y) or 1.0) / float(np.ptp(u)) ** 2
    is_curved = abs(float(c)) > quantile * error + rounding
    return float(top - foot), 2.0 * error * float(np.ptp(u)) / float(1.0 + b**2), is_curved


def surface_rows(position: NDArray[np.float64], width: float, left: float, highest: int) -> NDArray[np.int64]:
    """Rows of the `highest` grains of each strip of the given width [m], counted from `left` [m]."""
    strip = np.floor((position[:, 0] - left) / width).astype(np.int64)
    order = np.lexsort((-position[:, 1], strip))
    first = np.searchsorted(strip[order], strip[order])
    return np.sort(order[np.arange(order.size) - first < highest])


def _line(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float]:
    # The same operations as in scipy's linregress, whose checks and p-value take ten times as long as the fit.
    over_x, across, _, over_y = np.cov(x, y, bias=True).flat
    slope = across / over_x
    error = 0.0  # of a perfectly level line
    if over_y != 0.0:
        correlation = min(max(across / np.sqrt(over_x * over_y), -1.0), 1.0)
        error = float(np.sqrt((1.0 - correlation**2) * over_y / over_x / (x.size - 2)))
    return slope, error, y.mean() - slope * x.mean()


def _robust(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float]:
    from scipy.stats import theilslopes

    fit = theilslopes(y, x, alpha=0.68)
    return fit.slope, 0.5 * (fit.high_slope - fit.low_slope), fit.intercept


def _height_over_base(x: NDArray[np.float64], y: NDArray[np.float64], radius: float) -> tuple[float, float, float]:
    height, base = float(y.max() - y.min()), float(np.ptp(x))
    slope = -height / base
    return slope, float(np.hypot(radius / base, slope * radius / base)), float(y.max() - slope * x.min())


_FITS = {"line": _line, "robust": _robust, "height_over_base": _height_over_base}
