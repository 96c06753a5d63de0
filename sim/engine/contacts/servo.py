"""Walls that keep a force, which have no mass and follow the grains through a viscosity.

Such a wall moves along its normal n, at most at its largest speed, with

    v = (F_0 − F) / c,

where F is the force of the grains against n at the last evaluation, F_0 the wanted one and c the viscosity.

Its displacement until the next evaluation is that at the mean of the last speed v and the next one v'.

Stability. The excess F − F_0 takes the power c v² from the sample at any c > 0: the wall only damps oscillations,
whatever the sample is. It reflects no wave if c is the impedance √(k m) of the contacts of the layer at the wall. The
step adds a condition, because F is that of the last evaluation. For a contact of stiffness k and viscosity η whose
sphere does not move, e = F_elastic − F_0 and w = c v follow

    w' = −e − b w,  e' = e + a (w + w')/2,  a = k dt/c,  b = η/c,

with the eigenvalues of λ² − (1 − a/2 − b) λ + a/2 − b = 0: |λ| < 1 if b < 1 and a < 2 (1 + b). With c = √(k m) + η it
is enough that ω dt < 2 for ω = √(k/m), the limit of an undamped contact in the schemes themselves. c is `MARGIN` times
this, summed over the contacts that touch the wall at every step; k and η are determined again at every check.

Approach. For an elastic column of impedance Z < c, through which a wave travels in the time T to a wall at rest, the
excess decays without oscillation as exp(−t artanh(Z/c)/T).

Excess. A wall that the grains push away at a speed u, v = −u, bears F = F_0 + c u: nothing but its viscosity lets it
move. c u is `MARGIN` u Σ (√(k m) + η) over its contacts, whatever F_0 is; the wall keeps its force where it is slow,
u ≪ F_0/c. An integral of e = F_0 − F, as in v = e/c + ∫ e dt/(c τ), removes the excess and is no part of the law: it
makes the wall a mass c τ behind the viscosity, which overshoots by up to w √(K c τ) once it has brought loose grains
together at the speed w, for a sample of stiffness K, and grains do not forget an overshoot. A scene whose sample is at
rest when it begins can correct the force (repose.sim.scenes.common.press).

Work and heat are those of forces and speeds at one time, as at other walls, and therefore of second order in dt.
"""

from __future__ import annotations

from repose.sim.engine.contacts.wall_geometry import ACTS
from repose.sim.engine.jit import compilable
from repose.sim.engine.world import SERVO_FORCE, SERVO_NEXT, SERVO_NORMAL, SERVO_SPEED, SERVO_VISCOSITY

MARGIN = 2.0
"""Viscosity of a wall over √(k m) + η of its contacts [-], which may become stiffer between two checks."""

KEPT, LAST, SINGLE = range(3)
"""What an evaluation is for the walls that keep a force: one after which they go on with the same velocity; the last
one of several of a step; the only one of a step."""


@compilable
def follow_forces(walls, wall_contacts, contact_state, count, follows):
    """Set the speeds of the walls that keep a force; `count` is the number of entries of the list of contacts."""
    for w in range(walls.servo.shape[0]):
        most = walls.servo[w, SERVO_SPEED]
        if most <= 0.0:
            continue
        contacts = 0
        for t in range(count):
            if wall_contacts.wall[t] == w and contact_state[t] == ACTS:
                contacts += 1
        lacking = walls.servo[w, SERVO_FORCE]
        for c in range(walls.force.shape[1]):
            lacking += walls.force[w, c] * walls.servo[w, SERVO_NORMAL + c]
        speed = lacking / (walls.servo[w, SERVO_VISCOSITY] * max(contacts, 1))
        speed = min(max(speed, -most), most)
        # A scheme with several evaluations in a step has one speed for all of them.
        mean = speed if follows == LAST else 0.5 * (walls.servo[w, SERVO_NEXT] + speed)
        walls.servo[w, SERVO_NEXT] = speed
        for c in range(walls.force.shape[1]):
            walls.velocity[w, c] = mean * walls.servo[w, SERVO_NORMAL + c]


@compilable
def go_on(walls):
    """Give the walls that keep a force the speed that they have after the displacement."""
    for w in range(walls.servo.shape[0]):
        if walls.servo[w, SERVO_SPEED] > 0.0:
            for c in range(walls.velocity.shape[1]):
                walls.velocity[w, c] = walls.servo[w, SERVO_NEXT] * walls.servo[w, SERVO_NORMAL + c]
