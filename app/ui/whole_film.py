"""The film of the whole run, from its beginning to now: a separate process computes the run again and draws it, while
the run in the window continues without waiting for pictures."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from repose.app.language import current_language
from repose.app.render.director import FilmStyle
from repose.app.storage.film import Film
from repose.app.storage.recorder import sweep
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.view_settings import View
from repose.sim import registry
from repose.sim.message import EMPTY, Message, _
from repose.sim.study.child_process import start_shielded
from repose.sim.wording import reason_of, sentence_of

if TYPE_CHECKING:
    from repose.sim.experiment.saved_side_by_side import Saved


ONE_RUN = _("Only one run can be filmed from its beginning: keep one, or record them while they run.")


FILM_BROKEN = _("The process that films the run has ended before the film was complete.")


class FilmOrder(NamedTuple):
    """What the process films."""

    run: Path
    """File of the saved run."""
    film: Path
    style: FilmStyle
    language: str
    """Code of the language of the texts."""
    plugins: tuple[str, ...]
    """Files of plug-ins that the run may need."""


@dataclass
class Copied:
    """A copy of the run for one film. A film that ends while its copy is being written has no part in the next one."""

    order: FilmOrder | None = None
    """Set once the run is in its file."""
    trouble: Message = EMPTY
    """Why the run could not be copied."""
    folder: Path | None = None
    _ended: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, saved: Saved, path: Path, style: FilmStyle, language: str) -> None:
        """Write the run into a folder of its own, unless the film has ended; for the thread that saves."""
        from repose.sim.experiment.command_log import SavedSideBySide
        from repose.sim.experiment.saved_side_by_side import write

        if isinstance(saved, SavedSideBySide):  # they were being prepared when the film was asked for
            self.trouble = ONE_RUN
            return
        with self._lock:
            if self._ended:
                return
            try:
                self.folder = Path(tempfile.mkdtemp(prefix="repose-film-"))
                run = self.folder / "run.repose"
                with run.open("wb") as file:
                    write(saved, file, b"")
                plugins = [plugin.source for plugin in registry.plugins() if Path(plugin.source).is_file()]
                self.order = FilmOrder(run, path, style, language, tuple(plugins))
            except Exception as error:  # no error of the disk may end the run
                self.trouble = (
                    Message("The run could not be copied for its film: {reason}.", reason=reason_of(error))
                    if isinstance(error, OSError)
                    else sentence_of(error)
                )

    def end(self) -> None:
        """Delete the copy, or write none; waits while it is being written."""
        with self._lock:
            self._ended = True
            if self.folder is not None:
                shutil.rmtree(self.folder, ignore_errors=True)


class FilmEnd(NamedTuple):
    """How the film of the process ended."""

    names: str
    """The files that were written."""
    frames: int
    trouble: Message
    """Why there is no film, or why it ends early; empty for a complete film."""
    words: Message = EMPTY
    """What was written, in words; empty for a film."""


Work = Callable[[Connection, FilmOrder], None]
"""The work of the process: sends shares of the run from 0 to 1, then a `FilmEnd`."""


@dataclass
class WholeFilm:
    """The process that films the whole run, its progress and its result."""

    film: Film
    """The choices of the user: file, format, size, frames per second, speed, texts."""
    saver: RunSaver
    work: Work
    broken: Message = FILM_BROKEN
    """What is said of a process that ends without a result."""
    share: float | None = None
    """Filmed fraction of the run [-]; None if nothing is being filmed."""
    message: Message = EMPTY
    """What was written last."""
    trouble: Message = EMPTY
    _copy: Copied | None = None
    """The copy of the run that is being written or filmed; the thread that saves writes it."""
    _process: SpawnProcess | None = None
    _receiver: Connection | None = field(default=None)

    @property
    def running(self) -> bool:
        """Whether a film is being made."""
        return self.share is not None

    def start(self, scene: str, title: Message, view: View) -> None:
        """Save a copy of the run, then film it from its beginning with the present view."""
        if self.running:
            return
        self.message, self.trouble = EMPTY, EMPTY
        path = self.film.file_for(scene)
        if path is None:
            return
        film = self.film
        style = FilmStyle(film.size, film.rate, view.model_copy(deep=True), film.speed, film.words)
        self.begin(path, replace(style, title=title, sound=film.sound and film.format == ".mp4"))

    def begin(self, path: Path, style: FilmStyle) -> None:
        """Save a copy of the run, then let the process write this file from it."""
        if self.running:
            return
        self.message, self.trouble = EMPTY, EMPTY
        self.share, self._copy, language = 0.0, Copied(), current_language()
        copy = self._copy
        self.saver.copy_for(lambda saved: copy.write(saved, path, style, language))

    def tick(self) -> None:
        """Start the process, or read its progress; call it once per frame."""
        if self._copy is None:
            return
        if self._copy.trouble:
            self.trouble = self._copy.trouble
            self._end()
        elif self._process is None and self._copy.order is not None:
            try:
                self._begin(self._copy.order)
            except OSError as error:  # no memory or no process is left; the run must continue
                self._process, self.trouble = None, sentence_of(error)
                self._end()
        elif self._receiver is not None:
            self._listen(self._receiver)

    def _begin(self, order: FilmOrder) -> None:
        context = get_context("spawn")
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=self.work, args=(sender, order), daemon=True)
        start_shielded(self._process)
        sender.close()

    def stop(self) -> None:
        """End the process; an MP4 can be played up to its last frame, a GIF or WebP that is not complete is deleted."""
        if self._process is not None:
            self._process.terminate()
            self._process.join()
        if self._copy is not None and self._copy.order is not None:
            sweep(self._copy.order.film.parent)
        self._end()

    def _listen(self, receiver: Connection) -> None:
        try:
            while receiver.poll():
                news = receiver.recv()
                if isinstance(news, FilmEnd):
                    self.trouble = news.trouble
                    if news.words:
                        self.message = news.words
                    elif news.frames and news.trouble:
                        self.message = Message("The film ends early: {names}.", names=news.names)
                    elif news.frames:
                        self.message = Message("The film is complete: {names}.", names=news.names)
                    self._end()
                    return
                self.share = news
        except (EOFError, OSError):
            self.trouble = self.broken
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.join()
        if self._copy is not None:
            self._copy.end()
        self._copy = self._process = self._receiver = self.share = None
