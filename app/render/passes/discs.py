"""Grains, and walls and base of fixed grains, as discs with smooth edges at any zoom."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.fringes import CHOICE as PHOTOELASTIC
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.sim.experiment.snapshot import Floats

DIMMED = 0.26
"""Fraction of a grain's colour that remains while force chains are drawn over it [-]."""


def disc_rows(centre: Floats, radius: Floats) -> Floats:
    """Empty rows for the `discs` shader with centre and radius set, shape (n, 12).

    Columns: centre (2) [m], radius [m], face colour and alpha (4), rim colour and alpha (4), rim width [pixel].
    Colours in linear light.
    """
    rows = np.zeros((len(radius), 12), np.float32)
    rows[:, 0:2] = centre[:, :2]
    rows[:, 2] = radius
    return rows


def instances(frame: Frame) -> Floats:
    """One disc per sphere, fixed spheres first, so that grains cover them."""
    snapshot, palette = frame.snapshot, frame.palette
    rows = disc_rows(snapshot.grains.position, snapshot.grains.radius)
    faces = frame.faces
    if frame.shows(FORCE_CHAINS):
        faces = DIMMED * faces + (1.0 - DIMMED) * to_linear(palette.background)
    rows[:, 3:6] = faces
    rows[:, 6] = 1.0
    rows[:, 7:10] = faces * palette.rim
    rows[:, 10] = 1.0
    # The rim is 12 % of the radius wide, at most 1.6 units.
    rows[:, 11] = np.minimum(0.12 * snapshot.grains.radius / frame.metres_per_pixel, 1.6 * frame.scale)
    if frame.shown == PHOTOELASTIC and snapshot.contacts.forces is not None:
        return rows[snapshot.grains.fixed]  # the grains are drawn by another pass
    return rows[np.argsort(~snapshot.grains.fixed, kind="stable")]


PASS = Pass("discs", order=20, shader="discs", attributes=(2, 1, 4, 4, 1), instances=instances, dimensions=(2,))
