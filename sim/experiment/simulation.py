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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from repose.sim import registry
from repose.sim.engine.checked import checked_array, checked_number, numbers_in
from repose.sim.engine.contacts.contact_table import ContactTable
from repose.sim.engine.model import Model
from repose.sim.engine.world import Floats, World
from repose.sim.experiment import changes, control, headless, history, results, saved_run, stepping
from repose.sim.experiment.commands import (
    Act,
    Command,
    MoveWall,
    PlaceInstrument,
    RemoveInstrument,
    ServoWall,
    SetParameters,
    UseThreads,
    checked_threads,
)
from repose.sim.experiment.energy_gap import gap_sentence
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.instrument_values import present_values, shown_columns, units_of
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.notebook_view import RunResults, html_of, pandas
from repose.sim.experiment.sampling import reading_of, system_of
from repose.sim.experiment.script_values import checked_command, plain_values
from repose.sim.experiment.snapshot import Fault, Snapshot
from repose.sim.experiment.step_notice import step_notice
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.instruments.instrument import Instrument, unused_colour, unused_name
from repose.sim.measure.energy import Energy
from repose.sim.message import plain
from repose.sim.parameter_curves import is_curve
from repose.sim.parameters import DISPLAY_UNITS, ParameterError, Value, plain_number, require_known
from repose.sim.registry import by_hand, measurements, scenes
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


class TimeSeries(NamedTuple):
    """Samples of one quantity since the run began."""

    time: Floats
    """[s], shape (samples,)."""
    values: Floats
    """In `unit`, shape (samples,); nan where there was no value."""
    unit: str
    """SI unit; empty for a number."""

    def to_frame(self) -> Any:
        """A table of pandas: the values over the time [s], with the unit in `attrs`; raises `ParameterError` without
        pandas."""
        library = pandas()
        frame = library.DataFrame({"values": self.values}, index=library.Index(self.time, name="time"))
        frame.attrs["units"] = {"time": "s", "values": self.unit}
        return frame


