"""Pusher: a disc or sphere that pushes spheres out of its interior, for stirring or a soft push.

Its centre moves from e_0 with the velocity u for a given time and then stays. The distance below which it pushes grows
at a given rate up to the sum of both radii: the pusher can begin amid grains or inside one. A sphere of mass m and
overlap δ gets F = m (w² δ - c v_n) along the normal, where v_n is its velocity relative to the centre, positive when
leaving; F is at least 0 and at most m a_max. The force is proportional to the mass: the frequency w, and the time step
that it needs, are the same for all spheres. There is no friction. All work of the pusher is booked as external work.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.fields import FieldForce
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundField
from repose.sim.engine.roots import TINY
from repose.sim.fields.field import Field
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, length, number


class PusherParameters(ParameterSet):
    """How the pusher pushes; its position and motion are numbers of the run."""

    # fmt: off
    push_radius: float = length(0.01, 0.0, 100.0, _("radius of the pusher"), "R", effect="ramp", group=_("Push"),
        help=_("Spheres within it are pushed out of it."))
    push_frequency: float = number(100.0, 0.0, 1e6, _("frequency of the push"), "w", "1/s", log=True, effect="ramp",
        group=_("Push"), help=_("Acceleration per overlap is its square."))
    push_limit: float = number(100.0, 0.0, 1e7, _("largest push"), "a_max", "m/s²", log=True, effect="ramp",
        group=_("Push"), help=_("The pusher accelerates a sphere by this much at most."))
    # fmt: on


class Pusher(NamedTuple):
    """The coefficients that the field reads, in SI."""

    origin: tuple
    """Centre at the time `begins` [m]."""
    velocity: tuple
    """Velocity of the centre while it moves [m/s]."""
    begins: float
    """Time at which it begins to move [s]."""
    lasts: float
    """Duration of its motion [s]."""
    born: float
    """Time at which it begins to grow [s]."""
    growth: float
    """Rate of growth until it has its full size [m/s]."""
    radius: float
    """Full size [m]; 0 for no pusher."""
    stiffness: float
    """w² [1/s²]."""
    damping: float
    """c [1/s]."""
    limit: float
    """a_max [m/s²]."""


@compilable(forceinline=True)
def centre_of(params, time):
    """Position of the centre [m]."""
    passed = min(max(time - params.begins, 0.0), params.lasts)
    return vector.add(params.origin, vector.scale(passed, params.velocity))


@compilable(forceinline=True)
def grown(params, size, time):
    """Present value of a length of the pusher that grows to `size` [m]."""
    return min(size, params.growth * max(time - params.born, 0.0))


@compilable(forceinline=True)
def force(params, sphere, time):
    """The push on one sphere."""
    offset = vector.sub(sphere.position, centre_of(params, time))
    distance = math.sqrt(vector.dot(offset, offset))
    away = vector.scale(1.0 / max(distance, TINY), offset)
    moves = 1.0 if params.begins <= time < params.begins + params.lasts else 0.0
    leaving = vector.dot(vector.sub(sphere.velocity, vector.scale(moves, params.velocity)), away)
    reach = grown(params, params.radius + sphere.radius, time)
    overlap = reach - distance
    touches = 1.0 if overlap > 0.0 and params.radius > 0.0 else 0.0
    wanted = params.stiffness * overlap - params.damping * leaving
    push = vector.scale(touches * sphere.mass * min(max(wanted, 0.0), params.limit), away)
    return FieldForce(push, vector.scale(0.0, sphere.spin), 0.0, vector.dot(push, sphere.velocity))


@compilable(forceinline=True)
def stiffness(params, sphere, time):
    """Stiffness and viscosity of the push [N/m, kg/s]."""
    mass = sphere.mass if params.radius > 0.0 else 0.0
    return mass * params.stiffness, mass * params.damping


BOUND = BoundField(force, stiffness=stiffness)


def bind(parameters: PusherParameters) -> BoundField:
    """The functions of the field, which has one form only."""
    return BOUND


def standing(dimension: int) -> Pusher:
    """A pusher without size, which exerts no force."""
    nowhere = (0.0,) * dimension
    return Pusher(nowhere, nowhere, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def coefficients_of(parameters: PusherParameters, dimension: int) -> Pusher:
    """A pusher of full size at rest at the origin; `Pusher._replace` moves it."""
    radius, frequency = float(parameters.push_radius), float(parameters.push_frequency)
    limit = float(parameters.push_limit)
    return standing(dimension)._replace(
        born=-1.0, growth=radius, radius=radius, stiffness=frequency**2, damping=2.0 * frequency, limit=limit
    )


FIELD = Field("pusher", _("Pusher"), PusherParameters, bind, coefficients_of)
