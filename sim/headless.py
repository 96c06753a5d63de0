"""The whole experiment in the foreground, without a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.commands import Act
from sim.parameters import ParameterError
from sim.simulation import CHECK_STEPS, Simulation
from sim.snapshot import Snapshot


def run_experiment(
    simulation: Simulation,
    *,
    on_progress: Callable[[str, float | None], None] = lambda words, share: None,
    on_frame: Callable[[Snapshot], None] | None = None,
    frame_interval: float | None = None,
) -> dict[str, Any]:
    """Fill, open, wait for rest, measure; returns `simulation.result()`.

    With `frame_interval` [s], `on_frame` is called at the first step at or after every multiple of it, from zero on,
    in simulated time. Raises `ParameterError` if the scene cannot be run now.
    """
    refusal = simulation.apply(Act("run"))
    if refusal:
        raise ParameterError(refusal)
    frames = 0
    snapshot = Snapshot()
    while True:
        if on_frame is not None and frame_interval is not None:
            while simulation.time >= frames * frame_interval - 1e-12:
                simulation.fill_snapshot(snapshot)
                snapshot.serial = frames
                on_frame(snapshot)
                frames += 1
        if simulation.finished():
            return simulation.result()
        # To the next look at the world and no further: an experiment ends there, filmed or not.
        steps = CHECK_STEPS - simulation.step % CHECK_STEPS
        if frame_interval is not None and on_frame is not None:
            steps = min(steps, max(1, round((frames * frame_interval - simulation.time) / simulation.dt + 0.499)))
        simulation.advance(steps)
        on_progress(*simulation.scene.describe(simulation)[1:])
