"""Functions that add rigid bodies of several spheres to a world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.builder import add_spheres, body_of
from repose.sim.engine.orientation import matrices
from repose.sim.engine.world import Bodies, Floats, World, empty_bodies

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

    Raises ValueError for values that no rigid body can have.
    """
    place = np.atleast_2d(np.asarray(offset, float))
    members, dimension = place.shape
    radii = np.broadcast_to(np.asarray(radius, float), members).copy()
    middle = np.asarray(centre, float)
    if dimension == 2:
        moments, axes = np.asarray(inertia, float).reshape(1), np.eye(2)
    else:
        moments, axes = np.linalg.eigh(np.asarray(inertia, float).reshape(3, 3))
        axes[:, 2] *= np.sign(np.linalg.det(axes))  # right-handed
    whole = np.isfinite(place).all() and np.isfinite(radii).all() and np.isfinite(moments).all() and np.isfinite(mass)
    if not (whole and mass > 0.0 and (radii > 0.0).all() and (moments > 0.0).all()):
        raise ValueError("A body needs finite places, and radii, mass and moments of inertia that are positive.")
    if dimension == 3 and moments.max() > (moments.sum() - moments.max()) * (1.0 + SYMMETRIC):
        raise ValueError(f"No body has the moments of inertia {moments.tolist()}: one exceeds the sum of the others.")
    volume = radii**3
    return BodyShape((place - middle) @ axes, radii, float(mass), moments, volume / volume.sum(), axes, middle)


def shape_of_spheres(offset: ArrayLike, radius: ArrayLike, mass: ArrayLike) -> BodyShape:
    """The shape of solid spheres (in the plane discs) of these masses [kg], joined without overlap."""
    place = np.atleast_2d(np.asarray(offset, float))
    members, dimension = place.shape
    radii = np.broadcast_to(np.asarray(radius, float), members)
    masses = np.broadcast_to(np.asarray(mass, float), members)
    centre = masses @ place / masses.sum()
    arm = place - centre
    square = (arm**2).sum(axis=1)
    inertia: float | Floats
    if dimension == 2:
        inertia = float(np.sum(masses * (0.5 * radii**2 + square)))
    else:
        own = 0.4 * masses * radii**2 + masses * square
        inertia = np.eye(3) * own.sum() - np.einsum("m,ma,mb->ab", masses, arm, arm)
    return body_shape(place, radii, float(masses.sum()), inertia, centre)._replace(share=masses / masses.sum())


