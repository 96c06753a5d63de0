"""A rigid body that a machine drives: it is moved at a given velocity along one direction and floats under a force
along another one, and the work of the machine is in the ledger.

At every check the body gets a push for the time until the next check: the impulse of the constant force, that of a
damper, and the change of velocity that brings its mean velocity along the driven direction to the one that is asked
for. The kinetic energy that a push adds is the work of the machine, exactly. Between two pushes the body moves by the
forces of the grains alone, so that under a constant force it floats: the mean force of the grains on it is the force
that presses it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment


class Floating(NamedTuple):
    """How a body floats along y."""

    force: float
    """Constant force on it [N]."""
    mass: float
    """[kg]."""
    damped: float
    """Time in which a damper of the machine stops it, m/c for the viscosity c [s]."""


def pushed(velocity: Floats, acceleration: Floats, driven: float, floating: Floating, time: float) -> Floats:
    """Velocity after the push for a `time` [s] of a body in the plane [m/s]: along x the one with which its mean
    velocity becomes `driven` if the grains go on to give it this acceleration [m/s²]; along y that of the damper, with
    the impulse of the force."""
    along = driven - 0.5 * float(acceleration[0]) * time
    up = float(velocity[1]) * math.exp(-time / floating.damped) + floating.force * time / floating.mass
    return np.array([along, up])


def drive_body(experiment: Experiment, body: int, driven: float, floating: Floating) -> None:
    """Push a body of the plane so that until the next check it moves with the mean velocity `driven` along x [m/s] and
    floats along y; its rotation is stopped."""
    motion = experiment.run.world.bodies.motion[:, :, body]
    before, time = _kinetic_energy(experiment, body), CHECK_STEPS * experiment.dt
    motion[:2, 1], motion[2, 1] = pushed(motion[:2, 1], motion[:2, 2], driven, floating, time), 0.0
    experiment.run.booked.work += _kinetic_energy(experiment, body) - before


def hold_body(experiment: Experiment, body: int) -> None:
    """Stop a body of the plane, and keep it where it is."""
    bodies = experiment.run.world.bodies
    if bodies.inverse_mass[0, body] > 0.0:
        experiment.run.booked.work -= _kinetic_energy(experiment, body)
        bodies.motion[:, 1:, body], bodies.inverse_mass[:, body] = 0.0, 0.0


def release_body(experiment: Experiment, body: int, mass: float, inertia: float) -> None:
    """Let a body of the plane that has been held move with this mass [kg] and moment of inertia [kg m²]."""
    inverse = experiment.run.world.bodies.inverse_mass
    inverse[:2, body], inverse[2, body] = 1.0 / mass, 1.0 / inertia


def _kinetic_energy(experiment: Experiment, body: int) -> float:
    """Kinetic energy of a body that can move, as in the ledger [J]."""
    bodies = experiment.run.world.bodies
    behind = experiment.engine.model.integrator.velocity_lead * experiment.dt
    velocity = bodies.motion[:, 1, body] - behind * bodies.motion[:, 2, body]
    return 0.5 * float(velocity**2 @ (1.0 / bodies.inverse_mass[:, body]))
