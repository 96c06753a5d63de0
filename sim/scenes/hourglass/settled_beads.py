"""Prepared states of the hourglass of glass beads: grains at rest over the closed neck.

`python -m repose.sim.scenes.hourglass.settled_beads [NAME …]` creates them again.
"""

from __future__ import annotations

import sys

from repose.sim.engine.world import World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.stepping import advance
from repose.sim.scenes.common.phases import FILLED
from repose.sim.scenes.common.prepared_states import Filling, reading, write
from repose.sim.scenes.hourglass.random_filling import HourglassState

FILLINGS = {
    "beads": Filling(),
    "clogging": Filling({"orifice": 0.042, "grain_count": 800, "friction": 0.5}, 4),  # clogs after 439 grains
}
"""Prepared states by name."""


def begin_anew(state: HourglassState, world: World) -> None:
    """Count from the present heights, at time zero."""
    state.heights = world.motion[2, 0].tolist()
    state.density_at = state.opened = 0.0
    state.passages, state.densities, state.run_all = [], [], False


PREPARED = reading(FILLINGS, HourglassState, begin_anew)


def main() -> None:
    """Fill the glasses of these names, or all, and write them."""
    for name in sys.argv[1:] or FILLINGS:
        experiment = new_experiment("hourglass_glass", FILLINGS[name].values, FILLINGS[name].seed)
        while experiment.phase != FILLED.name:
            advance(experiment, 1000)
        write(experiment, name)


if __name__ == "__main__":
    main()
