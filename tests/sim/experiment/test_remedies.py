"""After a fault: a stable smaller step, or removal of the grain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import automatic_step, faults, replay
from repose.sim.experiment.activation import at_ramp_end
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act, Recover, RemoveGrain, SetParameters
from repose.sim.experiment.control import apply, rewind_to
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot

from tests.reliability.runs import resumed, saved
from tests.sim.experiment.test_faults import SMALL, pressed


def just_below(simulation: Experiment, stiffness: float) -> float:
    """The step that contacts of this stiffness just bear, doubled while those of now bear it [s]."""
    now, later = survey_contacts(simulation).stable_dt, resumed_experiment(saved_copy(simulation))
    apply(later, SetParameters({"normal_stiffness": stiffness}))
    with at_ramp_end(later):
        dt = 0.99 * survey_contacts(later).stable_dt
    return dt * 2.0 ** math.floor(math.log2(0.9 * now / dt))


@pytest.mark.parametrize("seed", [2, 4])
def test_one_remedy_with_a_smaller_step_is_sufficient(seed: int) -> None:
    experiment = new_experiment("heap", SMALL, seed)
    apply(experiment, Act("fill"))
    assert advance(experiment, 20_000) == 20_000
    dt = just_below(experiment, 1e9)
    apply(experiment, SetParameters({"dt": dt}))
    apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    assert experiment.fault is not None
    with at_ramp_end(experiment):
        borne = survey_contacts(experiment).stable_dt
    smaller = faults.smaller_dt(experiment) or 0.0
    assert f"lower the time step to {1e6 * smaller:.4g} µs" in str(experiment.fault.message)
    assert math.log2(dt / smaller).is_integer()
    assert smaller <= 0.8 * borne
    shown = Snapshot()
    take_snapshot(experiment, shown)
    assert shown.messages.fault is not None
    assert {"dt": smaller} in [remedy.values for remedy in shown.messages.fault.remedies]
    assert not apply(experiment, Recover({"dt": smaller}))
    assert advance(experiment, 10_000) == 10_000


def test_with_an_automatic_step_half_of_it_is_offered_and_no_step_below_the_limit() -> None:
    experiment, _ = racing()
    assert experiment.parameters.dt == "auto"
    assert faults.smaller_dt(experiment) == 0.5 * experiment.dt
    low = experiment.parameters.declared()["dt"].low
    experiment.parameters = experiment.parameters.changed(dt=low)
    assert faults.smaller_dt(experiment) is None


def racing() -> tuple[Experiment, int]:
    """A run stopped by a grain that is far too fast, and the number of that grain."""
    experiment = pressed()
    advance(experiment, 2_000 - experiment.step % 2_000)
    row = int(np.flatnonzero(~experiment.run.world.fixed)[3])
    sphere = int(experiment.run.world.sphere_id[row])
    experiment.run.world.motion[0, 1, row] = 500.0
    advance(experiment, 50)
    assert experiment.fault is not None
    assert f"remove grain {sphere}" in str(experiment.fault.message)
    return experiment, sphere


def test_a_grain_is_removed_after_a_fault_with_its_contacts_and_its_energy_is_booked() -> None:
    experiment, sphere = racing()
    count, gap, removed = experiment.run.world.sphere_count, energy_of(experiment).gap, experiment.run.booked.removed
    mechanical = energy_of(experiment).mechanical
    assert not apply(experiment, RemoveGrain(sphere))
    assert experiment.fault is None
    world = experiment.run.world
    assert world.sphere_count == count - 1
    assert sphere not in world.sphere_id
    used = int(world.counters[PAIR_COUNT])
    assert max(world.pairs.i[:used].max(), world.pairs.j[:used].max()) < world.sphere_count
    energy = energy_of(experiment)
    assert energy.removed - removed == pytest.approx(mechanical - energy.mechanical)
    assert energy.removed > removed
    assert energy.gap == pytest.approx(gap, abs=1e-14)
    assert advance(experiment, 2_000) == 2_000
    assert int((~experiment.run.world.fixed).sum()) == experiment.run.state.poured - experiment.run.state.removed


def test_the_number_of_a_removed_grain_is_not_used_again() -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("fill"))
    last = int(experiment.run.world.sphere_id.max())
    assert not apply(experiment, RemoveGrain(last))
    seen: list[int] = []
    while experiment.phase == "filling":
        seen = [int(sphere) for sphere in experiment.run.world.sphere_id]
        advance(experiment, 500)
    assert len(set(seen)) == len(seen)
    assert last not in seen
    assert max(seen) > last


def test_a_removal_is_saved_and_replayed_bit_by_bit() -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("fill"))
    advance(experiment, 3_000)
    assert not apply(experiment, RemoveGrain(int(experiment.run.world.sphere_id.max())))
    advance(experiment, 1_500)
    again = resumed(saved(experiment))
    assert state_hash(again.run) == state_hash(experiment.run)
    assert replay.verify(saved_copy(experiment)).differs_at is None
    rewind_to(experiment, 3_000)
    rewind_to(experiment, 4_500)
    assert state_hash(experiment.run) == state_hash(again.run)


@pytest.mark.parametrize("sphere", [-1, 10**6, True, 0])
def test_only_movable_grains_can_be_removed(sphere: int) -> None:
    experiment = pressed()  # sphere 0 is part of the base
    before = state_hash(experiment.run)
    assert "is refused" in str(apply(experiment, RemoveGrain(sphere)))
    assert state_hash(experiment.run) == before


def test_a_scene_that_needs_each_of_its_spheres_refuses_to_remove_one() -> None:
    experiment = new_experiment("bounce", {})
    assert "each of its spheres is needed" in str(apply(experiment, RemoveGrain(0)))


def test_the_hourglass_does_not_wait_for_a_removed_grain() -> None:
    experiment = new_experiment("hourglass", {"grain_count": 60})
    advance(experiment, 200)
    placed = experiment.run.state.placed
    above = int(experiment.run.world.motion[2, 0].argmax())
    assert not apply(experiment, RemoveGrain(int(experiment.run.world.sphere_id[above])))
    assert experiment.run.state.placed == placed - 1
    assert advance(experiment, 200) == 200
    assert not experiment.scene.course.check(experiment)


def test_a_fault_after_an_action_restores_the_state_after_it_and_offers_a_step_stable_in_a_dense_cluster() -> None:
    experiment = new_experiment("heap", {"dt": 1.2e-4})
    advance(experiment, 2_500)
    assert not apply(experiment, Act("fill"))
    advance(experiment, 4_000)
    assert experiment.fault is not None
    assert experiment.phase == "filling"
    cluster = automatic_step.cluster_dt(experiment)
    smaller = faults.smaller_dt(experiment) or 0.0
    assert smaller <= cluster < 4.0 * smaller
    assert f"Lower the time step to {1e6 * smaller:.4g} µs" in str(experiment.fault.message)
    apply(experiment, Recover({"dt": smaller}))
    assert advance(experiment, 4_000) == 4_000
