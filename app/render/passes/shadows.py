"""Shadows of single spheres on the ground, which show the height of a sphere above the ground."""

from __future__ import annotations

import numpy as np
from repose.app.render.ambient_occlusion import LAMP
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.sim.experiment.snapshot import Floats

LOW = 3.0
"""Height above which a sphere does not darken the ground below it [radii]."""
SHARP, SOFT = 0.12, 0.22
"""Softness of the shadow of the lamp at the sphere [radii], and its increase per height [-]."""
SKY_DARK, LAMP_DARK = 0.75, 0.5
"""Fraction of the light that is absent in the middle of a shadow of the sky and of the lamp [-]."""
LEAST_LIT = 0.12
"""Fraction of the lamp's light below which a sphere is in the shadow of others and has no shadow [-]."""
COVERED = 0.45
"""Fraction of the sky's light below which spheres cover the ground and shadows are not visible [-]."""
FAINTEST = 0.06
"""Darkness below which a shadow is not drawn [-]."""


def instances(frame: Frame) -> Floats | None:
    """Two soft ellipses per sphere: the shadow of the sky below it and of the lamp beside it."""
    snapshot = frame.snapshot
    ground = snapshot.geometry.box[0][2]
    if frame.shows(FORCE_CHAINS) or frame.orbit.eye()[2] <= ground:
        return None
    occlusion = frame.ambient_occlusion
    lit = np.flatnonzero(occlusion.lamp > LEAST_LIT)
    kept = np.flatnonzero(frame.kept)[lit]
    centre, radius = snapshot.grains.position[kept], snapshot.grains.radius[kept]
    height = np.maximum(centre[:, 2] - np.float32(ground), radius)
    low = height < LOW * radius
    soft = SHARP * radius + SOFT * (height - radius)
    aside = centre[:, :2] - (height / np.float32(LAMP[2]))[:, None] * np.array(LAMP[:2], np.float32)
    sky = _rows(frame, centre[low, :2], radius[low], radius[low], SKY_DARK * (radius[low] / height[low]) ** 2)
    dark = LAMP_DARK * occlusion.lamp[lit] * np.minimum(radius / np.maximum(soft, 1e-30), 1.0) ** 2
    slanted = _rows(frame, aside, radius, soft, dark)
    slanted[:, 5] = 1.0 / LAMP[2]
    return np.concatenate((sky, slanted))


def _rows(frame: Frame, middle: Floats, radius: Floats, soft: Floats, dark: Floats) -> Floats:
    """Visible round shadows, shape (n, 7): centre (3), radius, softness [m], stretch, darkness [-]."""
    occlusion = frame.ambient_occlusion
    cell = (middle - np.array(occlusion.origin, np.float32)) / np.float32(occlusion.cell)
    x, y = np.rint(np.clip(cell, 0, np.array(occlusion.ground.shape[:2]) - 1)).astype(np.intp).T
    # Shadows inside the shadow of the packing are not visible, and drawing them would take most of the time.
    lamp, sky = occlusion.ground[x, y].T
    dark = dark * lamp
    seen = (dark > FAINTEST) & (sky > COVERED)
    rows = np.empty((int(seen.sum()), 7), np.float32)
    rows[:, :2] = middle[seen]
    rows[:, 2] = frame.snapshot.geometry.box[0][2]
    rows[:, 3] = radius[seen]
    rows[:, 4] = soft[seen]
    rows[:, 5] = 1.0
    rows[:, 6] = dark[seen]
    return rows


PASS = Pass(
    "shadows", order=6, shader="shadows", attributes=(3, 2, 2), instances=instances, dimensions=(3,), switch=CONTAINER
)
