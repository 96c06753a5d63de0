"""Worlds set up by a script: bodies, bonds, fields, walls of every kind, a vector of gravity; saved and continued."""

from __future__ import annotations

import json
import math
import zipfile
from dataclasses import fields, replace
from pathlib import Path

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
from repose.sim.experiment import history, saved_run
from repose.sim.experiment.replay import verify
from repose.sim.io.archive import ArchiveError

from tests.small_worlds import use_plain_engine

R = 1e-3
GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.5, friction=0.4)
WOOD = Material(young=1e6, poisson=0.3, density=700.0, restitution=0.5, friction=0.9)
FLOOR = Plane((0.0, 0.0, 0.0), (0.0, 0.0, 2.0))


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def everything(**values: object) -> Simulation:
    """Two bonded spheres and a dumb-bell in a liquid, in a cylinder on a plane beside a facet; gravity is oblique."""
    dumbbell = shape_of_spheres([[0.0, 0.0, 0.0], [1.6 * R, 0.0, 0.0]], R, 1e-5)
    return Simulation(
        Setup(
            [
                Spheres([[0.0, 0.0, 0.999 * R], [2.0 * R, 0.0, 1.001 * R]], R, [GLASS, WOOD]),
                Spheres([[0.0, 3.0 * R, 2.0 * R]], 0.5 * R, GLASS, velocity=[0.0, 0.0, -0.1], fixed=False),
            ],
            bodies=Bodies(dumbbell, [[0.0, -3.0 * R, 1.2 * R]], GLASS, spin=[0.0, 0.0, 5.0]),
            walls=[
                Plane((0, 0, 0), (0, 0, 1), velocity=(0.0, 0.0, 1e-3), material=WOOD),
                Cylinder((0, 0, 0), 6.0 * R),
                Facet([[3.0 * R, -R, 0], [3.0 * R, R, 0], [3.0 * R, 0, 3 * R]], material=WOOD),
            ],
            bonds=Bonds([0], [1], [0.5 * R]),
            fields=["liquid"],
        ),
        {"gravity": [1.0, 0.0, -9.0], "liquid_level": 1.5 * R, "bond_young": 1e6, "dt": 2e-6, **values},
    )


def test_every_part_of_a_setup_is_in_the_world() -> None:
    simulation = everything()
    world, model = simulation.world, simulation.model
    assert world.sphere_count == 5
    assert world.sphere_id.tolist() == [0, 1, 2, 3, 4]
    assert world.radius.tolist() == [R, R, 0.5 * R, R, R]
    assert world.material.tolist() == [0, 1, 0, 0, 0]
    assert world.walls.shape.tolist() == [0, 2, 1]
    assert world.walls.material.tolist() == [1, 0, 1]
    assert world.walls.velocity[:, 2].tolist() == [1e-3, 0.0, 0.0]
    assert world.bonds.i.size == 1
    assert world.bodies.body_id.tolist() == [3]
    assert len(model.fields) == 1
    assert simulation.experiment.engine.gravity == pytest.approx((1.0, 0.0, -9.0))
    simulation.step(30)
    assert simulation.wall_force.shape == (3, 3)
    assert simulation.wall_force[0, 2] < 0.0  # the floor is pushed down


def test_a_vector_of_gravity_acts_and_is_turned_by_the_tilt() -> None:
    free = Simulation(Setup(Spheres([[0.0, 0.0]], R, GLASS)), {"gravity": np.array([3.0, 4.0]), "dt": 1e-5})
    free.step(10)
    assert free.velocity[0] == pytest.approx([3e-4, 4e-4])
    assert free.experiment.parameters.gravity == 5.0
    free.set(tilt=math.pi / 2)  # as it turns downwards to the right, it turns rightwards to upwards
    free.step(100)
    assert free.experiment.engine.gravity == pytest.approx((-4.0, 3.0))
    down = Simulation(Setup(Spheres([[0.0, 0.0]], R, GLASS)), {"gravity": (0.0, -2.0), "tilt": 0.1})
    assert down.experiment.engine.gravity == (2.0 * math.sin(0.1), -2.0 * math.cos(0.1))


def test_a_moving_plane_pushes_and_gets_another_velocity() -> None:
    simulation = Simulation(
        Setup(Spheres([[0.0, 0.0, R]], R, GLASS), walls=[Plane((0, 0, 0), (0, 0, 1), velocity=(0, 0, 0.1))]),
        {"gravity": 0.0, "dt": 2e-6},
    )
    simulation.step(400)
    assert simulation.velocity[0, 2] > 0.1
    simulation.move_wall(0, (0.0, 0.0, -0.5))
    assert simulation.world.walls.velocity.tolist() == [[0.0, 0.0, -0.5]]
    assert "below the number of walls, 1" in refusal(lambda: simulation.move_wall(1, (0.0, 0.0, 0.0)))
    assert "velocity" in refusal(lambda: simulation.move_wall(0, (0.0, math.nan, 0.0)))
    assert "velocity" in refusal(lambda: simulation.move_wall(0, (0.0, 0.0)))
    heap = Simulation("heap", {"grain_count": 5, "width": 0.006})
    assert "moves its walls itself" in refusal(lambda: heap.move_wall(0, (0.0, 0.0)))


