"""Quasi-static relaxation: strongly overlapping grains move apart while the simulated time does not advance.

A change that multiplies contact forces at fixed positions, such as a stiffer contact or a base that overlaps the
grains, leaves elastic energy. As kinetic energy it would burst a packing. Relaxation removes this energy first.

Let U be the elastic energy plus the potential energy, a = -(dU/dx)/m the accelerations of grains at zero velocity
according to the law, and w² the largest eigenvalue of (d²U/dx²)/m, which a survey of the contacts bounds. The grains
follow

    v <- v + a h,  x <- x + v h,  with h w < 2,  and v = 0 when the power, the sum of m v·a, is negative

(FIRE: Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201, doi:10.1103/PhysRevLett.97.170201; it also turns v towards a at
constant size, which needs fewer iterations). For h w < 2 the scheme is stable and conserves U + K up to terms of order
(h w)², with K the sum of m v²/2. K begins at zero. U is therefore its first value minus the present K and minus all K
that was set to zero: U never exceeds its first value, and every reset lowers it permanently. The velocities of the
grains are neither used nor changed: a relaxation adds no kinetic energy. Afterwards at most the remaining elastic
energy E can become kinetic: the mean square speed of grains of total mass M stays below 2 E / M. The caller books the
whole change of energy as work. Rigid bodies move by force over mass and rotate by torque over moment of inertia, along
their principal axes; their members follow.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import body_of, enlarge_pairs, reset_displacements
from repose.sim.engine.model import Coefficients
from repose.sim.engine.neighbours.verlet_list import PAIRS_FULL
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World, copy_world, motions
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.message import _
from repose.sim.parameters import ParameterError

LEAST_RISE = 1.1
"""Factor of the elastic energy at fixed positions above which a change is relaxed [-]. A change of gravity or friction
does not change this energy: the grains then flow without relaxation."""

LARGE_RISE = 4.0
"""Factor of the mean acceleration of a flow above which a change is relaxed [-]; larger than 1, because forces of
impacts exceed those at rest."""

UNBALANCED, BALANCED = 2.5, 0.3
"""Mean acceleration over gravity above which contacts are relaxed, and at which they are relaxed enough [-]. If the
contact forces of a packing at rest are multiplied by f, its acceleration is (f - 1) g. Smaller changes use a ramp; many
small changes, such as the drag of a slider, add up to this limit."""

STEP_SHARE = 1.4
"""h w of the relaxation [-]; 2 is the limit of stability."""
LONGEST_MOVE = 0.02
"""Largest displacement of a grain in one iteration over the smallest radius [-]: no grain passes another."""
ITERATIONS_PER_SURVEY = 20
"""Iterations between two evaluations of w², which decreases with the overlaps, so that h increases."""
MOST_ITERATIONS = 6000
"""Largest number of iterations. A packing of n layers needs about 60 n; the rest relaxes in the motion."""
TURNING, TURNING_DECAY, STRAIGHT_ITERATIONS = 0.1, 0.99, 5
"""Fraction of v that is turned towards a, factor of this fraction per iteration, and iterations after a reset before
the fraction decreases [-]."""


class RelaxationStopped(ParameterError):
    """The user has stopped a relaxation: the command that needs it is refused."""


def relax_where_stiffer(experiment: Experiment, before: float) -> bool:
    """Relax a packing in which the law stores more elastic energy than `before` [J] and which would burst.

    Returns whether the packing was relaxed. In a flow the limit is the acceleration before the change, or before the
    drag of a slider to which the change belongs, instead of gravity.
    """
    if survey_contacts(experiment).elastic_energy <= LEAST_RISE * before:
        return False
    undisturbed = experiment.history.before_change.run.world
    gravity, flow = gravity_of(experiment), mean_acceleration(undisturbed, experiment.scene.model.dimension)
    if unbalanced(experiment) <= max(UNBALANCED * gravity, LARGE_RISE * flow):
        return False
    relax(experiment, before, max(BALANCED * gravity, flow))
    return True


def relax_where_unbalanced(experiment: Experiment) -> None:
    """Relax a packing at rest whose contact forces are much larger than its weight."""
    gravity = gravity_of(experiment)
    if unbalanced(experiment) > UNBALANCED * gravity:
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
    dimension, moving = experiment.scene.model.dimension, ~world.fixed
    longest = LONGEST_MOVE * float(world.radius[moving].min(initial=np.inf))
    masses = _masses(world)
    velocities = [np.zeros_like(pull) for pull in _pulls(world)]
    since_reset, step, done = 0, 0.0, 0.0
    now = experiment.coefficients_now  # one object: what the loop reads is packed once, and not in every iteration
    first: tuple[float, float] | None = None
    for iteration in range(most_iterations):
        if iteration % ITERATIONS_PER_SURVEY == 0:
            survey = survey_contacts(experiment, world)
            balanced = survey.elastic_energy <= most_energy and mean_acceleration(world, dimension) <= most_unbalanced
            if survey.contacts == 0 or balanced:
                break
            left = survey.elastic_energy, mean_acceleration(world, dimension)
            first = first or left
            ways = zip(first, left, (most_energy, most_unbalanced), strict=True)
            done = max(done, iteration / most_iterations, min(share_done(*way) for way in ways))
            if experiment.session.while_relaxing(experiment, done):
                raise RelaxationStopped(_("The change was stopped while the grains moved apart: nothing has changed."))
            step = STEP_SHARE / survey.omega
        pulls = _pulls(world)
        if _product(masses, velocities, pulls) < 0.0:
            velocities, since_reset = [np.zeros_like(pull) for pull in pulls], 0
        else:
            speed, size = (math.sqrt(_product(masses, vectors, vectors)) for vectors in (velocities, pulls))
            share = TURNING * TURNING_DECAY ** max(0, since_reset - STRAIGHT_ITERATIONS)
            along = share * (speed / size if size > 0.0 else 0.0)
            velocities = [(1.0 - share) * velocity + along * pull for velocity, pull in zip(velocities, pulls)]
            since_reset += 1
        velocities = [velocity + step * pull for velocity, pull in zip(velocities, pulls)]
        farthest = step * _fastest(world, velocities)
        slower = min(1.0, longest / farthest) if farthest > 0.0 else 1.0
        velocities = [slower * velocity for velocity in velocities]
        _move(world, [step * velocity for velocity in velocities])
        world = _with_forces(experiment, world, now)
    _adopt(experiment, world)
    experiment.session.while_relaxing(experiment, None)


def share_done(first: float, now: float, wanted: float) -> float:
    """Completed fraction of a decrease from `first` to `wanted`, 0 to 1: logarithmic, or linear if `wanted` is negative
    (the energy of particles that attract each other)."""
    if now <= wanted or first <= wanted:
        return 1.0
    if wanted < 0.0:
        return max(0.0, (first - now) / (first - wanted))
    return max(0.0, math.log(first / now) / math.log(first / max(wanted, 1e-12 * first)))


def touching(world: World) -> NDArray[np.bool_]:
    """True for spheres that can move and touch a sphere or a wall, shape (count,)."""
    used, near = int(world.counters[PAIR_COUNT]), int(world.counters[WALL_CONTACT_COUNT])
    touches = np.zeros(world.sphere_count, np.bool_)
    contacts = world.pairs.touching[:used] != 0
    touches[world.pairs.i[:used][contacts]] = touches[world.pairs.j[:used][contacts]] = True
    touches[world.wall_contacts.sphere[:near][world.wall_contacts.touching[:near] != 0]] = True
    return touches & ~world.fixed


def unbalanced(experiment: Experiment) -> float:
    """Mean acceleration of the touching grains by the present contacts at zero velocity [m/s²]."""
    return mean_acceleration(_without_motion(experiment), experiment.scene.model.dimension)


def mean_acceleration(world: World, dimension: int) -> float:
    """Mean acceleration of touching loose spheres and bodies at the last evaluation [m/s²]. A body contributes the
    acceleration of its centre and its angular acceleration times the radius of gyration for equal moments of
    inertia."""
    kept = touching(world)
    square = (world.motion[:dimension, 2] ** 2).sum(axis=0)
    if world.bodies:
        bodies, inverse = world.bodies, world.bodies.inverse_mass
        gyration = np.divide(inverse[0], inverse[-1], out=np.zeros_like(inverse[0]), where=inverse[-1] > 0.0)
        parts = bodies.motion[:, 2] ** 2
        of_bodies = parts[:dimension].sum(axis=0) + gyration * parts[dimension:].sum(axis=0)
        square = np.concatenate([square, of_bodies])
        kept = np.concatenate([kept & (_owner(world) < 0), _reached(world, kept)])
    pull = np.sqrt(square)[kept]
    return float(pull.mean()) if pull.size else 0.0


def _owner(world: World) -> NDArray[np.int32]:
    """Row of the body of each sphere, -1 for a loose sphere; also for a packed world."""
    return body_of(world.bodies, world.sphere_count)


def _reached(world: World, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for bodies with a member among these spheres, shape (bodies,)."""
    reached = np.zeros(world.bodies.motion.shape[2], np.bool_)
    reached[_owner(world)[kept & (_owner(world) >= 0)]] = True
    return reached


