"""How many frames pass between a motion of the mouse and the picture that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest
from repose.app.render.camera import Camera2D
from repose.app.window.gestures import Gestures
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance

from tests.app.ui.panels.panel_harness import open_harness
from tests.reliability.runs import FEW
from tests.small_worlds import use_plain_engine


@pytest.mark.parametrize("tool", ["grab", "push", "stir"])
def test_the_frame_after_a_motion_of_the_mouse_shows_the_hand_on_its_way_there(
    tool: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The order is that of `Application.draw_frame`: events, newest snapshot, tool, picture; then a turn of physics."""
    use_plain_engine(monkeypatch)
    experiment = new_experiment("heap", FEW | {"grain_count": 1})
    assert not apply(experiment, Act("fill"))
    advance(experiment, 50)
    runner = Runner(lambda: experiment)
    runner._begin()
    runner.pause(True)  # no step is done: only commands change what is shown
    runner._turn()
    gestures, shown = Gestures(), []
    with open_harness(tmp_path, runner.latest(), (800, 600)) as harness:
        ui = harness.ui
        ui.mode.tool, ui.control.send, ui.camera = tool, runner.send, Camera2D((0.0, 0.0), 1e-4)

        def frame(*events: Any) -> None:
            """Draw, and let physics publish nothing but answers to commands."""
            for event in events:
                gestures.handle(event, ui, True)
            ui.snapshot = runner.latest()
            gestures.update(ui)
            pull, held = ui.snapshot.hand.pull, experiment.run.pusher
            position = pull.target if tool == "grab" and pull is not None else None
            if tool != "grab" and held is not None and ui.snapshot.hand.push is not None:
                position = tuple(np.add(held.origin, np.multiply(held.velocity, held.lasts)))
            shown.append(position)
            runner._publish_at = np.inf
            runner._turn()

        row = int(np.flatnonzero(np.isfinite(ui.snapshot.grains.mass))[0])
        x, y = ui.camera.world_to_pixel(ui.snapshot.grains.position[row], ui.window.size)
        frame(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x, y)))
        for step in (20, 40):
            there = (x + step, y - step)
            frame(pygame.event.Event(pygame.MOUSEMOTION, pos=there, rel=(20, -20), buttons=(1, 0, 0)))
            frame()
            assert shown[-1] == pytest.approx(ui.camera.pixel_to_world(there, ui.window.size), abs=1e-6)
        frame(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=there))
        frame()
        assert shown[-1] is None