def test_a_simulation_says_what_it_is() -> None:
    simulation = everything()
    simulation.step(2)
    expected = "<Simulation of by hand: 5 spheres in space, law hertz_mindlin, 4e-06 s, 2 steps, running>"
    assert repr(simulation) == expected


# Saving.


def test_a_saved_setup_continues_and_replays_with_the_same_bits(tmp_path: Path) -> None:
    simulation = everything()
    simulation.step(60)
    simulation.set(gravity=3.0)
    simulation.move_wall(0, (0.0, 0.0, -2e-3))
    simulation.step(45)
    simulation.save(tmp_path / "run.repose")
    again = Simulation.load(tmp_path / "run.repose")
    assert repr(again) == repr(simulation)
    assert again.state_hash() == simulation.state_hash()
    assert again.experiment.engine.gravity == simulation.experiment.engine.gravity
    for one in (simulation, again):
        one.step(50)
        one.set(bond_young=2e6)
        one.step(30)
    assert again.state_hash() == simulation.state_hash()
    again.save(tmp_path / "later.repose")
    verdict = verify(saved_run.load(tmp_path / "later.repose"))
    assert verdict.differs_at is None
    assert verdict.agreed == verdict.compared > 0


def test_a_saved_setup_can_begin_again(tmp_path: Path) -> None:
    simulation = place_spheres([[0.0, 0.0, 1.0]], R, GLASS, dt=1e-5)
    beginning = simulation.state_hash()
    simulation.step(20)
    simulation.save(tmp_path / "run.repose")
    again = Simulation.load(tmp_path / "run.repose").experiment
    world, _ = again.scene.course.begin(again.parameters, 1)
    assert np.array_equal(world.motion[:, 0], [[0.0], [0.0], [1.0], [0.0], [0.0], [0.0]])
    fresh = Simulation(again.scene, {"dt": 1e-5})
    assert fresh.state_hash() == beginning


def test_two_saved_setups_are_kept_apart(tmp_path: Path) -> None:
    for number, height in enumerate((1.0, 2.0)):
        place_spheres([[0.0, 0.0, height]], R, GLASS if number else WOOD, dt=1e-5).save(tmp_path / f"{number}.repose")
    first, second = (Simulation.load(tmp_path / f"{number}.repose") for number in (0, 1))
    assert (first.position[0, 2], second.position[0, 2]) == (1.0, 2.0)
    assert first.experiment.parameters.materials() == (WOOD,)
    assert second.experiment.parameters.materials() == (GLASS,)


def rewritten(path: Path, change) -> Path:
    """A copy of a saved run whose manifest `change` has changed."""
    other = path.with_name("other.repose")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.npy":
                head, body = content[:128], json.loads(content[128:])
                change(body)
                text = json.dumps(body).encode()
                head = head.replace(f"({len(content) - 128},)".encode(), f"({len(text)},)".encode())
                content = head[:127].ljust(127)[:127] + b"\n" + text
            new.writestr(name, content)
    return other


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda recipe: recipe.update(law="nothing"), "Unknown law 'nothing'"),
        (lambda recipe: recipe.update(fields=["os.system"]), "Unknown field 'os.system'"),
        (lambda recipe: recipe.update(bond="spring"), "Unknown parameter 'bond_young'"),
        (lambda recipe: recipe.update(bodies=False), "is not one of the scene"),
        (lambda recipe: recipe.update(rotation=False), "is not one of the scene"),
        (lambda recipe: recipe.update(materials=recipe["materials"][:1]), "is not one of the scene|materials"),
        (lambda recipe: recipe["materials"][0].update(young=-1.0), "young = -1.0 Pa is refused"),
        (lambda recipe: recipe.update(code="import os"), "there is no entry of this name"),
        (lambda recipe: recipe.update(down="up"), "down"),
    ],
)
def test_a_changed_recipe_is_refused_in_a_sentence(change, words: str, tmp_path: Path) -> None:
    simulation = everything()
    simulation.save(tmp_path / "run.repose")
    assert Simulation.load(rewritten(tmp_path / "run.repose", lambda manifest: None)).world.sphere_count == 5
    with pytest.raises(ArchiveError, match=words) as raised:
        Simulation.load(rewritten(tmp_path / "run.repose", lambda manifest: change(manifest["made_of"])))
    assert str(raised.value).endswith((".", "?"))


def test_a_world_whose_bonds_have_other_numbers_than_the_law_reads_is_refused(tmp_path: Path) -> None:
    saved = history.saved_copy(everything().experiment)
    run = saved.now.now.run
    run.world = run.world._replace(bonds=run.world.bonds._replace(own=np.zeros((3, 1))))
    saved_run.save(saved, tmp_path / "run.repose")
    with pytest.raises(ArchiveError, match="is not one of the scene"):
        Simulation.load(tmp_path / "run.repose")


# Refusals.


