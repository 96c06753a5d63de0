"""X13: a number that is not finite, put anywhere at any step, is found in that step and rolled back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.commands import Recover
from sim.integrators import integrators
from sim.neighbours import NOT_FINITE
from sim.simulation import Simulation
from tests.reliability.crowds import Crowd, crowds, examples, until_it_fails
from tests.sim.test_faults import pressed
from tests.worlds import Bench

SPINS = pytest.mark.xfail(
    reason="spins and the velocities inside a Runge-Kutta step are looked at only once a position has followed them"
)
ONE_FORCE = tuple(name for name, scheme in integrators().items() if len(scheme.weights) == 1)
not_finite = st.sampled_from([math.nan, math.inf, -math.inf])


def status_after(bench: Bench, level: int, coordinate: int, row: int, value: float, steps: int) -> tuple[int, int, int]:
    """Steps done, status and culprit after a number has been spoilt at some step."""
    assert bench.advance(steps) == steps
    bench.world.motion[coordinate, level, row] = value
    with np.errstate(all="ignore"):
        done, status, culprit = bench.loop(bench.world, bench.numbers, bench.gravity, bench.dt, 10)
    return done, status, culprit


@examples()
@given(crowds(), st.sampled_from(ONE_FORCE), not_finite, st.sampled_from([0, 1]), st.integers(0, 3), st.data())
def test_x13_a_place_or_speed_that_is_not_finite_is_found_in_that_step(
    crowd: Crowd, integrator: str, value: float, level: int, steps: int, data: st.DataObject
) -> None:
    bench = crowd.bench(integrator)
    row = data.draw(st.integers(0, len(crowd.radius) - 1))
    coordinate = data.draw(st.integers(0, crowd.dimension - 1))
    assert status_after(bench, level, coordinate, row, value, steps) == (0, NOT_FINITE, row)
    others = np.delete(bench.world.motion, row, axis=2)
    assert np.isfinite(others).all()


@examples(0.3)
@given(crowds(), st.sampled_from(sorted(integrators())), not_finite, st.data())
def test_x13_a_force_or_acceleration_that_is_not_finite_is_made_anew_or_found(
    crowd: Crowd, integrator: str, value: float, data: st.DataObject
) -> None:
    bench = crowd.bench(integrator)
    row = data.draw(st.integers(0, len(crowd.radius) - 1))
    bench.advance(1)
    bench.world.force[0, row] = value  # summed from zero at every evaluation
    assert bench.advance(1) == 1
    assert np.isfinite(bench.world.motion).all()
    done, status, culprit = status_after(bench, 2, 0, row, value, 0)
    assert (done, status, culprit) == (0, NOT_FINITE, row) or np.isfinite(bench.world.motion).all()


@SPINS
@until_it_fails()
@given(crowds(rotation=True), st.sampled_from(ONE_FORCE), not_finite, st.data())
def test_x13_a_spin_that_is_not_finite_is_found_in_that_step(
    crowd: Crowd, integrator: str, value: float, data: st.DataObject
) -> None:
    bench = crowd.bench(integrator)
    row = data.draw(st.integers(0, len(crowd.radius) - 1))
    assert status_after(bench, 1, crowd.dimension, row, value, 1) == (0, NOT_FINITE, row)


@SPINS
@until_it_fails()
@given(crowds(), not_finite, st.data())
def test_x13_a_speed_that_is_not_finite_within_runge_kutta_names_its_own_grain(
    crowd: Crowd, value: float, data: st.DataObject
) -> None:
    bench = crowd.bench("rk4")
    row = data.draw(st.integers(0, len(crowd.radius) - 1))
    assert status_after(bench, 1, 0, row, value, 1) == (0, NOT_FINITE, row)


@pytest.mark.parametrize("steps", [1, 49, 50, 1_733])
def test_x13_the_run_goes_back_to_its_last_good_state_and_on_from_there(steps: int) -> None:
    simulation: Simulation = pressed()
    simulation.advance(2_000 - simulation.step % 2_000)  # a good state has just been kept
    good = simulation.state_hash()
    simulation.advance(steps)
    row = int(np.flatnonzero(~simulation.run.world.fixed)[steps % 30])
    sphere = int(simulation.run.world.sphere_id[row])
    simulation.run.world.motion[0, 1, row] = math.nan
    assert simulation.advance(1_000) == 0
    assert simulation.fault is not None
    assert simulation.fault.sphere_id == sphere
    assert simulation.state_hash() == good
    assert np.isfinite(simulation.run.world.motion).all()
    assert simulation.apply(Recover({"dt": "auto"})) == ""
    assert simulation.advance(steps) == steps
