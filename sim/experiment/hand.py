"""What acts on the grains from outside, as the mouse asks: a pull, a push, a shaking table. Their step loop.

While one of them acts, their three fields act beside those of the model, so that they need a single loop of their own,
most of whose parts are those of the model. A field without work to do adds nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from repose.sim.engine.jit import address_of
from repose.sim.engine.model import Model, Numbers
from repose.sim.engine.parts import argument_types, compiled_parts
from repose.sim.engine.step import compose
from repose.sim.engine.threads import is_compiled
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.run import Run
from repose.sim.fields import pusher, shaker, target
from repose.sim.fields.target import Target
from repose.sim.parameters import ParameterError

FARTHEST = 1e6
"""Bound of coordinates that a command gives [m]."""
SHARE = 0.05
"""Largest frequency of a spring of the hand times dt [-]. Every scheme allows more than ten times as much: the time
step need not follow the hand."""


def acts(run: Run) -> bool:
    """Whether anything acts from outside now."""
    return run.target is not None or run.pusher is not None or run.shaker is not None


def stepper(experiment: Experiment) -> tuple[Any, Numbers]:
    """The step loop, and what its fields and bonds read; with the hand, if it acts."""
    run, numbers = experiment.run, experiment.numbers
    if not acts(run):
        return experiment.engine.advance, numbers
    return compose(model_with_hand(experiment.engine.model)), numbers._replace(
        fields=(*numbers.fields, *numbers_of_hand(run, experiment.scene.dimension))
    )


def model_with_hand(model: Model) -> Model:
    """The model with the fields of the hand beside its own."""
    return replace(model, fields=(*model.fields, target.BOUND, pusher.BOUND, shaker.BOUND))


def numbers_of_hand(run: Run, dimension: int) -> tuple[Any, ...]:
    """What the fields of the hand read; of those without work to do, numbers of no effect."""
    acting = run.target, run.pusher, run.shaker
    return tuple(one or nothing for one, nothing in zip(acting, idle_numbers(dimension), strict=True))


def idle_numbers(dimension: int) -> tuple[Any, ...]:
    """The numbers of a hand that does nothing."""
    return Target((0.0,) * dimension, -1, 0.0, 0.0, 0.0), pusher.standing(dimension), shaker.at_rest(dimension)


def with_idle_hand(numbers: Numbers, dimension: int) -> Numbers:
    """The numbers of a model that reads those of the hand beside its own, while nothing acts."""
    return numbers._replace(fields=(*numbers.fields, *idle_numbers(dimension)))


def compiled_fields(model: Model, numbers: Numbers) -> Any:
    """The forces of the fields of a model and of the hand, as numba's dispatcher; the only part of a loop with the hand
    that the loop of the model does not have."""
    return compiled_parts(model_with_hand(model), (), with_idle_hand(numbers, model.dimension)).push_fields


def compile_fields(model: Model, numbers: Numbers) -> None:
    """Compile them, or load what is on disk, so that the first grab need not wait."""
    address_of(compiled_fields(model, numbers), argument_types()["push_fields"])


def prepare(experiment: Experiment) -> None:
    """Announce that the loop of the hand is compiled, if it is not yet; call it before the hand acts."""
    loop = compose(model_with_hand(experiment.engine.model))
    if not acts(experiment.run) and not is_compiled(loop, experiment.run.world):
        experiment.session.before_compiling(experiment)


def require_running(experiment: Experiment, what: str) -> None:
    """Refuse a command after a fault; `what` is what the sentence begins with."""
    if experiment.fault is not None:
        raise ParameterError(f"{what} is refused: the run has stopped; continue it first.")


def checked_place(experiment: Experiment, position: Any, what: str) -> tuple[float, ...]:
    """The place of a command [m]; raises `ParameterError`."""
    dimension = experiment.scene.dimension
    try:
        place = tuple(map(float, position))
    except (TypeError, ValueError):
        place = ()
    if len(place) != dimension or not all(abs(x) <= FARTHEST for x in place):
        raise ParameterError(
            f"{what} is refused: the place {position!r} is none of {dimension} coordinates from {-FARTHEST:g} to "
            f"{FARTHEST:g} m."
        )
    return place


def checked_number(value: Any, most: float, name: str, unit: str, what: str) -> float:
    """A number of a command above 0 and up to `most`; raises `ParameterError`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= most:
        raise ParameterError(
            f"{what} is refused: the {name} is {value!r} {unit}; give one above 0 and up to {most:g} {unit}."
        )
    return float(value)


def acceleration_of_hand(run: Run) -> float:
    """Largest acceleration that a shaking table gives a grain [m/s²]."""
    table = run.shaker
    return table.amplitude * table.angular_frequency**2 if table is not None else 0.0


def speed_of_hand(run: Run, now: float) -> float:
    """Speed at which the surface of the pusher can meet a grain from the time `now` [s] on [m/s]: once it stands, or
    has its full size, it needs no shorter time step than the grains."""
    rod = run.pusher
    if rod is None:
        return 0.0
    moves = now < rod.begins + rod.lasts
    # What it pushes at grows to the sum of both radii.
    full = rod.radius + float(run.world.radius.max(initial=0.0))
    grows = pusher.grown(rod, full, now) < full
    speed: float = moves * math.hypot(*rod.velocity) + grows * rod.growth
    return speed
