"""A spring with internal friction along the line of centres, which breaks when it is stretched too far.

F = -k (l - l_0) - c dl/dt. Each bond has its own stiffness, viscosity and largest stretch (l - l_0)/l_0, which the
parameters multiply. Bonds of this law between particles that only touch when pressed hard form the method of large
particles.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.bonds.bond import Bond
from repose.sim.engine import vector
from repose.sim.engine.bond_forces import BondForce
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundBond
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, number

STIFFNESS, VISCOSITY, LARGEST_STRETCH, COLUMN_COUNT = range(4)
"""Rows of `BondTable.own`."""


class SpringParameters(ParameterSet):
    """Factors for all bonds."""

    # fmt: off
    bond_stiffness: float = number(1.0, 1e-3, 1e3, _("stiffness of "
                                                     "bonds"), "k", log=True, effect="ramp", group=_("Bonds"),
        help=_("Factor of the stiffness that each bond was made with."))
    bond_viscosity: float = number(1.0, 0.0, 1e3, _("internal friction"), "c", effect="ramp", group=_("Bonds"),
        help=_("Factor of the internal friction that each bond was made with."))
    bond_strength: float = number(1.0, 0.0, 1e3, _("strength of bonds"), "ε", group=_("Bonds"),
        help=_("Factor of the stretch at which each bond breaks."))
    # fmt: on


class Spring(NamedTuple):
    """The coefficients that the law reads."""

    stiffness: float
    viscosity: float
    strength: float


@compilable(forceinline=True)
def force(params, link):
    """Force of one bond."""
    viscosity = params.viscosity * link.own[VISCOSITY]
    pull = params.stiffness * link.own[STIFFNESS] * (link.length - link.rest_length) + viscosity * link.rate
    return BondForce(
        -pull,
        vector.scale(0.0, link.shear),
        vector.scale(0.0, link.bending),
        0.0,
        viscosity * link.rate * link.rate,
    )


@compilable(forceinline=True)
def energy(params, link):
    """Energy of the spring [J]."""
    return 0.5 * params.stiffness * link.own[STIFFNESS] * (link.length - link.rest_length) ** 2


@compilable(forceinline=True)
def breaks(params, link):
    """Whether the stretch exceeds its limit; a compressed bond does not break."""
    return link.length - link.rest_length > params.strength * link.own[LARGEST_STRETCH] * link.rest_length


@compilable(forceinline=True)
def stiffness(params, link):
    """Axial stiffness [N/m], shear, bending and twisting stiffness (0), and damping time [s]: viscosity/stiffness."""
    along = params.stiffness * link.own[STIFFNESS]
    return along, 0.0, 0.0, params.viscosity * link.own[VISCOSITY] / max(along, 1e-300)


BOUND = BoundBond(force, energy, breaks, stiffness, COLUMN_COUNT)


def bind(parameters: SpringParameters) -> BoundBond:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: SpringParameters) -> Spring:
    """The coefficients of these parameters."""
    return Spring(parameters.bond_stiffness, parameters.bond_viscosity, parameters.bond_strength)


BOND = Bond(
    "spring",
    _("Spring"),
    SpringParameters,
    bind,
    coefficients_of,
    (_("stiffness [N/m]"), _("viscosity [kg/s]"), _("largest stretch [-]")),
)
