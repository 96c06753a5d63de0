"""JKR: elastic spheres that adhere, with an area of contact that remains while they are pulled apart.

F_n = 4 E* a³/(3 R*) - sqrt(8 pi w E* a³) - eta_n v_n, with the work of adhesion w = 2 gamma; the radius a of the area
of contact follows from overlap = a²/R* - sqrt(2 pi w a/E*) (Johnson, Kendall & Roberts, Proc. R. Soc. A 324 (1971) 301,
doi:10.1098/rspa.1971.0141). The area forms at touch, where the force jumps to -8/9 F_c. It bears at most the pull-off
force F_c = 3/2 pi w R*, and is lost at the gap 3 a_m²/R* with a_m³ = pi w R*²/(8 E*), at 5/9 F_c, beyond which there is
no equilibrium (Thornton & Ning, Powder Technology 99 (1998) 154). LAMMPS, whose forces are the same, parts the grains
at F_c. Friction is that of `hertz_mindlin` with K_t = 8 G* a, at most mu (F_n + 2 F_c): the adhesion presses the grains
together (Thornton & Yin, Powder Technology 65 (1991) 153). Damping is that of `hertz_mindlin` for the stiffness 2 E* a.

With a = a_m z² the formulas are polynomials:

    overlap = a_m²/R* (z⁴ - 4 z),  F_n = F_c/9 (z⁶ - 6 z³),  energy = 8 E* a_m⁵/(15 R*²) (z¹⁰ - 10 z⁷ + 15 z⁴)

The law solves the first one for y = z - 1, y sqrt(y² + 4 y + 6) = sqrt(3 + R* overlap/a_m²): the root of the left side
is smooth and increasing down to y = 0, where the equation of a itself has a double root. Four iterations of Newton's
method have the error of rounding.

The energy is counted from touch: it has no jump when the area forms. What the contact stores when it is lost,
2.81 F_c a_m²/R*, is lost.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.engine.roots import inverse_cube_root
from repose.sim.laws.adhesive_parameters import COLUMNS, SURFACE, AdhesiveParameters, stiffness_at
from repose.sim.laws.hertz_mindlin import TSUJI
from repose.sim.laws.law import Law
from repose.sim.laws.material_columns import ACROSS, DAMPING, FRICTION, YOUNG
from repose.sim.laws.materials import pair_table, row_with
from repose.sim.laws.sliding import stored_in_sliding_spring
from repose.sim.laws.spring_damper import damped_response

LEAST_CUBE = 1e-60
"""Smallest a_m³ [m³]: without adhesion a_m = 1e-20 m, and the force is that of Hertz to rounding."""
GAP = 3.0
"""Largest gap over a_m²/R* [-]."""
AT_TOUCH = 9.0 * 4.0 ** (4.0 / 3.0)
"""10 z⁷ - z¹⁰ - 15 z⁴ at overlap 0, where z³ = 4 [-]."""


class JKR(NamedTuple):
    """The coefficients that the law reads: the table of pairs of materials."""

    table: Any


class Area(NamedTuple):
    """The area of contact."""

    least: float
    """a_m: the radius at which it is lost [m]."""
    z: float
    """Square root of radius over a_m; 1 beyond the gap at which it is lost [-]."""
    gap: float
    """The gap at which it is lost [m]."""


@compilable(forceinline=True)
def area_of(contact):
    """The area of this contact; that it exists is decided elsewhere."""
    young, radius = contact.material[YOUNG], contact.effective_radius
    cube = max(0.25 * math.pi * contact.material[SURFACE] * radius * radius / young, LEAST_CUBE)
    per_least = inverse_cube_root(cube)
    least = cube * per_least * per_least
    q = math.sqrt(max(GAP + radius * contact.overlap * per_least * per_least, 0.0))
    y = q / (math.sqrt(6.0) + math.sqrt(q))
    for _ in range(4):
        square = (y + 4.0) * y + 6.0
        y = y - (y * square - q * math.sqrt(square)) / (2.0 * ((y + 3.0) * y + 3.0))
    return Area(least, 1.0 + y, GAP * least * least / radius)


@compilable(forceinline=True)
def is_held(contact):
    """1.0 from touch to the evaluation at which the contact is lost, that one included, else 0.0."""
    return max(contact.remembered, 1.0 if contact.overlap > 0.0 else 0.0)


@compilable(forceinline=True)
def lasts(params, contact):
    """1.0 from the first touch to the loss of the area of contact, else 0.0."""
    return 1.0 if contact.overlap > -area_of(contact).gap * contact.remembered else 0.0


def reach(params, radius):
    """The largest gap at which a contact of this effective radius is lost [m]; it grows with the radius from 0."""
    if radius == 0.0:  # no grain is there yet
        return 0.0
    surface, young = params.table[:, SURFACE], params.table[:, YOUNG]
    return float(GAP * (np.cbrt(0.25 * math.pi * surface * radius * radius / young) ** 2 / radius).max())


@compilable(forceinline=True)
def force(params, contact):
    """Force and torque of one contact."""
    area = area_of(contact)
    cube = area.z * area.z * area.z
    lasting = 1.0 if contact.overlap > -area.gap * contact.remembered else 0.0
    along, across = stiffness_at(contact, lasting * area.least * area.z * area.z)
    unit = lasting * pull_off_force(contact, area) / 9.0
    viscosity = 2.0 * TSUJI * contact.material[DAMPING] * math.sqrt(contact.effective_mass * along)
    normal_force = unit * (cube - 6.0) * cube - viscosity * contact.normal_velocity
    limit = contact.material[FRICTION] * max(normal_force + 18.0 * unit, 0.0)
    return damped_response(normal_force, viscosity, across, contact.material[ACROSS] * viscosity, limit, contact)


@compilable(forceinline=True)
def pull_off_force(contact, area):
    """3/2 pi w R* = 12 E* a_m³/R* [N]."""
    return 12.0 * contact.material[YOUNG] * area.least * area.least * area.least / contact.effective_radius


@compilable(forceinline=True)
def energy(params, contact):
    """Energy stored by repulsion and adhesion, counted from touch, and by the friction spring [J]."""
    area, held = area_of(contact), is_held(contact)
    square = area.z * area.z
    cube = square * area.z
    across = stiffness_at(contact, held * area.least * square)[1]
    pull = held * pull_off_force(contact, area)
    # 8 E* a_m⁵/(15 R*²) = 2/45 F_c a_m²/R*
    unit = 2.0 / 45.0 * pull * area.least * area.least / contact.effective_radius
    stored = unit * (square * square * ((cube - 10.0) * cube + 15.0) + AT_TOUCH)
    limit = contact.material[FRICTION] * pull * ((cube - 6.0) * cube / 9.0 + 2.0)
    return stored, stored_in_sliding_spring(across, limit, contact)


@compilable(forceinline=True)
def stiffness(params, contact):
    """Normal and shear stiffness [N/m], normal and shear damping [1/s]; across a gap, where the force falls with the
    overlap beyond the pull-off force, that of a punch of constant area."""
    area = area_of(contact)
    cube = area.z * area.z * area.z
    punch, across = stiffness_at(contact, is_held(contact) * area.least * area.z * area.z)
    slope = (cube - 3.0) / max(cube - 1.0, 3.0) if contact.overlap > 0.0 else 1.0  # z³ > 4 there
    share = 2.0 * TSUJI * contact.material[DAMPING]
    mass = contact.effective_mass
    return punch * slope, across, share * math.sqrt(punch / mass), share * math.sqrt(across / mass)


BOUND = BoundLaw(
    force,
    energy,
    stiffness,
    row_with(len(COLUMNS)),
    len(COLUMNS),
    reach=reach,
    lasts=lasts,
    shear_stiffness_varies=True,
)


def bind(parameters: AdhesiveParameters) -> BoundLaw:
    """The functions of the law, which has one form only."""
    return BOUND


def coefficients_of(parameters: AdhesiveParameters) -> JKR:
    """The table of pairs of these materials."""
    return JKR(np.ascontiguousarray(pair_table(parameters.materials(), parameters.differing(), COLUMNS)))


LAW = Law("jkr", AdhesiveParameters, bind, coefficients_of, lecture=("surface_energy",))
