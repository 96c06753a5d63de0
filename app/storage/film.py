"""A video of the live run: frames at equal intervals of simulated time, drawn off-screen."""

from __future__ import annotations

import itertools
import queue
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from repose.app.storage import paths
from repose.app.storage.recorder import Words, film_rate
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message, _
from repose.sim.wording import sentence_of

FORMATS = {".mp4": _("MP4 film"), ".webp": _("animated WebP"), ".gif": _("animated GIF"), ".png": _("PNG pictures")}
"""Formats by the ending of the name; pictures are in a folder with the name without the ending."""
SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
FRAME_RATES = (24, 25, 30, 50, 60)
SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
"""Simulated seconds per second of film."""
PATIENCE = 0.05
"""Longest wall time per frame of the window for frames of the film [s]."""
NAME = re.compile(r"[^\\/:*?\"<>|\x00-\x1f]{1,100}")

Image = NDArray[np.uint8]


Interval = float | Callable[[Snapshot], float]
"""As in `repose.sim.experiment.runner`."""


class FrameSource(Protocol):
    """Source of one snapshot per frame of the film."""

    def record(self, interval: Interval | None) -> queue.Queue[Any]: ...


class FilmDirector(Protocol):
    """`repose.app.render.director.Director`."""

    def take(self, snapshot: Snapshot) -> Iterator[Image]: ...
    def ending(self) -> Iterator[Image]: ...


class Sink(Protocol):
    """Encoder of images into a file, in a separate thread."""

    path: Path
    parts: list[Path]

    @property
    def ready(self) -> bool: ...
    @property
    def failure(self) -> Message: ...
    def add(self, frame: Image) -> None: ...
    def close(self, words: Words | None = None) -> int: ...


class SoundTrack(Protocol):
    """`repose.app.sound.film_track.FilmTrack`."""

    def hear(self, snapshot: Snapshot, frame: int) -> None: ...
    def words(self, begin: int, end: int) -> Iterator[NDArray[np.int16]]: ...


