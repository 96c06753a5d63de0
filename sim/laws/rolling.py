"""Rolling and twisting resistance, a formula that several laws use."""

from __future__ import annotations

from repose.sim.engine import vector
from repose.sim.engine.jit import compilable
from repose.sim.engine.roots import TINY, inverse_root


@compilable(forceinline=True)
def rolling_torque(rolling, twisting, normal_force, radius, contact):
    """Torque on i against rolling and twisting of the pair [N m], and the power that it dissipates [W].

    The torque is -mu_r R* F_n w_r/|w_r| for the rolling part w_r of the relative spin, and likewise with its own
    coefficient for the part that twists about the normal (seed 001). The torque is limited such that it reverses no
    spin within a step, even with 12 contacts: slow spins then decay exponentially.
    """
    load = radius * max(normal_force, 0.0)
    rate = vector.twist_rate(contact.relative_spin, contact.normal)
    roll = vector.sub(contact.relative_spin, vector.about(rate, contact.normal, contact.relative_spin))
    per_roll = inverse_root(max(vector.dot(roll, roll), TINY))
    against_roll = min(rolling * load * per_roll, contact.stable_spin_resistance)
    size = min(twisting * load, contact.stable_spin_resistance * abs(rate))
    against_twist = vector.about(size if rate > 0.0 else -size, contact.normal, contact.relative_spin)
    torque = vector.sub(vector.scale(-against_roll, roll), against_twist)
    return torque, -vector.dot(torque, contact.relative_spin)
