"""Shaker: the inertial force in the frame of a table that oscillates along one direction.

From the time t_0 on the table moves by s = A (1 - cos w(t - t_0)) along the unit vector e, starting at rest. In its
frame, in which base and walls are at rest, a sphere of mass m feels F = -m d²s/dt² e = -m A w² cos(w(t - t_0)) e. When
the shaking ends, the table continues at constant velocity, which causes no force. All work of the table is booked as
external work.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.fields import FieldForce
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundField
from repose.sim.fields.field import Field
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, length, number
from repose.sim.rate_integral import RateIntegral

MOST_AMPLITUDE, MOST_FREQUENCY = 1.0, 1e3
"""Bounds of amplitude [m] and frequency [Hz]."""


class ShakerParameters(ParameterSet):
    """Vertical shaking of the table from time 0 on."""

    # fmt: off
    shake_amplitude: float = length(0.0, 0.0, MOST_AMPLITUDE, _("amplitude of the shaking"), "A", effect="ramp",
        group=_("Shaking"), help=_("The table moves this far to both sides of its middle position."))
    shake_frequency: float = number(20.0, 0.0, MOST_FREQUENCY, _("frequency of the shaking"), "f", "Hz", effect="ramp",
        group=_("Shaking"), help=_("Oscillations of the table per second."))
    # fmt: on


class Shaker(NamedTuple):
    """The coefficients that the field reads, in SI."""

    direction: tuple
    """Unit vector."""
    amplitude: float
    """[m]; 0 for a table at rest."""
    angular_frequency: float
    """w [rad/s]."""
    begins: float
    """t_0 [s]."""


@compilable(forceinline=True)
def force(params, sphere, time):
    """The inertial force on one sphere."""
    w = params.angular_frequency
    size = -sphere.mass * params.amplitude * w * w * math.cos(w * (time - params.begins))
    push = vector.scale(size, params.direction)
    return FieldForce(push, vector.scale(0.0, sphere.spin), 0.0, vector.dot(push, sphere.velocity))


BOUND = BoundField(force)


def bind(parameters: ShakerParameters) -> BoundField:
    """The functions of the field, which has one form only."""
    return BOUND


def at_rest(dimension: int) -> Shaker:
    """A table that does not shake."""
    return Shaker((0.0,) * (dimension - 1) + (1.0,), 0.0, 0.0, 0.0)


def coefficients_of(parameters: ShakerParameters, dimension: int) -> Shaker:
    """The coefficients of these parameters."""
    w = 2.0 * math.pi * float(parameters.shake_frequency)
    return at_rest(dimension)._replace(amplitude=float(parameters.shake_amplitude), angular_frequency=w)


def phase(table: Shaker) -> tuple[RateIntegral, ...]:
    """The phase angle w(t − t_0) [rad]."""
    return (RateIntegral(-table.angular_frequency * table.begins, 0.0, table.angular_frequency),)


def with_phase(table: Shaker, way: tuple[RateIntegral, ...]) -> Shaker:
    """The table with this phase angle, which stays continuous when the frequency changes."""
    (angle,) = way
    return table._replace(begins=angle.since - angle.begins / angle.rate) if angle.rate else table


FIELD = Field("shaker", _("Shaker"), ShakerParameters, bind, coefficients_of, phase, with_phase)
