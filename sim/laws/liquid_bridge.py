"""Liquid bridge: Hertz-Mindlin contact of wet grains, which a bridge of liquid pulls together until it ruptures.

While two grains touch, the bridge pulls with F_c = 4 pi R* g cos t, with the surface tension g and the contact angle t;
after they have touched, across a gap s with F_c (1 - s/s_r), until it ruptures at s_r = (1 + t/2) V^(1/3) for a bridge
of volume V (Lian, Thornton & Adams, J. Colloid Interface Sci. 161 (1993) 138, doi:10.1006/jcis.1993.1452). V is a share
of the volume of a grain of the radius 2 R*, which is that of two equal grains and twice that of a grain at a wall. A
bridge forms at touch only. This is the linear irreversible law of `capillary`, here with the liquid as its parameter;
the energy that a bridge takes with it is F_c s_r/2.

F_c does not depend on the volume as long as the liquid covers the asperities of the grains. With less liquid than
V_c = 2 pi R* h², which fills the gap up to the height h of the asperities, it is proportional to the volume (Halsey &
Levine, Phys. Rev. Lett. 80 (1998) 3141, doi:10.1103/PhysRevLett.80.3141): grains that dry lose their cohesion.

Sliding friction is at most mu (F_n + F_c): the bridge presses the grains together. Not modelled: flow of liquid between
bridges, and viscosity of the liquid.

The energy of a bridge is counted from touch: it has no jump when the bridge forms.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws import hertz_mindlin
from repose.sim.laws.law import Law
from repose.sim.laws.material_columns import ACROSS, COLUMN_COUNT, DAMPING, FRICTION
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import pair_table, row_of
from repose.sim.laws.sliding import stored_in_sliding_spring
from repose.sim.laws.spring_damper import damped_response
from repose.sim.message import _
from repose.sim.parameters import number

SHORTEST = 1e-9
"""Rupture distance without liquid, where the bridge has no force, over the effective radius [-]."""


class LiquidBridgeParameters(MaterialParameters):
    """One material of the grains, and the liquid between them."""

    # fmt: off
    liquid_volume: float = number(2e-3, 0.0, 0.03, _("liquid volume"), "V", "%", effect="ramp", group=_("Liquid"),
        help=_("Of one bridge, as a share of the volume of a grain. More liquid lets it reach further; 0 is dry."))
    surface_tension: float = number(0.072, 0.0, 1.0, _("surface tension"), "σ", "N/m", effect="ramp",
        group=_("Liquid"), help=_("0.072 N/m is water. The pull-off force of two equal grains is 2 π R σ cos θ."))
    contact_angle: float = number(0.0, 0.0, math.radians(89.0), _("contact angle"), "θ", "°", effect="ramp",
        group=_("Liquid"), help=_("Between liquid and grain: 0 wets completely."))
    asperity: float = number(1e-5, 1e-8, 1e-3, _("asperities"), "h", "µm", log=True, effect="ramp",
        group=_("Liquid"),
        help=_("Their height. Liquid that does not cover them pulls less, in proportion to its volume."))
    # fmt: on


class LiquidBridge(NamedTuple):
    """The coefficients that the law reads."""

    pull: float
    """Pull-off force over effective radius [N/m]."""
    cover: float
    """Volume of a bridge over that which covers the asperities, per squared effective radius [1/m²]."""
    stretch: float
    """Rupture distance over effective radius [-]."""
    table: Any
    """The table of pairs of materials."""


@compilable(forceinline=True)
def lasts(params, contact):
    """1.0 from the first touch to the rupture of the bridge, else 0.0."""
    return 1.0 if contact.overlap > -params.stretch * contact.effective_radius * contact.remembered else 0.0


def reach(params, radius):
    """The gap at which a bridge ruptures [m]."""
    return params.stretch * radius


@compilable(forceinline=True)
def pull_off_force(params, contact):
    """F_c [N]."""
    radius = contact.effective_radius
    return params.pull * radius * min(params.cover * radius * radius, 1.0)


@compilable(forceinline=True)
def force(params, contact):
    """Force and torque of one contact or bridge."""
    along, across = hertz_mindlin.stiffness_at(params, contact)
    gap = max(-contact.overlap, 0.0)
    longest = params.stretch * contact.effective_radius
    pull = lasts(params, contact) * pull_off_force(params, contact) * (1.0 - gap / longest)
    viscosity = 2.0 * hertz_mindlin.TSUJI * contact.material[DAMPING] * math.sqrt(contact.effective_mass * along)
    pressing = 2.0 / 3.0 * along * max(contact.overlap, 0.0) - viscosity * contact.normal_velocity
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    limit = touching * contact.material[FRICTION] * max(pressing, 0.0)
    shear_viscosity = contact.material[ACROSS] * viscosity
    answer = damped_response(pressing - pull, viscosity, across, shear_viscosity, limit, contact)
    forgotten = vector.scale((1.0 - touching) * contact.remembered, contact.shear)  # a bridge holds no friction spring
    return Response(
        answer.normal_force,
        answer.shear_force,
        vector.add(answer.spring_relaxation, forgotten),
        answer.torque,
        answer.damping_power,
        answer.friction_work,
    )


@compilable(forceinline=True)
def energy(params, contact):
    """Energy of the repulsion and of the bridge, counted from touch, and of the friction spring [J]."""
    along, across = hertz_mindlin.stiffness_at(params, contact)
    overlap = max(contact.overlap, 0.0)
    longest = params.stretch * contact.effective_radius
    gap = min(max(-contact.overlap, 0.0), longest)
    drawn = contact.remembered * gap * (1.0 - 0.5 * gap / longest) - overlap
    limit = contact.material[FRICTION] * 2.0 / 3.0 * along * overlap
    stored = 4.0 / 15.0 * along * overlap * overlap + pull_off_force(params, contact) * drawn
    return stored, stored_in_sliding_spring(across, limit, contact)


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]; a bridge has the slope of its force."""
    along, across, damped_along, damped_across = hertz_mindlin.stiffness(params, contact)
    bridging = lasts(params, contact) if contact.overlap <= 0.0 else 0.0
    pulling = bridging * pull_off_force(params, contact) / (params.stretch * contact.effective_radius)
    return along + pulling, across, damped_along, damped_across


BOUND = BoundLaw(force, energy, stiffness, row_of, COLUMN_COUNT, reach=reach, lasts=lasts, shear_stiffness_varies=True)


def bind(parameters: LiquidBridgeParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: LiquidBridgeParameters) -> LiquidBridge:
    """The table of pairs of these materials, and the numbers of the bridges."""
    angle = parameters.contact_angle
    volume = parameters.liquid_volume * 32.0 / 3.0 * math.pi  # over R*³
    return LiquidBridge(
        4.0 * math.pi * parameters.surface_tension * math.cos(angle),
        volume / (2.0 * math.pi * parameters.asperity**2),
        max((1.0 + 0.5 * angle) * volume ** (1.0 / 3.0), SHORTEST),
        np.ascontiguousarray(pair_table(parameters.materials(), parameters.differing())),
    )


LAW = Law("liquid_bridge", LiquidBridgeParameters, bind, coefficients_of, lecture=("liquid_volume",))
