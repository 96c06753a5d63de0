"""Prepared states shipped with the program, so that a lecture can start at the open-wall step.

Make them anew with `python -m repose.sim.io.prepared`: the default preset is filled with seed 1 and written to
assets/columns. A prepared state is used for any friction, stiffness, damping or gravity; it is
not used when the grains or the container are others than those it was filled with.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repose.sim.engine.world import REBUILT_AT, STEP_COUNT, World
from repose.sim.io import world_tables
from repose.sim.parameters import ParameterError, ParameterSet
from repose.sim.scenes.heap.filling import HeapState

if TYPE_CHECKING:
    from repose.sim.experiment.simulation import Simulation

NAMES = ("column",)


def load(name: str, parameters: ParameterSet) -> tuple[World, Any] | None:
    """The prepared world and scene state, its clock at zero; None if it was filled with other grains or walls."""
    if name not in NAMES:
        raise ParameterError(f"ready = {name!r} is refused: the prepared states are {', '.join(NAMES)}.")
    try:
        blob = files("repose.assets.columns").joinpath(f"{name}.npz").read_bytes()
        world, state, facts = world_tables.from_bytes(blob, HeapState)
    except (OSError, world_tables.StoreError) as error:
        raise ParameterError(f"The prepared state '{name}' cannot be used: {error} Start without it.") from None
    for parameter in parameters.declared().values():
        fixed = parameter.quantity.effect in ("base", "restart")
        if fixed and facts["parameters"].get(parameter.name) != getattr(parameters, parameter.name):
            return None
    world.counters[REBUILT_AT] -= world.counters[STEP_COUNT]
    world.counters[STEP_COUNT] = 0
    world.ledger[:] = world.deepest[:] = 0.0
    state.since = state.quiet_since = 0.0
    return world, state


def save(simulation: Simulation, path: Path) -> None:
    """Write the world as it is now."""
    facts = {"parameters": simulation.parameters.model_dump(), "seed": simulation.seed}
    path.write_bytes(world_tables.to_bytes(simulation.run.world, simulation.run.state, facts))


def main() -> None:
    """Fill the default column and write it to assets/columns."""
    from repose.sim.experiment.commands import Act
    from repose.sim.experiment.simulation import Simulation

    simulation = Simulation("heap")
    simulation.apply(Act("fill"))
    while not simulation.finished():
        simulation.advance(1000)
    # Another half second, so that the wall is opened on a column that is really at rest.
    simulation.advance(int(0.5 / simulation.dt))
    save(simulation, Path(str(files("repose.assets.columns"))) / "column.npz")


if __name__ == "__main__":
    main()
