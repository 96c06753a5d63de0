"""The public API for scripts: one experiment with about a dozen short methods.

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

from repose.sim.engine.contacts.contact_table import ContactTable
from repose.sim.engine.model import Model
from repose.sim.engine.world import Floats, World
from repose.sim.experiment import changes, control, headless, history, results, saved_run, stepping
from repose.sim.experiment.commands import Act, Command, SetParameters
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.sampling import system_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.energy import Energy
from repose.sim.parameters import ParameterError, Value
from repose.sim.registry import scenes


class Simulation:
    """A scene, by name or as a record, with `values` over its defaults; `prepared` names a state to start from.

    Raises `ParameterError` if the scene, a value, the seed or the prepared state is refused. `experiment` holds all
    data (repose.sim.experiment.experiment).
    """

    def __init__(
        self,
        scene: str | Scene = "heap",
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

    @property
    def world(self) -> World:
        """The tables of the present state; a new object replaces them when spheres are added or removed."""
        return self.experiment.run.world

    @property
    def model(self) -> Model:
        """Law, integrator and dimension."""
        return self.experiment.engine.model

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.experiment.time

    @property
    def position(self) -> Floats:
        """Centres of the spheres [m], shape (spheres, dimension), a copy."""
        return self.world.motion[: self.model.dimension, 0].T.copy()

    @property
    def velocity(self) -> Floats:
        """Velocities at the time of the positions [m/s], shape (spheres, dimension), a copy."""
        lead = self.model.integrator.velocity_lead * self.experiment.dt
        motion = self.world.motion[: self.model.dimension]
        return (motion[:, 1] - lead * motion[:, 2]).T.copy()

    @property
    def spin(self) -> Floats:
        """Angular velocities [rad/s], shape (spheres, 0, 1 or 3), a copy."""
        return self.world.motion[self.model.dimension :, 1].T.copy()

    def contacts(self) -> ContactTable:
        """Every present contact: rows of both spheres, branch [m] and force on the first one [N]."""
        return system_of(self.experiment).contacts

    def energy(self) -> Energy:
        """The energy ledger [J]."""
        return energy_of(self.experiment)

    def save(self, path: str | Path) -> None:
        """Write the whole run to a file; raises `OSError`, and `ParameterError` for a scene that is in no list."""
        scene = self.experiment.scene
        if scenes().get(scene.name) is not scene:
            raise ParameterError(f"{scene.title} cannot be saved as a run: keep the script that places them.")
        saved_run.save(history.saved_copy(self.experiment), Path(path))

    def results(self) -> dict[str, Any]:
        """The content of result.json, in SI units and of types that JSON has."""
        return results.results_of(self.experiment)

    def state_hash(self) -> str:
        """Digest of step, time and world: equal for equal runs."""
        return results.state_hash(self.experiment.run)
