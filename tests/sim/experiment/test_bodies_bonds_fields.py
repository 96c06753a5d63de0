"""A scene from a file of its own with rigid bodies, bonds and a liquid: run, changed, saved, continued, replayed."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.engine import orientation
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import add_bonds, keep_spheres, with_parts
from repose.sim.experiment import saved_run
from repose.sim.experiment.activation import model_for
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.coordination import contacts_per_sphere, coordination_number

from tests.small_worlds import use_plain_engine

SCENE = """
from dataclasses import dataclass

import numpy as np
from repose.sim.bonds.beam_bond import BeamBondParameters
from repose.sim.direction import Direction
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_bonds, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Course, ModelChoice, Scene, SceneView
from repose.sim.fields.liquid import LiquidParameters
from repose.sim.laws.voigt import VoigtParameters
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.scenes.common.phases import FLOWING


class RaftParameters(MotionParameters, VoigtParameters, LiquidParameters, BeamBondParameters):
    pass


@dataclass
class RaftState:
    phase: str = "flowing"


def begin(parameters, seed) -> tuple[World, RaftState]:
    radius, mass = 1e-3, 2e-6
    world = empty_world(2, 1, skin=3e-4, materials=2)
    raft = [(2.1e-3 * k, 0.5e-3) for k in range(4)]
    world = add_spheres(world, raft, radius, mass)
    world = add_bonds(world, [0, 1, 2], [1, 2, 3], [5e-4])
    shape = shape_of_spheres([(-1e-3, 0.0), (1e-3, 0.0)], radius, mass)
    group = SphereGroup(first_id=4)
    world = add_bodies(world, shape, [(2e-3, 2.85e-3)], group, orientation=[0.3], velocity=(0.0, -0.3))
    floor = [((0.0, -5e-3), (0.0, 1.0), (0.0, 0.0))]
    return set_walls(world, [PLANE], floor, material=1), RaftState()


SCENE = Scene(
    name="loaded_raft",
    title="Raft",
    summary="A rigid body falls on a bonded raft in a liquid.",
    direction=Direction(see="It moves.", colour="speed", plot="motion", speed=1.0, seconds=5.0),
    parameters=RaftParameters,
    model=ModelChoice(
        law="voigt",
        dimension=2,
        smallest_grain=lambda parameters: (2e-6, 1e-3),
        rotates=lambda parameters: True,
        fields=lambda parameters: ("liquid",),
        bond=lambda parameters: "beam",
        bodies=lambda parameters: True,
    ),
    course=Course(
        begin=begin,
        supervise=lambda experiment: None,
        actions=lambda experiment: (),
        act=lambda experiment, action: "",
        phases=(FLOWING,),
        describe=lambda experiment: ("flowing", "flowing", None),
        results=lambda experiment: {},
        check=lambda experiment: "",
    ),
    view=SceneView(box=lambda experiment: ((-5e-3, -5e-3), (10e-3, 5e-3))),
)
"""
VALUES = {"dt": 5e-6, "bond_young": 1e6, "liquid_viscosity": 0.05, "normal_stiffness": 1e3, "shear_stiffness": 100.0}


@pytest.fixture(autouse=True)
def raft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    (tmp_path / "raft.py").write_text(SCENE)
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    registry.forget_plugins()
    use_plain_engine(monkeypatch)
    yield
    monkeypatch.undo()
    registry.forget_plugins()


def begun(**values: object) -> Experiment:
    experiment = new_experiment("loaded_raft", VALUES | values)
    assert registry.troubles() == []
    return experiment


@pytest.mark.parametrize("scheme", ["leapfrog", "gear5"])
def test_its_ledger_closes_and_the_picture_follows_the_body(scheme: str) -> None:
    experiment = begun(integrator=scheme)
    assert advance(experiment, 350) == 350
    assert experiment.fault is None
    energy = energy_of(experiment)
    assert energy.bonds > 0.0
    assert energy.damping > 0.0
    # Leap-frog's damping lags by half a step: the gap is of first order, and half as large at half the step.
    assert abs(energy.gap) < (0.06 if scheme == "leapfrog" else 0.02) * energy.damping
    world = experiment.run.world
    orientation.update(world)
    assert world.orientation[0, 4:] == pytest.approx(world.bodies.motion[2, 0, 0], abs=1e-12)
    assert world.bodies.motion[2, 0, 0] != 0.3
    assert results_of(experiment)["energy"]["bonds"] == energy.bonds


def test_a_body_is_one_grain_in_the_picture_and_in_the_contacts_per_grain() -> None:
    experiment = begun(integrator="leapfrog")
    snapshot = Snapshot()
    while not contacts_per_sphere(experiment.run.world)[4:].any():  # the body of two spheres falls on the raft of four
        advance(experiment, 50)
    take_snapshot(experiment, snapshot)
    assert len(snapshot.grains.radius) == 6
    assert snapshot.grains.moving_count == 5
    world = experiment.run.world
    assert coordination_number(world).mean == contacts_per_sphere(world).sum() / 5


def test_a_saved_run_continues_bit_by_bit_and_changes_are_booked(tmp_path: Path) -> None:
    experiment = begun(integrator="leapfrog")
    advance(experiment, 100)
    assert not apply(experiment, SetParameters({"liquid_level": 1e-3, "bond_young": 2e6, "integrator": "gear5"}))
    advance(experiment, 150)
    path = tmp_path / "raft.repose"
    saved_run.save(saved_copy(experiment), path)
    other = resumed_experiment(saved_run.load(path))
    for one in (experiment, other):
        assert advance(one, 150) == 150
    assert state_hash(other.run) == state_hash(experiment.run)
    energy = energy_of(experiment)
    assert energy.work != 0.0
    assert abs(energy.gap) < 0.06 * energy.damping
    assert np.array_equal(experiment.run.world.bodies.motion, other.run.world.bodies.motion)


def test_the_automatic_step_follows_the_bonds() -> None:
    soft, stiff = begun(dt="auto"), begun(dt="auto", bond_young=1e10)
    assert stiff.dt < 0.1 * soft.dt


def test_a_scene_may_begin_without_the_bodies_and_bonds_it_will_have() -> None:
    scene = registry.scenes()["loaded_raft"]
    run = begun().run
    bare = keep_spheres(run.world, np.zeros(run.world.sphere_count, bool))._replace(bonds=(), bodies=())
    world = with_parts(bare, model_for(scene, run.built, run.built))
    assert world.bodies.begin.tolist() == [0]
    assert world.bonds.own.shape == (1, 0)
    world = add_bodies(world, shape_of_spheres([(-1e-3, 0.0), (1e-3, 0.0)], 1e-3, 1e-6), [(0.0, 0.0)])
    assert add_bonds(world, [0], [1], [1e-4]).bonds.i.size == 1
