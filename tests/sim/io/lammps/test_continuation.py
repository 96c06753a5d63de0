"""What a continuation in LAMMPS says about motion that it does not continue, and the gravity that it writes."""

from __future__ import annotations

import math

import pytest
from repose.sim import Plane, Setup, Simulation, Spheres
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.export_state import for_lammps

from tests.small_worlds import use_plain_engine


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def notes_of(simulation: Simulation) -> str:
    return " ".join(for_lammps(simulation.experiment).notes)


def between_two_walls() -> Simulation:
    walls = [Plane((0.0, 0.0), (0.0, 1.0)), Plane((0.0, 10.0), (0.0, -1.0))]
    setup = Setup(Spheres([(0.0, 1.0)], 1e-3, mass=1e-5), walls=walls, law="lee_herrmann", rotation=False)
    return Simulation(setup, {"dt": 2e-5})


def test_what_lammps_makes_of_moving_walls_is_named() -> None:
    simulation = between_two_walls()
    assert "velocity" not in notes_of(simulation)
    simulation.move_wall(1, (0.0, -0.1))
    assert "Moving walls keep their present velocity." in notes_of(simulation)
    simulation.servo_wall(0, force=1.0)
    assert "Walls that keep a force go on with their present velocity" in notes_of(simulation)
    simulation.move_wall(0, (0.0, 0.0))
    simulation.move_wall(1, (0.0, "ramp 0 0.02 1 2"))
    assert simulation.world.walls.velocity.any() == 0.0, "the ramp begins later"
    assert "Wall 1 follows a curve in the run; LAMMPS keeps the present velocity." in notes_of(simulation)


def test_curves_of_parameters_are_named_as_not_continued() -> None:
    simulation = between_two_walls()
    assert "curves" not in notes_of(simulation)
    simulation.set(gravity="ramp 9.81 1.62 0 1")
    assert "The values of gravity follow curves in the run; LAMMPS keeps the present ones." in notes_of(simulation)


def test_the_gravity_is_that_on_the_table_as_the_scene_has_turned_it() -> None:
    experiment = new_experiment("heap", {"grain_count": 10, "width": 0.01})
    experiment.run.state.other.turned = 0.3
    script = for_lammps(experiment).script
    (line,) = (line for line in script.splitlines() if line.startswith("fix weight"))
    size, _vector, x, y, _z = line.split()[4:]
    assert float(size) == pytest.approx(experiment.parameters.gravity)
    assert abs(math.atan2(float(x), -float(y))) == pytest.approx(0.3)


@pytest.mark.parametrize(("law", "has_springs"), [("memoryless", False), ("lee_herrmann", True)])
def test_friction_springs_are_named_for_laws_that_have_them(law: str, has_springs: bool) -> None:
    setup = Setup(Spheres([(0.0, 1.0)], 1e-3, mass=1e-5), law=law, rotation=False)
    assert ("friction springs" in notes_of(Simulation(setup, {"dt": 2e-5}))) == has_springs


def test_the_script_begins_with_what_differs_and_says_how_many_steps_it_takes() -> None:
    exported = for_lammps(between_two_walls().experiment)
    lines = exported.script.splitlines()
    assert lines[: len(exported.notes)] == [f"# {note}" for note in exported.notes]
    assert "It takes 100000 steps, 2 s;" in exported.script
    assert next(line for line in lines if line and not line.startswith("#")) == "variable steps index 100000"
