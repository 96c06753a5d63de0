"""However a drag with a tool ends, no pull and no push stays behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest
from repose.app.render.camera import Camera2D
from repose.app.window.gestures import Gestures
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Rewind, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance

from tests.app.ui.panels.panel_harness import open_harness
from tests.reliability.runs import FEW
from tests.small_worlds import use_plain_engine

FRAMES = 12
"""Frames after which the window has ended a pull that nothing holds."""


class Frames:
    """A window and physics in turn: events, newest snapshot, tool, as in `Application.draw_frame`; then physics."""

    def __init__(self, ui: Any) -> None:
        self.experiment = new_experiment("heap", FEW | {"grain_count": 1})
        assert not apply(self.experiment, Act("fill"))
        advance(self.experiment, 50)
        self.runner = Runner(lambda: self.experiment)
        self.runner._begin()
        self.runner.pause(True)
        self.runner._turn()
        self.ui, self.gestures, self.covered = ui, Gestures(), False
        ui.control.send, ui.snapshot, ui.camera = self.runner.send, self.runner.latest(), Camera2D((0.0, 0.0), 1e-4)

    def draw(self, *events: pygame.event.Event, count: int = 1) -> None:
        for given in events:
            self.gestures.handle(given, self.ui, True)
        for _ in range(count):
            self.ui.snapshot = self.runner.latest()
            self.gestures.update(self.ui, self.covered)
            self.runner._publish_at = 0.0
            self.runner._turn()

    def mouse(self, kind: int, by: float = 0.0) -> pygame.event.Event:
        """The button, or a motion, at the grain and `by` pixels beside it."""
        row = int(np.flatnonzero(np.isfinite(self.ui.snapshot.grains.mass))[0])
        x, y = self.ui.camera.world_to_pixel(self.ui.snapshot.grains.position[row], self.ui.window.size)
        return pygame.event.Event(kind, button=1, pos=(x + by, y), rel=(by, 0), buttons=(1, 0, 0))

    @property
    def acts(self) -> bool:
        """Whether a pull or a push acts on the grains."""
        return self.experiment.run.target is not None or self.experiment.run.pusher is not None


@pytest.fixture(params=["grab", "push", "stir"])
def frames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Frames]:
    use_plain_engine(monkeypatch)
    with open_harness(tmp_path, size=(800, 600)) as harness:
        harness.ui.mode.tool = request.param
        yield Frames(harness.ui)


def test_a_drag_that_begins_in_the_frame_of_a_restart_ends_with_the_button(frames: Frames) -> None:
    frames.ui.control.send(Act("run"))
    frames.runner._turn()
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN))  # on the picture before the restart
    frames.draw(frames.mouse(pygame.MOUSEMOTION, 20.0), count=2)
    frames.draw(frames.mouse(pygame.MOUSEBUTTONUP, 20.0), count=FRAMES)
    assert not frames.acts


def test_a_drag_during_which_another_run_begins_leaves_nothing_in_it(frames: Frames) -> None:
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN), count=3)
    assert frames.acts
    frames.ui.control.send(Start("heap", dict(frames.experiment.parameters), 2))
    frames.ui.control.send(Act("fill"))
    frames.draw(frames.mouse(pygame.MOUSEMOTION, 20.0), count=FRAMES)
    assert not frames.acts


def test_a_drag_ends_when_the_window_loses_the_keyboard(frames: Frames) -> None:
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN), count=3)
    assert frames.acts
    frames.draw(pygame.event.Event(pygame.WINDOWFOCUSLOST), count=3)
    assert not frames.acts
    frames.draw(frames.mouse(pygame.MOUSEMOTION, 20.0), count=3)
    assert not frames.acts


def test_a_drag_ends_when_another_picture_covers_the_run(frames: Frames) -> None:
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN), count=3)
    frames.covered = True  # its camera gets the release of the button
    frames.draw(count=3)
    assert not frames.acts


def test_a_run_continued_from_the_middle_of_a_drag_is_not_pulled_any_more(frames: Frames) -> None:
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN), count=3)
    frames.runner.single_step(50)
    frames.draw(frames.mouse(pygame.MOUSEMOTION, 2.0), count=20)
    middle = frames.experiment.history.at
    frames.draw(frames.mouse(pygame.MOUSEBUTTONUP, 20.0), count=3)
    frames.runner.single_step(50)
    frames.draw(count=20)
    assert not frames.acts
    frames.runner.pause(True)
    frames.ui.control.send(Rewind(middle - 10))
    frames.draw(count=FRAMES)
    assert frames.acts, "the state in the middle of the drag is shown as it was"
    assert frames.experiment.history.log.end > middle
    frames.runner.single_step(5)
    frames.draw(count=2 * FRAMES)
    assert not frames.acts


def test_a_pull_is_released_once(frames: Frames) -> None:
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN), count=3)
    frames.draw(frames.mouse(pygame.MOUSEBUTTONUP), count=FRAMES)
    commands = [type(entry.command).__name__ for entry in frames.experiment.history.log.entries]
    assert commands.count("Release") == 1


def test_a_click_belongs_to_the_tool_with_which_the_button_went_down(frames: Frames) -> None:
    frames.draw(frames.mouse(pygame.MOUSEBUTTONDOWN), count=3)
    frames.ui.mode.tool = "erase"
    frames.draw(frames.mouse(pygame.MOUSEBUTTONUP), count=3)
    assert not frames.experiment.run.world.fixed.all(), "the grain would be erased"
