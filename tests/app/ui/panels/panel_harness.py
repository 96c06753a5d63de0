"""Test harness of the panels: ImGui without a window, mouse and keys as events, a runner that records its calls."""

from __future__ import annotations

import math
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from imgui_bundle import imgui
from repose.app.render.camera import Camera2D
from repose.app.render.pacing import pacer
from repose.app.render.text_size import TEXT_SIZE
from repose.app.render.theme import PAUSE, apply
from repose.app.render.window_fonts import load_fonts
from repose.app.storage.film import Film
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.settings import load_settings
from repose.app.ui.edits import Edits
from repose.app.ui.layout import draw_panels
from repose.app.ui.pause_and_speed import Transport
from repose.app.ui.preset_library import PresetLibrary
from repose.app.ui.recent_runs import RecentRuns
from repose.app.ui.ui import Control, Ui, WindowArea, Work
from repose.app.ui.ui_probe import UiProbe
from repose.app.ui.whole_film import WholeFilm
from repose.sim.experiment.commands import Command
from repose.sim.experiment.comparison import Point, compare
from repose.sim.experiment.snapshot import Action, Snapshot
from repose.sim.experiment.take_snapshot import sorted_measurements
from repose.sim.message import Message, plain
from repose.sim.registry import scenes

from tests.app.fake_heap import fake_heap
from tests.app.ui.panels.panel_faults import bare_frame, bare_imgui, direct_nothing
from tests.snapshots import with_fields

LONGEST_FRAME = 0.25
"""Longest frame of a window (`repose.app.render.imgui_backend`, which only a window may import) [s]."""
LEDGER = ("translational", "rotational", "potential", "elastic", "shear", "damping", "sliding", "poured", "removed")
LEDGER += ("work", "gap")


def full_snapshot() -> Snapshot:
    """A measured heap with every number and series filled in."""
    study, points = scenes()["heap"].study, (Point(0.1, 0.23, 0.015), Point(0.2, 0.35, 0.02))
    assert study is not None
    time = np.linspace(0.0, 2.0, 400)
    actions = [
        Action(name, Message(label), key, name != "fill", plain(f"What {label} does."), done=name == "measure")
        for name, label, key in (
            ("fill", "Fill", "F"),
            ("open", "Open wall", "O"),
            ("measure", "Measure", "M"),
            ("reset", "Reset", "R"),
            ("run", "Run all", "A"),
        )
    ]
    return with_fields(
        fake_heap(),
        serial=7,
        seed=3,
        step=123_456,
        dt=1.8e-5,
        parameters=scenes()["heap"].parameters(),
        progress=0.4,
        actions=tuple(actions),
        measured=2,
        comparison=compare(study, scenes()["heap"].parameters.declared()[study.over], points),
        kinetic_energy=1e-6,
        mean_speed=1e-3,
        moving_count=55,
        largest_overlap=0.08,
        omega_dt=0.2,
        omega_dt_limit=0.42,
        energy=dict.fromkeys(LEDGER, 0.1),
        series={
            "time": time,
            "kinetic_energy": np.where(time > 0.1, np.exp(-9 * time), 0.0),
            "mean_speed": np.exp(-4 * time),
            "coordination": 4 - time,
            "angle": np.where(time > 1.0, 0.25, np.nan),
            "packing_fraction": np.where(time > 0.2, 0.8, np.nan),
            "pressure": np.where(time > 0.2, 90.0 + 10.0 * time, np.nan),
        }
        | {f"energy.{name}": time * 0.1 for name in LEDGER},
        quantities=tuple(entry.sampled(2) for entry in sorted_measurements()),
        latest="The right wall is open.",
        realtime_factor=0.9,
        steps_per_second=50_000.0,
    )


@dataclass
class RecordingRunner:
    """What a runner was told."""

    told: list[tuple[Any, ...]] = field(default_factory=list)
    frames: queue.Queue[Any] = field(default_factory=queue.Queue)

    def pause(self, paused: bool) -> None:
        self.told.append(("pause", paused))

    def single_step(self, count: int = 1) -> None:
        self.told.append(("step", count))

    def set_speed(self, factor: float | None) -> None:
        self.told.append(("speed", factor))

    def record(self, interval: float | None) -> queue.Queue[Any]:
        self.told.append(("record", interval))
        return self.frames


