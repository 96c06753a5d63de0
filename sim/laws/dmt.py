"""DMT: Hertz-Mindlin contact of stiff small grains that adhere while they touch.

F_n = 4/3 E* sqrt(R* overlap) overlap - 2 pi w R* - eta_n v_n, with the work of adhesion w = 2 gamma. The attraction
acts outside the area of contact, which stays that of Hertz (Derjaguin, Muller & Toporov, J. Colloid Interface Sci. 53
(1975) 314, doi:10.1016/0021-9797(75)90018-1). The pull-off force is 2 pi w R*, reached as the grains part; an impact
without damping loses nothing. Friction is that of `hertz_mindlin`, at most mu (F_n + 2 F_c) with the pull-off force
F_c: the adhesion presses the grains together (Thornton & Yin, Powder Technology 65 (1991) 153; so in LAMMPS).

Valid for stiff grains with little surface energy; for soft ones, `jkr`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws.adhesive_parameters import COLUMNS, SURFACE, AdhesiveParameters, stiffness_at
from repose.sim.laws.hertz_mindlin import TSUJI
from repose.sim.laws.law import Law
from repose.sim.laws.material_columns import ACROSS, DAMPING, FRICTION
from repose.sim.laws.materials import pair_table, row_with
from repose.sim.laws.sliding import stored_in_sliding_spring
from repose.sim.laws.spring_damper import damped_response


class DMT(NamedTuple):
    """The coefficients that the law reads: the table of pairs of materials."""

    table: Any


@compilable(forceinline=True)
def contact_radius(contact):
    """Radius of the area of contact [m]."""
    return math.sqrt(contact.effective_radius * max(contact.overlap, 0.0))


@compilable(forceinline=True)
def pull_off_force(contact):
    """2 pi w R* [N]; 0 for grains that do not touch."""
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    return touching * 4.0 * math.pi * contact.material[SURFACE] * contact.effective_radius


@compilable(forceinline=True)
def force(params, contact):
    """Force and torque of one contact."""
    along, across = stiffness_at(contact, contact_radius(contact))
    pull = pull_off_force(contact)
    viscosity = 2.0 * TSUJI * contact.material[DAMPING] * math.sqrt(contact.effective_mass * along)
    normal_force = 2.0 / 3.0 * along * max(contact.overlap, 0.0) - pull - viscosity * contact.normal_velocity
    limit = contact.material[FRICTION] * max(normal_force + 2.0 * pull, 0.0)
    return damped_response(normal_force, viscosity, across, contact.material[ACROSS] * viscosity, limit, contact)


@compilable(forceinline=True)
def energy(params, contact):
    """Energy stored by repulsion and adhesion, counted from touch, and by the friction spring [J]."""
    along, across = stiffness_at(contact, contact_radius(contact))
    overlap, pull = max(contact.overlap, 0.0), pull_off_force(contact)
    repulsion = 2.0 / 3.0 * along * overlap
    limit = contact.material[FRICTION] * (repulsion + pull)
    return 0.4 * repulsion * overlap - pull * overlap, stored_in_sliding_spring(across, limit, contact)


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]."""
    along, across = stiffness_at(contact, contact_radius(contact))
    share = 2.0 * TSUJI * contact.material[DAMPING]
    mass = contact.effective_mass
    return along, across, share * math.sqrt(along / mass), share * math.sqrt(across / mass)


BOUND = BoundLaw(force, energy, stiffness, row_with(len(COLUMNS)), len(COLUMNS), shear_stiffness_varies=True)


def bind(parameters: AdhesiveParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: AdhesiveParameters) -> DMT:
    """The table of pairs of these materials."""
    return DMT(np.ascontiguousarray(pair_table(parameters.materials(), parameters.differing(), COLUMNS)))


LAW = Law("dmt", AdhesiveParameters, bind, coefficients_of, lecture=("surface_energy",))
