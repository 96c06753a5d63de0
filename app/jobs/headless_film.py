"""The film of a run without a window: frame k shows simulated time k x speed / fps, however slow the machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from repose.app.storage.recorder import Frame, Recorder, RecorderError
from repose.app.storage.view import View
from repose.app.window.window import WindowError

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker
    from repose.sim.experiment.snapshot import Snapshot


class HeadlessFilm:
    """Draws snapshots of a run and keeps exactly round(duration x fps) of them as frames."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float, interval: float) -> None:
        """Begin a film with `interval` of simulated time [s] between frames; raises `RecorderError`, `WindowError`."""
        self._recorder = Recorder(path, size, fps)
        try:
            self._maker = open_picture_maker(size)
        except BaseException:
            self._recorder.close()
            raise
        self._view = View()
        self._interval = interval
        self._held: Frame | None = None
        """The newest frame, not written until it is known to be before the end."""
        self._added = 0
        self._closed = False
        self.frames = 0
        self.complaint = ""
        """Why the film was cut short; empty while all is well."""

    @property
    def path(self) -> Path:
        """The file, or the folder of pictures."""
        return self._recorder.path

    @property
    def outcome(self) -> dict[str, Any]:
        """Entry of the film in the results."""
        return {"file": str(self.path), "frames": self.frames, "cut_short": self.complaint or None}

    def take(self, snapshot: Snapshot) -> None:
        """Draw the next frame; a film that cannot be continued does not end the run."""
        if self.complaint:
            return
        try:
            self._add(1 if self._held is not None else 0)
            self._held = self._maker.draw(snapshot, self._view)
        except Exception as error:  # a driver may raise anything; the run must survive
            self.complaint = str(error)

    def close(self, duration: float) -> None:
        """Finish the film of a run that lasted `duration` [s of simulated time]; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._held is not None and not self.complaint:
            try:
                self._add(max(1, round(duration / self._interval)) - self._added)
            except RecorderError as error:
                self.complaint = str(error)
        self.frames = self._recorder.close()
        self.complaint = self.complaint or self._recorder.failure
        self._maker.close()

    def _add(self, copies: int) -> None:
        for _ in range(copies):
            assert self._held is not None
            self._recorder.add(self._held)
            self._added += 1


def open_picture_maker(size: tuple[int, int]) -> PictureMaker:
    """The renderer off-screen; raises `WindowError` where there is no OpenGL or a library it needs is missing."""
    try:
        from repose.app.window.picture import PictureMaker

        return PictureMaker(size)
    except ImportError as error:
        raise WindowError(
            f"Nothing can be drawn here ({error}); install the missing library (Debian: apt install libgl1 libegl1) "
            "or leave --video out."
        ) from None
    except OSError as error:  # libraries ask for the current folder, which may be gone
        raise WindowError(f"Nothing can be drawn here: {error.strerror or error}; start in another folder.") from None
