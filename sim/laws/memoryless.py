"""Contact without memory: linear spring and damper along the normal, friction that only opposes sliding.

F_n = k_n overlap - gamma v_n;  F_t = -min(mu |F_n|, k_t |v_t|) v_t/|v_t| (seed 003, eq. 1 and 2). There is no friction
spring: grains at rest creep. With the k_t = 2000 kg/s and m = 10 g of seed 003 the viscous part is stiff,
k_t dt/m* = 4 at 1e-5 s. Its resistance is limited to the one that ends the slip of the contact within a step; otherwise
friction reversed the slip at every step, and each reversal was booked as heat. Its damping is therefore not part of the
stiffness that limits the time step.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.law import Law
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, number


class MemorylessParameters(ParameterSet):
    """Parameters of the hourglass' law."""

    friction: float = number(0.1, 0.0, 2.0, _("friction"), "μ", help=_("Sliding friction is at most μ F_n."))
    # fmt: off
    normal_stiffness: float = number(1000.0, 1.0, 1e8, _("normal stiffness"), "k_n", "N/m", log=True, effect="ramp",
        help=_("Spring constant of the repulsion."))
    normal_viscosity: float = number(70.0, 0.0, 1e4, _("normal viscosity"), "γ", "kg/s", effect="ramp",
        damps_normal=True,
        help=_("Damping of the approach, force γ v_n."))
    shear_viscosity: float = number(2000.0, 0.0, 1e5, _("shear viscosity"), "k_t", "kg/s", log=True, effect="ramp",
        help=_("Friction of slow sliding, force k_t v_t, below the Coulomb limit."))
    # fmt: on


class Memoryless(NamedTuple):
    """The coefficients that the law reads, in SI."""

    friction: float
    normal_stiffness: float
    normal_viscosity: float
    shear_viscosity: float


@compilable(forceinline=True)
def force(params, contact):
    """Force of one contact."""
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    viscosity = touching * params.normal_viscosity
    normal_force = params.normal_stiffness * max(contact.overlap, 0.0) - viscosity * contact.normal_velocity
    speed, per_speed = vector.length_and_inverse(contact.tangential_velocity)
    viscous = touching * min(params.shear_viscosity, contact.stopping_resistance)
    resistance = min(touching * params.friction * abs(normal_force) * per_speed, viscous)
    return Response(
        normal_force,
        vector.scale(-resistance, contact.tangential_velocity),
        (),
        vector.scale(0.0, contact.relative_spin),
        viscosity * contact.normal_velocity * contact.normal_velocity + resistance * speed * speed,
        0.0,
    )


@compilable(forceinline=True)
def energy(params, contact):
    """Energy stored by the repulsion, and 0 for the friction spring [J]."""
    overlap = max(contact.overlap, 0.0)
    return 0.5 * params.normal_stiffness * overlap * overlap, 0.0


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]."""
    return params.normal_stiffness, 0.0, params.normal_viscosity / contact.effective_mass, 0.0


BOUND = BoundLaw(force, energy, stiffness, reads_radius=False)


def bind(parameters: MemorylessParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: MemorylessParameters) -> Memoryless:
    """The coefficients of these parameters."""
    return Memoryless(*(float(getattr(parameters, name)) for name in Memoryless._fields))


LAW = Law("memoryless", MemorylessParameters, bind, coefficients_of)
