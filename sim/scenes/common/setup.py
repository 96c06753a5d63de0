"""What a script puts into a world, as records: spheres, rigid bodies, bonds, planes, cylinders, facets.

    ground = Plane((0, 0, 0), (0, 0, 1))
    lid = Plane((0, 0, 0.1), (0, 0, -1), velocity=(0, 0, -0.01))
    simulation = Simulation(Setup(Spheres(position, radius, glass), walls=[ground, lid]), {"gravity": (0, 0, -1.62)})

All numbers are SI. A value is given for all entries, or one for each. `repose.sim.scenes.common.by_hand` checks the
records and builds the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from numpy.typing import ArrayLike
from repose.sim.engine.body_builder import BodyShape
from repose.sim.laws.materials import Material


@dataclass(frozen=True, eq=False)
class Spheres:
    """Single spheres, in the plane discs of the mass of spheres."""

    position: ArrayLike
    """Centres [m], shape (spheres, 2 or 3)."""
    radius: ArrayLike
    """[m], one or one per sphere."""
    material: Material | Sequence[Material] | None = None
    """One, or one per sphere; None for a law that reads no material, and for masses that are given."""
    _: KW_ONLY
    mass: ArrayLike | None = None
    """[kg], one or one per sphere; None for the mass of a solid sphere of the material."""
    velocity: ArrayLike = 0.0
    """[m/s], broadcast to (spheres, 2 or 3)."""
    spin: ArrayLike = 0.0
    """[rad/s], broadcast to (spheres, 1 in the plane or 3)."""
    fixed: ArrayLike = False
    """Whether forces do not move it, one or one per sphere."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """Rigid bodies of one shape, each of several spheres."""

    shape: BodyShape
    """Made by `shape_of_spheres`, or by the clump tools (repose.sim.clumps)."""
    position: ArrayLike
    """Centres of mass [m], shape (bodies, 2 or 3)."""
    material: Material | None = None
    _: KW_ONLY
    orientation: ArrayLike | None = None
    """Of the principal axes: unit quaternions (w, x, y, z), shape (bodies, 4), in the plane angles [rad]; None for the
    axes of space."""
    velocity: ArrayLike = 0.0
    """[m/s], broadcast to (bodies, 2 or 3)."""
    spin: ArrayLike = 0.0
    """[rad/s], broadcast to (bodies, 1 or 3)."""
    fixed: bool = False


@dataclass(frozen=True, eq=False)
class Bonds:
    """Lasting links between two spheres each."""

    i: ArrayLike
    j: ArrayLike
    """Rows of the spheres: single spheres in the order in which they are given, then the members of bodies."""
    numbers: ArrayLike
    """What the law reads of each bond, shape (numbers, bonds), or (numbers,) for equal bonds: the radius of a beam [m];
    stiffness [N/m], viscosity [kg/s] and largest stretch [-] of a spring."""
    _: KW_ONLY
    law: str = "beam"
    """Name of the bond law."""
    rest_length: ArrayLike | None = None
    """[m], one or one per bond; None for the present distance of the centres."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane; spheres are on the side to which the normal points."""

    point: ArrayLike
    """A point of the plane [m]."""
    normal: ArrayLike
    """Direction, of any length."""
    _: KW_ONLY
    velocity: ArrayLike = 0.0
    """[m/s]; `Simulation.move_wall` changes it."""
    spin: float = 0.0
    """Rate at which it turns about the normal through the point [rad/s], under spheres that rotate in space."""
    material: Material | None = None
    """None for the material of the first sphere."""


@dataclass(frozen=True, eq=False)
class Cylinder:
    """An endless cylinder, in space only; spheres are inside or outside."""

    point: ArrayLike
    """A point of the axis [m]."""
    radius: float
    """[m]."""
    axis: ArrayLike = (0.0, 0.0, 1.0)
    """Direction of the axis, of any length."""
    _: KW_ONLY
    inside: bool = True
    """Whether the spheres are inside."""
    velocity: ArrayLike = 0.0
    """[m/s]."""
    spin: float = 0.0
    """Rate at which it turns about its axis [rad/s], around spheres that rotate."""
    material: Material | None = None


@dataclass(frozen=True, eq=False)
class Facet:
    """A line in the plane, a triangle in space; spheres touch both sides, the edges and the corners."""

    corners: ArrayLike
    """[m], shape (2, 2) in the plane, (3, 3) in space."""
    _: KW_ONLY
    velocity: ArrayLike = 0.0
    """[m/s]."""
    material: Material | None = None


@dataclass(frozen=True, eq=False)
class Setup:
    """A world and the formulas by which it moves, for `Simulation`."""

    spheres: Spheres | Sequence[Spheres] = ()
    _: KW_ONLY
    bodies: Bodies | Sequence[Bodies] = ()
    walls: Sequence[Plane | Cylinder | Facet] = ()
    bonds: Bonds | None = None
    fields: Sequence[str] = ()
    """Names of the fields that act on every sphere besides gravity (repose.sim.fields)."""
    law: str = "hertz_mindlin"
    """Name of the contact law (repose.sim.laws)."""
    rotation: bool = True
    """Whether the spheres rotate."""
    period: ArrayLike = 0.0
    """Distance at which everything is repeated [m], one number per dimension, 0 for an open one."""
    lowest: ArrayLike | None = None
    """Coordinates at which the repeated cell begins [m], one per dimension; None for 0."""
