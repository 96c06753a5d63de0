"""Velocities as arrows from the centres of the grains, their length proportional to the speed."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import Colour, to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.message import _

VELOCITY_ARROWS = Switch(
    "velocity_arrows",
    _("Velocity arrows"),
    _("Arrows along the velocity of each grain, their length proportional to its speed."),
    default=False,
    key="E",
)
LONGEST = 4.0
"""Length of the arrow of a fast grain [mean radii]."""
LONGEST_OF_FEW = 1.0
"""Length of the arrow of the fastest of a few spheres with labels [mean radii]: it ends at
the edge of the sphere, below its label."""
FAST = 0.95
"""Share of the grains that are slower than a fast grain [-]."""
FASTER = 2.0
"""Length of the longest arrow [lengths of the arrow of a fast grain]."""
LEAST = 0.05
"""Smallest speed of a grain with an arrow [speeds of a fast grain]."""
STILL = 1e-4
"""Speed of a fast grain below which nothing moves [m/s]."""
STILL_SHARE = 0.02
"""The same over the upper end of the scale of speeds that the scene is shown with [-]: grains that come to rest before
a flow would else have arrows as long as those of the flow."""
HEAD, SPREAD = 0.35, 0.5
"""Length of the head over length of the arrow, and half width of the head over its length [-]."""
WIDTH = 0.16
"""Width of a line [mean radii]."""
NARROWEST = 1.2
"""Smallest width of a line [units of line width]."""


def arrows(frame: Frame) -> tuple[Floats, Floats, float] | None:
    """Both ends of all strokes [m], each shape (3 arrows, dimension), and their width [m]; None if nothing moves."""
    snapshot = frame.snapshot
    if snapshot.grains.velocity.shape != snapshot.grains.position.shape:
        return None
    rows = (
        ~snapshot.grains.fixed
        & np.isfinite(snapshot.grains.velocity).all(axis=1)
        & np.isfinite(snapshot.grains.position).all(axis=1)
    )
    if frame.dimension == 3:
        rows &= frame.kept
    if not rows.any():
        return None
    velocity, centre = snapshot.grains.velocity[rows], snapshot.grains.position[rows]
    speed = np.linalg.norm(velocity, axis=1)
    few = bool(snapshot.grains.labels)
    fast = float(np.quantile(speed, 1.0 if few else FAST))
    if not fast > _still(snapshot):
        return None
    radius = float(snapshot.grains.radius[rows].mean())
    shown = speed > LEAST * fast
    velocity, centre, speed = velocity[shown], centre[shown], speed[shown]
    length = (LONGEST_OF_FEW if few else LONGEST) * radius * np.minimum(speed / fast, FASTER)
    return *with_heads(frame, centre, velocity * (length / speed)[:, None]), WIDTH * radius


def _still(snapshot: Snapshot) -> float:
    """Speed of a fast grain below which nothing moves [m/s]."""
    direction = snapshot.run.direction
    scale = direction.span[1] if direction.span is not None and direction.colour == "speed" else 0.0
    return max(STILL, STILL_SHARE * scale)


def with_heads(frame: Frame, centre: Floats, along: Floats, longest: float = np.inf) -> tuple[Floats, Floats]:
    """Both ends of the strokes of arrows from `centre` [m], each shape (3 arrows, dimension); `longest` is the length
    of the largest head [m]."""
    tip = centre + along
    size = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    head = np.minimum(HEAD, longest / size).astype(np.float32)
    side = SPREAD * head * across(frame, along)
    back = tip - head * along
    return np.concatenate([centre, tip, tip]), np.concatenate([tip, back + side, back - side])


def across(frame: Frame, along: Floats) -> Floats:
    """Vectors of the same length perpendicular to the arrows; in space in the plane of the picture."""
    if frame.dimension == 2:
        return np.column_stack([-along[:, 1], along[:, 0]])
    side = np.cross(along, frame.orbit.axes()[2])
    length = np.linalg.norm(along, axis=1) / np.maximum(np.linalg.norm(side, axis=1), np.finfo(np.float32).tiny)
    widened: Floats = (side * length[:, None]).astype(np.float32)
    return widened


def rows_of_strokes(frame: Frame, strokes: tuple[Floats, Floats, float] | None, ink: Colour) -> Floats | None:
    """Rows for the shader `lines` in the plane, both ends [m], width [pixel], colour with opacity; in space for the
    shader `strokes`, both ends [m], widths in metres and pixels, colour with opacity."""
    if strokes is None:
        return None
    first, second, width = strokes
    d = frame.dimension
    rows = np.zeros((len(first), 9 if d == 2 else 12), np.float32)
    rows[:, 0:d], rows[:, d : 2 * d] = first, second
    if d == 2:
        rows[:, 4] = np.maximum(width / frame.metres_per_pixel, NARROWEST * frame.scale)
    else:
        rows[:, 6] = width
    rows[:, -4:-1] = to_linear(ink)
    rows[:, -1] = 0.9
    return rows


def instances(frame: Frame) -> Floats | None:
    """The strokes of the arrows."""
    return rows_of_strokes(frame, arrows(frame), frame.palette.text)


PASS = (
    Pass(
        "velocity_arrows",
        order=32,
        shader="lines",
        attributes=(4, 1, 4),
        instances=instances,
        dimensions=(2,),
        switch=VELOCITY_ARROWS,
    ),
    Pass(
        "velocity_arrows_in_space",
        order=55,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=instances,
        dimensions=(3,),
        switch=VELOCITY_ARROWS,
    ),
)
