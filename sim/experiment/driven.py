"""Parameters that curves change over time: their values follow the curves at every check.

At a check, every `CHECK_STEPS` steps of the run, a driven parameter gets the value of its curve at the middle of the
steps until the next check, before the scene drives its walls with it. Within them it differs from the curve by at most
|dv/dt| `CHECK_STEPS` dt/2; its integral over a time T, such as the speed that gravity gives or the way of a wall, is
wrong by at most |d²v/dt²| (`CHECK_STEPS` dt)² T/24. A curve that is set has its first value until the next check.
A value that changes by more than a part of a ramp over the whole curve changes by a ramp, as a change by hand does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from repose.sim.engine.timestep.stable_step import automatic_dt
from repose.sim.engine.timestep.survey import Survey
from repose.sim.experiment import faults
from repose.sim.experiment.activation import fit_ramp, follow_parameters, request_parameters
from repose.sim.experiment.automatic_step import foreseen_dt
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.run import RAMP_PARTS, DrivenWall
from repose.sim.message import Message, Number
from repose.sim.parameter_curves import ParameterCurve, is_curve, read_curve
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

CHECKS_PER_PERIOD = 20
"""Least number of checks in a period of a curve: the value then differs by at most 16 % of the amplitude."""

SHORTER = 4.0
"""Factor by which contacts are expected to shorten the step at the most [-]: they are then 16 times as stiff as those
of a dense cluster."""
NO_CONTACTS = Survey(0, 0.0, 0.0, 0.0, math.inf, 0.0, 0.0, -1)


def middle_of_hold(experiment: Experiment) -> float:
    """Simulated time in the middle of the steps until the next check [s]."""
    left = CHECK_STEPS - experiment.step % CHECK_STEPS
    return experiment.time + 0.5 * left * experiment.dt


def follow_curves(experiment: Experiment) -> None:
    """Give the driven parameters their values until the next check."""
    present = experiment.parameters
    if not present.curves:
        return
    asked = present.at(middle_of_hold(experiment))
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
    """Whether a curve changes a parameter or a wall now or later; without `periodic`, one that ends."""
    of_walls = (curve for driven in experiment.run.driven_walls for curve in curves_of(driven))
    ends = (curve.times[1] for curve in (*experiment.parameters.curves.values(), *of_walls))
    return any(experiment.time < end and (periodic or end < math.inf) for end in ends)


def curves_of(driven: DrivenWall) -> tuple[ParameterCurve, ...]:
    """The curves that a wall follows."""
    return tuple(read_curve(str(text)) for text in (*driven.velocity, driven.load) if is_curve(text))


def require_resolved(curves: Mapping[str, ParameterCurve], dt: float, margin: float = 1.0) -> None:
    """Raise `ParameterError` if one of these curves, by the name of what follows it, oscillates too fast for checks at
    this time step [s], by more than the factor `margin` [-]."""
    fastest = 1.0 / (CHECKS_PER_PERIOD * CHECK_STEPS * dt) if dt > 0.0 else math.inf
    for name, curve in curves.items():
        if curve.frequency > margin * fastest:
            raise ParameterError(
                Message(
                    "{name} = {curve} is refused: with a time step of {dt} a curve has at most {fastest}, because "
                    "values change every {steps} steps.",
                    name=name,
                    curve=value_text(curve.typed),
                    dt=Number(dt, "s"),
                    fastest=Number(fastest, "Hz", digits=3),
                    steps=CHECK_STEPS,
                )
            )


def require_resolvable(experiment: Experiment) -> None:
    """Raise `ParameterError` if a curve is too fast for the step with which the experiment would begin now; the engine
    need not be compiled.

    The contacts, which are not known yet, can only shorten the step. Among grains that move a curve is therefore
    refused here if it is too fast by more than the factor `SHORTER`, and otherwise once the step is known.
    """
    curves = experiment.parameters.curves
    if not any(curve.frequency for curve in curves.values()):
        return
    if (dt := experiment.parameters.dt) != "auto":
        require_resolved(curves, dt)
        return
    margin = 1.0 if experiment.run.world.fixed.all() else SHORTER
    require_resolved(curves, automatic_dt(foreseen_dt(experiment, NO_CONTACTS)), margin)
