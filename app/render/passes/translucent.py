"""The photoelastic view in space: translucent spheres, and in them the forces from centre to contact as rods.

The colour and the width of a rod follow the normal force of its contact.
"""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import position_on_map, shades, to_linear
from repose.app.render.cutaway import is_cut
from repose.app.render.passes import Frame, Pass
from repose.sim.engine.boundaries import nearest_image
from repose.sim.experiment.snapshot import Floats

CLEAR, DENSE = 0.35, 1.5
"""Largest opacity of a sphere, and of all spheres in a line of sight through a packing as high as wide [-]."""
LEAST = 0.1
"""Smallest force that is drawn [largest values of the colours]: rods of weak contacts would cover strong ones."""
WIDEST, NARROWEST = 0.35, 0.7
"""Width of a rod of the largest force [mean radii], and smallest width in the picture [units of line width]."""


def rods(frame: Frame) -> Floats | None:
    """One rod per contact, from centre to centre, or from centre to contact point at a wall; the farthest first."""
    forces, scale = frame.snapshot.contacts.forces, frame.contact_scale
    if not frame.is_translucent or forces is None or scale is None:
        return None
    colouring, span = scale
    position = frame.snapshot.grains.position
    strength = forces.normal_force / span[1]
    first = position[forces.i].astype(np.float64)
    other = nearest_image(first, position[forces.j].astype(np.float64), frame.snapshot.geometry.boundary)
    second = np.where((forces.j >= 0)[:, None], other, forces.point)
    middle = 0.5 * (first + second)
    kept = (strength > LEAST) & np.isfinite(middle).all(axis=1) & ~is_cut(middle, frame.cut)
    kept &= ~(frame.snapshot.grains.fixed[forces.i] & (forces.j < 0))
    radius = float(frame.snapshot.grains.radius[~frame.snapshot.grains.fixed].mean()) if kept.any() else 0.0
    rows = np.empty((int(kept.sum()), 12), np.float32)
    rows[:, 0:3], rows[:, 3:6] = first[kept], second[kept]
    rows[:, 6] = WIDEST * radius * np.minimum(strength[kept], 1.0)
    rows[:, 7] = NARROWEST * frame.scale
    share = position_on_map(forces.normal_force[kept], colouring, span)
    rows[:, 8:11] = shades(share, frame.view.colour_map, frame.palette)
    rows[:, 11] = 1.0
    return rows[np.argsort(-frame.orbit.depth(middle[kept]))]


def shells(frame: Frame) -> Floats | None:
    """One round patch per sphere, the farthest first: strokes without length, dark at their edges."""
    snapshot = frame.snapshot
    if not frame.is_translucent:
        return None
    kept = np.flatnonzero(frame.kept & ~snapshot.grains.fixed)
    kept = kept[np.argsort(-frame.orbit.depth(snapshot.grains.position[kept]))]
    rows = np.zeros((len(kept), 12), np.float32)
    rows[:, 0:3] = rows[:, 3:6] = snapshot.grains.position[kept]
    rows[:, 6] = 2.0 * snapshot.grains.radius[kept]
    rows[:, 8:11] = to_linear(frame.palette.grain)
    rows[:, 11] = min(CLEAR, DENSE / max(len(kept), 1) ** (1.0 / 3.0))
    return rows


PASS = (
    Pass(
        "translucent",
        order=29,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=rods,
        dimensions=(3,),
        depth="kept",
    ),
    Pass(
        "translucent_spheres",
        order=46,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=shells,
        dimensions=(3,),
        depth="tested",
    ),
)
