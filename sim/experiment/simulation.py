"""The public API for scripts: one experiment with about a dozen methods of one line each.

simulation = Simulation("heap", {"friction": 0.3}, prepared="column")
simulation.act("open")
simulation.run(until=2.0)
print(simulation.results()["angle_of_repose"])
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repose.sim.experiment import changes, control, headless, history, results, saved_run, stepping
from repose.sim.experiment.commands import Act, Command, SetParameters
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterError, Value


class Simulation:
    """A scene with `values` over its default parameters; `prepared` names a state to start from.

    Raises `ParameterError` if the scene, a value, the seed or the prepared state is refused. `experiment` holds all
    data (repose.sim.experiment.experiment).
    """

    def __init__(
        self,
        scene: str = "heap",
        values: Mapping[str, Value] | None = None,
        seed: int = 1,
        prepared: str | None = None,
    ) -> None:
        self.experiment: Experiment = changes.new_experiment(scene, values, seed, prepared)

    @classmethod
    def load(cls, path: str | Path) -> Simulation:
        """A saved run, ready to continue; raises `ArchiveError`."""
        simulation = cls.__new__(cls)
        simulation.experiment = changes.resumed_experiment(saved_run.load(path))
        return simulation

    def apply(self, command: Command) -> None:
        """Carry out a command; raises `ParameterError` if it is refused."""
        if refusal := control.apply(self.experiment, command):
            raise ParameterError(refusal)

    def act(self, action: str) -> None:
        """Carry out an action of the scene, such as "fill", "open" or "measure"."""
        self.apply(Act(action))

    def set(self, **values: Value) -> None:
        """Change parameters, SI values."""
        self.apply(SetParameters(values))

    def step(self, count: int = 1) -> int:
        """Advance by at most `count` steps; returns how many were done, fewer only after a fault."""
        return stepping.advance(self.experiment, count)

    def run(self, until: float = math.inf) -> dict[str, Any]:
        """Run the whole experiment, at most to the simulated time `until` [s]; returns its results."""
        return headless.run_experiment(self.experiment, until=until, under_way=True)

    def measure(self) -> Any:
        """The present measurement of the scene, or None if there is nothing to measure."""
        return self.experiment.scene.measure(self.experiment)

    def snapshot(self) -> Snapshot:
        """Present positions, contacts and readings."""
        snapshot = Snapshot()
        take_snapshot(self.experiment, snapshot)
        return snapshot

    def save(self, path: str | Path) -> None:
        """Write the whole run to a file; raises `OSError`."""
        saved_run.save(history.saved_copy(self.experiment), Path(path))

    def results(self) -> dict[str, Any]:
        """The content of result.json, in SI units and of types that JSON has."""
        return results.results_of(self.experiment)

    def state_hash(self) -> str:
        """Digest of step, time and world: equal for equal runs."""
        return results.state_hash(self.experiment.run)
