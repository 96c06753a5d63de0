"""An artificial heap: a few grains between fixed ones, so that every pass has something to draw."""

from __future__ import annotations

import numpy as np
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.scenes.common.phases import RESTED

from tests.snapshots import snapshot_of

RADIUS = 1e-3
FIXED = 10


def fake_heap(measured: bool = True) -> Snapshot:
    """A triangle of equal grains, ten wide, on a base of ten; the slope falls to the right at about 31°."""
    rows = [(k, row) for row in range(10) for k in range(10 - row)]
    moving = np.array([(RADIUS * (2 * k + 1), RADIUS * (1.0 + 1.2 * row)) for k, row in rows])
    base = np.array([(RADIUS * (2 * k + 1), -RADIUS) for k in range(FIXED)])
    position = np.concatenate((base, moving)).astype(np.float32)
    count = len(position)
    fixed = np.arange(count) < FIXED
    height = position[:, 1] / position[:, 1].max()
    top = np.array([i for i, (k, row) in enumerate(rows) if k + row == 9]) + FIXED
    slope, intercept = np.polyfit(position[top, 0], position[top, 1], 1)
    angle = SurfaceSlope(
        float(-np.arctan(slope)),
        0.01,
        float(slope),
        float(intercept),
        (RADIUS, 19 * RADIUS),
        "line",
        tuple(top.tolist()),
        count - FIXED,
    )
    ends = np.concatenate((position[:-1], position[1:]), axis=1)
    return snapshot_of(
        serial=1,
        scene="heap",
        time=1.25,
        position=position,
        radius=np.full(count, RADIUS, np.float32),
        fixed=fixed,
        sphere_id=np.arange(count),
        mass=np.where(fixed, np.inf, 1e-3).astype(np.float32),
        body=np.full(count, -1),
        columns={
            "speed": np.abs(height).astype(np.float32),
            "force": np.linspace(0.0, 0.5, count, dtype=np.float32),
            "pressure": np.linspace(0.0, 80.0, count, dtype=np.float32),
            "coordination": (np.arange(count) % 7).astype(np.float32),
            "cluster": (np.arange(count) % 3).astype(np.float32),
            "size": np.full(count, RADIUS, np.float32),
            "layer": np.where(fixed, -1, np.arange(count) // 6).astype(np.float32),
            "members": np.ones(count, np.float32),
        },
        ends=ends,
        force=np.linspace(0.0, 1.0, count - 1, dtype=np.float32),
        box=((-0.002, -0.004), (0.024, 0.016)),
        phase=RESTED,
        slope_since="the opening",
        phase_label="at rest: 55 grains left",
        slope=angle if measured else None,
    )
