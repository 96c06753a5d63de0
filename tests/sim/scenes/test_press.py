"""Presses in the plane and in space: isotropic compression against balance and effective medium, then the test."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from repose.sim.engine.world import SERVO_SPEED
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.sampling import system_of
from repose.sim.experiment.stepping import advance
from repose.sim.measure.bulk import measure_bulk
from repose.sim.measure.energy import ledger_of
from repose.sim.measure.packing import Box
from repose.sim.registry import scenes
from repose.sim.scenes.common import press
from repose.sim.scenes.common.timed_course import column

SCENES = ("biaxial", "triaxial")


def packed_now(scene: str) -> Experiment:
    """The press once its plates keep the pressure and its grains rest."""
    experiment = new_experiment(scene, scenes()[scene].test_values)
    while experiment.phase == "filling":
        advance(experiment, CHECK_STEPS)
    assert experiment.time < 3.0, "before the longest wait"
    return experiment


@pytest.mark.parametrize("scene", SCENES)
def test_at_rest_the_mean_stress_is_the_pressure_of_the_servos(scene: str) -> None:
    experiment = packed_now(scene)
    world, wanted = experiment.run.world, experiment.run.built.pressure
    at, rows = press.places(world), [press.side_plates(world, c) for c in range(world.dimension)]
    low, high = (np.array([at[rows[c][end], c] for c in range(world.dimension)]) for end in range(2))
    system = system_of(experiment)
    stress = measure_bulk(world, system.contacts, Box(low, high)).stress
    # Of contacts and plates at once: the branch of a contact at a plate ends at the plate, whose force acts there.
    assert stress.pressure == pytest.approx(wanted, rel=0.01)
    for c in range(world.dimension):
        assert press.plate_stress(world, c) == pytest.approx(wanted, rel=press.BALANCED)
    assert not world.walls.servo.any(), "the plates are still until the course begins"


@pytest.mark.parametrize("scene", SCENES)
def test_the_bulk_modulus_is_below_that_of_an_effective_medium_and_of_its_size(scene: str) -> None:
    """Compressed like a continuum, contacts of stiffness k and branch l give K = Σ k l²/(d² V). Grains that may choose
    their places store less energy: K is below this bound. Near the jamming point it is a fraction of it, which is about
    two thirds to one at the coordination of a compressed packing (Makse et al., Phys. Rev. Lett. 83 (1999) 5070)."""
    experiment = packed_now(scene)
    built, world = experiment.run.built, experiment.run.world
    dimension, before = world.dimension, press.volume(world)

    def pressure() -> float:
        stress = [press.plate_stress(experiment.run.world, c) for c in range(dimension)]
        return sum(stress) / dimension

    at_rest = pressure()
    table = system_of(experiment).contacts
    force = np.einsum("cn,cn->n", table.force, table.normal)
    stiffness = 1.5 * force / table.overlap  # of Hertz
    medium = float((stiffness * table.distance**2).sum()) / (dimension**2 * before)
    rise = 0.05
    for _ in range(120):
        for c in range(dimension):
            for plate in press.side_plates(world, c):
                if plate != press.BOTTOM:
                    press.keep_pressure(world, plate, c, (1.0 + rise) * built.pressure, 0.01)
        advance(experiment, CHECK_STEPS)
        world = experiment.run.world
    assert pressure() == pytest.approx((1.0 + rise) * built.pressure, rel=0.01)
    modulus = (pressure() - at_rest) / (1.0 - press.volume(world) / before)
    # At the mean of both pressures the Hertz contacts are stiffer by (1 + rise/2)^(1/3), and more of them touch.
    assert 0.3 * medium < modulus < 1.05 * medium


@cache
def pressed(scene: str) -> Experiment:
    experiment = new_experiment(scene, scenes()[scene].test_values)
    assert not apply(experiment, Act("run"))
    while experiment.phase != "rested" and experiment.fault is None:
        advance(experiment, CHECK_STEPS)
    return experiment


@pytest.mark.parametrize("scene", SCENES)
def test_the_sides_keep_their_pressure_while_the_height_shrinks_at_the_rate(scene: str) -> None:
    experiment = pressed(scene)
    assert experiment.fault is None
    built = experiment.run.built
    strain, time = column(experiment, "strain"), column(experiment, "time")
    assert np.diff(strain) == pytest.approx(built.strain_rate * np.diff(time), rel=0.01)
    assert np.mean(column(experiment, "across")) == pytest.approx(built.pressure, rel=0.03)
    assert not experiment.run.world.walls.servo[:, SERVO_SPEED].any(), "they stop at the end"
    names = {curve.name: curve for curve in experiment.scene.view.curves(experiment)}
    assert set(names) == {"stress", "area", "angles"}
    shown = {reading.name for reading in experiment.scene.course.readings(experiment)}
    assert {"stress_ratio", "plate_stress", "side_stress"} <= shown


@pytest.mark.parametrize("scene", SCENES)
def test_energy_is_balanced_while_servos_work(scene: str) -> None:
    experiment = pressed(scene)
    energy = system_of(experiment).derived(ledger_of)
    # The step is an eighth of the period of the stiffest contact: the scheme's error is (ω dt)²/12 of what is stored.
    assert abs(energy.gap) < 0.02 * abs(energy.work)


def test_angles_follow_from_ratio_and_widening() -> None:
    assert np.degrees(press.angle_of(3.0)) == pytest.approx(30.0)
    assert np.degrees(press.dilatancy_angle(2.0)) == pytest.approx(30.0)
