"""Group N, restart: the same bits after saving at any step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Recover, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import state_hash
from repose.sim.io.plain import as_json
from repose.sim.registry import integrators, scenes

from tests.reliability.runs import CYLINDER, SMALL, changed, go, landed, poured, resumed, saved
from tests.tiers import tiered

ROOT = Path(__file__).resolve().parents[2]


END = 9_000


@pytest.fixture(scope="module")
def whole() -> Experiment:
    """The uninterrupted run: poured, friction and stiffness changed on the way."""
    return course(new_experiment("heap", SMALL), END)


def course(simulation: Experiment, end: int) -> Experiment:
    """Go on with the planned course of commands as far as `end`."""
    plan = (
        (0, Act("run")),
        (3_333, SetParameters({"friction": 0.4})),
        (3_350, SetParameters({"friction": 0.5})),
        (6_001, SetParameters({"normal_stiffness": 2e5, "tilt": 0.1})),
    )
    for at, command in plan:
        if simulation.history.at <= at < end:
            go(simulation, at)
            assert not apply(simulation, command)
    return go(simulation, end)


@settings(max_examples=6, deadline=None)
@given(cut=st.integers(1, END - 1))
def test_n01_a_run_saved_at_any_step_continues_bit_by_bit(cut: int, whole: Experiment) -> None:
    other = course(resumed(saved(course(new_experiment("heap", SMALL), cut))), END)
    assert state_hash(other.run) == state_hash(whole.run)
    assert energy_of(other) == energy_of(whole)
    assert (other.history.log.entries, other.history.log.marks, other.history.log.end) == (
        whole.history.log.entries,
        whole.history.log.marks,
        whole.history.log.end,
    )
    assert np.array_equal(
        np.array([*other.run.series.columns().values()]),
        np.array([*whole.run.series.columns().values()]),
        equal_nan=True,
    )
    assert other.run.dt_changes == whole.run.dt_changes


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", tiered(integrators(), fast={"gear5", "leapfrog", "velocity_verlet"}))
def test_n01_a_saved_run_continues_bit_by_bit_with_every_integrator(integrator: str) -> None:
    one = landed(
        values={"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3}
        | {"integrator": integrator, "dt": 2e-5, "normal_stiffness": 1e4}
    )
    other = resumed(saved(one))
    assert state_hash(other.run) == state_hash(one.run)
    assert state_hash(go(other, one.history.at + 60).run) == state_hash(go(one, one.history.at + 60).run)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    ("scene", "values", "action"),
    [
        ("bounce", {"drop_height": 0.002}, "run"),
        ("slope", {}, "run"),
        ("heap", {"grain_count": 3, "width": 5e-3, "base_radius": 1e-3, "wall_radius": 3e-3, "rotation": True}, "fill"),
        ("heap3d", CYLINDER, "fill"),
    ],
)
def test_n01_a_saved_run_continues_bit_by_bit_with_every_law_in_plane_and_space(
    scene: str, values: dict, action: str
) -> None:
    one = landed(scene, values, action)
    other = resumed(saved(one))
    assert state_hash(go(other, one.history.at + 55).run) == state_hash(go(one, one.history.at + 55).run)
    assert as_json(one.run.state) == as_json(other.run.state)


@pytest.mark.parametrize("scene", scenes())
def test_n01_every_scene_states_the_type_of_its_state(scene: str) -> None:
    assert scenes()[scene].state_type.__name__.endswith("State")


CONTINUE = """
import sys
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.results import state_hash
from tests.reliability.runs import go
path, at, *numbers_of_threads = sys.argv[1:]
for threads in numbers_of_threads:
    simulation = resumed_experiment(saved_run.load(path))
    simulation.session.threads = int(threads)
    print(state_hash(go(simulation, int(at)).run))
"""


def continued_elsewhere(path: Path, at: int, *numbers_of_threads: int) -> list[str]:
    """The state hash at step `at` of runs that another process continues, one for each number of threads."""
    command = [sys.executable, "-c", CONTINUE, str(path), str(at), *map(str, numbers_of_threads)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_n02_and_n03_a_run_continues_bit_by_bit_in_another_process_with_another_number_of_threads(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.repose"
    one = poured(4_321)
    saved_run.save(saved_copy(one), path)
    expected = state_hash(go(one, 8_000).run)
    assert continued_elsewhere(path, 8_000, 1, 2, 7) == [expected] * 3


def test_n03_saved_at_seven_threads_and_continued_at_one() -> None:
    one = poured(4_000)
    one.session.threads = 7
    blob = saved(go(one, 4_321))
    assert (
        state_hash(go(resumed(blob), 5_000).run)
        == state_hash(go(one, 5_000).run)
        == state_hash(go(poured(4_000), 5_000).run)
    )


def test_n04_saved_loaded_and_saved_the_files_are_equal(blob: bytes) -> None:
    assert saved(resumed(blob)) == blob


@pytest.mark.usefixtures("uncompiled")
def test_n05_moving_walls_and_their_friction_springs_are_restored() -> None:
    one = landed("heap3d", CYLINDER)
    walls = one.run.world.walls
    walls.velocity[1:, 2] = 0.05
    one.run.state.phase = "flowing"
    go(one, one.history.at + 1)
    while not one.run.world.wall_contacts.touching.any():
        go(one, one.history.at + 1)
    assert one.run.world.walls.moved.any()
    other = resumed(saved(one))
    assert state_hash(other.run) == state_hash(one.run)
    end = one.history.at + 60
    assert state_hash(go(other, end).run) == state_hash(go(one, end).run)


def test_n05_a_later_fault_restores_the_same_good_state() -> None:
    def hurt(simulation: Experiment) -> Experiment:
        assert not apply(simulation, SetParameters({"dt": 3e-5}))
        return simulation

    one = changed(poured(20_000, dt=4e-5), friction=0.3)
    go(one, 20_100)
    other = resumed(saved(one))
    for simulation in (one, other):
        assert not apply(simulation, SetParameters({"normal_stiffness": 1e9}))
        assert simulation.fault is not None
    stopped = resumed(saved(one))
    assert stopped.fault == one.fault == other.fault
    assert state_hash(stopped.run) == state_hash(one.run) == state_hash(other.run)
    for simulation in (one, other, stopped):
        assert not apply(simulation, Recover({"normal_stiffness": 1e6}))
        go(simulation, 6_000)
    assert state_hash(stopped.run) == state_hash(one.run) == state_hash(other.run)


def test_n05_generator_phase_and_parameters_of_the_next_fill_are_restored() -> None:
    one = changed(poured(2_000), grain_count=25)
    other = resumed(saved(one))
    assert other.run.built.grain_count == 40
    assert other.parameters.grain_count == 25
    for experiment in (one, other):
        assert go(experiment, 40_000).run.state.layers > 1
        assert not apply(experiment, Act("reset"))
        assert len(experiment.run.state.radii) == 25
        assert not apply(experiment, Act("fill"))
        go(experiment, 13_000)
    assert state_hash(one.run) == state_hash(other.run)
