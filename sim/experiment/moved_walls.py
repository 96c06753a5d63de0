"""Walls to which a script gives other velocities, or a force to keep, in scenes that do not move them themselves."""

from __future__ import annotations

from collections.abc import Sequence

from repose.sim.engine.checked import checked_array
from repose.sim.experiment import history, servo_walls
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import require_running
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text


def move_wall(experiment: Experiment, wall: int, velocity: Sequence[float]) -> None:
    """Let a wall move with this velocity [m/s] from now on; raises `ParameterError`."""
    _require_wall(experiment, wall)
    world = experiment.run.world
    speed = checked_array("velocity", velocity, world.walls.velocity[wall].shape, "m/s")
    servo_walls.release(world, wall)
    world.walls.velocity[wall] = speed
    history.mark_good(experiment, forget_change=True)  # a later fault does not undo the change


def keep_force(experiment: Experiment, wall: int, force: float, pressure: float, speed: float) -> None:
    """Let a wall keep a force or a pressure from now on, as `servo_walls.set_servo`; raises `ParameterError`."""
    _require_wall(experiment, wall)
    servo_walls.set_servo(experiment.run.world, wall, force, pressure, speed)
    servo_walls.follow_stiffness(experiment)
    history.mark_good(experiment, forget_change=True)


def _require_wall(experiment: Experiment, wall: int) -> None:
    """Raise `ParameterError` if a script cannot move this wall."""
    what = _("Moving a wall")
    if not experiment.scene.hand.moves_walls:
        raise ParameterError(
            Message(
                "{what} is refused: the scene '{title}' moves its walls itself.",
                what=what,
                title=experiment.scene.title,
            )
        )
    require_running(experiment, what)
    count = experiment.run.world.walls.shape.size
    if isinstance(wall, bool) or not 0 <= wall < count:
        raise ParameterError(
            Message(
                "wall = {wall} is refused: it must be a whole number from 0, below the number of walls, {count}.",
                wall=value_text(wall),
                count=count,
            )
        )