def _pulls(world: World) -> list[Floats]:
    """Accelerations of touching loose spheres, shape (dimension, count), and of bodies with a touching member, shape
    (coordinates, bodies), rotation along the principal axes; zero for all others."""
    dimension, kept = world.dimension, touching(world)
    if not world.bodies:
        return [world.motion[:dimension, 2] * kept]
    bodies = world.bodies
    pull = bodies.motion[:, 2] * _reached(world, kept)
    if dimension == 3:  # the table has the torque over the reference moment of inertia, in space
        pull[3:] = (1.0 + bodies.unequal) * np.einsum("abn,an->bn", _matrices(world), pull[3:])
    return [world.motion[:dimension, 2] * (kept & (_owner(world) < 0)), pull]


def _masses(world: World) -> list[Floats]:
    """Masses of spheres, masses and moments of inertia of bodies: factors from `_pulls` to forces and torques."""
    masses = [np.where(world.fixed, 0.0, world.mass)]
    if world.bodies:
        inverse = world.bodies.inverse_mass.copy()
        if world.bodies.unequal.size:
            inverse[3:] *= 1.0 + world.bodies.unequal
        masses.append(np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0.0))
    return masses


def _product(masses: list[Floats], one: list[Floats], other: list[Floats]) -> float:
    """Sum of mass times the product of the vectors."""
    whole = float((masses[0] * (one[0] * other[0]).sum(axis=0)).sum())
    return whole + sum(float((m * a * b).sum()) for m, a, b in zip(masses[1:], one[1:], other[1:]))


