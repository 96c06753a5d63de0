"""Measurements of the prepared column, and when they have values."""

from __future__ import annotations

import json

import numpy as np
import pytest
from repose.sim import registry
from repose.sim.engine.world import STEP_COUNT
from repose.sim.experiment import latest, sampling
from repose.sim.experiment import take_snapshot as shown
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import results_of
from repose.sim.experiment.sampling import system_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.booked import Booked
from repose.sim.measure.bulk import bulk_of, bulk_results
from repose.sim.measure.coordination import coordination_of
from repose.sim.measure.measurement import Measurement, System

from tests.small_worlds import Bench, contacts_of, model_of, world_of


@pytest.fixture(scope="module")
def column() -> Experiment:
    experiment = new_experiment("heap", ready="column")
    advance(experiment, 3000)
    return experiment


def test_the_column_carries_its_weight_less_what_its_walls_bear(column: Experiment) -> None:
    # Weight per width above the middle of the box; rough walls take a part of it (Janssen), but not the larger part
    # in a column no deeper than twice its width.
    bulk = bulk_of(system_of(column))
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
    assert result["packing_fraction"] == bulk_of(system_of(column)).packing_fraction
    stress, coordination = result["stress"], result["coordination"]
    assert (stress["unit"], np.shape(stress["tensor"])) == ("N/m", (2, 2))
    assert stress["pressure"] == pytest.approx(0.5 * np.trace(stress["tensor"]))
    # Grains without rotation take up torques: σ_xy and σ_yx differ, and the shear stress says so.
    assert stress["asymmetry"] == pytest.approx(0.5 * abs(stress["tensor"][0][1] - stress["tensor"][1][0]))
    system = system_of(column)
    shear = registry.measurements()["largest_shear"].reading(system)
    assert shear is not None
    assert (shear.error, bool(shear.error_of)) == (pytest.approx(stress["asymmetry"]), True)
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
    take_snapshot(empty, snapshot)
    assert snapshot.results.bulk_readings == ()
    take_snapshot(column, snapshot)
    labels = [str(reading.label) for reading in snapshot.results.bulk_readings]
    assert labels == [
        "packing fraction φ",
        "pressure P",
        "largest shear τ",
        "contacts per grain Z",
        "neighbours in contact k",
        "largest cluster",
        "backbone",
        "loops of three per grain",
    ]
    assert [reading.unit for reading in snapshot.results.bulk_readings] == ["", "N/m", "N/m", "", "", "%", "%", ""]


def test_the_series_follow_it_and_have_no_entry_for_what_there_is_not(column: Experiment) -> None:
    series = column.run.series.columns()
    assert series["pressure"][-1] == pytest.approx(bulk_of(system_of(column)).stress.pressure, rel=0.05)
    assert np.isfinite(series["packing_fraction"]).all()
    assert np.isnan(series["energy.rotational"]).all()
    assert series["kinetic_energy"].tolist() == series["energy.translational"].tolist()


def test_a_dense_group_without_contacts_is_reported_as_dense() -> None:
    # As grains hang in the air when they have just been poured.
    model, numbers = model_of()
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    bench = Bench(world_of(model, 2.1e-3 * grid, 1e-3, 1e-3), model, numbers, 1e-12)
    system = System(
        *(bench.world, bench.world, 2, False, (0.0, 0.0), 0.0, Booked()),
        find_survey=lambda: pytest.fail("No reading needs a survey."),
        find_contacts=lambda: contacts_of(bench),
        find_reading=lambda: None,
    )
    found = [entry.reading(system) for entry in registry.measurements().values()]
    readings = {str(reading.label): reading for reading in found if reading is not None}
    bulk, coordination = system.derived(bulk_of), system.derived(coordination_of)
    assert readings["pressure P"].value == 0.0
    assert str(readings["contacts per grain Z"].help) == (
        "Mean over all grains; 100 % have fewer than 2 and count as rattlers."
    )
    assert json.loads(json.dumps(bulk_results(bulk, coordination), allow_nan=False))["coordination"]["mean"] == 0.0


def noted(monkeypatch: pytest.MonkeyPatch, costly: bool = True) -> list[int]:
    """Steps at which a measurement is sampled from now on."""
    steps: list[int] = []

    def sample(system: System) -> float:
        steps.append(int(system.world.counters[STEP_COUNT]))
        return 1.0

    monkeypatch.setitem(
        registry.measurements(), "noted", Measurement("noted", "noted", "", "", sample, costly=costly, plot=None)
    )
    return steps


def test_the_series_sample_at_the_same_steps_however_often_the_readings_are_taken(monkeypatch) -> None:
    sampled, drawn = [], Snapshot()
    for often in (False, True):
        steps = noted(monkeypatch)
        experiment = new_experiment("heap", ready="column")
        never = latest.Latest((), (experiment.run,), np.inf)  # the readings need no sample
        for _ in range(75):
            advance(experiment, 100)
            experiment.session.latest["readings"] = never
            if often:
                take_snapshot(experiment, drawn)
        sampled.append(steps)
    assert sampled[0] == sampled[1]
    assert len(sampled[0]) >= 3
    assert np.diff(sampled[0]).min() >= sampling.COSTLY_STEPS


def test_readings_are_sampled_only_now_and_then_and_for_every_run(column: Experiment, monkeypatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(latest.time, "perf_counter", lambda: clock[0])
    column.session.latest.pop("readings", None)
    steps = noted(monkeypatch)
    for _ in range(75):
        shown.shown_readings(column)
        clock[0] += 1.0 / 75.0
    assert len(steps) == 1.0 / shown.READING_INTERVAL
    apply(column, Act("reset"))
    shown.shown_readings(column)
    assert len(steps) == 1.0 / shown.READING_INTERVAL + 1
