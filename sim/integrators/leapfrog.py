"""Leapfrog: stored velocities are half a step ahead of positions.

x(t+dt) = x + dt v(t+dt/2), then v(t+3dt/2) = v(t+dt/2) + dt a(t+dt). Second order and symplectic. Forces that depend on
velocity get v(t+dt/2) + dt/2 a(t), an approximation of v(t+dt) of second order: velocity Verlet predicts the same
velocity, and both schemes compute the same positions.
"""

from __future__ import annotations

from repose.sim.engine.jit import compilable
from repose.sim.engine.model import Integrator
from repose.sim.message import _


@compilable
def before(motion, first, last, stage, dt):
    """Drift: advance positions with the half-step velocity."""
    for c in range(motion.shape[0]):
        position = motion[c, 0, first:last]
        velocity = motion[c, 1, first:last]
        for i in range(position.size):
            position[i] += dt * velocity[i]


@compilable
def after(motion, force, inverse_mass, first, last, stage, dt):
    """Kick: advance velocities by a whole step."""
    for c in range(motion.shape[0]):
        velocity = motion[c, 1, first:last]
        acceleration = motion[c, 2, first:last]
        push = force[c, first:last]
        inverse = inverse_mass[c, first:last]
        for i in range(velocity.size):
            new = push[i] * inverse[i]
            velocity[i] += dt * new
            acceleration[i] = new


INTEGRATORS = (Integrator("leapfrog", _("Leap-frog"), levels=3, before=before, after=after, velocity_lead=0.5),)
