"""Scenes of steady flow in periodic worlds: the chute and plane shear."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import shown_positions
from repose.sim.registry import scenes
from repose.sim.scenes.common.driven_body import Floating, pushed
from repose.sim.scenes.lecture import chute, plane_shear

from tests.tiers import tiered


def flowing(scene: str, **values: object) -> Experiment:
    """The course just begun, without waiting until the grains have settled."""
    experiment = new_experiment(scene, {**scenes()[scene].test_values, **values})
    experiment.run.state.phase = "filled"
    assert not apply(experiment, Act("start"))
    advance(experiment, CHECK_STEPS)
    assert experiment.phase == "flowing"
    return experiment


# Chute.


def test_the_base_of_the_chute_goes_on_through_the_border() -> None:
    experiment = new_experiment("chute", scenes()["chute"].test_values)
    world, built = experiment.run.world, experiment.run.built
    base = np.sort(world.motion[0, 0, world.fixed])
    assert world.boundary.tolist() == [[-0.5 * built.length, 0.0], [built.length, 0.0]]
    around = np.append(base, base[0] + built.length)
    np.testing.assert_allclose(np.diff(around), chute.APART * built.diameter, rtol=1e-12)


def test_the_slope_of_the_chute_follows_its_slider_at_the_tilting_rate() -> None:
    experiment = flowing("chute", slope=math.radians(20.0), tilt_rate=math.radians(100.0), duration=100.0)
    while experiment.run.state.table < math.radians(20.0):
        advance(experiment, CHECK_STEPS)
    assert chute.elapsed(experiment) == pytest.approx(0.2, abs=2 * CHECK_STEPS * experiment.dt)
    gravity = experiment.engine.gravity
    assert math.degrees(math.atan2(gravity[0], -gravity[1])) == pytest.approx(20.0)
    assert not apply(experiment, SetParameters({"slope": math.radians(5.0)}))
    advance(experiment, 2 * CHECK_STEPS)
    assert math.radians(19.0) < experiment.run.state.table < math.radians(20.0)


def test_the_inertial_number_of_the_chute_is_that_of_its_profile() -> None:
    """Grains that move exactly as Bagnold's law: I = γ̇ √(m/P) at any depth, from the derivative of the profile."""
    experiment = flowing("chute", grain_count=200, thickness=10.0)
    world, built = experiment.run.world, experiment.run.built
    grains, deep, factor = ~world.fixed, chute.thickness(experiment), 50.0
    world.motion[0, 1, grains] = factor * chute.bagnold(world.motion[1, 0, grains], deep)
    experiment.run.state.area = np.zeros(0)
    chute.add_to_profile(experiment, 0.0)
    of = chute.measured_values(experiment)
    assert of is not None
    below = 0.3 * deep
    rate, area = 1.5 * factor * math.sqrt(below), chute.flowing_grains(experiment)[2].sum()
    per_area = built.density * 4.0 / 3.0 * built.mean_radius  # m/πR² of a grain
    down = experiment.engine.gravity[1]
    pressure = area / (built.length * deep) * per_area * -down * below
    mass = float(built.mass_of(np.array(built.mean_radius)))
    assert of["inertial"] == pytest.approx(rate * math.sqrt(mass / pressure), rel=0.02)
    assert of["deviation"] < 0.04, "layers of a tenth of the thickness, not all of them full"


# Plane shear.


def test_a_push_gives_the_impulse_of_the_force_and_the_mean_speed_that_is_asked_for() -> None:
    floating = Floating(force=-6.0, mass=3.0, damped=0.5)
    velocity = pushed(np.array([9.0, 2.0]), np.array([-4.0, 7.0]), 1.5, floating, 0.1)
    assert velocity[0] - 4.0 * 0.05 == pytest.approx(1.5), "in the middle of the interval"
    assert velocity[1] == pytest.approx(2.0 * math.exp(-0.2) - 0.2)


@pytest.mark.parametrize("integrator", tiered(["velocity_verlet", "gear5", "leapfrog"], ["velocity_verlet"]))
def test_the_work_of_the_plate_balances_the_energy_of_the_sheared_grains(integrator: str) -> None:
    experiment = flowing("plane_shear", integrator=integrator)
    while experiment.phase == "flowing":
        advance(experiment, CHECK_STEPS)
    energy = energy_of(experiment)
    assert energy.work > 0.0
    assert abs(energy.gap) < 0.01 * energy.work
    assert not experiment.run.world.bodies.inverse_mass.any(), "held at the end"


def test_the_plate_moves_at_its_speed_and_does_not_turn() -> None:
    experiment = flowing("plane_shear", strain=50.0)
    plate, built = experiment.run.world.bodies.motion[:, :, 0], experiment.run.built
    while experiment.time - experiment.run.state.since < plane_shear.STARTED * built.time_scale:
        advance(experiment, CHECK_STEPS)
    speed = plane_shear.speed_of(experiment)
    assert speed == pytest.approx(built.shear_number * experiment.run.state.height / built.time_scale)
    before, time = plate[0, 0], experiment.time
    advance(experiment, 40 * CHECK_STEPS)
    moved = experiment.run.world.bodies.motion[0, 0, 0] - before
    assert moved == pytest.approx(speed * (experiment.time - time), rel=0.05)
    assert abs(experiment.run.world.bodies.motion[2, 0, 0]) < 1e-6


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_grains_in_plane_shear_have_the_published_friction_and_bear_the_pressure() -> None:
    for number in (0.01, 0.1):
        experiment = new_experiment("plane_shear", {"shear_number": number}, seed=2)
        assert not apply(experiment, Act("run"))
        while experiment.phase != "rested":
            advance(experiment, CHECK_STEPS)
        of = plane_shear.measured_values(experiment)
        assert of is not None
        law = float(plane_shear.friction_law(np.array(of["inertial"][0])))
        assert of["friction"][0] == pytest.approx(law, abs=plane_shear.TOLERANCE)
        assert of["pressure"][0] == pytest.approx(1.0, abs=0.1)


def test_the_grains_of_the_plate_are_drawn_in_the_cell() -> None:
    experiment = new_experiment("plane_shear", scenes()["plane_shear"].test_values)
    world, length = experiment.run.world, experiment.run.built.length
    world.motion[0, 0, world.body == 0] += 0.4 * length
    world.bodies.motion[0, 0] += 0.4 * length
    assert np.abs(shown_positions(world)[:, 0]).max() <= 0.5 * length
