"""The energy ledger: over a whole experiment nothing is lost, and what a change of stiffness puts in is work.

    kinetic + potential + elastic + shear + damping + sliding + removed - poured - work = gap

The gap is the truncation error of the scheme: contacts set in and end with a jump of the damping force, so it falls
at least in proportion to dt. Changing the stiffness at overlap d books (2/5) (k2 - k1) d^(5/2) a contact (Hertz).
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from sim.commands import Act, SetParameters
from sim.measure.energy import Booked
from sim.simulation import Simulation
from sim.state import PAIR_COUNT
from tests.worlds import Bench, model_of, world_of

SMALL = {"grain_count": 80, "width": 0.02}


def small_heap(**values: object) -> Simulation:
    return Simulation("heap", SMALL | values)


def run_through(simulation: Simulation) -> Simulation:
    """The whole experiment: fill, open, rest, measure."""
    assert simulation.apply(Act("run")) == ""
    while not simulation.finished():
        simulation.advance(5000)
    assert simulation.fault is None
    return simulation


def test_ledger_of_a_whole_heap_closes_and_the_gap_shrinks_with_the_step() -> None:
    gaps = {}
    for dt in (4e-5, 1e-5):
        gap = 0.0
        for seed in (1, 2):
            energy = run_through(Simulation("heap", SMALL | {"dt": dt}, seed)).energy()
            assert energy.damping > 0.0
            assert energy.sliding > 0.0
            assert energy.removed != 0.0
            assert abs(energy.gap) < 0.01 * energy.dissipated
            gap += abs(energy.gap)
        gaps[dt] = gap
    # First order would be a quarter; two different chaotic runs are compared, so half must do.
    assert gaps[1e-5] < 0.5 * gaps[4e-5]


def test_changing_the_stiffness_of_a_heap_books_the_work_of_every_contact() -> None:
    simulation = small_heap()
    simulation.apply(Act("fill"))
    simulation.advance(12_000)
    world, before = simulation.run.world, simulation.energy()
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    overlap = world.radius[i] + world.radius[j] - np.hypot(*(world.motion[:2, 0, i] - world.motion[:2, 0, j]))
    factor = np.where(world.fixed[i] | world.fixed[j], 2.0, 1.0)
    stored = float(np.sum(0.4 * factor * np.maximum(overlap, 0.0) ** 2.5))
    assert stored > 0.0
    assert simulation.apply(SetParameters({"normal_stiffness": 1.7e6, "shear_stiffness": 100.0})) == ""
    after = simulation.energy()
    assert before.elastic == pytest.approx(1e6 * stored, rel=1e-9)
    # Friction springs change their stored energy too, as the Coulomb limit grows with the normal force.
    assert after.work - before.work == pytest.approx(0.7e6 * stored + after.shear - before.shear, rel=1e-9)
    assert after.gap == pytest.approx(before.gap, abs=1e-15)


@pytest.mark.parametrize("change", [{"gravity": 1.62}, {"tilt": 0.2}, {"friction": 0.8}, {"shear_stiffness": 20.0}])
def test_no_change_of_a_parameter_opens_the_ledger(change) -> None:
    simulation = small_heap()
    simulation.apply(Act("fill"))
    simulation.advance(12_000)
    before = simulation.energy()
    assert simulation.apply(SetParameters(change)) == ""
    after = simulation.energy()
    assert after.gap == pytest.approx(before.gap, abs=1e-15)
    assert after.dissipated == pytest.approx(before.dissipated, abs=1e-15)
    assert after.work != before.work


def test_doubling_the_stiffness_at_greatest_overlap_sends_the_grains_back_faster_by_the_root_of_two() -> None:
    k, mass, speed, dt = 1e6, 1e-3, 1.0, 2e-7
    model, numbers = model_of("gear5", friction=0.0, normal_damping=0.0, shear_damping=0.0)
    start, velocity = [(-1.00001e-3, 0.0), (1e-3, 0.0)], [(speed / 2, 0.0), (-speed / 2, 0.0)]
    bench = Bench(world_of(model, start, 1e-3, mass, velocity=velocity), model, numbers, dt)
    while bench.velocity[0, 0] > 0.0:
        bench.advance()
    overlap = 2e-3 - (bench.position[1, 0] - bench.position[0, 0])
    # The first step past the turn: closed form to half a step, (w dt / 2)² / 2.
    assert overlap == pytest.approx((5.0 * mass / 2.0 * speed**2 / (4.0 * k)) ** 0.4, rel=1e-4)
    before = bench.energy()
    bench.numbers = bench.numbers._replace(normal_stiffness=2.0 * k)
    work = bench.energy().mechanical - before.mechanical
    assert work == pytest.approx(0.4 * k * overlap**2.5, rel=1e-12)
    assert work == pytest.approx(0.5 * (mass / 2.0) * speed**2, rel=1e-3)
    bench.advance(1200)
    assert not bench.touching
    omega = sqrt(1.5 * 2.0 * k * sqrt(overlap) / (mass / 2.0))
    assert bench.velocity[1, 0] - bench.velocity[0, 0] == pytest.approx(sqrt(2.0) * speed, rel=(omega * dt) ** 2 + 1e-4)
    energy = bench.energy(Booked(poured=before.mechanical, work=work))
    assert abs(energy.gap) < (omega * dt) ** 2 * energy.kinetic + 1e-4 * work
