"""The energy ledger of constructed states."""

from __future__ import annotations

import pytest
from repose.sim.engine.builder import keep_spheres
from repose.sim.measure.energy import Booked, Energy
from repose.sim.measure.mean_speed import mean_speed

from tests.small_worlds import Bench, model_of, world_of


def test_kinetic_and_potential_energy_of_moving_spheres_only() -> None:
    model, numbers = model_of()
    world = world_of(
        model, [(0, 1.0), (2.0, 3.0), (5.0, 9.0)], 1e-3, [1.0, 2.0, 7.0],
        velocity=[(3.0, 4.0), (0.0, 1.0), (9.0, 9.0)], fixed=[False, False, True],
    )  # fmt: skip
    energy = Bench(world, model, numbers, 1e-5, (0.0, -10.0)).energy()
    assert energy.kinetic == pytest.approx(0.5 * 25.0 + 0.5 * 2.0)
    assert energy.potential == pytest.approx(10.0 * 1.0 + 20.0 * 3.0)
    assert energy.mechanical == pytest.approx(energy.kinetic + energy.potential)
    assert (energy.elastic, energy.shear, energy.dissipated) == (0.0, 0.0, 0.0)


def test_gravity_from_the_side_makes_another_height() -> None:
    model, numbers = model_of()
    bench = Bench(world_of(model, [(0.2, 0.7)], 1e-3, 3.0), model, numbers, 1e-5, (6.0, -8.0))
    assert bench.energy().potential == pytest.approx(3.0 * (-6.0 * 0.2 + 8.0 * 0.7))


@pytest.mark.parametrize(("dimension", "share"), [(2, 0.5), (3, 0.4)])
def test_rotational_energy_is_a_separate_entry(dimension: int, share: float) -> None:
    model, numbers = model_of("gear5", dimension, rotation=True)
    spin = [(50.0,)] if dimension == 2 else [(30.0, 0.0, 40.0)]
    bench = Bench(world_of(model, [(0.0,) * dimension], 2e-3, 5.0, spin=spin), model, numbers, 1e-5)
    bench.world.motion[0, 1] = 3.0
    energy = bench.energy()
    assert energy.rotational == pytest.approx(0.5 * share * 5.0 * (2e-3) ** 2 * 50.0**2)
    assert energy.translational == pytest.approx(0.5 * 5.0 * 3.0**2)
    assert energy.kinetic == energy.translational + energy.rotational
    assert energy.mechanical == energy.kinetic


def test_leap_frog_is_read_at_the_moment_of_the_positions() -> None:
    # Free fall from rest: kinetic energy is m g²t²/2, whatever half step the stored velocity is ahead.
    dt, g = 1e-3, 9.81
    model, numbers = model_of("leapfrog")
    bench = Bench(world_of(model, [(0.0, 0.0)], 1e-2, 2.0), model, numbers, dt, (0.0, -g))
    bench.world.motion[1, 1] = -0.5 * dt * g
    bench.world.motion[1, 2] = -g
    start = bench.energy().mechanical
    bench.advance(50)
    assert bench.energy().kinetic == pytest.approx(0.5 * 2.0 * (g * 50 * dt) ** 2, rel=1e-12)
    assert bench.energy().mechanical == pytest.approx(start, abs=1e-12)


@pytest.mark.parametrize(("exponent", "power", "share"), [("hertz", 2.5, 0.4), ("linear", 2.0, 0.5)])
def test_elastic_energy_of_overlaps_with_twice_the_stiffness_at_walls(exponent, power, share) -> None:
    model, numbers = model_of(exponent=exponent)
    overlap = 4e-5
    position = [(0.0, 0.0), (2e-3 - overlap, 0.0), (4e-3 - 2.0 * overlap, 0.0)]
    bench = Bench(world_of(model, position, 1e-3, 1e-3, fixed=[True, False, False]), model, numbers, 1e-12)
    bench.advance(1)
    assert bench.energy().elastic == pytest.approx(share * 1e6 * overlap**power * (2.0 + 1.0), rel=1e-6)
    assert bench.energy().shear == 0.0


def test_the_gap_is_what_does_not_add_up() -> None:
    energy = Energy(
        translational=0.7,
        rotational=0.3,
        potential=-20.0,
        elastic=300.0,
        shear=4e3,
        bonds=0.5,
        damping=5e4,
        sliding=6e5,
        stiffening=-0.5,
        breaking=0.25,
        poured=7e6,
        removed=8e7,
        work=9e8,
    )
    assert energy.mechanical == 4281.5
    assert energy.dissipated == 649_999.75
    assert energy.gap == 4281.5 + 649_999.75 + 8e7 - 7e6 - 9e8
    assert energy.as_dict()["gap"] == energy.gap
    assert len(energy.as_dict()) == 14


def test_what_was_booked_enters_the_ledger() -> None:
    model, numbers = model_of()
    bench = Bench(world_of(model, [(0.0, 0.0)], 1e-3, 1e-3), model, numbers, 1e-5)
    energy = bench.energy(Booked(poured=1.0, removed=2.0, work=3.0, shear=4.0))
    assert (energy.poured, energy.removed, energy.work, energy.sliding) == (1.0, 2.0, 3.0, 4.0)


def test_mean_speed_of_what_moves() -> None:
    model, _ = model_of()
    velocity = [(3.0, 4.0), (0.0, 1.0), (9.0, 9.0)]
    world = world_of(model, [(0, 1), (2, 3), (5, 9)], 1e-3, 1.0, velocity=velocity, fixed=[False, False, True])
    assert mean_speed(world) == pytest.approx(3.0)
    assert mean_speed(keep_spheres(world, world.fixed)) == 0.0
