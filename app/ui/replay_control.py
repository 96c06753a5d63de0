"""Replay: what has happened is shown once more, along the history of the run, in space from another side.

The run stays as it is: a replay goes to recorded steps (`repose.app.ui.rewind`), and its end is the last step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from repose.app.ui.ui import Ui
from repose.sim.direction import OBLIQUE
from repose.sim.experiment.commands import Rewind

LEAST, MOST = 5.0, 20.0
"""Limits of the duration [s]."""
OTHER_SIDE = "side"
"""Direction of view of the replay of a scene that is shown at an angle; the others are shown at an angle."""


@dataclass
class Replay:
    """A replay that is under way."""

    on: bool = False
    ends: bool = False
    """Whether it waits until the last step is shown again."""
    first: int = 0
    last: int = 0
    """Steps since the log began: the beginning of the phase that is shown, and the end of the run."""
    seconds: float = LEAST
    """Duration on a machine that is fast enough [s]."""
    share: float = 0.0
    """Share that has been asked for [-]."""
    paused: bool = False
    """Whether the run was paused before."""
    logs: int = 0
    """`ShownHistory.logs` at the beginning."""
    seen: float = 0.0
    """Wall time of the last frame [s]."""


def is_possible(ui: Ui) -> bool:
    """Whether the run has come to its end, and is not shown at an earlier step."""
    history = ui.snapshot.history
    return ui.snapshot.run.phase.ends and 0 < history.at == history.log_end and not ui.mode.lecture.on


def start_or_stop(ui: Ui) -> None:
    """Begin a replay of the last phase that ran; or end it at the last step."""
    replay = ui.states[Replay]
    if replay.on:
        stop(ui)
    elif is_possible(ui):
        _start(ui, replay)


def _start(ui: Ui, replay: Replay) -> None:
    history, run = ui.snapshot.history, ui.snapshot.run
    began = [event.at for event in ui.events.shown if event.kind == "phase" and event.at < history.log_end]
    replay.first, replay.last = (began[-1] if began else 0), history.log_end
    speed = min(run.direction.speed, *run.direction.speeds.values(), math.inf) * run.time_scale
    replay.seconds = min(max((replay.last - replay.first) * run.dt / speed, LEAST), MOST)
    replay.on, replay.ends, replay.share, replay.logs = True, False, 0.0, history.logs
    replay.paused = ui.control.transport.paused
    ui.control.transport.pause(True)
    ui.control.send(Rewind(replay.first))
    _turn(ui, OTHER_SIDE if run.direction.look == OBLIQUE else OBLIQUE)


def stop(ui: Ui) -> None:
    """Return to the last step; once it is shown, the run is as it was before."""
    replay = ui.states[Replay]
    replay.ends = True
    ui.control.send(Rewind(replay.last))
    _turn(ui, ui.snapshot.run.direction.look)


def follow(ui: Ui, now: float) -> None:
    """One frame at the wall time `now` [s]: ask for the next step once the last one is shown, so that a slow machine
    shows all of it, later."""
    replay, history = ui.states[Replay], ui.snapshot.history
    elapsed, replay.seen = now - replay.seen, now
    if not replay.on:
        return
    if history.logs != replay.logs or history.log_end != replay.last or not ui.control.transport.paused:
        replay.on = False  # another run, or the user has changed something at an earlier step
    elif replay.ends:
        if history.at == replay.last:
            replay.on = False
            ui.control.transport.pause(replay.paused)
    elif history.at == _at(replay):
        if replay.share >= 1.0:
            stop(ui)
            return
        replay.share = min(replay.share + min(elapsed, 0.1) / replay.seconds, 1.0)
        ui.control.send(Rewind(_at(replay)))


def _at(replay: Replay) -> int:
    return replay.first + round(replay.share * (replay.last - replay.first))


def _turn(ui: Ui, look: str) -> None:
    if ui.snapshot.grains.position.shape[1] == 3:
        ui.control.actions[f"look_{look}"]()
