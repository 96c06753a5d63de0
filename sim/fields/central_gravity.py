"""Gravity of a heavy body at a fixed position: F = -G M m x/(|x|² + a²)^(3/2), with x from the body to the sphere.

The softening length a of Plummer (Mon. Not. R. Astron. Soc. 71 (1911) 460) keeps the force finite at the centre; a = 0
gives Kepler's orbits.
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


class CentralGravityParameters(ParameterSet):
    """The heavy body, at the origin of coordinates."""

    # fmt: off
    attraction: float = number(1.0, 0.0, 1e6, _("attraction of the centre"), "G M", "m³/s²", log=True, effect="ramp",
        group=_("Gravity"), help=_("Acceleration towards the origin times the square of the distance."))
    softening: float = length(0.0, 0.0, 100.0, _("softening length"), "a", effect="ramp", group=_("Gravity"),
        help=_("Within this distance of the centre its attraction grows no further."))
    # fmt: on


class CentralGravity(NamedTuple):
    """The coefficients that the field reads, in SI."""

    centre: tuple
    attraction: float
    softening: float


@compilable(forceinline=True)
def distance(params, sphere):
    """(|x|² + a²)^(1/2) [m]."""
    offset = vector.sub(sphere.position, params.centre)
    return math.sqrt(max(vector.dot(offset, offset) + params.softening**2, TINY))


@compilable(forceinline=True)
def force(params, sphere, time):
    """Attraction of one sphere."""
    pull = params.attraction * sphere.mass / distance(params, sphere) ** 3
    offset = vector.sub(sphere.position, params.centre)
    return FieldForce(vector.scale(-pull, offset), vector.scale(0.0, sphere.spin), 0.0, 0.0)


@compilable(forceinline=True)
def potential(params, sphere, time):
    """-G M m/(|x|² + a²)^(1/2) [J]."""
    return -params.attraction * sphere.mass / distance(params, sphere)


@compilable(forceinline=True)
def stiffness(params, sphere, time):
    """2 G M m/|x|³ along the radius, the largest change of the force with position [N/m]."""
    return 2.0 * params.attraction * sphere.mass / distance(params, sphere) ** 3, 0.0


BOUND = BoundField(force, potential, stiffness)


def bind(parameters: CentralGravityParameters) -> BoundField:
    """The functions of the field, which has one form only."""
    return BOUND


def coefficients_of(parameters: CentralGravityParameters, dimension: int) -> CentralGravity:
    """The coefficients of these parameters."""
    return CentralGravity((0.0,) * dimension, float(parameters.attraction), float(parameters.softening))


FIELD = Field("central_gravity", _("Central gravity"), CentralGravityParameters, bind, coefficients_of, at_a_place=True)
