"""Lee-Herrmann contact: Hertz or linear repulsion, viscous damping, virtual friction spring.

This file shows how to write a law. A law is a plain function `force(params, contact)` of one contact that returns a
`Response`. Further functions are `energy`, the energy stored in the contact, and `stiffness`. A `ParameterSet` declares
the parameters. The functions must

* have no branches: only then a block of pairs compiles to wide registers. `x if c else y` of two computed values is a
  select; an `if` statement is a branch;
* return zero for overlap <= 0, because the loop also evaluates pairs that do not touch (a law that acts at a distance,
  such as `capillary`, declares its `reach`);
* read every number from `params`, a tuple of floats that may change during a run. Formulas are selected when the law is
  bound: `bind(parameters)` returns functions that close over the selected formulas.

Not in this model: rotation, which belongs to the engine (the law reads velocities of material points), cohesion, and
plastic loss at first loading. Damping may pull for a moment while grains part (thesis eq. 2.8 as printed).

Source: thesis (Korzynski 2011) eq. 2.7 to 2.10, after Lee & Herrmann, J. Phys. A 26 (1993) 373,
doi:10.1088/0305-4470/26/2/021.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Literal, NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import Response
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.engine.roots import TINY
from repose.sim.laws.law import Law
from repose.sim.laws.rolling import rolling_torque
from repose.sim.laws.sliding import work_on_spring
from repose.sim.message import _
from repose.sim.parameters import ParameterSet, choice, number


class LeeHerrmannParameters(ParameterSet):
    """Parameters of the Lee-Herrmann law (thesis eq. 2.7 to 2.10)."""

    # fmt: off
    friction: float = number(0.1, 0.0, 2.0, _("friction"), "μ",
        help=_(
            "Friction coefficient between grains: the friction spring pulls with at most μ F_n. The heap stands "
            "steeper as it grows."
        ))
    normal_stiffness: float = number(1e6, 1e3, 1e9, _("normal stiffness"), "k_n", "N/m^p", log=True, effect="ramp",
        help=_(
            "Repulsion k_n δ^p of two grains overlapping by δ; p = 3/2 for Hertz, 1 for the linear law. Stiffer grains "
            "need smaller time steps."
        ))
    shear_stiffness: float = number(100.0, 0.0, 1e6, _("shear stiffness"), "k_s", "N/m", log=True, effect="ramp",
        help=_(
            "Stiffness of the virtual friction spring. Decides the angle: the thesis prints 5, its results come out "
            "with 100."
        ))
    normal_damping: float = number(500.0, 0.0, 2e4, _("normal damping"), "γ_n", "1/s", effect="ramp", damps_normal=True,
        help=_("Damping of the approach, force γ_n m* v_n. More damping, less bouncing."))
    shear_damping: float = number(500.0, 0.0, 2e4, _("shear damping"), "γ_s", "1/s", effect="ramp",
        help=_("Damping of sliding, force γ_s m* v_t, on top of the friction spring."))
    wall_stiffness_factor: float = number(2.0, 1.0, 10.0, _("wall stiffness factor"), "k_w/k_n", effect="ramp",
        help=_(
            "How many times stiffer a contact with a wall or base grain is; 2 in the thesis, to keep grains from "
            "passing."
        ))
    rolling_friction: float = number(0.0, 0.0, 1.0, _("rolling friction"), "μ_r",
        help=_(
            "Resistance to rolling, torque μ_r R* F_n against the relative spin. Without rotation of the grains it "
            "does nothing."
        ))
    exponent: Literal["hertz", "linear"] = choice("hertz", _("law exponent"), "p", group=_("Model"),
        help=_(
            "Hertz: force grows as δ^(3/2). Linear: as δ, the thesis' simplified model. k_n keeps its number and "
            "changes its unit."
        ))
    anchor: Literal["lee-herrmann", "cundall-strack"] = choice("lee-herrmann", _("sliding spring"), group=_("Model"),
        help=_(
            "What a sliding friction spring does: keeps stretching (Lee-Herrmann, as in the thesis) or is dragged "
            "along (Cundall-Strack)."
        ))
    coulomb_cap: Literal["spring", "total", "lammps"] = choice("spring", _("Coulomb limit"), group=_("Model"),
        help=_(
            "What μ F_n limits: the friction spring alone (thesis), or spring and shear damping together. lammps: "
            "together, by μ|F_n| also while the damping pulls, and the spring is reset to match."
        ))
    # fmt: on


class LeeHerrmann(NamedTuple):
    """The coefficients that the law reads, in SI."""

    friction: float
    normal_stiffness: float
    shear_stiffness: float
    normal_damping: float
    shear_damping: float
    wall_stiffness_factor: float
    rolling_friction: float


@compilable(forceinline=True)
def hertz(k, overlap):
    """Force k overlap^(3/2) [N], its derivative [N/m] and its integral [J], k in N/m^1.5."""
    root = math.sqrt(overlap)
    return k * overlap * root, 1.5 * k * root, 0.4 * k * overlap * overlap * root


@compilable(forceinline=True)
def linear(k, overlap):
    """Force k overlap [N], its derivative [N/m] and its integral [J], k in N/m (thesis eq. 4.1)."""
    return k * overlap, k, 0.5 * k * overlap * overlap


@compilable(forceinline=True)
def keep_stretching(shear, lag, limit):
    """Lee-Herrmann: the displacement of a sliding spring keeps growing; only its force is limited."""
    return ()


@compilable(forceinline=True)
def relax_to_limit(shear, lag, limit):
    """Cundall-Strack: a sliding spring relaxes to the length at which its force is the limit."""
    return vector.scale(max(0.0, 1.0 - limit * vector.length_and_inverse(shear)[1]), shear)


@compilable(forceinline=True)
def reset_to_match(shear, lag, limit):
    """LAMMPS: a sliding spring gets the length at which spring and damper together are at the limit; `lag` is the
    displacement [m] at which the force of the spring equals that of the damper."""
    both = vector.add(shear, lag)
    return vector.scale(max(0.0, 1.0 - limit * vector.length_and_inverse(both)[1]), both)


@compilable(forceinline=True)
def stored_below_limit(k, stretch, limit):
    """Energy of a spring whose force is constant beyond the displacement `limit`. This is a potential: pulling a
    stretched Lee-Herrmann spring back returns work at the limiting force."""
    elastic = min(stretch, limit)
    return 0.5 * k * elastic * elastic + k * elastic * (stretch - elastic)


@compilable(forceinline=True)
def stored_in_spring(k, stretch, limit):
    """Energy of a spring whose displacement never exceeds `limit`."""
    elastic = min(stretch, limit)
    return 0.5 * k * elastic * elastic


@compilable(forceinline=True)
def stored_in_whole_spring(k, stretch, limit):
    """Energy of a spring of any length; spring and damper together obey the limit."""
    return 0.5 * k * stretch * stretch


@compilable(forceinline=True)
def limited_spring(k, contact, relaxation, limit, last_limit):
    """Force of a spring that is constant beyond `limit` [N], and the work done on it since the last evaluation [J].

    The mean of the forces at both evaluations does the work: at the last one the limit was about `last_limit`.
    """
    spring = vector.limited(vector.scale(-k, contact.shear), limit)
    last = vector.limited(vector.scale(-k, vector.sub(contact.shear, contact.slip)), last_limit)
    return spring, -0.5 * vector.dot(vector.add(spring, last), contact.slip)


@compilable(forceinline=True)
def relaxing_spring(k, contact, relaxation, limit, last_limit):
    """Force of a spring that relaxes while it slides [N], and the work done on it since the last evaluation [J]."""
    spring = vector.scale(-k, vector.sub(contact.shear, relaxation))
    return spring, work_on_spring(k, spring, contact.slip, relaxation)


@compilable(forceinline=True)
def only_pushing(normal_force):
    """Normal force in the Coulomb limit: F_n, or 0 while damping pulls."""
    return max(normal_force, 0.0)


@compilable(forceinline=True)
def pushing_or_pulling(normal_force):
    """Normal force in the Coulomb limit of LAMMPS: |F_n|, also while damping pulls."""
    return abs(normal_force)


@compilable(forceinline=True)
def cap_spring(spring, viscous, limit):
    """Limit the force of the spring; the viscous shear force is added without limit (thesis eq. 2.10)."""
    return vector.add(vector.limited(spring, limit), viscous)


@compilable(forceinline=True)
def cap_total(spring, viscous, limit):
    """Limit the sum of spring force and viscous shear force."""
    both = vector.add(spring, viscous)
    share = min(1.0, limit * vector.length_and_inverse(both)[1])
    return vector.add(vector.scale(share, spring), vector.scale(share, viscous))


@compilable(forceinline=True)
def normal_stiffness(params, contact):
    """k_n of this contact, multiplied by `wall_stiffness_factor` if one of the two is fixed [N/m^p]."""
    return params.wall_stiffness_factor * params.normal_stiffness if contact.fixed > 0.0 else params.normal_stiffness


REPULSION = {"hertz": hertz, "linear": linear}
RELAXATION = {"lee-herrmann": keep_stretching, "cundall-strack": relax_to_limit}
STORED = {"lee-herrmann": stored_below_limit, "cundall-strack": stored_in_spring}
SPRING = {"lee-herrmann": limited_spring, "cundall-strack": relaxing_spring}
CAP = {"spring": cap_spring, "total": cap_total, "lammps": cap_total}


@cache
def bound(exponent: str, anchor: str, coulomb_cap: str) -> BoundLaw:
    """The functions of the law with the selected formulas of repulsion, sliding spring and Coulomb limit; the limit of
    LAMMPS has its own formula of the sliding spring."""
    repel, relax, stored, cap = REPULSION[exponent], RELAXATION[anchor], STORED[anchor], CAP[coulomb_cap]
    spring_of = SPRING[anchor]
    pressing = only_pushing
    if coulomb_cap == "lammps":
        relax, stored, pressing = reset_to_match, stored_in_whole_spring, pushing_or_pulling
        spring_of = relaxing_spring

    @compilable(forceinline=True)
    def force(params, contact):
        """F_n = k_n overlap^p - γ_n m* v_n;  F_t = -γ_t m* v_t - min(k_s |ξ|, μ max(F_n, 0)) ξ/|ξ|
        (thesis eq. 2.8, 2.10; other limits by choice)."""
        touching = contact.overlap > 0.0
        repulsion, stiffness, _ = repel(normal_stiffness(params, contact), max(contact.overlap, 0.0))
        normal_viscosity = params.normal_damping * contact.effective_mass if touching else 0.0
        viscosity = params.shear_damping * contact.effective_mass if touching else 0.0
        normal_force = repulsion - normal_viscosity * contact.normal_velocity
        limit = params.friction * pressing(normal_force)
        shear_force = cap(
            vector.scale(-params.shear_stiffness, contact.shear),
            vector.scale(-viscosity, contact.tangential_velocity),
            limit,
        )
        compliance = 1.0 / max(params.shear_stiffness, TINY)  # equal for all contacts: one division per block
        springy = 1.0 if params.shear_stiffness > 0.0 else 0.0
        lag = vector.scale(springy * viscosity * compliance, contact.tangential_velocity)
        pressed = 1.0 if touching else 0.0
        relaxation = vector.scale(pressed, relax(contact.shear, lag, limit * compliance))
        last_limit = max(0.0, limit - params.friction * stiffness * contact.approach)
        spring, work = spring_of(params.shear_stiffness * pressed, contact, relaxation, limit, last_limit)
        viscous = vector.sub(shear_force, spring)  # what the spring does not do: see `repose.sim.laws.sliding`
        radius = contact.effective_radius
        torque, rolling_power = rolling_torque(params.rolling_friction, 0.0, normal_force, radius, contact)
        return Response(
            normal_force,
            shear_force,
            relaxation,
            torque,
            normal_viscosity * contact.normal_velocity * contact.normal_velocity
            + max(0.0, -vector.dot(viscous, contact.tangential_velocity))  # not below 0 by rounding
            + rolling_power,
            work,
        )

    @compilable(forceinline=True)
    def energy(params, contact):
        """Energy stored by the repulsion and by the friction spring [J]."""
        touching = 1.0 if contact.overlap > 0.0 else 0.0
        repulsion, _, elastic = repel(normal_stiffness(params, contact), max(contact.overlap, 0.0))
        normal_force = repulsion - touching * params.normal_damping * contact.effective_mass * contact.normal_velocity
        stretch = vector.length(contact.shear)
        limit = params.friction * pressing(normal_force) / max(params.shear_stiffness, TINY)
        return elastic, touching * stored(params.shear_stiffness, stretch, limit)

    @compilable(forceinline=True)
    def stiffness(params, contact):
        """Normal and shear stiffness [N/m], normal and shear damping [1/s]."""
        _, along, _ = repel(normal_stiffness(params, contact), max(contact.overlap, 0.0))
        return along, params.shear_stiffness, params.normal_damping, params.shear_damping

    return BoundLaw(force, energy, stiffness, reads_radius=False)


def bind(parameters: LeeHerrmannParameters) -> BoundLaw:
    """The functions of the law for these parameters."""
    return bound(parameters.exponent, parameters.anchor, parameters.coulomb_cap)


def coefficients_of(parameters: LeeHerrmannParameters) -> LeeHerrmann:
    """The coefficients of these parameters."""
    return LeeHerrmann(*(float(getattr(parameters, name)) for name in LeeHerrmann._fields))


LAW = Law("lee_herrmann", LeeHerrmannParameters, bind, coefficients_of)
