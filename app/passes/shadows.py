"""Shadows of single spheres on the ground, on top of the soft shadow of the packing: they show what touches it."""

from __future__ import annotations

import numpy as np

from app.daylight import LAMP
from app.passes import Frame, Pass
from sim.snapshot import Floats

LOW = 3.0
"""A sphere higher than this takes no sky from the ground [radii]."""
SHARP, SOFT = 0.12, 0.22
"""Softness of the lamp's shadow at the sphere [radii], and what it grows by per height."""
SKY_DARK, LAMP_DARK = 0.75, 0.5
"""Share of the ground's light that is gone in the middle of a shadow."""
BARE = 0.12
"""Spheres that get less of the lamp's light than this stand in the shadow of others."""

FAINTEST = 0.06
"""Shadows less dark than this are left out."""


def instances(frame: Frame) -> Floats | None:
    """Two soft ellipses per sphere: what it takes of the sky right below, and of the lamp beside."""
    snapshot = frame.snapshot
    ground = snapshot.box[0][2]
    if not frame.view.show_box or frame.view.show_force_chains or frame.orbit.eye()[2] <= ground:
        return None
    daylight = frame.daylight
    lit = daylight.lamp > BARE
    place, radius = snapshot.position[frame.kept][lit], snapshot.radius[frame.kept][lit]
    height = np.maximum(place[:, 2] - ground, radius)
    low = height < LOW * radius
    sky = _rows(place[low], radius[low], ground)
    sky[:, 4] = radius[low]
    sky[:, 6] = SKY_DARK * (radius[low] / height[low]) ** 2
    slanted = _rows(place, radius, ground)
    slanted[:, :2] -= (height / LAMP[2])[:, None] * np.array(LAMP[:2], np.float32)
    soft = SHARP * radius + SOFT * (height - radius)
    slanted[:, 4] = soft
    slanted[:, 5] = 1.0 / LAMP[2]
    slanted[:, 6] = LAMP_DARK * daylight.lamp[lit] * np.minimum(radius / np.maximum(soft, 1e-30), 1.0) ** 2
    rows = np.concatenate((sky, slanted))
    # What falls where the packing has taken the light already, or is too faint to be seen, need not be drawn.
    cell = np.rint((rows[:, :2] - daylight.origin) / daylight.cell).astype(np.intp)
    inside = ((cell >= 0) & (cell < daylight.ground.shape[:2])).all(axis=1)
    left = daylight.ground[tuple(np.where(inside[:, None], cell, 0).T)][:, 0]
    rows[:, 6] *= np.where(inside, left, 1.0)
    return rows[rows[:, 6] > FAINTEST]


def _rows(place: Floats, radius: Floats, ground: float) -> Floats:
    """Right below the spheres, shape (n, 7): middle (3), radius, softness [m], stretch, darkness."""
    rows = np.empty((len(radius), 7), np.float32)
    rows[:, :2] = place[:, :2]
    rows[:, 2] = ground
    rows[:, 3] = radius
    rows[:, 5] = 1.0
    return rows


PASS = Pass("shadows", order=6, shader="shadows", attributes=(3, 2, 2), instances=instances, dimensions=(3,))
