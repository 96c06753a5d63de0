"""The bulk of the shipped column: what every scene tells of its packing, and when it is measured."""

from __future__ import annotations

import json
from types import ModuleType

import numpy as np
import pytest
from repose.sim.experiment import sampling
from repose.sim.experiment import take_snapshot as snapshot_module
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import bulk_of, results_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.measure.bulk import bulk_readings, bulk_results, measure_bulk
from repose.sim.measure.coordination import coordination_number
from repose.sim.measure.packing import box_in_packing

from tests.worlds import Bench, contacts_of, model_of, world_of


@pytest.fixture(scope="module")
def column() -> Experiment:
    simulation = new_experiment("heap", ready="column")
    advance(simulation, 3000)
    return simulation


def test_the_column_carries_its_weight_less_what_its_walls_bear(column: Experiment) -> None:
    # Weight per width above the middle of the box; rough walls take a part of it (Janssen), but not the larger part
    # in a column no deeper than twice its width.
    bulk = bulk_of(column)
    assert bulk is not None
    world, middle = column.run.world, 0.5 * float(bulk.box.lower[1] + bulk.box.upper[1])
    above = ~world.fixed & (world.motion[1, 0] > middle)
    weight = world.mass[above].sum() * column.parameters.gravity / column.run.built.width
    assert 0.5 < bulk.stress.tensor[1, 1] / weight < 1.0
    assert bulk.stress.tensor[1, 1] > bulk.stress.tensor[0, 0] > 0.0
    assert np.abs(bulk.stress.kinetic).max() < 1e-6 * bulk.stress.pressure
    assert 0.8 < bulk.packing_fraction < 0.9  # discs of several sizes at random, a little soft


def test_the_result_holds_it_and_is_json(column: Experiment) -> None:
    result = json.loads(json.dumps(results_of(column)))
    assert result["packing_fraction"] == bulk_of(column).packing_fraction
    stress, coordination = result["stress"], result["coordination"]
    assert (stress["unit"], np.shape(stress["tensor"])) == ("N/m", (2, 2))
    assert stress["pressure"] == pytest.approx(0.5 * np.trace(stress["tensor"]))
    assert np.all(np.array(stress["box"]["lower"]) < stress["box"]["upper"])
    assert sum(coordination["distribution"]) == pytest.approx(1.0)
    assert coordination["mean"] == pytest.approx(
        np.arange(len(coordination["distribution"])) @ coordination["distribution"]
    )
    assert coordination["without_rattlers"] >= coordination["mean"]


def test_where_there_is_no_packing_nothing_is_claimed(column: Experiment) -> None:
    empty = new_experiment("heap")
    result = results_of(empty)
    assert (result["packing_fraction"], result["stress"]) == (None, None)
    snapshot = Snapshot()
    snapshot_module.take_snapshot(empty, snapshot)
    assert snapshot.bulk_readings == ()
    snapshot_module.take_snapshot(column, snapshot)
    labels = [reading.label for reading in snapshot.bulk_readings]
    assert labels == ["packing fraction φ", "pressure P", "largest shear τ", "contacts per grain Z"]
    assert [reading.unit for reading in snapshot.bulk_readings] == ["", "N/m", "N/m", ""]


def test_the_series_follow_it_and_have_no_entry_for_what_there_is_not(column: Experiment) -> None:
    series = column.run.series.columns()
    assert series["pressure"][-1] == pytest.approx(bulk_of(column).stress.pressure, rel=0.05)
    assert np.isfinite(series["packing_fraction"]).all()
    assert np.isnan(series["energy.rotational"]).all()
    assert series["kinetic_energy"].tolist() == series["energy.translational"].tolist()


def test_a_dense_crowd_that_nowhere_touches_is_told_as_one() -> None:
    # As grains hang in the air when they have just been poured.
    model, numbers = model_of()
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    bench = Bench(world_of(model, 2.1e-3 * grid, 1e-3, 1e-3), model, numbers, 1e-12)
    box = box_in_packing(bench.world)
    assert box is not None
    coordination = coordination_number(bench.world)
    bulk = measure_bulk(bench.world, contacts_of(bench), box)
    readings = {reading.label: reading for reading in bulk_readings(bulk, coordination)}
    assert readings["pressure P"].value == 0.0
    assert readings["contacts per grain Z"].help == (
        "Mean over all grains; 100 % have fewer than 2 and count as rattlers."
    )
    assert json.loads(json.dumps(bulk_results(bulk, coordination), allow_nan=False))["coordination"]["mean"] == 0.0


def measured_by(module: ModuleType, patch: pytest.MonkeyPatch) -> list[int]:
    """The steps at which a module measures the bulk from now on."""
    steps: list[int] = []

    def noted(experiment: Experiment) -> object:
        steps.append(experiment.step)
        return bulk_of(experiment)

    patch.setattr(module, "bulk_of", noted)
    return steps


def test_the_series_measure_at_the_same_steps_however_often_the_run_is_looked_at(monkeypatch) -> None:
    looked, drawn = [], Snapshot()
    for often in (False, True):
        simulation = new_experiment("heap", ready="column")
        looked.append(measured_by(sampling, monkeypatch))
        for _ in range(40):
            advance(simulation, 100)
            if often:
                snapshot_module.take_snapshot(simulation, drawn)
    assert looked[0] == looked[1]
    assert len(looked[0]) >= 3
    assert np.diff(looked[0]).min() >= sampling.BULK_STEPS


def test_readings_are_made_anew_only_now_and_then_and_for_every_run(column, monkeypatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(snapshot_module.time, "perf_counter", lambda: clock[0])
    column.session.shown.clear()
    steps = measured_by(snapshot_module, monkeypatch)
    for _ in range(75):
        snapshot_module.shown_bulk(column)
        clock[0] += 1.0 / 75.0
    assert len(steps) == 1.0 / snapshot_module.BULK_INTERVAL
    apply(column, Act("reset"))
    snapshot_module.shown_bulk(column)
    assert len(steps) == 1.0 / snapshot_module.BULK_INTERVAL + 1
