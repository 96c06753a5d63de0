"""Parameters of all scenes: gravity, its direction, and the time step."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.message import _
from repose.sim.parameters import OneOf, ParameterSet, Quantity

Integrator = Annotated[str, OneOf("integrators"), Quantity(_("integrator"), "", group=_("Time step"))]
VerletFirst = Annotated[
    Integrator,
    Field(description=_("Integrator of the motion. Velocity Verlet keeps the energy of elastic contacts.")),
]
Gravity = Annotated[
    float,
    Ge(0.0),
    Le(100.0),
    Quantity(_("gravity"), "g", "m/s²", effect="ramp", group=_("Gravity")),
    Field(description=_("Acceleration of free fall: 9.81 on Earth, 1.62 on the Moon.")),
]
TimeStep = Annotated[
    Annotated[float, Ge(1e-8), Le(1e-3)] | Literal["auto"],
    Quantity(_("time step"), "Δt", "µs", scale=1e-6, log=True, group=_("Time step")),
]
"""Annotations for scenes with another default, whose description gives the reason."""


class MotionParameters(ParameterSet):
    """Gravity, tilt and the time step."""

    gravity: Gravity = 9.81
    tilt: Annotated[
        float,
        Ge(-math.pi / 2),
        Le(math.pi / 2),
        Quantity(_("tilt of the table"), "α", "°", scale=math.pi / 180, effect="ramp", group=_("Gravity")),
        Field(
            description=_(
                "Angle by which the table is tilted; positive lowers the right side, so that grains run to the right."
            )
        ),
    ] = 0.0
    integrator: Annotated[
        Integrator,
        Field(description=_("Integrator of the motion. The thesis uses Gear-5; leapfrog is stable with larger steps.")),
    ] = "gear5"
    start_up: Annotated[
        Literal["zero", "rk4"],
        Quantity(_("Gear start-up"), "", group=_("Time step")),
        Field(
            description=_(
                "Initial higher derivatives of Gear: zero, or from six small Runge-Kutta steps (thesis app. A)."
            )
        ),
    ] = "zero"
    dt: Annotated[
        TimeStep,
        Field(description=_("Time step; 'auto' follows the stiffest contact and the limit of the integrator.")),
    ] = "auto"

    def gravity_vector(self, dimension: int) -> tuple[float, ...]:
        """Acceleration of free fall in the frame of the table [m/s²]: x to the right, the last axis up."""
        along = self.gravity * math.sin(self.tilt)
        down = -self.gravity * math.cos(self.tilt)
        return (along, down) if dimension == 2 else (along, 0.0, down)
