"""Shadows of single spheres on the ground, on top of the soft shadow of the packing: they show what touches it."""

from __future__ import annotations

import numpy as np
from repose.app.render.ambient_occlusion import LAMP
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.sim.experiment.snapshot import Floats

LOW = 3.0
"""A sphere higher than this takes no sky from the ground [radii]."""
SHARP, SOFT = 0.12, 0.22
"""Softness of the lamp's shadow at the sphere [radii], and what it grows by per height."""
SKY_DARK, LAMP_DARK = 0.75, 0.5
"""Share of the ground's light that is gone in the middle of a shadow."""
BARE = 0.12
"""Spheres that get less of the lamp's light than this stand in the shadow of others."""

COVERED = 0.45
"""Where the ground gets less of the sky than this, spheres lie on it close together and nobody sees its shadows."""
FAINTEST = 0.06
"""Shadows less dark than this are left out."""


def instances(frame: Frame) -> Floats | None:
    """Two soft ellipses per sphere: what it takes of the sky right below, and of the lamp beside."""
    snapshot = frame.snapshot
    ground = snapshot.box[0][2]
    if frame.shows(FORCE_CHAINS) or frame.orbit.eye()[2] <= ground:
        return None
    occlusion = frame.ambient_occlusion
    lit = np.flatnonzero(occlusion.lamp > BARE)
    kept = np.flatnonzero(frame.kept)[lit]
    place, radius = snapshot.position[kept], snapshot.radius[kept]
    height = np.maximum(place[:, 2] - np.float32(ground), radius)
    low = height < LOW * radius
    soft = SHARP * radius + SOFT * (height - radius)
    aside = place[:, :2] - (height / np.float32(LAMP[2]))[:, None] * np.array(LAMP[:2], np.float32)
    sky = _rows(frame, place[low, :2], radius[low], radius[low], SKY_DARK * (radius[low] / height[low]) ** 2)
    dark = LAMP_DARK * occlusion.lamp[lit] * np.minimum(radius / np.maximum(soft, 1e-30), 1.0) ** 2
    slanted = _rows(frame, aside, radius, soft, dark)
    slanted[:, 5] = 1.0 / LAMP[2]
    return np.concatenate((sky, slanted))


def _rows(frame: Frame, middle: Floats, radius: Floats, soft: Floats, dark: Floats) -> Floats:
    """Round shadows, shape (n, 7): middle (3), radius, softness [m], stretch, darkness; those not seen left out."""
    occlusion = frame.ambient_occlusion
    cell = (middle - np.array(occlusion.origin, np.float32)) / np.float32(occlusion.cell)
    x, y = np.rint(np.clip(cell, 0, np.array(occlusion.ground.shape[:2]) - 1)).astype(np.intp).T
    # Where the packing has taken the light already, a shadow is not seen; such shadows would cost most of the drawing.
    lamp, sky = occlusion.ground[x, y].T
    dark = dark * lamp
    seen = (dark > FAINTEST) & (sky > COVERED)
    rows = np.empty((int(seen.sum()), 7), np.float32)
    rows[:, :2] = middle[seen]
    rows[:, 2] = frame.snapshot.box[0][2]
    rows[:, 3] = radius[seen]
    rows[:, 4] = soft[seen]
    rows[:, 5] = 1.0
    rows[:, 6] = dark[seen]
    return rows


PASS = Pass(
    "shadows", order=6, shader="shadows", attributes=(3, 2, 2), instances=instances, dimensions=(3,), switch=CONTAINER
)
