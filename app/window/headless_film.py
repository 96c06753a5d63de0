"""The film of a run without a window. It follows the simulated time, independent of the speed of the machine."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repose.app.errors import WindowError
from repose.app.language import in_language
from repose.app.render.director import Director, FilmStyle
from repose.app.render.passes import needs_forces
from repose.app.sound.film_track import FilmTrack
from repose.app.storage.engine_cache import choose_engine_cache
from repose.app.storage.recorder import Frame, Recorder, names_of
from repose.app.ui.whole_film import FilmEnd, FilmOrder
from repose.sim.message import EMPTY
from repose.sim.study.child_process import end_with_parent, ignore_interrupts, lower_priority
from repose.sim.wording import reason_of, sentence_of

SHOWN = 0.005
"""Filmed share of a run between two messages about it [-]."""

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker
    from repose.sim.experiment.snapshot import Snapshot


class HeadlessFilm:
    """Draws snapshots of a run and writes them.

    At a given speed the film has exactly round(duration x fps / speed) frames between title card and still.
    """

    def __init__(self, path: Path, style: FilmStyle) -> None:
        """Begin a film in this file or folder; raises `RecorderError`, `WindowError`."""
        self._recorder = Recorder(path, style.size, style.fps)
        try:
            self._maker = open_picture_maker(style.size)
        except BaseException:
            self._recorder.close()
            raise
        self._director = Director(self._maker.read, style)
        self._track = FilmTrack(style.fps) if style.sound else None
        self.needs_forces = needs_forces(style.view)
        """Whether the snapshots must contain forces of contacts."""
        self._held: Frame | None = None
        """The newest frame; it is written later, because the duration of the run decides how often."""
        self._taken = self._drawn = 0
        self._closed = False
        self.at_phases = style.speed is None
        """Whether a frame is needed at the beginning of a phase, because the speed of the film changes there."""
        self.frames = 0
        self.complaint = EMPTY
        """Why the film ended early; empty if it did not."""

    @property
    def names(self) -> str:
        """The file or files, or the folder of pictures."""
        return str(names_of(self._recorder.path, self._recorder.parts))

    @property
    def outcome(self) -> dict[str, Any]:
        """The data of the film in the results."""
        parts = [str(part) for part in self._recorder.parts]
        several = {"files": parts} if len(parts) > 1 else {}
        return {
            "file": parts[0] if parts else str(self._recorder.path),
            **several,
            "frames": self.frames,
            "cut_short": str(self.complaint) or None,
        }

    def take(self, snapshot: Snapshot) -> float:
        """Draw the next frames; returns the simulated time to the next [s].

        An error of the film does not end the run.
        """
        if not self.complaint:
            try:
                if self._track is not None:
                    self._track.hear(snapshot, self._drawn)
                for picture in self._director.take(snapshot):
                    self._write_held(1)
                    self._held, self._drawn = picture, self._drawn + 1
                self._taken += 1
            except Exception as error:  # a driver may raise anything; the run must survive
                self.complaint = sentence_of(error)
        return self._director.interval

    def close(self, duration: float, last: Snapshot | None = None) -> None:
        """Finish the film of a run of `duration` [s of simulated time] whose last snapshot is `last`.

        A second call does nothing.
        """
        if self._closed:
            return
        self._closed = True
        if not self.complaint:
            try:
                wanted = max(1, round(duration / self._director.interval)) if not self.at_phases else self._taken
                self._write_held(wanted - self._taken + 1)
                for picture in self._director.ending(last):
                    self._recorder.add(picture)
            except Exception as error:  # as above
                self.complaint = sentence_of(error)
        self.frames = self._recorder.close(self._track.words if self._track is not None else None)
        self.complaint = self.complaint or self._recorder.failure
        self._maker.close()

    def _write_held(self, copies: int) -> None:
        for _ in range(copies if self._held is not None else 0):
            assert self._held is not None
            self._recorder.add(self._held)
        self._held = None


def open_picture_maker(size: tuple[int, int]) -> PictureMaker:
    """The off-screen renderer; raises `WindowError` if OpenGL or a library that it needs is missing."""
    try:
        from repose.app.window.picture import PictureMaker

        return PictureMaker(size)
    except ImportError as error:
        raise WindowError(
            f"Nothing can be drawn here ({error}); install the missing library (Debian: apt install libgl1 libegl1) "
            "or leave --video out."
        ) from None
    except OSError as error:  # libraries read the current folder, which may have been deleted
        raise WindowError(f"Nothing can be drawn here: {reason_of(error)}; start in another folder.") from None


def film_saved_run(sender: Connection, order: FilmOrder) -> None:
    """The process that films a saved run from its beginning: sends shares of the run, then how it ended."""
    ignore_interrupts()
    end_with_parent()
    lower_priority()
    choose_engine_cache()
    try:
        with in_language(order.language):
            sender.send(_filmed(sender, order))
    except Exception as error:  # a missing library, a driver, a folder that cannot be written, a plug-in
        sender.send(FilmEnd("", 0, sentence_of(error)))


def share_sender(sender: Connection) -> Callable[[int, int], None]:
    """A function that sends the share of the run that is done, each time that it has grown by `SHOWN`."""
    said = 0.0

    def show_share(at: int, end: int) -> None:
        nonlocal said
        if at / max(end, 1) >= said + SHOWN:
            said = at / end
            sender.send(said)

    return show_share


def _filmed(sender: Connection, order: FilmOrder) -> FilmEnd:
    """Film the run; a film that ends early has the reason."""
    from repose.sim import registry
    from repose.sim.experiment.replay import pictures, play
    from repose.sim.experiment.saved_side_by_side import load_single
    from repose.sim.experiment.snapshot import Snapshot
    from repose.sim.experiment.take_snapshot import take_snapshot

    for file in order.plugins:
        registry.add_file(file)
    saved = load_single(order.run)
    film, duration, last, trouble = HeadlessFilm(order.film, order.style), 0.0, None, EMPTY
    try:
        played = play(saved, pictures(film.take, film.needs_forces), film.at_phases, on_progress=share_sender(sender))
        duration, last = played.duration, Snapshot()
        take_snapshot(played.experiment, last, forces=film.needs_forces)
    except Exception as error:  # a plug-in may raise anything: the film has the run until then
        trouble = sentence_of(error)
    film.close(duration, last)
    return FilmEnd(film.names, film.frames, trouble or film.complaint)
