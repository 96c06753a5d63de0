"""The glass: a prism or cylinder that narrows to a neck at half its height (Duffau & Lynch 2020, section 4.2).

The published glass is 0.4 m wide and 1.5 m high, and its flat faces slope from 1 m at the walls to the neck at 0.75 m.
The glass of beads has a cone, whose height and width are parameters: with a short one it is a silo. The lower half of
the funnel is drawn, as published, but has no walls: no grain that falls through the neck reaches it. In the source
grains fall out of the world; here a floor is added at 0 m.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.contacts.wall_forces import CYLINDER, FACET, PLANE
from repose.sim.engine.world import Floats
from repose.sim.scenes.hourglass.parameters import HourglassGlassParameters, HourglassParameters

Parameters = HourglassParameters | HourglassGlassParameters

HEIGHT, NECK = 1.5, 0.75
"""Height of the glass, and of its neck, at which the funnel ends [m]."""

SIDES = 24
"""Number of flat sides of a round cone."""

AWAY = -100.0
"""Height of an open lid [m], far below all grains."""

FLOOR_WALL, LID_WALL = 0, 1
"""Rows of the table of walls."""


def shoulder(parameters: Parameters) -> float:
    """Height at which the funnel begins [m]."""
    return NECK + parameters.cone_height


def outline(parameters: Parameters, half_width: float) -> Floats:
    """Corners of the cross-section that is `half_width` [m] wide on either side, shape (sides, 2).

    A circle is a polygon of the same area.
    """
    if not parameters.round_glass:
        return half_width * np.array([(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
    angle = 2.0 * math.pi * np.arange(SIDES) / SIDES
    reach = half_width * math.sqrt(2.0 * math.pi / (SIDES * math.sin(2.0 * math.pi / SIDES)))
    return reach * np.column_stack([np.cos(angle), np.sin(angle)])


def band(low: Floats, low_z: float, high: Floats, high_z: float) -> Floats:
    """Triangles between two outlines at two heights [m], shape (2 * sides, 3, 3)."""
    a = np.column_stack([low, np.full(len(low), low_z)])
    d = np.column_stack([high, np.full(len(high), high_z)])
    b, c = np.roll(a, -1, axis=0), np.roll(d, -1, axis=0)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def funnel(parameters: Parameters) -> Floats:
    """The triangles of the upper funnel [m], shape (facets, 3, 3)."""
    neck, wide = outline(parameters, 0.5 * parameters.orifice), outline(parameters, 0.5 * parameters.width)
    return band(neck, NECK, wide, shoulder(parameters))


def walls(parameters: Parameters, closed: bool) -> tuple[NDArray[np.int64], Floats]:
    """Shapes and corners of all walls, for `repose.sim.engine.builder.set_walls`."""
    up, zero, half = (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 0.5 * parameters.width
    shapes = [PLANE, PLANE]
    corners: list[object] = [(zero, up, zero), ((0.0, 0.0, NECK if closed else AWAY), up, zero)]
    if parameters.round_glass:
        shapes.append(CYLINDER)
        corners.append((zero, up, (half, 1.0, 0.0)))
    else:
        for normal in ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)):
            shapes.append(PLANE)
            corners.append((tuple(-half * part for part in normal), normal, zero))
    facets = funnel(parameters)
    return np.array([*shapes, *[FACET] * len(facets)]), np.concatenate([np.array(corners), facets])


def drawn(parameters: Parameters, top: float) -> Floats:
    """Facets to draw: walls up to `top` and both halves of the funnel [m], shape (facets, 3, 3)."""
    shell = outline(parameters, 0.5 * parameters.width)
    upper = funnel(parameters)
    lower = upper * np.array([1.0, 1.0, -1.0]) + np.array([0.0, 0.0, 2.0 * NECK])
    return np.concatenate([band(shell, 0.0, shell, top), upper, lower])


def clearance(parameters: Parameters, position: Floats) -> Floats:
    """Distance of points of the upper half from its walls [m], negative outside; place (n, 3) [m], shape (n,)."""
    half, rise = 0.5 * parameters.width, parameters.cone_height
    run = half - 0.5 * parameters.orifice
    # Between its corners the pyramid is slightly narrower than the circle of the same area.
    narrow = 1.0
    if parameters.round_glass:
        outward = np.hypot(position[:, 0], position[:, 1])
        narrow = float(np.linalg.norm(outline(parameters, 1.0)[0])) * math.cos(math.pi / SIDES)
    else:
        outward = np.abs(position[:, :2]).max(axis=1)
    slope = narrow * (0.5 * parameters.orifice + run * (position[:, 2] - NECK) / rise) - outward
    nearest: Floats = np.minimum(half - outward, slope * rise / math.hypot(rise, run))
    return nearest


def volume_between(parameters: Parameters, low: float, high: float) -> float:
    """Volume of the upper half between two heights [m³]."""
    shape = 0.25 * math.pi if parameters.round_glass else 1.0
    z = np.linspace(low, high, 401)
    share = np.clip((z - NECK) / parameters.cone_height, 0.0, 1.0)
    width = parameters.orifice + (parameters.width - parameters.orifice) * share
    return float(shape * np.trapezoid(width**2, z))
