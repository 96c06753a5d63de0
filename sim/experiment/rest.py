"""The rule of rest: when grains count as at rest. It is the same for all scenes and for the clock of the window.

Grains rest once, for `REST_TIME`, their mean speed has stayed below the settle speed, none has left and none has been
faster than `STILL` radii in this time, and the mean net force on a grain is below `BALANCED` of the mean normal force
of a contact.

The mean speed alone does not do: a heap flows in avalanches, between which few of its grains move. At the first mean
speed below 10 mm/s the forces on the default heap are out of balance by 5 to 8 %, and 16 to 27 of 120 grains still run
out; after the rule no grain does (seeds 1 and 2, 3 s longer). Grains that creep under a law without friction springs
never balance: they rest once they have been slow for `PATIENCE` times as long.

Means over all grains do not do either: one clump of 130 that rolls on over its edge at 10 mm/s adds less than 0.1 mm/s
to the mean speed and, slow as it is, little to the mean force. Therefore every sphere must be still, also the members
of a clump, which move as it turns. Beside an unstable equilibrium speeds change like cosh(t sqrt(g/R)): a clump of
R = 3 mm that turns over within `REST_TIME` without being faster than the limit would have to be slower than 1/600 of it
at the top. A grain that rolls without end on a plate is not waited for longer than `ROLLS` times `REST_TIME`. Neither
is a sphere that creeps on its rolling resistance: in 5 of 6 heaps of 400 spheres 1 to 10 of the 107 spheres that
determine the slope move within 1 s after the measurement, also with a fifth of `STILL`; the slope changes by 0.1 to 0.8
of its standard error, and the measurement is marked as outdated.

Before a course that moves all grains at once (drum, silo, shaken box, portions of Janssen's column) slow grains in
balance are enough, also if one of them rolls (`repose.sim.scenes.lecture.disc_scene.lies_in_balance`), but not if one
of them falls: among hundreds of grains it changes the mean speed and the mean force by less than their limits.

Grains that a pull or push holds do not rest, however slow they are: a grain in the air is no part of a heap. Every wait
begins again when the hand lets go.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.measure.unbalanced_force import unbalanced_force

REST_TIME = 0.25
"""Time for which grains must be slow to be at rest [s]."""
SLOW = 1e-2
"""Settle speed of scenes without such a parameter [m/s]."""
BALANCED = 1e-3
"""Grains rest only below this unbalanced force ratio [-]. While the default heap (friction 0.1) flows, also where its
mean speed is below the settle speed, the ratio is 0.005 to 0.3; once its grains hold each other it falls by a factor of
ten every 0.1 s."""
PATIENCE = 8.0
"""Time, in units of `REST_TIME`, after which slow grains with unbalanced forces count as at rest [-]."""
ROLLS = 16.0
"""Time, in units of `REST_TIME`, after which slow grains count as at rest although one of them still moves [-]."""
FALLS = 0.5
"""Acceleration over gravity above which nothing bears a grain [-]: 1 in free fall, below 0.01 in balance."""
STILL = 0.05
"""Largest path of a grain at rest in `REST_TIME` [radii]. It is also the displacement from which a measured grain has
moved (`repose.sim.scenes.common.measured_heap.MOVED`)."""


def settle_speed(experiment: Experiment) -> float:
    """Mean speed below which grains are slow [m/s]."""
    return float(getattr(experiment.parameters, "settle_speed", SLOW))


def is_slow(experiment: Experiment, among: NDArray[np.bool_] | bool = True) -> bool:
    """Whether the mean speed of the movable spheres in `among`, shape (count,), is below the settle speed."""
    return mean_speed(experiment.run.world, among) < settle_speed(experiment)


def all_still(world: World) -> bool:
    """Whether no movable sphere is faster than `STILL` radii in `REST_TIME`."""
    dimension = world.dimension
    square = np.sum(world.motion[:dimension, 1] ** 2, axis=0)
    return not ((square > (STILL / REST_TIME * world.radius) ** 2) & ~world.fixed).any()


def any_falls(experiment: Experiment, among: NDArray[np.bool_] | bool = True) -> bool:
    """Whether a movable sphere in `among`, shape (count,), or a body accelerates by more than `FALLS` times gravity:
    one that nothing bears. Without gravity nothing falls."""
    world, gravity = experiment.run.world, math.hypot(*experiment.engine.gravity)
    loose = ~world.fixed & among
    tables = [world.motion[: world.dimension, 2, loose]]
    if world.bodies:
        tables[0] = world.motion[: world.dimension, 2, loose & (world.body < 0)]
        tables.append(world.bodies.motion[: world.dimension, 2, world.bodies.inverse_mass[0] > 0.0])
    square = np.concatenate([np.sum(table**2, axis=0) for table in tables])
    return gravity > 0.0 and bool((square > (FALLS * gravity) ** 2).any())


def note_motion(experiment: Experiment) -> None:
    """Note the time of a check at which the grains were not slow, one of them moved, or the hand held some. A state
    without `quiet_since` or `still_since`, such as that of an extension, is left as it is."""
    run, state = experiment.run, experiment.run.state
    if holds(run):
        run.held_until = experiment.time
    slow = is_slow(experiment)
    if hasattr(state, "quiet_since") and not slow:
        state.quiet_since = experiment.time
    if hasattr(state, "still_since") and not (slow and all_still(run.world)):
        state.still_since = experiment.time


def quiet_time(experiment: Experiment, since: float = 0.0) -> float:
    """How long the grains have been slow and free, and none has left, not counted before the time `since` [s]."""
    run = experiment.run
    return experiment.time - max(getattr(run.state, "quiet_since", 0.0), run.held_until, since)


def time_free(experiment: Experiment) -> float:
    """How long no pull or push has held grains [s]; 0 while one does."""
    return 0.0 if holds(experiment.run) else experiment.time - experiment.run.held_until


def still_time(experiment: Experiment, since: float = 0.0) -> float:
    """How long no grain has moved, not counted before the time `since` [s]."""
    run = experiment.run
    return experiment.time - max(getattr(run.state, "still_since", 0.0), run.held_until, since)


def is_at_rest(world: World, quiet: float, among: NDArray[np.bool_] | bool = True, still: float = math.inf) -> bool:
    """Whether grains in `among`, shape (count,), are at rest: they have been slow for the time `quiet`, and none has
    moved for the time `still` [s]."""
    if quiet < REST_TIME or (still < REST_TIME and quiet <= ROLLS * REST_TIME):
        return False
    return quiet > PATIENCE * REST_TIME or unbalanced_force(world, among) < BALANCED


def rests(experiment: Experiment, since: float) -> bool:
    """Whether all grains are at rest; times before `since` [s] do not count."""
    quiet, still = quiet_time(experiment, since), still_time(experiment, since)
    return is_at_rest(experiment.run.world, quiet, still=still)


def rule_of(experiment: Experiment) -> dict[str, float]:
    """The limits of the rule, for the results, in SI units."""
    return {
        "mean_speed_below": settle_speed(experiment),
        "no_grain_left_for": REST_TIME,
        "no_grain_moved_by_radii": STILL,
        "unbalanced_force_below": BALANCED,
        "or_slow_for": PATIENCE * REST_TIME,
        "or_one_moves_for": ROLLS * REST_TIME,
    }
