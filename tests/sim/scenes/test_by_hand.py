"""Spheres placed by hand: the first step, materials, contacts, refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from repose.sim import Material, ParameterError, Simulation, place_spheres
from repose.sim.laws.material_columns import FRICTION
from repose.sim.registry import integrators, scenes

pytestmark = pytest.mark.usefixtures("uncompiled")

G = 9.81
GLASS = Material(young=1e8, poisson=0.25, density=2500.0, restitution=0.8, friction=0.4)
WOOD = Material(young=1e7, poisson=0.3, density=700.0, restitution=0.5, friction=0.9)
FLOOR = ((0.0, 0.0, 0.0), (0.0, 0.0, 2.0))


def stacked(**values: object) -> Simulation:
    """A glass sphere on a floor of wood, and a wooden sphere on the glass one, pressed 1 µm into each other."""
    position = [[0.0, 0.0, 0.999e-3], [0.0, 0.0, 2.998e-3]]
    return place_spheres(position, 1e-3, [GLASS, WOOD], planes=[FLOOR], plane_material=WOOD, **values)


@pytest.mark.parametrize("integrator", integrators())
def test_the_first_step_of_spheres_placed_by_hand_contains_gravity(integrator: str) -> None:
    experiment = place_spheres([[0.0, 0.0, 1.0]], 1e-3, GLASS, integrator=integrator, dt=1e-4, velocity=[0.3, 0.0, 0.0])
    for steps in (1, 2):
        experiment.step(steps)
        time = experiment.time
        assert experiment.velocity[0] == pytest.approx([0.3, 0.0, -G * time], rel=1e-9)
        # A first step without gravity leaves g t dt/2.
        assert 1.0 - experiment.position[0, 2] == pytest.approx(0.5 * G * time**2, rel=1e-6)


def test_contacts_have_the_forces_of_the_materials_of_both() -> None:
    experiment = stacked()
    experiment.step(0)
    found = experiment.contacts()
    assert [*zip(found.i.tolist(), found.j.tolist())] == [(0, 1), (0, -1)]
    for column, (one, other, radius) in enumerate(((GLASS, WOOD, 0.5e-3), (GLASS, WOOD, 1e-3))):
        young = 1.0 / sum((1.0 - side.poisson**2) / side.young for side in (one, other))
        hertz = 4.0 / 3.0 * young * math.sqrt(radius) * 1e-6**1.5
        assert abs(found.force[2, column]) == pytest.approx(hertz, rel=1e-6)
    volume = 4.0 / 3.0 * math.pi * 1e-9
    assert experiment.world.mass == pytest.approx([2500.0 * volume, 700.0 * volume])
    table = experiment.experiment.engine.law_parameters.table
    assert table[:, FRICTION] == pytest.approx([0.4, 0.6, 0.6, 0.9])


def test_energy_of_a_fall_is_conserved_and_the_ledger_closes() -> None:
    experiment = place_spheres([[0.0, 0.0, 1.1e-3]], 1e-3, GLASS._replace(restitution=1.0), planes=[FLOOR])
    experiment.step(800)
    energy = experiment.energy()
    assert experiment.experiment.run.world.largest_overlap[0] > 0.0  # it has bounced
    assert energy.as_dict()["gap"] == pytest.approx(0.0, abs=1e-3 * energy.poured)


def test_the_plane_of_a_law_without_materials_and_fixed_spheres() -> None:
    values = {"law": "lee_herrmann", "normal_stiffness": 1e3, "exponent": "linear", "rotation": False}
    experiment = place_spheres([[0.0, 1e-3], [0.0, 2.9e-3]], 1e-3, mass=1e-3, fixed=[True, False], **values)
    experiment.step(1)
    assert experiment.position[0] == pytest.approx([0.0, 1e-3])
    assert experiment.position[1, 1] > 2.9e-3
    assert experiment.spin.shape == (2, 0)


def test_the_same_script_gives_the_same_bits() -> None:
    first, second = stacked(), stacked()
    first.step(20)
    second.step(20)
    assert first.state_hash() == second.state_hash()
    assert np.array_equal(first.position, second.position)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"law": "hertz"}, "Unknown law 'hertz'"),
        ({"material": [GLASS, WOOD]}, "2 materials are given for 1 spheres"),
        ({"material": None}, "neither mass nor material"),
        ({"material": None, "plane_material": WOOD}, "without a material of the spheres"),
        ({"radius": -1.0}, r"radius = -1\.0 m is refused: it must be a number above 0 m"),
        ({"radius": [1e-3, 1e-3]}, r"radius has the shape \(2,\) and is refused"),
        ({"fixed": [True, False]}, "fixed = .* must be True or False, or an array of 1"),
        ({"fixed": [0]}, r"fixed = \[0\] is refused"),
        ({"velocity": [0.0, math.nan, 0.0]}, r"velocity\[0, 1\] = nan m/s is refused: it must be a finite number"),
        ({"velocity": [0.0, 1.0]}, r"velocity has the shape \(2,\) and is refused: give a number or an array"),
        ({"spin": math.inf}, "spin = inf rad/s is refused"),
        ({"spin": 1.0, "rotation": False}, "the spheres do not rotate"),
        ({"planes": FLOOR}, "give a list of pairs of a point .* and a normal, as in"),
        ({"planes": [((0.0, 0.0), (0.0, 0.0, 1.0))]}, "point of plane 0 = .* must have 3 coordinates"),
        ({"planes": [FLOOR, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))]}, "length of the normal of plane 1 = 0.0 is refused"),
        ({"material": "glass"}, "material = 'glass' is refused: give a Material"),
        ({"material": [None]}, r"material\[0\] = null is refused"),
        ({"position": [[0.0, 0.0, 1e6]]}, "must be within 10000 m of the origin"),
        ({"position": []}, "give 2 or 3 coordinates for each sphere"),
        ({"friction": 0.7}, "friction = 0.7 has no effect"),
        ({"mu": 0.7}, r"Unknown parameter 'mu': did you mean 'friction' \(μ\)\?"),
        ({"g": 0.7}, r"did you mean 'gravity' \(g\)\?"),
        ({"gravity": -1.0}, "gravity = -1.0 is refused"),
        ({"position": [[0.0]]}, r"position has the shape \(1, 1\)"),
        ({"mass": math.nan}, "mass = nan kg is refused: it must be a number above 0 kg"),
        ({"position": [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]}, "Spheres 0 and 2 are at exactly"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(asked: dict, words: str) -> None:
    given = {"position": [[0.0, 0.0, 1.0]], "radius": 1e-3, "material": GLASS} | asked
    with pytest.raises(ParameterError, match=words):
        place_spheres(**given)


def test_a_scene_with_functions_of_the_script_says_why_it_is_not_saved(tmp_path) -> None:
    scene = replace(scenes()["heap"], name="own")
    with pytest.raises(ParameterError, match="its functions are in this script: put its record into a file"):
        Simulation(scene, scene.test_values).save(tmp_path / "run.repose")
    assert not [*tmp_path.iterdir()]