def refusal(make) -> str:
    with pytest.raises(ParameterError) as raised:
        make()
    said = str(raised.value)
    assert said.endswith((".", "?"))
    assert "\n" not in said
    return said


SPHERE = Spheres([[0.0, 0.0, 1.0]], R, GLASS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"spheres": ()}, "neither spheres nor bodies"),
        ({"spheres": "many"}, "spheres = 'many' is refused: give records of Spheres"),
        ({"spheres": [SPHERE, Spheres([[0.0, 0.0]], R, GLASS)]}, "the same number for all"),
        ({"spheres": [SPHERE, Spheres([[0.0, 0.0, 0.0]], R, mass=1.0)]}, "others have none"),
        ({"walls": [((0, 0, 0), (0, 0, 1))]}, "give records of Plane, Cylinder, Facet"),
        ({"walls": [Plane((0, 0, 0), (0, 0, 0))]}, "length of the normal of plane 0 = 0.0 is refused"),
        ({"walls": [FLOOR, Cylinder((0, 0, 0), -1.0)]}, "radius of cylinder 1 = -1.0 m is refused"),
        ({"walls": [Cylinder((0, 0, 0), 1.0, (0, 0))]}, "axis of cylinder 0"),
        ({"walls": [Facet([[0, 0, 0], [0, 0, 1]])]}, "corners of facet 0"),
        ({"walls": [Facet([[0, 0, 0], [0, 0, 1], [0, 0, 3]])]}, "corners of facet 0 are on one line: give 3 corners"),
        ({"walls": [FLOOR, Facet([[1, 2, 3], [1, 2, 3], [0, 0, 1]])]}, "corners of facet 1 are on one line"),
        (
            {"spheres": Spheres([[0.0, 1.0]], R, GLASS), "walls": [Facet([[0.1, 0.2], [0.1, 0.2]])]},
            "corners of facet 0 are equal: give 2 corners of a line",
        ),
        ({"walls": [Plane((0, 0, 0), (0, 0, 1), velocity=(1, 2))]}, "velocity of wall 0"),
        ({"walls": [Plane((0, 0, 0), (0, 0, 1), material="wood")]}, "give a Material"),
        ({"bonds": [(0, 1)]}, "give the record Bonds"),
        ({"bonds": Bonds(0, 1, 1e-4)}, "there are 1 spheres"),
        ({"bonds": Bonds(0, 0, 1e-4, law="glue")}, "Unknown bond law 'glue'"),
        ({"bodies": Bodies("ball", [[0, 0, 0]], GLASS)}, "give one of shape_of_spheres"),
        ({"fields": "liquid"}, r"as in \['liquid'\]"),
        ({"fields": ["wind"]}, "Unknown field 'wind'"),
        ({"law": "hertz"}, "Unknown law 'hertz'"),
        ({"rotation": 1}, "rotation = 1 is refused"),
    ],
)
def test_a_wrong_setup_is_refused_in_a_sentence(changes: dict, words: str) -> None:
    setup = Setup(**{"spheres": SPHERE, **changes})
    with pytest.raises(ParameterError, match=words):
        Simulation(setup)
    refusal(lambda: Simulation(setup))


def test_bonds_with_another_number_of_values_than_their_law_reads_are_refused() -> None:
    two = Spheres([[0.0, 0.0, 1.0], [0.0, 2 * R, 1.0]], R, GLASS)
    words = refusal(lambda: Simulation(Setup(two, bonds=Bonds(0, 1, [1.0, 0.0], law="spring"))))
    assert "has 2 numbers, the bond law 'spring' reads 3" in words


def test_wrong_gravity_is_refused_in_a_sentence() -> None:
    assert "a vector with 3 coordinates" in refusal(lambda: Simulation(Setup(SPHERE), {"gravity": [0.0, -9.81]}))
    assert "gravity" in refusal(lambda: Simulation(Setup(SPHERE), {"gravity": [0.0, 0.0, math.nan]}))
    assert "from 0 to 100" in refusal(lambda: Simulation(Setup(SPHERE), {"gravity": [0.0, 0.0, -1e3]}))
    assert "Setup" in refusal(lambda: Simulation(3.0))


def test_the_short_form_reaches_every_field_of_the_records() -> None:
    simulation = place_spheres(
        [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0 + 2 * R]],
        R,
        GLASS,
        velocity=0.1,
        walls=[Cylinder((0, 0, 0), 1.0)],
        bonds=Bonds(0, 1, 1e-4),
        fields=["central_gravity"],
        gravity=(0, 0, -2.0),
    )
    assert simulation.world.walls.shape.tolist() == [2]
    assert simulation.world.bonds.i.size == 1
    assert simulation.velocity.tolist() == [[0.1] * 3] * 2
    names = {entry.name for kind in (Spheres, Setup) for entry in fields(kind)}
    assert "law" in names
    assert "several to a Setup" in refusal(lambda: place_spheres([[0, 0, 0]], R, GLASS, spheres=SPHERE))


def test_a_record_can_be_changed_as_every_dataclass() -> None:
    assert replace(Setup(SPHERE), law="voigt").law == "voigt"
