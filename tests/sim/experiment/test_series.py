"""Series grow without changing columns that have been returned."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.series import FIRST_CAPACITY, Series


def test_returned_columns_stay_valid_while_the_series_grows() -> None:
    series = Series(("time", "angle"))
    for k in range(10):
        series.append((k, 10.0 * k))
    before = series.columns()
    for k in range(10, 3 * FIRST_CAPACITY):
        series.append((k, 10.0 * k))
    assert np.array_equal(before["time"], np.arange(10.0))
    assert np.array_equal(series.columns()["angle"], 10.0 * np.arange(3 * FIRST_CAPACITY))
    assert series.last("time") == 3 * FIRST_CAPACITY - 1
    assert all(column.flags.c_contiguous for column in series.columns().values())


def test_empty_series_has_no_last_sample() -> None:
    with pytest.raises(IndexError, match="no sample"):
        Series(("time",)).last("time")


def test_the_series_of_an_impact_ends_with_the_motion_before_the_spheres_are_fixed() -> None:
    experiment = new_experiment("impacts", {"test": "4"})
    run_experiment(experiment)
    series = experiment.run.series
    assert series.last("energy.removed") == 0.0
    assert 0.5 * series.last("energy.poured") < series.last("energy.translational")
    assert experiment.run.booked.removed > 0.0
