"""Target: a point that pulls one sphere by a spring and a damper with a limited force, as a hand or a thread does.

F = k (x_t - x) - c v, with the size of F limited to F_max. All work of the target is booked as external work.
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
from repose.sim.parameters import ParameterSet, number


class TargetParameters(ParameterSet):
    """How the target pulls; its position and the pulled sphere are numbers of the run."""

    # fmt: off
    pull_stiffness: float = number(10.0, 0.0, 1e6, _("stiffness of the pull"), "k", "N/m", log=True, effect="ramp",
        group=_("Pull"), help=_("Force per distance between the sphere and the target."))
    pull_viscosity: float = number(0.1, 0.0, 1e4, _("damping of the pull"), "c", "kg/s", effect="ramp", group=_("Pull"),
        help=_("Force per speed of the sphere, against its motion."))
    pull_limit: float = number(1.0, 0.0, 1e6, _("largest pull"), "F_max", "N", log=True, effect="ramp", group=_("Pull"),
        help=_("The target pulls with this force at most, so that it cannot press grains into walls."))
    # fmt: on


class Target(NamedTuple):
    """The coefficients that the field reads, in SI."""

    position: tuple
    """[m]."""
    sphere: int
    """Id of the sphere that is pulled; -1 for none."""
    stiffness: float
    viscosity: float
    limit: float


@compilable(forceinline=True)
def force(params, sphere, time):
    """The pull on one sphere."""
    selected = 1.0 if sphere.id == params.sphere else 0.0
    wanted = vector.sub(
        vector.scale(params.stiffness, vector.sub(params.position, sphere.position)),
        vector.scale(params.viscosity, sphere.velocity),
    )
    size = math.sqrt(vector.dot(wanted, wanted))
    pull = vector.scale(selected * min(1.0, params.limit / max(size, TINY)), wanted)
    return FieldForce(pull, vector.scale(0.0, sphere.spin), 0.0, vector.dot(pull, sphere.velocity))


@compilable(forceinline=True)
def stiffness(params, sphere, time):
    """Stiffness and viscosity of the target [N/m, kg/s]."""
    selected = 1.0 if sphere.id == params.sphere else 0.0
    return selected * params.stiffness, selected * params.viscosity


BOUND = BoundField(force, stiffness=stiffness)


def bind(parameters: TargetParameters) -> BoundField:
    """The functions of the field, which has one form only."""
    return BOUND


def coefficients_of(parameters: TargetParameters, dimension: int) -> Target:
    """A target that pulls no sphere; `Target._replace` selects one."""
    pull = (parameters.pull_stiffness, parameters.pull_viscosity, parameters.pull_limit)
    return Target((0.0,) * dimension, -1, *map(float, pull))


FIELD = Field("target", _("Target"), TargetParameters, bind, coefficients_of)
