"""Walls to which a script gives other velocities, or a force to keep, in scenes that do not move them themselves.

In place of a number each takes a curve over time: at every check the wall gets the value at the middle of the steps
until the next one. Its way under a velocity v is ∫ v dt, exact for a linear one and otherwise within |d²v/dt²|
(`CHECK_STEPS` dt)² T/24 after the time T.

The only writer of `Run.driven_walls`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from repose.sim.engine.checked import checked_array
from repose.sim.engine.world import SERVO_FORCE
from repose.sim.experiment import history, servo_walls
from repose.sim.experiment.driven import curves_of, middle_of_hold, require_resolved
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import require_running
from repose.sim.experiment.run import DrivenWall, Run
from repose.sim.message import Message, _
from repose.sim.parameter_curves import CurveError, is_curve, read_curve
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text


def move_wall(experiment: Experiment, wall: int, velocity: Sequence[float | str]) -> None:
    """Let a wall move with this velocity [m/s] from now on, whose components are numbers or curves; raises
    `ParameterError`."""
    _require_wall(experiment, wall)
    world = experiment.run.world
    followed = tuple(_begun(experiment, "velocity", value) for value in velocity)
    speed = checked_array(
        "velocity", [_now(experiment, value) for value in followed], world.walls.velocity[wall].shape, "m/s"
    )
    servo_walls.release(world, wall)
    world.walls.velocity[wall] = speed
    whole = followed if len(followed) == len(speed) else followed * len(speed)
    _drive(experiment, DrivenWall(wall, whole))


def keep_force(experiment: Experiment, wall: int, force: float | str, pressure: float | str, speed: float) -> None:
    """Let a wall keep a force or a pressure from now on, each a number or a curve, as `servo_walls.set_servo`; raises
    `ParameterError`."""
    _require_wall(experiment, wall)
    given = {"force": force, "pressure": pressure}
    followed = {name: _begun(experiment, name, value) for name, value in given.items()}
    for name, value in given.items():
        if is_curve(value) and read_curve(str(value)).extremes[0] <= 0.0:
            raise _refused(name, value, _("a wall keeps a load above 0 at all times"))
    now = {name: _now(experiment, value) for name, value in followed.items()}
    world = experiment.run.world
    servo_walls.set_servo(world, wall, now["force"], now["pressure"], speed)
    servo_walls.follow_stiffness(experiment)
    name = "force" if now["force"] else "pressure"
    _drive(experiment, DrivenWall(wall, (), followed[name], float(world.walls.servo[wall, SERVO_FORCE]) / now[name]))


def follow_walls(experiment: Experiment) -> None:
    """Give the walls that follow curves their velocities and forces until the next check."""
    walls = experiment.run.world.walls
    for driven in experiment.run.driven_walls:
        if driven.velocity:
            walls.velocity[driven.wall] = [_now(experiment, value) for value in driven.velocity]
        else:
            walls.servo[driven.wall, SERVO_FORCE] = driven.area * _now(experiment, driven.load)


def impossible(run: Run) -> bool:
    """Whether a run read from a file has walls that follow curves as the functions above cannot have made."""
    walls = run.world.walls
    try:
        read = [(driven, curves_of(driven)) for driven in run.driven_walls]
    except (CurveError, LookupError):
        return True
    return not all(
        0 <= driven.wall < walls.shape.size
        and curves
        and len(driven.velocity) in (0, walls.velocity.shape[1])
        and math.isfinite(driven.area)
        and all(curve.begins is not None for curve in curves)
        for driven, curves in read
    )


def _drive(experiment: Experiment, driven: DrivenWall) -> None:
    """Replace what a wall follows: nothing, if no part of it is a curve."""
    run = experiment.run
    others = tuple(other for other in run.driven_walls if other.wall != driven.wall)
    run.driven_walls = (*others, driven) if curves_of(driven) else others
    history.mark_good(experiment, forget_change=True)  # a later fault does not undo the change


def _begun(experiment: Experiment, name: str, value: float | str) -> float | str:
    """The value, a curve as one that begins now; raises `ParameterError` for a curve that is none or has impossible
    values."""
    if not is_curve(value):
        return value
    try:
        curve = read_curve(str(value))
    except CurveError as error:
        raise _refused(name, value, error.message) from None
    checked_array(name, curve.extremes, (2,))
    require_resolved({name: curve}, experiment.dt)
    return curve.set_at(experiment.time).text


def _now(experiment: Experiment, value: float | str) -> Any:
    """A number, or the value of a curve in the middle of the steps until the next check."""
    return read_curve(str(value)).at(middle_of_hold(experiment)) if is_curve(value) else value


def _refused(name: str, value: float | str, reason: Message) -> ParameterError:
    return ParameterError(
        Message("{name} = {shown} is refused: {reason}.", name=name, shown=value_text(value), reason=reason)
    )


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