@dataclass
class Film:
    """The current recording, if any, and the choices for the next one."""

    source: FrameSource
    direct: Callable[[Film], FilmDirector]
    """Returns the director of a film with the present choices."""
    open: Callable[[Path, tuple[int, int], float], Sink]
    """Begins a file: path, size [px], frames per second; raises an error whose text is a sentence."""
    pacer: Callable[[float], Callable[[Snapshot], float]]
    """Returns the intervals [s] between frames of a film with automatic speed, from its frames per second."""
    folder: Path = field(default_factory=paths.videos_folder)
    name: str = ""
    """Name of the file, as typed; empty for the name of the scene."""
    format: str = ".mp4"
    size: tuple[int, int] = (1280, 720)
    fps: int = 30
    """At 60, the run would wait twice as long for the pictures."""
    speed: float | None = None
    """Simulated seconds per second of film; None for the speed of each phase."""
    words: bool = True
    """Whether the film has title card, texts, marks and a still picture at the end."""
    sound: bool = False
    """Whether an MP4 has the impacts as sound."""
    track: Callable[[float], SoundTrack] | None = None
    """Begins the sound of a film, from its frames per second; None where films have none."""
    frames: int = 0
    """Number of frames of this recording so far, or of the last one."""
    path: Path | None = None
    """File of this recording, or of the last one."""
    parts: tuple[Path, ...] = ()
    """Files of the last recording, if it was an MP4: several if the disk limits the size of a file."""
    trouble: Message = EMPTY
    _sink: Sink | None = None
    _incoming: queue.Queue[Snapshot | None] | None = None
    """Source of the snapshots; None after the end, when only the still picture remains to be drawn."""
    _director: FilmDirector | None = None
    _pictures: Iterator[Image] = field(default_factory=lambda: iter(()))
    """Pictures of the last snapshot that are not drawn yet."""
    _track: SoundTrack | None = None
    _finishing: threading.Thread | None = None

    @property
    def rate(self) -> float:
        """Frames per second of the file; GIF files allow only some values."""
        return film_rate(Path(f"a{self.format}"), self.fps)

    @property
    def running(self) -> bool:
        """True while frames are being taken."""
        return self._incoming is not None

    @property
    def finishing(self) -> bool:
        """True while the last file is being completed."""
        return not self.running and (self._sink is not None or _lives(self._finishing))

    @property
    def seconds(self) -> float:
        """Length of the film so far [s]."""
        return self.frames / self.rate

    def file_for(self, scene: str) -> Path | None:
        """The file with the typed name or the name of the scene; None, with the reason in `trouble`, for a name that no
        file can have."""
        self.trouble = EMPTY
        stem = (self.name.strip() or scene).removesuffix(self.format)
        if NAME.fullmatch(stem) and stem.strip("."):
            return self.folder / f"{stem}{self.format}"
        self.trouble = Message(
            "'{name}' cannot be a file's name: use letters, digits, spaces and hyphens.", name=self.name
        )
        return None

    def start(self, scene: str = "film") -> None:
        """Begin a new file with the typed name or the name of the scene; a number is appended if the name exists."""
        if self.running or self.finishing:
            return
        self.frames, self.parts = 0, ()
        file = self.file_for(scene)
        if file is None:
            return
        try:
            self._sink = self.open(file, self.size, self.rate)
        except Exception as error:  # a missing or broken library can raise any error
            self.trouble = sentence_of(error)
            return
        self.path = self._sink.path
        self._director, self._pictures = self.direct(self), iter(())
        has_sound = self.sound and self.format == ".mp4"
        self._track = self.track(self.rate) if has_sound and self.track is not None else None
        self._incoming = self.source.record(self.pacer(self.rate) if self.speed is None else self.speed / self.rate)

    def pump(self) -> None:
        """Draw and encode the snapshots received; call once per frame of the window."""
        end = perf_counter() + PATIENCE
        while self._sink is not None and perf_counter() < end:
            if self._sink.failure:
                self._fail(self._sink.failure)
            elif not self._sink.ready or not self._go_on():
                return

    def stop(self) -> None:
        """End the recording; still and file are completed in the background. The file is playable at any time."""
        if not self.running:
            return
        self._incoming = None
        self.source.record(None)
        if self._director is not None:
            self._pictures = itertools.chain(self._pictures, self._director.ending())

    def wait(self, seconds: float) -> None:
        """Wait at most this time for the completion of the file, without the still [s]."""
        self.stop()
        self._finish()
        if self._finishing is not None:
            self._finishing.join(seconds)

    def _go_on(self) -> bool:
        """Draw the next picture, or take the next snapshot; False if there is none yet."""
        try:
            picture = next(self._pictures, None)
            if picture is not None and self._sink is not None:
                self._sink.add(picture)
                self.frames += 1
                return True
        except Exception as error:  # a driver can raise any error
            self._fail(sentence_of(error))
            return False
        if self._incoming is None:
            self._finish()
            return False
        try:
            snapshot = self._incoming.get_nowait()
        except queue.Empty:
            return False
        if snapshot is None or self._director is None:
            self.stop()
        else:
            if self._track is not None:
                self._track.hear(snapshot, self.frames)
            self._pictures = self._director.take(snapshot)
        return True

    def _fail(self, reason: Message) -> None:
        self.trouble = reason
        self._director = None
        self.stop()
        self._finish()

    def _finish(self) -> None:
        """Complete the file in the background."""
        sink, self._sink, self._director = self._sink, None, None
        track, self._track = self._track, None
        if sink is not None:
            self._finishing = threading.Thread(target=self._close, args=(sink, track), name="film", daemon=True)
            self._finishing.start()

    def _close(self, sink: Sink, track: SoundTrack | None) -> None:
        try:
            self.frames = sink.close(track.words if track is not None else None)
            self.path, self.parts = sink.path, tuple(sink.parts)
            self.trouble = self.trouble or sink.failure
        except Exception as error:
            self.trouble = sentence_of(error)


def _lives(thread: threading.Thread | None) -> bool:
    return thread is not None and thread.is_alive()
