"""A liquid at rest with a level surface: buoyancy of the submerged part of each sphere, and drag.

Buoyancy is the weight of the liquid displaced by the submerged cap, F = rho g V with V = pi d² (R - d/3), where d is
the depth of the lowest point, at most 2R. Drag opposes the velocity v in proportion to the submerged fraction
s = V/(4/3 pi R³): F = -s (6 pi eta R + 1/2 rho C_d pi R² |v|) v, the sum of the laws of Stokes and Newton. The torque
against a spin w is s 8 pi eta R³ w (Lamb, Hydrodynamics, 1932, § 334). Not modelled: the added mass of the liquid, and
the flow that one grain causes at another.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.fields import FieldForce
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundField
from repose.sim.fields.field import Field
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, length, number

# fmt: off
Viscosity = Annotated[float, number(..., 0.0, 100.0, _("liquid viscosity"), "η", "mPa s", effect="ramp",
    group=_("Liquid"), help=_("Stokes drag 6 π η R v of slow grains: 1 mPa s for water, 1000 for glycerol."))]
# fmt: on
"""Annotation for scenes with another default."""


class LiquidParameters(ParameterSet):
    """The liquid."""

    # fmt: off
    liquid_level: float = length(0.0, -100.0, 100.0, _("liquid level"), "h", effect="ramp", group=_("Liquid"),
        help=_("Height of the surface of the liquid; it does not move."))
    liquid_density: float = number(1000.0, 0.0, 2e4, _("liquid density"), "ρ_l", "kg/m³", effect="ramp",
        group=_("Liquid"), help=_("1000 for water. A grain of smaller density floats."))
    liquid_viscosity: Viscosity = 1e-3
    drag_coefficient: float = number(0.44, 0.0, 10.0, _("drag coefficient"), "C_d", effect="ramp", group=_("Liquid"),
        help=_("Drag ½ ρ C_d π R² v² of fast grains: 0.44 for a sphere."))
    # fmt: on


class Liquid(NamedTuple):
    """The coefficients that the field reads, in SI."""

    level: float
    weight: float
    """rho g [N/m³]."""
    viscosity: float
    inertial: float
    """1/2 rho C_d [kg/m³]."""


@compilable(forceinline=True)
def depth_and_volume(params, sphere):
    """Depth of the lowest point [m] and submerged volume [m³]."""
    depth = max(params.level - sphere.position[len(sphere.position) - 1] + sphere.radius, 0.0)
    cap = min(depth, 2.0 * sphere.radius)
    return depth, math.pi * cap * cap * (sphere.radius - cap / 3.0)


@compilable(forceinline=True)
def drag(params, sphere, volume):
    """Drag over velocity, and torque over spin divided by 4/3 R² [kg/s]; `volume` is the submerged volume [m³]."""
    share = volume / (4.0 / 3.0 * math.pi * sphere.radius**3)
    speed = math.sqrt(vector.dot(sphere.velocity, sphere.velocity))
    viscous = share * 6.0 * math.pi * params.viscosity * sphere.radius
    return viscous + share * params.inertial * math.pi * sphere.radius**2 * speed, viscous


@compilable(forceinline=True)
def force(params, sphere, time):
    """Buoyancy and drag on one sphere."""
    _, volume = depth_and_volume(params, sphere)
    resistance, viscous = drag(params, sphere, volume)
    turning = 4.0 / 3.0 * viscous * sphere.radius**2
    push = vector.add(
        vector.scale(-resistance, sphere.velocity), vector.upward(params.weight * volume, sphere.position)
    )
    heat = resistance * vector.dot(sphere.velocity, sphere.velocity) + turning * vector.dot(sphere.spin, sphere.spin)
    return FieldForce(push, vector.scale(-turning, sphere.spin), heat, 0.0)


@compilable(forceinline=True)
def potential(params, sphere, time):
    """Work needed to press the sphere into the liquid [J]."""
    depth, volume = depth_and_volume(params, sphere)
    cap = min(depth, 2.0 * sphere.radius)
    pressed = math.pi * cap**3 * (sphere.radius / 3.0 - cap / 12.0) + volume * (depth - cap)
    return params.weight * pressed


@compilable(forceinline=True)
def stiffness(params, sphere, time):
    """Largest derivative of buoyancy with depth [N/m], and of drag with velocity [kg/s]."""
    _, volume = depth_and_volume(params, sphere)
    resistance, _ = drag(params, sphere, volume)
    return math.pi * params.weight * sphere.radius**2, 2.0 * resistance


BOUND = BoundField(force, potential, stiffness)


def bind(parameters: LiquidParameters) -> BoundField:
    """The functions of the field, which has one form only."""
    return BOUND


def coefficients_of(parameters: LiquidParameters, dimension: int) -> Liquid:
    """The coefficients of these parameters; ρ g takes the size of the scene's gravity, whatever its direction."""
    gravity = math.hypot(*parameters.gravity_vector(dimension))  # type: ignore[attr-defined]
    density = parameters.liquid_density
    return Liquid(
        float(parameters.liquid_level),
        float(density * gravity),
        float(parameters.liquid_viscosity),
        float(0.5 * density * parameters.drag_coefficient),
    )


FIELD = Field("liquid", _("Liquid"), LiquidParameters, bind, coefficients_of)
