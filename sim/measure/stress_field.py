"""Stress as a field: contact forces smoothed over a stated width.

    stress_ab(r) = sum over contacts  f_a l_b  integral from 0 to 1 of  W(r - x_i + s l)  ds

f is the force on i, l the branch from the centre x_i back to x_j (at a wall to the contact point), and W a Gaussian of
standard deviation w whose integral over space is 1 (Goldhirsch, Granular Matter 12 (2010) 239). The kinetic part, of
grains that move against the mean flow V of their neighbourhood, is added in flowing grains:

    stress_ab(r) = sum over grains  m (v_a - V_a(r)) (v_b - V_b(r)) W(r - x),   V(r) = sum m v W / sum m W

**Compression is positive**, as in `repose.sim.measure.stress`. The integral over space of the field of one
contact is f_a l_b for any w, and in equilibrium the divergence of the field balances the smoothed weight.

The field is computed on the points of a grid in a plane. The integral over s is a Gauss-Legendre sum; its terms are
shared among the four nearest points of the grid, which is itself a smoothing of variance h²/6 per direction, h the
distance of the points, and the rest of the Gaussian follows along both axes. In space the terms count with their
distance from the plane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from repose.sim.engine.world import Floats

NODES, WEIGHTS = np.polynomial.legendre.leggauss(3)
FINE = 2.5
"""Distances of the points of the grid per width [-]."""
BEYOND = 4.0
"""How far the field of a contact reaches, and the grid beyond the contacts [widths]."""


@dataclass(frozen=True)
class StressGrid:
    """Points of a plane: in the plane of the grains itself, or across an axis in space."""

    axes: tuple[int, int]
    """Numbers of the two axes of the plane."""
    origin: Floats
    """First point [m], shape (2,)."""
    step: float
    """Distance of the points [m]."""
    shape: tuple[int, int]
    """Number of points along both axes."""
    across: float = math.nan
    """Coordinate of the plane along the third axis [m]; nan in the plane."""

    @property
    def places(self) -> tuple[Floats, Floats]:
        """Coordinates of the points along both axes [m]."""
        first, second = (self.origin[k] + self.step * np.arange(self.shape[k]) for k in (0, 1))
        return first, second


def grid_over(
    lower: Floats, upper: Floats, width: float, axes: tuple[int, int], across: float = math.nan, most: int = 250_000
) -> StressGrid:
    """A grid that contains the field of all contacts between the corners `lower` and `upper` [m], each shape (2,).

    A coarser one where there would be more than `most` points: `width` [m] is then not resolved.
    """
    sides = upper - lower + 2.0 * BEYOND * width
    step = max(width / FINE, math.sqrt(float(np.prod(sides)) / most))
    shape = np.ceil(sides / step).astype(int) + 1
    return StressGrid(axes, lower - BEYOND * width, step, (int(shape[0]), int(shape[1])), across)


def smoothed(position: Floats, amount: Floats, width: float, grid: StressGrid) -> Floats:
    """The sum of amounts at places times the Gaussian around each [1/m^dimension], shape (columns, *grid.shape).

    `position` [m] has shape (terms, dimension), `amount` shape (terms, columns).
    """
    if math.isfinite(grid.across):
        away = (position[:, 3 - sum(grid.axes)] - grid.across) / width
        near = np.abs(away) < BEYOND
        position = position[near]
        amount = amount[near] * (np.exp(-0.5 * away[near] ** 2) / (math.sqrt(2.0 * math.pi) * width))[:, None]
    at = (position[:, list(grid.axes)] - grid.origin) / grid.step
    inside = ((at >= 0.0) & (at < np.array(grid.shape) - 1)).all(axis=1)
    at, amount = at[inside], amount[inside]
    whole = at.astype(np.intp)
    share = at - whole
    size = grid.shape[0] * grid.shape[1]
    values = np.zeros((amount.shape[1], size))
    for first in (0, 1):
        for second in (0, 1):
            row = (whole[:, 0] + first) * grid.shape[1] + whole[:, 1] + second
            part = np.abs(1 - first - share[:, 0]) * np.abs(1 - second - share[:, 1])
            for column in range(amount.shape[1]):
                values[column] += np.bincount(row, amount[:, column] * part, size)
    rest = math.sqrt(max(width**2 - grid.step**2 / 6.0, 1e-4 * grid.step**2))
    result: Floats = values.reshape(-1, *grid.shape) / grid.step**2
    for axis in (1, 2):
        result = _with_gaussian(result, rest / grid.step, axis)
    return result


def _with_gaussian(values: Floats, width: float, axis: int) -> Floats:
    """Values at equidistant points smoothed along an axis; `width` in distances of the points.

    Shifted sums, because products of small matrices wait for other threads on a busy machine.
    """
    reach = math.ceil(BEYOND * width) + 1
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    weight /= weight.sum()
    count = values.shape[axis]
    edges = [(0, 0)] * values.ndim
    edges[axis] = (reach, reach)
    padded = np.moveaxis(np.pad(values, edges), axis, 0)
    result = np.zeros_like(padded[:count])
    for shift, share in enumerate(weight.tolist()):
        result += share * padded[shift : shift + count]
    return np.moveaxis(result, 0, axis)


def stress_field(end: Floats, branch: Floats, force: Floats, width: float, grid: StressGrid) -> Floats:
    """The contact part of the stress on the grid, compression positive [Pa; in the plane N/m], shape (dimension,
    dimension, *grid.shape).

    `end` is the centre of i [m], `branch` x_i - x_j [m], `force` on i [N], each of shape (contacts, dimension).
    """
    dimension = end.shape[1]
    dyad = (force[:, :, None] * branch[:, None, :]).reshape(len(end), dimension**2)
    nodes, weights = 0.5 * (NODES + 1.0), 0.5 * WEIGHTS
    position = (end[None] - nodes[:, None, None] * branch[None]).reshape(-1, dimension)
    amount = (weights[:, None, None] * dyad[None]).reshape(-1, dimension**2)
    return smoothed(position, amount, width, grid).reshape(dimension, dimension, *grid.shape)


def kinetic_stress(position: Floats, velocity: Floats, mass: Floats, width: float, grid: StressGrid) -> Floats:
    """The kinetic part of the stress on the grid [Pa; in the plane N/m], shape (dimension, dimension, *grid.shape).

    `position` [m] and `velocity` [m/s] of the grains have shape (grains, dimension), `mass` [kg] shape (grains,). Zero
    where all grains have one velocity; a gradient γ of the mean flow V adds about ρ γ² w², which belongs to the width.
    """
    dimension = position.shape[1]
    dyad = (velocity[:, :, None] * velocity[:, None, :]).reshape(len(position), dimension**2)
    amount = mass[:, None] * np.column_stack((np.ones(len(position)), velocity, dyad))
    density, *rest = smoothed(position, amount, width, grid)
    momentum, flux = np.array(rest[:dimension]), np.array(rest[dimension:])
    flux = flux.reshape(dimension, dimension, *grid.shape)
    mean: Floats = momentum / np.maximum(density, np.finfo(float).tiny)
    return np.asarray(flux - momentum[:, None] * mean[None, :])
