"""A still picture of a run, or of runs side by side, with time, parameters and result in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from repose.app.render.camera import Size
from repose.app.render.director import Picture, Read, room_for_result
from repose.app.render.film_words import film_words
from repose.app.render.follow import directed_camera, first_following, without_idle_walls
from repose.app.render.framing import picture_room, picture_scale
from repose.app.render.orbit import Camera
from repose.app.render.passes import band
from repose.app.render.pictures_side_by_side import LINE, columns_for, joined, places, shape_of
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot


def still(
    read: Read,
    runs: Sequence[Snapshot],
    view: View,
    size: Size,
    camera_of: Callable[[int, Size], Camera | None] = lambda number, size: None,
) -> Picture:
    """The picture of these runs, shape (height, width, 3).

    `camera_of` returns the camera of a run's picture of a given size [pixel]; None: the grains are framed.
    """
    rectangles = places(len(runs), columns_for(len(runs), *size, shape_of(runs[0])), size)
    gap = LINE if len(runs) > 1 else 0
    view = view.model_copy(update={"shown": {**view.shown, "caption": True}})
    parts = []
    for number, (snapshot, (_, _, width, height)) in enumerate(zip(runs, rectangles, strict=True)):
        part = (width - gap, height - gap)
        words = film_words(snapshot, 0.0, ending=snapshot.run.at_rest)
        if snapshot.run.label:
            words = replace(words, result=(snapshot.run.label, *words.result))
        camera = directed_camera(snapshot)
        room, column = room_for_result(_room(snapshot, view, part), words.result, part, view, snapshot, camera)
        following = first_following(snapshot, part, room)
        seen = without_idle_walls(snapshot, following.wall_top)
        parts.append(
            read(seen, view, part, camera_of(number, part) or following.camera, film=replace(words, column=column))
        )
    return joined(parts, rectangles, size)


def _room(snapshot: Snapshot, view: View, size: Size) -> tuple[float, float, float, float]:
    """Edges of a picture of this size that words cover [pixel]."""
    beside = band(snapshot, view, size[0], picture_scale(size) * view.text_scale)
    return picture_room(size, view.text_scale, beside)
