"""Capillary cohesion: linear spring and damper with friction, and a liquid bridge that pulls until it ruptures.

While two grains touch, the bridge pulls them together with the pull-off force F_c. After they have touched, it pulls
across a gap s with F_c (1 - s/s_r), until it ruptures at s_r; a bridge forms at touch only. This is the linear
irreversible law by which Roy, Singh, Luding & Weinhart, Comput. Part. Mech. 3 (2016) 449,
doi:10.1007/s40571-015-0061-8, replace the measured force of a bridge by one of the same pull-off force and energy. For
grains of radius R, surface tension g and contact angle t the pull-off force is F_c = 2 pi R g cos t. A bridge of volume
V ruptures at (1 + t/2) V^(1/3) (Lian, Thornton & Adams, J. Colloid Interface Sci. 161 (1993) 138,
doi:10.1006/jcis.1993.1452). Sliding friction is at most mu (F_n + F_c): the bridge presses the grains together. Not
modelled: flow of liquid between bridges, and viscosity of the liquid.

The energy of a bridge is counted from touch: it has no jump when the bridge forms. The energy that the bridge stores at
rupture, F_c s_r/2, is lost.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.law import Law
from repose.sim.laws.sliding import sliding_spring, stored_in_sliding_spring
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, number


class CapillaryParameters(ParameterSet):
    """Parameters of wet grains."""

    # fmt: off
    friction: float = number(0.1, 0.0, 2.0, _("friction"), "μ",
        help=_("Sliding friction is at most μ (F_n + F_c): the bridge presses the grains together."))
    normal_stiffness: float = number(2e4, 1.0, 1e9, _("normal stiffness"), "k_n", "N/m", log=True, effect="ramp",
        help=_("Spring constant of the repulsion."))
    shear_stiffness: float = number(100.0, 0.0, 1e9, _("shear stiffness"), "k_s", "N/m", log=True, effect="ramp",
        help=_("Spring constant of the friction spring."))
    normal_damping: float = number(500.0, 0.0, 2e4, _("normal damping"), "γ_n", "1/s", effect="ramp", damps_normal=True,
        help=_("Damping of the approach, force γ_n m* v_n, while the grains touch."))
    shear_damping: float = number(500.0, 0.0, 2e4, _("shear damping"), "γ_s", "1/s", effect="ramp",
        help=_("Damping of the friction spring, force γ_s m* v_t."))
    pull_off_force: float = number(0.45e-3, 0.0, 1e2, _("pull-off force"), "F_c", "mN", log=True, effect="ramp",
        help=_("Force that parts two grains, 2 π R γ cos θ: 0.45 mN for water and grains of 1 mm radius."))
    rupture_distance: float = number(2e-4, 1e-9, 1e-1, _("rupture distance"), "s_r", "µm", log=True, effect="ramp",
        help=_("Gap at which a bridge ruptures, the cube root of its volume. It forms at touch."))
    # fmt: on


class Capillary(NamedTuple):
    """The coefficients that the law reads, in SI."""

    friction: float
    normal_stiffness: float
    shear_stiffness: float
    normal_damping: float
    shear_damping: float
    pull_off_force: float
    rupture_distance: float


@compilable(forceinline=True)
def lasts(params, contact):
    """1.0 from the first touch to the rupture of the bridge, else 0.0."""
    return 1.0 if contact.overlap > -params.rupture_distance * contact.remembered else 0.0


def reach(params, radius):
    """The gap at which a bridge ruptures [m]."""
    return params.rupture_distance


@compilable(forceinline=True)
def force(params, contact):
    """Force of one contact or bridge."""
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    gap = max(-contact.overlap, 0.0)
    pull = lasts(params, contact) * params.pull_off_force * (1.0 - gap / params.rupture_distance)
    viscosity = touching * params.normal_damping * contact.effective_mass
    pressing = params.normal_stiffness * max(contact.overlap, 0.0) - viscosity * contact.normal_velocity
    limit = touching * params.friction * max(pressing, 0.0)
    shear_viscosity = touching * params.shear_damping * contact.effective_mass
    shear = sliding_spring(touching * params.shear_stiffness, shear_viscosity, limit, contact)
    return Response(
        pressing - pull,
        shear.force,
        vector.add(
            shear.relaxation, vector.scale((1.0 - touching) * contact.remembered, contact.shear)
        ),  # a bridge holds no friction spring
        vector.scale(0.0, contact.relative_spin),
        viscosity * contact.normal_velocity * contact.normal_velocity + shear.damping_power,
        shear.work,
    )


@compilable(forceinline=True)
def energy(params, contact):
    """Energy of the repulsion and of the bridge, and of the friction spring [J]."""
    overlap = max(contact.overlap, 0.0)
    gap = min(max(-contact.overlap, 0.0), params.rupture_distance)
    drawn = contact.remembered * gap * (1.0 - 0.5 * gap / params.rupture_distance) - overlap
    limit = params.friction * params.normal_stiffness * overlap
    stored = 0.5 * params.normal_stiffness * overlap * overlap + params.pull_off_force * drawn
    return stored, stored_in_sliding_spring(params.shear_stiffness, limit, contact)


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]; a bridge has the slope of its force."""
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    pulling = lasts(params, contact) * params.pull_off_force / params.rupture_distance
    along = touching * params.normal_stiffness + (1.0 - touching) * pulling
    return along, touching * params.shear_stiffness, touching * params.normal_damping, touching * params.shear_damping


BOUND = BoundLaw(force, energy, stiffness, reach=reach, lasts=lasts, reads_radius=False)


def bind(parameters: CapillaryParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: CapillaryParameters) -> Capillary:
    """The coefficients of these parameters."""
    return Capillary(*(float(getattr(parameters, name)) for name in Capillary._fields))


LAW = Law("capillary", CapillaryParameters, bind, coefficients_of, lecture=("pull_off_force",))
