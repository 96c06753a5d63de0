"""Fringes of photoelastic grains: the stress-optic coefficient, what the legend shows of them, and their colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import Colouring, Ranges
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.message import _

CHOICE = "photoelastic"
"""Name of the look in `View.colour_by`."""
WAVELENGTH = 550e-9
"""Wavelength of monochrome light [m]; white light is computed for three, in shaders/photoelastic.glsl."""
WAVES = (630e-9, 540e-9, 450e-9)
"""Wavelengths of red, green and blue [m], as in shaders/photoelastic.glsl."""
GROUND = 0.035
"""Light of a disc without stress [-], as in shaders/photoelastic.glsl."""
STRONG, ORDER = 0.9, 0.35
"""Share of the contacts that are weaker than a strong one [-], and the order of the fringes that this one alone makes
at the distance of a radius, if the coefficient follows from the forces [-]."""
FRINGES = 3.0
"""Orders that the legend shows."""


def stress_optic(snapshot: Snapshot, view: View, ranges: Ranges) -> float:
    """The stress-optic coefficient [1/Pa]: the chosen one, or one that follows from the forces in the picture; 0
    without forces."""
    forces = snapshot.contacts.forces
    if view.stress_optic or forces is None:
        return view.stress_optic
    pressing = forces.normal_force > 0.0
    if not pressing.any():
        return 0.0
    stress = 2.0 / np.pi * forces.normal_force[pressing] / snapshot.grains.radius[forces.i[pressing]]
    return ranges.stepped(CHOICE, ORDER * WAVELENGTH / float(np.quantile(stress, STRONG)), snapshot)


def scale_of_fringes(coefficient: float) -> tuple[Colouring, tuple[float, float]] | None:
    """What the legend shows: the difference of the principal stresses up to the order `FRINGES`; None without
    forces."""
    if not coefficient:
        return None
    span = 0.0, FRINGES * WAVELENGTH / coefficient
    title = _("Difference of stresses")
    return Colouring(CHOICE, title, "Δσ", "N/m", "continuous", lambda values, shot: span), span


def colours_of_orders(orders: NDArray[Any], white_light: bool) -> Floats:
    """Colours of these orders as the discs have them, linear light, shape (orders, 3)."""
    waves = np.array(WAVES) if white_light else np.full(3, WAVELENGTH)
    passed = 0.5 - 0.5 * np.cos(2.0 * np.pi * orders[:, None] * WAVELENGTH / waves)
    colours: Floats = (GROUND + (1.0 - GROUND) * passed).astype(np.float32)
    return colours
