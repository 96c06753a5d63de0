"""Liquids in the plane: a liquid at rest as a coloured area below its level; a liquid of particles without gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import part_colour, to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.discs import disc_rows
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.display import Part
from repose.sim.message import EMPTY

WATER = Part(EMPTY, "water")
GROUND, SURFACE = 0.14, 0.9
"""Opacity of a liquid at rest and of its surface [-]."""
LINE = 2.0
"""Width of the surface [units of line width]."""
SWELL = 1.5
"""Radius of the disc behind a particle of a liquid [radii]: the discs of neighbours overlap."""
SHADE = 0.75
"""Brightness of these discs relative to their particles, linear [-]."""


def at_rest(frame: Frame) -> Floats | None:
    """A broad line from the bottom to the level, across the picture, and the surface."""
    if frame.snapshot.geometry.liquid is None:
        return None
    scale = frame.metres_per_pixel
    left, foot = frame.camera.pixel_to_world((0, frame.size[1]), frame.size)
    right, top = frame.camera.pixel_to_world((frame.size[0], 0), frame.size)
    bottom, level = frame.snapshot.geometry.liquid
    bottom, upper = max(bottom, float(foot)), min(level, float(top))
    if not upper > bottom:
        return None
    half = 0.5 * (upper - bottom)
    rows = np.empty((2, 9), np.float32)
    rows[0, 0:4] = left - half, bottom + half, right + half, bottom + half
    rows[1, 0:4] = left, level, right, level
    rows[:, 4] = 2.0 * half / scale, LINE * frame.scale
    rows[:, 5:8] = to_linear(part_colour(WATER, 0))
    rows[:, 8] = GROUND, SURFACE
    return rows


def is_wet(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Whether a sphere is a particle of a liquid, shape (spheres,)."""
    wet = [number for number, part in enumerate(snapshot.grains.parts) if part.look.endswith(WATER.look)]
    if not wet:
        return np.zeros(len(snapshot.grains.radius), np.bool_)
    return np.isin(snapshot.grains.columns["layer"], wet)


def of_particles(frame: Frame) -> Floats | None:
    """A larger, darker disc behind each particle of a liquid."""
    snapshot = frame.snapshot
    rows = is_wet(snapshot)
    if not rows.any():
        return None
    discs = disc_rows(snapshot.grains.position[rows], SWELL * snapshot.grains.radius[rows])
    discs[:, 3:6] = SHADE * frame.faces[rows]
    discs[:, 6] = 1.0
    return discs


PASS = (
    Pass("liquid", order=5, shader="lines", attributes=(4, 1, 4), instances=at_rest, dimensions=(2,)),
    Pass(
        "liquid_of_particles",
        order=16,
        shader="discs",
        attributes=(2, 1, 4, 4, 1),
        instances=of_particles,
        dimensions=(2,),
    ),
)
