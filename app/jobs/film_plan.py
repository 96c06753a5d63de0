"""The request for a film without a window, checked before any work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from repose.app.render.colours import AUTOMATIC, COLOURINGS
from repose.app.render.pacing import FASTEST, SLOWEST
from repose.app.storage.recorder import ANIMATIONS, LARGEST_SIDE, film_path, film_rate
from repose.app.storage.view_settings import View
from repose.sim.message import plain
from repose.sim.parameters import ParameterError, require_known
from repose.sim.wording import value_text

OVERLAYS = ("full", "none")
"""Values of `--overlay`: with title card, texts and marks, or the grains only."""

FPS, ANIMATION_FPS = 60.0, 25.0
"""Default frames per second of films, and of GIF and WebP: these files are large, and programs play them slowly."""


@dataclass(frozen=True)
class FilmPlan:
    """A checked request for one film."""

    path: Path
    size: tuple[int, int]
    """[pixel]."""
    fps: float
    speed: float | None
    """Simulated seconds per second of film; None for the speed of each phase (repose.app.render.pacing)."""
    words: bool
    """Whether the film has title card, texts, marks and a still picture at the end."""
    colour_by: str
    light: bool = False
    """Whether the background is light, for print."""
    shown: tuple[str, ...] = ()
    """Switches of draw passes that are on in addition to the default ones."""

    @property
    def view(self) -> View:
        """How the pictures are drawn."""
        return View(colour_by=self.colour_by, shown=dict.fromkeys(self.shown, True))


def plan_film(
    video: str,
    size: tuple[int, int],
    fps: float | None,
    speed: float | None = None,
    overlay: str = "full",
    colour: str = "",
    show: Sequence[str] = (),
) -> FilmPlan | None:
    """Check a typed request; None if no film is requested. Raises `ParameterError`."""
    shown = checked_switches(show)
    path = film_path(video)
    if fps is None:
        fps = ANIMATION_FPS if path.suffix.lower() in ANIMATIONS else FPS
    if not 1.0 <= fps <= 1000.0:
        raise ParameterError(f"--fps {fps:g} is refused: it must be 1 to 1000 frames per second.")
    if speed is not None and not SLOWEST <= speed <= FASTEST:
        raise ParameterError(f"--speed {speed:g} is refused: it must be {SLOWEST:g} to {FASTEST:g}; 1 is real time.")
    if overlay not in OVERLAYS:
        raise ParameterError(f"--overlay {value_text(overlay)} is refused: it must be {' or '.join(OVERLAYS)}.")
    if colour:
        require_known(colour, COLOURINGS, plain("colour"))
    if not video:
        return None
    return FilmPlan(path, size, film_rate(path, fps), speed, overlay == "full", colour or AUTOMATIC, shown=shown)


def checked_switches(names: Sequence[str]) -> tuple[str, ...]:
    """The names, if each is the name of a switch; raises `ParameterError`."""
    if names:
        from repose.app.render.passes import all_switches  # imports every pass: only when one is named

        known = {switch.name: switch for switch in all_switches()}
        for name in names:
            require_known(name, known, plain("switch"))
    return tuple(names)


def parsed_size(text: str) -> tuple[int, int]:
    """Width and height [pixel] of a typed size; raises `ParameterError`."""
    found = re.fullmatch(r"([0-9]{1,6})[x×]([0-9]{1,6})", text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 16 <= min(size) <= max(size) <= LARGEST_SIDE:
        raise ParameterError(
            f"--size {value_text(text)} is refused: write WIDTHxHEIGHT in pixels, each 16 to {LARGEST_SIDE}, such as "
            "1920x1080."
        )
    return size
