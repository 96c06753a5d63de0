"""A video of the live run: frames at equal intervals of simulated time, drawn off-screen."""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from repose.app.storage import paths
from repose.sim.experiment.snapshot import Snapshot

FORMATS = {".mp4": "MP4 film", ".png": "PNG pictures"}
"""By the ending of the name; pictures have a folder of that name without it."""
SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
FRAME_RATES = (24, 25, 30, 50, 60)
SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
"""Simulated seconds per second of film."""
PATIENCE = 0.05
"""Longest wall time per frame of the window for frames of the film [s]."""
NAME = re.compile(r"[^\\/:*?\"<>|\x00-\x1f]{1,100}")

Image = NDArray[np.uint8]


class FrameSource(Protocol):
    """Source of one snapshot per frame of the film."""

    def record(self, interval: float | None) -> queue.Queue[Any]: ...


class Sink(Protocol):
    """Encoder of images into a file, in a separate thread."""

    path: Path

    @property
    def ready(self) -> bool: ...
    @property
    def failure(self) -> str: ...
    def add(self, frame: Image) -> None: ...
    def close(self) -> int: ...


@dataclass
class Film:
    """The current recording, if any, and the choices for the next one."""

    source: FrameSource
    draw: Callable[[Snapshot, tuple[int, int]], Image]
    """Image of a snapshot at a size [px], shape (height, width, 3)."""
    open: Callable[[Path, tuple[int, int], int], Sink]
    """Begin a file: path, size [px], frames per second; raises an error whose text is a sentence."""
    folder: Path = field(default_factory=paths.videos_folder)
    name: str = "heap"
    format: str = ".mp4"
    size: tuple[int, int] = (1280, 720)
    fps: int = 60
    speed: float = 0.25
    frames: int = 0
    """Of this recording so far, or of the last."""
    path: Path | None = None
    """Of this recording, or of the last."""
    trouble: str = ""
    _sink: Sink | None = None
    _incoming: queue.Queue[Snapshot | None] | None = None
    _finishing: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """True while frames are being taken."""
        return self._sink is not None

    @property
    def finishing(self) -> bool:
        """True while the last file is being completed."""
        return self._finishing is not None and self._finishing.is_alive()

    @property
    def seconds(self) -> float:
        """Length of the film so far [s]."""
        return self.frames / self.fps

    def start(self) -> None:
        """Begin a new file; a number is appended if the name exists."""
        if self.running or self.finishing:
            return
        self.trouble, self.frames = "", 0
        stem = self.name.strip().removesuffix(self.format)
        if not NAME.fullmatch(stem) or not stem.strip("."):
            self.trouble = f"'{self.name}' cannot be a file's name: use letters, digits, spaces and hyphens."
            return
        try:
            self._sink = self.open(self.folder / f"{stem}{self.format}", self.size, self.fps)
        except Exception as error:  # a library that is missing or broken may throw anything
            self.trouble = str(error)
            return
        self.path = self._sink.path
        self._incoming = self.source.record(self.speed / self.fps)

    def pump(self) -> None:
        """Draw and encode the snapshots received; call once per frame of the window."""
        end = perf_counter() + PATIENCE
        while self._incoming is not None and self._sink is not None and perf_counter() < end:
            if self._sink.failure:
                self.trouble = self._sink.failure
                self.stop()
            elif not self._sink.ready:
                return
            else:
                try:
                    self._take(self._incoming.get_nowait())
                except queue.Empty:
                    return

    def stop(self) -> None:
        """End the recording; the file is completed in the background and is playable at any time."""
        sink, self._sink, self._incoming = self._sink, None, None
        if sink is not None:
            self.source.record(None)
            self._finishing = threading.Thread(target=self._close, args=(sink,), name="film", daemon=True)
            self._finishing.start()

    def wait(self, seconds: float) -> None:
        """Give a file being completed that much time [s]."""
        if self._finishing is not None:
            self._finishing.join(seconds)

    def _take(self, snapshot: Snapshot | None) -> None:
        if snapshot is None or self._sink is None:
            self.stop()
            return
        try:
            self._sink.add(self.draw(snapshot, self.size))
            self.frames += 1
        except Exception as error:  # so may a driver
            self.trouble = str(error) or type(error).__name__
            self.stop()

    def _close(self, sink: Sink) -> None:
        try:
            self.frames = sink.close()
            self.path = sink.path
            self.trouble = self.trouble or sink.failure
        except Exception as error:
            self.trouble = str(error)
