"""Cement: a round elastic beam between two centres, which breaks at its tensile or shear strength.

The beam has the length l_0 of the bond at rest and its own radius r; A = pi r², I = pi r⁴/4, J = pi r⁴/2. Its
stiffnesses are those of the beam of Euler and Bernoulli: E A/l_0 for stretch, 12 E I/l_0³ for shear, E I/l_0 for
bending and G J/l_0 for twist, with G = E/(2 (1 + nu)). Damping adds the rate of each deformation times `bond_lag` to
the deformation. The beam breaks when the largest stress at an end exceeds a strength, as a parallel bond of Potyondy &
Cundall, Int. J. Rock Mech. Min. Sci. 41 (2004) 1329, doi:10.1016/j.ijrmms.2004.09.011:

    tension  -F_n/A + (|M_b| + |F_s| l_0/2) r/I ,    shear  |F_s|/A + |M_t| r/J .

In the plane the same beam bends in the plane.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.sim.bonds.bond import Bond
from repose.sim.engine import vector
from repose.sim.engine.bond_forces import BondForce
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundBond
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, number

RADIUS, COLUMN_COUNT = range(2)
"""Rows of `BondTable.own`."""


class BeamBondParameters(ParameterSet):
    """Material of the cement."""

    # fmt: off
    bond_young: float = number(1e8, 1e3, 1e12, _("Young's modulus of bonds"), "E_b", "MPa", log=True, effect="ramp",
        group=_("Bonds"), help=_("Stiffness of the cement between two grains."))
    bond_poisson: float = number(0.25, -0.999, 0.499, _("Poisson's ratio of "
                                                        "bonds"), "ν_b", effect="ramp", group=_("Bonds"),
        help=_("Decides the resistance to twisting."))
    bond_lag: float = number(0.0, 0.0, 1.0, _("lag of bonds"), "τ", "µs", effect="ramp", group=_("Bonds"),
        help=_("Internal friction: each resistance adds its rate of change times this time."))
    tensile_strength: float = number(1e12, 0.0, 1e12, _("tensile strength"), "σ_b", "MPa", log=True, group=_("Bonds"),
        help=_("Largest tension at the rim of a bond before it breaks."))
    shear_strength: float = number(1e12, 0.0, 1e12, _("shear strength"), "τ_b", "MPa", log=True, group=_("Bonds"),
        help=_("Largest shear stress in a bond before it breaks."))
    # fmt: on


class Beam(NamedTuple):
    """The coefficients that the law reads, in SI."""

    young: float
    shear_modulus: float
    lag: float
    tensile_strength: float
    shear_strength: float


@compilable(forceinline=True)
def resistances(params, link):
    """Stiffness of stretch and shear [N/m], of bending and twist [N m/rad]."""
    radius = link.own[RADIUS]
    area = math.pi * radius * radius
    moment = 0.25 * area * radius * radius
    length = link.rest_length
    bending = params.young * moment / length
    return (
        params.young * area / length,
        12.0 * bending / (length * length),
        bending,
        2.0 * params.shear_modulus * moment / length,
    )


@compilable(forceinline=True)
def force(params, link):
    """Forces and torques of one bond."""
    along, across, bending, twisting = resistances(params, link)
    lag = params.lag
    shear_viscosity, bending_viscosity = lag * across, lag * bending
    heat = (
        lag * along * link.rate * link.rate
        + shear_viscosity * vector.dot(link.shear_rate, link.shear_rate)
        + bending_viscosity * vector.dot(link.bending_rate, link.bending_rate)
        + lag * twisting * link.twist_rate * link.twist_rate
    )
    return BondForce(
        -along * (link.length - link.rest_length + lag * link.rate),
        vector.add(vector.scale(-across, link.shear), vector.scale(-shear_viscosity, link.shear_rate)),
        vector.add(vector.scale(-bending, link.bending), vector.scale(-bending_viscosity, link.bending_rate)),
        -twisting * (link.twist + lag * link.twist_rate),
        heat,
    )


@compilable(forceinline=True)
def energy(params, link):
    """Elastic energy of the beam [J]."""
    along, across, bending, twisting = resistances(params, link)
    stretch = link.length - link.rest_length
    return 0.5 * (
        along * stretch * stretch
        + across * vector.dot(link.shear, link.shear)
        + bending * vector.dot(link.bending, link.bending)
        + twisting * link.twist * link.twist
    )


@compilable(forceinline=True)
def breaks(params, link):
    """Whether a stress exceeds its strength."""
    along, across, bending, twisting = resistances(params, link)
    radius = link.own[RADIUS]
    area = math.pi * radius * radius
    moment = 0.25 * area * radius * radius
    shear = across * math.sqrt(vector.dot(link.shear, link.shear))
    bent = bending * math.sqrt(vector.dot(link.bending, link.bending)) + 0.5 * shear * link.rest_length
    tension = along * (link.length - link.rest_length) / area + bent * radius / moment
    torsion = twisting * abs(link.twist) * radius / (2.0 * moment)
    return tension > params.tensile_strength or shear / area + torsion > params.shear_strength


@compilable(forceinline=True)
def stiffness(params, link):
    """Axial and shear stiffness [N/m], the larger of bending and twisting stiffness [N m/rad], damping time [s]."""
    along, across, bending, twisting = resistances(params, link)
    return along, across, max(bending, twisting), params.lag


BOUND = BoundBond(force, energy, breaks, stiffness, COLUMN_COUNT)


def bind(parameters: BeamBondParameters) -> BoundBond:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: BeamBondParameters) -> Beam:
    """The coefficients of these parameters."""
    return Beam(
        parameters.bond_young,
        parameters.bond_young / (2.0 * (1.0 + parameters.bond_poisson)),
        parameters.bond_lag,
        parameters.tensile_strength,
        parameters.shear_strength,
    )


BOND = Bond("beam", _("Beam"), BeamBondParameters, bind, coefficients_of, (_("radius of the beam [m]"),))
