"""Parameters that curves change over time: their values follow the curves at every check.

At a check, every `CHECK_STEPS` steps of the run, a driven parameter gets the value of its curve at the middle of the
steps until the next check. Within them it differs from the curve by at most |dv/dt| `CHECK_STEPS` dt/2; its integral
over a time T, such as the speed that gravity gives, is wrong by at most |d²v/dt²| (`CHECK_STEPS` dt)² T/24.
A value that changes by more than a part of a ramp over the whole curve changes by a ramp, as a change by hand does.
"""

from __future__ import annotations

import math
from typing import Any

from repose.sim.experiment import faults
from repose.sim.experiment.activation import fit_ramp, follow_parameters, request_parameters
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.run import RAMP_PARTS
from repose.sim.message import Message, Number
from repose.sim.parameters import ParameterError, ParameterSet

CHECKS_PER_PERIOD = 20
"""Least number of checks in a period of a curve: the value then differs by at most 16 % of the amplitude."""


def follow_curves(experiment: Experiment) -> None:
    """Give the driven parameters their values until the next check."""
    present = experiment.parameters
    if not present.curves:
        return
    asked = present.at(experiment.time + 0.5 * CHECK_STEPS * experiment.dt)
    if asked is present:
        return
    if jumps(present, asked):
        request_parameters(experiment, asked)
        faults.update_dt(experiment)
        fit_ramp(experiment)
    else:
        follow_parameters(experiment, asked)


def jumps(before: Any, after: Any) -> bool:
    """Whether a value to which forces are proportional changes by more than a part of a ramp over its whole curve."""
    for name, curve in after.curves.items():
        low, high = curve.extremes
        change = abs(getattr(after, name) - getattr(before, name))
        if after.declared()[name].quantity.effect == "ramp" and change * RAMP_PARTS > high - low:
            return True
    return False


def is_driven(experiment: Experiment, periodic: bool = True) -> bool:
    """Whether a curve changes a parameter now or later; without `periodic`, one that ends."""
    ends = (curve.times[1] for curve in experiment.parameters.curves.values())
    return any(experiment.time < end and (periodic or end < math.inf) for end in ends)


def require_resolved(parameters: ParameterSet, dt: float) -> None:
    """Raise `ParameterError` if a curve oscillates too fast for checks at this time step [s]."""
    fastest = 1.0 / (CHECKS_PER_PERIOD * CHECK_STEPS * dt) if dt > 0.0 else math.inf
    for name, curve in parameters.curves.items():
        if curve.frequency > fastest:
            raise ParameterError(
                Message(
                    "{name} = {curve} is refused: with a time step of {dt} a curve has at most {fastest}, because "
                    "values change every {steps} steps.",
                    name=name,
                    curve=f"'{curve.text}'",
                    dt=Number(dt, "s"),
                    fastest=Number(fastest, "Hz", digits=3),
                    steps=CHECK_STEPS,
                )
            )
