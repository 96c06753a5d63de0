"""Prepared states of the heap, with which a lecture can begin with the opening of the wall.

`python -m repose.sim.scenes.heap.prepared [NAME …]` creates them again: containers are filled with seed 1 and written
to assets/columns. A prepared state is used for any friction, stiffness, damping or gravity, but only for the grains and
the container with which it was filled.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from repose.sim.engine.world import REBUILT_AT, STEP_COUNT, World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.io import world_tables
from repose.sim.message import Message
from repose.sim.parameters import ParameterError, ParameterSet, Value
from repose.sim.scenes.heap.container import HeapState
from repose.sim.wording import message_of

COLUMNS: Mapping[str, Mapping[str, Value]] = {
    "column": {},
    "small": {"grain_count": 300},
    "rough": {"base_radius": 1e-3},
    "rotating": {"rotation": True},
}
"""Prepared states by name: the parameters with which they are filled, where they differ from the defaults."""


def column(name: str, parameters: ParameterSet) -> tuple[World, Any] | None:
    """A filled column and its scene state at time zero; None if the column was filled with other grains or walls.

    Raises `ParameterError` if the file cannot be used.
    """
    try:
        blob = files("repose.assets.columns").joinpath(f"{name}.npz").read_bytes()
        world, state, facts = world_tables.from_bytes(blob, HeapState)
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
    state.since = state.quiet_since = state.still_since = 0.0
    state.prepared = True
    return world, state


def write(experiment: Experiment, path: Path) -> None:
    """Write the present world and scene state."""
    facts = {"parameters": experiment.parameters.model_dump(), "seed": experiment.seed}
    path.write_bytes(world_tables.to_bytes(experiment.run.world, experiment.run.state, facts))


def main() -> None:
    """Fill the columns of these names, or all, and write them to assets/columns."""
    for name in sys.argv[1:] or COLUMNS:
        experiment = new_experiment("heap", COLUMNS[name])
        apply(experiment, Act("fill"))
        while not is_finished(experiment):
            advance(experiment, 1000)
        # Half a second more: the column must be completely at rest when its wall is opened.
        advance(experiment, int(0.5 / experiment.dt))
        write(experiment, Path(str(files("repose.assets.columns"))) / f"{name}.npz")


if __name__ == "__main__":
    main()
