"""Curves of parameters in presets, side by side and with every scheme."""

from __future__ import annotations

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters, Start, StartSideBySide
from repose.sim.experiment.control import apply, carry_out
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.side_by_side import SideBySide, advance_batch
from repose.sim.experiment.stepping import advance
from repose.sim.io import presets, share_code
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

CURVE = "ramp 0.1 0.6 0 0.05"
PRESET = f"""
scene = "heap"
[parameters]
grain_count = 40
width = 0.012
friction = "{CURVE}"
"""


def test_a_preset_keeps_its_curve_in_file_and_code() -> None:
    preset = presets.parse(PRESET, "driven")
    assert preset.values["friction"] == CURVE
    assert presets.parse(presets.dumps(preset), "again").values["friction"] == CURVE
    assert presets.load(presets.code_of(preset)).values["friction"] == CURVE
    assert share_code.is_code(presets.code_of(preset))
    with pytest.raises(ParameterError, match="times must increase"):
        presets.parse(PRESET.replace(CURVE, "ramp 0.1 0.6 1 1"), "wrong")


def test_runs_side_by_side_have_their_own_curves() -> None:
    small = {"grain_count": 30, "width": 0.012}
    together = SideBySide([new_experiment("heap", small)])
    starts = tuple(Start("heap", small | {"friction": friction}, 1) for friction in (CURVE, 0.1))
    assert not carry_out(together, StartSideBySide(starts))
    assert together.differing == {"friction"}
    carry_out(together, Act("run"))
    advance_batch(together, 2_000, False)
    first, second = together.runs
    assert first.parameters.friction > 0.1
    assert second.parameters.friction == 0.1
    assert not carry_out(together, SetParameters({"gravity": "sine 9 1 10"}))
    assert all("gravity" in run.parameters.curves for run in together.runs)


@pytest.mark.parametrize("scheme", ["gear5", "velocity_verlet", "leapfrog"])
def test_every_scheme_follows_a_curve_and_balances_its_energy(scheme: str) -> None:
    values = {"grain_count": 30, "width": 0.012, "integrator": scheme, "gravity": "table 0 9 0.05 5 0.1 9"}
    hashes = []
    for batch in (1_000, 77):
        experiment = new_experiment("heap", values)
        apply(experiment, Act("run"))
        while experiment.step < 4_000:
            advance(experiment, min(batch, 4_000 - experiment.step))
        hashes.append(state_hash(experiment.run))
    assert hashes[0] == hashes[1]
    assert experiment.run.booked.work != 0.0
    assert experiment.fault is None


@pytest.mark.parametrize("name", sorted(scenes()))
def test_every_scene_takes_a_curve_of_gravity(name: str) -> None:
    scene = scenes()[name]
    declared = scene.parameters.declared()["gravity"]
    made = scene.parameters.checked(dict(scene.test_values) | {"gravity": "ramp 1 2 0 1"})
    assert made.at(0.0).at(0.5).gravity == pytest.approx(1.5)
    assert made.changed(gravity=declared.default).curves == {}
