"""Velocity Verlet with a predicted velocity, so that it keeps second order in damped contacts.

x += dt v + dt²/2 a;  force at x and v + dt a;  then v += dt/2 (a + a_new). As the predicted velocity is the one stored
during the force evaluation, the last line reads v += dt/2 (a_new - a).
"""

from __future__ import annotations

from repose.sim.engine.jit import compilable
from repose.sim.engine.model import Integrator


@compilable
def before(motion, first, last, stage, dt):
    """Move positions to second order and predict velocities to first."""
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
    """Bring velocities to the mean of both accelerations."""
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


INTEGRATORS = (Integrator("velocity_verlet", "Velocity Verlet", levels=3, before=before, after=after),)
