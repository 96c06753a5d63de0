"""The picture of the end state of a run, drawn off-screen."""

from __future__ import annotations

from typing import BinaryIO

from repose.app.jobs.film_plan import view_of
from repose.app.jobs.requests import FilmRequest
from repose.app.render.follow import first_camera
from repose.app.render.framing import close_up, picture_room, picture_scale, whole_scene
from repose.app.render.passes import band, needs_forces
from repose.app.window.headless_film import open_picture_maker
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot


def draw_end(experiment: Experiment, request: FilmRequest, file: BinaryIO) -> None:
    """Write the last state of the run as PNG; raises `WindowError` without OpenGL."""
    snapshot, view, size = Snapshot(), view_of(request, experiment.direction), request.pixels
    take_snapshot(experiment, snapshot, forces=needs_forces(view))
    maker = open_picture_maker(size)
    try:
        from repose.app.storage.png import save_png

        about = origin_of(experiment.scene, experiment.seed, experiment.time, experiment.parameters)
        if snapshot.grains.parts:  # bodies move through a larger scene
            beside = band(snapshot, view, size[0], picture_scale(size) * view.text_scale)
            camera = first_camera(snapshot, size, picture_room(size, view.text_scale, beside))
            save_png(maker.draw(snapshot, view, camera), file, about)
            return
        box = whole_scene(snapshot) if snapshot.results.slope is None else close_up(snapshot)
        save_png(maker.draw(snapshot, view, box=box), file, about)
    finally:
        maker.close()
