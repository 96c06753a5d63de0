"""A small hourglass: it fills, flows, counts, clogs and is turned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.contacts.wall_forces import FACET
from repose.sim.experiment import energy_gap
from repose.sim.experiment.changes import new_experiment, set_parameters
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.energy_gap import gap_share
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.common.random_places import TRIES
from repose.sim.scenes.hourglass import course
from repose.sim.scenes.hourglass.glass import NECK, SIDES, clearance, volume_between
from repose.sim.scenes.hourglass.random_filling import random_start

TINY = {"grain_count": 60, "mean_radius": 0.02, "orifice": 0.25, "fill_height": 1.1, "window": 10}


def tiny(scene: str = "hourglass", seed: int = 1, **values: object) -> Experiment:
    return new_experiment(scene, TINY | values, seed)


@pytest.fixture(scope="module")
def emptied() -> Experiment:
    """A tiny glass that has run empty."""
    experiment = tiny()
    run_experiment(experiment)
    return experiment


def parameters(scene: str = "hourglass", **values: object):
    return scenes()[scene].parameters.checked(TINY | values)


@pytest.mark.parametrize("scene", ["hourglass", "hourglass_glass"])
def test_grains_start_inside_the_glass_and_touch_nothing(scene):
    built = parameters(scene, grain_count=400)
    position, radius = random_start(built, np.random.default_rng(3))
    assert (clearance(built, position) > radius).all()
    assert (position[:, 2] - radius > NECK).all()
    apart = np.linalg.norm(position[:, None] - position[None], axis=-1) - radius[:, None] - radius[None]
    assert apart[~np.eye(radius.size, dtype=bool)].min() > 0.0


@pytest.mark.parametrize("scene", ["hourglass", "hourglass_glass"])
def test_every_grain_is_at_the_first_free_place_that_was_drawn_for_it(scene):
    built = parameters(scene, grain_count=60, radius_spread=0.3)
    position, radius = random_start(built, np.random.default_rng(3))
    generator, spread = np.random.default_rng(3), built.radius_spread * built.mean_radius
    low, high = built.mean_radius - spread, built.mean_radius + spread
    corner, size = np.array([-0.2, -0.2, NECK]), np.array([0.4, 0.4, built.fill_height - NECK])
    for grain in range(radius.size):
        own, place = generator.uniform(low, high), None
        assert radius[grain] == own
        for tries in TRIES:
            tried = corner + size * generator.uniform(size=(tries, 3))
            gaps = np.linalg.norm(tried[:, None] - position[None, :grain], axis=-1) - radius[:grain] - own
            free = (clearance(built, tried) > own) & (tried[:, 2] - own > NECK) & (gaps > 0.0).all(axis=1)
            if free.any():
                place = tried[np.argmax(free)]
                break
        assert place is not None
        assert (position[grain] == place).all()


def test_the_filling_ends_when_no_further_grain_fits():
    built = parameters(grain_count=5000)
    _, radius = random_start(built, np.random.default_rng(3))
    assert 100 < radius.size < 5000
    # Small grains are not preferred: the radii stay uniform between 0.8 and 1.2 of the mean.
    assert radius.mean() == pytest.approx(built.mean_radius, rel=0.02)
    solid = 4.0 / 3.0 * np.pi * (radius**3).sum() / volume_between(built, NECK, built.fill_height)
    assert 0.15 < solid < 0.38


def test_the_volume_of_the_glass_is_that_of_prism_and_frustum():
    built = parameters(orifice=0.1)
    frustum = 0.25 / 3.0 * (0.4**2 + 0.1**2 + 0.4 * 0.1)
    assert volume_between(built, NECK, 1.5) == pytest.approx(frustum + 0.5 * 0.4**2, rel=1e-4)


def test_the_glass_of_beads_with_another_width_and_cone_is_a_silo():
    experiment = tiny("hourglass_glass", width=0.2, cone_height=0.08, orifice=0.12, mean_radius=0.01, fill_height=1.2)
    built, walls = experiment.run.built, experiment.run.world.walls
    cone = walls.corner[walls.shape == FACET].reshape(-1, 3)
    beside = np.hypot(cone[:, 0], cone[:, 1])
    sides = math.sqrt(2.0 * math.pi / SIDES / math.sin(2.0 * math.pi / SIDES))  # a polygon of the same area
    assert sorted(set(np.round(beside / sides, 9))) == [0.06, 0.1]
    assert sorted(set(np.round(cone[:, 2], 9))) == [NECK, NECK + 0.08]
    frustum = math.pi * 0.08 / 12.0 * (0.2**2 + 0.12**2 + 0.2 * 0.12)
    assert volume_between(built, NECK, NECK + 0.08) == pytest.approx(frustum, rel=1e-4)
    run_experiment(experiment)
    assert experiment.phase == "rested"
    assert not experiment.scene.course.check(experiment)


def test_a_neck_as_wide_as_the_glass_is_refused_with_both_values():
    with pytest.raises(ParameterError, match=r"orifice = 0\.12 \(120 mm\) is refused: .* less than 0\.12 m \(120 mm\)"):
        parameters("hourglass_glass", width=0.12, orifice=0.12)
    assert parameters("hourglass_glass", width=0.13, orifice=0.12).width == 0.13


def test_the_published_values_are_the_defaults():
    built = scenes()["hourglass"].parameters()
    assert (built.normal_stiffness, built.shear_viscosity, built.normal_viscosity) == (1000.0, 2000.0, 70.0)
    assert (built.friction, built.grain_mass, built.dt, built.integrator) == (0.1, 0.01, 1e-5, "leapfrog")
    assert built.mean_radius * (1.0 - built.radius_spread) == pytest.approx(0.010)
    assert built.mean_radius * (1.0 + built.radius_spread) == pytest.approx(0.015)
    assert (built.lid, built.window) == (False, 100)


def test_every_grain_passes_once_and_in_order(emptied):
    state = emptied.run.state
    assert emptied.phase == "rested"
    assert emptied.fault is None
    assert len(state.passages) == state.placed == 60
    assert np.all(np.diff(state.passages) >= 0.0)
    assert not emptied.scene.course.check(emptied)


def test_the_first_passage_is_at_the_time_of_free_fall(emptied):
    # The lowest grain falls freely: z(t) = z0 - g t²/2.
    fresh = tiny()
    lowest = fresh.run.world.motion[2, 0].min() - NECK
    assert emptied.run.state.passages[0] == pytest.approx(np.sqrt(2.0 * lowest / 9.81), rel=0.02)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    hashes = []
    for seed in (1, 1, 2):
        experiment = tiny(seed=seed)
        advance(experiment, 3000)
        hashes.append(state_hash(experiment.run))
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_snapshot_shows_readings_curve_and_walls(emptied):
    snapshot = Snapshot()
    take_snapshot(emptied, snapshot)
    labels = {str(reading.label): reading.value for reading in snapshot.results.readings}
    assert labels["grains passed"] == 60
    (curve,) = snapshot.results.curves
    assert curve.lines[0].x.shape == curve.lines[0].y.shape == (50,)
    assert snapshot.geometry.facets.shape[1:] == (3, 3)
    assert snapshot.geometry.box[1][2] == 1.5


def test_the_button_says_why_the_glass_cannot_be_turned(monkeypatch, emptied):
    def button():
        return next(entry for entry in emptied.scene.course.actions(emptied) if entry.name == "turn")

    assert button().enabled
    assert "Ctrl-drag" in str(button().help)
    monkeypatch.setattr(course, "clearance", lambda built, place: np.full(len(place), -1.0))
    assert not button().enabled
    assert "would be in the funnel after the turn" in str(button().help)


def test_after_a_turn_the_grains_flow_back(emptied):
    # Gap: 0.7 to 2.2 % of the dissipation at the automatic step of 10 µs (seeds 1 to 3), 0.3 to 0.4 % at 5 µs.
    experiment = tiny(dt=5e-6)
    run_experiment(experiment)
    assert not apply(experiment, Act("turn"))
    state = experiment.run.state
    assert (experiment.phase, state.placed, state.passages) == ("flowing", 60, [])
    assert experiment.run.world.motion[2, 0].min() > NECK
    before = energy_of(experiment).gap
    while not is_finished(experiment):
        advance(experiment, 1000)
    assert experiment.fault is None
    assert len(state.passages) == 60
    assert not experiment.scene.course.check(experiment)
    assert energy_of(experiment).gap - before == pytest.approx(0.0, abs=0.01 * energy_of(experiment).dissipated)


def test_no_grain_passes_a_closed_lid():
    experiment = tiny(lid=True)
    while not is_finished(experiment):
        advance(experiment, 1000)
    assert experiment.phase == "filled"
    assert experiment.run.state.passages == []
    assert experiment.run.world.motion[2, 0].min() > NECK
    assert not apply(experiment, Act("open"))
    assert experiment.phase == "flowing"


def test_a_neck_too_narrow_for_any_grain_counts_as_clogged():
    experiment = tiny(orifice=0.03, clog_time=0.6)
    result = run_experiment(experiment)
    assert result["clogged"]
    assert result["grains_passed"] == 0
    assert result["flow_rate"] is None
    assert result["complaint"] is None
    assert str(experiment.scene.course.describe(experiment)[1]) == "clogged after 0 of 60 grains"
    readings = {str(reading.label): reading.value for reading in experiment.scene.course.readings(experiment)}
    assert readings["since the last grain"] == pytest.approx(0.6, abs=0.01)
    assert experiment.session.measured.get("hourglass", []) == []


def test_grains_that_stop_half_way_count_as_clogged_and_a_turn_continues_the_run():
    experiment = tiny("hourglass_glass", lid=False, clog_time=0.2, orifice=0.3, grain_count=40)
    while len(experiment.run.state.passages) < 10:
        advance(experiment, 200)
    # Nothing falls any more: as an arch would, and in a hundredth of the time one takes to form.
    experiment.run.world.motion[:3, 1:] = 0.0
    set_parameters(experiment, {"gravity": 0.0})
    while not is_finished(experiment):
        advance(experiment, 200)
    result = results_of(experiment)
    assert result["clogged"]
    assert 10 <= result["grains_passed"] < 40
    assert str(experiment.message) == f"Clogged after {result['grains_passed']} of 40 grains."


def test_counting_ends_after_the_requested_time():
    experiment = tiny(count_for=0.2)
    result = run_experiment(experiment)
    assert result["phase"] == "counted"
    assert result["simulated_time"] == pytest.approx(0.2, abs=1e-3)


def test_the_published_time_step_is_stable_and_a_much_larger_one_stops_the_run():
    experiment = tiny(dt=1e-3)
    advance(experiment, 5000)
    assert experiment.fault is not None
    assert "time step" in str(experiment.fault.message)


def test_a_spread_that_would_make_radii_negative_is_refused():
    with pytest.raises(ParameterError, match="radius_spread"):
        tiny(radius_spread=1.5)


LIGHT = {"friction": 2.0, "shear_viscosity": 1e5, "grain_mass": 1e-6, "normal_viscosity": 0.02, "dt": "auto"}
"""Grains so light that their shear viscosity would end a slip within a millionth of a step."""


@pytest.mark.parametrize("integrator", ["leapfrog", "velocity_verlet"])
def test_strong_friction_of_light_grains_does_not_reverse_their_slip_and_book_heat(integrator):
    # A third of the heat was booked in excess: friction reversed every slip, and each reversal counted as heat.
    experiment = tiny(integrator=integrator, **LIGHT)
    while experiment.time < 0.2:
        advance(experiment, 1000)
    energy, built = energy_of(experiment), experiment.parameters
    # The normal damping of a pair, whose effective mass is m/2, is booked up to half a step late.
    late = built.normal_viscosity * experiment.dt / built.grain_mass
    assert energy.gap == pytest.approx(0.0, abs=late * energy.dissipated)


@pytest.mark.parametrize(("integrator", "longer"), [("leapfrog", 3.0), ("rk4", 1.5)])
def test_a_gap_of_the_energy_is_shown_with_its_cause(integrator, longer, monkeypatch):
    monkeypatch.setattr(energy_gap, "LEVELS", (0.5, 0.2, 0.1, 0.05, 1e-4))
    given = LIGHT | {"integrator": integrator}
    experiment = tiny(**given | {"dt": longer * tiny(**given).dt})
    while experiment.time < 0.2:
        advance(experiment, 1000)
    assert gap_share(energy_of(experiment)) > 1e-4
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert snapshot.messages.notice is not None
    assert "The time step is too long for damping and friction" in str(snapshot.messages.notice.text)
    assert ("or for this integrator" in str(snapshot.messages.notice.text)) == (integrator == "rk4")
    assert str(snapshot.messages.notice.text) in results_of(experiment)["energy_notice"]


def test_the_default_glass_has_no_notice_of_a_gap(emptied):
    assert 0.0 < gap_share(energy_of(emptied)) < 0.02
    assert results_of(emptied)["energy_notice"] is None


@pytest.mark.slow
def test_the_glass_beads_flow_and_the_energy_ledger_closes():
    experiment = tiny("hourglass_glass", count_for=0.4, dt=5e-5)
    result = run_experiment(experiment)
    assert result["complaint"] is None
    assert result["grains_passed"] > 20
    assert abs(result["energy"]["gap"]) < 0.02 * (result["energy"]["damping"] + result["energy"]["sliding"])
