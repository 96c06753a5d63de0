"""Images of grains beside the cell of a periodic world, as thin outlines, and the borders of the cell."""

from __future__ import annotations

from itertools import product

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.cutaway import is_cut
from repose.app.render.passes import Frame, Pass, Switch
from repose.app.render.passes.discs import disc_rows
from repose.app.render.passes.spheres import ATTRIBUTES, sphere_rows
from repose.sim.engine.boundaries import images_beside, periodic_dimensions
from repose.sim.engine.world import LOWEST, PERIOD
from repose.sim.experiment.snapshot import Floats
from repose.sim.message import _

IMAGES = Switch(
    "periodic_images",
    _("Images beyond the border"),
    _("Thin outlines of the grains that a periodic world repeats beside its cell, and the border of the cell."),
    applies=lambda snapshot: bool(snapshot.geometry.boundary.size),
)
REACH = 3.0
"""Distance from the border up to which images are drawn [mean radii]."""
FACE, OUTLINE = 0.1, 0.4
"""Opacity of the face and of the outline of an image [-]."""
WIDTH = 1.0
"""Width of an outline [units of line width]."""
BORDER, BORDER_OPACITY = 1.4, 0.7
"""Width of the border of the cell [units of line width] and its opacity [-]."""


def images_of_grains(frame: Frame) -> tuple[np.ndarray, Floats]:
    """Rows of the grains that have an image near the cell, and the centres of these images [m]."""
    grains = frame.snapshot.grains
    known = np.flatnonzero(np.isfinite(grains.position).all(axis=1))
    reach = REACH * float(grains.radius.mean()) if len(grains.radius) else 0.0
    rows, places = images_beside(grains.position[known].astype(np.float64), frame.snapshot.geometry.boundary, reach)
    return known[rows], places.astype(np.float32)


def discs(frame: Frame) -> Floats | None:
    """One faint disc with a thin rim per image."""
    rows, places = images_of_grains(frame)
    if not len(rows):
        return None
    drawn = disc_rows(places, frame.snapshot.grains.radius[rows])
    drawn[:, 3:6] = drawn[:, 7:10] = frame.faces[rows]
    drawn[:, 6], drawn[:, 10] = FACE, OUTLINE
    drawn[:, 11] = WIDTH * frame.scale
    return drawn


def shells(frame: Frame) -> Floats | None:
    """One translucent shell with a thin contour per image that is farther from the eye than its grain, the farthest
    first: the others would hide the grains."""
    rows, places = images_of_grains(frame)
    kept = ~is_cut(places, frame.cut)
    kept &= frame.orbit.depth(places) > frame.orbit.depth(frame.snapshot.grains.position[rows])
    rows, places = rows[kept], places[kept]
    if not len(rows):
        return None
    order = np.argsort(-frame.orbit.depth(places))
    rows, places = rows[order], places[order]
    drawn = sphere_rows(places, frame.snapshot.grains.radius[rows])
    drawn[:, 4:7] = drawn[:, 8:11] = frame.faces[rows]
    drawn[:, 7] = FACE
    drawn[:, 11] = WIDTH * frame.scale
    return drawn


def borders(frame: Frame) -> Floats | None:
    """The borders of the cell in the plane, along the whole region that is shown."""
    boundary, (lower, upper) = frame.snapshot.geometry.boundary, frame.snapshot.geometry.box
    lines = []
    for c in periodic_dimensions(boundary):
        low, high = np.array(lower[:2]), np.array(upper[:2])
        for place in (boundary[LOWEST, c], boundary[LOWEST, c] + boundary[PERIOD, c]):
            low[c] = high[c] = place
            lines.append([*low, *high])
    if not lines:
        return None
    rows = np.empty((len(lines), 9), np.float32)
    rows[:, 0:4] = lines
    rows[:, 4] = BORDER * frame.scale
    rows[:, 5:8] = to_linear(frame.palette.faint)
    rows[:, 8] = BORDER_OPACITY
    return rows


def edges(frame: Frame) -> Floats | None:
    """The edges of the cell in space, along open dimensions those of the region that is shown."""
    boundary, (lower, upper) = frame.snapshot.geometry.boundary, frame.snapshot.geometry.box
    low, high = np.array(lower, float), np.array(upper, float)
    for c in periodic_dimensions(boundary):
        low[c], high[c] = boundary[LOWEST, c], boundary[LOWEST, c] + boundary[PERIOD, c]
    corners = np.array(list(product(*zip(low, high, strict=True))))
    ends = [(a, b) for a in corners for b in corners if (b >= a).all() and np.count_nonzero(a != b) == 1]
    if not len(boundary[0]):
        return None
    rows = np.empty((len(ends), 12), np.float32)
    rows[:, 0:3], rows[:, 3:6] = (np.array([pair[k] for pair in ends]) for k in (0, 1))
    rows[:, 6], rows[:, 7] = 0.0, BORDER * frame.scale
    rows[:, 8:11] = to_linear(frame.palette.faint)
    rows[:, 11] = BORDER_OPACITY
    return rows


PASS = (
    Pass(
        "periodic_images",
        order=19,
        shader="discs",
        attributes=(2, 1, 4, 4, 1),
        instances=discs,
        dimensions=(2,),
        switch=IMAGES,
    ),
    Pass(
        "periodic_borders",
        order=18,
        shader="lines",
        attributes=(4, 1, 4),
        instances=borders,
        dimensions=(2,),
        switch=IMAGES,
    ),
    Pass(
        "periodic_images_in_space",
        order=47,
        shader="spheres",
        attributes=ATTRIBUTES,
        instances=shells,
        dimensions=(3,),
        depth="tested",
        switch=IMAGES,
    ),
    Pass(
        "periodic_borders_in_space",
        order=44,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=edges,
        dimensions=(3,),
        depth="tested",
        switch=IMAGES,
    ),
)
