"""Push grains out of a disc or sphere, as the mouse does: a rod that stirs them, or a soft push.

The field is repose.sim.fields.pusher. The only writer of `Run.pusher`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from repose.sim.engine.roots import TINY
from repose.sim.engine.world import Floats
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import SHARE, checked_number, checked_place, prepare, require_running
from repose.sim.experiment.notices import notify
from repose.sim.experiment.snapshot import ShownPush
from repose.sim.fields.pusher import Pusher, centre_of, grown
from repose.sim.message import Message, _, length_text, with_prefix

LARGEST_RADIUS, LARGEST_ACCELERATION, LARGEST_SPEED = 100.0, 1e6, 100.0
"""Bounds of the radius [m], of the acceleration of a grain [m/s²], and of the speed of the pusher [m/s]."""
RIGID = 0.1
"""Overlap at which a rod reaches its largest force [radii of the rod]; a soft push reaches it at its centre."""
WHAT = _("The push")


def push(
    experiment: Experiment, position: Sequence[float], radius: float, limit: float, speed: float, rigid: bool
) -> None:
    """Push grains out of a disc or sphere of this radius [m] that moves to a point [m] at this speed [m/s], until
    `end_push` or the next push. Grains are accelerated by at most `limit` [m/s²]. Raises `ParameterError`."""
    require_running(experiment, WHAT)
    place = checked_place(experiment, position, WHAT)
    radius = checked_number(radius, LARGEST_RADIUS, _("radius"), "m", WHAT)
    limit = checked_number(limit, LARGEST_ACCELERATION, _("largest acceleration"), "m/s²", WHAT)
    speed = checked_number(speed, LARGEST_SPEED, _("speed"), "m/s", WHAT)
    prepare(experiment)
    before, now = experiment.run.pusher, experiment.time
    start, born = (centre_of(before, now), before.born) if before is not None else (place, now)
    lasts = math.dist(start, place) / speed
    velocity = tuple((end - begin) / lasts if lasts > 0.0 else 0.0 for begin, end in zip(start, place, strict=True))
    frequency = math.sqrt(limit / (RIGID * radius if rigid else radius))
    if experiment.dt > 0.0:
        frequency = min(frequency, SHARE / experiment.dt)
    damping = 2.0 * frequency if rigid else 0.0
    experiment.run.pusher = Pusher(start, velocity, now, lasts, born, speed, radius, frequency**2, damping, limit)
    if before is None:
        name = _("A rod") if rigid else _("A soft push")
        if experiment.run.world.fixed.all():  # before grains are poured, or after the end of the run
            notify(
                experiment,
                Message(
                    "{name} of radius {radius} meets no grain that can move now.", name=name, radius=length_text(radius)
                ),
            )
            return
        notify(
            experiment,
            Message(
                "{name} of radius {radius} moves grains, at {speed} at most.",
                name=name,
                radius=length_text(radius),
                speed=with_prefix(speed, "m/s", 3),
            ),
        )


def end_push(experiment: Experiment) -> None:
    """Remove the pusher, if there is one."""
    if experiment.run.pusher is not None:
        notify(experiment, _("The grains are free again."))
    experiment.run.pusher = None


def shown_push(experiment: Experiment) -> ShownPush | None:
    """The pusher for the picture, with the force on it."""
    pusher, world, dimension = experiment.run.pusher, experiment.run.world, experiment.scene.model.dimension
    if pusher is None:
        return None
    now, moving = experiment.time, ~world.fixed
    centre, size = np.array(centre_of(pusher, now)), grown(pusher, pusher.radius, now)
    motion = world.motion[:dimension, :, moving]
    total = -forces_of(pusher, motion[:, 0], motion[:, 1], world.radius[moving], world.own_mass[moving], now).sum(
        axis=1
    )
    return ShownPush(tuple(centre.tolist()), float(size), tuple(total.tolist()), pusher.damping > 0.0)


def forces_of(pusher: Pusher, position: Floats, velocity: Floats, radius: Floats, mass: Floats, now: float) -> Floats:
    """`repose.sim.fields.pusher.force` for many spheres at once [N], shape (dimension, spheres), as `position` [m] and
    `velocity` [m/s]."""
    offset = position - np.array(centre_of(pusher, now))[:, None]
    distance = np.sqrt((offset**2).sum(axis=0))
    away = offset / np.maximum(distance, TINY)
    moves = pusher.begins <= now < pusher.begins + pusher.lasts
    leaving = ((velocity - moves * np.array(pusher.velocity)[:, None]) * away).sum(axis=0)
    overlap = np.minimum(pusher.radius + radius, grown(pusher, math.inf, now)) - distance
    wanted = np.where(overlap > 0.0, pusher.stiffness * overlap - pusher.damping * leaving, 0.0)
    forces: Floats = mass * np.clip(wanted, 0.0, pusher.limit) * away
    return forces
