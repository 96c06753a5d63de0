"""Prepared states: the world and the state of a scene once its grains have settled, in files of assets/columns, so that
an experiment begins before an audience with what belongs to its question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from repose.sim.engine.world import REBUILT_AT, STEP_COUNT, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.stepping import advance
from repose.sim.io import world_tables
from repose.sim.message import Message
from repose.sim.parameters import ParameterError, ParameterSet, Value
from repose.sim.wording import message_of

Read = Callable[[ParameterSet], tuple[World, Any] | None]
"""One of `Course.prepared`."""
REST = 0.5
"""Time that settled grains rest before their state is written [s]: they must be completely at rest when a wall or neck
is opened."""


class Filling(NamedTuple):
    """How a prepared state is made."""

    values: Mapping[str, Value] = {}
    """Parameters that differ from the defaults of the scene."""
    seed: int = 1


def reading(names: Mapping[str, Filling], state: type, begin_anew: Callable[[Any, World], None]) -> dict[str, Read]:
    """`Course.prepared` of a scene with this dataclass of its state; `begin_anew(state, world)` sets what the scene has
    counted while it was filled to its beginning."""
    return {name: partial(read, name, state, begin_anew) for name in names}


def read(
    name: str, state: type, begin_anew: Callable[[Any, World], None], parameters: ParameterSet
) -> tuple[World, Any] | None:
    """The world and the scene state at time zero; None if they were prepared with other grains or walls.

    Raises `ParameterError` if the file cannot be used.
    """
    try:
        blob = files("repose.assets.columns").joinpath(f"{name}.npz").read_bytes()
        world, found, facts = world_tables.from_bytes(blob, state)
    except (OSError, world_tables.StoreError) as error:
        raise ParameterError(
            Message(
                "The prepared state '{name}' cannot be used: {error} Start without it.",
                name=name,
                error=message_of(error),
            )
        ) from None
    for parameter in parameters.declared().values():
        fixed = parameter.quantity.effect in ("base", "anew", "restart")
        filled_with = facts["parameters"].get(parameter.name, parameter.default)  # later parameters had their default
        if fixed and filled_with != getattr(parameters, parameter.name):
            return None
    world.counters[REBUILT_AT] -= world.counters[STEP_COUNT]
    world.counters[STEP_COUNT] = 0
    world.ledger[:] = world.stiffening[:] = world.largest_overlap[:] = 0.0
    found.since = found.quiet_since = found.still_since = 0.0
    begin_anew(found, world)
    return world, found


def write(experiment: Experiment, name: str) -> None:
    """Let the settled grains rest a while longer, and write world and scene state to assets/columns."""
    advance(experiment, int(REST / experiment.dt))
    facts = {"parameters": experiment.parameters.model_dump(), "seed": experiment.seed}
    path = Path(str(files("repose.assets.columns"))) / f"{name}.npz"
    path.write_bytes(world_tables.to_bytes(experiment.run.world, experiment.run.state, facts))
