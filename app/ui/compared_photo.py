"""A photograph beside the computed heap: marks with their undo history, and the measurement in a thread."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.app.storage import paths
from repose.app.storage.photo_files import Photo, packed, read_photo, unpacked
from repose.app.storage.photo_results import annotated, profile_text
from repose.app.storage.png import save_png
from repose.app.storage.run_saver import free_name
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io.atomic_file import write_new_file
from repose.sim.io.json_text import json_text
from repose.sim.measure.flanks import Flanks, measure_flanks
from repose.sim.measure.profile import strip_centres, surface_profile
from repose.sim.measure.surface_slope import slope_complaint
from repose.sim.message import EMPTY, Message
from repose.sim.parameters import ParameterError
from repose.sim.photo.collapse import area_of
from repose.sim.photo.heap_in_picture import PictureHeap, measure_picture
from repose.sim.photo.marks import Marks, Pixel
from repose.sim.photo.picture_result import as_json
from repose.sim.wording import message_of, reason_of

log = logging.getLogger(__name__)

PERIOD = 1.5
"""Time for which photograph and computed heap are shown in turn [s]."""
CONTROL_POINTS = 9
"""Number of points of the found surface that are offered to be moved."""

Answer = tuple[Photo | None, PictureHeap | None, Message]
"""Photograph, heap in it, and why there is none."""


@dataclass
class ComparedPhoto:
    """The photograph, its marks and the heap in it. The thread writes `photo`, `heap`, `trouble`; the panel
    `repose.app.ui.panels.photo` all else. Written by `repose.app.ui.panels.photo`."""

    photo: Photo | None = None
    marks: Marks = field(default_factory=Marks)
    heap: PictureHeap | None = None
    trouble: Message = EMPTY
    """Why no heap is measured; empty if one is."""
    undoable: list[Marks] = field(default_factory=list)
    redoable: list[Marks] = field(default_factory=list)
    how: str = "over"
    """How it is shown: over, wipe, beside or alternate."""
    share: float = 0.5
    """Opacity, or the part of the width that the photograph takes [-]."""
    pinned: bool = True
    """Whether it stays in the picture when its panel is closed."""
    of_lecture: bool = False
    """Whether a step of a lecture has opened it."""
    picking: str = ""
    """What the next clicks on the photograph determine: scale, horizon, crop, surface; empty for nothing."""
    clicked: tuple[Pixel, ...] = ()
    """The first of two clicks."""
    held: int | None = None
    """Number of the point of the surface that is dragged."""
    threshold: float | None = None
    """The threshold that the slider asks for, until the answer to the one before has come."""
    sliding: bool = False
    """Whether the drag of the slider has changed the marks."""
    length: float = 0.1
    """Distance of the next two clicks for the scale [m]."""
    typed_length: str = ""
    """The same while it is being typed."""
    number: int = 0
    """Increases with every photograph."""
    _computed: tuple[tuple[int, int], ComputedHeap | None] = ((-1, -1), None)
    """Identity and number of a snapshot, and its heap."""
    _asked: int = 0
    """Number of the newest request; the answer to an earlier one is not taken."""
    _answered: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def working(self) -> bool:
        """Whether an answer is due."""
        return self._answered < self._asked

    def open(self, path: str) -> None:
        """Read a photograph and look for its heap."""
        self.close()
        self.pinned = True
        self._ask(partial(self._read, partial(read_photo, Path(path)), self._asked + 1))

    def for_file(self) -> Callable[[], bytes]:
        """A function of the bytes with which the photograph and its marks are saved beside a run."""
        return partial(packed, self.photo, self.marks) if self.photo is not None and not self.of_lecture else bytes

    def restore(self, content: bytes) -> None:
        """Show the photograph that was saved beside a run, with its marks."""
        self.close()
        try:
            photo, self.marks = unpacked(content)
        except ParameterError as error:
            self.trouble = message_of(error)
            return
        self.pinned, self.of_lecture = True, False
        self._ask(partial(self._measured, photo, self.marks))

    def take(self, camera: Callable[[], Photo]) -> None:
        """Show the picture that a camera sees."""
        self.close()
        self.pinned, self.of_lecture = True, False
        self._ask(partial(self._read, camera, self._asked + 1))

    def show(self, photo: Photo) -> None:
        """Show a picture that has been read, such as the last frame of a video."""
        self.close()
        self.pinned, self.of_lecture = True, False
        self._ask(partial(self._measured, photo, Marks()))

    def show_of_lecture(self, path: str) -> None:
        """Show the photograph of a step of a lecture, as it stands if the step before had it; without one, no longer
        that of an earlier step."""
        if path and self.of_lecture and self.photo is not None and self.photo.name == Path(path).name:
            return
        if path:
            self.open(path)
        elif self.of_lecture:
            self.close()
        self.of_lecture = bool(path)

    def close(self) -> None:
        """Show no photograph any longer."""
        self.stop()
        self.photo, self.heap, self.trouble = None, None, EMPTY
        self.marks, self.undoable, self.redoable, self.picking, self.clicked = Marks(), [], [], "", ()

    def change(self, marks: Marks, goes_on: bool = False) -> None:
        """Measure with other marks; can be undone, together with the change before if the same drag `goes_on`."""
        if not goes_on:
            self.undoable.append(self.marks)
        self.redoable.clear()
        self._use(marks)

    def undo(self) -> None:
        """Take the last change of the marks back."""
        if self.undoable:
            self.redoable.append(self.marks)
            self._use(self.undoable.pop())

    def redo(self) -> None:
        """Do the change that was taken back again."""
        if self.redoable:
            self.undoable.append(self.marks)
            self._use(self.redoable.pop())

    def computed(self, snapshot: Snapshot) -> ComputedHeap | None:
        """The heap of a snapshot, which is measured once."""
        if self._computed[0] != (key := (id(snapshot), snapshot.serial)):
            self._computed = key, computed_heap(snapshot)
        return self._computed[1]

    def stop(self) -> None:
        """Wait no longer for the answer under way."""
        with self._lock:
            self._answered = self._asked

    def present_length(self) -> float:
        """Distance of the two points of the scale, or of the next two [m]."""
        return self.marks.length if self.marks.scale is not None else self.length

    def control_points(self) -> tuple[Pixel, ...]:
        """The points of the surface that the user has moved, or points of the surface that was found."""
        if self.marks.points or self.heap is None:
            return self.marks.points
        chosen = np.linspace(0, self.heap.x.size - 1, CONTROL_POINTS).round().astype(np.int64)
        places = self.heap.pixel_of(self.heap.x[chosen], self.heap.height[chosen])
        return tuple(sorted((float(x), float(y)) for x, y in places))

    def save(self) -> Path:
        """Write the picture with the lines, and beside it result and profile, to new files; raises `OSError`."""
        photo, heap = self.photo, self.heap
        assert photo is not None
        assert heap is not None
        pixels = annotated(photo, heap)
        path = free_name(paths.runs_folder(), f"heap-{Path(photo.name).stem[:60]}", ".png")
        write_new_file(path, lambda file: save_png(pixels, file, {"program": "Repose"}))
        for suffix, text in ((".json", json_text(as_json(heap, photo.name), indent=2)), (".csv", profile_text(heap))):
            _write_text(path.with_suffix(suffix), text)
        return path

    def _use(self, marks: Marks) -> None:
        self.marks, self.clicked = marks, ()
        if self.photo is not None:
            self._ask(partial(self._measured, self.photo, marks))

    def _ask(self, work: Callable[[], Answer]) -> None:
        with self._lock:
            self._asked += 1
        threading.Thread(target=self._do, args=(work, self._asked), name="photo", daemon=True).start()

    def _read(self, read: Callable[[], Photo], number: int) -> Answer:
        """Read a photograph, which is shown while its heap is looked for, unless there is a newer request."""
        try:
            photo = read()
        except ParameterError as error:
            return None, None, message_of(error)
        with self._lock:
            if self._answered < number == self._asked:
                self.number += 1
                self.photo = photo
        return self._measured(photo, Marks())

    def _measured(self, photo: Photo, marks: Marks) -> Answer:
        try:
            return photo, measure_picture(photo.pixels, marks, photo.step), EMPTY
        except ParameterError as error:
            return photo, None, message_of(error)

    def _do(self, work: Callable[[], Answer], number: int) -> None:
        try:
            photo, heap, trouble = work()
        except Exception as error:  # an error of a library must not end the window
            log.exception("The picture could not be measured.")
            photo, heap = self.photo, None
            trouble = Message("The picture could not be measured: {reason}.", reason=reason_of(error))
        with self._lock:
            if number <= self._answered or number < self._asked:
                return
            self.number += photo is not self.photo
            self.photo, self.heap, self.trouble, self._answered = photo, heap, trouble, number


def _write_text(path: Path, text: str) -> None:
    write_new_file(path, lambda file: file.write(text.encode("utf-8")))


class ComputedHeap(NamedTuple):
    """The heap of a snapshot, as in a photograph."""

    flanks: Flanks
    area: float
    """Under the outline of its grains [m²]."""
    floor: float
    """Height of the lowest point of its grains [m]."""


def outline(snapshot: Snapshot) -> tuple[Floats, Floats, float] | None:
    """Place and height of the outline of the loose grains above the lowest point of them, and its height [m]; None for
    few grains."""
    grains = snapshot.grains
    loose = ~grains.fixed
    if loose.sum() < 20:
        return None
    position, radius = grains.position[loose].astype(np.float64), grains.radius[loose].astype(np.float64)
    flat: NDArray[np.float64] = np.column_stack([position[:, 0], position[:, -1]])
    floor = float((flat[:, 1] - radius).min())
    reach = float((flat[:, 0] - radius).min()), float((flat[:, 0] + radius).max())
    width = 2.0 * float(radius.mean())
    if not all(map(math.isfinite, (*reach, floor, width))):
        return None
    return strip_centres(reach, width), surface_profile(flat - (0.0, floor), radius, reach, width), floor


def computed_heap(snapshot: Snapshot) -> ComputedHeap | None:
    """The outline of the loose grains, measured like a photograph; None without a flank."""
    if (found := outline(snapshot)) is None:
        return None
    x, height, floor = found
    flanks, area = measure_flanks(x, height), area_of(x, height)
    if flanks is None or not flanks.measured or not area > 0.0:
        return None
    if slope_complaint(flanks.angle, flanks.standard_error):
        return None
    return ComputedHeap(flanks, area, floor)
