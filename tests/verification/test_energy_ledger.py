"""The energy ledger: over a whole experiment nothing is lost, and what a change of stiffness puts in is work.

    kinetic + potential + elastic + shear + damping + sliding + removed - poured - work = gap

The gap is the truncation error of the scheme: contacts set in and end with a jump of the damping force, so it falls
at least in proportion to dt. Changing the stiffness at overlap d books (2/5) (k2 - k1) d^(5/2) a contact (Hertz), and
every part of a ramp its share at the overlaps of that moment.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import stepping
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.run import RAMP_PARTS
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.measure.booked import Booked

from tests.small_worlds import Bench, model_of, world_of

SMALL = {"grain_count": 80, "width": 0.02}


def small_heap(**values: object) -> Experiment:
    return new_experiment("heap", SMALL | values)


def run_through(simulation: Experiment) -> Experiment:
    """The whole experiment: fill, open, rest, measure."""
    assert not apply(simulation, Act("run"))
    while not is_finished(simulation):
        advance(simulation, 5000)
    assert simulation.fault is None
    return simulation


@pytest.mark.case("I04")
@pytest.mark.parametrize("dt", [3e-5, 1e-5])
def test_ledger_of_a_whole_heap_closes_in_proportion_to_the_step(dt: float) -> None:
    # Contacts begin within a step with a jump of the damping force, and the limit of the friction spring includes
    # damping: both leave an error of first order in dt, of either sign, up to 2e-5 of the heat at 30 µs (seeds 1 to 3).
    # Sliding heat as the force at the end of a step times the slip leaves 6e-4 to 8e-4 at 30 µs, 2e-4 to 3e-4 at 10 µs.
    for seed in (1, 2):
        energy = energy_of(run_through(new_experiment("heap", SMALL | {"dt": dt}, seed)))
        assert energy.damping > 0.0
        assert energy.sliding > 0.0
        assert energy.removed != 0.0
        assert abs(energy.gap) < 1e-4 * dt / 3e-5 * energy.dissipated


def stored_by_hertz(simulation: Experiment) -> float:
    """Elastic energy of all contacts at a stiffness of 1 N/m^1.5, those with base and walls twice as stiff [J]."""
    world = simulation.run.world
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    overlap = world.radius[i] + world.radius[j] - np.hypot(*(world.motion[:2, 0, i] - world.motion[:2, 0, j]))
    factor = np.where(world.fixed[i] | world.fixed[j], 2.0, 1.0)
    return float(np.sum(0.4 * factor * np.maximum(overlap, 0.0) ** 2.5))


def test_every_part_of_a_ramp_books_the_work_of_every_contact() -> None:
    experiment = small_heap(friction=0.0)
    apply(experiment, Act("fill"))
    advance(experiment, 12_000)
    energy, stiffness = energy_of(experiment), experiment.engine.law_parameters.normal_stiffness
    assert energy.elastic == pytest.approx(1e6 * stored_by_hertz(experiment), rel=1e-9)
    assert energy.elastic > 0.0
    assert not apply(experiment, SetParameters({"normal_stiffness": 2e6}))
    assert energy_of(experiment) == energy
    parts = 0
    while experiment.run.ramp is not None:
        advance(experiment, 1)
        after = energy_of(experiment)
        rise = experiment.engine.law_parameters.normal_stiffness - stiffness
        assert after.work - energy.work == pytest.approx(rise * stored_by_hertz(experiment), rel=1e-9, abs=1e-18)
        parts += rise > 0.0
        energy, stiffness = after, experiment.engine.law_parameters.normal_stiffness
    assert parts == RAMP_PARTS
    assert stiffness == 2e6


@pytest.mark.parametrize("change", [{"gravity": 1.62}, {"tilt": 0.2}, {"friction": 0.8}, {"shear_stiffness": 20.0}])
def test_every_change_of_a_parameter_is_booked_in_the_energy_ledger(change, monkeypatch) -> None:
    experiment = small_heap()
    apply(experiment, Act("fill"))
    advance(experiment, 12_000)
    acts = stepping.advance_ramp

    def closed_through(act: Callable[[], Any]) -> Any:
        before = energy_of(experiment)
        answer = act()
        after = energy_of(experiment)
        assert after.gap == pytest.approx(before.gap, abs=1e-15)
        assert after.dissipated == pytest.approx(before.dissipated, abs=1e-15)
        return answer

    monkeypatch.setattr(stepping, "advance_ramp", lambda running: closed_through(lambda: acts(running)))
    work = energy_of(experiment).work
    closed_through(lambda: apply(experiment, SetParameters(change)))
    while experiment.run.ramp is not None:
        advance(experiment, 1)
    assert energy_of(experiment).work != work


@pytest.mark.parametrize(
    "change", [{"normal_stiffness": 2e6}, {"normal_stiffness": 5e5}, {"tilt": 0.2}, {"shear_stiffness": 20.0}], ids=str
)
def test_the_gap_of_the_energy_ledger_over_a_ramp_is_of_first_order_in_the_step(
    change,
) -> None:
    filled = small_heap(
        grain_count=40, width=0.015
    )  # grains that still move, or what is first order is next to nothing
    apply(filled, Act("fill"))
    while filled.phase == "filling":
        advance(filled, 500)
    saved, opened = saved_copy(filled), []
    for dt in (1e-5, 5e-6):
        experiment = resumed_experiment(saved)
        assert not apply(experiment, SetParameters({"dt": dt}))
        advance(experiment, round(1e-3 / dt))
        before = energy_of(experiment)
        assert not apply(experiment, SetParameters(change))
        while experiment.run.ramp is not None:
            advance(experiment, 1)
        after, survey = energy_of(experiment), survey_contacts(experiment)
        opened.append(after.gap - before.gap)
        # The force after a part is felt a step late: of its power, dt; and power is at most energy moved times w.
        moved = (
            abs(after.elastic - before.elastic) + abs(after.kinetic - before.kinetic) + abs(after.work - before.work)
        )
        assert abs(opened[-1]) < survey.omega * dt * moved
    assert opened[1] == pytest.approx(0.5 * opened[0], rel=0.2)


def test_doubling_the_stiffness_at_greatest_overlap_sends_the_grains_back_faster_by_the_root_of_two() -> None:
    k, mass, speed, dt = 1e6, 1e-3, 1.0, 2e-7
    model, numbers = model_of("gear5", friction=0.0, normal_damping=0.0, shear_damping=0.0)
    start, velocity = [(-1.00001e-3, 0.0), (1e-3, 0.0)], [(speed / 2, 0.0), (-speed / 2, 0.0)]
    bench = Bench(world_of(model, start, 1e-3, mass, velocity=velocity), model, numbers, dt, compiled=True)
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
