"""The public API for scripts: one experiment with about a dozen short methods.

simulation = Simulation("heap", {"friction": 0.3}, prepared="column")
simulation.act("open")
simulation.run(until=2.0)
print(simulation.results()["angle_of_repose"])
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from repose.sim.engine.checked import numbers_in
from repose.sim.engine.contacts.contact_table import ContactTable
from repose.sim.engine.model import Model
from repose.sim.engine.world import Floats, World
from repose.sim.experiment import changes, control, headless, history, results, saved_run, stepping
from repose.sim.experiment.commands import Act, Command, SetParameters
from repose.sim.experiment.energy_gap import gap_sentence
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.sampling import reading_of
from repose.sim.experiment.script_values import checked_command, plain_values
from repose.sim.experiment.snapshot import Fault, Snapshot
from repose.sim.experiment.step_notice import step_notice
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.energy import Energy
from repose.sim.parameters import ParameterError, Value, plain_number
from repose.sim.registry import scenes
from repose.sim.wording import value_text

GAP_STEPS = 200
"""Steps between two checks of the energy ledger, each of which costs as much as three to four steps."""

OnFault = Literal["raise", "return"]
"""What `step` and `run` do at a fault of the motion: raise `SimulationFault`, or return."""
ON_FAULT = get_args(OnFault)


class SimulationFault(RuntimeError):
    """The run has stopped because of a fault of the motion, and the last good state has been restored.

    The run continues from there after a command that removes the cause, such as `set(dt="auto")`.
    """

    def __init__(self, fault: Fault, steps: int = 0) -> None:
        super().__init__(fault, steps)
        self.fault = fault
        """Message, grain and remedies."""
        self.steps = steps
        """Steps that were done until the fault; the steps after the last good state are lost."""

    def __str__(self) -> str:
        return str(self.fault.message)


class TimeStepWarning(UserWarning):
    """The time step is far too large for the contacts, or absurdly small."""


class EnergyGapWarning(UserWarning):
    """The energy ledger of the run has a gap above 2 % of the converted energy."""


class Simulation:
    """A scene, by name or as a record, or the default one, with `values` over its defaults; `prepared` names a state to
    start from.

    Raises `ParameterError` if the scene, a value, the seed or the prepared state is refused. Warns with
    `TimeStepWarning` of a time step that does not suit the contacts, and once per run with `EnergyGapWarning` if the
    energy does not balance. `experiment` holds all data (repose.sim.experiment.experiment).
    """

    _checked: tuple[object, float] | None = None
    """Parameters and time step at the latest check of the step."""
    _told: object = None
    """Parameters for which there was a warning."""
    _gap_checked: int = 0
    """Step of the latest check of the energy ledger."""
    _gap_seen: bool = False
    """Whether that check found a gap."""
    _gap_told: bool = False
    """Whether there was a warning of a gap."""

    def __init__(
        self,
        scene: str | Scene | None = None,
        values: Mapping[str, Value] | None = None,
        seed: int = 1,
        prepared: str | None = None,
    ) -> None:
        if not isinstance(scene, str | Scene | None):
            raise ParameterError(f"scene = {value_text(scene)} is refused: give the name of a scene, or its record.")
        named = plain_values({} if values is None else values)
        self.experiment: Experiment = changes.new_experiment(scene, named, plain_number(seed), prepared)
        self._notice_step()

    @classmethod
    def load(cls, path: str | Path) -> Simulation:
        """A saved run, ready to continue; raises `ArchiveError`."""
        experiment = cls.__new__(cls)
        experiment.experiment = changes.resumed_experiment(saved_run.load(_path(path)))
        return experiment

    def apply(self, command: Command) -> None:
        """Carry out a command; raises `ParameterError` if it is refused."""
        if refusal := control.apply(self.experiment, checked_command(command)):
            raise ParameterError(refusal)
        self._notice_step()

    def act(self, action: str) -> None:
        """Carry out an action of the scene, such as "fill", "open" or "measure"."""
        self.apply(Act(action))

    def set(self, **values: Value) -> None:
        """Change parameters, SI values; after a fault the run can continue from the last good state."""
        self.apply(SetParameters(values))

    @property
    def fault(self) -> Fault | None:
        """Why the run has stopped, or None."""
        return self.experiment.fault

    def step(self, count: int = 1, on_fault: OnFault = "raise") -> int:
        """Advance by `count` steps; returns how many were done.

        At a fault `SimulationFault` is raised; with `on_fault="return"` fewer steps are returned, and `fault` says why.
        """
        number = plain_number(count)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ParameterError(f"count = {value_text(count)} is refused: it must be a whole number of steps from 0.")
        _require_on_fault(on_fault)
        done = stepping.advance(self.experiment, number)
        self._stop(on_fault, done)
        return done

    def run(self, until: float = math.inf, on_fault: OnFault = "raise") -> dict[str, Any]:
        """Run the whole experiment, at most to the simulated time `until` [s]; returns its results.

        What an action has begun continues to its end; otherwise the whole experiment begins (action "run"). At a fault
        `SimulationFault` is raised; with `on_fault="return"` the results contain it.
        """
        _require_on_fault(on_fault)
        end = self._checked_end(until)
        before = self.experiment.history.at
        if self.experiment.fault is not None:
            self._stop(on_fault, 0)
            return self.results()
        found = headless.run_experiment(self.experiment, until=end, under_way=True)
        self._stop(on_fault, self.experiment.history.at - before)
        self._tell_gap(found["energy_notice"])
        return found

    def _checked_end(self, until: float) -> float:
        """The time at which a run ends at the latest [s]; raises `ParameterError` if the run would have no end."""
        given = numbers_in("until", until, "a time of at least 0 s")
        end = float(given) if given.shape == () else math.nan
        if not end >= 0.0:
            raise ParameterError(f"until = {value_text(until)} is refused: it must be a time of at least 0 s.")
        scene = self.experiment.scene
        if math.isinf(end) and "run" not in {action.name for action in scene.course.actions(self.experiment)}:
            raise ParameterError(
                f"'{scene.title}' has no end of its own: give a time to stop at, as in run(until=1.0)."
            )
        return end

    def _stop(self, on_fault: OnFault, steps: int) -> None:
        """Raise the present fault, if the caller does not want it returned, and check time step and energy."""
        if self.experiment.fault is not None and on_fault == "raise":
            raise SimulationFault(self.experiment.fault, steps)
        self._notice_step()
        if not self._gap_told and self.experiment.step >= self._gap_checked + GAP_STEPS:
            self._notice_gap()

    def _notice_gap(self) -> None:
        """Warn once of a gap of the energy ledger that two checks in a row find.

        During a contact the ledger is balanced to half a step of its damping only, and a sphere that bounces without
        loss has little energy at its highest point.
        """
        self._gap_checked, before = self.experiment.step, self._gap_seen
        words = gap_sentence(self.experiment, energy_of(self.experiment))
        self._gap_seen = bool(words)
        if before:
            self._tell_gap(words)

    def _tell_gap(self, words: str | None) -> None:
        if words and not self._gap_told:
            self._gap_told = True
            warnings.warn(words, EnergyGapWarning, stacklevel=_level_of_script())

    def _notice_step(self) -> None:
        """Warn of a time step that does not suit the contacts, once for each choice of parameters."""
        now = self.experiment.parameters, self.experiment.dt
        if now == self._checked or now[0] is self._told:
            return
        self._checked = now
        if words := step_notice(self.experiment):
            self._told = now[0]
            warnings.warn(words, TimeStepWarning, stacklevel=_level_of_script())

    def measure(self) -> Any:
        """The present measurement of the scene; None if there is nothing to measure, or while a pull or push holds
        grains."""
        return reading_of(self.experiment)

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
    def dt(self) -> float:
        """Time step in use [s]."""
        return self.experiment.dt

    @property
    def position(self) -> Floats:
        """Centres of the spheres [m], shape (spheres, dimension), a copy."""
        return self.world.motion[: self.model.dimension, 0].T.copy()

    @property
    def velocity(self) -> Floats:
        """Velocities at the time of the positions [m/s], shape (spheres, dimension), a copy."""
        velocity_lead = self.model.integrator.velocity_lead * self.experiment.dt
        motion = self.world.motion[: self.model.dimension]
        return (motion[:, 1] - velocity_lead * motion[:, 2]).T.copy()

    @property
    def spin(self) -> Floats:
        """Angular velocities [rad/s], shape (spheres, 0, 1 or 3), a copy."""
        return self.world.motion[self.model.dimension :, 1].T.copy()

    def contacts(self) -> ContactTable:
        """Every present contact: rows of both spheres, branch [m] and force on the first one [N]."""
        engine = self.experiment.engine
        return engine.contact_table(self.experiment.run.world, engine.law_parameters)

    def energy(self) -> Energy:
        """The energy ledger [J]."""
        return energy_of(self.experiment)

    def save(self, path: str | Path) -> None:
        """Write the whole run to a file; raises `OSError`, and `ParameterError` for a scene that is in no list."""
        target, scene = _path(path), self.experiment.scene
        if scenes().get(scene.name) is not scene:
            raise ParameterError(f"{scene.title} cannot be saved as a run: keep the script that places them.")
        saved_run.save(history.saved_copy(self.experiment), target)

    def results(self) -> dict[str, Any]:
        """The content of result.json, in SI units and of types that JSON has."""
        found = results.results_of(self.experiment)
        self._tell_gap(found["energy_notice"])
        return found

    def state_hash(self) -> str:
        """Digest of step, time and world: equal for equal runs."""
        return results.state_hash(self.experiment.run)


def _require_on_fault(on_fault: str) -> None:
    if on_fault not in ON_FAULT:
        raise ParameterError(f"on_fault = {value_text(on_fault)} is refused: it must be 'raise' or 'return'.")


def _path(path: Any) -> Path:
    """The path of a file that a script gives; raises `ParameterError`."""
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"path = {value_text(path)} is refused: give the path of a file.")
    return Path(path)


def _level_of_script() -> int:
    """The `stacklevel` of a warning in the calling function that names the line of the script."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("repose."):
        level, frame = level + 1, frame.f_back
    return level
