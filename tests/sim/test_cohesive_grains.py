"""Grains become wet or sticky while an experiment runs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from repose.sim import Simulation
from repose.sim.choices import LAWS
from repose.sim.engine.composition import reach_in
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.sampling import reading_of
from repose.sim.parameters import ParameterError
from repose.sim.registry import laws
from repose.sim.scenes.common.stream import lift_on
from repose.sim.scenes.heap3d.plate_and_funnel import FLOOR_WALL, sizes

from tests.small_worlds import use_plain_engine

COHESION: dict[str, dict[str, Any]] = {
    "liquid_bridge": {"liquid_volume": 4e-3},
    "jkr": {"surface_energy": 0.2},
    "dmt": {"surface_energy": 0.2},
}


@pytest.mark.parametrize("law", COHESION)
def test_a_cohesive_law_has_no_reach_in_an_empty_container(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    experiment = Simulation("vessel", {"law": law, "grain_count": 5, **COHESION[law]}).experiment
    assert experiment.run.world.sphere_count == 0
    assert reach_in(experiment.run.world, experiment.engine.model.law, experiment.engine.law_parameters) <= 0.0


def test_grains_become_wet_sticky_and_dry_again_while_the_run_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    simulation = Simulation("two_sided", {"grain_count": 12, "friction": 0.4})
    simulation.act("run")
    for law, values in COHESION.items():
        simulation.step(5)
        simulation.set(law=law, **values)
        simulation.step(5)
        assert simulation.experiment.scene.law_of(simulation.experiment.parameters) == law
        assert simulation.experiment.parameters.friction == 0.4
        simulation.set(**dict.fromkeys(values, 0.0))
    simulation.set(law="hertz_mindlin")
    assert simulation.step(5) == 5


@pytest.mark.parametrize("law", COHESION)
def test_a_negative_number_is_refused_in_one_sentence_and_nothing_changes(
    law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    simulation = Simulation("two_sided", {"grain_count": 12, "law": law})
    simulation.act("run")
    simulation.step(5)
    (name,) = COHESION[law]
    before, parameters = state_hash(simulation.experiment.run), simulation.experiment.parameters
    with pytest.raises(ParameterError) as refused:
        simulation.set(**{name: -1.0})
    said = r"\w+ = -1\.0( \(-100 %\))? is refused: it must be a number from 0 to [^;]*; the default is .*\."
    assert re.fullmatch(said, str(refused.value))
    assert state_hash(simulation.experiment.run) == before
    assert simulation.experiment.parameters == parameters


def test_every_law_that_a_scene_offers_says_whether_grains_are_dry_wet_or_sticky() -> None:
    offered = {name for name, law in laws().items() if "friction" in law.parameters.model_fields}
    assert {name.split(":")[0] for name in map(str, LAWS.values())} == {"dry", "wet", "sticky"}
    assert offered == set(LAWS)


@pytest.mark.parametrize(("lifted", "stops"), [(1.5, False), (2.5, True)])
def test_a_cylinder_to_which_grains_stick_is_lifted_to_twice_its_height(
    lifted: float, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    simulation = Simulation("heap3d", {"pouring": "cylinder", "grain_count": 5, "base": "smooth"})
    simulation.act("fill")
    experiment, world = simulation.experiment, simulation.experiment.run.world
    high = sizes(experiment.run.built).high
    world.walls.velocity[FLOOR_WALL + 1 :, 2] = 0.1
    world.walls.moved[FLOOR_WALL + 1 :, 2] = lifted * high
    world.motion[2, 0] = (lifted + 0.5) * high  # carried with the cylinder
    lift_on(experiment, 0.0, high)
    assert world.walls.velocity.any() == (not stops)


def test_a_tower_of_wet_grains_stands_without_an_angle_of_repose_and_is_measured_once_it_has_fallen() -> None:
    wet = {"law": "capillary", "pull_off_force": 0.981, "rotation": True, "friction": 0.3, "base_radius": 1e-3}
    simulation = Simulation("heap", {**wet, "grain_count": 60, "width": 0.02}, seed=2)
    results = simulation.run()
    experiment = simulation.experiment
    assert (experiment.phase, results["grains_left"], experiment.run.state.slope) == ("rested", 60, None)
    assert results["answer"] == "The column stands: 60 of 60 are left in it."
    assert not results["complaint"]
    assert reading_of(experiment) is None
    simulation.set(pull_off_force=0.0)
    while experiment.phase == "rested":
        simulation.step(CHECK_STEPS)
    while experiment.phase != "rested":
        simulation.step(CHECK_STEPS)
    assert experiment.run.state.slope is not None
