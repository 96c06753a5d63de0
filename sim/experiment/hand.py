"""External actions of the user's mouse on the grains: a pull, a push, a shaking table; and their step loop.

While one of them acts, all three fields are added to those of the model: a single further loop is needed, which shares
most parts with the loop of the model. The field of an action that is not in use exerts no force.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from repose.sim.engine.jit import address_of
from repose.sim.engine.model import Coefficients, Model
from repose.sim.engine.parts import argument_types, compiled_parts
from repose.sim.engine.step import compose
from repose.sim.engine.threads import is_compiled
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.run import Run
from repose.sim.fields import pusher, shaker, target
from repose.sim.fields.target import Target
from repose.sim.message import Message, Number
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

FARTHEST = 1e6
"""Largest coordinate in a command [m]."""
SHARE = 0.05
"""Largest frequency of a spring of these fields times dt [-]. The limit of every scheme is more than ten times larger:
the time step does not depend on these fields."""


def acts(run: Run) -> bool:
    """Whether a pull, push or shaking acts now."""
    return run.target is not None or run.pusher is not None or run.shaker is not None


def holds(run: Run) -> bool:
    """Whether a pull or push acts now, whose forces can hold grains where they would not rest by themselves."""
    return run.target is not None or run.pusher is not None


def stepper(experiment: Experiment) -> tuple[Any, Coefficients]:
    """The step loop and the numbers of its fields and bonds, with the fields of the hand if one of them acts."""
    run, coefficients = experiment.run, experiment.coefficients
    if not acts(run):
        return experiment.engine.advance, coefficients
    return compose(model_with_hand(experiment.engine.model)), coefficients._replace(
        fields=(*coefficients.fields, *coefficients_of_hand(run, experiment.scene.model.dimension))
    )


def model_with_hand(model: Model) -> Model:
    """The model with the fields of the hand beside its own."""
    return replace(model, fields=(*model.fields, target.BOUND, pusher.BOUND, shaker.BOUND))


def coefficients_of_hand(run: Run, dimension: int) -> tuple[Any, ...]:
    """The numbers of the three fields of the hand; fields that do not act get numbers without effect."""
    acting = run.target, run.pusher, run.shaker
    return tuple(one or idle for one, idle in zip(acting, idle_coefficients(dimension), strict=True))


def idle_coefficients(dimension: int) -> tuple[Any, ...]:
    """Numbers with which the three fields of the hand exert no force."""
    return Target((0.0,) * dimension, -1, 0.0, 0.0, 0.0), pusher.standing(dimension), shaker.at_rest(dimension)


def with_idle_hand(coefficients: Coefficients, dimension: int) -> Coefficients:
    """The numbers of a model with the fields of the hand, none of which acts."""
    return coefficients._replace(fields=(*coefficients.fields, *idle_coefficients(dimension)))


def compiled_fields(model: Model, coefficients: Coefficients) -> Any:
    """numba's dispatcher of the forces of all fields, of the model and of the hand; the loop of the model shares all
    other parts."""
    return compiled_parts(model_with_hand(model), (), with_idle_hand(coefficients, model.dimension)).add_field_forces


def compile_fields(model: Model, coefficients: Coefficients) -> None:
    """Compile or load these forces in advance, which avoids a wait at the first action of the mouse."""
    address_of(compiled_fields(model, coefficients), argument_types()["add_field_forces"])


def prepare(experiment: Experiment) -> None:
    """Announce the compilation of the loop with the hand, if it is needed; called before the hand acts."""
    loop = compose(model_with_hand(experiment.engine.model))
    if not acts(experiment.run) and not is_compiled(loop, experiment.run.world):
        experiment.session.before_compiling(experiment)


def require_running(experiment: Experiment, what: Message) -> None:
    """Raise `ParameterError` after a fault; the sentence begins with `what`."""
    if experiment.fault is not None:
        raise ParameterError(Message("{what} is refused: the run has stopped; continue it first.", what=what))


def checked_place(experiment: Experiment, position: Any, what: Message) -> tuple[float, ...]:
    """The position in a command [m], checked; raises `ParameterError`."""
    dimension = experiment.scene.model.dimension
    try:
        place = tuple(map(float, position))
    except (TypeError, ValueError):
        place = ()
    if len(place) != dimension or not all(abs(x) <= FARTHEST for x in place):
        raise ParameterError(
            Message(
                "{what} is refused: the place {position} is none of {dimension} coordinates from {value} "
                "to {farthest} m.",
                what=what,
                position=value_text(position),
                dimension=dimension,
                value=Number(-FARTHEST, format="g"),
                farthest=Number(FARTHEST, format="g"),
            )
        )
    return place


def checked_number(value: Any, most: float, name: Message, unit: str, what: Message) -> float:
    """A number in a command, checked to be above 0 and at most `most`; raises `ParameterError`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= most:
        raise ParameterError(
            Message(
                "{what} is refused: the {name} is {value} {unit}; give one above 0 and up to {most} {unit2}.",
                what=what,
                name=name,
                value=value_text(value),
                unit=unit,
                most=Number(most, format="g"),
                unit2=unit,
            )
        )
    return float(value)


def acceleration_of_hand(run: Run) -> float:
    """Largest acceleration of a grain by a shaking table [m/s²]."""
    table = run.shaker
    return table.amplitude * table.angular_frequency**2 if table is not None else 0.0


def speed_of_hand(run: Run, now: float) -> float:
    """Largest speed of the surface of the pusher from the time `now` [s] on [m/s]; a pusher that rests or has its full
    size needs no shorter time step than the grains."""
    rod = run.pusher
    if rod is None:
        return 0.0
    moves = now < rod.begins + rod.lasts
    # The distance at which the pusher acts grows to the sum of both radii.
    full = rod.radius + float(run.world.radius.max(initial=0.0))
    grows = pusher.grown(rod, full, now) < full
    speed: float = moves * math.hypot(*rod.velocity) + grows * rod.growth
    return speed
