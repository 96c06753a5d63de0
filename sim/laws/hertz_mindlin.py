"""Hertz-Mindlin contact with the running overlap.

F_n = 4/3 E* sqrt(R* overlap) overlap - eta_n v_n;  F_t = -K_t xi - eta_t v_t, at most mu F_n, with
K_t = 8 G* sqrt(R* overlap).
The damping eta = 2 sqrt(5/6) b sqrt(m* S), with S the stiffness dF/d(overlap) of either direction and b as in
the Voigt law, gives a restitution e at any speed (Tsuji, Tanaka & Ishida, Powder Technology 71 (1992) 239).

The shear force is not the derivative of an energy. K_t follows the overlap at constant displacement xi of the spring:
the spring gains xi² dK_t/2 while the contact is loaded and loses as much while it is unloaded, without work. Elastic
impacts without sliding (aluminium oxide, R = 2.5 mm, 3.9 m/s, a wall) gain 0.19, 0.58 and 0.77 % of the energy at 30,
60 and 85°. The ledger has a row for this energy, `energy.stiffening`.

Not modelled: the path dependence of Mindlin & Deresiewicz, slip in a ring of the contact area.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.law import Law
from repose.sim.laws.material_columns import ACROSS, COLUMN_COUNT, DAMPING, FRICTION, YOUNG
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import pair_table, row_of
from repose.sim.laws.sliding import stored_in_sliding_spring
from repose.sim.laws.spring_damper import damped_response

TSUJI = math.sqrt(5.0 / 6.0)


class HertzMindlin(NamedTuple):
    """The coefficients that the law reads: the table of pairs of materials."""

    table: Any


@compilable(forceinline=True)
def stiffness_at(params, contact):
    """dF_n/d(overlap) and K_t at the present overlap [N/m]."""
    along = 2.0 * contact.material[YOUNG] * math.sqrt(contact.effective_radius * max(contact.overlap, 0.0))
    return along, contact.material[ACROSS] ** 2 * along


@compilable(forceinline=True)
def force(params, contact):
    """Force and torque of one contact."""
    along, across = stiffness_at(params, contact)
    share = 2.0 * TSUJI * contact.material[DAMPING]
    viscosity = share * math.sqrt(contact.effective_mass * along)
    normal_force = 2.0 / 3.0 * along * max(contact.overlap, 0.0) - viscosity * contact.normal_velocity
    limit = contact.material[FRICTION] * max(normal_force, 0.0)
    shear_viscosity = contact.material[ACROSS] * viscosity
    return damped_response(normal_force, viscosity, across, shear_viscosity, limit, contact)


@compilable(forceinline=True)
def energy(params, contact):
    """Energy stored by the repulsion and by the friction spring [J]."""
    along, across = stiffness_at(params, contact)
    overlap = max(contact.overlap, 0.0)
    limit = contact.material[FRICTION] * 2.0 / 3.0 * along * overlap
    return 4.0 / 15.0 * along * overlap * overlap, stored_in_sliding_spring(across, limit, contact)


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]."""
    along, across = stiffness_at(params, contact)
    share = 2.0 * TSUJI * contact.material[DAMPING]
    mass = contact.effective_mass
    return along, across, share * math.sqrt(along / mass), share * math.sqrt(across / mass)


BOUND = BoundLaw(force, energy, stiffness, row_of, COLUMN_COUNT, shear_stiffness_varies=True)


def bind(parameters: MaterialParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: MaterialParameters) -> HertzMindlin:
    """The table of pairs of these materials."""
    return HertzMindlin(np.ascontiguousarray(pair_table(parameters.materials(), parameters.differing())))


LAW = Law("hertz_mindlin", MaterialParameters, bind, coefficients_of)
