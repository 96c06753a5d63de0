"""The hand: what the mouse does to grains and table. It pulls a grain, pushes grains out of a rod (stirring) or softly,
shakes the table, adds grains and removes one. Walls that the user draws are in `drawn_walls`.

A pull, a push and shaking last until they are ended. While one of them acts, all three fields of force
(repose.sim.fields: target, pusher, shaker) are added to those of the model: a single further loop is needed, which
shares most parts with the loop of the model. The field of an action that is not in use exerts no force. The work of
these fields is booked as external work; the energy of an added or removed grain is booked as poured or removed.

The only writer of `Run.target`, `Run.pusher` and `Run.shaker`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.boundaries import in_cell, shortest_branch
from repose.sim.engine.compiler import address_of
from repose.sim.engine.composition import compose
from repose.sim.engine.contacts.wall_geometry import approach
from repose.sim.engine.fields import Sphere
from repose.sim.engine.model import Coefficients, Model
from repose.sim.engine.parts import argument_types, compiled_parts, has_walls
from repose.sim.engine.roots import TINY
from repose.sim.engine.threads import is_compiled, lacks_only_walls
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import remove_spheres
from repose.sim.experiment.notices import notify
from repose.sim.experiment.run import Run
from repose.sim.experiment.snapshot import ShownPull, ShownPush, ShownShaking
from repose.sim.fields import pusher, shaker, target
from repose.sim.fields.pusher import Pusher
from repose.sim.fields.shaker import MOST_AMPLITUDE, MOST_FREQUENCY, Shaker
from repose.sim.fields.target import Target
from repose.sim.message import Message, Number, _, length_text, plural, time_text, with_prefix
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

FARTHEST = 1e6
"""Largest coordinate in a command [m]."""
SHARE = 0.05
"""Largest frequency of a spring of these fields times dt [-]. The limit of every scheme is more than ten times larger:
the time step does not depend on these fields."""

FREQUENCY = 200.0
"""Frequency of a pulled sphere on its critically damped spring [rad/s]: the sphere follows within hundredths of a
second, and hangs g/FREQUENCY² = 0.25 mm below the target."""
LARGEST_FORCE = 1e6
"""Bound of the force of a pull [N]."""

LARGEST_RADIUS, LARGEST_ACCELERATION, LARGEST_SPEED = 100.0, 1e6, 100.0
"""Bounds of a push: its radius [m], the acceleration of a grain [m/s²], its speed [m/s]."""
RIGID = 0.1
"""Overlap at which a rod reaches its largest force [radii of the rod]; a soft push reaches it at its centre."""

LARGEST_SHAKING = 1e4
"""Largest acceleration of the table [m/s²]."""
RESOLVED = 0.1
"""Largest angular frequency of the table times dt [-]: 60 steps per oscillation."""

MOST_ADDED = 200
"""Largest number of grains that one command adds."""
RANGE = 5.0
"""Largest ratio of the radius of added grains to the mean radius of the scene, and of the mean radius to theirs [-]:
much smaller grains would need much smaller steps, much larger grains would not fit into the scene."""
SPACING = 2.05
"""Distance of neighbouring candidate positions [radii]."""
AT_ONCE = 100
"""Number of candidate positions passed to `Scene.hand.keeps_out` in one call."""
REACH = 8
"""Largest distance of candidate positions from the pointer along every axis [spacings]."""

PUSH, SHAKING, ADDING = _("The push"), _("Shaking"), _("Adding grains")
"""What a refusal says of a command."""


def acts(run: Run) -> bool:
    """Whether a pull, push or shaking acts now."""
    return run.target is not None or run.pusher is not None or run.shaker is not None


def holds(run: Run) -> bool:
    """Whether a pull or push acts now, whose forces can hold grains where they would not rest by themselves."""
    return run.target is not None or run.pusher is not None


def stepper(experiment: Experiment) -> tuple[Any, Coefficients]:
    """The step loop and the numbers of its fields and bonds, with the fields of the hand if one of them acts."""
    run, coefficients = experiment.run, experiment.coefficients
    if not acts(run):
        return experiment.engine.advance, coefficients
    return compose(model_with_hand(experiment.engine.model)), coefficients._replace(
        fields=(*coefficients.fields, *coefficients_of_hand(run, experiment.scene.model.dimension))
    )


def model_with_hand(model: Model) -> Model:
    """The model with the fields of the hand beside its own."""
    return replace(model, fields=(*model.fields, target.BOUND, pusher.BOUND, shaker.BOUND))


def coefficients_of_hand(run: Run, dimension: int) -> tuple[Any, ...]:
    """The numbers of the three fields of the hand; fields that do not act get numbers without effect."""
    acting = run.target, run.pusher, run.shaker
    return tuple(one or idle for one, idle in zip(acting, idle_coefficients(dimension), strict=True))


def idle_coefficients(dimension: int) -> tuple[Any, ...]:
    """Numbers with which the three fields of the hand exert no force."""
    return Target((0.0,) * dimension, -1, 0.0, 0.0, 0.0), pusher.standing(dimension), shaker.at_rest(dimension)


def with_idle_hand(coefficients: Coefficients, dimension: int) -> Coefficients:
    """The numbers of a model with the fields of the hand, none of which acts."""
    return coefficients._replace(fields=(*coefficients.fields, *idle_coefficients(dimension)))


def compiled_fields(model: Model, coefficients: Coefficients) -> Any:
    """numba's dispatcher of the forces of all fields, of the model and of the hand; the loop of the model shares all
    other parts."""
    return compiled_parts(model_with_hand(model), (), with_idle_hand(coefficients, model.dimension)).add_field_forces


def compile_fields(model: Model, coefficients: Coefficients) -> None:
    """Compile or load these forces in advance, which avoids a wait at the first action of the mouse."""
    address_of(compiled_fields(model, coefficients), argument_types()["add_field_forces"])


def prepare(experiment: Experiment) -> None:
    """Announce the compilation of the loop with the hand, if it is needed; called before the hand acts."""
    loop = compose(model_with_hand(experiment.engine.model))
    if not acts(experiment.run) and not is_compiled(loop, experiment.run.world):
        experiment.session.before_compiling(experiment)


def lacking_parts(experiment: Experiment) -> tuple[str, ...]:
    """What is compiled or loaded before the next step: the forces of the hand if the loop itself is complete, the parts
    for walls, or the loop with those that the world needs (names of `repose.sim.study.preparation.PARTS`)."""
    loop, world = experiment.engine.advance, experiment.run.world
    if is_compiled(loop, world):
        return ("mouse",)
    if lacks_only_walls(loop, world):
        return ("walls",)
    return ("step loop", "walls") if has_walls(world) else ("step loop",)


def require_running(experiment: Experiment, what: Message) -> None:
    """Raise `ParameterError` after a fault; the sentence begins with `what`."""
    if experiment.fault is not None:
        raise ParameterError(Message("{what} is refused: the run has stopped; continue it first.", what=what))


def checked_place(experiment: Experiment, position: Any, what: Message) -> tuple[float, ...]:
    """The position in a command [m], checked; raises `ParameterError`."""
    dimension = experiment.scene.model.dimension
    try:
        place = tuple(map(float, position))
    except (TypeError, ValueError):
        place = ()
    if len(place) != dimension or not all(abs(x) <= FARTHEST for x in place):
        raise ParameterError(
            Message(
                "{what} is refused: the place {position} is none of {dimension} coordinates from {value} "
                "to {farthest} m.",
                what=what,
                position=value_text(position),
                dimension=dimension,
                value=Number(-FARTHEST, format="g"),
                farthest=Number(FARTHEST, format="g"),
            )
        )
    return place


def checked_number(value: Any, most: float, name: Message, unit: str, what: Message) -> float:
    """A number in a command, checked to be above 0 and at most `most`; raises `ParameterError`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= most:
        raise ParameterError(
            Message(
                "{what} is refused: the {name} is {value} {unit}; give one above 0 and up to {most} {unit2}.",
                what=what,
                name=name,
                value=value_text(value),
                unit=unit,
                most=Number(most, format="g"),
                unit2=unit,
            )
        )
    return float(value)


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
    if world.is_periodic:  # towards the nearest image of the point: the sphere is shown in the cell
        position_now = world.motion[: experiment.scene.model.dimension, 0, row]
        place = tuple((position_now + shortest_branch(np.array(place) - position_now, world.boundary)).tolist())
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
    """End the pull and the push, if there is one."""
    if experiment.run.target is not None:
        notify(experiment, Message("Grain {sphere} is free again.", sphere=experiment.run.target.sphere))
    if experiment.run.pusher is not None:
        notify(experiment, _("The grains are free again."))
    experiment.run.target = experiment.run.pusher = None


