"""Functions that add rigid bodies of several spheres to a world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.boundaries import flaw_of_bodies
from repose.sim.engine.builder import (
    SINGLE_GROUP,
    SphereGroup,
    add_spheres,
    body_of,
    checked_positions,
    with_bodies,
)
from repose.sim.engine.checked import checked_array, checked_number, numbers_in
from repose.sim.engine.orientation import matrices
from repose.sim.engine.workspace import empty_body_evaluation
from repose.sim.engine.world import BodyTable, Floats, World, empty_bodies
from repose.sim.parameters import ParameterError

SYMMETRIC = 1e-9
"""Moments of inertia whose relative difference is smaller than this count as equal [-]."""

SPLITS = np.linspace(0.0, 1.0, 51)[1:-1]
"""Values of q that `most_easily_moved` tries [-]."""


class BodyShape(NamedTuple):
    """The common properties of bodies of one kind, in the frame of their principal axes."""

    offset: Floats
    """Centres of the members relative to the centre of mass [m], shape (members, dimension)."""
    radius: Floats
    """[m], shape (members,)."""
    mass: float
    moments: Floats
    """Principal moments of inertia [kg m²], shape (3,) in space, (1,) in the plane."""
    share: Floats
    """Share of the body's mass that fields and stress assign to each member [-], shape (members,); the sum is 1."""
    axes: Floats
    """Principal axes as columns, in the frame in which the shape was given, shape (dimension, dimension)."""
    centre: Floats
    """Centre of mass in the frame in which the shape was given [m], shape (dimension,)."""


def body_shape(offset: ArrayLike, radius: ArrayLike, mass: float, inertia: ArrayLike, centre: ArrayLike) -> BodyShape:
    """A shape from members, mass [kg], tensor of inertia about the centre of mass [kg m²], shape (3, 3) (in the plane
    one number), and centre of mass [m], in any frame.

    Raises `ParameterError` for values that no rigid body can have.
    """
    position, radii = checked_members(offset, radius)
    dimension = position.shape[1]
    middle = checked_array("centre", centre, (dimension,), "m")
    whole = checked_number("mass", mass, "kg", above=0.0)
    if dimension == 2:
        moments, axes = numbers_in("inertia", inertia).reshape(-1), np.eye(2)
    else:
        tensor = numbers_in("inertia", inertia)
        if tensor.shape != (3, 3):
            raise ParameterError(f"inertia has the shape {tensor.shape} and is refused: give a tensor of shape (3, 3).")
        moments, axes = np.linalg.eigh(checked_array("inertia", tensor, (3, 3), "kg m²"))
        axes[:, 2] *= np.sign(np.linalg.det(axes))  # right-handed
    count = 2 * dimension - 3
    moments = checked_array("moment of inertia", moments, (count,), "kg m²", above=0.0)
    if dimension == 3 and moments.max() > (moments.sum() - moments.max()) * (1.0 + SYMMETRIC):
        raise ParameterError(
            f"No body has the moments of inertia {moments.tolist()} kg m²: one exceeds the sum of the others."
        )
    volume = radii**3
    return BodyShape((position - middle) @ axes, radii, whole, moments, volume / volume.sum(), axes, middle)


def checked_members(offset: ArrayLike, radius: ArrayLike) -> tuple[Floats, Floats]:
    """Centres [m], shape (members, 2 or 3), and radii [m] of the members of a body; raises `ParameterError`."""
    position = np.atleast_2d(numbers_in("offset", offset))
    if position.ndim != 2 or position.shape[1] not in (2, 3) or not len(position):
        raise ParameterError(
            f"offset has the shape {position.shape} and is refused: give 2 or 3 coordinates for each member."
        )
    radii = checked_array("radius", radius, (len(position),), "m", above=0.0).copy()
    return checked_array("offset", position, position.shape, "m"), radii


def shape_of_spheres(offset: ArrayLike, radius: ArrayLike, mass: ArrayLike) -> BodyShape:
    """The shape of solid spheres (in the plane discs) of these masses [kg], joined without overlap."""
    position, radii = checked_members(offset, radius)
    members, dimension = position.shape
    masses = checked_array("mass", mass, (members,), "kg", above=0.0)
    centre = masses @ position / masses.sum()
    arm = position - centre
    square = (arm**2).sum(axis=1)
    inertia: float | Floats
    if dimension == 2:
        inertia = float(np.sum(masses * (0.5 * radii**2 + square)))
    else:
        own = 0.4 * masses * radii**2 + masses * square
        inertia = np.eye(3) * own.sum() - np.einsum("m,ma,mb->ab", masses, arm, arm)
    return body_shape(position, radii, float(masses.sum()), inertia, centre)._replace(share=masses / masses.sum())


