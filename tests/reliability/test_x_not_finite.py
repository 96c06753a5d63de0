"""X13: a number that is not finite, at any place and step, is found in that step, and the run is restored."""

from __future__ import annotations

import copy
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.engine.neighbours.verlet_list import LARGEST_STEP, NOT_FINITE
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Recover
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.registry import integrators

from tests.reliability.random_clusters import Cluster, clusters, examples
from tests.sim.experiment.test_faults import pressed
from tests.small_worlds import Bench, use_plain_engine

ONE_FORCE = tuple(name for name, scheme in integrators().items() if len(scheme.weights) == 1)
OTHERS = ("leapfrog", "rk4")
"""Schemes whose loops for grains that rotate no other test compiles."""
not_finite = st.sampled_from([math.nan, math.inf, -math.inf])


def status_after(bench: Bench, level: int, coordinate: int, row: int, value: float, steps: int) -> tuple[int, int, int]:
    """Steps done, status and culprit after a number has been spoilt at some step."""
    assert bench.advance(steps) == steps
    bench.world.motion[coordinate, level, row] = value
    with np.errstate(all="ignore"):
        done, status, culprit = bench.loop(bench.world, bench.numbers, bench.gravity, bench.dt, 10)
    return done, status, culprit


@examples()
@given(clusters(), st.sampled_from(ONE_FORCE), not_finite, st.sampled_from([0, 1]), st.integers(0, 3), st.data())
def test_x13_a_position_or_velocity_that_is_not_finite_is_found_in_that_step(
    cluster: Cluster, integrator: str, value: float, level: int, steps: int, data: st.DataObject
) -> None:
    bench = cluster.bench(integrator)
    row = data.draw(st.integers(0, len(cluster.radius) - 1))
    coordinate = data.draw(st.integers(0, cluster.dimension - 1))
    assert status_after(bench, level, coordinate, row, value, steps) == (0, NOT_FINITE, row)
    others = np.delete(bench.world.motion, row, axis=2)
    assert np.isfinite(others).all()


@examples(0.3)
@given(clusters(), st.sampled_from(sorted(integrators())), not_finite, st.data())
def test_x13_a_force_or_acceleration_that_is_not_finite_is_recomputed_or_found(
    cluster: Cluster, integrator: str, value: float, data: st.DataObject
) -> None:
    bench = cluster.bench(integrator)
    row = data.draw(st.integers(0, len(cluster.radius) - 1))
    bench.advance(1)
    bench.world.force[0, row] = value  # summed from zero at every evaluation
    assert bench.advance(1) == 1
    assert np.isfinite(bench.world.motion).all()
    done, status, culprit = status_after(bench, 2, 0, row, value, 0)
    # Leap-frog reads the last acceleration in the forces of the step only: the next step finds what follows from it.
    found = (done, status) == (1, NOT_FINITE) if integrator == "leapfrog" else (done, culprit) == (0, row)
    assert (found and status == NOT_FINITE) or np.isfinite(bench.world.motion).all()


def rotating(integrator: str) -> Experiment:
    """A small container just filled with grains that rotate."""
    return pressed(rotation=True, integrator=integrator)


def spoilt(simulation: Experiment, steps: int, level: int, coordinate: int, value: float) -> int:
    """A number of one grain made not finite after so many steps since a good state; its id."""
    advance(simulation, 2_000 - simulation.step % 2_000 + steps)
    row = int(np.flatnonzero(~simulation.run.world.fixed)[11])
    simulation.run.world.motion[coordinate, level, row] = value
    return int(simulation.run.world.sphere_id[row])


