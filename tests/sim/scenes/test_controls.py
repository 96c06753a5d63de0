"""Every outcome that a scene states has a control: a record of a run in which it must fail.

`CONTROLS` is the table scene → outcome → control → verdict. A control changes the records of a run of the small form of
a scene, whose outcomes all hold. Controls that are runs of their own are in `test_lecture.py` and
`test_large_particles.py`: a large grain of the size of the others, a column between smooth walls, a loose sample in the
press, a drum of one speed, and bodies without load, friction, attraction or time. Those of all other scenes are runs
with wrong physics (`test_wrong_physics.py`), where a test says that no scene is without controls.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.registry import scenes

Change = Callable[[Experiment], None]


class Control(NamedTuple):
    """A change of a run after which one outcome must fail."""

    scene: str
    outcome: str
    """A part of the statement."""
    control: Change
    values: tuple[tuple[str, Any], ...] = ()
    """Parameters that differ from the small form of the scene."""


def put(name: str, of: Callable[[Any], Any]) -> Change:
    """Replace a column of the records by a function of it."""

    def change(experiment: Experiment) -> None:
        columns = experiment.run.state.columns
        columns[name] = np.broadcast_to(of(np.array(columns[name])), (len(columns[name]),)).astype(float)

    return change


def end(name: str, value: float) -> Change:
    """Replace the last record of a column."""
    return put(name, lambda values: [*values[:-1], value])


def grown(name: str) -> Change:
    """Change the last record of a conserved quantity by a thousandth of its range, and by a little of its own unit."""
    return put(name, lambda values: [*values[:-1], values[-1] * 1.001 + 1e-6])


def slow_last(experiment: Experiment) -> None:
    """A widest outlet through which hardly a grain passes."""
    experiment.run.state.stages[-1].rate = 1e-3


def steep(experiment: Experiment) -> None:
    """A layer that starts to flow at 50° only."""
    experiment.run.state.avalanches[0].angle = math.radians(50.0)


def outside(experiment: Experiment) -> None:
    """Put a particle beside the vessel."""
    experiment.run.world.motion[0, 0, 0] = -1.0


def swapped(experiment: Experiment) -> None:
    """Exchange the surfaces at both walls."""
    columns = experiment.run.state.columns
    columns["left"], columns["right"] = columns["right"], columns["left"]


def still_front(experiment: Experiment) -> None:
    """A front that is at the right wall from the second record on: faster than any dam break."""
    columns = experiment.run.state.columns
    columns["front"] = np.append(columns["front"][0], np.full(len(columns["front"]) - 1, columns["front"].max()))


def heavier(experiment: Experiment) -> None:
    """A force on the bottom that is larger than the weight."""
    last = experiment.run.state.portions[-1]
    last.force = 1.5 * last.weight


def at_50_degrees(experiment: Experiment) -> None:
    """A layer that starts to flow at 50° only."""
    experiment.run.state.starts = math.radians(50.0)


def stopped(experiment: Experiment) -> None:
    """A layer that stops on a slope on which it flows faster and faster."""
    experiment.run.state.stopped = True


def plug(experiment: Experiment) -> None:
    """A layer that slides as a whole."""
    experiment.run.state.flux = experiment.run.state.area.copy()


STRIKES = (("course", "strikes"),)
STICKS = (*STRIKES, ("pull_off_force", 20.0), ("bond_viscosity", 4.0))
HEAVY = (("heavy_density", 2500.0),)
SLOWLY_TILTED = (("slope", 0.6), ("duration", 4.0), ("tilt_rate", math.radians(9.0)))
STEADY = (("grain_count", 150), ("thickness", 15.0), ("slope", math.radians(22.0)), ("duration", 6.0))

CONTROLS = (
    Control("rod", "is deformed", put("length", lambda values: values[0])),
    Control("rod", "bounces off", put("gap", lambda values: -np.abs(values))),
    Control("rod", "the upper one", put("struck_end", lambda values: values - 1.0)),
    Control("rod", "falls onto the floor again", put("gap", lambda values: [-1.0, *np.ones(values.size - 1)])),
    Control("rod", "horizontal momentum", grown("momentum_x")),
    Control("cube", "the momentum stays", grown("momentum_x")),
    Control("cube", "angular momentum", grown("angular_momentum")),
    Control("cube", "keeps its shape", put("diagonal", lambda values: [*values[:-1], 1.1 * values[0]])),
    Control("cube", "turns clockwise", end("spin", 1.0)),
    Control("cube", "moves to the right", end("cube_speed", -1.0)),
    Control("cube", "parts from the cube", end("gap", -1.0)),
    Control("cube", "moves to the left", end("particle_speed", 1.0)),
    Control("cube", "rebounds", end("particle_speed", -100.0), STRIKES),
    Control("cube", "one body", end("energy_apart", 1.0), STICKS),
    Control("cube", "the common centre", end("common_spin", 100.0), STICKS),
    Control("beam", "bends", put("deflection", lambda values: 0.0)),
    Control("beam", "breaks in two", put("loose_share", lambda values: 0.0)),
    Control("beam", "weak middle", put("broken_share", lambda values: 0.0)),
    Control("beam", "falls freely", put("loose_velocity", lambda values: values[0])),
    Control("beam", "reaches the floor", put("lowest", lambda values: 0.0)),
    Control("raft", "comes to rest", end("velocity", 1.0)),
    Control("raft", "displaces its mass", end("displaced", 2.0)),
    Control("raft", "in line with", end("arm", 1.0)),
    Control("raft", "heavy side", end("heavy_side", 1.0)),
    Control("raft", "sinks to the bottom", end("lowest", 1.0), HEAVY),
    Control("log", "swings through", put("beside", lambda values: np.abs(values) + 1e-3)),
    Control("log", "makes the log move", put("dip", lambda values: 0.0)),
    Control("log", "comes to rest", end("speed", 1.0)),
    Control("log", "straight below", end("beside", 1.0)),
    Control("log", "stretched thread", end("below", 0.0)),
    Control("log", "displace their mass", end("displaced", 2.0)),
    Control("hoisted", "first moves to the right", put("sideways", lambda values: 0.0)),
    Control("hoisted", "leaves the liquid", put("displaced", lambda values: 1.0)),
    Control("hoisted", "both sides", put("beside", lambda values: 0.0)),
    Control("hoisted", "carries its weight", put("tension", lambda values: 0.0)),
    Control("hoisted", "rises with the thread", put("height", lambda values: values[0])),
    Control("projectile", "the momentum stays", grown("momentum_y")),
    Control("projectile", "angular momentum", grown("angular_momentum")),
    Control("projectile", "target is deformed", put("target_width", lambda values: values[0])),
    Control("projectile", "pushes the projectile back", end("projectile_speed", 1.0)),
    Control("projectile", "partly elastic", end("target_speed", 100.0)),
    Control("capture", "the momentum stays", grown("momentum_y")),
    Control("capture", "angular momentum", grown("angular_momentum")),
    Control("capture", "one body", end("energy_apart", 1.0)),
    Control("capture", "the spin of both", end("projectile_spin", 100.0)),
    Control("column", "collapses", put("surface", lambda values: values[0])),
    Control("column", "reaches the right wall", put("front", lambda values: values[0])),
    Control("column", "dam break", still_front),
    Control("column", "runs back", put("velocity", lambda values: np.abs(values))),
    Control("column", "stays in the vessel", outside),
    Control("rake", "rises first", swapped),
    Control("rake", "moves to the right", put("middle", lambda values: 0.0)),
    Control("rake", "the particles rise", put("rising", lambda values: 0.0)),
    Control("rake", "turn back", put("returning", lambda values: 0.0)),
    Control("rake", "mean level", put("level", lambda values: values[0])),
    Control("rake", "the wall moves", put("distance", lambda values: values[0])),
    Control("satellite", "angular momentum", grown("angular_momentum")),
    Control("satellite", "sense of the orbit", put("spin", lambda values: np.abs(values) + 1.0)),
    Control("satellite", "does no work", put("spin", lambda values: -100.0)),
    Control("satellite", "damped", put("spin", lambda values: 100.0 * (-1.0) ** np.arange(values.size))),
    Control("drum", "steeper than that of the slowest", put("angle", lambda values: values[0])),
    Control("drum_in_space", "the torque of the weight", put("work", lambda values: 1.2 * values)),
    Control("silo", "more grains than the narrowest", slow_last),
    Control("rough_plane", "round grains", steep),
    Control("two_sided", "more than one layer", lambda experiment: experiment.run.world.motion[1, 0].fill(0.0)),
    Control("biaxial", "pressure of the sides", put("across", lambda values: 0.5 * values)),
    Control("janssen", "at most the weight", heavier),
    Control("chute", "starts at an angle of round grains", at_50_degrees, SLOWLY_TILTED),
    Control("chute", "over that without friction", put("speed", lambda values: 10.0 * values), SLOWLY_TILTED),
    Control("chute", "that stops is on a slope", stopped, SLOWLY_TILTED),
    Control("chute", "at half of the thickness", plug, STEADY),
    Control("chute", "exponent of the velocity", plug, STEADY),
    Control("plane_shear", "pressure of the grains", put("normal", lambda values: 0.5 * values)),
    Control("triaxial", "pressure of the sides", put("across", lambda values: 0.5 * values)),
)


@cache
def finished(scene: str, values: tuple[tuple[str, Any], ...]) -> Experiment:
    experiment = new_experiment(scene, {**scenes()[scene].test_values, **dict(values)})
    run_experiment(experiment)
    return experiment


def held(experiment: Experiment) -> dict[str, bool]:
    return {str(entry.statement): entry.holds for entry in experiment.scene.course.outcomes(experiment)}


@pytest.mark.parametrize("control", CONTROLS, ids=[f"{entry.scene}: {entry.outcome}" for entry in CONTROLS])
def test_an_outcome_fails_in_its_control_and_holds_before(control: Control) -> None:
    experiment = finished(control.scene, control.values)
    before = held(experiment)
    assert all(before.values()), before
    state, motion = copy.deepcopy(experiment.run.state), experiment.run.world.motion.copy()
    try:
        control.control(experiment)
        after = held(experiment)
        assert any(control.outcome in statement and not holds for statement, holds in after.items()), after
        assert experiment.scene.course.check(experiment)
    finally:
        experiment.run.state, experiment.run.world.motion[:] = state, motion


@pytest.mark.parametrize("scene", sorted({entry.scene for entry in CONTROLS}))
def test_every_outcome_of_a_scene_has_a_control(scene: str) -> None:
    own = [entry for entry in CONTROLS if entry.scene == scene]
    for values in {entry.values for entry in own}:
        for statement in held(finished(scene, values)):
            assert any(entry.outcome in statement for entry in own), statement