class Simulation:
    """A scene, by name or as a record, the default one, or a `Setup` of spheres and walls, with `values` over its
    default parameters; `prepared` names a state to start from. `threads` is the number of threads, None for as many as
    the run has work for; results do not depend on it.

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
        scene: str | Scene | Any = None,
        values: Mapping[str, Any] | None = None,
        seed: int = 1,
        prepared: str | None = None,
        threads: int | None = None,
    ) -> None:
        given = {} if values is None else values
        if not isinstance(scene, str | Scene | None):
            scene, given = by_hand().scene_of_setup(scene, given)
        self.experiment: Experiment = changes.new_experiment(scene, plain_values(given), plain_number(seed), prepared)
        if threads is not None:
            self.apply(UseThreads(checked_threads(plain_number(threads))))
        self._notice_step()

    @classmethod
    def load(cls, path: str | Path) -> Simulation:
        """A saved run, ready to continue; raises `ArchiveError`."""
        experiment = cls.__new__(cls)
        experiment.experiment = changes.resumed_experiment(saved_run.load(_path(path)))
        return experiment

    def __repr__(self) -> str:
        experiment = self.experiment
        state = "fault" if experiment.fault is not None else experiment.phase
        law = experiment.scene.law_of(experiment.parameters)
        return (
            f"<Simulation of {experiment.scene.name}: {self.world.sphere_count} spheres in "
            f"{'space' if self.model.dimension == 3 else 'the plane'}, "
            f"law {law}, {self.time:.6g} s, {experiment.step} steps, {state}>"
        )

    def _repr_html_(self) -> str:
        """Picture, readings and parameters, in a notebook."""
        return html_of(self.experiment, repr(self).strip("<>"))

    def to_frame(self) -> Any:
        """All samples over time as a table of pandas, SI units: a column for each measurement and instrument, by the
        time [s], with the units in `attrs`; raises `ParameterError` without pandas."""
        library, columns = pandas(), shown_columns(self.experiment)
        series = {name: self.series(name) for name in columns if name != "time"}
        frame = library.DataFrame(
            {name: entry.values for name, entry in series.items()},
            index=library.Index(columns["time"].copy(), name="time"),
        )
        frame.attrs["units"] = {"time": "s"} | {name: entry.unit for name, entry in series.items()}
        return frame

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

    def move_wall(self, wall: int, velocity: ArrayLike | Sequence[float | str]) -> None:
        """Let a wall move with this velocity [m/s] from now on; `wall` is its row, in the order of the `Setup`.

        A component can be the text of a curve over time, as in ("ramp 0 0.1 0 2", 0, 0), whose times count from now.
        """
        self.apply(MoveWall(plain_number(wall), _components(velocity)))

    def place(
        self,
        kind: str,
        name: str = "",
        points: ArrayLike = (),
        grain: int | None = None,
        colour: int | None = None,
        time: float = 0.0,
    ) -> str:
        """Place an instrument, such as place("line", "neck", [(0, 0.1), (0.2, 0.1)]), and return its name; without a
        name it is line1, line2, ...

        Points [m]: of a line, halves and a ruler both ends, in space of a line and halves also the corner that is
        behind the first one; of a box two opposite corners; of a protractor the vertex and the ends of both arms. A
        probe has the id of a `grain`. Halves mark the grains now, or at a simulated `time` [s]. Its quantities are in
        `measure`, `series` and results under its name, as "neck.number".
        """
        placed = self.instruments
        require_known(kind, registry.instruments(), plain("instrument"))
        chosen = name or unused_name((other.name for other in placed), kind)
        given = numbers_in("points", points, "a list of points [m]")
        places = tuple(map(tuple, np.atleast_2d(given).tolist())) if given.size else ()
        number = unused_colour(other.colour for other in placed) if colour is None else colour
        self.apply(
            PlaceInstrument(
                Instrument(kind, chosen, places, plain_number(grain), plain_number(number), plain_number(time))
            )
        )
        return chosen

    def remove(self, name: str) -> None:
        """Remove the instrument of this name."""
        self.apply(RemoveInstrument(name))

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """The instruments that are placed."""
        return self.experiment.run.placed.instruments

    def servo_wall(
        self, wall: int, *, force: float | str = 0.0, pressure: float | str = 0.0, speed: float | None = None
    ) -> None:
        """Let a wall push on the grains with this force [N] or pressure [Pa, in the plane N/m] from now on; either can
        be the text of a curve over time.

        It follows the grains along its normal, of a facet towards them, at most at `speed` [m/s], by default one that
        brings the grains together almost without inertia. `wall` is its row, in the order of the `Setup`; `move_wall`
        ends it. A plane has a pressure only where the world is periodic along it. A wall that grains push away at
        a speed u bears more than its force, by 2 u Σ (√(k m) + η) over its contacts of stiffness k and viscosity η
        (repose.sim.engine.contacts.servo). Raises `ParameterError`.
        """
        force, pressure = (
            value if is_curve(value) else float(checked_array(name, value, (), least=0.0))
            for name, value in {"force": force, "pressure": pressure}.items()
        )
        most = 0.0 if speed is None else float(checked_array("speed", speed, (), least=0.0))
        self.apply(ServoWall(plain_number(wall), force, pressure, most))

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

    def run(
        self,
        until: float = math.inf,
        every: float | None = None,
        call: Callable[[Simulation], object] | None = None,
        on_fault: OnFault = "raise",
    ) -> RunResults:
        """Run the whole experiment, at most to the simulated time `until` [s]; returns its results.

        What an action has begun continues to its end; otherwise the whole experiment begins (action "run"). `call` is
        called with this simulation now and at the first step at or after each further time `every` [s]; the run ends
        early if it returns True. It changes no bit of the run, unless it carries out commands. At a fault
        `SimulationFault` is raised; with `on_fault="return"` the results contain it.
        """
        _require_on_fault(on_fault)
        end = self._checked_end(until)
        interval = _checked_interval(every, call)
        before = self.experiment.history.at
        if self.experiment.fault is not None:
            self._stop(on_fault, 0)
            return self.results()
        headless.begin_run(self.experiment, under_way=True)
        times: headless.Times = headless.Frames(self.experiment, None)
        if call is not None:
            times = headless.EqualTimes(self.experiment, interval, lambda: plain_number(call(self)) is True)
        result = headless.go_on(self.experiment, times, until=end)
        self._stop(on_fault, self.experiment.history.at - before)
        self._tell_gap(result["energy_notice"])
        return RunResults(result)

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

    def measure(self, name: str | None = None) -> Any:
        """The present value of a measurement by name, such as "coordination", or of an instrument, such as
        "neck.number", in SI units; nan if there is none.

        Without a name: the present measurement of the scene; None if there is nothing to measure, or while a pull or
        push holds grains.
        """
        if name is None:
            return reading_of(self.experiment)
        system = system_of(self.experiment)
        if name in measurements():
            return float(measurements()[name].sample(system))
        read = present_values(self.experiment, system)
        require_known(name, (*measurements(), *read), plain("measurement"))
        return read[name]

    def series(self, name: str) -> TimeSeries:
        """The samples of a measurement or instrument over time, such as "kinetic_energy", in SI units; they are
        taken every 0.01 s of the time of the scene: `run(..., every=..., call=...)` samples at other times."""
        columns = shown_columns(self.experiment)
        require_known(name, columns, plain("measurement"))
        known = measurements().get(name)
        shown = known.unit_in(self.model.dimension) if known is not None else "s" if name == "time" else ""
        shown = units_of(self.experiment).get(name, shown)
        unit = DISPLAY_UNITS[shown][0] if shown in DISPLAY_UNITS else shown
        return TimeSeries(columns["time"].copy(), columns[name].copy(), unit)

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
        return self._motion_now(slice(None, self.model.dimension))

    @property
    def spin(self) -> Floats:
        """Angular velocities at the time of the positions [rad/s], shape (spheres, 0, 1 or 3), a copy."""
        return self._motion_now(slice(self.model.dimension, None))

    def _motion_now(self, components: slice) -> Floats:
        velocity_lead = self.model.integrator.velocity_lead * self.experiment.dt
        motion = self.world.motion[components]
        return (motion[:, 1] - velocity_lead * motion[:, 2]).T.copy()

    @property
    def wall_force(self) -> Floats:
        """Force of the spheres on each wall at the last step [N], shape (walls, dimension), a copy."""
        return self.world.walls.force.copy()

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
        if scene.made_of is None and scenes().get(scene.name) is not scene:
            raise ParameterError(
                f"{scene.title} cannot be saved as a run, because its functions are in this script: put its record "
                "into a file of the plug-in folder."
            )
        saved_run.save(history.saved_copy(self.experiment, at_once=True), target)

    def results(self) -> RunResults:
        """The content of result.json, in SI units and of types that JSON has."""
        contents = results.results_of(self.experiment)
        self._tell_gap(contents["energy_notice"])
        return RunResults(contents)

    def state_hash(self) -> str:
        """Digest of step, time and world: equal for equal runs."""
        return results.state_hash(self.experiment.run)


def _checked_interval(every: Any, call: Any) -> float:
    """The time between two calls of a function of the script [s]; raises `ParameterError`."""
    if (every is None) != (call is None):
        raise ParameterError("every and call belong together: give both, as in run(1.0, every=0.01, call=f).")
    if call is None:
        return math.inf
    if not callable(call):
        raise ParameterError(f"call = {value_text(call)} is refused: give a function of the simulation.")
    return checked_number("every", every, "s", above=0.0)


def _components(velocity: Any) -> tuple[float | str, ...]:
    """The components of a velocity, numbers and texts of curves; raises `ParameterError`."""
    given = [velocity] if isinstance(velocity, str) else velocity
    if isinstance(given, list | tuple) and any(map(is_curve, given)):
        return tuple(part if is_curve(part) else float(checked_array("velocity", part, (), "m/s")) for part in given)
    return tuple(np.atleast_1d(numbers_in("velocity", velocity, "a vector [m/s]")).tolist())


def _require_on_fault(on_fault: str) -> None:
    if on_fault not in ON_FAULT:
        raise ParameterError(f"on_fault = {value_text(on_fault)} is refused: it must be 'raise' or 'return'.")


def _path(path: Any) -> Path:
    """The path of a file that a script gives; raises `ParameterError`."""
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise ParameterError(f"path = {value_text(path)} is refused: give the path of a file.")
    return Path(path)


def _level_of_script() -> int:
    """The `stacklevel` of a warning in the calling function that names the line of the script."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("repose."):
        level, frame = level + 1, frame.f_back
    return level
