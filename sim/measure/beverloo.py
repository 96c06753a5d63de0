"""Beverloo's law of the flow rate through an orifice, Q = n_p sqrt(g) (D - c r)^2.5.

In this form (Duffau & Lynch 2020, eq. 12) the law has no prefactor: c replaces the usual two numbers, a factor of about
0.58 and an empty ring of 1.4 diameters (c = 2.8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.world import Floats

EXPONENT = 2.5
"""Exponent of the law in space."""


@dataclass(frozen=True)
class BeverlooFit:
    """The best fit of the empty ring to measured rates."""

    c: float
    """Empty ring in mean radii [-]."""
    standard_error: float
    """Standard error of c, from the errors of the rates, or from the residuals if the errors are unknown [-]."""
    residual: float
    """Root of the mean squared deviation of the rates [1/s]."""


@dataclass(frozen=True)
class PowerFit:
    """Q = factor (D - ring)^exponent."""

    exponent: float
    standard_error: float
    """Standard error of the exponent."""
    factor: float
    """Factor of the law [1/s / m^exponent]."""


def beverloo(orifice: ArrayLike, c: float, density: float, gravity: float, radius: float) -> Floats:
    """Flow rate [1/s] through orifices [m]; number density [1/m³], gravity [m/s²], mean radius [m]."""
    opening = np.maximum(np.asarray(orifice, float) - c * radius, 0.0)
    rate: Floats = density * np.sqrt(gravity) * opening**EXPONENT
    return rate


def fit_beverloo(
    orifice: ArrayLike,
    rate: ArrayLike,
    *,
    density: float,
    gravity: float,
    radius: float,
    error: ArrayLike | None = None,
) -> BeverlooFit:
    """Least-squares fit of c to these rates [1/s], weighted by their standard errors if given.

    Raises ValueError with fewer than two orifices.
    """
    from scipy.optimize import curve_fit  # scipy takes a third of a second to import: only when fitting

    widths, rates = np.asarray(orifice, float), np.asarray(rate, float)
    if widths.size < 2:
        raise ValueError(f"Beverloo's law needs the rates of at least two orifices, got {widths.size}.")
    sigma = None if error is None else np.asarray(error, float)

    def law(width: Floats, c: float) -> Floats:
        return beverloo(width, c, density, gravity, radius)

    # Each rate alone gives a value of c; the search begins at the mean of these values.
    start = float(np.mean((widths - (rates / (density * np.sqrt(gravity))) ** (1.0 / EXPONENT)) / radius))
    best, covariance = curve_fit(law, widths, rates, p0=(start,), sigma=sigma, absolute_sigma=sigma is not None)
    deviation = rates - law(widths, float(best[0]))
    return BeverlooFit(float(best[0]), float(np.sqrt(covariance[0, 0])), float(np.sqrt(np.mean(deviation**2))))


def fit_exponent(orifice: ArrayLike, rate: ArrayLike, ring: float) -> PowerFit:
    """The exponent when the empty ring [m] is given: a straight line through the logarithms.

    In a narrow range of orifices, ring and exponent cannot be fitted together. Raises ValueError
    with fewer than three orifices, or orifices not wider than the ring.
    """
    from scipy.stats import linregress

    widths, rates = np.asarray(orifice, float), np.asarray(rate, float)
    if widths.size < 3 or (widths <= ring).any() or (rates <= 0.0).any():
        raise ValueError(
            f"An exponent needs three flowing orifices wider than the ring of {ring:g} m, got {widths.tolist()} m "
            f"with {rates.tolist()} grains per second."
        )
    line = linregress(np.log(widths - ring), np.log(rates))
    return PowerFit(float(line.slope), float(line.stderr), float(np.exp(line.intercept)))
