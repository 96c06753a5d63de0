"""Rigid bodies move and turn apart after a change that would burst a packing, to the equilibrium of a closed form."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.engine.orientation import matrices
from repose.sim.engine.world import WALL_CONTACT_COUNT, World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.relaxation import relax, turned_by
from repose.sim.experiment.stepping import advance

from tests.small_worlds import use_plain_engine

RADIUS, ARM, MASS, STIFFNESS, GRAVITY = 1e-3, 1.5e-3, 4e-3, 1e3, 9.81

SCENE = """
import math
from dataclasses import dataclass

from repose.sim.direction import Direction
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Course, ModelChoice, Scene, SceneView
from repose.sim.laws.voigt import VoigtParameters
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.scenes.common.phases import FLOWING


class TableParameters(MotionParameters, VoigtParameters):
    pass


@dataclass
class TableState:
    phase: str = "flowing"


def begin(parameters, seed) -> tuple[World, TableState]:
    dimension = {dimension}
    arms = [(-{arm}, 0.0, 0.0), ({arm}, 0.0, 0.0)]
    shape = shape_of_spheres([arm[:dimension] for arm in arms], {radius}, {mass} / 2)
    turn = {{2: {tilt}, 3: (math.cos({tilt} / 2), 0.0, -math.sin({tilt} / 2), 0.0)}}[dimension]
    world = empty_world(dimension, 2 * dimension - 3, skin=3e-4, materials=2)
    centre = [0.0] * (dimension - 1) + [{height}]
    world = add_bodies(world, shape, [centre], orientation=[turn])
    up = [0.0] * (dimension - 1) + [1.0]
    floor = [[0.0] * dimension, up, [0.0] * dimension]
    return set_walls(world, [PLANE], [floor], material=1), TableState()


SCENE = Scene(
    name="table",
    title="Table",
    summary="A dumbbell on a plane.",
    direction=Direction(see="It moves.", colour="speed", plot="motion", speed=1.0, seconds=5.0),
    parameters=TableParameters,
    model=ModelChoice(
        law="voigt",
        dimension={dimension},
        smallest_grain=lambda parameters: ({mass}, {radius}),
        rotates=lambda parameters: True,
        bodies=lambda parameters: True,
    ),
    course=Course(
        begin=begin,
        supervise=lambda experiment: None,
        actions=lambda experiment: (),
        act=lambda experiment, action: "",
        phases=(FLOWING,),
        describe=lambda experiment: ("flowing", "flowing", None),
        results=lambda experiment: {{}},
        check=lambda experiment: "",
    ),
    view=SceneView(box=lambda experiment: ((-5e-3,) * {dimension}, (5e-3,) * {dimension})),
)
"""

Begin = Callable[..., Experiment]


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Begin]:
    """A dumbbell above or in a plane: begun(dimension, height of its centre [m], tilt [rad])."""

    def make(dimension: int, height: float, tilt: float = 0.0) -> Experiment:
        text = SCENE.format(dimension=dimension, height=height, tilt=tilt, radius=RADIUS, arm=ARM, mass=MASS)
        (tmp_path / "table.py").write_text(text)
        registry.forget_plugins()
        values = {"normal_stiffness": STIFFNESS, "gravity": GRAVITY, "integrator": "leapfrog"}
        experiment = new_experiment("table", values)
        assert registry.troubles() == []
        return experiment

    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    use_plain_engine(monkeypatch)
    yield make
    monkeypatch.undo()
    registry.forget_plugins()


def overlaps(world: World) -> np.ndarray:
    """Overlap of each sphere with the plane [m]."""
    overlap: np.ndarray = world.radius - world.motion[world.dimension - 1, 0]
    return overlap


def tilt_of(world: World) -> float:
    """Angle of the line through both spheres with the plane [rad]."""
    line = np.diff(world.motion[: world.dimension, 0], axis=1)[:, 0]
    return math.asin(abs(line[-1]) / (2.0 * ARM))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_dumbbell_pressed_askew_into_a_plane_turns_and_rises_to_its_equilibrium(dimension: int, begun: Begin) -> None:
    deep = 0.05 * RADIUS
    experiment = begun(dimension, RADIUS - deep, tilt=0.02)
    assert tilt_of(experiment.run.world) == pytest.approx(0.02)
    assert overlaps(experiment.run.world) == pytest.approx([deep + 0.02 * ARM, deep - 0.02 * ARM], rel=1e-2)
    velocity = experiment.run.world.bodies.motion[:, 1].copy()
    relax(experiment, 1.0, 1e-3 * GRAVITY)
    world = experiment.run.world
    # Each sphere carries half of the weight, and the moment about the centre vanishes.
    resting = 0.5 * MASS * GRAVITY / STIFFNESS
    assert overlaps(world) == pytest.approx([resting, resting], rel=5e-3)
    assert tilt_of(world) < 1e-3 * 0.02
    assert np.array_equal(world.bodies.motion[:, 1], velocity)
    assert (experiment.step, experiment.time) == (0, 0.0)
    if dimension == 3:
        assert np.linalg.norm(world.bodies.reference, axis=0) == pytest.approx(1.0, abs=1e-14)


def test_a_stiffness_that_would_throw_a_dumbbell_off_its_plane_is_relaxed_and_booked(begun: Begin) -> None:
    experiment = begun(2, RADIUS - 0.5 * MASS * GRAVITY / STIFFNESS)
    advance(experiment, 20)
    before = energy_of(experiment)
    assert not apply(experiment, SetParameters({"normal_stiffness": 1e3 * STIFFNESS}))
    assert "the grains moved apart" in str(experiment.message)
    after = energy_of(experiment)
    assert after.elastic <= before.elastic
    assert after.work == pytest.approx(after.mechanical - before.mechanical)
    assert int(experiment.run.world.counters[WALL_CONTACT_COUNT]) == 2
    height = float(experiment.run.world.bodies.motion[1, 0, 0])
    advance(experiment, 300)
    # All that can become motion is what the contacts still stored.
    assert float(experiment.run.world.bodies.motion[1, 0, 0]) - height < 2.0 * before.elastic / (MASS * GRAVITY)
    assert abs(energy_of(experiment).gap) < 1e-3 * before.mechanical


def test_small_turns_along_the_axes_of_a_body_follow_its_rotation_matrix() -> None:
    generator = np.random.default_rng(3)
    orientation = generator.normal(size=(4, 5))
    orientation /= np.linalg.norm(orientation, axis=0)
    angle, arm = 1e-5 * generator.normal(size=(3, 5)), generator.normal(size=(3, 5))
    before, after = matrices(orientation.T), matrices(turned_by(orientation, angle).T)
    shifted = np.einsum("nab,bn->an", after - before, arm)
    expected = np.einsum("nab,bn->an", before, np.cross(angle, arm, axis=0))
    assert shifted == pytest.approx(expected, abs=1e-9)