def row_of(world: World, sphere_id: Any) -> int | None:
    """Row of the sphere with this id; None if there is no such sphere."""
    if isinstance(sphere_id, bool) or not isinstance(sphere_id, int):
        return None
    rows = np.flatnonzero(world.sphere_id == sphere_id)
    return int(rows[0]) if rows.size else None


def shown_pull(experiment: Experiment) -> ShownPull | None:
    """The pull for the picture."""
    pulled, force = experiment.run.target, force_of_pull(experiment)
    row = row_of(experiment.run.world, pulled.sphere) if pulled is not None else None
    if pulled is None or row is None or force is None:
        return None
    world, dimension = experiment.run.world, experiment.scene.model.dimension
    position, target_now = world.motion[:dimension, 0, row], np.array(pulled.position)
    if world.is_periodic:  # both as far as the sphere is drawn from its position
        drawn = in_cell(position, world.boundary)
        position, target_now = drawn, target_now + (drawn - position)
    return ShownPull(
        pulled.sphere,
        tuple(map(float, position)),
        tuple(map(float, target_now)),
        tuple(map(float, force)),
        pulled.limit,
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


def push(
    experiment: Experiment, position: Sequence[float], radius: float, limit: float, speed: float, rigid: bool
) -> None:
    """Push grains out of a disc or sphere of this radius [m] that moves to a point [m] at this speed [m/s], until
    `release` or the next push. Grains are accelerated by at most `limit` [m/s²]. Raises `ParameterError`."""
    require_running(experiment, PUSH)
    if experiment.run.world.is_periodic:
        raise ParameterError(
            _("The push is refused: a world with periodic boundaries has no rod; pull a grain instead.")
        )
    place = checked_place(experiment, position, PUSH)
    radius = checked_number(radius, LARGEST_RADIUS, _("radius"), "m", PUSH)
    limit = checked_number(limit, LARGEST_ACCELERATION, _("largest acceleration"), "m/s²", PUSH)
    speed = checked_number(speed, LARGEST_SPEED, _("speed"), "m/s", PUSH)
    prepare(experiment)
    before, now = experiment.run.pusher, experiment.time
    start, born = (pusher.centre_of(before, now), before.born) if before is not None else (place, now)
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


def shown_push(experiment: Experiment) -> ShownPush | None:
    """The pusher for the picture, with the force on it."""
    rod, world, dimension = experiment.run.pusher, experiment.run.world, experiment.scene.model.dimension
    if rod is None:
        return None
    now, moving = experiment.time, ~world.fixed
    centre, size = np.array(pusher.centre_of(rod, now)), pusher.grown(rod, rod.radius, now)
    motion = world.motion[:dimension, :, moving]
    total = -forces_of(rod, motion[:, 0], motion[:, 1], world.radius[moving], world.own_mass[moving], now).sum(axis=1)
    return ShownPush(tuple(centre.tolist()), float(size), tuple(total.tolist()), rod.damping > 0.0)


def forces_of(rod: Pusher, position: Floats, velocity: Floats, radius: Floats, mass: Floats, now: float) -> Floats:
    """`repose.sim.fields.pusher.force` for many spheres at once [N], shape (dimension, spheres), as `position` [m] and
    `velocity` [m/s]."""
    offset = position - np.array(pusher.centre_of(rod, now))[:, None]
    distance = np.sqrt((offset**2).sum(axis=0))
    away = offset / np.maximum(distance, TINY)
    moves = rod.begins <= now < rod.begins + rod.lasts
    leaving = ((velocity - moves * np.array(rod.velocity)[:, None]) * away).sum(axis=0)
    overlap = np.minimum(rod.radius + radius, pusher.grown(rod, math.inf, now)) - distance
    wanted = np.where(overlap > 0.0, rod.stiffness * overlap - rod.damping * leaving, 0.0)
    forces: Floats = mass * np.clip(wanted, 0.0, rod.limit) * away
    return forces


def shake(experiment: Experiment, amplitude: float, frequency: float, upright: bool) -> None:
    """Shake the table with this amplitude [m] and frequency [Hz], vertically or horizontally, until `end_shake` or the
    next `shake`; raises `ParameterError`."""
    require_running(experiment, SHAKING)
    amplitude = checked_number(amplitude, MOST_AMPLITUDE, _("amplitude"), "m", SHAKING)
    frequency = checked_number(frequency, MOST_FREQUENCY, _("frequency"), "Hz", SHAKING)
    angular = 2.0 * math.pi * frequency
    if (acceleration := amplitude * angular**2) > LARGEST_SHAKING:
        raise ParameterError(
            Message(
                "{what} is refused: {amplitude} at {frequency} Hz accelerate the table by {acceleration} "
                "m/s², above {largest_acceleration} m/s²; choose a smaller amplitude or frequency.",
                what=SHAKING,
                amplitude=length_text(amplitude),
                frequency=Number(frequency, format="g"),
                acceleration=Number(acceleration, format=".3g"),
                largest_acceleration=Number(LARGEST_SHAKING, format="g"),
            )
        )
    if angular * experiment.dt > RESOLVED:
        most = RESOLVED / (2.0 * math.pi * experiment.dt)
        raise ParameterError(
            Message(
                "{what} is refused: a time step of {dt} resolves up to {most} Hz, and the frequency is "
                "{frequency} Hz; choose a lower frequency or a smaller time step.",
                what=SHAKING,
                dt=time_text(experiment.dt),
                most=Number(most, format=".3g"),
                frequency=Number(frequency, format="g"),
            )
        )
    prepare(experiment)
    direction = shaker.at_rest(experiment.scene.model.dimension).direction
    experiment.run.shaker = Shaker(direction if upright else direction[::-1], amplitude, angular, experiment.time)
    way = _("up and down") if upright else _("sideways")
    notify(
        experiment,
        Message(
            "The table shakes {way} by {amplitude} at {frequency} Hz.",
            way=way,
            amplitude=length_text(amplitude),
            frequency=Number(frequency, format="g"),
        ),
    )


def end_shake(experiment: Experiment) -> None:
    """End the shaking, if the table shakes."""
    if experiment.run.shaker is not None:
        notify(experiment, _("The table stands still again."))
    experiment.run.shaker = None


def shown_shaking(experiment: Experiment) -> ShownShaking | None:
    """The shaking for the picture."""
    table = experiment.run.shaker
    if table is None:
        return None
    phase = table.angular_frequency * (experiment.time - table.begins)
    acceleration = table.amplitude * table.angular_frequency**2
    return ShownShaking(
        table.direction, table.amplitude, table.angular_frequency / (2.0 * math.pi), math.cos(phase), acceleration
    )


def acceleration_of_hand(run: Run) -> float:
    """Largest acceleration of a grain by a shaking table [m/s²]."""
    table = run.shaker
    return table.amplitude * table.angular_frequency**2 if table is not None else 0.0


def speed_of_pull(experiment: Experiment, ahead: float) -> tuple[NDArray[np.intp], float]:
    """Rows of the pulled sphere and of its body, and the largest speed that they can gain within `ahead` [s] [m/s]: by
    the present force on a sphere at rest, limited by the energy of the spring."""
    pulled, world, dimension = experiment.run.target, experiment.run.world, experiment.scene.model.dimension
    row = row_of(world, pulled.sphere) if pulled is not None else None
    if pulled is None or row is None:
        return np.zeros(0, np.intp), 0.0
    body = world.body
    rows = np.flatnonzero(body == body[row]) if body[row] >= 0 else np.array([row])
    mass = float(world.movable_mass[row])
    stretch = math.dist(pulled.position, world.motion[:dimension, 0, row])
    by_force = ahead * min(pulled.limit, pulled.stiffness * stretch) / mass
    return rows, min(by_force, stretch * math.sqrt(pulled.stiffness / mass))


def speed_of_hand(run: Run, now: float) -> float:
    """Largest speed of the surface of the pusher from the time `now` [s] on [m/s]; a pusher that rests or has its full
    size needs no shorter time step than the grains."""
    rod = run.pusher
    if rod is None:
        return 0.0
    moves = now < rod.begins + rod.lasts
    # The distance at which the pusher acts grows to the sum of both radii.
    full = rod.radius + float(run.world.radius.max(initial=0.0))
    grows = pusher.grown(rod, full, now) < full
    speed: float = moves * math.hypot(*rod.velocity) + grows * rod.growth
    return speed


def impossible(run: Run, dimension: int) -> dict[str, bool]:
    """For pull, push and shaking: whether it acts with numbers read from a file that the functions above cannot have
    made."""
    pulled, rod, table = run.target, run.pusher, run.shaker
    return {
        "pull": pulled is not None
        and not (
            _are_plain(*pulled.position, *pulled[2:])
            and len(pulled.position) == dimension
            and min(pulled.stiffness, pulled.viscosity, pulled.limit) >= 0.0
        ),
        "push": rod is not None
        and not (
            _are_plain(*rod.origin, *rod.velocity, *rod[2:])
            and len(rod.origin) == len(rod.velocity) == dimension
            and min(rod.lasts, rod.growth, rod.radius, rod.stiffness, rod.damping, rod.limit) >= 0.0
        ),
        "shaking": table is not None
        and not (
            _are_plain(*table.direction, *table[1:])
            and len(table.direction) == dimension
            and abs(math.hypot(*table.direction) - 1.0) < 1e-9
        ),
    }


def _are_plain(*numbers: Any) -> bool:
    """Whether all numbers are finite floats."""
    return all(isinstance(x, float) and math.isfinite(x) for x in numbers)


def add_grains(experiment: Experiment, position: Sequence[float], radius: float, count: int) -> None:
    """Add `count` grains of this radius [m], at rest, around a point [m]; raises `ParameterError`."""
    add = experiment.scene.hand.add_grains
    if add is None:
        raise ParameterError(
            Message(
                "{what} is refused: the scene '{title}' has no loose grains.", what=ADDING, title=experiment.scene.title
            )
        )
    require_running(experiment, ADDING)
    place = checked_place(experiment, position, ADDING)
    mean = mean_radius(experiment)
    radius = checked_number(radius, RANGE * mean, _("radius"), "m", ADDING)
    if radius < mean / RANGE:
        raise ParameterError(
            Message(
                "{what} is refused: the radius is {radius}; give one from {length_text} to {length_text2}.",
                what=ADDING,
                radius=length_text(radius),
                length_text=length_text(mean / RANGE),
                length_text2=length_text(RANGE * mean),
            )
        )
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_ADDED:
        raise ParameterError(
            Message(
                "{what} is refused: their number is {count}; give one from 1 to {most}.",
                what=ADDING,
                count=value_text(count),
                most=MOST_ADDED,
            )
        )
    free = free_places(experiment.run.world, np.array(place), radius, count, partial(_stay, experiment, radius))
    if len(free) < count:
        raise ParameterError(
            plural(
                "{what} is refused: there is room for {found} of {count} grain of radius {radius} here; "
                "click where there is more room.",
                "{what} is refused: there is room for {found} of {count} grains of radius {radius} here; "
                "click where there is more room.",
                count=count,
                what=ADDING,
                found=len(free),
                radius=length_text(radius),
            )
        )
    add(experiment, free, np.full(count, radius))
    notify(
        experiment,
        plural(
            "{count} grain is added, radius {radius}.",
            "{count} grains are added, radius {radius}.",
            count=count,
            radius=length_text(radius),
        ),
    )


def mean_radius(experiment: Experiment) -> float:
    """Mean radius of the grains [m]; without grains the radius of the smallest grain of the scene."""
    world = experiment.run.world
    if world.fixed.all():
        return experiment.scene.model.smallest_grain(experiment.run.built)[1]
    return float(world.radius[~world.fixed].mean())


def _stay(experiment: Experiment, radius: float, centres: Floats) -> NDArray[np.bool_]:
    """True for grains of this radius [m] at centres (n, dimension) [m] that the scene allows, shape (n,)."""
    keeps_out = experiment.scene.hand.keeps_out
    if keeps_out is None:
        return np.ones(len(centres), bool)
    return ~keeps_out(experiment, centres, np.full(len(centres), radius))


def free_places(
    world: World,
    position: Floats,
    radius: float,
    count: int,
    stay: Callable[[Floats], NDArray[np.bool_]] = lambda centres: np.ones(len(centres), bool),
) -> Floats:
    """At most `count` centres near a point [m], the nearest first, at which spheres of this radius touch nothing and
    for which `stay` is True; shape (places, dimension)."""
    dimension = position.size
    steps = np.arange(-REACH, REACH + 1)
    if dimension == 2:  # a hexagonal lattice; in space a cubic one
        i, j = (axis.ravel() for axis in np.meshgrid(steps, steps))
        lattice = np.column_stack([i + 0.5 * (j % 2), math.sqrt(0.75) * j])
    else:
        lattice = np.array(list(itertools.product(steps, repeat=dimension)), float)
    lattice = lattice[np.argsort((lattice**2).sum(axis=1), kind="stable")]
    tried = position + SPACING * radius * lattice
    centres = world.motion[:dimension, 0].T
    away = np.abs(shortest_branch(centres - position, world.boundary))
    near = (away < SPACING * radius * (REACH + 2) + world.radius[:, None]).all(axis=1)
    distance = np.sqrt((shortest_branch(tried[:, None] - centres[near], world.boundary) ** 2).sum(axis=2))
    free = (distance >= world.radius[near] + radius).all(axis=1)
    chosen: list[Floats] = []
    tried = tried[free]
    blocks = (tried[first : first + AT_ONCE] for first in range(0, len(tried), AT_ONCE))
    for centre in itertools.chain.from_iterable(block[stay(block)] for block in blocks):
        if len(chosen) == count:
            break
        if all(approach(world.walls, w, tuple(centre))[0] >= radius for w in range(world.walls.shape.size)):
            chosen.append(centre)
    return np.array(chosen).reshape(-1, dimension)


def is_removable(experiment: Experiment, world: World, sphere_id: int) -> bool:
    """Whether the grain exists, can move, and is not needed by the scene."""
    row = np.flatnonzero(world.sphere_id == sphere_id)
    return experiment.scene.hand.on_grain_removed is not None and bool(row.size) and not world.fixed[row[0]]


def require_removable(experiment: Experiment, sphere_id: int) -> None:
    """Raise `ParameterError` unless the grain can be removed."""
    if isinstance(sphere_id, bool) or not is_removable(experiment, experiment.run.world, sphere_id):
        needed = experiment.scene.hand.on_grain_removed is None
        reason = _("each of its spheres is needed") if needed else _("no movable grain has this number")
        raise ParameterError(
            Message("Removing grain {sphere_id} is refused: {reason}.", sphere_id=sphere_id, reason=reason)
        )


def remove_grain(experiment: Experiment, sphere_id: int) -> None:
    """Remove one grain with its contacts and its energy; raises `ParameterError`."""
    require_removable(experiment, sphere_id)
    world, on_grain_removed = experiment.run.world, experiment.scene.hand.on_grain_removed
    if on_grain_removed is not None:
        on_grain_removed(experiment, int(np.flatnonzero(world.sphere_id == sphere_id)[0]))
    remove_spheres(experiment, world.sphere_id == sphere_id)
    notify(experiment, Message("Grain {sphere_id} has been removed.", sphere_id=sphere_id))
