"""Ramps: stiffness, damping and gravity follow a change over one contact time, since a jump of a force is an impulse.

The law reads numbers between those before the change and the requested ones. They change at steps that are known when
the ramp begins, each time by an equal amount (a quantity on a logarithmic scale: by an equal factor), and each time the
energy that the change puts into the contacts is booked. What limits a force, such as friction, and what is no number,
such as a choice of formula, changes at once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from repose.sim.experiment.activation import activate, parameters_in_force, update_contact_time, use_parameters
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import booked
from repose.sim.experiment.run import RAMP_PARTS, Ramp
from repose.sim.parameters import shared_names


def begin_ramp(experiment: Experiment, before: Any, asked: Any) -> None:
    """Begin a ramp from the parameters in force `before` to the requested ones, where a force would jump."""
    declared = asked.declared().values()
    names = [entry.name for entry in declared if entry.quantity.effect == "ramp"]
    # A parameter that only the new contact law has begins with its value.
    shared = shared_names(before, asked)
    values = {
        name: getattr(before, name)
        for name in names
        if name in shared and getattr(before, name) != getattr(asked, name)
    }
    moving = not experiment.run.world.fixed.all()
    experiment.run.ramp = Ramp(values, experiment.step, RAMP_PARTS) if values and moving else None


def request_parameters(experiment: Experiment, asked: Any) -> None:
    """Go over to the requested parameters, at once or by a ramp from those in force, and book the work."""
    before = parameters_in_force(experiment)
    with booked(experiment, "work"):
        begin_ramp(experiment, before, asked)
        activate(experiment, asked, experiment.run)


def fit_ramp(experiment: Experiment) -> None:
    """Let the ramp under way last one contact time in steps of the present size, at least a step for every part."""
    run = experiment.run
    if run.ramp is not None:
        steps = math.ceil(experiment.engine.contact_time / run.dt)
        run.ramp = replace(run.ramp, steps=max(RAMP_PARTS, steps))


def advance_ramp(experiment: Experiment) -> bool:
    """Let the next part act if it is due at this step, and book its work; True where the ramp has ended with it."""
    run = experiment.run
    if run.ramp is None or run.ramp.parts_done(run.step) == run.ramp.parts_done(run.step - 1):
        return False
    with booked(experiment, "work"):
        if run.ramp.parts_done(run.step) == RAMP_PARTS:
            run.ramp = None
        use_parameters(experiment, parameters_in_force(experiment))
    if run.ramp is None:
        update_contact_time(experiment)
    return run.ramp is None
