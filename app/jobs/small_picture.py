"""The small picture of a run or a preset, drawn off-screen: the grains as the window shows them at first."""

from __future__ import annotations

from repose.app.jobs.headless_film import open_picture_maker
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.follow import follow
from repose.app.render.orbit import Camera, Camera3D
from repose.app.storage.thumbnails import DRAWN, thumbnail, without_words
from repose.app.storage.view import View
from repose.sim.experiment.snapshot import Snapshot


def small_picture(snapshot: Snapshot) -> bytes:
    """The grains alone, without words, as WebP; raises `WindowError` where there is no OpenGL."""
    camera: Camera = Camera3D() if snapshot.position.shape[1] == 3 else Camera2D()
    camera.frame(snapshot.box, DRAWN)
    camera = follow(None, snapshot, camera, DRAWN, NO_INSET, 0.0).camera
    maker = open_picture_maker(DRAWN)
    try:
        return thumbnail(maker.draw(snapshot, without_words(View()), camera))
    finally:
        maker.close()
