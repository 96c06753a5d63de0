"""Velocity Verlet with a predicted velocity, which keeps the second order in damped contacts.

x += dt v + dt²/2 a;  force at x and v + dt a;  then v += dt/2 (a + a_new). The velocity stored during the force
evaluation is the predicted one: the last line of the code is therefore v += dt/2 (a_new - a).
"""

from __future__ import annotations

from repose.sim.engine.jit import compilable
from repose.sim.engine.model import Integrator
from repose.sim.message import _


@compilable
def before(motion, first, last, stage, dt):
    """Advance positions to second order and predict velocities to first order."""
    half = 0.5 * dt
    for c in range(motion.shape[0]):
        position = motion[c, 0, first:last]
        velocity = motion[c, 1, first:last]
        acceleration = motion[c, 2, first:last]
        for i in range(position.size):
            position[i] += dt * (velocity[i] + half * acceleration[i])
            velocity[i] += dt * acceleration[i]


@compilable
def after(motion, force, inverse_mass, first, last, stage, dt):
    """Correct velocities to the mean of the old and the new acceleration."""
    half = 0.5 * dt
    for c in range(motion.shape[0]):
        velocity = motion[c, 1, first:last]
        acceleration = motion[c, 2, first:last]
        push = force[c, first:last]
        inverse = inverse_mass[c, first:last]
        for i in range(velocity.size):
            new = push[i] * inverse[i]
            velocity[i] += half * (new - acceleration[i])
            acceleration[i] = new


INTEGRATORS = (Integrator("velocity_verlet", _("Velocity Verlet"), levels=3, before=before, after=after),)
