"""Bounded spring: repulsion on overlap, attraction across a gap up to a cutoff, internal friction along the centres.

F_n = k overlap while two particles touch. Across a gap s they attract each other with 4 F_c x (1 - x), x = s/s_r: zero
at touch, F_c at half the cutoff s_r, and zero from the cutoff on; the force has no jump. Internal friction -c v_n
opposes approach and separation; across a gap it falls linearly to zero at the cutoff, and an impact begins without a
jump. There is no force perpendicular to the line of centres. Walls and fixed particles do not attract.

This is the interaction of the method of large particles (R. V. Maier, 2012, tasks 1 to 9). Its formula of the force is
lost. The text gives the internal friction -r (l - l')/dt of a distance l that was l' one step before, and, for a
liquid, a force of constant size with jumps at two distances, which is replaced here by a force without jumps.

The energy is zero for two particles far apart; at touch it is -2/3 F_c s_r, the integral of the attraction.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.law import Law
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, length, number


class BoundedSpringParameters(ParameterSet):
    """Parameters of large particles."""

    # fmt: off
    normal_stiffness: float = number(1000.0, 1.0, 1e9, _("normal stiffness"), "k_n", "N/m", log=True, effect="ramp",
        help=_("Spring constant of the repulsion."))
    normal_viscosity: float = number(0.5, 0.0, 1e4, _("internal friction"), "c", "kg/s", effect="ramp",
        damps_normal=True,
        help=_("Damping along the line of centres, force c v_n, within the cutoff of the attraction."))
    pull_off_force: float = number(0.0, 0.0, 1e3, _("attraction"), "F_c", "N", effect="ramp",
        help=_("Largest attraction of two particles, at half the cutoff. 0: they only repel each other."))
    rupture_distance: float = length(1e-7, 1e-9, 1e-1, _("cutoff of the attraction"), "s_r", effect="ramp",
        help=_("Gap from which on two particles neither attract each other nor rub."))
    # fmt: on


class BoundedSpring(NamedTuple):
    """The coefficients that the law reads, in SI."""

    normal_stiffness: float
    normal_viscosity: float
    pull_off_force: float
    rupture_distance: float


def reach(params, radius):
    """The cutoff [m]."""
    return params.rupture_distance


@compilable(forceinline=True)
def lasts(params, contact):
    """1.0 while the gap is smaller than the cutoff, else 0.0."""
    return 1.0 if contact.overlap > -params.rupture_distance else 0.0


@compilable(forceinline=True)
def share_of_cutoff(params, contact):
    """Gap over the cutoff, 0 while the two touch, 1 from the cutoff on [-]."""
    return min(max(-contact.overlap, 0.0) / params.rupture_distance, 1.0)


@compilable(forceinline=True)
def friction(params, contact):
    """Viscosity of the internal friction at this gap [kg/s]."""
    return params.normal_viscosity * (1.0 - share_of_cutoff(params, contact))


@compilable(forceinline=True)
def force(params, contact):
    """Force of one pair."""
    x = share_of_cutoff(params, contact)
    pull = 4.0 * params.pull_off_force * (1.0 - contact.fixed) * x * (1.0 - x)
    viscosity = friction(params, contact)
    return Response(
        params.normal_stiffness * max(contact.overlap, 0.0) - pull - viscosity * contact.normal_velocity,
        vector.scale(0.0, contact.tangential_velocity),
        (),
        vector.scale(0.0, contact.relative_spin),
        viscosity * contact.normal_velocity * contact.normal_velocity,
        0.0,
    )


@compilable(forceinline=True)
def energy(params, contact):
    """Energy of repulsion and attraction, and 0 for the friction spring [J]."""
    overlap = max(contact.overlap, 0.0)
    x = share_of_cutoff(params, contact)
    # The integral of 4 F_c x (1 - x) s_r from x to 1, with 1 - 3 x² + 2 x³ = (1 - x)² (1 + 2 x).
    bound = 2.0 / 3.0 * params.pull_off_force * (1.0 - contact.fixed) * params.rupture_distance
    return 0.5 * params.normal_stiffness * overlap * overlap - bound * (1.0 - x) * (1.0 - x) * (1.0 + 2.0 * x), 0.0


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]; across a gap the largest slope of the force."""
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    pulling = 4.0 * params.pull_off_force * (1.0 - contact.fixed) / params.rupture_distance * lasts(params, contact)
    along = touching * params.normal_stiffness + (1.0 - touching) * pulling
    return along, 0.0, friction(params, contact) / contact.effective_mass, 0.0


BOUND = BoundLaw(force, energy, stiffness, reach=reach, lasts=lasts, reads_radius=False)


def bind(parameters: BoundedSpringParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: BoundedSpringParameters) -> BoundedSpring:
    """The coefficients of these parameters."""
    return BoundedSpring(*(float(getattr(parameters, name)) for name in BoundedSpring._fields))


LAW = Law("bounded_spring", BoundedSpringParameters, bind, coefficients_of)
