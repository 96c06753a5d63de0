"""Scripts: the whole experiment, faults as exceptions, time steps that do not suit, and refusals in a sentence."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repose.sim import (
    EnergyGapWarning,
    Material,
    ParameterError,
    Simulation,
    SimulationFault,
    TimeStepWarning,
    place_spheres,
)
from repose.sim.bonds.beam_bond import BeamBondParameters
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_bonds, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.world import World
from repose.sim.experiment.commands import (
    Act,
    KeepOne,
    Pull,
    RemoveGrain,
    RemoveWall,
    Rewind,
    SetParameters,
    Start,
    UseThreads,
)
from repose.sim.experiment.experiment import Scene
from repose.sim.laws.voigt import VoigtParameters
from repose.sim.parameters import ParameterSet
from repose.sim.registry import laws, scenes
from repose.sim.scenes.common.by_hand import SceneRecipe, scene_of
from repose.sim.scenes.common.motion_parameters import MotionParameters
from repose.sim.wording import value_text

from tests.small_worlds import use_plain_engine

GLASS = Material(young=1e8, poisson=0.25, density=2500.0, restitution=0.8, friction=0.4)
FLOOR = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
LECTURES = (
    "bed_impact",
    "biaxial",
    "brazil_nut",
    "chute",
    "drum",
    "drum_in_space",
    "janssen",
    "plane_shear",
    "rough_plane",
    "silo",
    "triaxial",
    "two_sided",
)


def pressed(**values: Any) -> Simulation:
    """A sphere that rests on a floor, and one that falls on it."""
    return place_spheres([[0.0, 0.0, 1e-3], [0.0, 0.0, 2.999e-3]], 1e-3, GLASS, planes=[FLOOR], **values)


# The whole experiment.


@pytest.mark.parametrize("scene", LECTURES)
def test_run_does_not_end_before_the_course_of_a_scene_whose_grains_settle_first(scene: str) -> None:
    experiment = Simulation(scene, scenes()[scene].test_values)
    assert experiment.run()["phase"] == "rested"
    assert experiment.experiment.run.state.columns["time"].size


@pytest.mark.parametrize("scene", [name for name in scenes() if name not in ("clumps", "joined")])
def test_run_begins_the_whole_experiment_of_every_scene_once(scene: str, uncompiled: None) -> None:
    experiment = Simulation(scene, scenes()[scene].test_values)
    experiment.run(until=2.5 * experiment.dt)
    experiment.run(until=4.5 * experiment.dt)
    log = experiment.experiment.history.log.entries
    assert [entry.command for entry in log] == [Act("run")]
    assert experiment.experiment.step == 5


def test_run_continues_what_an_action_has_begun(uncompiled: None) -> None:
    experiment = Simulation("heap", {"grain_count": 5, "width": 0.006})
    experiment.act("fill")
    experiment.run(until=2.5 * experiment.dt)
    assert [entry.command for entry in experiment.experiment.history.log.entries] == [Act("fill")]


def test_run_begins_again_after_a_reset(uncompiled: None) -> None:
    experiment = Simulation("janssen", scenes()["janssen"].test_values)
    experiment.run(until=2.5 * experiment.dt)
    experiment.act("reset")
    assert not experiment.experiment.run.state.run_all
    experiment.run(until=2.5 * experiment.dt)
    assert experiment.experiment.run.state.run_all


def test_steps_before_run_do_not_end_it_early(uncompiled: None) -> None:
    experiment = Simulation("janssen", scenes()["janssen"].test_values)
    experiment.step(3)
    experiment.run(until=experiment.time + 2.5 * experiment.dt)
    assert experiment.experiment.run.state.run_all
    assert experiment.experiment.step == 6


def test_a_run_without_an_end_is_refused(uncompiled: None) -> None:
    experiment = pressed()
    with pytest.raises(ParameterError, match="has no end of its own: give a time"):
        experiment.run()
    assert experiment.run(until=3.5 * experiment.dt)["steps"] == 4


# Faults.


def test_a_fault_is_raised_and_names_cause_and_remedy(uncompiled: None) -> None:
    with pytest.warns(TimeStepWarning):
        experiment = pressed(dt=1e-3, gravity=9.81)
    with pytest.raises(SimulationFault, match="stopped at the last good state") as raised:
        experiment.step(10_000)
    fault = raised.value
    assert fault.fault is experiment.fault is not None
    assert fault.steps > 0
    assert str(fault) == str(fault.fault.message)
    assert "Lower the time step" in str(fault)
    for go_on in (lambda: experiment.step(), lambda: experiment.run(until=1.0)):  # not 0 steps without a word
        with pytest.raises(SimulationFault):
            go_on()
    copy = pickle.loads(pickle.dumps(fault))  # noqa: S301  # as Dask sends it
    assert (str(copy), copy.steps) == (str(fault), fault.steps)
    experiment.set(dt="auto")
    assert experiment.step(5) == 5


def test_a_fault_is_returned_if_the_script_asks_for_it(uncompiled: None) -> None:
    with pytest.warns(TimeStepWarning):
        experiment = pressed(dt=1e-3)
    assert experiment.step(10_000, on_fault="return") < 10_000
    assert experiment.fault is not None
    assert experiment.step(10, on_fault="return") == 0
    assert experiment.run(until=1.0, on_fault="return")["fault"] == str(experiment.fault.message)
    with pytest.raises(ParameterError, match="on_fault = 'ignore' is refused: it must be 'raise' or 'return'"):
        experiment.step(1, on_fault="ignore")  # type: ignore[arg-type]


def test_the_run_of_a_scene_raises_its_fault(uncompiled: None) -> None:
    with pytest.warns(TimeStepWarning, match="dt = 0.001 s is"):
        experiment = Simulation("heap", {"grain_count": 5, "width": 0.006, "dt": 1e-3})
    with pytest.raises(SimulationFault):
        experiment.run(until=1.0)


# Time steps.


@dataclass
class NoState:
    """State of a scene without phases."""

    phase: str = "running"


class CementedParameters(MotionParameters, VoigtParameters, BeamBondParameters):
    """Two spheres and a bond."""


def cemented() -> Scene:
    """Two spheres joined by a beam."""

    def begin(parameters: Any, seed: int) -> tuple[World, NoState]:
        return add_bonds(two_spheres(materials=2), 0, 1, [1e-3]), NoState()

    scene = scene_of(two_spheres(), SceneRecipe("voigt"))
    return replace(
        scene,
        name="cemented",
        parameters=CementedParameters,
        model=replace(scene.model, bond=lambda parameters: "beam"),
        course=replace(scene.course, begin=begin),
    )


def test_a_step_far_too_large_is_noticed_at_once_with_the_line_of_the_script(uncompiled: None) -> None:
    with pytest.warns(TimeStepWarning, match=r"dt = 0\.001 s is .* times the .* s up to which") as noticed:
        experiment = pressed(dt=1e-3)
    assert noticed[0].filename == __file__
    with pytest.warns(TimeStepWarning):
        experiment.set(dt=5e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        experiment.step(0)  # once is enough
        experiment.set(dt="auto")
        experiment.step(3)


def test_a_step_without_anything_to_touch_is_not_noticed(uncompiled: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        place_spheres([[0.0, 0.0, 1.0]], 1e-3, GLASS, dt=1e-3)
        pressed(dt=2e-6)


def test_an_absurdly_small_automatic_step_is_noticed_with_its_cause(uncompiled: None) -> None:
    with pytest.warns(TimeStepWarning, match=r"automatic time step is .* shorter than .* \(lag\) of the bonds"):
        experiment = Simulation(cemented(), {"bond_lag": 1e-1})
    assert experiment.dt < 1e-8
    with pytest.warns(TimeStepWarning, match=r"The fastest grain or wall, with 1e\+06 m/s, limits it"):
        pressed(velocity=[0.0, 0.0, -1e6])


def test_an_automatic_step_of_overdamped_contacts_names_the_coefficient_and_a_value(uncompiled: None) -> None:
    # gamma = 70 kg/s and m* = 5 mg: the velocity of an approach falls within 70 ns. Critical: 2 sqrt(k m*) = 0.14 kg/s.
    light = {"position": [[0.0, 0.0, 0.0], [3e-3, 0.0, 0.0]], "radius": 1e-3, "mass": 1e-5, "law": "memoryless"}
    words = r"normal_viscosity = 70 kg/s is 495 times the critical damping and limits it: give at most 0\.14 kg/s"
    with pytest.warns(TimeStepWarning, match=words):
        place_spheres(**light)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        place_spheres(**light, normal_viscosity=0.14)  # type: ignore[arg-type]


def test_the_coefficient_of_an_overdamped_contact_is_declared_and_not_told_by_its_name() -> None:
    def damping(kind: type[ParameterSet]) -> list[str]:
        return [name for name, entry in kind.declared().items() if entry.quantity.damps_normal]

    assert {law.name: damping(law.parameters) for law in laws().values() if damping(law.parameters)} == {
        "bounded_spring": ["normal_viscosity"],
        "capillary": ["normal_damping"],
        "lee_herrmann": ["normal_damping"],
        "memoryless": ["normal_viscosity"],
    }
    damped = {name: damping(scene.parameters) for name, scene in scenes().items()}
    assert damped["rake"] == ["normal_viscosity"]
    assert damped["rod"] == [], "its bonds are damped, not its contacts"


def bounced(**values: Any) -> Simulation:
    """Two spheres on linear springs, shortly before they touch."""
    places, elastic = [[0.0, 0.0, 0.0], [2.0002e-3, 0.0, 0.0]], GLASS._replace(restitution=1.0)
    return place_spheres(
        places, 1e-3, elastic, law="voigt", velocity=[[1.0, 0, 0], [-1.0, 0, 0]], gravity=0.0, **values
    )


def test_a_gap_of_the_energy_is_warned_of_once_with_the_line_of_the_script(uncompiled: None) -> None:
    experiment = bounced(dt=3.1e-5)
    experiment.step(300)  # one check may meet the spheres in contact
    with pytest.warns(EnergyGapWarning, match="The balance is off by more than .* of the converted energy") as noticed:
        experiment.step(300)
    assert noticed[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "The balance is off by more than" in experiment.results()["energy_notice"]
        experiment.step(300)
    with pytest.warns(EnergyGapWarning):
        bounced(dt=3.1e-5).run(until=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounced().run(until=3e-4)


@pytest.mark.parametrize("scene", [name for name in scenes() if name not in ("clumps", "joined")])
def test_no_scene_has_a_step_that_is_noticed(scene: str, uncompiled: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation(scene, scenes()[scene].test_values)


# Refusals.


def refused(make: Any) -> str:
    with pytest.raises(ParameterError) as raised:
        make()
    said = str(raised.value)
    assert said.endswith((".", "?"))
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("name", "value", "limit"),
    [
        ("young", -1.0, "a number above 0 Pa"),
        ("young", math.inf, "a number above 0 Pa"),
        ("young", "1e7", "a number"),
        ("poisson", 0.9, "a number above -1 and at most 0.5"),
        ("poisson", -1.0, "a number above -1 and at most 0.5"),
        ("density", 0.0, "a number above 0 kg/m³"),
        ("restitution", 2.0, "a number from 0 to 1"),
        ("restitution", -0.1, "a number from 0 to 1"),
        ("friction", math.nan, "a number of at least 0"),
        ("friction", -1.0, "a number of at least 0"),
        ("friction", None, "a number"),
        ("rolling_friction", -1.0, "a number of at least 0"),
        ("twisting_friction", True, "a number"),
    ],
)
def test_a_number_that_no_material_has_is_refused(name: str, value: Any, limit: str) -> None:
    for make in (lambda: Material(**(GLASS._asdict() | {name: value})), lambda: GLASS._replace(**{name: value})):
        said = refused(make)
        assert said.startswith(f"{name} = {value_text(value)}")
        assert said.endswith(f"it must be {limit}.")


def test_a_material_stays_a_tuple_of_floats() -> None:
    soft = GLASS._replace(young=10**6, friction=np.float32(0.5))
    assert soft == (1e6, 0.25, 2500.0, 0.8, 0.5, 0.0, 0.0)
    assert all(type(number) is float for number in soft)
    assert pickle.loads(pickle.dumps(soft)) == soft  # noqa: S301
    assert hash(soft) == hash(Material(*soft))


ENTRIES = st.one_of(
    st.floats(),
    st.integers(-(10**30), 10**30),
    st.sampled_from([None, True, "1", "fast", 1j, 5e-324, 1e200, [], [[]], {}, [None], object(), GLASS, [GLASS]]),
    st.lists(st.floats(), max_size=4),
    st.lists(st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=3), max_size=3),
)
NAMES = ("position", "radius", "material", "mass", "velocity", "spin", "fixed", "planes", "plane_material", "law")
NAMES += ("rotation", "gravity", "tilt", "dt", "integrator", "density", "nothing")


@pytest.fixture(scope="module")
def plain_engine() -> Any:
    """The plain engine for examples of Hypothesis, which share one fixture."""
    with pytest.MonkeyPatch.context() as patch:
        use_plain_engine(patch)
        yield


@pytest.mark.filterwarnings("ignore::repose.sim.experiment.simulation.TimeStepWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy's numbers, in the engine that is not compiled
@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(NAMES), ENTRIES, min_size=1, max_size=2))
def test_whatever_is_placed_is_refused_in_a_sentence_or_moves(plain_engine: Any, asked: dict[str, Any]) -> None:
    given_now = {"position": [[0.0, 0.0, 1.1e-3], [0.0, 0.0, 3.2e-3]], "radius": 1e-3, "material": GLASS} | asked
    try:
        experiment = place_spheres(**given_now)
    except ParameterError as error:
        said = str(error)
    else:
        said = "It moves."
        assert np.isfinite(experiment.velocity).all()
        try:
            experiment.step(1)
        except SimulationFault as fault:
            said = str(fault)
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Simulation(3), "scene = 3 is refused"),  # type: ignore[arg-type]
        (lambda: Simulation("hepa"), "did you mean 'heap'"),
        (lambda: Simulation("heap", [("friction", 0.2)]), "give values by name"),  # type: ignore[arg-type]
        (lambda: Simulation("heap", {3: 4}), "Unknown parameter '3'"),  # type: ignore[dict-item]
        (lambda: Simulation("heap", {"gravity": (0.0, -9.81)}), "give its size, a number from 0 to 100 m/s²"),
        (lambda: Simulation("heap", {"gravity": np.array([0.0, -9.81])}), "tilt turns it"),
        (lambda: Simulation("heap", {"friction": math.nan}), "friction = nan is refused"),
        (lambda: Simulation("heap", {}, 1.5), "seed = 1.5 is refused"),  # type: ignore[arg-type]
        (lambda: Simulation("heap", {}, -1), "seed = -1 is refused: it must be a whole number from 0"),
        (lambda: Simulation("heap", None, 1, 3), "Unknown prepared state '3': known: column"),  # type: ignore[arg-type]
        (lambda: Simulation.load(3), "path = 3 is refused"),  # type: ignore[arg-type]
    ],
)
def test_a_simulation_that_cannot_be_is_refused(make: Any, words: str, uncompiled: None) -> None:
    assert words in refused(make)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda one: one.step(-1), "count = -1 is refused: it must be a whole number of steps from 0"),
        (lambda one: one.step(1.5), "count = 1.5 is refused"),
        (lambda one: one.step("3"), "count = '3' is refused"),
        (lambda one: one.step(math.nan), "count = nan is refused"),
        (lambda one: one.step(True), "count = true is refused"),
        (lambda one: one.run(-1.0), "until = -1.0 is refused: it must be a time of at least 0 s"),
        (lambda one: one.run(math.nan), "until = nan is refused"),
        (lambda one: one.run("2"), "until = '2' is refused"),
        (lambda one: one.run([1.0, 2.0]), "until = [1.0, 2.0] is refused"),
        (lambda one: one.act(3), "action = 3 of Act is refused: it must be text"),
        (lambda one: one.act("close"), "Unknown action 'close': known: fill"),
        (lambda one: one.apply(SetParameters([1.0])), "values = [1.0] is refused: give values by name"),
        (lambda one: one.apply(Start(3, {}, 1)), "scene = 3 of Start is refused"),
        (lambda one: one.apply(Rewind("x")), "at = 'x' of Rewind is refused: it must be a whole number"),
        (lambda one: one.apply(Rewind("3")), "at = '3' of Rewind is refused: it must be a whole number"),
        (lambda one: one.apply(Rewind(True)), "at = true of Rewind is refused: it must be a whole number"),
        (lambda one: one.move_wall("0", (0.0, 0.0)), "wall = '0' of MoveWall is refused: it must be a whole number"),
        (lambda one: one.apply(Pull(1, ("0", "0"), 1.0)), "position = ['0', '0'] of Pull is refused"),
        (lambda one: one.apply(RemoveGrain((1, 2))), "sphere_id = [1, 2] of RemoveGrain is refused"),
        (lambda one: one.apply(RemoveWall((0.0, 0.0), None)), "reach = null of RemoveWall is refused"),
        (lambda one: one.apply(KeepOne(0)), "make several Simulations"),
        (lambda one: one.apply("open"), "'open' is refused: it is no command"),
        (lambda one: one.set(gravity=[0.0, -9.81]), "give its size"),
        (lambda one: one.save(None), "path = null is refused"),
        (lambda one: one.save(""), "path = '' is refused: give the path of a file"),
        (lambda one: one.save("."), "path = '.' is refused: give the path of a file"),
    ],
)
def test_a_call_that_cannot_be_is_refused_and_changes_nothing(make: Any, words: str, uncompiled: None) -> None:
    experiment = Simulation("heap", {"grain_count": 5, "width": 0.006})
    before = experiment.state_hash()
    assert words in refused(lambda: make(experiment))
    assert experiment.state_hash() == before


def test_numbers_of_numpy_are_python_numbers_in_a_saved_run(tmp_path: Path, uncompiled: None) -> None:
    values = {"grain_count": np.int64(5), "width": np.float32(0.0078125), "friction": np.array(0.25)}
    experiment = Simulation("heap", values, np.int64(2))
    experiment.step(np.int64(3))
    experiment.set(friction=np.float32(0.5))
    experiment.apply(UseThreads(np.int64(1)))  # type: ignore[arg-type]
    experiment.save(tmp_path / "run.repose")
    assert Simulation.load(tmp_path / "run.repose").experiment.parameters.friction == 0.5


# Scenes of scripts.


def two_spheres(dimension: int = 3, spin: int = 3, materials: int = 1, material: int = 0) -> World:
    position = np.zeros((2, dimension))
    position[1, -1] = 2e-3
    return add_spheres(
        empty_world(dimension, spin, materials=materials), position, 1e-3, 1e-5, SphereGroup(material=material)
    )


FLOOR_OF_2 = [[[0.0] * 3, [0.0, 0.0, 1.0], [0.0] * 3]]


def body() -> World:
    """Two spheres, and a body of two."""
    return add_bodies(two_spheres(), shape_of_spheres([[0.0] * 3, [1e-3, 0.0, 0.0]], 1e-3, 1e-5), [[1.0] * 3])


@pytest.mark.parametrize(
    ("law", "world", "changes", "words"),
    [
        ("voigt", lambda: None, {}, "its function begin must return a World and its state"),
        ("voigt", two_spheres, {"law": "hertz"}, "Unknown law 'hertz': known: bounded_spring"),
        ("voigt", two_spheres, {"fields": lambda parameters: ("wind",)}, "Unknown field 'wind': known: "),
        ("voigt", two_spheres, {"bond": lambda parameters: "glue"}, "Unknown bond law 'glue': known: beam, spring"),
        ("voigt", lambda: two_spheres(2, 1), {}, "its world has 2 dimensions, the scene 3; give empty_world 3"),
        ("voigt", lambda: two_spheres(3, 0), {}, "have 0 components of spin, 'rotates' of its model asks for 3"),
        ("voigt", lambda: add_bonds(two_spheres(), 0, 1, [1.0]), {}, "has bonds (1), the scene no law for them"),
        (
            "voigt",
            lambda: add_bonds(two_spheres(), 0, 1, [1.0, 2.0]),
            {"bond": lambda parameters: "beam"},
            "each of its bonds has 2 numbers, the bond law 'beam' reads 1",
        ),
        ("voigt", body, {}, "has rigid bodies (1), the scene none"),
        ("hertz_mindlin", lambda: two_spheres(materials=3), {}, "has 3 materials, the law 'hertz_mindlin' 2"),
        ("hertz_mindlin", lambda: two_spheres(materials=2, material=5), {}, "a sphere has the material 5"),
        (
            "hertz_mindlin",
            lambda: set_walls(two_spheres(materials=2), PLANE, FLOOR_OF_2, material=2),
            {},
            "a wall has the material 2, and there are 2; use a row from 0 to 1",
        ),
    ],
)
def test_a_world_that_compiled_code_would_read_beyond_its_tables_is_refused(
    law: str, world: Any, changes: dict[str, Any], words: str, uncompiled: None
) -> None:
    def begin(parameters: Any, seed: int) -> tuple[World, NoState]:
        return world(), NoState()

    scene = scene_of(two_spheres(), SceneRecipe(law))
    if world() is None:
        begin = _of_nothing
    course, model = replace(scene.course, begin=begin), replace(scene.model, **changes)
    changed = replace(scene, parameters=CementedParameters if "bond" in changes else scene.parameters)
    assert words in refused(lambda: Simulation(replace(changed, course=course, model=model)))


def _of_nothing(parameters: Any, seed: int) -> tuple[World, NoState]:
    """A function `begin` that returns nothing."""
    return None  # type: ignore[return-value]
