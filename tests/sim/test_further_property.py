"""A property of materials is one file, and the law that reads it another one; a plug-in adds both."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from repose.sim import Material, ParameterError, Simulation, place_spheres, registry
from repose.sim.engine.contacts.kinematics import Contact
from repose.sim.laws.material_columns import COLUMN_COUNT
from repose.sim.laws.materials import CONTACT_COLUMNS, pair_table, row_with
from repose.sim.scenes.common.by_hand import parameters_with

from tests.small_worlds import use_plain_engine

PROPERTY = '''
"""Tackiness: largest pull of a contact."""

from repose.sim.laws.material_property import Property

PROPERTY = Property("tackiness", "T", "N", default=0.0, least=0.0, mean=min)
'''
LAW = '''
"""Hertz and Mindlin with a constant pull of touching spheres, the tackiness of the pair."""

from typing import Any, NamedTuple

from repose.sim.engine.jit import compilable
from repose.sim.engine.model import BoundLaw
from repose.sim.laws import hertz_mindlin
from repose.sim.laws.law import Law
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import CONTACT_COLUMNS, pair_table, row_with
from repose.sim.parameters import number

COLUMNS = (*CONTACT_COLUMNS, "tackiness")
TACKINESS = len(CONTACT_COLUMNS)
repulsion, repulsion_energy = hertz_mindlin.force, hertz_mindlin.energy


class TackyParameters(MaterialParameters):
    tackiness: float = number(0.0, 0.0, 1.0, "tackiness", "T", "N", group="Material", help="Pull of touching spheres.")


class Tacky(NamedTuple):
    table: Any


@compilable(forceinline=True)
def force(params, contact):
    answer = repulsion(params, contact)
    touching = 1.0 if contact.overlap > 0.0 else 0.0
    return answer._replace(normal_force=answer.normal_force - touching * contact.material[TACKINESS])


@compilable(forceinline=True)
def energy(params, contact):
    stored, spring = repulsion_energy(params, contact)
    return stored - contact.material[TACKINESS] * max(contact.overlap, 0.0), spring


BOUND = BoundLaw(force, energy, hertz_mindlin.stiffness, row_with(len(COLUMNS)), len(COLUMNS))


def coefficients(parameters):
    return Tacky(pair_table(parameters.materials(), parameters.differing(), COLUMNS))


LAW = Law("tacky", TackyParameters, lambda parameters: BOUND, coefficients)
'''
GLASS = {"young": 1e7, "poisson": 0.25, "density": 2500.0, "restitution": 0.8, "friction": 0.4}


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "tackiness.py").write_text(PROPERTY, encoding="utf-8")
    (tmp_path / "tacky.py").write_text(LAW, encoding="utf-8")
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    registry.forget_plugins()
    yield tmp_path
    monkeypatch.undo()
    registry.forget_plugins()


def test_a_property_of_one_file_reaches_the_law_that_reads_it(plugins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not registry.troubles()
    use_plain_engine(monkeypatch)
    dry, tacky = Material(**GLASS), Material(**GLASS, tackiness=2e-3)
    assert (dry.tackiness, tacky.tackiness) == (0.0, 2e-3)
    places = [[0.0, 0.0, 0.0], [1.999e-3, 0.0, 0.0], [3.998e-3, 0.0, 0.0]]
    simulation = place_spheres(places, 1e-3, [tacky, tacky, dry], law="tacky", gravity=0.0, dt=1e-6)
    simulation.step(0)
    plain = place_spheres(places, 1e-3, [tacky, tacky, dry], gravity=0.0, dt=1e-6)
    difference = simulation.contacts().force[0] - plain.contacts().force[0]
    assert difference == pytest.approx([2e-3, 0.0])  # towards each other; the mean of the pair is the smaller one
    simulation.save(plugins / "run.repose")
    assert Simulation.load(plugins / "run.repose").experiment.parameters.materials() == (tacky, dry)


def test_the_parameter_of_the_same_name_is_the_property_of_the_materials_of_a_scene(plugins: Path) -> None:
    parameters = parameters_with(registry.laws()["tacky"])
    grain, wall = parameters.checked({"tackiness": 0.5}).materials()
    assert grain.tackiness == wall.tackiness == 0.5
    assert parameters_with(registry.laws()["hertz_mindlin"])().materials()[0].further == ()


def test_a_material_compares_and_changes_with_further_properties(plugins: Path) -> None:
    tacky = Material(**GLASS, tackiness=1e-3)
    assert tacky != Material(**GLASS)
    assert tacky._replace(friction=0.1)._asdict() == GLASS | {
        "friction": 0.1,
        "rolling_friction": 0.0,
        "twisting_friction": 0.0,
        "tackiness": 1e-3,
    }
    assert len({tacky, Material(**GLASS, tackiness=1e-3)}) == 1
    assert copy.deepcopy(tacky) == tacky
    assert copy.deepcopy(tacky).tackiness == 1e-3
    assert repr(tacky).endswith("twisting_friction=0.0, tackiness=0.001)")
    with pytest.raises(ParameterError, match=r"tackiness = -1\.0 N is refused: it must be a number of at least 0 N"):
        Material(**GLASS, tackiness=-1.0)
    with pytest.raises(ParameterError, match=r"Unknown property 'T': did you mean 'tackiness' \(T\)\?"):
        Material(**GLASS, T=1.0)


def test_without_the_file_the_property_is_unknown() -> None:
    with pytest.raises(ParameterError, match="Unknown property 'tackiness': known: young"):
        Material(**GLASS, tackiness=1e-3)
    with pytest.raises(AttributeError, match="no property 'tackiness'"):
        _ = Material(**GLASS).tackiness


def test_symbols_and_missing_properties_of_a_material_are_named() -> None:
    without = {name: value for name, value in GLASS.items() if name != "friction"}
    with pytest.raises(ParameterError, match=r"Unknown property 'mu': did you mean 'friction' \(μ\)\?"):
        Material(**without, mu=0.4)
    with pytest.raises(ParameterError, match="friction is missing: give a Material its young, poisson"):
        Material(**without)


def test_the_table_of_the_common_properties_is_a_row_of_the_longer_one(plugins: Path) -> None:
    materials = (Material(**GLASS, tackiness=1e-3), Material(1e6, 0.3, 700.0, 0.5, 0.9, tackiness=4e-3))
    common = pair_table(materials, {(0, 1): {"friction": 0.7}})
    longer = pair_table(materials, {(0, 1): {"friction": 0.7, "tackiness": 9.0}}, (*CONTACT_COLUMNS, "tackiness"))
    assert common.shape == (4, COLUMN_COUNT)
    assert np.array_equal(longer[:, :COLUMN_COUNT], common)
    assert longer[:, COLUMN_COUNT].tolist() == [1e-3, 9.0, 9.0, 4e-3]

    class Params:
        table = longer

    assert row_with(COLUMN_COUNT + 1)(Params, 3) == tuple(longer[3].tolist())
    assert row_with(COLUMN_COUNT + 1) is row_with(COLUMN_COUNT + 1)
    assert "material" in Contact._fields
