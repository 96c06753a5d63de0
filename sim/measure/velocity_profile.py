"""Profile of the velocity over the height of a layer that flows down a rough base, and the law of Bagnold.

In a steady flow the shear stress over the pressure is the tangent of the slope at every height. If this ratio is a
function of the inertial number I alone, I is the same everywhere: the shear rate is I √(P/m) in the plane, and grows
with the pressure as the square root of the depth below the surface. Its integral from the base is the profile of
Bagnold, u(z) = A (h^(3/2) − (h − z)^(3/2)) (Bagnold 1954; GDR MiDi 2004).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats

BAGNOLD_RATIO = 1.0 - 0.5**1.5
"""Velocity at half of the thickness over that at the surface in the law of Bagnold [-]."""
LEAST_EXPONENT, LARGEST_EXPONENT, EXPONENT_STEPS = 0.3, 20.0, 40
"""Range of a fitted exponent [-] and number of steps of its fit."""
MOST_SLIP = 0.5
"""Velocity at the base over that at the surface above which a layer slides rather than shears [-]."""


def layer_sums(
    height: Floats, velocity: Floats, weight: Floats, thickness: float, layers: int
) -> tuple[Floats, Floats]:
    """Sums of the weights, and of weights times velocities, over the grains whose centre is in each of the layers of
    equal thickness [m] above 0, shape (layers,); height [m] and velocity [m/s], shape (n,)."""
    layer = np.floor(height / thickness).astype(np.int64)
    inside = (layer >= 0) & (layer < layers)
    weights: Floats = np.bincount(layer[inside], weight[inside], layers).astype(float)
    moments: Floats = np.bincount(layer[inside], (weight * velocity)[inside], layers).astype(float)
    return weights, moments


def bagnold(height: Floats, thickness: float) -> Floats:
    """h^(3/2) − (h − z)^(3/2) [m^1.5] at these heights z [m] in a layer of the thickness h [m]; constant above it."""
    shape: Floats = thickness**1.5 - np.maximum(thickness - height, 0.0) ** 1.5
    return shape


def fitted_bagnold(height: Floats, velocity: Floats, thickness: float) -> tuple[float, float]:
    """The factor A [1/(m^0.5 s)] of the profile of Bagnold that is nearest to these velocities [m/s] at these heights
    [m], and the root mean square of the deviation over the velocity at the surface [-]."""
    shape = bagnold(height, thickness)
    factor = float(shape @ velocity / (shape @ shape))
    deviation = float(np.sqrt(np.mean((velocity - factor * shape) ** 2)))
    return factor, deviation / max(abs(factor) * thickness**1.5, 1e-300)


class SlippingProfile(NamedTuple):
    """The profile u(z) = u_b + (u_s − u_b) (1 − (1 − z/h)^p) that is nearest to velocities."""

    exponent: float
    """p, 3/2 in the law of Bagnold [-]; nan where the layer slides rather than shears."""
    error: float
    """Standard error of p, of the linearised fit with independent deviations [-]."""
    slip: float
    """u_b over u_s: the velocity at the base over that at the surface [-]."""


def fitted_exponent(height: Floats, velocity: Floats, thickness: float) -> SlippingProfile:
    """The profile with any exponent, between `LEAST_EXPONENT` and `LARGEST_EXPONENT`, and with slip at the base that is
    nearest to these velocities [m/s] at these heights [m].

    A bumpy base lets the layer slip. Without u_b the exponent has to describe the slip too, and is larger. Least
    squares in u_b, u_s - u_b and p (Gauss-Newton).
    """
    depth = np.clip(1.0 - height / thickness, 0.0, 1.0)
    logarithm = np.log(np.maximum(depth, 1e-300))
    exponent, sheared, slip, moments = 1.5, float(velocity[-1]), 0.0, np.eye(3)
    for _step in range(EXPONENT_STEPS):
        power = depth**exponent
        columns = np.column_stack([np.ones(depth.size), 1.0 - power, -sheared * power * logarithm])
        left = velocity - slip - sheared * (1.0 - power)
        change, _residual, _rank, _values = np.linalg.lstsq(columns, left, rcond=None)
        slip, sheared = slip + float(change[0]), sheared + float(change[1])
        exponent = min(max(exponent + float(change[2]), LEAST_EXPONENT), LARGEST_EXPONENT)
        moments = columns.T @ columns
    left = velocity - slip - sheared * (1.0 - depth**exponent)
    variance = float(left @ left) / max(left.size - 3, 1) * float(np.linalg.pinv(moments)[2, 2])
    share = slip / (slip + sheared) if slip + sheared else math.nan
    return SlippingProfile(exponent if share < MOST_SLIP else math.nan, math.sqrt(max(variance, 0.0)), share)
