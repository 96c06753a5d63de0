"""Walls to which a script gives other velocities, in scenes that do not move them themselves."""

from __future__ import annotations

from collections.abc import Sequence

from repose.sim.engine.checked import checked_array
from repose.sim.experiment import history
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import require_running
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text


def move_wall(experiment: Experiment, wall: int, velocity: Sequence[float]) -> None:
    """Let a wall move with this velocity [m/s] from now on; raises `ParameterError`."""
    what = _("Moving a wall")
    walls = experiment.run.world.walls
    if not experiment.scene.hand.moves_walls:
        raise ParameterError(
            Message(
                "{what} is refused: the scene '{title}' moves its walls itself.",
                what=what,
                title=experiment.scene.title,
            )
        )
    require_running(experiment, what)
    count = walls.shape.size
    if isinstance(wall, bool) or not 0 <= wall < count:
        raise ParameterError(
            Message(
                "wall = {wall} is refused: it must be a whole number from 0, below the number of walls, {count}.",
                wall=value_text(wall),
                count=count,
            )
        )
    walls.velocity[wall] = checked_array("velocity", velocity, walls.velocity[wall].shape, "m/s")
    history.mark_good(experiment, forget_change=True)  # a later fault does not undo the change
