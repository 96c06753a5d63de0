"""Force chains: every contact as a line from centre to centre, as wide as its normal force is large."""

from __future__ import annotations

import numpy as np

from app.colours import to_linear
from app.passes import Frame, Pass
from sim.snapshot import Floats

LEAST = 0.1
"""Contacts below this share of the mean force are left out: they carry nothing and hide the rest."""
WIDTH = 0.12
"""Width of a line of mean force, in mean radii."""
WIDEST = 5.0
"""Forces above this many times the mean are drawn this wide."""


def instances(frame: Frame) -> Floats | None:
    """One line per contact that carries force, weak ones first and fainter."""
    snapshot = frame.snapshot
    force = snapshot.contact_force
    if not frame.view.show_force_chains or not len(force):
        return None
    mean = float(force.mean())
    if not mean > 0.0:
        return None
    share = force / mean
    drawn = np.flatnonzero(share > LEAST)
    drawn = drawn[np.argsort(share[drawn], kind="stable")]
    strength = np.minimum(share[drawn], WIDEST)
    moving = snapshot.radius[~snapshot.fixed]
    radius = float(moving.mean()) if len(moving) else float(snapshot.radius.mean())
    dimension = snapshot.contact_ends.shape[1] // 2
    rows = np.empty((len(drawn), 9), np.float32)
    rows[:, 0:2] = snapshot.contact_ends[drawn, 0:2]
    rows[:, 2:4] = snapshot.contact_ends[drawn, dimension : dimension + 2]
    rows[:, 4] = WIDTH * strength * radius / frame.camera.metres_per_pixel
    rows[:, 5:8] = to_linear(frame.palette.chain)
    rows[:, 8] = np.clip(0.35 + 0.4 * strength, 0.0, 1.0)
    return rows


PASS = Pass("force_chains", order=30, shader="lines", attributes=(4, 1, 4), instances=instances)
