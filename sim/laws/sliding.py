"""Formulas of friction springs: spring and damper together under Coulomb's limit, and the work done on a spring."""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import shortened
from repose.sim.engine.jit import compilable
from repose.sim.engine.roots import TINY


class ShearResponse(NamedTuple):
    """Friction spring and damper of one contact."""

    force: tuple
    """Shear force on i [N], a tangential vector."""
    relaxation: tuple
    """`Response.spring_relaxation`."""
    damping_power: float
    """Power that the damper dissipates [W]."""
    work: float
    """`Response.friction_work`."""


@compilable(forceinline=True)
def sliding_spring(stiffness, viscosity, limit, contact):
    """F_t = -K xi - eta v_t, limited to `limit` [N]; the spring is relaxed to the length at which its own force is the
    limit. The spring thus keeps its length while sliding, and pulls back at once when the motion reverses (seed 001).

    The force of the spring is -K xi after relaxation, the rest of F_t is that of the damper. With the projection P onto
    the circle of radius `limit` they are P(-K xi) and P(-K xi - eta v_t) - P(-K xi). The power that the damper
    dissipates is not negative because P is monotone; the contact that slides along its spring dissipates by sliding.
    """
    spring = vector.scale(-stiffness, contact.shear)
    viscous = vector.scale(-viscosity, contact.tangential_velocity)
    share = min(1.0, limit * vector.length_and_inverse(vector.add(spring, viscous))[1])
    force = vector.add(vector.scale(share, spring), vector.scale(share, viscous))
    pull, per_pull = vector.length_and_inverse(spring)
    excess = max(0.0, pull - limit) * per_pull
    relaxation = vector.scale(excess, contact.shear)
    spring = vector.sub(spring, vector.scale(excess, spring))
    power = max(0.0, -vector.dot(vector.sub(force, spring), contact.tangential_velocity))  # not below 0 by rounding
    return ShearResponse(force, relaxation, power, work_on_spring(stiffness, spring, contact.slip, relaxation))


@compilable(forceinline=True)
def work_on_spring(stiffness, spring, slip, relaxation):
    """Work done on a friction spring since the last evaluation [J]: -(F + K e/2) s, with the force F of the spring on i
    [N], the slip s and its elastic part e = s - relaxation [m].

    F + K e is the force at the last evaluation, and the mean of both does the work. The work on a spring that does not
    slide is exactly the change of K xi²/2.
    """
    mean = vector.add(spring, vector.scale(0.5 * stiffness, shortened(slip, relaxation)))
    return -vector.dot(mean, slip)


@compilable(forceinline=True)
def stored_in_sliding_spring(stiffness, limit, contact):
    """Energy of the spring of `sliding_spring` [J]."""
    stretch = min(vector.length(contact.shear), limit / max(stiffness, TINY))
    return 0.5 * stiffness * stretch * stretch
