"""Force chains: every contact as a line from centre to centre, as wide as its normal force is large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.sim.experiment.snapshot import Floats, Snapshot

FORCE_CHAINS = Switch(
    "force_chains",
    "Force chains",
    "Lines along contacts, as wide as the force is large.",
    default=False,
    key="L",
    applies=lambda snapshot: not snapshot.labels,  # spheres that are compared do not touch each other
)
LEAST = 0.1
"""Contacts below this share of the mean force are left out: they carry nothing and hide the rest."""
WIDTH = 0.12
"""Width of a line of mean force, in mean radii."""
WIDEST = 5.0
"""Forces above this many times the mean are drawn this wide."""


def carrying(snapshot: Snapshot) -> tuple[NDArray[np.intp], Floats, float] | None:
    """Contacts that carry force, weak ones first: their rows, force in mean forces, mean radius of the grains [m]."""
    force = snapshot.contact_force
    mean = float(force.mean()) if len(force) else 0.0
    if not mean > 0.0:
        return None
    share = force / mean
    drawn = np.flatnonzero(share > LEAST)
    drawn = drawn[np.argsort(share[drawn], kind="stable")]
    moving = snapshot.radius[~snapshot.fixed]
    radius = float(moving.mean()) if len(moving) else float(snapshot.radius.mean())
    return drawn, np.minimum(share[drawn], WIDEST), radius


def instances(frame: Frame) -> Floats | None:
    """One line per contact that carries force, weak ones first and fainter."""
    chosen = carrying(frame.snapshot)
    if chosen is None:
        return None
    drawn, strength, radius = chosen
    rows = np.empty((len(drawn), 9), np.float32)
    rows[:, 0:4] = frame.snapshot.contact_ends[drawn]
    rows[:, 4] = WIDTH * strength * radius / frame.metres_per_pixel
    rows[:, 5:8] = to_linear(frame.palette.chain)
    rows[:, 8] = np.clip(0.35 + 0.4 * strength, 0.0, 1.0)
    return rows


PASS = Pass(
    "force_chains",
    order=30,
    shader="lines",
    attributes=(4, 1, 4),
    instances=instances,
    dimensions=(2,),
    switch=FORCE_CHAINS,
    needs_contacts=True,
)
