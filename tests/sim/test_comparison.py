"""Comparison of runs: means, errors, tables and fits of artificial points with known answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import begin_anew, new_experiment, start
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.comparison import Point, Study, averaged, compare, compare_session, findings, shown
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.beverloo import beverloo
from repose.sim.measure.display import Curve
from repose.sim.measure.surface_slope import SurfaceSlope
from repose.sim.registry import scenes

from tests.english import english

FACTS = {"density": 80_000.0, "gravity": 9.81, "radius": 0.0125}


def study_of(scene: str) -> Study:
    study = scenes()[scene].study
    assert study is not None
    return study


def flow(orifice: float, c: float = 4.0, **facts: float) -> Point:
    own = FACTS | facts
    return Point(orifice, float(beverloo(orifice, c, **own)), 5.0, own)


def curve_of(scene: str, points: list[Point]) -> Curve:
    study = study_of(scene)
    return compare(study, scenes()[scene].parameters.declared()[study.over], points)


def test_the_error_of_a_mean_comes_from_the_scatter_of_runs_and_of_one_run_from_itself() -> None:
    first, second = averaged([Point(0.2, 7.0, 0.5), Point(0.1, 1.0, 9.0), Point(0.1, 2.0, 9.0), Point(0.1, 3.0, 9.0)])
    assert (first.at, first.runs, first.value, first.between) == (0.1, 3, 2.0, 1.0)
    assert first.error == pytest.approx(1.0 / math.sqrt(3.0))
    assert second[:4] == (0.2, 1, 7.0, 0.5)
    assert math.isnan(second.between)


def test_rates_on_the_beverloo_law_give_its_constant_and_a_line_through_them() -> None:
    points = [flow(orifice) for orifice in (0.1, 0.125, 0.15)]
    numbers, lines = findings(study_of("hourglass"), points)
    assert numbers["number_density"] == 80_000.0
    assert numbers["beverloo"]["c"] == pytest.approx(4.0, abs=1e-6)
    fit = next(line for line in lines if line.fitted)
    assert np.interp(0.125, fit.x, fit.y) == pytest.approx(points[1].value, rel=1e-3)
    assert "c = 4.00 ± 0.00" in str(fit.label)


def test_one_orifice_gives_no_fit_but_the_published_law_is_there() -> None:
    numbers, lines = findings(study_of("hourglass"), [flow(0.1), flow(0.1)])
    assert "beverloo" not in numbers
    assert ["4.208" in str(line.label) for line in lines] == [True]


def test_runs_of_other_grains_or_gravity_are_not_fitted_together() -> None:
    points = [flow(0.2, c=1.0, radius=0.02), flow(0.2, c=1.0, gravity=1.6), flow(0.1), flow(0.15)]
    assert findings(study_of("hourglass"), points).numbers["beverloo"]["c"] == pytest.approx(4.0, abs=1e-6)


def test_orifices_inside_the_empty_ring_give_no_exponent_instead_of_an_error() -> None:
    points = [Point(orifice, 5.0 * orifice, 1.0, FACTS) for orifice in (0.02, 0.03, 0.1, 0.15)]
    assert "exponent" not in findings(study_of("hourglass"), points).numbers
    assert "exponent" in findings(study_of("hourglass"), [*points, flow(0.2)]).numbers


def test_the_factor_of_angles_on_an_arctangent_is_found() -> None:
    points = [Point(friction, 1.5 * math.atan(friction), 0.01) for friction in (0.1, 0.2, 0.4)]
    factor = findings(study_of("heap"), points).numbers["factor"]
    assert factor["k"] == pytest.approx(1.5)
    assert factor["standard_error"] == pytest.approx(0.0, abs=1e-9)


def test_plot_and_table_are_in_shown_units_with_the_published_beside_ours() -> None:
    curve = curve_of("hourglass", [flow(0.125), flow(0.125), flow(0.2)])
    assert english((curve.title, curve.x_label, curve.y_label)) == ("Q(D)", "orifice D [mm]", "flow rate Q [1/s]")
    mean = next(line for line in curve.lines if str(line.label) == "mean")
    assert mean.x.tolist() == [125.0, 200.0]
    assert english(curve.table[0]) == ("D [mm]", "runs", "Q [1/s]", "published")
    assert english([row[:2] + row[3:] for row in curve.table[1:]]) == [
        ("100", "0", "110 ± 13"),
        ("125", "2", "356 ± 143"),
        ("150", "0", "762 ± 257"),
        ("200", "1", "–"),
    ]
    assert english(curve_of("heap", [Point(0.1, math.radians(12.0), math.radians(0.5))]).table[1]) == (
        "0.1",
        "1",
        "12.00 ± 0.50 (line fit)",
    )


def test_the_error_of_one_run_is_named_and_that_of_several_is_their_scatter() -> None:
    angles = [Point(0.1, math.radians(degrees), math.radians(0.5)) for degrees in (11.0, 12.0, 13.0)]
    one, three = (curve_of("heap", points) for points in (angles[:1], angles))
    bars = [next(line for line in curve.lines if str(line.label) == "mean") for curve in (one, three)]
    assert english([line.scatter for line in bars]) == ["line fit of a single run", "standard error"]
    assert english(three.table[1]) == ("0.1", "3", "12.00 ± 0.58")  # 1° / sqrt(3): the line fits do not enter
    assert three.lines[1].error[0] == pytest.approx(1.0 / math.sqrt(3.0))
    mixed = curve_of("heap", [*angles, Point(0.2, 0.3, 0.01)])
    assert "line fit of a single run" in str(next(line for line in mixed.lines if str(line.label) == "mean").scatter)


@pytest.mark.parametrize("scene", [name for name, scene in scenes().items() if scene.study])
def test_a_plot_without_any_run_has_only_laws_and_published_points(scene: str) -> None:
    curve = curve_of(scene, [])
    assert not any(line.fitted for line in curve.lines)
    assert all(np.isfinite(line.x).all() and np.isfinite(line.y).all() for line in curve.lines)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        *[(12.345, 0.234, "12.35 ± 0.23"), (356.0, 143.0, "356 ± 143"), (5.0, math.nan, "5"), (math.nan, 1.0, "–")],
        *[(1.234e-12, 2.1e-13, "1.2e-12 ± 2e-13"), (1e-4, 2e-5, "0.000100 ± 0.000020")],
    ],
)
def test_numbers_are_shown_with_the_digits_that_their_error_justifies(value: float, error: float, words: str) -> None:
    assert str(shown(value, error)) == words


def session_of(scene: str, points: list[Point], **now: Any) -> Curve:
    declared = scenes()[scene].parameters.declared()
    defaults = {name: entry.default for name, entry in declared.items()} | {"prepared": False}
    made = [point._replace(conditions={**defaults, "friction": point.at, **point.conditions}) for point in points]
    return compare_session(study_of(scene), declared, made, {**defaults, **now})


def test_runs_that_differ_in_another_parameter_enter_neither_mean_nor_fit_and_are_named() -> None:
    earth = [Point(friction, 1.5 * math.atan(friction), 0.01) for friction in (0.1, 0.2, 0.4)]
    moon = [Point(0.2, 1.2, 0.01, {}, {"gravity": 1.62}), Point(0.2, 1.3, 0.01, {}, {"gravity": 1.62})]
    column = [Point(0.1, 0.9, 0.01, {}, {"prepared": True})]
    curve = session_of("heap", [*moon, *earth, *column], friction=0.3)
    lines = {str(line.label): line for line in curve.lines}
    assert lines["mean"].x.tolist() == [0.1, 0.2, 0.4]
    assert any(str(label).startswith("(1.50 ± 0.00) arctan") for label in lines)
    assert lines["g = 1.62 m/s²"].y.tolist() == [pytest.approx(math.degrees(1.25))]
    assert lines["prepared column"].y.tolist() == [pytest.approx(math.degrees(0.9))]
    assert english([row[:2] for row in curve.table[1:]]) == [("0.1", "1"), ("0.2", "1"), ("0.4", "1")]
    assert str(curve.note) == "mean: the default parameters"
    there = session_of("heap", [*moon, *earth, *column], gravity=1.62)
    assert str(there.note) == "mean: g = 1.62 m/s²"
    lines = {str(line.label): line for line in there.lines}
    assert lines["mean"].x.tolist() == [0.2]
    assert lines["g = 9.81 m/s²"].x.tolist() == [0.1, 0.2, 0.4]


def test_more_groups_than_a_plot_can_tell_apart_are_counted() -> None:
    points = [Point(0.1, 0.2, 0.01, {}, {"gravity": 1.0 + k}) for k in range(5)]
    curve = session_of("heap", points)
    own = [line.label for line in curve.lines if line.points]
    assert english(own) == ["g = 5 m/s²", "g = 4 m/s²", "g = 3 m/s²"]
    assert (
        str(curve.note) == "no runs yet: the default parameters; 2 more groups of runs with other values are not shown"
    )


def test_the_note_of_a_plot_is_true_for_every_point_in_it() -> None:
    poured = Point(0.1, 0.2, 0.01)
    assert str(session_of("heap", []).note) == "all with the default parameters"
    assert str(session_of("heap", [poured]).note) == "all with the default parameters"
    beside = session_of("heap", [poured], prepared=True)
    assert english(([line.label for line in beside.lines if line.points], beside.note)) == (
        ["poured"],
        "no runs yet: prepared column",
    )
    column = Point(0.1, 0.3, 0.01, {}, {"prepared": True})
    assert str(session_of("heap", [poured, column], prepared=True).note) == "mean: prepared column"


def measured_slope() -> SurfaceSlope:
    return SurfaceSlope(0.2, 0.01, -0.2, 0.01, (0.0, 0.02), "line", (1, 2), 3)


def test_the_plot_of_a_session_follows_the_parameters_of_the_present_run() -> None:
    experiment, snapshot = new_experiment("heap", {"grain_count": 3, "width": 0.02}), Snapshot()
    for gravity in (9.81, 1.62):
        assert not apply(experiment, SetParameters({"gravity": gravity}))
        experiment.run.state.slope = measured_slope()
        keep_measurement(experiment)
        take_snapshot(experiment, snapshot)
        assert snapshot.results.comparison is not None
        assert str(next(line.label for line in snapshot.results.comparison.lines if line.points)) == "mean"
        assert ("g = 1.62" in str(snapshot.results.comparison.note)) == (gravity == 1.62)
    assert "g = 9.81 m/s²" in {str(line.label) for line in snapshot.results.comparison.lines}
    assert snapshot.results.measured == 2


def test_points_outlive_a_reset_count_once_and_stay_with_their_scene() -> None:
    tiny = {"grain_count": 60, "mean_radius": 0.02, "orifice": 0.25, "fill_height": 1.1}
    experiment = new_experiment("hourglass", tiny)
    experiment.run.state.passages = [1.0 + 0.01 * step for step in range(40)]
    experiment.run.state.phase = "rested"
    for _ in range(2):
        keep_measurement(experiment)
    begin_anew(experiment)
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert snapshot.results.measured == 1
    assert snapshot.results.comparison is not None
    assert ("250", "1") in english([row[:2] for row in snapshot.results.comparison.table])
    start(experiment, "heap", {"grain_count": 3}, 1)
    take_snapshot(experiment, snapshot)
    assert snapshot.results.measured == 0
    assert str(snapshot.results.comparison.title) == "θ(μ)"
    start(experiment, "hourglass", tiny, 1)
    take_snapshot(experiment, snapshot)
    assert snapshot.results.measured == 1
