"""The small picture of a run or a preset, drawn off-screen: the grains as the window shows them at first."""

from __future__ import annotations

from repose.app.jobs.headless_film import open_picture_maker
from repose.app.render.camera import NO_INSET
from repose.app.render.follow import first_camera
from repose.app.storage.thumbnails import DRAWN, thumbnail, without_words
from repose.app.storage.view import View
from repose.sim.experiment.snapshot import Snapshot


def small_picture(snapshot: Snapshot) -> bytes:
    """The grains alone, without words, as WebP; raises `WindowError` where there is no OpenGL."""
    camera = first_camera(snapshot, DRAWN, NO_INSET)
    maker = open_picture_maker(DRAWN)
    try:
        return thumbnail(maker.draw(snapshot, without_words(View()), camera))
    finally:
        maker.close()
