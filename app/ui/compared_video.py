"""A video of a collapse beside the computed one: both begin at the same time and are played together."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from repose.app.stopping import StopAsked
from repose.app.storage.photo_files import Photo
from repose.app.storage.video_frames import Video, read_video
from repose.app.ui.compared_photo import ComparedPhoto, outline
from repose.app.ui.events import Events
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line
from repose.sim.message import EMPTY, Message, _
from repose.sim.parameters import ParameterError
from repose.sim.photo.collapse import (
    Collapse,
    area_of,
    first_motion,
    in_own_units,
    measure_collapse,
    size_of,
    unit_of_time,
)
from repose.sim.photo.marks import Marks
from repose.sim.wording import message_of, reason_of

log = logging.getLogger(__name__)

MOST = 1000
"""Largest number of computed sizes that are kept: at twice this number every second one is dropped."""


@dataclass
class ComputedSeries:
    """Height and run-out of the computed heap at the times that the window has shown. Written by this module."""

    of: tuple[object, ...] = ()
    """Which experiment it is, and which of those side by side."""
    cuts: int = 0
    sizes: dict[float, tuple[float, float]] = field(default_factory=dict)
    """Height and run-out [m] by simulated time [s]."""
    x: Floats = field(default_factory=lambda: np.empty(0))
    y: Floats = field(default_factory=lambda: np.empty(0))
    """The present outline [m]."""
    floor: float = 0.0
    """Height of the lowest point of the grains [m]."""
    gravity: float = 9.81
    """[m/s²]."""
    _seen: tuple[int, int] = (-1, -1)

    def see(self, snapshot: Snapshot) -> None:
        """Measure the outline of a new snapshot."""
        if self._seen == (seen := (id(snapshot), snapshot.serial)):
            return
        self._seen, history, run = seen, snapshot.history, snapshot.run
        if self.of != (of := (history.logs, run.scene, run.seed, run.label)):
            self.of, self.sizes, self.x, self.y = of, {}, np.empty(0), np.empty(0)
        elif history.cuts != self.cuts:
            self.sizes = {time: size for time, size in self.sizes.items() if time <= snapshot.run.time}
        self.cuts = history.cuts
        self.gravity = math.hypot(*snapshot.geometry.gravity) or 9.81
        found = outline(snapshot)
        if found is None or not found[1].max() > 0.0:
            return
        self.x, self.y, self.floor = found
        self.sizes[snapshot.run.time] = size_of(self.x, self.y)
        if len(self.sizes) > 2 * MOST:
            self.sizes = dict(sorted(self.sizes.items())[::2])

    @property
    def area(self) -> float:
        """Below the present outline [m²]; 0 without one."""
        return area_of(self.x, self.y) if self.x.size else 0.0


@dataclass
class ComparedVideo:
    """The video, its collapse, and the frame that is shown. The thread writes `video`, `collapse`, `detected`, `share`
    and `trouble`. Written by `repose.app.ui.panels.photo`."""

    video: Video | None = None
    collapse: Collapse | None = None
    detected: float = math.nan
    """Time of the first motion that was found in the video [s]."""
    marked: float | None = None
    """The same as the user has set it."""
    begins: float | None = None
    """Simulated time at which the computed collapse begins, as the user has set it [s]."""
    number: int = 0
    """Of the frame that is shown."""
    follows: bool = True
    """Whether the frame is that of the time of the run."""
    share: float | None = None
    """Fraction of the work under way; None if it is not known."""
    trouble: Message = EMPTY
    shown: Photo | None = None
    """The last frame, in which marks are set."""
    measured_with: tuple[Marks, float | None] | None = None
    """Marks and time of the first motion of the present collapse, or of the one that is looked for."""
    series: ComputedSeries = field(default_factory=ComputedSeries)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def working(self) -> bool:
        """Whether a video is being read or measured."""
        return self._thread is not None and self._thread.is_alive()

    def open(self, path: str) -> None:
        """Read a video."""
        self.close()
        self._begin(lambda: self._read(Path(path)))

    def close(self) -> None:
        """Show no video any longer."""
        self.stop()
        self.video, self.collapse, self.detected, self.marked, self.begins = None, None, math.nan, None, None
        self.number, self.follows, self.trouble, self.measured_with = 0, True, EMPTY, None
        self.shown = None

    def stop(self) -> None:
        """End the work under way."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(2.0)

    def measure(self, marks: Marks) -> None:
        """Measure every frame with these marks."""
        if self.video is not None and not self.working:
            video, begins = self.video, self.detected if self.marked is None else self.marked
            self.measured_with = marks, self.marked
            self._begin(lambda: self._measure(video, begins, marks))

    def see(self, still: ComparedPhoto) -> None:
        """Show the last frame of a video that has been read, measure the frames after a change of the marks, and end
        with the picture; call it once per frame of the window."""
        if self.video is None or self.working or still.working:
            return
        if self.shown is None:
            self.shown = self._photo(self.video, len(self.video.frames) - 1)
            still.show(self.shown)
        elif still.photo is not self.shown:
            self.close()
        elif still.heap is not None and self.measured_with != (still.marks, self.marked):
            self.measure(still.marks)

    def frame(self) -> Photo | None:
        """The frame that is shown."""
        if self.video is None:
            return None
        self.number = min(max(self.number, 0), len(self.video.frames) - 1)
        return self._photo(self.video, self.number)

    def profile(self) -> tuple[Floats, Floats] | None:
        """Place and height of the surface in the frame that is shown; None before the collapse, and where none is."""
        if self.video is None or self.collapse is None:
            return None
        skipped = len(self.video.frames) - len(self.collapse.profiles)
        return self.collapse.profiles[self.number - skipped] if self.number >= skipped else None

    def follow(self, snapshot: Snapshot, events: Events) -> None:
        """Show the frame of the time of the run: both times count from the first motion, over √(L/g) of each heap; in
        seconds without a scale."""
        if self.video is None:
            return
        of = self.series.of
        self.series.see(snapshot)
        if of and of != self.series.of:
            self.begins = None  # it was a time of another run
        if self.collapse is None or not self.follows:
            return
        time, last = snapshot.run.time - self.start(events), self.collapse.last
        if last.scaled and self.series.area > 0.0:
            time *= unit_of_time(area_of(last.x, last.height)) / unit_of_time(self.series.area, self.series.gravity)
        times = np.array([frame.time for frame in self.video.frames])
        self.number = int(np.abs(times - (self.collapse.begins + max(time, 0.0))).argmin())

    def start(self, events: Events) -> float:
        """Simulated time at which the computed collapse begins [s]: the beginning of the last phase that runs by
        itself, such as that after the opening of a wall, unless the user has set it."""
        if self.begins is not None:
            return self.begins
        begun = [event.time for event in events.shown if event.kind == "phase" and event.runs]
        return begun[-1] if begun else 0.0

    def sizes_curve(self, events: Events) -> Curve | None:
        """Height and run-out of both over the time since the first motion, in units of their sizes."""
        if (collapse := self.collapse) is None:
            return None
        last = collapse.last
        found = in_own_units(collapse.time, collapse.height, collapse.run_out, area_of(last.x, last.height))
        if not last.scaled:  # the area is in square pixels: its unit of time is not known
            found = collapse.time, *found[1:]
        lines = [
            Line(_("height in the video"), found[0], found[1], points=True),
            Line(_("run-out in the video"), found[0], found[2], points=True),
        ]
        begins, area = self.start(events), self.series.area
        rows = np.array([(time - begins, *size) for time, size in sorted(self.series.sizes.items()) if time >= begins])
        if len(rows) > 1 and area > 0.0:
            own = in_own_units(rows[:, 0], rows[:, 1], rows[:, 2], area, self.series.gravity)
            own = own if last.scaled else (rows[:, 0], *own[1:])
            lines += [Line(_("computed height"), own[0], own[1]), Line(_("computed run-out"), own[0], own[2])]
        x = (
            Axis(_("time since the first motion over √(L/g)"))
            if last.scaled
            else Axis(_("time since the first motion"), "s")
        )
        return Curve(COMPARISON, _("Collapse"), x, Axis(_("length over L (L²: area)")), tuple(lines))

    def profiles_curve(self) -> Curve | None:
        """The profile in the frame that is shown over the present computed one, in units of their sizes."""
        lines = []
        for label, profile, points in (
            (_("in the video"), self.profile(), True),
            (_("computed"), (self.series.x, self.series.y) if self.series.x.size else None, False),
        ):
            if profile is not None and (area := area_of(*profile)) > 0.0:
                x, y = profile
                thin = slice(None, None, max(1, x.size // 150))
                middle = 0.5 * (x[y > 0.05 * y.max()].min() + x[y > 0.05 * y.max()].max())
                length = math.sqrt(area)
                lines.append(Line(label, (x[thin] - middle) / length, y[thin] / length, points=points))
        if not lines:
            return None
        axes = Axis(_("distance from the middle over L")), Axis(_("height over L"))
        return Curve(COMPARISON, _("Profiles"), *axes, tuple(lines))

    def _photo(self, video: Video, number: int) -> Photo:
        return Photo(video.name, video.frames[number].pixels, video.step, video.size)

    def _begin(self, work: Callable[[], None]) -> None:
        self.trouble, self.share = EMPTY, None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._do, args=(work,), name="video", daemon=True)
        self._thread.start()

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StopAsked:
            pass
        except ParameterError as error:
            self.trouble = message_of(error)
        except Exception as error:  # an error of a library must not end the window
            log.exception("The video could not be read.")
            self.trouble = Message("The video could not be read: {reason}.", reason=reason_of(error))

    def _read(self, path: Path) -> None:
        video = read_video(path, self._show_share)
        self.detected = first_motion(video.times, video.small)
        self.trouble, self.number, self.video = video.remark, len(video.frames) - 1, video

    def _measure(self, video: Video, begins: float, marks: Marks) -> None:
        self.collapse = measure_collapse(video.frames, begins, marks, video.step, self._show_share)
        self.trouble = video.remark

    def _show_share(self, share: float | None) -> None:
        self.share = share
        if self._stopping.is_set():
            raise StopAsked
