"""The mean stress of a box, from the contacts in it and the motion of its grains.

    stress_ab = (1/V) [ sum over contacts  f_a l_b s  +  sum over grains  m (v_a - V_a)(v_b - V_b) ]

f is the force on i, l the branch x_i - x_j (at a wall from the contact point to x_i; x is the centre of mass of a grain
or rigid body), and s the fraction of the branch inside the box. With the factor s the contact part is exactly the mean
over the box of a stress concentrated on the branches, for every size of the box (Love 1927, Weber 1966; s as in Lätzel,
Luding & Herrmann, Granular Matter 2 (2000) 123). V_a is the mass-weighted mean velocity of the grains with centres in
the box, V its volume. **Compression is positive.** In the plane V is an area and stress a force per length, N/m. The
tensor is symmetric if the contacts exert no net torque on any grain: at rest, and without friction. Grains without
rotation bear any torque: with friction their stress is not symmetric (`Stress.asymmetry`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.boundaries import in_cell, with_images
from repose.sim.engine.world import Floats, World
from repose.sim.message import Message

if TYPE_CHECKING:
    from repose.sim.engine.contacts.contact_table import (
        ContactTable,  # imports the compiler, which the window does not load at its start
    )


@dataclass(frozen=True)
class Stress:
    """Mean stress of a box, compression positive [Pa; in the plane N/m]."""

    contacts: Floats
    """Contact part, shape (dimension, dimension)."""
    kinetic: Floats
    """Kinetic part, shape (dimension, dimension)."""

    @property
    def tensor(self) -> Floats:
        """Sum of both parts, shape (dimension, dimension)."""
        return self.contacts + self.kinetic

    @property
    def principal(self) -> Floats:
        """Principal stresses in ascending order, shape (dimension,)."""
        return np.asarray(np.linalg.eigvalsh(0.5 * (self.tensor + self.tensor.T)), float)

    @property
    def pressure(self) -> float:
        """trace / dimension."""
        return float(np.trace(self.tensor)) / len(self.tensor)

    @property
    def largest_shear(self) -> float:
        """Largest shear stress on any plane: half the difference of the outer principal stresses."""
        return 0.5 * float(self.principal[-1] - self.principal[0])

    @property
    def asymmetry(self) -> float:
        """Largest |stress_ab - stress_ba| / 2: the uncertainty of a shear stress where torques on grains are not in
        balance. In the plane the shear stress on every plane is that of the symmetric part plus or minus exactly this.
        """
        return 0.5 * float(np.abs(self.tensor - self.tensor.T).max())

    @property
    def unit(self) -> str:
        """Pa in space, N/m in the plane."""
        return stress_unit(len(self.tensor))

    def as_dict(self) -> dict[str, Any]:
        """The numbers in types that JSON has."""
        return {
            "unit": self.unit,
            "tensor": self.tensor.tolist(),
            "kinetic_part": self.kinetic.tolist(),
            "pressure": self.pressure,
            "largest_shear": self.largest_shear,
            "asymmetry": self.asymmetry,
        }


MOST_AT_ONCE = 2**18
"""Number of contacts whose lines are cut by the box together: of a million grains all of them take 500 MB."""

STRESS_UNIT = {2: "N/m", 3: "Pa"}
"""Unit of stress by dimension."""


def stress_unit(dimension: int) -> str:
    """Unit of stress: Pa in 3D, N/m in 2D."""
    return STRESS_UNIT[dimension]


def grain_pressure(radius: Floats, normal_force: Floats, dimension: int) -> Floats:
    """Mean pressure inside each grain [Pa; in the plane N/m], from the sum of its normal forces [N], shape (count,).

    tr(sum f arm) / (d V_grain): shear forces are perpendicular to their arms, and with arms of length R it is the
    sum of forces over the surface of the grain, 4 pi R² or 2 pi R. Exact but for the overlaps, and without the kinetic
    part.
    """
    surface = {2: 2.0 * np.pi * radius, 3: 4.0 * np.pi * radius**2}[dimension]
    pressure: Floats = normal_force / surface
    return pressure


def mean_stress(
    world: World, contacts: ContactTable, lower: ArrayLike, upper: ArrayLike, velocity_shift: float = 0.0
) -> Stress:
    """Mean stress of the box from `lower` to `upper` [m], each shape (dimension,).

    In a periodic world the box is in the cell; over a period, lower and upper border are those of the cell.
    `velocity_shift` [s] is the time by which stored velocities are ahead of positions (leapfrog: half a step).
    Raises ValueError for a box without volume.
    """
    lower, upper = np.asarray(lower, float), np.asarray(upper, float)
    if not (upper > lower).all():
        raise ValueError(
            Message(
                "A box from {tolist} to {tolist2} m has no volume: give upper > lower.",
                tolist=lower.tolist(),
                tolist2=upper.tolist(),
            )
        )
    volume = float(np.prod(upper - lower))
    parts = [
        _of_contacts(
            world, type(contacts)._make([column[..., at : at + MOST_AT_ONCE] for column in contacts]), lower, upper
        )
        for at in range(0, max(contacts.i.size, 1), MOST_AT_ONCE)
    ]
    moving = motion_in_box(world, lower, upper, velocity_shift)
    return Stress(sum(parts[1:], parts[0]) / volume, (moving.own * moving.mass) @ moving.own.T / volume)


@dataclass(frozen=True)
class MotionInBox:
    """Motion of the movable spheres with centres in a box."""

    mass: Floats
    """[kg], shape (spheres,)."""
    mean: Floats
    """Mean velocity weighted by mass [m/s], shape (dimension,); nan without spheres."""
    own: Floats
    """Velocities relative to the mean [m/s], shape (dimension, spheres)."""

    @property
    def temperature(self) -> float:
        """Granular temperature sum m |v - V|² / (d sum m) [m²/s²]; nan without spheres."""
        whole = len(self.own) * self.mass.sum()
        return float((self.own**2 @ self.mass).sum() / whole) if self.mass.size else math.nan


def motion_in_box(world: World, lower: Floats, upper: Floats, velocity_shift: float = 0.0) -> MotionInBox:
    """Motion of the spheres with centres in the box from `lower` to `upper` [m]; `velocity_shift` as in
    `mean_stress`."""
    dimension = len(lower)
    position = in_cell(world.motion[:dimension, 0].T, world.boundary).T
    inside = np.all((position >= lower[:, None]) & (position <= upper[:, None]), axis=0) & ~world.fixed
    mass = world.own_mass[inside]
    velocity = world.motion[:dimension, 1, inside] - velocity_shift * world.motion[:dimension, 2, inside]
    if not mass.size:
        return MotionInBox(mass, np.full(dimension, np.nan), velocity)
    mean = velocity @ mass / mass.sum()
    return MotionInBox(mass, mean, velocity - mean[:, None])


def _of_contacts(world: World, contacts: ContactTable, lower: Floats, upper: Floats) -> Floats:
    """Sum of force times branch times the fraction inside the box [N m], shape (dimension, dimension)."""
    end, branch = world.motion[: len(lower), 0, contacts.i], contacts.branch
    if world.bodies:  # a rigid body carries the force on a member to its centre
        arm = world.workspace.bodies.arm
        end = end - arm[:, contacts.i]
        branch = branch - arm[:, contacts.i] + np.where(contacts.j >= 0, arm[:, contacts.j], 0.0)
    force = contacts.force
    if world.is_periodic:  # the contacts of images beside the cell reach into it, and the box is in the cell
        longest = float(np.sqrt((branch**2).sum(axis=0)).max(initial=0.0))
        rows, ends = with_images(end.T, world.boundary, longest)
        end, branch, force = ends.T, branch[:, rows], force[:, rows]
    share = share_inside(end, branch, lower, upper)
    part: Floats = (force * share) @ branch.T
    return part


def share_inside(end: Floats, branch: Floats, lower: Floats, upper: Floats) -> Floats:
    """Fraction of each line from `end - branch` to `end` inside the box, shape (lines,).

    A line x(s) = end - s branch, s from 0 to 1, is inside between the latest entry and the earliest exit of the slabs.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        at_lower = (end - lower[:, None]) / branch
        at_upper = (end - upper[:, None]) / branch
    enters, leaves = np.minimum(at_lower, at_upper), np.maximum(at_lower, at_upper)
    # A line parallel to a slab is either completely inside or outside; on the face of the slab 0/0 means inside.
    along = branch == 0.0
    within = (end >= lower[:, None]) & (end <= upper[:, None])
    enters = np.where(along, np.where(within, -np.inf, np.inf), enters)
    leaves = np.where(along, np.where(within, np.inf, -np.inf), leaves)
    share: Floats = np.clip(leaves.min(axis=0), 0.0, 1.0) - np.clip(enters.max(axis=0), 0.0, 1.0)
    return np.maximum(share, 0.0)
