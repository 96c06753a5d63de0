"""Quasi-static relaxation: grains that are pressed too hard move apart, without time passing.

A change that multiplies contact forces at fixed positions, such as a stiffer contact or a base that reaches into the
grains, leaves elastic energy that would burst a packing when it becomes motion. Relaxation removes it beforehand.

Let U be the elastic energy plus the potential energy, a = -(dU/dx)/m the accelerations that the law gives to grains
without velocity, and w² the largest eigenvalue of (d²U/dx²)/m, which a survey of the contacts bounds. The grains follow

    v <- v + a h,  x <- x + v h,  with h w < 2,  and v = 0 when the power, the sum of m v·a, is negative

(FIRE: Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201, doi:10.1103/PhysRevLett.97.170201; it also turns v towards a
without changing its size, which shortens the way). For h w < 2 the scheme is stable and keeps U + K but for terms of
order (h w)², with K the sum of m v²/2. K begins at zero, so that U is its first value less the present K and less all K
that was set to zero: U does not rise above its first value, and every reset lowers it for good. The velocities of the
grains are neither used nor changed, so that a relaxation adds no kinetic energy. What can become motion afterwards is
at most the elastic energy that is left, E: the mean square speed of grains of mass M stays below 2 E / M. The whole
change of energy is booked as work by the caller.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import enlarge_pairs
from repose.sim.engine.neighbours.verlet_list import PAIRS_FULL
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, World, copy_world
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts

LEAST_RISE = 1.1
"""Factor by which a change must multiply the elastic energy at fixed positions to be relaxed [-]: a change of gravity
or friction leaves it as it is, and lets the grains flow."""

LARGE_RISE = 4.0
"""Factor by which a change must multiply the mean acceleration of a flow [-]: impacts press harder than rest does."""

UNBALANCED, BALANCED = 2.5, 0.3
"""Mean acceleration over gravity above which contacts are relaxed, and at which they are relaxed enough [-]. Contact
forces of a packing at rest that are multiplied by f accelerate it by (f - 1) g. A ramp follows smaller changes; that
of many small ones, such as the drag of a slider, adds up to this limit."""

STEP_SHARE = 1.4
"""h w of the relaxation [-]; 2 is the limit of stability."""
LONGEST_MOVE = 0.02
"""Largest displacement of a grain in one iteration over the smallest radius [-]: no grain passes another."""
ITERATIONS_PER_SURVEY = 20
"""The stiffness w² falls as overlaps do, and h rises with it."""
MOST_ITERATIONS = 6000
"""A packing of n layers needs about 60 n iterations; the motion does the rest."""
TURNING, TURNING_DECAY, STRAIGHT_ITERATIONS = 0.1, 0.99, 5
"""Share of v that is turned towards a, its factor per iteration, and iterations after a reset before it decays [-]."""


def relax_where_stiffer(experiment: Experiment, before: float) -> bool:
    """Relax a packing in which the law stores more elastic energy than `before` [J] and which would burst.

    Returns whether it did. In a flow, the acceleration before the change, or before the drag of a slider that the
    change belongs to, counts instead of gravity.
    """
    if experiment.run.world.bodies or survey_contacts(experiment).elastic_energy <= LEAST_RISE * before:
        return False  # members of a body cannot move apart
    undisturbed = experiment.history.before_change.run.world
    gravity, flow = gravity_of(experiment), mean_acceleration(undisturbed, experiment.scene.dimension)
    if unbalanced(experiment) <= max(UNBALANCED * gravity, LARGE_RISE * flow):
        return False
    relax(experiment, before, max(BALANCED * gravity, flow))
    return True


def relax_where_unbalanced(experiment: Experiment) -> None:
    """Relax a packing at rest whose contact forces are much larger than its weight."""
    gravity = gravity_of(experiment)
    if not experiment.run.world.bodies and unbalanced(experiment) > UNBALANCED * gravity:
        relax(experiment, survey_contacts(experiment).elastic_energy, BALANCED * gravity)


def gravity_of(experiment: Experiment) -> float:
    """Size of gravity [m/s²]."""
    return math.hypot(*experiment.engine.gravity)


def relax(
    experiment: Experiment, most_energy: float, most_unbalanced: float, most_iterations: int = MOST_ITERATIONS
) -> None:
    """Move grains that touch until their contacts store at most `most_energy` [J] and their mean acceleration is at
    most `most_unbalanced` [m/s²], or the iterations are used up."""
    world = _without_motion(experiment)
    dimension, moving = experiment.scene.dimension, ~world.fixed
    mass = np.where(moving, world.mass, 0.0)
    longest = LONGEST_MOVE * float(world.radius[moving].min(initial=np.inf))
    velocity = np.zeros((dimension, world.sphere_count))
    since_reset, step = 0, 0.0
    for iteration in range(most_iterations):
        if iteration % ITERATIONS_PER_SURVEY == 0:
            survey = survey_contacts(experiment, world)
            balanced = survey.elastic_energy <= most_energy and mean_acceleration(world, dimension) <= most_unbalanced
            if survey.contacts == 0 or balanced:
                break
            step = STEP_SHARE / survey.omega
        pull = world.motion[:dimension, 2] * touching(world)
        if float((mass * (velocity * pull).sum(axis=0)).sum()) < 0.0:
            velocity[:], since_reset = 0.0, 0
        else:
            speed, size = (np.sqrt((mass * (vector**2).sum(axis=0)).sum()) for vector in (velocity, pull))
            share = TURNING * TURNING_DECAY ** max(0, since_reset - STRAIGHT_ITERATIONS)
            velocity = (1.0 - share) * velocity + share * (speed / size if size > 0.0 else 0.0) * pull
            since_reset += 1
        velocity += step * pull
        farthest = step * float(np.abs(velocity).max(initial=0.0))
        velocity *= min(1.0, longest / farthest) if farthest > 0.0 else 1.0
        world.motion[:dimension, 0] += step * velocity
        world = _with_forces(experiment, world)
    _adopt(experiment, world)


def touching(world: World) -> NDArray[np.bool_]:
    """Which spheres can move and touch another or a wall, shape (count,)."""
    used, near = int(world.counters[PAIR_COUNT]), int(world.counters[WALL_CONTACT_COUNT])
    found = np.zeros(world.sphere_count, np.bool_)
    kept = world.pairs.touching[:used] != 0
    found[world.pairs.i[:used][kept]] = found[world.pairs.j[:used][kept]] = True
    found[world.wall_contacts.sphere[:near][world.wall_contacts.touching[:near] != 0]] = True
    return found & ~world.fixed


def unbalanced(experiment: Experiment) -> float:
    """Mean acceleration that the present contacts would give to the grains that touch, without velocity [m/s²]."""
    return mean_acceleration(_without_motion(experiment), experiment.scene.dimension)


def mean_acceleration(world: World, dimension: int) -> float:
    """Mean acceleration of the grains that touch, as of the last evaluation [m/s²]."""
    pull = np.sqrt((world.motion[:dimension, 2] ** 2).sum(axis=0))[touching(world)]
    return float(pull.mean()) if pull.size else 0.0


def _without_motion(experiment: Experiment) -> World:
    """A copy of the world without velocities, with the accelerations of its contacts."""
    world = copy_world(experiment.run.world)
    world.motion[:, 1:] = 0.0
    return _with_forces(experiment, world)


def _with_forces(experiment: Experiment, world: World) -> World:
    """The world with the accelerations of its present positions; no time passes."""
    engine = experiment.engine
    now = experiment.numbers_now
    while engine.advance(world, engine.law_parameters, engine.gravity, 0.0, 1, now)[1] == PAIRS_FULL:
        world = enlarge_pairs(world)
    return world


def _adopt(experiment: Experiment, relaxed: World) -> None:
    """Take positions and contacts of a relaxed copy; velocities, ledger and largest overlap stay those of the run."""
    world = experiment.run.world
    relaxed.motion[:, 1] = world.motion[:, 1]
    relaxed.ledger[:], relaxed.largest_overlap[:] = world.ledger, world.largest_overlap
    experiment.run.world = relaxed
