"""The pictures of experiments side by side: a camera for each, and which of them is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from repose.app.render.camera import Camera2D
from repose.app.render.framing import SCALE_BAR_ROOM
from repose.app.render.orbit import Camera
from repose.app.ui.events import Events
from repose.app.ui.picture_areas import above_labels
from repose.app.ui.ui import Ui
from repose.app.window.camera_control import CameraControl
from repose.sim.experiment.snapshot import Snapshot


@dataclass
class Picture:
    """Camera and events of the picture of one run."""

    control: CameraControl = field(default_factory=CameraControl)
    camera: Camera = field(default_factory=Camera2D)
    """The camera of the shown picture."""
    free_camera: Camera | None = None
    """The camera that follows the grains of this run alone."""
    events: Events = field(default_factory=Events)


@dataclass
class Pictures:
    """The pictures of the window: one, or as many as there are experiments side by side."""

    all: list[Picture] = field(default_factory=lambda: [Picture()])
    chosen: int = 0

    @property
    def now(self) -> Picture:
        """The picture of the chosen run."""
        return self.all[self.chosen]

    def see(self, ui: Ui, newest: Snapshot) -> None:
        """Pass the newest snapshot of every run to panels and cameras; choose a run that has a fault."""
        self.now.camera = ui.camera
        runs = (newest, *newest.beside) if newest.beside else ()
        count = max(len(runs), 1)
        if count != len(self.all):
            kept = self.now if count == 1 else Picture()
            kept.control.follow_grains()
            self.all = [kept, *(Picture() for _ in range(count - 1))]
            ui.beside.chosen = 0
        stopped = next((number for number, run in enumerate(runs) if run.messages.fault is not None), None)
        if stopped is not None and runs[ui.beside.chosen].messages.fault is None:
            ui.beside.chosen = stopped
        self.chosen, ui.beside.runs = ui.beside.chosen, runs
        ui.snapshot = runs[ui.beside.chosen] if runs else newest
        ui.camera, ui.events, ui.control.edits.run = self.now.camera, self.now.events, ui.beside.chosen
        for number, picture in enumerate(self.all):
            if number != self.chosen:
                picture.events.see(runs[number], ui.control.edits)

    def begin(self, ui: Ui) -> None:
        """Use a new picture for another scene: neither camera nor events of the last one."""
        self.all, self.chosen = [Picture()], 0
        ui.camera, ui.events, ui.beside.chosen = self.now.camera, self.now.events, 0

    def suspend(self, ui: Ui) -> tuple[list[Picture], int]:
        """Use a new picture for a lecture; returns the pictures of the user's runs and the number of the chosen run."""
        aside = self.all, self.chosen
        self.begin(ui)
        return aside

    def resume(self, ui: Ui, aside: tuple[list[Picture], int]) -> None:
        """Use the pictures from `suspend` again for the user's runs, once these are back in the window."""
        pictures, chosen = aside
        if len(pictures) == max(len(ui.beside.runs), 1):
            self.all, self.chosen = pictures, chosen
            ui.beside.chosen = ui.control.edits.run = chosen
            ui.camera, ui.events = self.now.camera, self.now.events
            ui.snapshot = ui.beside.runs[chosen] if ui.beside.runs else ui.snapshot

    def look_aside(self, ui: Ui) -> None:
        """In space: show every run from another side, until `look_back`."""
        for number, picture in enumerate(self.all):
            with self.of(ui, number):
                picture.control.look_aside(ui.camera)

    def look_back(self, ui: Ui) -> None:
        """The views of the user again."""
        for number, picture in enumerate(self.all):
            with self.of(ui, number):
                ui.camera = picture.control.look_back(ui.camera)

    def choose(self, ui: Ui, run: int | None) -> None:
        """Choose the run on which panels, tools and keys act; None changes nothing."""
        if run is not None and run != self.chosen:
            self.now.camera = ui.camera
            self.chosen = ui.beside.chosen = run
            ui.snapshot, ui.camera, ui.events = ui.beside.runs[run], self.now.camera, self.now.events
            ui.control.edits.run = run

    def update(self, ui: Ui, elapsed: float) -> None:
        """One frame of every camera, `elapsed` [s] after the last one; pictures in the plane have the same scale."""
        for number, picture in enumerate(self.all):
            with self.of(ui, number):
                if picture.control.follows_grains and picture.free_camera is not None:
                    ui.camera = picture.free_camera
                picture.control.update(ui, elapsed)
                picture.free_camera = ui.camera
        following = [number for number, picture in enumerate(self.all) if picture.control.follows_grains]
        flat = {number: camera for number in following if isinstance(camera := self.all[number].camera, Camera2D)}
        if len(flat) > 1:
            widest = max(camera.metres_per_pixel for camera in flat.values())
            places = above_labels(ui)
            for number, camera in flat.items():
                left, _, right, bottom = places[number]
                shown = replace(camera)
                foot = (
                    0.5 * (left + ui.window.size[0] - right),
                    ui.window.size[1] - bottom - SCALE_BAR_ROOM * ui.window.scale,
                )
                shown.zoom(camera.metres_per_pixel / widest, foot, ui.window.size)
                self.all[number].camera = shown
            ui.camera = self.now.camera

    @contextmanager
    def of(self, ui: Ui, number: int) -> Iterator[None]:
        """Give `ui` snapshot, camera and insets of one of the pictures during the block."""
        before = ui.snapshot, ui.window.inset
        self.now.camera = ui.camera
        picture = self.all[number]
        if ui.beside.runs:
            ui.snapshot, ui.window.inset = ui.beside.runs[number], above_labels(ui)[number]
        ui.camera = picture.camera
        try:
            yield
        finally:
            picture.camera = ui.camera
            ui.snapshot, ui.window.inset = before
            ui.camera = self.now.camera
