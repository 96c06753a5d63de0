"""Prepared states of the heap, with which a lecture can begin with the opening of the wall.

`python -m repose.sim.scenes.heap.prepared [NAME …]` creates them again. A prepared state is used for any friction,
stiffness, damping or gravity, but only for the grains and the container with which it was filled.
"""

from __future__ import annotations

import sys

from repose.sim.engine.world import World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.scenes.common.prepared_states import Filling, reading, write
from repose.sim.scenes.heap.container import HeapState

COLUMNS = {
    "column": Filling(),
    "small": Filling({"grain_count": 300}, 8),  # its heaps are close to the means of many; small heaps scatter
    "rough": Filling({"base_radius": 1e-3}),
    "rotating": Filling({"rotation": True}),
}
"""Prepared states by name."""


def begin_anew(state: HeapState, world: World) -> None:
    """Mark the state as a prepared one."""
    state.prepared = True


PREPARED = reading(COLUMNS, HeapState, begin_anew)


def main() -> None:
    """Fill the columns of these names, or all, and write them."""
    for name in sys.argv[1:] or COLUMNS:
        experiment = new_experiment("heap", COLUMNS[name].values, COLUMNS[name].seed)
        apply(experiment, Act("fill"))
        while not is_finished(experiment):
            advance(experiment, 1000)
        write(experiment, name)


if __name__ == "__main__":
    main()
