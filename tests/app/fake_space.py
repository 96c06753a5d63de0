"""Artificial scenes in space: a poured cone under a funnel, and a few spheres on a plate."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.scenes.common.phases import FILLING

from tests.snapshots import snapshot_of

RADIUS = 1.5e-3


def fake_cone(count: int = 5000, seed: int = 1, orientation: bool = True, funnel: bool = True) -> Snapshot:
    """A cone of about `count` grains at 25° on a plate, a stream above it, and the funnel it came from."""
    draw = np.random.default_rng(seed)
    slope = math.tan(math.radians(25.0))
    # A hexagonal lattice has about 1.41 / d³ grains per volume; a cone of height h has a volume π h³ / 3 slope².
    step = 2.04 * RADIUS
    height = (count * step**3 / 1.41 * 3.0 * slope**2 / math.pi) ** (1 / 3) + RADIUS
    reach = height / slope
    cells = int(reach / step) + 2
    layer, row, column = (v.ravel() for v in np.mgrid[0:cells, -cells : cells + 1, -cells : cells + 1])
    x = step * (column + 0.5 * (row % 2) + 0.5 * (layer % 2))
    y = step * (math.sqrt(0.75) * row + math.sqrt(1 / 12) * (layer % 2))
    z = RADIUS + step * math.sqrt(2 / 3) * layer
    points = np.column_stack((x, y, z))
    points += draw.normal(scale=0.09 * RADIUS, size=points.shape)
    top = height - slope * np.hypot(points[:, 0], points[:, 1])
    points = points[points[:, 2] < top + draw.normal(scale=0.5 * RADIUS, size=len(points))]
    points[:, 2] = np.maximum(points[:, 2], RADIUS)
    mouth = height + 12 * RADIUS
    fall = draw.uniform((-1, -1, 0), (1, 1, 1), (max(count // 60, 3), 3))
    stream = np.column_stack((fall[:, :2] * 3.0 * RADIUS, height + fall[:, 2] * (mouth - height)))
    above = _filling(draw, mouth, count // 12) if funnel else np.empty((0, 3))
    position = np.concatenate((points, stream, above)).astype(np.float32)
    total = len(position)
    drop = mouth - position[:, 2]
    speed = np.where(
        np.arange(total) < len(points),
        0.05 * np.exp(-3.0 * np.clip(height - slope * np.hypot(*position[:, :2].T) - position[:, 2], 0, None) / step),
        np.sqrt(np.clip(2 * 9.81 * drop, 0.0004, None)),
    )
    turn = draw.normal(size=(total, 4))
    ends, force = _contacts(position, np.hypot(*position[:, :2].T), draw)
    facets = np.concatenate((_plate(reach * 1.25), _funnel(mouth))) if funnel else _plate(reach * 1.25)
    tall = mouth + 26 * RADIUS
    radius = (RADIUS * draw.uniform(0.92, 1.0, total)).astype(np.float32)
    return snapshot_of(
        serial=1,
        scene="heap3d",
        time=1.25,
        position=position,
        radius=radius,
        fixed=np.zeros(total, np.bool_),
        sphere_id=np.arange(total),
        orientation=(
            (turn / np.linalg.norm(turn, axis=1)[:, None]).astype(np.float32)
            if orientation
            else np.empty((total, 0), np.float32)
        ),
        facets=facets.astype(np.float32),
        columns={
            "speed": speed.astype(np.float32),
            "force": np.clip(height - position[:, 2], 0.0, None).astype(np.float32),
            "pressure": (1e3 * np.clip(height - position[:, 2], 0.0, None)).astype(np.float32),
            "coordination": draw.integers(0, 9, total).astype(np.float32),
            "size": radius,
            "layer": (np.arange(total) * 12 // total).astype(np.float32),
        },
        ends=ends,
        force=force,
        box=((-1.25 * reach, -1.25 * reach, 0.0), (1.25 * reach, 1.25 * reach, tall)),
        phase=FILLING,
        slope_since="the end of filling",
        phase_label=f"pouring: {total} grains",
    )


def few_spheres(*spheres: tuple[float, float, float, float]) -> Snapshot:
    """Spheres given as (x, y, z, radius), plain, in a box around the origin."""
    rows = np.array(spheres, np.float32).reshape(-1, 4)
    return snapshot_of(
        serial=1,
        position=rows[:, :3].copy(),
        radius=rows[:, 3].copy(),
        fixed=np.zeros(len(rows), np.bool_),
        sphere_id=np.arange(len(rows)),
        orientation=np.empty((len(rows), 0), np.float32),
        facets=np.empty((0, 3, 3), np.float32),
        ends=np.empty((0, 6), np.float32),
        box=((-2.0, -2.0, -2.0), (2.0, 2.0, 2.0)),
    )


def _filling(draw: np.random.Generator, mouth: float, count: int) -> np.ndarray:
    """Grains that still stand in the funnel."""
    position = draw.uniform((-1, -1, 0), (1, 1, 1), (12 * count, 3))
    z = mouth + RADIUS + position[:, 2] * 16 * RADIUS
    wide = 4.5 * RADIUS + 0.75 * (z - mouth) - RADIUS
    points = np.column_stack((position[:, 0] * 17 * RADIUS, position[:, 1] * 17 * RADIUS, z))
    points = points[np.hypot(points[:, 0], points[:, 1]) < wide]
    kept: list[np.ndarray] = []
    for point in points:
        if len(kept) == count:
            break
        if not kept or (np.linalg.norm(np.array(kept) - point, axis=1) > 1.85 * RADIUS).all():
            kept.append(point)
    return np.array(kept)


def _plate(half: float) -> np.ndarray:
    a, b, c, d = ((-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0))
    return np.array(((a, b, c), (a, c, d)))


def _funnel(mouth: float, sides: int = 40) -> np.ndarray:
    """A cone open at both ends, normals outward."""
    angle = np.linspace(0.0, 2 * math.pi, sides + 1)
    low = np.column_stack((4.5 * RADIUS * np.cos(angle), 4.5 * RADIUS * np.sin(angle), np.full(sides + 1, mouth)))
    wide = (4.5 + 0.75 * 24) * RADIUS
    high = np.column_stack((wide * np.cos(angle), wide * np.sin(angle), np.full(sides + 1, mouth + 24 * RADIUS)))
    first = np.stack((low[:-1], low[1:], high[1:]), axis=1)
    second = np.stack((low[:-1], high[1:], high[:-1]), axis=1)
    return np.concatenate((first, second))


def _contacts(place: np.ndarray, out: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    from scipy.spatial import cKDTree

    pairs = cKDTree(place).query_pairs(2.02 * RADIUS, output_type="ndarray")
    ends = np.concatenate((place[pairs[:, 0]], place[pairs[:, 1]]), axis=1).astype(np.float32)
    depth = np.clip(place[:, 2].max() - place[pairs[:, 0], 2], 0.0, None)
    return ends, (depth * draw.exponential(size=len(pairs)) ** 1.5).astype(np.float32)