@pytest.mark.parametrize("integrator", ["gear5", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_x13_any_number_of_the_motion_that_is_not_finite_is_found_by_the_next_check(integrator: str) -> None:
    base = rotating(integrator)
    levels = (
        3 if integrator == "rk4" else base.engine.model.integrator.levels
    )  # Runge-Kutta writes the rest anew at every step
    for number, (coordinate, level) in enumerate(itertools.product(range(3), range(levels))):
        experiment = copy.deepcopy(base)
        value = (math.nan, math.inf, -math.inf)[number % 3]
        spoilt(experiment, 7 * number % 50, level, coordinate, value)
        done = advance(experiment, CHECK_STEPS)
        made_anew = level == 2 and integrator != "gear5"  # an acceleration is what the force says
        assert (experiment.fault is None) == made_anew
        assert done < CHECK_STEPS or experiment.step % CHECK_STEPS != 0 or made_anew
        assert np.isfinite(experiment.run.world.motion).all()


@pytest.mark.parametrize("integrator", ["gear5", *OTHERS])
@pytest.mark.parametrize("coordinate", [0, 2])
def test_x13_a_grain_without_contacts_and_its_value_that_is_not_finite_are_named(
    monkeypatch: pytest.MonkeyPatch, integrator: str, coordinate: int
) -> None:
    use_plain_engine(monkeypatch)
    # A spin alone moves nothing: only the look at all motion finds it.
    experiment = new_experiment("heap", {"grain_count": 3, "width": 0.015, "rotation": True, "integrator": integrator})
    apply(experiment, Act("fill"))
    assert survey_contacts(experiment).contacts == 0
    row = int(np.flatnonzero(~experiment.run.world.fixed)[1])
    sphere = int(experiment.run.world.sphere_id[row])
    experiment.run.world.motion[coordinate, 1, row] = math.nan
    advance(experiment, CHECK_STEPS)
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == sphere
    # Runge-Kutta makes the velocity from sums and the place at the next step: of the two it may be the first.
    lost = "orientation|spin" if coordinate == 2 else "position|velocity"
    assert re.search(rf"has a ({lost}) that is not a finite number", str(experiment.fault.message))


def test_x13_of_grains_that_are_not_finite_the_one_that_touches_the_others_is_named() -> None:
    experiment = rotating("gear5")
    world = experiment.run.world
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    touching = world.pairs.touching[:used] != 0
    met = np.bincount(np.concatenate([i[touching], j[touching]]), minlength=world.sphere_count)
    row = int(np.where(world.fixed, 0, met).argmax())
    assert met[row] >= 4
    world.motion[2, 1, row] = math.nan
    advance(experiment, CHECK_STEPS)
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == int(world.sphere_id[row])


def test_x13_a_friction_spring_that_is_not_finite_is_found_by_the_next_check() -> None:
    experiment = pressed()
    world = experiment.run.world
    entry = int(np.flatnonzero(world.pairs.touching)[0])
    world.pairs.shear_spring[0, entry] = math.nan
    ids = world.sphere_id[[world.pairs.i[entry], world.pairs.j[entry]]]
    advance(experiment, CHECK_STEPS)
    assert experiment.fault is not None
    assert experiment.fault.sphere_id in ids
    assert all(
        np.isfinite(table).all() for table in (experiment.run.world.motion, experiment.run.world.pairs.shear_spring)
    )


def test_x13_a_speed_beyond_the_step_is_found_by_the_next_check_before_the_grain_has_moved_far() -> None:
    experiment = new_experiment("heap", {"grain_count": 3, "width": 0.015})
    apply(experiment, Act("fill"))
    advance(experiment, CHECK_STEPS - 1)
    row = int(np.flatnonzero(~experiment.run.world.fixed)[1])
    limit = LARGEST_STEP * experiment.run.world.radius[row] / experiment.dt
    sphere = int(experiment.run.world.sphere_id[row])
    experiment.run.world.motion[1, 1, row] = 1.01 * limit
    advance(experiment, 1)
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == sphere


@pytest.mark.parametrize("steps", [1, 49, 50, 1_733])
def test_x13_the_run_continues_from_its_last_good_state(steps: int) -> None:
    experiment: Experiment = pressed()
    advance(experiment, 2_000 - experiment.step % 2_000)  # a good state has just been kept
    good = state_hash(experiment.run)
    advance(experiment, steps)
    row = int(np.flatnonzero(~experiment.run.world.fixed)[steps % 30])
    sphere = int(experiment.run.world.sphere_id[row])
    experiment.run.world.motion[0, 1, row] = math.nan
    assert advance(experiment, 1_000) == 0
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == sphere
    assert state_hash(experiment.run) == good
    assert np.isfinite(experiment.run.world.motion).all()
    assert not apply(experiment, Recover({"dt": "auto"}))
    assert advance(experiment, steps) == steps