def add_bodies(
    world: World,
    shape: BodyShape,
    position: ArrayLike,
    group: SphereGroup = SINGLE_GROUP,
    *,
    orientation: ArrayLike | None = None,
    velocity: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
) -> World:
    """The world with bodies of one shape appended; `group` is that of the members, whose ids count up body by body.

    position (n, dimension) of the centres of mass [m]; orientation of the principal axes: unit quaternions
    (w, x, y, z), shape (n, 4), in the plane angles [rad], shape (n,); velocity [m/s] and spin [rad/s] broadcast to
    (n, dimension) and (n, spin length). Raises `ParameterError` if the spheres of this world do not rotate, and for
    values that are not finite or of another shape.
    """
    dimension = world.dimension
    spin_length = world.motion.shape[0] - dimension
    if spin_length == 0:
        raise ParameterError("Bodies rotate: their world needs spheres with rotation.")
    if shape.offset.shape[1] != dimension:
        raise ParameterError(
            f"The body has {shape.offset.shape[1]} coordinates and the world {dimension}: make its shape in the same "
            "number of dimensions."
        )
    centre = checked_positions(position, dimension)
    count, members = len(centre), len(shape.radius)
    speed = checked_array("velocity", velocity, (count, dimension), "m/s")
    turning = checked_array("spin", spin, (count, spin_length), "rad/s")
    attitude = _attitudes(orientation, count, dimension)
    turn = matrices(attitude)[:, :dimension, :dimension]
    arm = np.einsum("nab,mb->nma", turn, shape.offset)
    before = world.sphere_count
    extent = float(np.max(np.sqrt((shape.offset**2).sum(axis=1)) + shape.radius))
    if flaw := flaw_of_bodies(world.boundary, extent):
        raise ParameterError(flaw)
    bodies = world.bodies or empty_bodies(dimension, spin_length, world.motion.shape[1], spheres=before)._replace(
        own_mass=world.mass.copy()
    )
    evaluation = world.workspace.bodies
    place = (centre[:, None, :] + arm).reshape(-1, dimension)
    grown = add_spheres(world._replace(bodies=()), place, np.tile(shape.radius, count), shape.mass, group)
    rows = np.arange(before, before + count * members)
    if not group.fixed:
        answer, turning_answer = most_easily_moved(shape)
        grown.inverse_mass[:dimension, rows] = np.tile(answer, count)
        grown.inverse_mass[dimension:, rows] = np.tile(turning_answer, count)
    mean = float(shape.moments.mean())
    made = empty_bodies(dimension, spin_length, world.motion.shape[1], count)
    present = empty_body_evaluation(dimension, spin_length, count)
    made.motion[:dimension, 0], made.motion[:dimension, 1], present.spin[:] = centre.T, speed.T, turning.T
    if dimension == 2:
        made.motion[2, 0], made.motion[2, 1] = _angles(orientation, count), turning[:, 0]
    else:
        ratio = np.einsum("nak,k,nbk->nab", turn, shape.moments / mean - 1.0, turn)
        made.motion[3:, 1] = (turning + np.einsum("nab,nb->na", ratio, turning)).T
        made.unequal[:] = (mean / shape.moments - 1.0)[:, None]
    if dimension == 2:  # cosine and sine, as in the step loop
        made.orientation[0], made.orientation[1] = np.cos(made.motion[2, 0]), np.sin(made.motion[2, 0])
    else:
        made.orientation[:] = attitude.T
    made.reference[:] = made.orientation
    made.inverse_mass[:dimension] = 0.0 if group.fixed else 1.0 / shape.mass
    made.inverse_mass[dimension:] = 0.0 if group.fixed else 1.0 / mean
    made.body_id[:] = group.first_id + members * np.arange(count)
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(bodies, name), getattr(made, name)], axis=-1)
        for name in (
            "motion",
            "inverse_mass",
            "unequal",
            "reference",
            "orientation",
            "rotation",
            "body_id",
        )
    }
    whole = BodyTable(
        **joined,
        member=np.concatenate([bodies.member, rows]).astype(np.uint32),
        begin=np.concatenate([bodies.begin, bodies.begin[-1] + members * np.arange(1, count + 1)]),
        offset=np.concatenate([bodies.offset, np.tile(shape.offset.T, count)], axis=1),
        own_mass=np.concatenate([bodies.own_mass, np.tile(shape.mass * shape.share, count)]),
    )
    now = empty_body_evaluation(dimension, spin_length, whole.body_id.size, grown.sphere_count)
    for name in ("force", "matrix", "spin"):  # what is read between steps
        getattr(now, name)[:] = np.concatenate([getattr(evaluation, name), getattr(present, name)], axis=-1)
    grown.workspace.search.body[:] = body_of(whole, grown.sphere_count)
    velocities = speed[:, None, :] + _across(turning, arm)
    grown.motion[:dimension, 1, rows] = velocities.reshape(-1, dimension).T
    grown.motion[dimension:, 1, rows] = np.repeat(turning, members, axis=0).T
    if dimension == 2:
        grown.motion[2, 0, rows] = grown.turned[0, rows] = np.repeat(made.motion[2, 0], members)
        grown.orientation[0, rows] = grown.previous[2, rows] = grown.motion[2, 0, rows]
    else:
        grown.orientation[:, rows] = np.repeat(attitude, members, axis=0).T
    return with_bodies(grown, whole, now)


