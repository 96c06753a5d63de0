"""A whole experiment without a window and without a physics thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import results_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, is_finished, steps_until
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterError


def run_experiment(
    experiment: Experiment,
    *,
    on_progress: Callable[[str, float | None], None] = lambda words, share: None,
    on_frame: Callable[[Snapshot], None] | None = None,
    frame_interval: float | None = None,
    until: float = math.inf,
    under_way: bool = False,
) -> dict[str, Any]:
    """Run all phases of the scene; returns `results_of(experiment)`.

    With `frame_interval` [s], `on_frame` is called at the first step at or after every multiple of it, from the
    beginning on, in simulated time. It ends at the first step at or after `until` [s] at the latest. An experiment that
    is `under_way` continues in its present phase. Raises `ParameterError` if the scene cannot be run now.
    """
    refusal = "" if under_way and not is_finished(experiment) else apply(experiment, Act("run"))
    if refusal:
        raise ParameterError(refusal)
    began = experiment.time
    frames = 0
    snapshot = Snapshot()
    while True:
        if on_frame is not None and frame_interval is not None:
            while experiment.time >= began + frames * frame_interval - 1e-12:
                take_snapshot(experiment, snapshot)
                snapshot.serial = frames
                on_frame(snapshot)
                frames += 1
        if is_finished(experiment) or experiment.time >= until:
            return results_of(experiment)
        # At most to the next check of the scene, so that the experiment ends at the same step with and without a film.
        due = began + frames * frame_interval if frame_interval is not None and on_frame is not None else math.inf
        advance(experiment, steps_until(experiment, min(due, until)))
        on_progress(*experiment.scene.describe(experiment)[1:])
