"""A wall sphere and a grain, for the tools of the mouse."""

from __future__ import annotations

import numpy as np
from repose.sim.experiment.snapshot import Snapshot

from tests.app.ui.panels.panel_harness import PanelHarness
from tests.snapshots import snapshot_of

SIZE = (800, 600)
MASS = 2e-3


def two_grains(third: tuple[float, ...] = ()) -> Snapshot:
    """A wall sphere at the origin and a grain beside it."""
    places = np.array(((0.0, 0.0, *third), (3.0, 1.0, *third)), np.float32)
    return snapshot_of(
        serial=1,
        position=places,
        radius=np.ones(2, np.float32),
        mass=np.array((np.inf, MASS), np.float32),
        fixed=np.array((True, False)),
        sphere_id=np.array((4, 7)),
        box=(tuple(places.min(axis=0) - 1.0), tuple(places.max(axis=0) + 1.0)),
    )


def at(harness: PanelHarness, *place: float) -> tuple[float, float]:
    x, y = harness.ui.camera.world_to_pixel(place, harness.ui.window.size)
    return float(x), float(y)
