"""A camera that follows the grains: its target pose for a snapshot, and a smooth motion to this pose.

Film and window call `follow` once per picture with its last result. The camera shows the grains and the part of the
scene that is always in view (`Snapshot.focus`), whose lower edge is at the lower edge of the free part of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import COARSEST, FINEST, Box, Camera2D, Inset, Size
from repose.app.render.framing import MARGIN
from repose.app.render.orbit import FARTHEST, NEAREST, Camera, Camera3D, facing
from repose.sim.experiment.snapshot import Snapshot

OUTWARD, INWARD = 0.2, 0.8
"""Time constants of the camera [s of wall or film time]: it recedes faster than it approaches, so that no grain
leaves the picture, and the fall of a poured layer does not make the magnification oscillate."""
HASTE = 8.0
"""Factor by which the camera recedes faster if grains leave the picture [per unit of the logarithm of the excess]."""
SLACK = 0.03
"""The picture may show this much more than it needs before the camera approaches [logarithm of the magnification]."""
STRAY = 0.005
"""Share of the grains, the outermost, that the camera does not follow."""
HALT = 0.2
"""Time constant of the camera that comes to rest for a still picture [fraction of the time for this]: 5e-4 of the way
remain at the end."""
BEYOND = 1.0
"""Largest distance from the scene of a grain that is in a still picture [sizes of the scene]."""
HEADROOM = 0.06
"""Height kept free above the grains [share of the width shown]."""
CIRCLE = 24
"""Points of a circle that must be in the picture."""
WALL_HEADROOM = 0.10
"""Height of idle walls above the highest place of a grain so far [share of the width of the focus]."""


@dataclass(frozen=True)
class Following:
    """Camera and its velocity."""

    camera: Camera
    rate: tuple[float, ...] = ()
    """Rate of `_pose` per second; empty at rest."""
    wall_top: float = math.inf
    """Height above which walls are not needed, because no grain was above it [m]."""


def follow(
    last: Following | None, snapshot: Snapshot, camera: Camera, size: Size, room: Inset, elapsed: float
) -> Following:
    """The camera for the next picture, `elapsed` seconds of wall or film time after the last one.

    `room` is the part of a picture of `size` that panels and legends cover [pixel]. In space the direction of view is
    that of `camera`, which the user may turn. Without `last` the camera is at its destination at once;
    `Following(camera)` as `last` begins a smooth way from any camera.
    """
    seen = _seen(snapshot)
    top = _wall_top(last, snapshot, seen)
    goal = _goal(snapshot, seen, camera, size, room)
    if last is None or type(last.camera) is not type(goal):
        return Following(goal, wall_top=top)
    now, wanted = _pose(last.camera, size, room), _pose(goal, size, room)
    rate = np.array(last.rate) if last.rate else np.zeros(len(now))
    # The last entry is the logarithm of the metres per pixel: negative differences approach the grains.
    away = wanted[-1] - now[-1]
    if -SLACK < away < 0.0:
        wanted[-1] = now[-1]
    elif away <= -SLACK:
        wanted[-1] += SLACK
    now, rate = _approach(now, rate, wanted, elapsed, OUTWARD / (1.0 + HASTE * away) if away > 0.0 else INWARD)
    return Following(_camera(goal, now, size, room), tuple(rate.tolist()), top)


def come_to_rest(
    last: Following, snapshot: Snapshot, camera: Camera, size: Size, room: Inset, seconds: float, pictures: int
) -> Iterator[Following]:
    """The cameras of `pictures` pictures in `seconds`, while the camera comes to rest with every grain in view."""
    goal = _goal(snapshot, _seen(snapshot, stray=0.0, beyond=BEYOND), camera, size, room)
    if type(last.camera) is type(goal):
        now, wanted = _pose(last.camera, size, room), _pose(goal, size, room)
        rate = np.array(last.rate) if last.rate else np.zeros(len(now))
        for _ in range(pictures - 1):
            now, rate = _approach(now, rate, wanted, seconds / pictures, HALT * seconds)
            yield Following(_camera(goal, now, size, room), tuple(rate.tolist()), last.wall_top)
    yield Following(goal, wall_top=last.wall_top)


def height_at_rest(snapshot: Snapshot, camera: Camera, size: Size, room: Inset) -> float:
    """Height of what is seen once the camera has come to rest [pixel]."""
    seen = _seen(snapshot, stray=0.0, beyond=BEYOND)
    goal = _goal(snapshot, seen, camera, size, room)
    corners = goal.world_to_pixel(list(product(*zip(*(seen or snapshot.geometry.box)))), size)
    return float(np.ptp(corners[:, 1]))


def first_camera(snapshot: Snapshot, size: Size, room: Inset) -> Camera:
    """The camera with which a film or a window begins to follow the grains of a snapshot."""
    return first_following(snapshot, size, room).camera


def directed_camera(snapshot: Snapshot) -> Camera:
    """A camera that frames nothing yet; in space it has the direction of view of the scene."""
    in_space = snapshot.grains.position.shape[1] == 3
    camera = facing(snapshot.run.direction.look) if in_space else Camera2D()
    camera.tilt = drawn_tilt(snapshot)
    return camera


def drawn_tilt(snapshot: Snapshot) -> float:
    """Angle by which the table is drawn tilted, so that gravity points down in the picture [rad]."""
    gravity = snapshot.geometry.gravity
    if not snapshot.run.direction.tilted or len(gravity) < 2 or not gravity[0]:
        return 0.0
    return math.atan2(gravity[0], -gravity[-1])


def first_following(snapshot: Snapshot, size: Size, room: Inset) -> Following:
    """The camera of `first_camera` with the height above which walls are not needed."""
    camera = directed_camera(snapshot)
    camera.frame(snapshot.geometry.box, size)
    return follow(None, snapshot, camera, size, room, 0.0)


def without_idle_walls(snapshot: Snapshot, top: float) -> Snapshot:
    """The snapshot without the fixed spheres that are above `top` [m] and not part of its focus."""
    up = snapshot.grains.position.shape[1] - 1
    reach = max(top, (snapshot.geometry.focus or snapshot.geometry.box)[1][up])
    idle = snapshot.grains.fixed & (snapshot.grains.position[:, up] > reach)
    if not idle.any():
        return snapshot
    kept = ~idle
    rows = ("position", "radius", "mass", "body", "fixed", "sphere_id", "orientation", "velocity")
    columns = {name: values[kept] for name, values in snapshot.grains.columns.items()}
    shown = {name: getattr(snapshot.grains, name)[kept] for name in rows}
    grains = replace(snapshot.grains, columns=columns, **shown)
    forces = snapshot.contacts.forces.of_spheres(kept) if snapshot.contacts.forces is not None else None
    bonds = (np.cumsum(kept) - 1)[snapshot.contacts.bonds[kept[snapshot.contacts.bonds].all(axis=1)]]
    return replace(snapshot, grains=grains, contacts=replace(snapshot.contacts, forces=forces, bonds=bonds))


def _seen(snapshot: Snapshot, stray: float = STRAY, beyond: float = 0.0) -> Box | None:
    """Lower and upper corner of the grains inside the region that is followed, or up to `beyond` sizes of the scene
    outside of it, without a share `stray` of outliers [m]; None without grains."""
    region = snapshot.geometry.followed if not beyond else None  # a still picture shows where the grains have gone
    low, high = (np.asarray(corner, np.float64) for corner in region or snapshot.geometry.box)
    low, high = low - beyond * (high - low), high + beyond * (high - low)
    moving = ~snapshot.grains.fixed
    position, radius = (
        snapshot.grains.position[moving].astype(np.float64),
        snapshot.grains.radius[moving, None].astype(np.float64),
    )
    inside = ((position >= low) & (position <= high)).all(axis=1)  # also false for nan
    if not inside.any():
        return None
    left_out = int(stray * np.count_nonzero(inside))
    lower = np.sort((position - radius)[inside], axis=0)[left_out]
    upper = np.sort((position + radius)[inside], axis=0)[-1 - left_out]
    return tuple(lower.tolist()), tuple(upper.tolist())


def _wall_top(last: Following | None, snapshot: Snapshot, seen: Box | None) -> float:
    """Upper end of walls without contacts: above all positions of grains since the scene was empty."""
    if seen is None:
        return math.inf
    low, high = snapshot.geometry.focus or snapshot.geometry.box
    top = seen[1][-1] + WALL_HEADROOM * (high[0] - low[0])
    before = last.wall_top if last is not None else math.inf
    return max(top, before) if math.isfinite(before) else top


def _goal(snapshot: Snapshot, seen: Box | None, camera: Camera, size: Size, room: Inset) -> Camera:
    """The camera that shows focus and grains as large as possible, at the lower edge of the free part."""
    low, high = (
        np.asarray(corner, np.float64) for corner in ((seen and snapshot.geometry.focus) or snapshot.geometry.box)
    )
    if seen:
        # Equally wide on both sides of the middle of the focus, which therefore does not move when grains flow to one
        # side.
        middle = (low + high)[:-1] / 2
        half = np.max([high[:-1] - middle, middle - seen[0][:-1], np.array(seen[1][:-1]) - middle], axis=0)
        low[:-1], high[:-1] = middle - half, middle + half
        low[-1] = min(low[-1], seen[0][-1])
        high[-1] = max(high[-1], seen[1][-1]) + HEADROOM * 2.0 * float(half.max())
    box: Box = tuple(low.tolist()), tuple(high.tolist())
    if len(low) == 3:
        directed = camera if isinstance(camera, Camera3D) else facing(snapshot.run.direction.look)
        directed = replace(directed, tilt=drawn_tilt(snapshot))
        return _goal_in_space(_points_in_space(snapshot, seen, box), directed, size, room)
    goal = Camera2D(tilt=drawn_tilt(snapshot))
    goal.frame(box, size, room, MARGIN)
    seen_corners = np.array(list(product(*zip(*box)))) @ goal.axes().T
    left, right = seen_corners[:, 0].min(), seen_corners[:, 0].max()
    foot = np.array(((left + right) / 2, seen_corners[:, 1].min())) @ goal.axes()
    _stand(goal, float(foot[0]), float(foot[1]), size, room)
    return goal


def _points_in_space(snapshot: Snapshot, seen: Box | None, box: Box) -> NDArray[np.float64]:
    """Points that must be in the picture [m], shape (count, 3): grains, focus and measured cone instead of the corners
    of a box around them, which would be empty above a heap; without grains the corners of `box`."""
    whole = np.array(list(product(*zip(*box))), np.float64)
    if seen is None or snapshot.geometry.focus is None:
        return whole
    corners = np.array(list(product(*zip(*snapshot.geometry.focus))), np.float64)
    low, high = np.array(seen[0]), np.array(seen[1])
    position = snapshot.grains.position[~snapshot.grains.fixed].astype(np.float64)
    radius = snapshot.grains.radius[~snapshot.grains.fixed, None].astype(np.float64)
    near = ((position >= low) & (position <= high)).all(axis=1)
    position, radius = position[near], radius[near]
    if not len(position):
        return whole
    top = position[position[:, 2].argmax()] * (1.0, 1.0, 0.0) + (0.0, 0.0, box[1][2])  # with the room above it
    return np.concatenate([corners, position - radius, position + radius, top[None], _cone(snapshot)])


def _cone(snapshot: Snapshot) -> NDArray[np.float64]:
    """Circles at the ends of the measured slope of a heap in space [m], shape (count, 3)."""
    measured = snapshot.results.slope
    if measured is None or not math.isfinite(measured.angle):
        return np.empty((0, 3))
    middle = (np.array(snapshot.geometry.box[0]) + np.array(snapshot.geometry.box[1]))[:2] / 2
    turn = np.linspace(0.0, math.tau, CIRCLE, endpoint=False)
    rings = [
        np.column_stack(
            [
                middle[0] + distance * np.cos(turn),
                middle[1] + distance * np.sin(turn),
                np.full(CIRCLE, measured.intercept + measured.slope * distance),
            ]
        )
        for distance in measured.x_range
    ]
    return np.concatenate(rings)


def _goal_in_space(points: NDArray[np.float64], camera: Camera3D, size: Size, room: Inset) -> Camera3D:
    goal = replace(camera)
    goal.frame_points(points, size, room, MARGIN)
    lowest = float(goal.world_to_pixel(points, size)[:, 1].max())
    free = size[1] - room[1] - room[3]
    # In a view from above the scene has no lower edge: it is in the middle.
    spare = max(0.0, size[1] - room[3] - MARGIN * free - lowest) * math.cos(goal.elevation)
    if math.isfinite(spare):
        goal.offset = (goal.offset[0], goal.offset[1] + spare)
    return goal


def _pose(camera: Camera, size: Size, room: Inset) -> NDArray[np.float64]:
    """The coordinates of the motion of the camera; the last is the logarithm of metres per pixel or of the distance.

    In the plane the point at the lower edge of the free part comes first [m]: it stays where it is while the picture
    is magnified. In space these are target [m] and offset [heights of the picture].
    """
    if isinstance(camera, Camera3D):
        x, y = camera.offset
        return np.array((*camera.target, x / size[1], y / size[1], math.log(camera.distance)))
    x, y = camera.pixel_to_world(_foot(size, room), size)
    return np.array((x, y, math.log(camera.metres_per_pixel)))


def _camera(like: Camera, pose: NDArray[np.float64], size: Size, room: Inset) -> Camera:
    """The camera with this pose and the direction of view of `like`."""
    numbers = [float(number) for number in pose]
    if isinstance(like, Camera3D):
        x, y, z, across, down, zoom = numbers
        distance = min(max(math.exp(zoom), NEAREST), FARTHEST)
        return replace(like, target=(x, y, z), offset=(across * size[1], down * size[1]), distance=distance)
    camera = Camera2D(metres_per_pixel=min(max(math.exp(numbers[2]), FINEST), COARSEST), tilt=like.tilt)
    _stand(camera, numbers[0], numbers[1], size, room)
    return camera


def _foot(size: Size, room: Inset) -> tuple[float, float]:
    """The middle of the lower edge of the free part, a margin above it [pixel]."""
    left, top, right, bottom = room
    free = max(size[1] - top - bottom, 1.0)
    return (left + max(size[0] - left - right, 1.0) / 2, top + free * (1.0 - MARGIN))


def _stand(camera: Camera2D, x: float, y: float, size: Size, room: Inset) -> None:
    """Move the camera so that the point (x, y) [m] is at the lower edge of the free part."""
    at, (centre_x, centre_y) = camera.pixel_to_world(_foot(size, room), size), camera.centre
    camera.centre = (centre_x + x - float(at[0]), centre_y + y - float(at[1]))


def _approach(
    now: NDArray[np.float64], rate: NDArray[np.float64], goal: NDArray[np.float64], elapsed: float, constant: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and rate of a critically damped spring after `elapsed` seconds, exact for any step.

    With d = x - goal: x'' = -2 w x' - w² d has the solution d(t) = (d + (x' + w d) t) exp(-w t).
    """
    w = 2.0 / constant
    away, growth = now - goal, rate + w * (now - goal)
    decay = math.exp(-w * max(elapsed, 0.0))
    return goal + (away + growth * elapsed) * decay, (rate - w * growth * elapsed) * decay
