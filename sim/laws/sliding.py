"""Formulas of friction springs: spring and damper together under Coulomb's limit, and the work done on a spring."""

from __future__ import annotations

from repose.sim.engine import vector
from repose.sim.engine.contacts.kinematics import shortened
from repose.sim.engine.jit import compilable
from repose.sim.engine.roots import TINY


@compilable(forceinline=True)
def sliding_spring(stiffness, viscosity, limit, contact):
    """Shear forces of the spring and of the damper [N], and the relaxation of the spring [m].

    F_t = -K xi - eta v_t, with the size of F_t limited to `limit`. The spring is never longer than at the limit: it
    keeps its length while sliding, and pulls back at once when the motion reverses (seed 001).
    """
    spring = vector.scale(-stiffness, contact.shear)
    viscous = vector.scale(-viscosity, contact.tangential_velocity)
    both = vector.add(spring, viscous)
    share = min(1.0, limit * vector.length_and_inverse(both)[1])
    pull, per_pull = vector.length_and_inverse(spring)
    excess = max(0.0, pull - limit) * per_pull
    return vector.scale(share, spring), vector.scale(share, viscous), vector.scale(excess, contact.shear)


@compilable(forceinline=True)
def work_on_spring(stiffness, spring, slip, relaxation):
    """Work done on a friction spring since the last evaluation [J]: -F s - K e²/2, with the force F of the spring on i
    [N], the slip s and its elastic part e = s - relaxation [m].

    The work on a spring that does not slide is exactly the change of K xi²/2, and a spring that slides at a constant
    limit stores nothing. With a falling limit the relaxation exceeds the slip: the spring does no work then.
    """
    elastic = shortened(slip, relaxation)
    square = min(vector.dot(elastic, elastic), vector.dot(slip, slip))
    return -vector.dot(spring, slip) - 0.5 * stiffness * square


@compilable(forceinline=True)
def stored_in_sliding_spring(stiffness, limit, contact):
    """Energy of the spring of `sliding_spring` [J]."""
    stretch = min(vector.length(contact.shear), limit / max(stiffness, TINY))
    return 0.5 * stiffness * stretch * stretch