def _fastest(world: World, velocities: list[Floats]) -> float:
    """Largest component of the velocity of a sphere [m/s]."""
    speeds = [float(np.abs(velocities[0]).max(initial=0.0))]
    if world.bodies:
        speeds.append(float(np.abs(_at_members(world, velocities[1])).max(initial=0.0)))
    return max(speeds)


def _at_members(world: World, rates: Floats) -> Floats:
    """Velocities of the members for given rates of the coordinates of bodies, shape (dimension, members)."""
    members = world.body >= 0
    dimension, owner = world.dimension, world.body[members]
    arm = world.workspace.bodies.arm[:, members]
    if dimension == 2:
        about = rates[2, owner] * np.stack([-arm[1], arm[0]])
    else:
        turning = np.einsum("abn,bn->an", _matrices(world), rates[3:])[:, owner]
        about = np.cross(turning, arm, axis=0)
    moved: Floats = rates[:dimension, owner] + about
    return moved


def _move(world: World, shifts: list[Floats]) -> None:
    """Shift loose spheres, and shift and turn bodies; their members follow at the next evaluation.

    With rotation friction springs keep their length: a relaxation is no motion of the grains.
    """
    dimension = world.dimension
    reset_displacements(world)
    world.motion[:dimension, 0] += shifts[0]
    if world.bodies:
        world.bodies.motion[:, 0] += (
            shifts[1] if dimension == 2 else np.where(np.arange(6)[:, None] < 3, shifts[1], 0.0)
        )
        if dimension == 3:
            world.bodies.reference[:] = turned_by(world.bodies.reference, shifts[1][3:])


def turned_by(orientation: Floats, angle: Floats) -> Floats:
    """Unit quaternions, shape (4, bodies), rotated by small rotation vectors in the axes of the bodies [rad], shape
    (3, bodies)."""
    w, u = orientation[0], orientation[1:]
    half = 0.5 * angle
    turned = np.concatenate([[w - (u * half).sum(axis=0)], u + w * half + np.cross(u, half, axis=0)])
    unit: Floats = turned / np.sqrt((turned**2).sum(axis=0))
    return unit


def _matrices(world: World) -> Floats:
    """Rotation matrices at the last evaluation, shape (3, 3, bodies)."""
    matrices: Floats = world.workspace.bodies.matrix.reshape(3, 3, -1)
    return matrices


def _without_motion(experiment: Experiment) -> World:
    """A copy of the world without velocities, with the accelerations of its contacts."""
    world = copy_world(experiment.run.world)
    for motion in motions(world):
        motion[:, 1:] = 0.0
    return _with_forces(experiment, world, experiment.coefficients_now)


def _with_forces(experiment: Experiment, world: World, now: Coefficients) -> World:
    """The world with the accelerations of its present positions and these coefficients; no time passes."""
    engine = experiment.engine
    while engine.advance(world, engine.law_parameters, engine.gravity, 0.0, 1, now)[1] == PAIRS_FULL:
        world = enlarge_pairs(world)
    return world


def _adopt(experiment: Experiment, relaxed: World) -> None:
    """Take positions, orientations and contacts of a relaxed copy; velocities, ledger and largest overlap stay those of
    the run."""
    world = experiment.run.world
    for motion, before in zip(motions(relaxed), motions(world), strict=True):
        motion[:, 1] = before[:, 1]
    for name in ("ledger", "stiffening", "largest_overlap"):
        getattr(relaxed, name)[:] = getattr(world, name)
    experiment.run.world = relaxed
