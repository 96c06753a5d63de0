"""The friction spring of laws with rotation: spring and damper together under Coulomb's limit."""

from __future__ import annotations

from repose.sim.engine import vector
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
def stored_in_sliding_spring(stiffness, limit, contact):
    """Energy of the spring of `sliding_spring` [J]."""
    stretch = min(vector.length(contact.shear), limit / max(stiffness, TINY))
    return 0.5 * stiffness * stretch * stretch
