"""Add grains near a point, as close to it as possible without overlap with grains or walls."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.contacts.wall_geometry import approach
from repose.sim.engine.world import Floats, World
from repose.sim.experiment import history
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import checked_number, checked_place, require_running
from repose.sim.experiment.notices import notify
from repose.sim.message import Message, _, length_text, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

MOST = 200
"""Largest number of grains that one command adds."""
RANGE = 5.0
"""Largest ratio of their radius to the mean radius of the scene, and of the mean radius to theirs [-]: much smaller
grains would need much smaller steps, much larger grains would not fit into the scene."""
SPACING = 2.05
"""Distance of neighbouring candidate positions [radii]."""
AT_ONCE = 100
"""Number of candidate positions passed to `Scene.hand.keeps_out` in one call."""
REACH = 8
"""Largest distance of candidate positions from the pointer along every axis [spacings]."""


def add_grains(experiment: Experiment, position: Sequence[float], radius: float, count: int) -> None:
    """Add `count` grains of this radius [m], at rest, around a point [m]; raises `ParameterError`."""
    add, what = experiment.scene.hand.add_grains, _("Adding grains")
    if add is None:
        raise ParameterError(
            Message(
                "{what} is refused: the scene '{title}' has no loose grains.", what=what, title=experiment.scene.title
            )
        )
    require_running(experiment, what)
    place = checked_place(experiment, position, what)
    mean = mean_radius(experiment)
    radius = checked_number(radius, RANGE * mean, _("radius"), "m", what)
    if radius < mean / RANGE:
        raise ParameterError(
            Message(
                "{what} is refused: the radius is {radius}; give one from {length_text} to {length_text2}.",
                what=what,
                radius=length_text(radius),
                length_text=length_text(mean / RANGE),
                length_text2=length_text(RANGE * mean),
            )
        )
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
        raise ParameterError(
            Message(
                "{what} is refused: their number is {count}; give one from 1 to {most}.",
                what=what,
                count=value_text(count),
                most=MOST,
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
                what=what,
                found=len(free),
                radius=length_text(radius),
            )
        )
    add(experiment, free, np.full(count, radius))
    history.mark_good(experiment, forget_change=True)  # a later fault does not undo it
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
    for which `stay` is True; shape (found, dimension)."""
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
    near = (np.abs(centres - position) < SPACING * radius * (REACH + 2) + world.radius[:, None]).all(axis=1)
    distance = np.sqrt(((tried[:, None] - centres[near]) ** 2).sum(axis=2))
    free = (distance >= world.radius[near] + radius).all(axis=1)
    entries: list[Floats] = []
    tried = tried[free]
    blocks = (tried[first : first + AT_ONCE] for first in range(0, len(tried), AT_ONCE))
    for centre in itertools.chain.from_iterable(block[stay(block)] for block in blocks):
        if len(entries) == count:
            break
        if all(approach(world.walls, w, tuple(centre))[0] >= radius for w in range(world.walls.shape.size)):
            entries.append(centre)
    return np.array(entries).reshape(-1, dimension)
