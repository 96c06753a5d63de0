"""The physics thread of the window: what it begins with."""

from __future__ import annotations

import time

from repose.app.window.physics import Physics
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Resume
from repose.sim.experiment.history import saved_copy

PATIENCE = 60.0


def test_a_run_opened_at_the_start_is_the_first_one_and_no_other_is_made() -> None:
    physics = Physics("no such scene", {}, 1)
    physics.send(Resume(saved_copy(new_experiment("heap", {"grain_count": 4, "width": 0.015}))))
    physics.begin()
    deadline = time.monotonic() + PATIENCE
    while physics.latest().serial == 0:
        assert time.monotonic() < deadline, "nothing was shown"
        time.sleep(0.002)
    shown = physics.latest()
    physics.stop()
    assert shown.messages.fault is None
    assert (shown.run.scene, len(shown.grains.radius)) == (
        "heap",
        len(new_experiment("heap", {"grain_count": 4, "width": 0.015}).run.world.radius),
    )


def test_a_film_ends_when_its_thread_is_replaced() -> None:
    physics = Physics("heap", {"grain_count": 4, "width": 0.015}, 1)
    frames = physics.record(1e-3)
    physics.send(Resume(saved_copy(new_experiment("heap", {"grain_count": 4, "width": 0.015}))))
    assert frames.get(timeout=PATIENCE) is None
    physics.stop()
