"""Hoist: a thread attached to one sphere, whose other end moves at constant velocity, as under a crane.

The end is at e = e_0 + u t; a change of u moves e_0, such that the end does not jump. While the distance between end
and sphere exceeds the length l_0 of the thread, the thread pulls with k (distance - l_0) + c d(distance)/dt; it never
pushes. All work of the thread is booked as external work.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.fields import FieldForce
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundField
from repose.sim.engine.roots import TINY
from repose.sim.fields.field import Field
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, length, number
from repose.sim.rate_integral import RateIntegral

# fmt: off
ThreadLength = Annotated[float, length(..., 0.0, 100.0, _("length of the "
                                                          "thread"), "l₀", effect="restart", group=_("Thread"),
    help=_("Distance of its ends above which the thread pulls. Takes effect at the next start."))]
# fmt: on
"""Annotation for scenes with another default."""


class HoistParameters(ParameterSet):
    """The thread. A scene adds `held_sphere`, the id of the sphere, and `thread_end(dimension)`, position [m] and
    velocity [m/s] of the end at time 0."""

    thread_length: ThreadLength = 0.1
    # fmt: off
    thread_stiffness: float = number(100.0, 0.0, 1e6, _("stiffness of the thread"), "k", "N/m", log=True, effect="ramp",
        group=_("Thread"), help=_("Force per distance by which the thread is longer than its length."))
    thread_viscosity: float = number(1.0, 0.0, 1e4, _("damping of the "
                                                      "thread"), "c", "kg/s", effect="ramp", group=_("Thread"),
        help=_("Force per rate at which the stretched thread becomes longer."))
    # fmt: on


class Hoist(NamedTuple):
    """The coefficients that the field reads, in SI."""

    end: tuple
    """Position of the moving end at time 0 [m]."""
    velocity: tuple
    """Velocity of the moving end [m/s]."""
    sphere: int
    """Id of the sphere at the other end."""
    length: float
    stiffness: float
    viscosity: float


@compilable(forceinline=True)
def tension(params, sphere, time):
    """Tension of the thread [N], and the unit vector from its end to the sphere."""
    offset = vector.sub(sphere.position, vector.add(params.end, vector.scale(time, params.velocity)))
    distance = math.sqrt(vector.dot(offset, offset))
    along = vector.scale(1.0 / max(distance, TINY), offset)
    rate = vector.dot(vector.sub(sphere.velocity, params.velocity), along)
    pull = max(params.stiffness * (distance - params.length) + params.viscosity * rate, 0.0)
    attached = 1.0 if sphere.id == params.sphere and distance > params.length else 0.0
    return attached * pull, along


@compilable(forceinline=True)
def force(params, sphere, time):
    """The pull of the thread on one sphere."""
    pull, along = tension(params, sphere, time)
    towards = vector.scale(-pull, along)
    return FieldForce(towards, vector.scale(0.0, sphere.spin), 0.0, vector.dot(towards, sphere.velocity))


@compilable(forceinline=True)
def stiffness(params, sphere, time):
    """Stiffness and viscosity of the thread [N/m, kg/s]."""
    attached = 1.0 if sphere.id == params.sphere else 0.0
    return attached * params.stiffness, attached * params.viscosity


BOUND = BoundField(force, stiffness=stiffness)


def bind(parameters: HoistParameters) -> BoundField:
    """The functions of the field, which has one form only."""
    return BOUND


def coefficients_of(parameters: HoistParameters, dimension: int) -> Hoist:
    """The coefficients of these parameters; the thread is attached to no sphere unless a scene names one."""
    zero = (0.0,) * dimension
    end, velocity = parameters.thread_end(dimension) if hasattr(parameters, "thread_end") else (zero, zero)
    thread = (parameters.thread_length, parameters.thread_stiffness, parameters.thread_viscosity)
    return Hoist(end, velocity, getattr(parameters, "held_sphere", -1), *map(float, thread))


def way_of_end(thread: Hoist) -> tuple[RateIntegral, ...]:
    """The coordinates of the moving end [m]."""
    return tuple(RateIntegral(place, 0.0, speed) for place, speed in zip(thread.end, thread.velocity, strict=True))


def with_end(thread: Hoist, way: tuple[RateIntegral, ...]) -> Hoist:
    """The thread whose end goes on from where it is when its velocity changes."""
    return thread._replace(end=tuple(part.at(0.0) for part in way))


FIELD = Field("hoist", _("Hoist"), HoistParameters, bind, coefficients_of, way_of_end, with_end, at_a_place=True)
