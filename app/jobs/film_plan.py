"""From the request for a film to its file and style."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from repose.app.jobs.requests import FilmRequest
from repose.app.render.colours import AUTOMATIC
from repose.app.render.director import FilmStyle
from repose.app.storage.recorder import ANIMATIONS, FILM, film_path, film_rate
from repose.app.storage.view_settings import View
from repose.sim.direction import NOT_DIRECTED, Direction
from repose.sim.message import EMPTY, Message
from repose.sim.parameters import ParameterError

FPS, ANIMATION_FPS = 60.0, 25.0
"""Default frames per second of films, and of GIF and WebP: these files are large, and programs play them slowly."""


@dataclass(frozen=True)
class FilmPlan:
    """One film without a window."""

    path: Path
    style: FilmStyle


def plan_film(
    video: str, request: FilmRequest, title: Message = EMPTY, direction: Direction = NOT_DIRECTED
) -> FilmPlan:
    """The film that is written to the typed name `video`, with this title, or the title of the scene, of a scene with
    this direction."""
    path = film_path(video)
    if request.sound and path.suffix.lower() not in ("", FILM):
        raise ParameterError(f"--sound is refused for {video}: of all films only an MP4 has sound; choose that ending.")
    fps = request.fps or (ANIMATION_FPS if path.suffix.lower() in ANIMATIONS else FPS)
    return FilmPlan(
        path,
        FilmStyle(
            request.pixels,
            film_rate(path, fps),
            view_of(request, direction),
            request.speed,
            request.overlay == "full",
            title,
            sound=request.sound,
        ),
    )


def view_of(request: FilmRequest, direction: Direction) -> View:
    """How the pictures are drawn."""
    return View(colour_by=request.colour or AUTOMATIC, shown=dict.fromkeys((*direction.show, *request.show), True))
