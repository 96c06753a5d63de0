"""Grains in 3D: spheres with exact depth and smooth edges, in soft light, with marks that show their orientation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import to_linear
from repose.app.render.hidden import seen_from
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.app.render.passes.measured_slope import SLOPE
from repose.sim.experiment.snapshot import Floats

REDUCED = 0.3
"""Radius of a grain while force chains are drawn [radii]: chains between the grains are visible."""
FAINT = 0.45
"""Fraction of a grain's colour that remains while force chains are drawn [-]."""
RING, MOST_RING, RING_TINT = 0.11, 1.2, 0.3
"""Width of the ring around a grain of the fit [radii], its upper limit [units of line width], and the fraction of the
mark colour in it [-]: hundreds of grains are marked."""
ATTRIBUTES = (3, 1, 4, 4, 4, 4, 2)


def sphere_rows(centre: Floats, radius: Floats) -> Floats:
    """Rows for the `spheres` shader in full light, shape (n, 22).

    Columns: centre (3) [m], radius [m], face colour and alpha (4), rim colour (3) and width [pixel], orientation (4),
    direction away from the neighbours (3) and crowding, share of the lamp and of the sky (2). Colours in linear light.
    """
    rows = np.zeros((len(radius), sum(ATTRIBUTES)), np.float32)
    rows[:, 0:3] = centre
    rows[:, 3] = radius
    rows[:, 7] = 1.0
    rows[:, 20:22] = 1.0
    return rows


def instances(frame: Frame) -> Floats | None:
    """One instance per sphere that can be seen, the farthest first."""
    snapshot, palette, kept = frame.snapshot, frame.palette, np.flatnonzero(frame.kept)
    if frame.shows(FORCE_CHAINS):
        rows = sphere_rows(snapshot.grains.position[kept], REDUCED * snapshot.grains.radius[kept])
        rows[:, 4:7] = FAINT * frame.faces[kept] + (1.0 - FAINT) * to_linear(palette.background)
        return rows.take(_back_to_front(frame, kept), axis=0)
    # Another pass draws translucent grains, which hide nothing.
    opaque = np.flatnonzero(snapshot.grains.fixed[kept]) if frame.is_translucent else np.arange(len(kept))
    position, radius = snapshot.grains.position[kept[opaque]], snapshot.grains.radius[kept[opaque]]
    seen = opaque[seen_from(frame.orbit, frame.size, position, radius)]
    seen = seen[_back_to_front(frame, kept[seen])]
    kept, occlusion = kept[seen], frame.ambient_occlusion
    rows = sphere_rows(snapshot.grains.position[kept], snapshot.grains.radius[kept])
    rows[:, 4:7] = frame.faces[kept]
    rows[:, 16:19] = occlusion.outward[seen]
    rows[:, 19] = occlusion.crowding[seen]
    rows[:, 20] = occlusion.lamp[seen]
    rows[:, 21] = occlusion.sky[seen]
    if snapshot.grains.orientation.shape == (len(snapshot.grains.radius), 4):
        rows[:, 12:16] = np.where(snapshot.grains.fixed[kept, None], np.float32(0.0), snapshot.grains.orientation[kept])
    measurement = snapshot.results.slope
    if frame.shows(SLOPE) and measurement is not None and math.isfinite(measurement.angle):
        used = np.isin(snapshot.grains.sphere_id[kept], measurement.used_ids)
        rows[used, 8:11] = RING_TINT * to_linear(palette.mark) + (1.0 - RING_TINT) * rows[used, 4:7]
        rows[used, 11] = np.clip(RING * rows[used, 3] / frame.metres_per_pixel, 0.7, MOST_RING * frame.scale)
    return rows


def _back_to_front(frame: Frame, kept: NDArray[np.intp]) -> NDArray[np.intp]:
    """The order of the spheres `kept`, the farthest first."""
    return np.argsort(-frame.orbit.depth(frame.snapshot.grains.position[kept]).astype(np.float32))


PASS = Pass(
    "spheres", order=20, shader="spheres", attributes=ATTRIBUTES, instances=instances, dimensions=(3,), depth="kept"
)
