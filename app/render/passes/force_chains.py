"""Force chains: every contact as a line from centre to centre, its width proportional to the normal force."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.message import _

FORCE_CHAINS = Switch(
    "force_chains",
    _("Force chains"),
    _("Lines along contacts, their width proportional to the normal force."),
    default=False,
    key="L",
    applies=lambda snapshot: not snapshot.grains.labels,  # labelled spheres never touch each other
)
LEAST = 0.1
"""Smallest force that is drawn [mean forces]: lines of weaker contacts would cover those of strong ones."""
WIDTH = 0.12
"""Width of a line of mean force [mean radii]."""
WIDEST = 5.0
"""Largest width of a line [widths of a line of mean force]."""


def drawn_contacts(snapshot: Snapshot) -> tuple[NDArray[np.intp], Floats, float] | None:
    """Contacts to draw, the weakest first: their rows, forces [mean forces], and mean radius of the grains [m]."""
    force = snapshot.contacts.force
    mean = float(force.mean()) if len(force) else 0.0
    if not mean > 0.0:
        return None
    share = force / mean
    drawn = np.flatnonzero(share > LEAST)
    drawn = drawn[np.argsort(share[drawn], kind="stable")]
    moving = snapshot.grains.radius[~snapshot.grains.fixed]
    radius = float(moving.mean()) if len(moving) else float(snapshot.grains.radius.mean())
    return drawn, np.minimum(share[drawn], WIDEST), radius


def instances(frame: Frame) -> Floats | None:
    """One line per drawn contact, the weakest first; weak contacts are more transparent."""
    chosen = drawn_contacts(frame.snapshot)
    if chosen is None:
        return None
    drawn, strength, radius = chosen
    rows = np.empty((len(drawn), 9), np.float32)
    rows[:, 0:4] = frame.snapshot.contacts.ends[drawn]
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