def most_easily_moved(shape: BodyShape) -> tuple[Floats, Floats]:
    """Bounds of the inverse mass of each member at a contact in any direction.

    The inverse mass along the normal is at most b [1/kg]; the inverse mass of a shear force is at most b + R² j, with
    the inverse inertia j [1/(kg m²)]. The result is (b, j), each of shape (members,).

    A force of direction t at the arm r of a body has the inverse mass 1/m + w.I^-1 w with w = r x t. At the surface of
    a member at s, r = s + R n. Along the normal, t = n and w = s x n: the largest value is the largest eigenvalue of
    B = I^-1/2 S S^T I^-1/2 with S S^T = |s|² - s s^T. Perpendicular to the normal, w = s x t + R u with a unit vector
    u, which is w = (S/sqrt(q)) (sqrt(q) t) + (R/sqrt(1 - q)) (sqrt(1 - q) u) for any q between 0 and 1. The last
    factors of both terms together are a unit vector. Therefore w.I^-1 w is at most the largest eigenvalue of
    B/q + R² I^-1/(1 - q); the smallest bound over `SPLITS` is used. In the plane w is a number, at most |s| + R.
    """
    far = (shape.offset**2).sum(axis=1)
    per = 1.0 / shape.moments
    if shape.offset.shape[1] == 2:
        along = per[0] * far
        across = per[0] * (np.sqrt(far) + shape.radius) ** 2
    else:
        root = np.sqrt(per)
        lever = far[:, None, None] * np.eye(3) - shape.offset[:, :, None] * shape.offset[:, None, :]
        lever = root[:, None] * lever * root
        along = np.maximum(np.linalg.eigvalsh(lever)[:, -1], 0.0)
        own = shape.radius[:, None, None] ** 2 * np.diag(per)
        across = np.min([np.linalg.eigvalsh(lever / q + own / (1.0 - q))[:, -1] for q in SPLITS], axis=0)
    turning = np.where(far > 0.0, np.maximum((across - along) / shape.radius**2, per.max()), per.max())
    return 1.0 / shape.mass + along, turning


def _angles(orientation: ArrayLike | None, count: int) -> Floats:
    return checked_array("orientation", 0.0 if orientation is None else orientation, (count,), "rad").copy()


def _attitudes(orientation: ArrayLike | None, count: int, dimension: int) -> Floats:
    """Unit quaternions, shape (count, 4), also of the angles in the plane."""
    quaternions = np.zeros((count, 4))
    if dimension == 2:
        half = 0.5 * _angles(orientation, count)
        quaternions[:, 0], quaternions[:, 3] = np.cos(half), np.sin(half)
        return quaternions
    upright = (1.0, 0.0, 0.0, 0.0)
    quaternions[:] = checked_array("orientation", upright if orientation is None else orientation, (count, 4))
    size = np.sqrt((quaternions**2).sum(axis=1, keepdims=True))
    checked_array("length of the quaternion orientation", size[:, 0], (count,), above=0.0)
    unit: Floats = quaternions / size
    return unit


def _across(spin: Floats, arm: Floats) -> Floats:
    """spin x arm, shape (bodies, members, dimension)."""
    if arm.shape[2] == 2:
        return np.stack([-spin[:, :1] * arm[:, :, 1], spin[:, :1] * arm[:, :, 0]], axis=2)
    crossed: Floats = np.cross(spin[:, None, :], arm)
    return crossed
