"""Flow rate from artificial passage times with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.measure.flow_rate import is_clogged, mean_rate, moving_rate, steady_part


def test_even_passages_have_their_rate_in_every_window():
    time, rate = moving_rate(np.arange(200) / 50.0, 100)
    assert rate == pytest.approx(np.full(100, 50.0))
    assert time[0] == pytest.approx(1.0)
    assert time[-1] == pytest.approx(99 / 50.0 + 1.0)


def test_a_window_follows_a_flow_that_doubles():
    passages = np.concatenate([np.arange(100) / 10.0, 10.0 + np.arange(100) / 20.0])
    _, rate = moving_rate(passages, 20)
    assert rate[0] == pytest.approx(10.0)
    assert rate[-1] == pytest.approx(20.0)


@pytest.mark.parametrize("count", [0, 1, 100])
def test_fewer_passages_than_a_window_and_one_give_no_rate(count):
    time, rate = moving_rate(np.arange(count) / 50.0, 100)
    assert time.size == rate.size == 0


def test_grains_that_pass_at_the_same_time_give_a_finite_rate():
    _, rate = moving_rate([1.0] * 10, 5)
    assert np.isfinite(rate).all()


def test_the_steady_part_leaves_out_the_start_and_the_last_tenth_of_the_grains():
    steady = steady_part(np.arange(100) / 10.0, 2.0, grains=100)
    assert steady[0] == pytest.approx(2.0)
    assert steady[-1] == pytest.approx(8.9)


def test_the_steady_part_of_a_run_cut_short_ends_with_it():
    assert steady_part(np.arange(50) / 10.0, 0.0, grains=1000).size == 50


def test_the_mean_of_even_passages_is_exact_and_has_no_error():
    rate = mean_rate(np.arange(801) / 40.0)
    assert rate is not None
    assert rate.mean == pytest.approx(40.0)
    assert rate.standard_error == pytest.approx(0.0, abs=1e-9)
    assert (rate.passages, rate.begin, rate.end) == (801, 0.0, 20.0)


def test_the_error_of_random_passages_is_that_of_counting():
    generator = np.random.default_rng(1)
    runs = [mean_rate(np.cumsum(generator.exponential(0.02, 2000))) for _ in range(60)]
    means = np.array([run.mean for run in runs if run])
    errors = np.array([run.standard_error for run in runs if run])
    # A Poisson stream of n passages has a rate uncertain by 1/sqrt(n).
    assert means.mean() == pytest.approx(50.0, rel=0.02)
    assert np.sqrt((errors**2).mean()) == pytest.approx(50.0 / math.sqrt(2000), rel=0.2)


@pytest.mark.parametrize("passages", [[], [1.0], [1.0, 2.0], [1.0, 1.0, 1.0]])
def test_too_few_passages_have_no_mean(passages):
    assert mean_rate(passages) is None


def test_a_short_stretch_has_a_mean_but_no_error():
    rate = mean_rate([0.0, 1.0, 2.0, 3.0])
    assert rate is not None
    assert rate.mean == pytest.approx(1.0)
    assert math.isnan(rate.standard_error)
    assert math.isnan(rate.spread)


def test_a_neck_is_clogged_only_while_grains_are_left_and_after_the_patience():
    assert is_clogged([1.0, 2.0], 0.0, 3.1, left=5, patience=1.0)
    assert not is_clogged([1.0, 2.0], 0.0, 2.9, left=5, patience=1.0)
    assert not is_clogged([1.0, 2.0], 0.0, 9.0, left=0, patience=1.0)
    assert is_clogged([], 4.0, 5.1, left=5, patience=1.0)
    assert not is_clogged([], 4.0, 4.9, left=5, patience=1.0)
