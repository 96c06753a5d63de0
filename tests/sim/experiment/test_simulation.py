"""A running experiment: determinism, refused commands, changes of a parameter while grains move."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from repose.sim import Material, ParameterError, place_spheres
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Recover, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot

ROOT = Path(__file__).resolve().parents[3]
SMALL = {"grain_count": 40, "width": 0.015}


def poured(steps: int = 20_000, seed: int = 1, **values: object) -> Experiment:
    """A small heap in the midst of being filled, grains touching."""
    experiment = new_experiment("heap", SMALL | values, seed)
    assert not apply(experiment, Act("fill"))
    assert advance(experiment, steps) == steps
    return experiment


# Determinism.


@pytest.mark.case("I12")
def test_same_seed_gives_the_same_bits_and_another_seed_others() -> None:
    assert state_hash(poured().run) == state_hash(poured().run) != state_hash(poured(seed=2).run)


@pytest.mark.parametrize("batch", [1, 49, 997, 20_000])
def test_batch_size_does_not_matter(batch: int) -> None:
    reference = poured()
    other = new_experiment("heap", SMALL)
    apply(other, Act("fill"))
    while other.step < 20_000:
        advance(other, min(batch, 20_000 - other.step))
    assert state_hash(other.run) == state_hash(reference.run)
    assert np.array_equal(
        np.array([*other.run.series.columns().values()]),
        np.array([*reference.run.series.columns().values()]),
        equal_nan=True,
    )
    assert energy_of(other) == energy_of(reference)


@pytest.mark.case("I12")
def test_a_fresh_process_and_another_scene_before_give_the_same_bits() -> None:
    code = (
        "from repose.sim.experiment.results import state_hash\n"
        "from tests.sim.experiment.test_simulation import poured\n"
        "import sys\n"
        "poured(200, seed=5, friction=0.7)\n"
        "sys.stdout.write(state_hash(poured().run))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == state_hash(poured().run)


def test_taking_a_snapshot_does_not_change_the_run() -> None:
    from repose.sim.experiment.snapshot import Snapshot

    watched, alone = poured(), poured()
    for _ in range(20):
        take_snapshot(watched, Snapshot())
        results_of(watched)
        survey_contacts(watched)
        advance(watched, 50)
    advance(alone, 1_000)
    assert state_hash(watched.run) == state_hash(alone.run)


# Refusals.


REFUSED = [
    SetParameters({"frictoin": 0.2}),
    SetParameters({"friction": float("nan")}),
    SetParameters({"friction": 0.5, "gravity": -1.0}),
    SetParameters({"grain_count": 1_000_001}),
    Act("open"),
    Act("explode"),
    Start("heap", {"friction": 7.0}, 1),
    Start("hepa", {}, 1),
    Start("heap", {}, -1),
    Start("heap", {}, 1, ready="nothing"),
    Recover({"friction": "much"}),
]


@pytest.mark.parametrize("command", REFUSED, ids=repr)
def test_a_refused_command_changes_nothing(command) -> None:
    experiment = poured(500)
    before = state_hash(experiment.run), experiment.parameters, experiment.seed, experiment.dt, experiment.scene
    said = apply(experiment, command)
    assert str(said).endswith((".", "?"))
    assert "\n" not in str(said)
    assert (
        state_hash(experiment.run),
        experiment.parameters,
        experiment.seed,
        experiment.dt,
        experiment.scene,
    ) == before
    advance(experiment, 500)
    assert state_hash(experiment.run) == state_hash(poured(1_000).run)


# Changes while running.


def test_setting_a_parameter_to_its_present_value_changes_nothing() -> None:
    experiment = poured(1_000)
    before = state_hash(experiment.run), energy_of(experiment)
    assert not apply(experiment, SetParameters({"friction": 0.1, "gravity": 9.81}))
    assert (state_hash(experiment.run), energy_of(experiment)) == before


def test_a_thousand_undos_leave_the_parameters_bit_by_bit() -> None:
    experiment = poured(100)
    before = experiment.parameters
    for _ in range(500):
        for friction in (0.3, before.friction):
            assert not apply(experiment, SetParameters({"friction": friction}))
    assert experiment.parameters == before


def test_a_new_base_is_built_also_under_present_grains() -> None:
    experiment = new_experiment("heap", SMALL)
    assert not apply(experiment, SetParameters({"base_radius": 1e-3}))
    assert "rebuilt" in str(experiment.message)
    assert "anew" not in str(experiment.message)
    assert np.count_nonzero(experiment.run.world.radius == 1e-3) > 7
    apply(experiment, Act("fill"))
    advance(experiment, 1_000)
    grains = int((~experiment.run.world.fixed).sum())
    assert not apply(experiment, SetParameters({"base_radius": 5e-4}))
    assert "rebuilt under the grains" in str(experiment.message)
    assert experiment.phase == "filling"
    assert int((~experiment.run.world.fixed).sum()) == grains
    assert experiment.step == 1_000


def test_parameters_of_the_next_fill_act_at_the_next_fill() -> None:
    experiment = poured(1_000)
    world = experiment.run.world
    assert not apply(experiment, SetParameters({"grain_count": 25, "mean_radius": 8e-4}))
    assert "at the next start" in str(experiment.message)
    assert experiment.run.world is world
    assert len(experiment.run.state.radii) == 40
    apply(experiment, Act("reset"))
    assert len(experiment.run.state.radii) == 25


def test_time_is_steps_times_dt_across_changes_of_dt() -> None:
    experiment = poured(1_000, dt=2e-5)
    assert experiment.time == pytest.approx(0.02, rel=1e-12)
    assert not apply(experiment, SetParameters({"dt": 1e-5}))
    advance(experiment, 1_000)
    assert experiment.time == pytest.approx(0.03, rel=1e-12)
    assert experiment.run.dt_changes == [(0, 2e-5), (1_000, 1e-5)]


@pytest.mark.case("P12")
def test_gravity_reversed_and_a_hundred_m_s2_lose_no_grain() -> None:
    experiment = poured()
    count = experiment.run.state.poured - experiment.run.state.removed
    for values in ({"tilt": 1.5}, {"tilt": -1.5}, {"tilt": 0.0, "gravity": 100.0}, {"gravity": 0.0}):
        assert not apply(experiment, SetParameters(values))
        advance(experiment, 500)
        assert experiment.fault is None
        assert np.isfinite(experiment.run.world.motion).all()
    grains = int((~experiment.run.world.fixed).sum())
    assert grains == experiment.run.state.poured - experiment.run.state.removed >= count - experiment.run.state.removed


def test_random_changes_of_every_slider_never_leave_a_number_that_is_not_finite() -> None:
    # Random changes of all sliders that act at once; after a fault the remedy of the panel is applied.
    generator = np.random.default_rng(41)
    experiment = poured()
    sliders = [
        p
        for p in experiment.parameters.declared().values()
        if p.quantity.effect in ("now", "ramp") and p.kind == "float"
    ]
    for _ in range(200):
        slider = sliders[generator.integers(len(sliders))]
        if slider.name == "dt":
            value = float(10.0 ** generator.uniform(-6, -3)) if generator.random() < 0.5 else "auto"
        elif slider.quantity.log:
            low = max(slider.low, 1e-6 * slider.high)
            value = min(float(np.exp(generator.uniform(np.log(low), np.log(slider.high)))), slider.high)
        else:
            value = float(generator.uniform(slider.low, slider.high))
        if slider.name == "normal_stiffness":
            value = min(value, 3e7)  # stiffer ones take steps so small that nothing happens here
        assert not apply(experiment, SetParameters({slider.name: value}))
        advance(experiment, 60)
        assert np.isfinite(experiment.run.world.motion).all()
        if experiment.fault is not None:
            remedy = (
                {"dt": "auto"}
                if experiment.fault.parameter is None
                else {experiment.fault.parameter: experiment.fault.previous}
            )
            assert not apply(experiment, Recover(remedy))


def test_a_simulation_takes_a_number_of_threads_on_which_its_bits_do_not_depend() -> None:
    random = np.random.default_rng(1)
    position = 2.2e-3 * (np.stack(np.unravel_index(np.arange(64), (4, 4, 4)), axis=1) + 0.5)
    position += random.uniform(-3e-4, 3e-4, position.shape)
    glass = Material(young=1e6, poisson=0.25, density=2500.0, restitution=0.5, friction=0.5)
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    hashes = set()
    for threads in (None, 1, 2):
        simulation = place_spheres(position, 1.05e-3, glass, planes=[floor], threads=threads)
        assert simulation.step(300) == 300
        assert simulation.experiment.session.threads == threads
        hashes.add(simulation.state_hash())
    assert len(hashes) == 1
    for threads, words in (
        (0, "threads = 0 is refused"),
        ("two", "threads = 'two' is refused"),
        (2.5, "threads = 2.5"),
    ):
        with pytest.raises(ParameterError, match=words):
            place_spheres(position, 1e-3, glass, threads=threads)  # type: ignore[arg-type]
