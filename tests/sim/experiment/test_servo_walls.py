"""Walls that keep a force or a pressure: commands, refusals, files and bits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim import Cylinder, Facet, Material, ParameterError, Plane, Rewind, Setup, Simulation, Spheres
from repose.sim.engine.world import SERVO_FORCE, SERVO_NORMAL, SERVO_SPEED
from repose.sim.experiment import servo_walls
from repose.sim.io.world_tables import tables_of

from tests.small_worlds import use_plain_engine

R = 1e-3
RUBBER = Material(young=1e6, poisson=0.25, density=2500.0, restitution=0.3, friction=0.3)


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def pressed(**given: Any) -> Simulation:
    """Five discs between two lines, the upper one a facet, in the plane."""
    position = 1.99 * R * np.array([(0, 0), (1, 0), (2, 0), (0.5, 0.87), (1.5, 0.87)]) + R
    walls = [Plane((0.0, 0.0), (0.0, 1.0)), Facet([(-R, 4.2 * R), (7.0 * R, 4.2 * R)])]
    return Simulation(Setup(Spheres(position, R, RUBBER), walls=walls, **given), {"gravity": 0.0, "dt": 2e-5})


def test_a_facet_keeps_a_pressure_towards_the_grains() -> None:
    simulation = pressed()
    simulation.servo_wall(1, pressure=2.0)
    row = simulation.world.walls.servo[1]
    assert row[SERVO_FORCE] == pytest.approx(2.0 * 8.0 * R)
    assert row[SERVO_NORMAL:].tolist() == [0.0, -1.0]
    mass = float(simulation.world.mass.sum())
    assert row[SERVO_SPEED] == pytest.approx(servo_walls.SHARE * math.sqrt(2.0 * row[SERVO_FORCE] * 2.0 * R / mass))
    simulation.step(50)
    assert simulation.world.walls.velocity[1, 1] < 0.0, "it comes to the grains"


def test_a_wall_without_contacts_comes_at_its_largest_speed() -> None:
    simulation = pressed()
    simulation.servo_wall(1, force=3.0, speed=0.01)
    simulation.step(20)
    assert not simulation.world.walls.force[1].any()
    assert simulation.world.walls.velocity[1].tolist() == pytest.approx([0.0, -0.01])


def test_the_pressure_on_a_triangle_in_space_is_that_on_its_area() -> None:
    triangle = Facet([(0.0, 0.0, 4.0 * R), (3.0 * R, 0.0, 4.0 * R), (0.0, 5.0 * R, 4.0 * R)])
    setup = Setup(Spheres([(R, R, R)], R, RUBBER), walls=[triangle])
    simulation = Simulation(setup, {"gravity": 0.0, "dt": 1e-5})
    simulation.servo_wall(0, pressure=4.0)
    row = simulation.world.walls.servo[0]
    assert row[SERVO_FORCE] == pytest.approx(4.0 * 0.5 * 3.0 * R * 5.0 * R)
    assert row[SERVO_NORMAL:].tolist() == [0.0, 0.0, -1.0]


def test_a_plane_has_a_pressure_where_the_world_is_periodic_along_it() -> None:
    simulation = Simulation(
        Setup(Spheres([(R, R)], R, RUBBER), walls=[Plane((0.0, 0.0), (0.0, 1.0))], period=(0.02, 0.0)),
        {"gravity": 0.0, "dt": 1e-5},
    )
    simulation.servo_wall(0, pressure=3.0, speed=0.01)
    assert simulation.world.walls.servo[0].tolist()[:2] == [pytest.approx(0.06), 0.01]


@pytest.mark.parametrize(
    ("wall", "given", "words"),
    [
        (0, {"pressure": 1.0}, "a plane has an area only where the world is periodic"),
        (0, {}, "a wall keeps one of them"),
        (0, {"force": 1.0, "pressure": 1.0}, "a wall keeps one of them"),
        (0, {"force": -1.0}, "force = -1"),
        (0, {"force": math.nan}, "force = nan"),
        (0, {"force": 1.0, "speed": -2.0}, "speed = -2"),
        (0, {"force": "much"}, "force = 'much'"),
        (7, {"force": 1.0}, "below the number of walls, 2"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_changes_nothing(wall: int, given: dict[str, Any], words: str) -> None:
    simulation = pressed()
    before = simulation.state_hash()
    with pytest.raises(ParameterError, match=words):
        simulation.servo_wall(wall, **given)
    assert not simulation.world.walls.servo.any()
    assert simulation.state_hash() == before


def test_a_cylinder_is_refused() -> None:
    walls = [Cylinder((0.0, 0.0, 0.0), 3.0 * R)]
    simulation = Simulation(Setup(Spheres([(0.0, 0.0, 0.0)], R, RUBBER), walls=walls), {"gravity": 0.0})
    with pytest.raises(ParameterError, match="pushes in all directions"):
        simulation.servo_wall(0, force=1.0)


def test_a_scene_that_moves_its_walls_refuses_a_servo() -> None:
    simulation = Simulation("janssen", {"grain_count": 10})
    with pytest.raises(ParameterError, match="moves its walls itself"):
        simulation.servo_wall(0, force=1.0)


def test_the_bits_do_not_depend_on_batches_and_a_saved_run_continues_with_the_same(tmp_path: Path) -> None:
    whole, parts = pressed(), pressed()
    for simulation in (whole, parts):
        simulation.step(10)
        simulation.servo_wall(1, force=0.05, speed=0.5)
    whole.step(333)
    for count in (1, 2, 60, 57, 100):
        parts.step(count)
    parts.save(tmp_path / "run.repose")
    again = Simulation.load(tmp_path / "run.repose")
    assert np.array_equal(again.world.walls.servo, parts.world.walls.servo)
    parts.step(113)
    again.step(113)
    assert whole.state_hash() == parts.state_hash() == again.state_hash()
    assert whole.world.walls.force[1, 1] > 0.01


def test_a_world_without_a_servo_has_no_table_of_them() -> None:
    simulation = pressed()
    assert "walls.servo" not in tables_of(simulation.world)
    simulation.servo_wall(1, force=0.05)
    assert "walls.servo" in tables_of(simulation.world)


def test_going_back_takes_the_servo_back() -> None:
    simulation = pressed()
    simulation.step(100)

    simulation.servo_wall(1, force=0.05)
    simulation.step(100)
    now = simulation.state_hash()
    simulation.apply(Rewind(50))
    assert not simulation.world.walls.servo.any()
    simulation.apply(Rewind(200))
    assert simulation.state_hash() == now
