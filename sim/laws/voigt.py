"""Voigt contact: linear springs and dampers in normal and tangential direction, Coulomb limit, rolling resistance.

F_n = K_n overlap - eta_n v_n;  F_t = -K_t xi - eta_t v_t, at most mu F_n (seed 001). The damping follows from the
restitution coefficient, eta = 2 b sqrt(m* K) with b = -ln e / sqrt(pi² + ln² e): the restitution does not depend on the
speed. The stiffness is given, or that of Hertz and Mindlin at a fixed reference overlap d_c: K_n = 4/3 E* sqrt(R* d_c),
K_t = 8 G* sqrt(R* d_c). (Seed 001 prints twice this K_t; Mindlin's value is used.) The damper may pull for a moment
while grains part: otherwise the restitution would differ from e.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.law import Law
from repose.sim.laws.material_columns import ACROSS, COLUMN_COUNT, DAMPING, FRICTION, YOUNG
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import pair_table, row_of
from repose.sim.laws.sliding import stored_in_sliding_spring
from repose.sim.laws.spring_damper import damped_response
from repose.sim.message import _
from repose.sim.parameters import choice, length, number


class VoigtParameters(MaterialParameters):
    """Parameters of the Voigt law; the stiffness is given or follows from the materials."""

    # fmt: off
    stiffness_from: Literal["given", "material"] = choice("given", _("stiffness from"), group=_("Model"),
        help=_("The two numbers below, or Young's modulus and Poisson's ratio at the reference overlap."))
    normal_stiffness: float = number(1e4, 1.0, 1e9, _("normal stiffness"), "K_n", "N/m", log=True, effect="ramp",
        help=_("Spring constant of the contact along its normal."))
    shear_stiffness: float = number(1e4, 0.0, 1e9, _("shear stiffness"), "K_t", "N/m", log=True, effect="ramp",
        help=_("Spring constant of the contact across its normal."))
    reference_overlap: float = length(5e-4, 1e-9, 1e-2, _("reference overlap"), "δ_c", log=True, effect="ramp",
        help=_("Overlap at which the stiffness of Hertz and Mindlin is taken; 5 % of the mean radius."))
    # fmt: on


class Voigt(NamedTuple):
    """The coefficients that the law reads, in SI."""

    table: Any
    """Table of `repose.sim.laws.materials.pair_table`."""
    normal_stiffness: float
    shear_stiffness: float
    reference_overlap: float


@compilable(forceinline=True)
def given(params, contact):
    """The given K_n and K_t [N/m]."""
    return params.normal_stiffness, params.shear_stiffness


@compilable(forceinline=True)
def from_material(params, contact):
    """K_n and K_t of Hertz and Mindlin at the reference overlap [N/m]."""
    along = 2.0 * contact.material[YOUNG] * math.sqrt(contact.effective_radius * params.reference_overlap)
    return 2.0 / 3.0 * along, contact.material[ACROSS] ** 2 * along


STIFFNESS = {"given": given, "material": from_material}


@cache
def bound(stiffness_from: str) -> BoundLaw:
    """The functions of the law with the selected formula of the stiffness."""
    stiffness_of = STIFFNESS[stiffness_from]

    @compilable(forceinline=True)
    def force(params, contact):
        """Force and torque of one contact."""
        touching = 1.0 if contact.overlap > 0.0 else 0.0
        along, across = stiffness_of(params, contact)
        share = 2.0 * touching * contact.material[DAMPING]
        viscosity = share * math.sqrt(contact.effective_mass * along)
        normal_force = along * max(contact.overlap, 0.0) - viscosity * contact.normal_velocity
        limit = contact.material[FRICTION] * max(normal_force, 0.0)
        shear_viscosity = share * math.sqrt(contact.effective_mass * across)
        return damped_response(normal_force, viscosity, touching * across, shear_viscosity, limit, contact)

    @compilable(forceinline=True)
    def energy(params, contact):
        """Energy stored by the repulsion and by the friction spring [J]."""
        along, across = stiffness_of(params, contact)
        overlap = max(contact.overlap, 0.0)
        limit = contact.material[FRICTION] * along * overlap
        return 0.5 * along * overlap * overlap, stored_in_sliding_spring(across, limit, contact)

    @compilable(forceinline=True)
    def stiffness(params, contact):
        """Normal and shear stiffness [N/m], normal and shear damping [1/s]."""
        along, across = stiffness_of(params, contact)
        share = 2.0 * contact.material[DAMPING]
        mass = contact.effective_mass
        return along, across, share * math.sqrt(along / mass), share * math.sqrt(across / mass)

    return BoundLaw(force, energy, stiffness, row_of, COLUMN_COUNT)


def bind(parameters: VoigtParameters) -> BoundLaw:
    """The functions of the law for these parameters."""
    return bound(parameters.stiffness_from)


def coefficients_of(parameters: VoigtParameters) -> Voigt:
    """The coefficients of these parameters."""
    return Voigt(
        np.ascontiguousarray(pair_table(parameters.materials(), parameters.differing())),
        parameters.normal_stiffness,
        parameters.shear_stiffness,
        parameters.reference_overlap,
    )


LAW = Law("voigt", VoigtParameters, bind, coefficients_of)
