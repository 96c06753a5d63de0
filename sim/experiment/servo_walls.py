"""Walls that keep a force or a pressure, set by scripts and by scenes (repose.sim.engine.contacts.servo)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from repose.sim.engine.boundaries import periodic_dimensions
from repose.sim.engine.checked import checked_array
from repose.sim.engine.contacts.servo import MARGIN
from repose.sim.engine.contacts.wall_geometry import CYLINDER, PLANE
from repose.sim.engine.world import (
    PERIOD,
    SERVO_FORCE,
    SERVO_NORMAL,
    SERVO_SPEED,
    SERVO_VISCOSITY,
    Floats,
    World,
)
from repose.sim.experiment.experiment import Experiment
from repose.sim.message import Message, Number, _
from repose.sim.parameters import ParameterError

SHARE = 0.1
"""Largest speed of a wall, if none is given, over the speed that its force gives all grains along one diameter [-]:
√(2 F d/M). The grains are then brought together almost without inertia."""
ALONG = 0.999
"""Cosine of the angle to the normal of a wall above which a contact counts as one of the wall [-]: not at its edges."""
NORMAL_STIFFNESS, NORMAL_DAMPING = 2, 4
"""Rows of `ContactTable.elasticity`."""


def keep_force(world: World, wall: int, force: float, normal: Sequence[float] | Floats, speed: float) -> None:
    """Let a wall push with this force [N] along this unit vector from now on, at most at this speed [m/s].

    Its velocity follows the force at every step. A wall that keeps a force already keeps its velocity, too.
    """
    servo = world.walls.servo[wall]
    if servo[SERVO_SPEED] == 0.0:
        world.walls.velocity[wall] = 0.0
        servo[SERVO_VISCOSITY] = force / speed  # without contacts it moves at the largest speed
    servo[SERVO_FORCE], servo[SERVO_SPEED], servo[SERVO_NORMAL:] = force, speed, normal


def release(world: World, wall: int | slice = slice(None)) -> None:
    """Let a wall, or all of them, keep the present velocity instead of a force."""
    world.walls.servo[wall] = 0.0


def follow_stiffness(experiment: Experiment) -> None:
    """Determine the viscosity of all walls that keep a force anew from the contacts that touch them: the mean of √(k m)
    + η, times `MARGIN`. Called at every check."""
    world, engine = experiment.run.world, experiment.engine
    servo = world.walls.servo
    kept = np.flatnonzero(servo[:, SERVO_SPEED] > 0.0)
    if not kept.size:
        return
    table = engine.contact_table(world, engine.law_parameters, walls_only=True)
    stiffness, damping = table.elasticity[NORMAL_STIFFNESS], table.elasticity[NORMAL_DAMPING]
    least = np.sqrt(np.maximum(stiffness, 0.0) * world.mass[table.i]) + damping
    for wall in kept:
        own = servo[wall, SERVO_NORMAL:] @ table.normal > ALONG
        if own.any() and (mean := float(least[own].mean())) > 0.0:
            servo[wall, SERVO_VISCOSITY] = MARGIN * mean


def default_speed(world: World, force: float) -> float:
    """Largest speed of a wall that keeps this force [N], for the grains of this world [m/s]; 0 without grains."""
    moving = ~world.fixed
    mass = float(world.own_mass[moving].sum())
    return SHARE * math.sqrt(4.0 * force * float(world.radius[moving].mean()) / mass) if mass > 0.0 else 0.0


def area_of(world: World, wall: int) -> float:
    """Area (in the plane length) of a facet, or of a plane that is periodic in its other dimensions [m² or m]; raises
    `ParameterError` for a plane without borders."""
    corner = world.walls.corner[wall]
    if world.walls.shape[wall] == PLANE:
        across = [c for c in range(world.dimension) if corner[1, c] == 0.0]
        if len(across) < world.dimension - 1 or not set(across) <= set(periodic_dimensions(world.boundary)):
            raise ParameterError(
                Message(
                    "pressure is refused for wall {wall}: a plane has an area only where the world is periodic along "
                    "it; give the force.",
                    wall=wall,
                )
            )
        return float(np.prod([world.boundary[PERIOD, c] for c in across]))
    one, other = corner[1] - corner[0], corner[2] - corner[0]
    if world.dimension == 2:
        return math.hypot(*one)
    return 0.5 * float(np.linalg.norm(np.cross(one, other)))


def normal_of(world: World, wall: int) -> Floats:
    """The unit vector along which a wall pushes, shape (dimension,): of a plane its normal, of a facet that towards the
    middle of the grains; raises `ParameterError` for a cylinder."""
    if world.walls.shape[wall] == CYLINDER:
        raise ParameterError(
            Message(
                "wall = {wall} is refused: a cylinder pushes in all directions; give the row of a plane or a facet.",
                wall=wall,
            )
        )
    corner = world.walls.corner[wall]
    if world.walls.shape[wall] == PLANE:
        normal: Floats = corner[1]
    elif world.dimension == 2:
        normal = np.array([corner[0, 1] - corner[1, 1], corner[1, 0] - corner[0, 0]])
    else:
        normal = np.cross(corner[1] - corner[0], corner[2] - corner[0])
    normal = normal / np.linalg.norm(normal)
    if world.walls.shape[wall] == PLANE or not world.sphere_count:
        return np.asarray(normal, float)
    middle = world.motion[: world.dimension, 0].mean(axis=1)
    side = float((middle - corner[0] - world.walls.moved[wall]) @ normal)
    toward: Floats = normal if side >= 0.0 else -normal
    return toward


def set_servo(world: World, wall: int, force: float, pressure: float, speed: float) -> None:
    """Let a wall keep a force [N] or a pressure [Pa, in the plane N/m], of which one is positive and the other 0, at
    most at a speed [m/s], 0 for `default_speed`; raises `ParameterError`."""
    unit = "Pa" if world.dimension == 3 else "N/m"
    force = float(checked_array("force", force, (), "N", least=0.0))
    pressure = float(checked_array("pressure", pressure, (), unit, least=0.0))
    speed = float(checked_array("speed", speed, (), "m/s", least=0.0))
    if (force > 0.0) == (pressure > 0.0):
        raise ParameterError(
            Message(
                "force = {force} with pressure = {pressure} is refused: a wall keeps one of them; give one above 0.",
                force=Number(force, "N", "g"),
                pressure=Number(pressure, unit, "g"),
            )
        )
    normal = normal_of(world, wall)
    wanted = force if force > 0.0 else pressure * area_of(world, wall)
    most = speed or default_speed(world, wanted)
    if most == 0.0:
        raise ParameterError(_("A wall cannot keep a force without grains: add grains that can move, or give a speed."))
    keep_force(world, wall, wanted, normal, most)