def add_bodies(
    world: World,
    shape: BodyShape,
    position: ArrayLike,
    *,
    orientation: ArrayLike | None = None,
    velocity: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
    fixed: bool = False,
    layer: int = -1,
    material: int = 0,
    first_id: int = 0,
) -> World:
    """The world with bodies of one shape appended; ids of the members count up from `first_id`, body by body.

    position (n, dimension) of the centres of mass [m]; orientation of the principal axes: unit quaternions
    (w, x, y, z), shape (n, 4), in the plane angles [rad], shape (n,); velocity [m/s] and spin [rad/s] broadcast to
    (n, dimension) and (n, spin length). Raises ValueError where spheres of this world do not rotate, and for values
    (n, dimension) and (n, spin length). Raises ValueError if the spheres of this world do not rotate, and for values
    """
    dimension = world.search.cell.shape[0]
    spin_length = world.motion.shape[0] - dimension
    if spin_length == 0:
        raise ValueError("Bodies rotate: their world needs spheres with rotation.")
    centre = np.atleast_2d(np.asarray(position, float))
    count, members = len(centre), len(shape.radius)
    speed = np.broadcast_to(np.asarray(velocity, float), (count, dimension))
    turning = np.broadcast_to(np.asarray(spin, float), (count, spin_length))
    attitude = _attitudes(orientation, count, dimension)
    turn = matrices(attitude)[:, :dimension, :dimension]
    if not (np.isfinite(speed).all() and np.isfinite(turning).all() and np.isfinite(turn).all()):
        raise ValueError("Bodies need finite velocities, spins and orientations.")
    arm = np.einsum("nab,mb->nma", turn, shape.offset)
    before = world.sphere_count
    bodies = world.bodies or empty_bodies(dimension, spin_length, world.motion.shape[1], spheres=before)._replace(
        own_mass=world.mass.copy()
    )
    place = (centre[:, None, :] + arm).reshape(-1, dimension)
    grown = add_spheres(
        world._replace(bodies=()),
        place,
        np.tile(shape.radius, count),
        shape.mass,
        layer=layer,
        material=material,
        fixed=fixed,
        first_id=first_id,
    )
    rows = np.arange(before, before + count * members)
    if not fixed:
        answer, turning_answer = most_easily_moved(shape)
        grown.inverse_mass[:dimension, rows] = np.tile(answer, count)
        grown.inverse_mass[dimension:, rows] = np.tile(turning_answer, count)
    mean = float(shape.moments.mean())
    made = empty_bodies(dimension, spin_length, world.motion.shape[1], count)
    made.motion[:dimension, 0], made.motion[:dimension, 1], made.spin[:] = centre.T, speed.T, turning.T
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
    made.inverse_mass[:dimension] = 0.0 if fixed else 1.0 / shape.mass
    made.inverse_mass[dimension:] = 0.0 if fixed else 1.0 / mean
    made.body_id[:] = first_id + members * np.arange(count)
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(bodies, name), getattr(made, name)], axis=-1)
        for name in (
            "motion",
            "force",
            "inverse_mass",
            "unequal",
            "reference",
            "orientation",
            "matrix",
            "spin",
            "rotation",
            "body_id",
        )
    }
    whole = Bodies(
        **joined,
        member=np.concatenate([bodies.member, rows]).astype(np.uint32),
        begin=np.concatenate([bodies.begin, bodies.begin[-1] + members * np.arange(1, count + 1)]),
        offset=np.concatenate([bodies.offset, np.tile(shape.offset.T, count)], axis=1),
        own_mass=np.concatenate([bodies.own_mass, np.tile(shape.mass * shape.share, count)]),
        arm=np.zeros((dimension, grown.sphere_count)),
    )
    grown.search.body[:] = body_of(whole, grown.sphere_count)
    velocities = speed[:, None, :] + _across(turning, arm)
    grown.motion[:dimension, 1, rows] = velocities.reshape(-1, dimension).T
    grown.motion[dimension:, 1, rows] = np.repeat(turning, members, axis=0).T
    if dimension == 2:
        grown.motion[2, 0, rows] = grown.turned[0, rows] = np.repeat(made.motion[2, 0], members)
        grown.orientation[0, rows] = grown.previous[2, rows] = grown.motion[2, 0, rows]
    else:
        grown.orientation[:, rows] = np.repeat(attitude, members, axis=0).T
    return grown._replace(bodies=whole)


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
    return np.broadcast_to(np.asarray(0.0 if orientation is None else orientation, float), count).copy()


def _attitudes(orientation: ArrayLike | None, count: int, dimension: int) -> Floats:
    """Unit quaternions, shape (count, 4), also of the angles in the plane."""
    quaternions = np.zeros((count, 4))
    if dimension == 2:
        half = 0.5 * _angles(orientation, count)
        quaternions[:, 0], quaternions[:, 3] = np.cos(half), np.sin(half)
        return quaternions
    quaternions[:] = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
    size = np.sqrt((quaternions**2).sum(axis=1, keepdims=True))
    if not (size > 0.0).all():
        raise ValueError("The orientation of a body is a quaternion of length 1, and cannot be zero.")
    unit: Floats = quaternions / size
    return unit


def _across(spin: Floats, arm: Floats) -> Floats:
    """spin x arm, shape (bodies, members, dimension)."""
    if arm.shape[2] == 2:
        return np.stack([-spin[:, :1] * arm[:, :, 1], spin[:, :1] * arm[:, :, 0]], axis=2)
    crossed: Floats = np.cross(spin[:, None, :], arm)
    return crossed
