"""Periodic worlds of scripts: spheres, bodies and bonds across the border, saved and continued; what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim import (
    Bodies,
    Bonds,
    Cylinder,
    Facet,
    Material,
    ParameterError,
    Plane,
    Setup,
    Simulation,
    Spheres,
    place_spheres,
    shape_of_spheres,
)
from repose.sim.engine.boundaries import boundary_table, images_of, shortest_branch
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.experiment import Scene
from repose.sim.experiment.replay import verify
from repose.sim.registry import scenes

from tests.small_worlds import use_plain_engine

R = 1e-3
SIDE = 16.0 * R
GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.5, friction=0.4)
FLOOR = Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
PERIODIC = {"period": (SIDE, SIDE, 0.0)}


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def mixture(shift: tuple[float, float, float]) -> Simulation:
    """Two bonded spheres, two loose spheres and a dumb-bell on a plane, at this shift; gravity is oblique."""
    dumbbell = shape_of_spheres([[0.0, 0.0, 0.0], [1.6 * R, 0.0, 0.0]], R, 1e-5)
    return Simulation(
        Setup(
            [
                Spheres(np.array([[-R, 0.0, 0.999 * R], [R, 0.0, 1.001 * R]]) + shift, R, GLASS),
                Spheres(np.array([[0.0, 2.0 * R, R], [0.1 * R, 3.6 * R, 1.4 * R]]) + shift, 0.9 * R, GLASS),
            ],
            bodies=Bodies(dumbbell, np.array([[0.0, -1.99 * R, 0.998 * R]]) + shift, GLASS, spin=[0.0, 0.0, 5.0]),
            bonds=Bonds([0], [1], [0.5 * R]),
            walls=[FLOOR],
            **PERIODIC,
        ),
        {"gravity": (3.0, 1.0, -9.81), "dt": 1e-5},
    )


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (SIDE, 0.3 * R, 0.0), (-0.9 * R - 3.0 * SIDE, 0.8 * SIDE, 0.0)])
def test_bodies_bonds_and_contacts_across_the_border_are_those_in_the_middle(shift: tuple[float, ...]) -> None:
    """Control: without boundaries some of them would not exist, or a member would be a period away."""
    middle, border = mixture((0.5 * SIDE, 0.5 * SIDE, 0.0)), mixture(shift)  # type: ignore[arg-type]
    for simulation in (middle, border):
        simulation.step(40)
    moved = border.position - np.array(shift), middle.position - (0.5 * SIDE, 0.5 * SIDE, 0.0)
    np.testing.assert_allclose(*moved, rtol=0.0, atol=1e-9 * R)
    spans = [np.ptp(images_of(one.position, one.world.boundary), axis=0)[:2].max() for one in (middle, border)]
    assert spans == [0, 1]
    scale = np.abs(middle.world.force[:3]).max()
    np.testing.assert_allclose(border.world.force[:3], middle.world.force[:3], rtol=0.0, atol=1e-6 * scale)
    np.testing.assert_allclose(border.world.bonds.memory, middle.world.bonds.memory, rtol=0.0, atol=1e-9 * R)
    assert border.world.bonds.intact.all()
    energies = border.energy(), middle.energy()
    for name in ("kinetic", "elastic", "shear", "bonds"):
        if hasattr(energies[0], name):
            assert getattr(energies[0], name) == pytest.approx(getattr(energies[1], name), rel=1e-5)
    assert border.contacts().i.size == middle.contacts().i.size > 3


def falling() -> Simulation:
    """A column of spheres that fall for ever through a world that is periodic in all directions, past a fixed one."""
    position = [[0.5 * SIDE, 0.5 * SIDE, (3.0 * k + 1.0) * R] for k in range(4)] + [[0.1 * R, 0.0, 4.0 * R]]
    fixed = [False] * 4 + [True]
    moving = {"velocity": [(0.0, 0.0, 0.0 if one else -0.5) for one in fixed], "fixed": fixed}
    return place_spheres(position, R, GLASS, **moving, period=(SIDE, SIDE, SIDE), gravity=9.81, dt=6e-5)


def test_spheres_fall_through_the_border_and_on() -> None:
    simulation = falling()
    start = simulation.position
    simulation.step(500)
    fallen = start[:4, 2] - simulation.position[:4, 2]
    np.testing.assert_allclose(fallen, 0.5 * simulation.time + 0.5 * 9.81 * simulation.time**2, rtol=1e-6)
    assert fallen.min() > SIDE
    energy = simulation.energy()
    assert abs(energy.gap) < 1e-9 * energy.kinetic


def test_a_periodic_run_is_saved_continued_and_replayed(tmp_path: Path) -> None:
    simulation = mixture((0.0, 0.3 * R, 0.0))
    simulation.step(30)
    simulation.save(tmp_path / "run.repose")
    resumed = Simulation.load(tmp_path / "run.repose")
    np.testing.assert_array_equal(resumed.world.boundary, simulation.world.boundary)
    assert resumed.state_hash() == simulation.state_hash()
    for one in (simulation, resumed):
        one.step(30)
    assert resumed.state_hash() == simulation.state_hash()
    verdict = verify(saved_run.load(tmp_path / "run.repose"))
    assert verdict.compared > 0
    assert verdict.differs_at is None


def test_the_state_hash_contains_the_period() -> None:
    position = [[0.5 * SIDE, 0.5 * SIDE, R]]
    wide, narrow = (place_spheres(position, R, GLASS, period=(side, 0.0, 0.0), dt=1e-5) for side in (SIDE, 1.5 * SIDE))
    assert wide.state_hash() != narrow.state_hash()


LOOSE = Spheres([[0.0, 0.0, R]], R, GLASS)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"period": (3.9 * R, 0, 0)}, "The period along x, 0.0039 m, is too short: it must exceed 0.004 m"),
        ({"period": (0.0, -1.0, 0.0)}, "period"),
        ({"period": (SIDE, 0.0)}, "period has the shape"),
        ({"period": (SIDE, 0, 0), "lowest": np.nan}, "lowest"),
        ({"period": (0, 0, SIDE), "walls": [FLOOR]}, "Wall 0 is refused: the world is periodic along z"),
        ({"period": (0, SIDE, 0), "walls": [Plane((0, 0, 0), (0, 1, 1))]}, "Wall 0 is refused: .* along y"),
        ({"period": (SIDE, 0, 0), "walls": [Cylinder((0, 0, 0), 9 * R)]}, "or a cylinder along it"),
        ({"period": (SIDE, 0, 0), "walls": [Facet([[0, 0, 0], [R, 0, 0], [0, R, 0]])]}, "Wall 0 is refused"),
        ({"period": (SIDE, 0, 0), "fields": ["central_gravity"]}, "the field 'central_gravity' has no images"),
        (
            {
                "period": (SIDE, 0, 0),
                "bodies": Bodies(shape_of_spheres([[0, 0, 0], [SIDE, 0, 0]], R, 1.0), [[0, 0, 0]]),
            },
            "reaches its own image",
        ),
    ],
)
def test_what_a_periodic_world_cannot_have_is_refused_in_a_sentence(parts: dict[str, Any], sentence: str) -> None:
    law = {} if "bodies" not in parts else {"law": "voigt"}
    spheres = LOOSE if "bodies" not in parts else ()
    with pytest.raises(ParameterError, match=sentence):
        Simulation(Setup(spheres, **law, **parts))


@pytest.mark.parametrize("wall", [Plane((0, 0, 0), (0, 0, 1)), Cylinder((0, 0, 0), 9 * R, axis=(1, 0, 0))])
def test_walls_along_the_periodic_direction_hold_spheres_everywhere(wall: Any) -> None:
    low = 0.0 if isinstance(wall, Plane) else -9.0 * R
    position = [[shift * SIDE, 0.0, low + 0.999 * R] for shift in (0.2, 5.7)]
    simulation = place_spheres(position, R, GLASS, walls=[wall], period=(SIDE, 0, 0), gravity=9.81, dt=1e-5)
    simulation.step(200)
    np.testing.assert_array_less(np.abs(simulation.position[:, 2] - low - R), 0.01 * R)
    assert simulation.contacts().i.size == 2


def test_bonds_are_refused_that_could_reach_another_image() -> None:
    pair = Spheres([[0.0, 0.0, R], [0.34 * SIDE, 0.0, R]], R, GLASS)
    with pytest.raises(ParameterError, match=r"A bond is .* m long, more than a third of the period along x"):
        Simulation(Setup(pair, bonds=Bonds([0], [1], [0.5 * R]), **PERIODIC))


def test_a_bond_across_the_border_has_the_length_of_the_nearest_images() -> None:
    pair = Spheres([[0.5 * R, 0.0, R], [SIDE - 1.5 * R, 0.0, R]], R, GLASS)
    simulation = Simulation(Setup(pair, bonds=Bonds([0], [1], [0.5 * R]), **PERIODIC), {"dt": 1e-5})
    assert simulation.world.bonds.rest_length[0] == pytest.approx(2.0 * R)
    branch = simulation.position[[0]] - simulation.position[[1]]
    assert shortest_branch(branch, simulation.world.boundary)[0, 0] == pytest.approx(2.0 * R)


def scene_with(period: float) -> Scene:
    """The bouncing sphere in a world that is periodic in x and y."""
    scene = scenes()["bounce"]

    def begin(parameters: Any, seed: int) -> tuple[Any, Any]:
        world, state = scene.course.begin(parameters, seed)
        return world._replace(boundary=boundary_table(3, np.array([period, period, 0.0]))), state

    return replace(scene, course=replace(scene.course, begin=begin))


def test_a_scene_makes_its_world_periodic_when_it_begins() -> None:
    scene = scene_with(1.0)
    values = scene.test_values | {"dt": 1e-5}
    alone, periodic = Simulation("bounce", values), Simulation(scene, values)
    for one in (alone, periodic):
        one.act("run")
        one.step(50)
    assert periodic.world.is_periodic
    np.testing.assert_array_equal(periodic.position, alone.position)


def test_a_scene_that_cannot_be_periodic_is_refused_in_a_sentence() -> None:
    with pytest.raises(ParameterError, match=r"The scene 'bounce' cannot begin: the period along x, 1e-06 m, is too"):
        Simulation(scene_with(1e-6), scenes()["bounce"].test_values)


@pytest.mark.parametrize("name", ["period", "lowest"])
def test_a_scene_refuses_boundaries_that_are_not_its_own(name: str) -> None:
    with pytest.raises(ParameterError, match=rf"'{name}': the boundaries are those of the scene; a script gives a per"):
        new_experiment("heap", {name: 1.0})
