"""The smoothed stress field: in 2D instead of the colours of the grains, in 3D in the plane of the cut."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import position_on_map, shades
from repose.app.render.cutaway import FIELD
from repose.app.render.passes import Frame, Pass, Switch
from repose.app.render.passes.discs import disc_rows
from repose.sim.experiment.snapshot import Floats
from repose.sim.message import _

STRESS_FIELD = Switch(
    FIELD,
    _("Stress field"),
    _("Stress by contacts and motion, smoothed over a width; in space in the plane of the cut, or in the middle."),
    default=False,
    key="6",
    applies=lambda snapshot: not snapshot.grains.labels,  # labelled spheres never touch each other
)
RIM = 0.35
"""Opacity of the outlines of the grains on the field [-]."""


def instances(frame: Frame) -> Floats | None:
    """One row per cell of the grid: a corner and both sides [m], and four colours with opacity."""
    field = frame.field
    if field is None:
        return None
    grid = field.grid
    first, second = grid.places
    colours = np.empty((*grid.shape, 4), np.float32)
    share = position_on_map(field.values, field.colouring, field.span)
    colours[..., :3] = shades(share, frame.view.colour_map, frame.palette)
    colours[..., 3] = field.filled
    corners = np.stack((colours[:-1, :-1], colours[1:, :-1], colours[:-1, 1:], colours[1:, 1:]), axis=2)
    shown = (corners[..., 3] > 0.0).any(axis=2)
    rows = np.zeros((int(shown.sum()), 25), np.float32)
    at = np.stack(np.meshgrid(first[:-1], second[:-1], indexing="ij"), axis=-1)[shown]
    rows[:, list(grid.axes)] = at
    if frame.dimension == 3:
        rows[:, 3 - sum(grid.axes)] = grid.across
    rows[:, 3 + grid.axes[0]] = rows[:, 6 + grid.axes[1]] = grid.step
    rows[:, 9:] = corners[shown].reshape(-1, 16)
    return rows


def outlines(frame: Frame) -> Floats | None:
    """One ring per grain, so that the grains are visible on the field."""
    if frame.field is None:
        return None
    moving = ~frame.snapshot.grains.fixed
    rows = disc_rows(frame.snapshot.grains.position[moving], frame.snapshot.grains.radius[moving])
    rows[:, 10] = RIM
    rows[:, 11] = np.minimum(0.12 * rows[:, 2] / frame.metres_per_pixel, 1.2 * frame.scale)
    return rows


PASS = (
    Pass(
        "stress_field",
        order=24,
        shader="field",
        attributes=(3, 3, 3, 4, 4, 4, 4),
        instances=instances,
        dimensions=(2,),
        switch=STRESS_FIELD,
        needs_forces=STRESS_FIELD.is_on,
    ),
    Pass(
        "outlines_on_the_stress_field",
        order=25,
        shader="discs",
        attributes=(2, 1, 4, 4, 1),
        instances=outlines,
        dimensions=(2,),
        switch=STRESS_FIELD,
    ),
    Pass(
        "stress_field_in_space",
        order=52,
        shader="field",
        attributes=(3, 3, 3, 4, 4, 4, 4),
        instances=instances,
        dimensions=(3,),
        switch=STRESS_FIELD,
    ),
)
