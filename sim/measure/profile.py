"""Height of the surface of a packing in the plane over the horizontal position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats

OUTLINE_POINTS = 400
"""Number of points of an outline: more than a picture of a heap has columns for each grain."""


def strip_centres(x_range: tuple[float, float], width: float) -> Floats:
    """Centres of the strips of about this width [m] that divide the interval [m], shape (strips,)."""
    count = max(1, round((x_range[1] - x_range[0]) / width))
    centres: Floats = x_range[0] + (np.arange(count) + 0.5) * (x_range[1] - x_range[0]) / count
    return centres


def surface_profile(
    position: NDArray[np.float64], radius: NDArray[np.float64], x_range: tuple[float, float], width: float
) -> Floats:
    """Height of the highest point of the grains with their centre in each strip [m], 0 without grains, shape (strips,).

    position (n, 2) [m], radius (n,) [m]; the strips are those of `strip_centres`.
    """
    count = strip_centres(x_range, width).size
    strip = np.floor((position[:, 0] - x_range[0]) / (x_range[1] - x_range[0]) * count).astype(np.int64)
    inside = (strip >= 0) & (strip < count)
    height = np.zeros(count)
    np.maximum.at(height, strip[inside], (position[:, 1] + radius)[inside])
    return height


def outline(
    position: NDArray[np.float64], radius: NDArray[np.float64], x_range: tuple[float, float]
) -> dict[str, list[float]]:
    """The outline of the grains as a picture shows it: places x [m] and height of the highest disc there above the
    lowest point of all [m], 0 without grains. On a base of grains this point is the table of a picture: it is higher
    than the centres of the base.

    position (n, 2) [m], radius (n,) [m].
    """
    x = np.linspace(*x_range, OUTLINE_POINTS)
    height = np.zeros(x.size)
    floor = float((position[:, 1] - radius).min(initial=np.inf))
    for (centre, middle), own in zip(position, radius, strict=True):
        near = np.abs(x - centre) < own
        height[near] = np.maximum(height[near], middle - floor + np.sqrt(own**2 - (x[near] - centre) ** 2))
    return {"x": x.tolist(), "height": height.tolist()}
