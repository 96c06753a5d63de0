"""From the snapshots of a run to the pictures of its film: title card, camera, speed, texts, and a still at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import NO_INSET, Inset, Size
from repose.app.render.colours import AUTOMATIC, COLOURINGS, PARTS, shown_as
from repose.app.render.film_words import FilmWords, Lines, film_words
from repose.app.render.follow import (
    Following,
    come_to_rest,
    directed_camera,
    follow,
    height_at_rest,
    without_idle_walls,
)
from repose.app.render.framing import picture_room, picture_scale
from repose.app.render.orbit import Camera
from repose.app.render.pacing import Pacing, pace
from repose.app.render.passes import band, legend, part_names
from repose.app.render.passes.caption import result_foot
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message

Picture = NDArray[np.uint8]
"""Shape (height, width, 3), sRGB, top row first."""

CARD, FADE = 1.5, 0.4
"""Duration of the title card, and of its fading at the end [s]."""
REST, STILL = 1.0, 3.0
"""Time in which the camera comes to rest at the end, and duration of the still picture with the angle [s]."""


WITHOUT_LEGEND = ("labels", "sand", "clay", "plain")
"""Colours without a legend."""
COLUMN = 0.34
"""Width of a result in a column at the left of the grains, as a share of the width of the picture [-]."""
LARGER = 1.15
"""Least height of the grains beside such a column, over that below a result as wide as the picture [-]."""
MOST_RESULT = 0.55
"""Largest share of the height of a picture above the grains, for legend and result [-]."""

Read = Callable[..., Picture]
"""`repose.app.render.renderer.Renderer.read`."""


@dataclass(frozen=True)
class FilmStyle:
    """How a film looks."""

    size: Size
    """[pixel]."""
    fps: float
    """Frames per second."""
    view: View
    speed: float | None = None
    """Simulated seconds per second of film; None for the speed of each phase (repose.app.render.pacing)."""
    words: bool = True
    """Whether the film has title card, texts, marks and a still picture at the end."""
    title: Message = EMPTY
    """Words of the title card; empty for the title of the scene."""
    card: float = CARD
    """Duration of the title card [s]."""
    sound: bool = False
    """Whether an MP4 has the impacts as sound (repose.app.sound)."""


class Director:
    """Draws the pictures of one film; `read` needs the OpenGL context that is current at each call."""

    def __init__(
        self,
        read: Read,
        style: FilmStyle,
        chosen: Callable[[], tuple[Camera | None, bool]] = lambda: (None, True),
        lines: Callable[[], Lines | None] = lambda: None,
    ) -> None:
        """A film in this style.

        `chosen` returns the camera of the user, whose direction is kept in space, and whether the camera follows the
        grains. `lines` returns further texts in the picture.
        """
        self._read, self._style, self._chosen, self._lines = read, style, chosen, lines
        self._pacing: Pacing | None = None
        self._following: Following | None = None
        self._colour = AUTOMATIC
        self._column = 0.0
        """Width of the column of the result, 0 for none [pixel]."""
        self._newest: Snapshot | None = None

    @property
    def interval(self) -> float:
        """Simulated time from the newest snapshot to the next wanted one [s]."""
        return self.speed / self._style.fps

    @property
    def speed(self) -> float:
        """Simulated seconds per second of film now."""
        if self._style.speed is not None or self._pacing is None:
            return self._style.speed or 1.0
        return self._pacing.speed

    def take(self, snapshot: Snapshot) -> Iterator[Picture]:
        """The pictures that a snapshot adds to the film: one, and the title card before the first."""
        first = self._newest is None
        self._newest = snapshot
        self._pacing = pace(self._pacing, snapshot, 0.0 if first else 1.0 / self._style.fps)
        if first:
            self._colour = film_colour(self._style.view.colour_by, snapshot)
        self._follow()
        if first and self._style.words:
            yield from self._card()
        yield self._picture()

    def ending(self, last: Snapshot | None = None) -> Iterator[Picture]:
        """Pictures of the last snapshot: the camera comes to rest with every grain in the picture, and stands still."""
        if self._newest is None or self._following is None or not self._style.words:
            return
        self._newest = last or self._newest
        pictures = max(1, round(REST * self._style.fps))
        camera, size, room = self._viewpoint()
        words = self._words(ending=True)
        room, self._column = room_for_result(room, words.result, size, self._style.view, self._newest, camera)
        for at in come_to_rest(self._following, self._newest, camera, size, room, REST, pictures):
            self._following = at
            picture = self._picture(ending=True)
            yield picture
        for _ in range(round(STILL * self._style.fps)):
            yield picture

    def _card(self) -> Iterator[Picture]:
        count, fading = round(self._style.card * self._style.fps), round(FADE * self._style.fps)
        opaque = self._picture(card=1.0)
        for k in range(count):
            left = (count - k) / max(fading, 1)
            yield opaque if left >= 1.0 else self._picture(card=left)

    def _follow(self) -> None:
        if self._newest is not None:
            self._following = follow(self._following, self._newest, *self._viewpoint(), 1.0 / self._style.fps)

    def _viewpoint(self) -> tuple[Camera, Size, Inset]:
        """The camera whose direction is kept in space, the size of the picture and the room for words [pixel]."""
        assert self._newest is not None
        camera, _ = self._chosen()
        directed = directed_camera(self._newest)
        scale = self._style.view.text_scale
        beside = band(self._newest, self._style.view, self._style.size[0], picture_scale(self._style.size) * scale)
        room = picture_room(self._style.size, scale, beside) if self._style.words else NO_INSET
        return camera if isinstance(camera, type(directed)) else directed, self._style.size, room

    def _words(self, ending: bool, card: float = 0.0, lines: Lines | None = None) -> FilmWords:
        assert self._newest is not None
        words = film_words(self._newest, self.speed, ending, card, self._style.title, lines)
        return replace(words, column=self._column) if ending else words

    def _picture(self, ending: bool = False, card: float = 0.0) -> Picture:
        assert self._newest is not None
        assert self._following is not None
        # Changes of the view by the user act during the film, except automatic colours, whose meaning would change.
        colour = self._colour if self._style.view.colour_by == AUTOMATIC else self._style.view.colour_by
        shown = {**self._style.view.shown, "caption": True}
        view = self._style.view.model_copy(update={"shown": shown, "colour_by": colour})
        camera, follows = self._chosen()
        lines = self._lines()
        ending = ending or (lines is not None and lines.over)
        words = self._words(ending, card, lines) if self._style.words else None
        return self._read(
            without_idle_walls(self._newest, self._following.wall_top),
            view,
            self._style.size,
            self._following.camera if follows or camera is None else camera,
            film=words,
            plain=not self._style.words,
        )


def room_for_result(
    room: Inset, result: tuple[Message, ...], size: Size, view: View, snapshot: Snapshot, camera: Camera
) -> tuple[Inset, float]:
    """The room of a picture with the words of its result above the grains, or in a column at their left if they are
    larger then, as in a tall scene; and the width of this column, 0 for none [pixel]."""
    below = room_below_result(room, result, size, view, snapshot)
    left, top, right, bottom = room
    column = COLUMN * size[0]
    beside = (left + column, top, right, bottom)
    foot = result_foot(result, size, picture_scale(size) * view.text_scale, band=size[0] - column)
    if below == room or foot > size[1] - bottom:
        return below, 0.0
    heights = [height_at_rest(snapshot, camera, size, at) for at in (below, beside)]
    return (beside, column) if heights[1] > LARGER * heights[0] else (below, 0.0)


def room_below_result(room: Inset, result: tuple[Message, ...], size: Size, view: View, snapshot: Snapshot) -> Inset:
    """The room of a picture with the words of its result above the grains [pixel], if enough of the picture is left for
    these."""
    left, top, right, bottom = room
    scale, shown = picture_scale(size) * view.text_scale, shown_as(view.colour_by, snapshot)
    has_legend = view.shown.get("legend", True) and shown not in WITHOUT_LEGEND
    above = 0.0 if not has_legend else part_names.foot(scale) if shown == PARTS else legend.foot(scale)
    foot = result_foot(result, size, scale, above, right)
    return left, max(top, min(foot, MOST_RESULT * size[1])), right, bottom


def film_colour(choice: str, snapshot: Snapshot) -> str:
    """The quantity of the colours from the first picture to the last: a first layer has its colour as one of several,
    although a film that begins with it shows no other yet."""
    shown = shown_as(choice, snapshot)
    waits = shown == "sand" and snapshot.run.direction.colour == "layer" and choice == AUTOMATIC
    return "layer" if waits and snapshot.run.phase.runs else shown if shown in COLOURINGS else choice
