"""X06 and X07: steps below and above the stable one, and the automatic step for any stiffness."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.timestep.stable_step import automatic_dt
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot

from tests.reliability.random_clusters import RADIUS
from tests.reliability.test_x_numerical_stress import surveyed
from tests.sim.experiment.test_faults import pressed
from tests.small_worlds import Bench, model_of, world_of
from tests.verification.test_hertz_impact import ELASTIC


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_x06_a_step_below_the_critical_one_is_stable(share: float) -> None:
    experiment = pressed()
    critical = survey_contacts(experiment).stable_dt
    assert not apply(experiment, SetParameters({"dt": share * critical}))
    kinetic = energy_of(experiment).kinetic
    assert advance(experiment, 2_000) == 2_000
    assert experiment.fault is None
    assert energy_of(experiment).kinetic < max(10.0 * kinetic, 1e-6)


@pytest.mark.parametrize("multiple", [1.001, 2.0, 10.0])
def test_x06_a_step_above_the_critical_one_is_set_with_a_warning_and_stopped_within_a_hundred_steps(
    multiple: float,
) -> None:
    experiment = pressed()
    advance(experiment, 4_000)  # at rest the stable step changes by less than a thousandth in a hundred steps
    critical, before = survey_contacts(experiment).stable_dt, state_hash(experiment.run)
    assert not apply(experiment, SetParameters({"dt": multiple * critical}))
    assert experiment.fault is None
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert str(snapshot.stability.dt_warning).startswith(
        f"Above {1e6 * critical:.4g} µs, the stable time step of the present contacts"
    )
    assert advance(experiment, 100) < 100
    assert experiment.fault is not None
    assert experiment.fault.parameter == "dt"
    assert (advance(experiment, 100), state_hash(experiment.run)) == (0, before)


def test_x06_checks_of_a_fixed_step_do_not_depend_on_batches() -> None:
    ends = []
    for batch in (1, 7, 64, 5_000):
        experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015, "dt": 1e-4})
        apply(experiment, Act("fill"))
        while experiment.fault is None:
            advance(experiment, batch)
        ends.append((experiment.history.at, experiment.fault, state_hash(experiment.run)))
    assert all(end == ends[0] for end in ends)


def steps_to_the_fault(multiple: float) -> tuple[int, bool]:
    """Steps from when the step was first above what the contacts bear to the fault; whether all stayed finite."""
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015, "dt": 5e-5 * multiple})
    apply(experiment, Act("fill"))
    exceeded: int | None = None
    last = 0
    while experiment.fault is None:
        advance(experiment, 10)
        if exceeded is None and experiment.fault is None and survey_contacts(experiment).stable_dt < experiment.dt:
            exceeded = experiment.step - 10
        last = experiment.step if experiment.fault is None else last
        assert last < 5_000
    return last - (last if exceeded is None else exceeded), bool(np.isfinite(experiment.run.world.motion).all())


@pytest.mark.parametrize("multiple", [2.0, 10.0])
def test_x06_new_contacts_that_are_unstable_are_detected_while_all_numbers_are_finite(
    multiple: float,
) -> None:
    assert steps_to_the_fault(multiple)[1]


def test_x06_new_contacts_that_are_unstable_are_detected_within_a_hundred_steps() -> None:
    assert max(steps_to_the_fault(multiple)[0] for multiple in (2.0, 3.0, 4.0)) <= 100


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7, 1e9])
def test_x07_any_stiffness_is_stable_with_an_automatic_step(stiffness: float) -> None:
    experiment = pressed()
    assert not apply(experiment, SetParameters({"normal_stiffness": stiffness}))
    energy = energy_of(experiment)
    assert advance(experiment, 2_000) == 2_000
    assert experiment.fault is None
    after = energy_of(experiment)
    # Of what was turned over. The part of sliding is negative where the normal force grows: the friction spring at its
    # limit then stores more without motion.
    turned_over = abs(after.dissipated - energy.dissipated) + abs(after.work - energy.work)
    assert abs(after.gap - energy.gap) < 0.01 * turned_over + 1e-9


def test_x07_a_stiffness_beyond_the_range_is_refused_with_the_limit_although_the_engine_is_stable_with_it() -> None:
    assert "1e+09" in str(apply(pressed(), SetParameters({"normal_stiffness": 1e12})))

    def pair(scheme: str, dt: float) -> Bench:
        model, numbers = model_of(scheme, **ELASTIC)
        world = world_of(model, [(-0.999 * RADIUS, 0.0), (RADIUS, 0.0)], RADIUS, 1e-3)
        return Bench(world, model, numbers._replace(normal_stiffness=1e12), dt)

    survey = surveyed(pair("gear5", 0.0), pair("leapfrog", 0.0))
    bench = pair("gear5", automatic_dt(survey.stable_dt))
    bench.advance(100)
    assert not bench.touching
    assert bench.energy().mechanical == pytest.approx(survey.elastic_energy, rel=0.05)
