"""Stiffness, damping and gravity change over one contact duration, at steps independent of batches and files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from repose.sim.experiment import saved_run
from repose.sim.experiment.activation import parameters_in_force
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Rewind
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import RAMP_PARTS, Ramp
from repose.sim.experiment.stepping import advance
from repose.sim.io.archive import ArchiveError
from repose.sim.io.plain import encode
from repose.sim.message import time_text
from repose.sim.registry import scenes

from tests.reliability.runs import changed, go, poured, resumed, saved

STIFFER = {"normal_stiffness": 3e6}
AT = 12_000
"""Grains are falling on others by then."""


def changing(**values: object) -> Experiment:
    """A small heap in the midst of being filled, its stiffness just changed."""
    return changed(poured(AT), **(values or STIFFER))


def end_of(simulation: Experiment) -> int:
    """Step at which the ramp under way is over."""
    assert simulation.run.ramp is not None
    return simulation.run.ramp.begins + simulation.run.ramp.steps


@pytest.mark.parametrize("steps", [RAMP_PARTS, 17, 31, 100, 1_601])
def test_a_ramp_has_its_parts_at_known_steps_the_last_at_its_end(steps: int) -> None:
    plan = Ramp({"gravity": 1.0}, 7, steps)
    done = [plan.parts_done(7 + passed) for passed in range(steps + 1)]
    assert done[0] == 0
    assert done[-1] == RAMP_PARTS
    assert done[-2] == RAMP_PARTS - 1
    assert set(np.diff(done)) <= {0, 1}
    step, due = 7, []
    while plan.parts_done(step) < RAMP_PARTS:
        step += plan.steps_left(step)
        due.append(step - 7)
    assert due == [1 + done.index(part) - 1 for part in range(1, RAMP_PARTS + 1)]


def test_a_stiffness_rises_by_equal_factors_over_one_contact_duration_to_the_requested_value() -> None:
    experiment = changing()
    end, before = end_of(experiment), 1e6
    assert experiment.parameters.normal_stiffness == 3e6
    assert experiment.engine.law_parameters.normal_stiffness == before
    assert experiment.run.ramp.steps * experiment.dt == pytest.approx(experiment.engine.contact_time, abs=experiment.dt)
    factors = []
    while experiment.step < end:
        advance(experiment, 1)
        if experiment.engine.law_parameters.normal_stiffness != before:
            factors.append(experiment.engine.law_parameters.normal_stiffness / before)
            before = experiment.engine.law_parameters.normal_stiffness
    assert factors == pytest.approx([3 ** (1 / RAMP_PARTS)] * RAMP_PARTS, rel=1e-12)
    assert before == 3e6
    assert experiment.run.ramp is None


def test_weight_turns_by_equal_shares() -> None:
    experiment = changing(tilt=0.4, gravity=5.81)
    ramped = experiment.run.ramp
    advance(experiment, ramped.steps // 2)
    share = ramped.parts_done(experiment.step) / RAMP_PARTS
    assert 0.0 < share < 1.0
    g, angle = 9.81 - 4.0 * share, 0.4 * share
    assert experiment.engine.gravity == pytest.approx((g * np.sin(angle), -g * np.cos(angle)), rel=1e-14)


def test_parameters_that_only_limit_forces_act_at_once() -> None:
    experiment = changing(friction=0.4)
    assert experiment.run.ramp is None
    assert experiment.engine.law_parameters.friction == 0.4
    both = changing(friction=0.4, normal_damping=100.0)
    assert both.engine.law_parameters.friction == 0.4
    assert both.engine.law_parameters.normal_damping == 500.0


def test_without_grains_a_change_acts_at_once() -> None:
    experiment = changed(
        new_experiment("heap", {"grain_count": 40, "width": 0.015}), normal_stiffness=3e6, gravity=1.62
    )
    assert experiment.run.ramp is None
    assert experiment.engine.law_parameters.normal_stiffness == 3e6
    assert experiment.engine.gravity == (0.0, -1.62)


@pytest.mark.parametrize("batch", [1, 7, 49, 997])
def test_a_ramp_gives_the_same_bits_in_any_batches(batch: int) -> None:
    runs = []
    for size in (10_000, batch):
        experiment = changing(normal_stiffness=3e6, gravity=5.0)
        for values in ({"normal_stiffness": 5e5, "tilt": 0.1}, {"gravity": 9.81}):
            until = experiment.step + 10  # in the midst of the ramp before
            while experiment.step < until:
                advance(experiment, min(size, until - experiment.step))
            assert experiment.run.ramp is not None
            changed(experiment, **values)
        until = AT + 1_000
        while experiment.step < until:
            advance(experiment, min(size, until - experiment.step))
        assert experiment.run.ramp is None
        runs.append((state_hash(experiment.run), energy_of(experiment), experiment.run.dt_changes))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("passed", [0, 1, 9])
def test_a_run_saved_during_a_ramp_continues_bit_by_bit(passed: int) -> None:
    experiment = changing(normal_stiffness=3e6, tilt=0.1)
    advance(experiment, passed)
    assert experiment.run.ramp is not None
    again = resumed(saved(experiment))
    assert saved(again) == saved(experiment)
    assert again.engine.law_parameters == experiment.engine.law_parameters
    assert again.engine.gravity == experiment.engine.gravity
    for run in (experiment, again):
        go(run, AT + 600)
        assert run.run.ramp is None
    assert state_hash(again.run) == state_hash(experiment.run)
    assert energy_of(again) == energy_of(experiment)


def test_replay_and_rewind_reproduce_a_log_with_ramps() -> None:
    experiment = changing(gravity=5.0)
    advance(experiment, 9)
    middle = state_hash(experiment.run), experiment.engine.gravity
    at = experiment.history.at
    go(changed(experiment, **STIFFER), AT + 600)
    verdict = verify(saved_copy(experiment))
    assert verdict.agreed == verdict.compared
    experiment.history.checkpoints.budget = 10**9
    assert not apply(experiment, Rewind(at))
    assert (state_hash(experiment.run), experiment.engine.gravity) == middle


def test_a_change_during_a_ramp_begins_from_the_present_values() -> None:
    experiment = changing()
    advance(experiment, 9)
    present = experiment.engine.law_parameters
    assert 1e6 < present.normal_stiffness < 3e6
    changed(experiment, shear_stiffness=50.0)
    assert experiment.engine.law_parameters == present
    assert dict(experiment.run.ramp.values) == {
        "normal_stiffness": present.normal_stiffness,
        "shear_stiffness": present.shear_stiffness,
    }
    advance(experiment, end_of(experiment) - experiment.step)
    assert experiment.engine.law_parameters.normal_stiffness == 3e6
    assert experiment.engine.law_parameters.shear_stiffness == 50.0


def test_an_undo_before_the_next_step_restores_the_run_bit_by_bit() -> None:
    experiment, untouched = changing(gravity=1.62), poured(AT)
    changed(experiment, gravity=9.81)
    assert experiment.run.ramp is None
    assert experiment.run.booked == untouched.run.booked
    for run in (experiment, untouched):
        go(run, AT + 500)
    assert state_hash(experiment.run) == state_hash(untouched.run)


def test_the_message_tells_how_long_a_change_takes_also_while_paused() -> None:
    experiment = changing()
    lasts = time_text(experiment.run.ramp.steps * experiment.dt)
    assert str(experiment.message) == f"normal stiffness: 1e+06 N/m^1.5 → 3e+06 N/m^1.5, over {lasts}."
    assert str(changing(friction=0.4).message) == "friction: 0.1 → 0.4."


def test_the_automatic_step_is_smaller_from_the_beginning_of_a_ramp_and_larger_at_its_end() -> None:
    up = poured(AT)
    before = up.dt
    changed(up, shear_stiffness=1e6)
    smaller = up.dt
    assert smaller < 0.5 * before
    go(up, end_of(up) + 200)
    assert up.fault is None
    assert up.dt <= smaller
    changed(up, shear_stiffness=100.0)
    assert up.dt <= smaller
    go(up, end_of(up))
    assert up.run.ramp is None
    assert up.dt > 2.0 * smaller


def test_a_reset_during_a_ramp_begins_with_the_requested_values() -> None:
    experiment = changing()
    advance(experiment, 5)
    assert not apply(experiment, Act("reset"))
    assert experiment.run.ramp is None
    assert experiment.engine.law_parameters.normal_stiffness == 3e6


RAMPED = {
    *("normal_stiffness", "shear_stiffness", "normal_damping", "shear_damping", "wall_stiffness_factor"),
    *("normal_viscosity", "shear_viscosity", "young", "poisson", "reference_overlap", "gravity", "tilt"),
    *("bond_stiffness", "bond_viscosity", "pull_off_force", "rupture_distance", "attraction"),
    *("liquid_level", "liquid_density", "liquid_viscosity", "drag_coefficient"),
    *("thread_stiffness", "thread_viscosity"),
}


@pytest.mark.parametrize("scene", scenes())
def test_every_parameter_a_force_is_proportional_to_is_ramped_and_no_other(scene: str) -> None:
    for name, entry in scenes()[scene].parameters.declared().items():
        if entry.quantity.effect in ("base", "anew", "restart"):
            continue
        assert (entry.quantity.effect == "ramp") == (name in RAMPED), name
        assert entry.quantity.effect == "now" or entry.kind == "float"


@pytest.mark.parametrize(
    "damage",
    [
        {"values": {"friction": 0.2}},
        {"values": {"normal_stiffness": 1.0}},
        {"values": {"normal_stiffness": "much"}},
        {"values": {"nothing": 1.0}},
        {"steps": 0},
        {"steps": RAMP_PARTS - 1},
        {"begins": -1},
        {"begins": 1.5},
    ],
    ids=json.dumps,
)
def test_a_file_with_an_impossible_ramp_is_refused(damage: dict, tmp_path, monkeypatch) -> None:
    experiment = changing()
    plain = {"values": dict(experiment.run.ramp.values), "begins": AT, "steps": 40} | damage
    monkeypatch.setattr(
        saved_run, "encode", lambda value, *rest: plain if isinstance(value, Ramp) else encode(value, *rest)
    )
    blob = saved(experiment)
    monkeypatch.undo()
    with pytest.raises(ArchiveError, match=r"damaged|cannot be read"):
        resumed(blob)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_the_contact_duration_is_that_of_a_dropped_grain_for_any_stiffness(scale: float) -> None:
    experiment = new_experiment("heap", {"grain_count": 5, "width": 0.015, "normal_stiffness": 1e6 * scale})
    mass, radius = experiment.scene.model.smallest_grain(experiment.run.built)
    # Hertz: m g 2 R = 2/5 k d^(5/2) at rest, with the walls' k twice the grains', and ω² = 3/2 k d^(1/2) / m.
    k = 2e6 * scale
    overlap = (2.5 * mass * 9.81 * 2.0 * radius / k) ** 0.4
    expected = np.pi / np.sqrt(1.5 * k * np.sqrt(overlap) / mass)
    assert experiment.engine.contact_time == pytest.approx(expected, rel=1e-9)
    assert parameters_in_force(experiment) is experiment.parameters
