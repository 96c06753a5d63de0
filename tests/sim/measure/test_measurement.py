"""A measurement defined outside the program appears in the series, the readings, result.json and saved runs."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.series import FORMAT_4_NAMES, Series, series_names
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.measurement import Measurement, System


def mean_overlap(system: System) -> float:
    return float(system.overlaps.mean()) if system.overlaps.size else math.nan


MEAN_OVERLAP = Measurement("mean_overlap", "mean overlap", "δ", "µm", mean_overlap, scale=1e-6)


def settled() -> Experiment:
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    apply(experiment, Act("fill"))
    while experiment.phase != "filled":
        advance(experiment, 2000)
    return experiment


def expected_overlap(experiment: Experiment) -> float:
    """Mean overlap of all contacts from positions and radii alone; walls of the heap are spheres."""
    world = experiment.run.world
    used = int(world.counters[PAIR_COUNT])
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    apart = np.linalg.norm(world.motion[:2, 0, i] - world.motion[:2, 0, j], axis=0)
    overlap = world.radius[i] + world.radius[j] - apart
    return float(overlap[overlap > 0.0].mean())


def test_a_registered_measurement_appears_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.measurements(), "mean_overlap", MEAN_OVERLAP)
    experiment = settled()
    expected = expected_overlap(experiment)
    assert expected > 0.0
    result = json.loads(json.dumps(results_of(experiment), allow_nan=False))
    assert result["measurements"]["mean_overlap"] == pytest.approx(expected)
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    shown = {str(reading.label): reading for reading in snapshot.results.bulk_readings}["mean overlap δ"]
    assert (shown.value, shown.unit) == (pytest.approx(1e6 * expected), "µm")
    assert MEAN_OVERLAP.sampled(2) in snapshot.results.quantities
    samples = snapshot.results.series["mean_overlap"]
    assert len(samples) == len(snapshot.results.series["time"]) > 3
    assert samples[-1] == pytest.approx(expected, rel=0.5)
    assert np.isfinite(samples).any()


def test_a_measurement_changes_no_bit_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    without = state_hash(settled().run)
    monkeypatch.setitem(registry.measurements(), "mean_overlap", MEAN_OVERLAP)
    assert state_hash(settled().run) == without


def test_a_run_saved_with_other_measurements_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(registry.measurements(), "mean_overlap", MEAN_OVERLAP)
        file = io.BytesIO()
        saved_run.write(saved_copy(settled()), file)
    monkeypatch.setitem(
        registry.measurements(), "constant", Measurement("constant", "constant", "", "", lambda system: 1.0)
    )
    file.seek(0)
    experiment = resumed_experiment(saved_run.read(file))
    before = experiment.run.series.count
    assert advance(experiment, 2000) == 2000
    series = experiment.run.series.columns()
    assert "mean_overlap" not in series
    assert np.isnan(series["constant"][:before]).all()
    assert (series["constant"][before:] == 1.0).all()
    assert len(series["constant"]) > before
    assert np.isfinite(series["kinetic_energy"]).all()


def test_series_without_names_have_the_columns_of_the_formats_before() -> None:
    table = np.arange(3.0 * len(FORMAT_4_NAMES)).reshape(len(FORMAT_4_NAMES), 3)
    series = Series.of(series_names(), table, FORMAT_4_NAMES)
    for row, name in enumerate(FORMAT_4_NAMES):
        assert series.columns()[name].tolist() == table[row].tolist()
    assert np.isnan(series.columns()["largest_shear"]).all()


@pytest.mark.parametrize("name", list(registry.measurements()))
def test_every_measurement_has_words_and_a_value_or_nan(name: str) -> None:
    measurement = registry.measurements()[name]
    assert measurement.name == name
    assert measurement.title
    assert all(isinstance(measurement.unit_in(dimension), str) for dimension in (2, 3))
