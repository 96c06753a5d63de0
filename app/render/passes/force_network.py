"""Force chains in 3D: every contact as a rod from centre to centre, its width proportional to the normal force."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.cutaway import is_cut
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.force_chains import FORCE_CHAINS, WIDTH, drawn_contacts
from repose.sim.experiment.snapshot import Floats

RELATIVE_WIDTH = 0.75
"""Width of a rod relative to the line in 2D: rods overlap [-]."""
LEAST_WIDTH = 0.6
"""Smallest width of a rod in the picture [units of line width]."""
FAINTEST = 0.08
"""Fraction of the colour of a rod without force: weak rods are dark, because many overlap [-]."""


def instances(frame: Frame) -> Floats | None:
    """One rod per drawn contact, the farthest first; weak contacts are darker."""
    snapshot = frame.snapshot
    chosen = drawn_contacts(snapshot)
    if chosen is None:
        return None
    drawn, strength, radius = chosen
    ends = snapshot.contacts.ends[drawn].reshape(-1, 2, 3)
    middle = ends.mean(axis=1)
    rows = np.empty((len(drawn), 12), np.float32)
    rows[:, 0:6] = snapshot.contacts.ends[drawn]
    rows[:, 6] = RELATIVE_WIDTH * WIDTH * strength * radius
    rows[:, 7] = LEAST_WIDTH * frame.scale
    brightness = np.clip(FAINTEST + 0.2 * strength, 0.0, 1.0)[:, None]
    palette = frame.palette
    rows[:, 8:11] = brightness * to_linear(palette.chain) + (1.0 - brightness) * to_linear(palette.background)
    rows[:, 11] = 1.0
    kept = np.isfinite(ends).all(axis=(1, 2)) & ~is_cut(middle, frame.cut)
    return rows[kept][np.argsort(-frame.orbit.depth(middle[kept]))]


PASS = Pass(
    "force_network",
    order=30,
    shader="strokes",
    attributes=(3, 3, 2, 4),
    instances=instances,
    dimensions=(3,),
    depth="kept",
    switch=FORCE_CHAINS,
    needs_contacts=True,
)
