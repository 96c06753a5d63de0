"""Velocities as arrows from the centres of the grains, their length proportional to the speed."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.sim.experiment.snapshot import Floats

VELOCITY_ARROWS = Switch(
    "velocity_arrows",
    "Velocity arrows",
    "Arrows along the velocity of each grain, their length proportional to its speed.",
    default=False,
    key="E",
)
LONGEST = 4.0
"""Length of the arrow of a fast grain [mean radii]."""
FAST = 0.95
"""Share of the grains that are slower than a fast one [-]."""
FASTER = 2.0
"""Length of the longest arrow [lengths of the arrow of a fast grain]."""
LEAST = 0.05
"""Speed from which on a grain has an arrow [speeds of a fast grain]."""
STILL = 1e-4
"""Speed of a fast grain below which nothing moves [m/s]."""
HEAD, SPREAD = 0.35, 0.5
"""Length of the head over that of the arrow, and half its width over its length [-]."""
WIDTH = 0.16
"""Width of a line [mean radii]."""
NARROWEST = 1.2
"""Smallest width of a line [units of line width]."""


def arrows(frame: Frame) -> tuple[Floats, Floats, float] | None:
    """Both ends of all strokes [m], each shape (3 arrows, dimension), and their width [m]; None where nothing moves."""
    snapshot = frame.snapshot
    if snapshot.velocity.shape != snapshot.position.shape:
        return None
    rows = ~snapshot.fixed & np.isfinite(snapshot.velocity).all(axis=1) & np.isfinite(snapshot.position).all(axis=1)
    if frame.dimension == 3:
        rows &= frame.kept
    if not rows.any():
        return None
    velocity, centre = snapshot.velocity[rows], snapshot.position[rows]
    speed = np.linalg.norm(velocity, axis=1)
    fast = float(np.quantile(speed, FAST))
    if not fast > STILL:
        return None
    radius = float(snapshot.radius[rows].mean())
    shown = speed > LEAST * fast
    velocity, centre, speed = velocity[shown], centre[shown], speed[shown]
    length = LONGEST * radius * np.minimum(speed / fast, FASTER)
    along = velocity * (length / speed)[:, None]
    tip = centre + along
    side = SPREAD * HEAD * across(frame, along)
    back = tip - HEAD * along
    return np.concatenate([centre, tip, tip]), np.concatenate([tip, back + side, back - side]), WIDTH * radius


def across(frame: Frame, along: Floats) -> Floats:
    """Vectors of the same length perpendicular to the arrows; in space in the plane of the picture."""
    if frame.dimension == 2:
        return np.column_stack([-along[:, 1], along[:, 0]])
    found = np.cross(along, frame.orbit.axes()[2])
    length = np.linalg.norm(along, axis=1) / np.maximum(np.linalg.norm(found, axis=1), np.finfo(np.float32).tiny)
    widened: Floats = (found * length[:, None]).astype(np.float32)
    return widened


def in_plane(frame: Frame) -> Floats | None:
    """Rows for the shader `lines`: both ends [m], width [pixel], colour with opacity."""
    if (found := arrows(frame)) is None:
        return None
    first, second, width = found
    rows = np.empty((len(first), 9), np.float32)
    rows[:, 0:2], rows[:, 2:4] = first, second
    rows[:, 4] = max(width / frame.metres_per_pixel, NARROWEST * frame.scale)
    rows[:, 5:8] = to_linear(frame.palette.text)
    rows[:, 8] = 0.9
    return rows


def in_space(frame: Frame) -> Floats | None:
    """Rows for the shader `strokes`: both ends [m], widths in metres and pixels, colour with opacity."""
    if (found := arrows(frame)) is None:
        return None
    first, second, width = found
    rows = np.zeros((len(first), 12), np.float32)
    rows[:, 0:3], rows[:, 3:6] = first, second
    rows[:, 6] = width
    rows[:, 8:11] = to_linear(frame.palette.text)
    rows[:, 11] = 0.9
    return rows


PASS = (
    Pass(
        "velocity_arrows",
        order=32,
        shader="lines",
        attributes=(4, 1, 4),
        instances=in_plane,
        dimensions=(2,),
        switch=VELOCITY_ARROWS,
    ),
    Pass(
        "velocity_arrows_in_space",
        order=55,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=in_space,
        dimensions=(3,),
        switch=VELOCITY_ARROWS,
    ),
)
