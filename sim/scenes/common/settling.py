"""How long a scene waits until falling grains have settled: until they are slow, but not longer than a bouncing ball.

Grains need not become slow within any useful time. The damping of a contact is proportional to its effective mass, and
that of a contact with a fine base is nearly the mass of the small base grain. A grain of 1 mm on base grains of 0.1 mm
(heap, k_n = 10⁶ N/m^1.5, γ_n = 500 1/s) loses a thousandth of its energy at an impact and bounces for many seconds.
Therefore each wait has a longest duration, and the results state how many waits have ended with it.
"""

from __future__ import annotations

import math

from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.notices import notify
from repose.sim.experiment.rest import time_free
from repose.sim.measure.display import Reading
from repose.sim.message import Message, Number, _
from repose.sim.scenes.common.phases import PhaseState

RESTITUTION = 0.9
"""Restitution coefficient of the ball whose bouncing is the longest wait [-]. The first layer of the default heap,
which waits longest, needs half of this time."""
LEAST_GRAVITY = 1e-3
"""Gravity below which times of fall do not grow any more [m/s²]."""


def fall_time(height: float, gravity: float) -> float:
    """Time in which a grain falls from rest from this height [m] under this gravity [m/s²]: sqrt(2 h/g) [s]."""
    return math.sqrt(2.0 * height / max(gravity, LEAST_GRAVITY))


def longest_wait(height: float, gravity: float) -> float:
    """Time in which a ball dropped from this height [m] stops bouncing under this gravity [m/s²], for the restitution
    coefficient e = `RESTITUTION`: t = sqrt(2 h/g) (1 + 2 e + 2 e² + ...) = sqrt(2 h/g) (1 + e)/(1 - e) [s]."""
    return fall_time(height, gravity) * (1.0 + RESTITUTION) / (1.0 - RESTITUTION)


def is_settled(experiment: Experiment, slow: bool, waited: float, longest: float) -> bool:
    """Whether the wait for rest is over: the grains are `slow`, or have been `waited` for as `longest` [s]; the latter
    is counted, and said. While the hand holds grains it is never over, and begins again when the hand lets go."""
    if holds(experiment.run):
        return False
    waited = min(waited, time_free(experiment))
    if not slow and waited > longest:
        state: PhaseState = experiment.run.state
        state.waits_cut_short += 1
        notify(
            experiment,
            Message(
                "The wait for rest ends after {waited} s, although grains still move.",
                waited=Number(waited, format=".2f"),
            ),
        )
        return True
    return slow


SETTLING_READINGS = ("waits_cut_short",)
"""Names of `settling_readings`."""


def settling_readings(state: PhaseState) -> tuple[Reading, ...]:
    """The number of waits that were cut short; empty if there was none."""
    if not state.waits_cut_short:
        return ()
    words = Message(
        "Grains still moved after the time in which a ball with restitution {restitution} stops bouncing.",
        restitution=Number(RESTITUTION, format="g"),
    )
    return (Reading("waits_cut_short", _("waits for rest cut short"), float(state.waits_cut_short), help=words),)
