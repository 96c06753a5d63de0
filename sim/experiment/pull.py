"""Pull a sphere, or the body of which it is a member, by a spring with a limited force, as the mouse does.

While a sphere is pulled, the target field (repose.sim.fields.target) acts, and its work is booked. The only writer of
`Run.target`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.fields import Sphere
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import SHARE, checked_number, checked_place, prepare, require_running
from repose.sim.experiment.notices import notify
from repose.sim.experiment.snapshot import ShownPull
from repose.sim.fields import target
from repose.sim.fields.target import Target
from repose.sim.message import Message, _, with_prefix
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

FREQUENCY = 200.0
"""Frequency of the sphere on its critically damped spring [rad/s]: the sphere follows within hundredths of a second,
and hangs g/FREQUENCY² = 0.25 mm below the target."""

LARGEST_FORCE = 1e6
"""Bound of the force [N]."""


def pull(experiment: Experiment, sphere_id: int, position: Sequence[float], limit: float) -> None:
    """Pull one sphere towards a point [m] with at most `limit` [N], until `release` or the next pull; raises
    `ParameterError`."""
    world, what = experiment.run.world, Message("Pulling grain {sphere_id}", sphere_id=value_text(sphere_id))
    require_running(experiment, what)
    row = row_of(world, sphere_id)
    if row is None or world.fixed[row]:
        raise ParameterError(Message("{what} is refused: no movable grain has this number.", what=what))
    place = checked_place(experiment, position, what)
    limit = checked_number(limit, LARGEST_FORCE, _("largest force"), "N", what)
    mass = float(world.movable_mass[row])
    frequency = min(FREQUENCY, SHARE / experiment.dt) if experiment.dt > 0.0 else FREQUENCY
    spring = mass * frequency**2, 2.0 * mass * frequency
    before = experiment.run.target
    prepare(experiment)
    experiment.run.target = Target(place, int(world.sphere_id[row]), *spring, limit)
    if before is None or before.sphere != sphere_id:
        notify(
            experiment,
            Message(
                "Grain {sphere_id} is pulled with {limit} at most.",
                sphere_id=sphere_id,
                limit=with_prefix(limit, "N", 3),
            ),
        )


def release(experiment: Experiment) -> None:
    """End the pull, if there is one."""
    if experiment.run.target is not None:
        notify(experiment, Message("Grain {sphere} is free again.", sphere=experiment.run.target.sphere))
    experiment.run.target = None


def row_of(world: World, sphere_id: Any) -> int | None:
    """Row of the sphere with this id; None if there is no such sphere."""
    if isinstance(sphere_id, bool) or not isinstance(sphere_id, int):
        return None
    rows = np.flatnonzero(world.sphere_id == sphere_id)
    return int(rows[0]) if rows.size else None


def speed_of_pull(experiment: Experiment, ahead: float) -> tuple[NDArray[np.intp], float]:
    """Rows of the pulled sphere and of its body, and the largest speed that they can gain within `ahead` [s] [m/s]: by
    the present force on a sphere at rest, limited by the energy of the spring."""
    pulled, world, dimension = experiment.run.target, experiment.run.world, experiment.scene.model.dimension
    row = row_of(world, pulled.sphere) if pulled is not None else None
    if pulled is None or row is None:
        return np.zeros(0, np.intp), 0.0
    body = world.search.body
    rows = np.flatnonzero(body == body[row]) if body[row] >= 0 else np.array([row])
    mass = float(world.movable_mass[row])
    stretch = math.dist(pulled.position, world.motion[:dimension, 0, row])
    by_force = ahead * min(pulled.limit, pulled.stiffness * stretch) / mass
    return rows, min(by_force, stretch * math.sqrt(pulled.stiffness / mass))


def shown_pull(experiment: Experiment) -> ShownPull | None:
    """The pull for the picture."""
    pulled, force = experiment.run.target, force_of_pull(experiment)
    row = row_of(experiment.run.world, pulled.sphere) if pulled is not None else None
    if pulled is None or row is None or force is None:
        return None
    position = experiment.run.world.motion[: experiment.scene.model.dimension, 0, row]
    return ShownPull(
        pulled.sphere, tuple(map(float, position)), pulled.position, tuple(map(float, force)), pulled.limit
    )


def force_of_pull(experiment: Experiment) -> Floats | None:
    """Present force on the pulled sphere [N], shape (dimension,); None without a pull or if the sphere has left."""
    pulled, world, dimension = experiment.run.target, experiment.run.world, experiment.scene.model.dimension
    row = row_of(world, pulled.sphere) if pulled is not None else None
    if pulled is None or row is None:
        return None
    position, velocity, spin = (
        tuple(map(float, world.motion[part, level, row]))
        for part, level in ((slice(dimension), 0), (slice(dimension), 1), (slice(dimension, None), 1))
    )
    sphere = Sphere(position, velocity, spin, float(world.radius[row]), float(world.mass[row]), pulled.sphere)
    force = np.array(target.force(pulled, sphere, experiment.time).force)
    return force if math.isfinite(float(force.sum())) else None
