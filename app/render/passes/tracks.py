"""Paths of spheres: a line for the run, dots for the closed form, in the colour of the sphere's label."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import category, to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.display import Track
from repose.sim.message import _

TRACKS = Switch(
    "tracks",
    _("Paths"),
    _("Paths of the spheres as lines, those of the closed form as dots."),
    applies=lambda snapshot: bool(snapshot.grains.tracks),
)
LINE, DOT = 2.0, 4.0
"""Width of a line, size of a dot [units of line width]."""
LINE_ALPHA, DOT_ALPHA = 0.8, 0.95


def instances(frame: Frame) -> Floats | None:
    """One stroke per segment of a line, and one per dot."""
    snapshot = frame.snapshot
    rows = [_rows(frame, track, _number(snapshot, track)) for track in snapshot.grains.tracks if len(track.points)]
    return np.concatenate(rows) if rows else None


def _number(snapshot: Snapshot, track: Track) -> int:
    """Index of the label of the sphere, which determines the colour."""
    return next((k for k, label in enumerate(snapshot.grains.labels) if label.sphere_id == track.sphere_id), 0)


def _rows(frame: Frame, track: Track, number: int) -> Floats:
    """Rows for the shader `strokes`: both ends [m], widths, colour; a dot is a stroke of zero length."""
    points = track.points[np.isfinite(track.points).all(axis=1)].astype(np.float32)
    first, second = (points, points) if track.expected else (points[:-1], points[1:])
    rows = np.zeros((len(first), 12), np.float32)
    rows[:, 0:3] = first
    rows[:, 3:6] = second
    rows[:, 7] = (DOT if track.expected else LINE) * frame.scale
    rows[:, 8:11] = category(number)
    rows[:, 11] = DOT_ALPHA if track.expected else LINE_ALPHA
    return rows


def in_plane(frame: Frame) -> Floats | None:
    """Rows for the shader `lines`: both ends [m], width [pixel], colour with opacity. They are drawn over the discs,
    because the path of the centre of a body is inside it at first."""
    pieces = [track.points[np.isfinite(track.points).all(axis=1)] for track in frame.snapshot.grains.tracks]
    count = sum(max(len(points) - 1, 0) for points in pieces)
    if not count:
        return None
    rows = np.empty((count, 9), np.float32)
    rows[:, 0:2] = np.concatenate([points[:-1] for points in pieces])
    rows[:, 2:4] = np.concatenate([points[1:] for points in pieces])
    rows[:, 4] = LINE * frame.scale
    rows[:, 5:8] = to_linear(frame.palette.faint)
    rows[:, 8] = LINE_ALPHA
    return rows


PASS = (
    Pass(
        "tracks",
        order=53,
        shader="strokes",
        attributes=(3, 3, 2, 4),
        instances=instances,
        dimensions=(3,),
        depth="tested",
        switch=TRACKS,
    ),
    Pass(
        "tracks_in_the_plane",
        order=27,
        shader="lines",
        attributes=(4, 1, 4),
        instances=in_plane,
        dimensions=(2,),
        switch=TRACKS,
    ),
)
