"""Parameters of all scenes: gravity, its direction, and the time step."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from annotated_types import Ge, Le
from repose.sim.message import _
from repose.sim.parameters import OneOf, ParameterSet, choice, number, variant

Integrator = Annotated[str, choice(..., _("integrator"), of=OneOf("integrators"), group=_("Time step"))]
# fmt: off
VerletFirst = Annotated[Integrator, variant(...,
    help=_("Integrator of the motion. Velocity Verlet keeps the energy of elastic contacts."))]
Gravity = Annotated[float, number(..., 0.0, 100.0, _("gravity"), "g", "m/s²", effect="ramp", group=_("Gravity"),
    help=_("Acceleration of free fall: 9.81 on Earth, 1.62 on the Moon."))]
# fmt: on
TimeStep = Annotated[
    Annotated[float, Ge(1e-8), Le(1e-3)] | Literal["auto"],
    number(..., None, None, _("time step"), "Δt", "µs", log=True, group=_("Time step")),
]
"""Annotations for scenes with another default, whose description gives the reason."""


class MotionParameters(ParameterSet):
    """Gravity, tilt and the time step."""

    gravity: Gravity = 9.81
    # fmt: off
    tilt: float = number(0.0, -math.pi / 2, math.pi / 2, _("tilt of the "
                                                           "table"), "α", "°", effect="ramp", group=_("Gravity"),
        help=_("Angle by which the table is tilted; positive lowers the right side, so that grains run to the right."))
    integrator: Integrator = variant("gear5",
        help=_("Integrator of the motion. The thesis uses Gear-5; leapfrog is stable with larger steps and keeps the "
               "energy of contacts that last."))
    start_up: Literal["zero", "rk4"] = choice("zero", _("Gear start-up"), group=_("Time step"),
        help=_("Initial higher derivatives of Gear: zero, or from six small Runge-Kutta steps (thesis app. A)."))
    dt: TimeStep = variant("auto",
        help=_("Time step; 'auto' follows the stiffest contact and the limit of the integrator."))
    # fmt: on

    def gravity_vector(self, dimension: int) -> tuple[float, ...]:
        """Acceleration of free fall in the frame of the table [m/s²]: x to the right, the last axis up."""
        along = self.gravity * math.sin(self.tilt)
        down = -self.gravity * math.cos(self.tilt)
        return (along, down) if dimension == 2 else (along, 0.0, down)
