"""Shake the table: an inertial force in the frame of the table, where base and walls rest (repose.sim.fields.shaker).

The only writer of `Run.shaker`.
"""

from __future__ import annotations

import math

from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import checked_number, prepare, require_running
from repose.sim.experiment.notices import notify
from repose.sim.experiment.snapshot import ShownShaking
from repose.sim.fields.shaker import MOST_AMPLITUDE, MOST_FREQUENCY, Shaker
from repose.sim.message import Message, Number, _, length_text, time_text
from repose.sim.parameters import ParameterError

LARGEST_ACCELERATION = 1e4
"""Largest acceleration of the table [m/s²]."""
RESOLVED = 0.1
"""Largest angular frequency of the table times dt [-]: 60 steps per oscillation."""
WHAT = _("Shaking")


def shake(experiment: Experiment, amplitude: float, frequency: float, upright: bool) -> None:
    """Shake the table with this amplitude [m] and frequency [Hz], vertically or horizontally, until `end_shake` or the
    next `shake`; raises `ParameterError`."""
    require_running(experiment, WHAT)
    amplitude = checked_number(amplitude, MOST_AMPLITUDE, _("amplitude"), "m", WHAT)
    frequency = checked_number(frequency, MOST_FREQUENCY, _("frequency"), "Hz", WHAT)
    angular = 2.0 * math.pi * frequency
    if (acceleration := amplitude * angular**2) > LARGEST_ACCELERATION:
        raise ParameterError(
            Message(
                "{what} is refused: {amplitude} at {frequency} Hz accelerate the table by {acceleration} "
                "m/s², above {largest_acceleration} m/s²; choose a smaller amplitude or frequency.",
                what=WHAT,
                amplitude=length_text(amplitude),
                frequency=Number(frequency, format="g"),
                acceleration=Number(acceleration, format=".3g"),
                largest_acceleration=Number(LARGEST_ACCELERATION, format="g"),
            )
        )
    if angular * experiment.dt > RESOLVED:
        most = RESOLVED / (2.0 * math.pi * experiment.dt)
        raise ParameterError(
            Message(
                "{what} is refused: a time step of {dt} resolves up to {most} Hz, and the frequency is "
                "{frequency} Hz; choose a lower frequency or a smaller time step.",
                what=WHAT,
                dt=time_text(experiment.dt),
                most=Number(most, format=".3g"),
                frequency=Number(frequency, format="g"),
            )
        )
    prepare(experiment)
    direction = (0.0,) * (experiment.scene.model.dimension - 1) + (1.0,)
    experiment.run.shaker = Shaker(direction if upright else direction[::-1], amplitude, angular, experiment.time)
    way = _("up and down") if upright else _("sideways")
    notify(
        experiment,
        Message(
            "The table shakes {way} by {amplitude} at {frequency} Hz.",
            way=way,
            amplitude=length_text(amplitude),
            frequency=Number(frequency, format="g"),
        ),
    )


def end_shake(experiment: Experiment) -> None:
    """End the shaking, if the table shakes."""
    if experiment.run.shaker is not None:
        notify(experiment, _("The table stands still again."))
    experiment.run.shaker = None


def shown_shaking(experiment: Experiment) -> ShownShaking | None:
    """The shaking for the picture."""
    table = experiment.run.shaker
    if table is None:
        return None
    phase = table.angular_frequency * (experiment.time - table.begins)
    acceleration = table.amplitude * table.angular_frequency**2
    return ShownShaking(
        table.direction, table.amplitude, table.angular_frequency / (2.0 * math.pi), math.cos(phase), acceleration
    )
