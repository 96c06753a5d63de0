"""The small picture of a run or a preset, drawn off-screen: the grains as the window shows them at first."""

from __future__ import annotations

from repose.app.render.camera import NO_INSET
from repose.app.render.follow import first_camera
from repose.app.render.pictures_side_by_side import LINE, columns_for, joined, places, shape_of
from repose.app.storage.thumbnails import DRAWN, thumbnail, without_words
from repose.app.storage.view_settings import View
from repose.app.window.headless_film import open_picture_maker
from repose.sim.experiment.snapshot import Snapshot


def small_picture(*snapshots: Snapshot) -> bytes:
    """WebP of the grains without words, of several snapshots side by side; raises `WindowError` without OpenGL."""
    columns = columns_for(len(snapshots), *DRAWN, shape_of(snapshots[0]))
    rectangles, parts = places(len(snapshots), columns, DRAWN), []
    for snapshot, (_, _, width, height) in zip(snapshots, rectangles, strict=True):
        gap = LINE if len(snapshots) > 1 else 0
        size = width - gap, height - gap
        maker = open_picture_maker(size)
        try:
            parts.append(maker.draw(snapshot, without_words(View()), first_camera(snapshot, size, NO_INSET)))
        finally:
            maker.close()
    return thumbnail(joined(parts, rectangles, DRAWN))
