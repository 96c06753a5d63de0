"""Lee-Herrmann contact: Hertz or linear repulsion, viscous damping, virtual friction spring.

This file is the manual for law writers. A law is one plain function `law(params, rules, contact)` that sees
one contact and answers with a `Response`; beside it `law_energy` tells what the contact stores and
`law_stiffness` how stiff it is, and a `ParameterSet` declares its parameters. It must

* be free of branches, so that a block of pairs compiles to wide registers: `x if c else y` of two
  computed values is a select, an `if` statement is not;
* vanish for overlap <= 0, which the loop calls it with for pairs that do not touch;
* take every number from `params` (a tuple of floats, changed live) and every choice of formula from
  `rules` (a tuple of plain functions, chosen when the engine is composed).

Not in this model: rotation is the engine's affair (the law sees material points), rolling resistance, cohesion,
plastic loss at first loading; damping may pull for a moment as grains part (thesis eq. 2.8 as printed).

Source: thesis (Korzynski 2011) eq. 2.7 to 2.10, after Lee & Herrmann, J. Phys. A 26 (1993) 373,
doi:10.1088/0305-4470/26/2/021.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

from annotated_types import Ge, Le
from numba.extending import register_jitable
from pydantic import Field
from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import TINY, Response
from repose.sim.laws import Law
from repose.sim.laws.rolling import rolling_moment
from repose.sim.parameters import ParameterSet, Quantity


class LeeHerrmannParameters(ParameterSet):
    """Parameters of the Lee-Herrmann law (thesis eq. 2.7 to 2.10)."""

    friction: Annotated[
        float,
        Ge(0.0),
        Le(2.0),
        Quantity("friction", "μ"),
        Field(
            description="Friction coefficient between grains: the friction spring pulls with at most μ F_n. "
            "The heap stands steeper as it grows."
        ),
    ] = 0.1
    normal_stiffness: Annotated[
        float,
        Ge(1e3),
        Le(1e9),
        Quantity("normal stiffness", "k_n", "N/m^p", log=True, effect="ramp"),
        Field(
            description="Repulsion k_n δ^p of two grains overlapping by δ; p = 3/2 for Hertz, 1 for the "
            "linear law. Stiffer grains need smaller time steps."
        ),
    ] = 1e6
    shear_stiffness: Annotated[
        float,
        Ge(0.0),
        Le(1e6),
        Quantity("shear stiffness", "k_s", "N/m", log=True, effect="ramp"),
        Field(
            description="Stiffness of the virtual friction spring. Decides the angle: the thesis prints 5, "
            "its results come out with 100."
        ),
    ] = 100.0
    normal_damping: Annotated[
        float,
        Ge(0.0),
        Le(2e4),
        Quantity("normal damping", "γ_n", "1/s", effect="ramp"),
        Field(description="Damping of the approach, force γ_n m* v_n. More damping, less bouncing."),
    ] = 500.0
    shear_damping: Annotated[
        float,
        Ge(0.0),
        Le(2e4),
        Quantity("shear damping", "γ_s", "1/s", effect="ramp"),
        Field(description="Damping of sliding, force γ_s m* v_t, on top of the friction spring."),
    ] = 500.0
    wall_stiffness_factor: Annotated[
        float,
        Ge(1.0),
        Le(10.0),
        Quantity("wall stiffness factor", "k_w/k_n", effect="ramp"),
        Field(
            description="How many times stiffer a contact with a wall or base grain is; 2 in the thesis, to "
            "keep grains from passing."
        ),
    ] = 2.0
    rolling_friction: Annotated[
        float,
        Ge(0.0),
        Le(1.0),
        Quantity("rolling friction", "μ_r"),
        Field(
            description="Resistance to rolling, torque μ_r R* F_n against the relative spin. "
            "Without rotation of the grains it does nothing."
        ),
    ] = 0.0
    exponent: Annotated[
        Literal["hertz", "linear"],
        Quantity("law exponent", "p", group="Model"),
        Field(
            description="Hertz: force grows as δ^(3/2). Linear: as δ, the thesis' simplified model. k_n keeps "
            "its number and changes its unit."
        ),
    ] = "hertz"
    anchor: Annotated[
        Literal["lee-herrmann", "cundall-strack"],
        Quantity("anchor form", "", group="Model"),
        Field(
            description="What a sliding friction spring does: keeps stretching (Lee-Herrmann, as in the "
            "thesis) or is dragged along (Cundall-Strack)."
        ),
    ] = "lee-herrmann"
    coulomb_cap: Annotated[
        Literal["spring", "total"],
        Quantity("Coulomb cap", "", group="Model"),
        Field(
            description="What μ F_n limits: the friction spring alone (thesis) or spring and shear damping "
            "together (as LAMMPS has it)."
        ),
    ] = "spring"


class LeeHerrmann(NamedTuple):
    """The numbers the law reads, in SI."""

    friction: float
    normal_stiffness: float
    shear_stiffness: float
    normal_damping: float
    shear_damping: float
    wall_stiffness_factor: float
    rolling_friction: float


@register_jitable(forceinline=True)
def hertz(k, overlap):
    """F = k overlap^(3/2), k in N/m^1.5."""
    root = math.sqrt(overlap)
    return k * overlap * root, 1.5 * k * root, 0.4 * k * overlap * overlap * root


@register_jitable(forceinline=True)
def linear(k, overlap):
    """F = k overlap, k in N/m (thesis eq. 4.1)."""
    return k * overlap, k, 0.5 * k * overlap * overlap


@register_jitable(forceinline=True)
def drag_never(stretch, limit):
    """Lee-Herrmann: the anchor stays, a sliding spring keeps stretching and only its force is limited."""
    return 0.0


@register_jitable(forceinline=True)
def drag_beyond_limit(stretch, limit):
    """Cundall-Strack: the anchor is dragged so that the spring never pulls more than the limit."""
    return max(0.0, 1.0 - limit / max(stretch, TINY))


@register_jitable(forceinline=True)
def stored_below_limit(k, stretch, limit):
    """Energy of a spring whose force stops growing at k limit: it is a potential of its own, so that
    pulling a stretched Lee-Herrmann spring back returns work at the limiting force."""
    elastic = min(stretch, limit)
    return 0.5 * k * elastic * elastic + k * elastic * (stretch - elastic)


@register_jitable(forceinline=True)
def stored_in_spring(k, stretch, limit):
    """Energy of a spring that is never longer than its limit."""
    elastic = min(stretch, limit)
    return 0.5 * k * elastic * elastic


@register_jitable(forceinline=True)
def cap_spring(spring, viscous, limit):
    """The spring alone is limited; viscous shear comes on top (thesis eq. 2.10)."""
    size = math.sqrt(vector.dot(spring, spring))
    return vector.scale(min(1.0, limit / max(size, TINY)), spring), viscous


@register_jitable(forceinline=True)
def cap_total(spring, viscous, limit):
    """Spring and viscous shear together are limited (as LAMMPS' pair granular has it)."""
    both = vector.add(spring, viscous)
    share = min(1.0, limit / max(math.sqrt(vector.dot(both, both)), TINY))
    return vector.scale(share, spring), vector.scale(share, viscous)


@register_jitable(forceinline=True)
def lee_herrmann(params, rules, contact):
    """Force of one contact.

    F_n = k_n overlap^p - γ_n m* v_n;  F_t = -γ_t m* v_t - min(k_s |ξ|, μ max(F_n, 0)) ξ/|ξ|  (thesis eq. 2.8, 2.10),
    with k_n multiplied by `wall_stiffness_factor` where one of the two is held.
    """
    repel, drag, _, cap = rules
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    overlap = max(contact.overlap, 0.0)
    k = params.normal_stiffness * (1.0 + contact.held * (params.wall_stiffness_factor - 1.0))
    repulsion, _, _ = repel(k, overlap)
    normal_viscosity = touching * params.normal_damping * contact.effective_mass
    normal_force = repulsion - normal_viscosity * contact.normal_velocity
    limit = touching * params.friction * max(normal_force, 0.0)
    spring, viscous = cap(
        vector.scale(-touching * params.shear_stiffness, contact.shear),
        vector.scale(-touching * params.shear_damping * contact.effective_mass, contact.tangential_velocity),
        limit,
    )
    stretch = math.sqrt(vector.dot(contact.shear, contact.shear))
    compliance = 1.0 / max(params.shear_stiffness, TINY)  # the same for all contacts: one division for a whole block
    slip = vector.scale(touching * drag(stretch, limit * compliance), contact.shear)
    radius = contact.effective_radius
    moment, rolling_power = rolling_moment(params.rolling_friction, 0.0, touching * normal_force, radius, contact)
    return Response(
        normal_force,
        vector.add(spring, viscous),
        slip,
        moment,
        normal_viscosity * contact.normal_velocity * contact.normal_velocity
        - vector.dot(viscous, contact.tangential_velocity)
        + rolling_power,
        -vector.dot(spring, contact.tangential_velocity),
    )


@register_jitable(forceinline=True)
def lee_herrmann_energy(params, rules, contact):
    """Energy stored in one contact [J]: by the elastic repulsion, and by the friction spring."""
    repel, _, stored, _ = rules
    overlap = max(contact.overlap, 0.0)
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    k = params.normal_stiffness * (1.0 + contact.held * (params.wall_stiffness_factor - 1.0))
    repulsion, _, elastic = repel(k, overlap)
    normal_force = repulsion - touching * params.normal_damping * contact.effective_mass * contact.normal_velocity
    stretch = math.sqrt(vector.dot(contact.shear, contact.shear))
    limit = params.friction * max(normal_force, 0.0) / max(params.shear_stiffness, TINY)
    return elastic, touching * stored(params.shear_stiffness, stretch, limit)


@register_jitable(forceinline=True)
def lee_herrmann_stiffness(params, rules, contact):
    """Stiffness of one contact along its normal and across it [N/m], and damping along and across [1/s]."""
    repel, _, _, _ = rules
    k = params.normal_stiffness * (1.0 + contact.held * (params.wall_stiffness_factor - 1.0))
    _, stiffness, _ = repel(k, max(contact.overlap, 0.0))
    return stiffness, params.shear_stiffness, params.normal_damping, params.shear_damping


REPULSION = {"hertz": hertz, "linear": linear}
DRAG = {"lee-herrmann": drag_never, "cundall-strack": drag_beyond_limit}
STORED = {"lee-herrmann": stored_below_limit, "cundall-strack": stored_in_spring}
CAP = {"spring": cap_spring, "total": cap_total}


def rules_of(parameters: LeeHerrmannParameters) -> tuple:
    """The formulas these parameters choose: repulsion, drag of the anchor, energy stored, Coulomb cap."""
    return (
        REPULSION[parameters.exponent],
        DRAG[parameters.anchor],
        STORED[parameters.anchor],
        CAP[parameters.coulomb_cap],
    )


def numbers_of(parameters: LeeHerrmannParameters) -> LeeHerrmann:
    """The numbers these parameters hold."""
    return LeeHerrmann(*(float(getattr(parameters, name)) for name in LeeHerrmann._fields))


LAW = Law(
    name="lee_herrmann",
    parameters=LeeHerrmannParameters,
    force=lee_herrmann,
    energy=lee_herrmann_energy,
    stiffness=lee_herrmann_stiffness,
    numbers=numbers_of,
    rules=rules_of,
)