@dataclass
class PanelHarness:
    """The window's panels over a snapshot, one frame at a time."""

    ui: Ui
    commands: list[Command]
    runner: RecordingRunner
    done: list[str]
    """Names of the actions that buttons and keys asked for."""
    draw: Callable[[Ui], None] = draw_panels
    widgets: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)

    def frame(self, count: int = 1) -> None:
        """Draw so many frames."""
        for _ in range(count):
            bare_frame(self.ui, self.draw)
            self.widgets = self.ui.probe.widgets

    def wait(self, seconds: float) -> None:
        """Let this time pass, in frames as long as a window draws them at most."""
        for _ in range(math.ceil(seconds / LONGEST_FRAME)):
            bare_frame(self.ui, self.draw, LONGEST_FRAME)
            self.widgets = self.ui.probe.widgets

    def settle(self) -> None:
        """Draw until every widget has kept its place for four frames, such as after a row of tabs has scrolled."""
        still = 0
        while still < 4:
            before = self.widgets
            self.frame()
            still = still + 1 if self.widgets == before else 0

    def place(self, name: str, share: float = 0.5) -> tuple[float, float]:
        """A point on a widget, `share` of the way from its left to its right."""
        x0, y0, x1, y1 = self.widgets[name]
        return x0 + (x1 - x0) * share, (y0 + y1) / 2

    def move(self, x: float, y: float) -> None:
        imgui.get_io().add_mouse_pos_event(x, y)
        self.frame(2)

    def hover(self, name: str) -> None:
        """Move the mouse onto a widget and let it rest until a tooltip is due."""
        self.move(*self.place(name))
        self.pause()

    def pause(self) -> None:
        """Let the mouse rest until a tooltip is due."""
        for _ in range(2):
            bare_frame(self.ui, self.draw, elapsed=PAUSE)
        self.frame(2)

    def button(self, down: bool, button: int = 0) -> None:
        imgui.get_io().add_mouse_button_event(button, down)
        self.frame(2)

    def click(self, name: str, button: int = 0, share: float = 0.5) -> None:
        """Press and release a mouse button on a widget."""
        self.move(*self.place(name, share))
        self.button(True, button)
        self.button(False, button)
        self.rest()

    def double_click(self, name: str, share: float = 0.5) -> None:
        self.move(*self.place(name, share))
        for down in (True, False, True, False):
            self.button(down)
        self.rest()

    def drag(self, name: str, start: float, end: float, stops: int = 4) -> None:
        """Drag along a widget, from share to share of its width."""
        self.move(*self.place(name, start))
        self.button(True)
        for stop in range(1, stops + 1):
            self.move(*self.place(name, start + (end - start) * stop / stops))
        self.button(False)
        self.rest()

    def ctrl_click(self, name: str) -> None:
        imgui.get_io().add_key_event(imgui.Key.mod_ctrl, True)
        self.click(name)
        imgui.get_io().add_key_event(imgui.Key.mod_ctrl, False)
        self.frame()

    def write(self, text: str, key: Any = imgui.Key.enter) -> None:
        """Type over what is selected and press a key."""
        imgui.get_io().add_input_characters_utf8(text)
        self.frame(2)
        self.press(key)

    def press(self, *keys: Any) -> None:
        """Press and release keys, one after the other."""
        for key in keys:
            for down in (True, False):
                imgui.get_io().add_key_event(key, down)
                self.frame(2)

    def rest(self) -> None:
        """Wait long enough that the next click is not the second of two."""
        bare_frame(self.ui, self.draw, elapsed=0.5)
        self.frame(3)


@contextmanager
def open_harness(
    folder: Path,
    snapshot: Snapshot | None = None,
    size: tuple[int, int] = (1280, 1600),
    draw: Any = draw_panels,
    scale: float = 1.0,
    fonts_of_window: bool = False,
    expert: bool = True,
) -> Iterator[PanelHarness]:
    """A harness of that size and scale of text over a snapshot; settings and presets live in `folder`.

    The layout is that of an `expert`, which shows all controls, unless a test is about the usual one. With
    `fonts_of_window` texts are as wide as in the window, in every language; they are a little narrower without.
    """
    with bare_imgui(load_fonts) if fonts_of_window else bare_imgui():
        if fonts_of_window:
            imgui.get_style().font_size_base = TEXT_SIZE
        commands: list[Command] = []
        runner, settings = RecordingRunner(), load_settings(folder / "settings.toml")
        settings.choices.expert = expert
        film = Film(runner, direct_nothing, no_film, pacer, folder)
        ui = Ui(
            snapshot=snapshot if snapshot is not None else Snapshot(),
            control=Control(commands.append, Edits(commands.append), Transport(runner)),
            camera=Camera2D(),
            settings=settings,
            work=Work(
                film=film,
                whole_film=WholeFilm(film, RunSaver(commands.append), lambda sender, order: None),
                page=WholeFilm(film, RunSaver(commands.append), lambda sender, order: None),
                preset_library=PresetLibrary(commands.append, folder=folder / "presets"),
                recent_runs=RecentRuns(settings),
            ),
            window=WindowArea(size=size),
            probe=UiProbe(folder / "report.json"),
        )
        done: list[str] = []
        ui.control.actions = {
            name: (lambda name=name: done.append(name))
            for name in ("frame_all", "fullscreen", "hide_panels", "help", "look_aside")
        }
        ui.work.preset_library.refresh()
        ui.window.scale = scale
        apply(ui.palette, scale)
        imgui.get_style().font_scale_main = scale
        harness = PanelHarness(ui, commands, runner, done, draw)
        harness.frame(3)
        yield harness


def no_film(path: Path, size: tuple[int, int], fps: int) -> Any:
    raise OSError("nothing is filmed here")
