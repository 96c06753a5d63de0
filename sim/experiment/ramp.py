"""A ramp: stiffness, damping and gravity follow a change over one contact time, for a jump of a force is a kick.

The law reads numbers between those before the change and those asked for. They change at steps that are known when the
ramp begins, each time by an equal share (a quantity on a logarithmic scale: by an equal factor), and each time the
energy that this puts into the contacts is booked. Values at once: whatever has no force to jump, as a Coulomb limit,
and whatever is no number, as a choice of formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from repose.sim.experiment import automatic_step

if TYPE_CHECKING:
    from repose.sim.experiment.experiment import Experiment

PARTS = 8
"""Changes a ramp consists of."""


@dataclass(frozen=True)
class Ramp:
    """Parameters on their way to what is asked for."""

    values: Mapping[str, float]
    """Where they set out from, SI, by name."""
    begins: int
    """Step it begins at; the first part acts later."""
    steps: int
    """Steps it lasts, at least PARTS."""

    def parts_done(self, step: int) -> int:
        """Parts that have acted once `step` is reached; the m-th does so m steps / PARTS after the beginning."""
        return min(PARTS, ((step - self.begins + 1) * PARTS - 1) // self.steps)

    def steps_left(self, step: int) -> int:
        """Steps from `step` to the next part."""
        return self.begins + (self.parts_done(step) + 1) * self.steps // PARTS - step


def in_force(experiment: Experiment) -> Any:
    """The parameters the law and the weight are made of now: those asked for, or on the way to them."""
    asked, ramp = experiment.parameters, experiment.run.ramp
    if ramp is None:
        return asked
    share = ramp.parts_done(experiment.step) / PARTS
    declared = asked.declared()
    return asked.model_copy(
        update={
            name: _between(value, getattr(asked, name), share, declared[name].quantity.log)
            for name, value in ramp.values.items()
        }
    )


def _between(before: float, after: float, share: float, log: bool) -> float:
    if share >= 1.0 or before == after:
        return after
    if log and before > 0.0 and after > 0.0:
        return before * math.pow(after / before, share)
    return before + share * (after - before)


def hand_over(experiment: Experiment, parameters: Any) -> None:
    """Let law and weight read the numbers of these parameters."""
    experiment.engine.law_parameters = experiment.engine.model.law.numbers(parameters)
    experiment.engine.gravity = parameters.gravity_vector(experiment.scene.dimension)


@contextmanager
def at_its_end(experiment: Experiment) -> Iterator[None]:
    """Numbers as they will be when the ramp is over."""
    hand_over(experiment, experiment.parameters)
    try:
        yield
    finally:
        hand_over(experiment, in_force(experiment))


def foreseen_dt(experiment: Experiment) -> float:
    """Largest step borne by the contacts there are and by those to come, now and when the ramp is over [s]."""
    now = automatic_step.foreseen_dt(experiment, survey_contacts(experiment))
    if experiment.run.ramp is None:
        return now
    with at_its_end(experiment):
        return min(now, automatic_step.foreseen_dt(experiment, survey_contacts(experiment)))


def begun(experiment: Experiment, before: Any) -> Ramp | None:
    """A ramp from the parameters in force `before` to those asked for; None if there is nothing to be kicked."""
    declared = experiment.parameters.declared().values()
    names = [entry.name for entry in declared if entry.quantity.effect == "ramp"]
    values = {name: getattr(before, name) for name in names}
    differ = any(value != getattr(experiment.parameters, name) for name, value in values.items())
    if not differ or experiment.run.world.fixed.all():
        return None
    return Ramp({n: v for n, v in values.items() if v != getattr(experiment.parameters, n)}, experiment.step, PARTS)


def contact_time(experiment: Experiment) -> float:
    """How long a typical contact lasts now, or at the end of the ramp under way if that is longer [s]."""
    now = automatic_step.contact_time(experiment)
    if experiment.run.ramp is None:
        return now
    with at_its_end(experiment):
        return max(now, automatic_step.contact_time(experiment))


def lasting(experiment: Experiment, ramp: Ramp) -> Ramp:
    """The ramp over one contact time in steps of now, but at least a step for every part."""
    steps = math.ceil(experiment.engine.contact_time / experiment.run.dt)
    return Ramp(ramp.values, ramp.begins, max(PARTS, steps))


def go_on(experiment: Experiment) -> None:
    """Let the next part act if it is due at this step, and book its work."""
    run = experiment.run
    if run.ramp is None or run.ramp.parts_done(run.step) == run.ramp.parts_done(run.step - 1):
        return
    with booked(experiment, "work"):
        if run.ramp.parts_done(run.step) == PARTS:
            run.ramp = None
        hand_over(experiment, in_force(experiment))
    if run.ramp is None:
        experiment.engine.contact_time = contact_time(experiment)
        set_dt(experiment)
