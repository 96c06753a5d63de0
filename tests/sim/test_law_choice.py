"""The contact law is a parameter of the poured scenes."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.io import presets
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.common.law_choice import is_direct_law, with_law
from repose.sim.scenes.heap.parameters import HeapParameters

POURED = [name for name, scene in scenes().items() if "law" in scene.parameters.declared()]
LECTURES = {
    "bed_impact",
    "biaxial",
    "brazil_nut",
    "chute",
    "close_packing",
    "drum",
    "drum_in_space",
    "janssen",
    "plane_shear",
    "rough_plane",
    "silo",
    "triaxial",
    "two_sided",
}
HEAP = {"grain_count": 40, "width": 0.015}


def filled() -> Experiment:
    experiment = new_experiment("heap", HEAP | {"friction": 0.3})
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        advance(experiment, 500)
    return experiment


def test_every_poured_scene_offers_its_law_and_at_least_one_other() -> None:
    assert set(POURED) == {"clumps", "heap", "heap3d", "hourglass", "hourglass_glass", "joined", "vessel"} | LECTURES
    for name in POURED:
        scene = scenes()[name]
        choices = scene.parameters.declared()["law"].choices
        assert scene.model.law in choices
        assert len(choices) > 1
        assert scene.law_of(scene.parameters()) == scene.model.law


@pytest.mark.parametrize("name", POURED)
def test_each_law_has_exactly_its_own_parameters(name: str) -> None:
    parameters = scenes()[name].parameters
    own = set(parameters.model_fields) - set(registry.laws()[scenes()[name].model.law].parameters.model_fields)
    for law in parameters.declared()["law"].choices:
        found = parameters.checked({"law": law})
        assert found.law == law
        assert own | set(registry.laws()[law].parameters.model_fields) <= set(type(found).model_fields)
        assert type(found) is type(parameters.checked({"law": law})), "one class per law"


def test_parameters_that_both_laws_have_keep_their_values() -> None:
    before = scenes()["heap3d"].parameters.checked({"friction": 0.31, "grain_count": 200})
    after = before.changed(law="voigt", normal_stiffness=2e4)
    assert (after.friction, after.grain_count, after.law, after.normal_stiffness) == (0.31, 200, "voigt", 2e4)
    assert after.changed(law="hertz_mindlin") == before


def test_a_stiffness_in_another_unit_is_another_parameter() -> None:
    before = scenes()["heap"].parameters.checked({"friction": 0.31, "normal_stiffness": 2e6})
    after = before.changed(law="memoryless")
    default = scenes()["heap"].parameters.checked({"law": "memoryless"}).normal_stiffness
    assert (after.friction, after.normal_stiffness) == (0.31, default)


def test_a_parameter_of_another_law_is_parsed_and_refused_beside_the_wrong_law() -> None:
    parameters = scenes()["heap3d"].parameters
    assert parameters.parse("normal_stiffness", "2e4") == 2e4
    assert parameters.checked({"law": "voigt", "normal_stiffness": 2e4}).law == "voigt"
    with pytest.raises(ParameterError, match="Unknown parameter 'normal_stiffness'"):
        parameters.checked({"normal_stiffness": 2e4})
    with pytest.raises(
        ParameterError, match=r"law = 'nonsense' is refused: it must be 'dmt'.* 'hertz_mindlin'.* or 'voigt'"
    ):
        parameters.checked({"law": "nonsense"})


def test_a_preset_keeps_the_law_and_the_values_of_that_law() -> None:
    values = {"law": "memoryless", "normal_stiffness": 1e6, "friction": 0.2}
    text = presets.dumps(presets.Preset(name="p", title="p", scene="heap", seed=1, values=values, ready=None))
    read = presets.parse(text, "p")
    checked = scenes()["heap"].parameters.checked
    assert checked(read.values) == checked(values)


@pytest.mark.slow  # a loop that no other test needs is compiled
def test_the_law_changes_while_the_run_continues_and_the_energy_is_booked() -> None:
    experiment = filled()
    before, ledger = experiment.run.booked.work, energy_of(experiment)
    assert not apply(experiment, SetParameters({"law": "memoryless", "normal_stiffness": 2e3}))
    assert experiment.scene.law_of(experiment.parameters) == "memoryless"
    assert experiment.parameters.friction == 0.3
    assert "contact law: lee_herrmann → memoryless" in str(experiment.message)
    assert "are counted as work" in str(experiment.message)
    after = energy_of(experiment)
    assert experiment.run.booked.work - before == pytest.approx(after.mechanical - ledger.mechanical)
    assert experiment.run.booked.work != before
    assert after.gap == pytest.approx(ledger.gap, abs=1e-12)
    assert advance(experiment, 2000) == 2000
    assert np.isfinite(experiment.run.world.motion).all()


@pytest.mark.slow  # a loop that no other test needs is compiled
def test_a_run_with_another_law_is_saved_and_continued_bit_by_bit() -> None:
    experiment = filled()
    apply(experiment, SetParameters({"law": "memoryless"}))
    advance(experiment, 500)
    file = io.BytesIO()
    saved_run.write(saved_copy(experiment), file)
    file.seek(0)
    resumed = resumed_experiment(saved_run.read(file))
    assert resumed.parameters == experiment.parameters
    assert resumed.scene.law_of(resumed.parameters) == "memoryless"
    assert advance(resumed, 500) == advance(experiment, 500) == 500
    assert state_hash(resumed.run) == state_hash(experiment.run)


def test_a_law_of_a_plug_in_can_be_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    added = replace(registry.laws()["memoryless"], name="from_a_plug_in")
    monkeypatch.setitem(registry.laws(), added.name, added)
    parameters = with_law(HeapParameters, registry.laws()["lee_herrmann"], is_direct_law)
    assert added.name in parameters.declared()["law"].choices
    experiment = new_experiment("heap", HEAP | {"law": added.name})
    assert experiment.scene.law_of(experiment.parameters) == added.name
    apply(experiment, Act("fill"))
    assert advance(experiment, 100) == 100
