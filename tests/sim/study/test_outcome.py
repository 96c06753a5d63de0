"""Statistics of studies on made data with known answers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.comparison import Row
from repose.sim.message import _
from repose.sim.parameters import ParameterError, Quantity
from repose.sim.registry import scenes
from repose.sim.study import verdicts
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import Case, StudyPlan
from repose.sim.study.plan_file import read_plan
from repose.sim.study.runs_on_disk import seeds_needed

from tests.english import english
from tests.small_worlds import use_plain_engine

PLAN = StudyPlan(
    "made",
    "Made",
    "heap",
    grid={"friction": (0.1, 0.2)},
    cases=(Case("soft", {"normal_stiffness": 1e5}), Case("hard")),
)


def made(angle: Any, seeds: int = 3, plan: StudyPlan = PLAN) -> StudyOutcome:
    """The outcome of runs with angle(case, friction, seed) [°]; 10 grains left per seed."""
    runs = plan.runs(Path(), range(1, seeds + 1))
    results = {
        run.task.path.name: {
            "scene": "heap",
            "parameters": {},
            "measurements": {},
            "grains_left": 10 * run.seed,
            "point": {
                "value": angle(run.case.name, run.varied["friction"], run.seed),
                "error": 0.5,
                "unit": "°",
                "aside": {},
            },
        }
        for run in runs
    }
    return StudyOutcome(plan, runs, results)


def arctan(case: str, friction: float, seed: int) -> float:
    return {"soft": 1.2, "hard": 1.8}[case] * math.degrees(math.atan(friction)) + (seed - 2)


def test_means_errors_and_factors_are_found_for_every_case() -> None:
    outcome = made(arctan)
    for row in outcome.report()["table"]:
        mean = {"soft": 1.2, "hard": 1.8}[row["case"]] * math.degrees(math.atan(row["friction"]))
        assert row["angle_of_repose"]["mean"] == pytest.approx(mean)
        assert row["angle_of_repose"]["standard_error"] == pytest.approx(1.0 / math.sqrt(3.0))
        assert row["angle_of_repose"]["standard_deviation"] == pytest.approx(1.0)
        assert row["grains_left"]["mean"] == 20.0
        assert row["grains_left"]["standard_error"] == pytest.approx(10.0 / math.sqrt(3.0))
    fits = outcome.report()["fits"]
    assert fits["soft"]["factor"]["k"] == pytest.approx(1.2)
    assert fits["hard"]["factor"]["k"] == pytest.approx(1.8)


def test_the_figure_has_a_colour_for_every_case_and_the_table_both_quantities() -> None:
    curve = made(arctan).curve()
    means = {str(line.label): line for line in curve.lines if line.points and not line.single}
    fits = {line.group: line for line in curve.lines if line.fitted}
    assert english({name: line.group for name, line in means.items()}) == {"soft": 0, "hard": 1}
    assert np.interp(0.2, fits[1].x, fits[1].y) == pytest.approx(1.8 * math.degrees(math.atan(0.2)), rel=1e-3)
    assert sum(str(line.label) == "arctan μ" for line in curve.lines) == 1
    assert english(curve.table[0]) == ("case", "μ", "runs", "θ [°]", "grains left", "seeds for ± 0.5°")
    assert english(curve.table[1]) == ("soft", "0.1", "3", "6.85 ± 0.58", "20.0 ± 5.8", "4")


def test_laws_are_drawn_over_the_range_of_the_plan_before_its_last_run_has_ended() -> None:
    whole = made(arctan)
    begun = StudyOutcome(PLAN, whole.runs, {name: whole.results[name] for name in [*whole.results][:1]})
    assert begun.reach == whole.reach
    law = next(line for line in begun.curve().lines if str(line.label) == "arctan μ")
    assert law.x[-1] > 0.2


def test_the_table_says_how_many_seeds_a_wanted_error_needs() -> None:
    outcome = made(arctan)  # standard deviation 1°
    assert {row["seeds_for_wanted_error"] for row in outcome.report()["table"]} == {4}
    head, *rows = english(outcome.words())
    column = head.index("seeds for ± 0.5°")
    assert {row[column] for row in rows} == {"4"}
    finer = made(arctan, plan=replace(PLAN, error=0.1))
    assert {row["seeds_for_wanted_error"] for row in finer.report()["table"]} == {100}
    assert {row["seeds_for_wanted_error"] for row in made(arctan, seeds=1).report()["table"]} == {None}


def test_values_that_are_no_numbers_have_places_with_words() -> None:
    plan = StudyPlan("made", "Made", "heap", grid={"integrator": ("gear5", "leapfrog")})
    runs = plan.runs(Path())
    point = {"value": 12.0, "error": 0.5, "unit": "°", "aside": {}}
    result = {"point": point, "grains_left": 3, "measurements": {}}
    curve = StudyOutcome(plan, runs, {run.task.path.name: result for run in runs}).curve()
    assert english(curve.ticks) == ("gear5", "leapfrog")
    assert next(line for line in curve.lines if str(line.label) == "mean").x.tolist() == [0.0, 1.0]


def test_a_study_over_another_parameter_has_no_published_values_and_no_laws() -> None:
    plan = StudyPlan("made", "Made", "heap", grid={"base_radius": (2.5e-4, 5e-4)})
    runs = plan.runs(Path())
    point = {"value": 12.0, "error": 0.5, "unit": "°", "aside": {}}
    outcome = StudyOutcome(plan, runs, {run.task.path.name: {"point": point, "measurements": {}} for run in runs})
    assert all(line.points for line in outcome.curve().lines)
    assert next(line for line in outcome.curve().lines if str(line.label) == "mean").x.tolist() == [0.25, 0.5]  # mm


def test_runs_without_an_angle_are_counted_and_enter_no_mean() -> None:
    outcome = made(arctan)
    name = outcome.runs[0].task.path.name
    results = {**outcome.results, name: {**outcome.results[name], "point": None}}
    row = StudyOutcome(PLAN, outcome.runs, results).table[0]
    assert (row.lost, row.means["angle_of_repose"].runs, row.means["grains_left"].runs) == (1, 2, 3)


def test_equal_curves_agree_and_shifted_ones_differ() -> None:
    same = made(lambda case, friction, seed: 10.0 + (seed - 2))
    shifted = made(lambda case, friction, seed: 10.0 + 5.0 * (case == "hard") + (seed - 2))
    assert verdicts.same_curve(same, "soft", "hard").agrees is True
    found = verdicts.same_curve(shifted, "soft", "hard")
    assert found.agrees is False
    # the mean of two differences of 5°, each with an error of √(2/3)°
    assert "5.00 ± 0.58° over 2 values" in found.ours
    assert verdicts.same_curve(made(arctan, seeds=1), "soft", "hard") == verdicts.UNDECIDED


def test_a_trend_is_told_from_scatter() -> None:
    rising = made(lambda case, friction, seed: 100.0 * friction + (seed - 2))
    level = made(lambda case, friction, seed: 10.0 + (seed - 2))
    for outcome, expected, agrees in ((rising, 1, True), (rising, 0, False), (level, 0, True), (level, 1, False)):
        assert verdicts.trend(outcome, "soft", per=1.0, unit="°", expected=expected).agrees is agrees
    # slope of two means with errors 1/√3 at a distance of 0.1
    assert "slope 100.0 ± 8.2" in verdicts.trend(rising, "soft", per=1.0, unit="°", expected=1).ours


def rows_of(values: list[float], error: float, runs: int = 3) -> list[Row]:
    return [Row(float(at), runs, value, error, error * math.sqrt(runs)) for at, value in enumerate(values)]


def test_a_slope_has_the_error_of_the_means_and_a_larger_one_if_they_are_off_the_line() -> None:
    straight = verdicts.straight_line(rows_of([1.0, 3.0, 5.0, 7.0], 0.5))
    assert (straight.slope, straight.at_zero) == pytest.approx((2.0, 1.0))
    # Means that are on the line by chance do not make the slope certain: 0.5 / √(Σ(x - 1.5)²) = 0.5 / √5.
    assert straight.error == pytest.approx(0.5 / math.sqrt(5.0))
    assert straight.misfit == pytest.approx(0.0, abs=1e-9)
    off = verdicts.straight_line(rows_of([1.0, 5.0, 3.0, 7.0], 0.5))
    left = np.array([1.0, 5.0, 3.0, 7.0]) - np.array([1.6, 3.2, 4.8, 6.4])  # the line is 1.6 + 1.6 x
    assert off.misfit == pytest.approx(math.sqrt((left @ left) / 0.5**2 / 2.0))
    assert off.error == pytest.approx(off.misfit * 0.5 / math.sqrt(5.0))
    single = verdicts.straight_line(rows_of([1.0, 5.0, 3.0, 7.0], 0.0, runs=1))
    assert single.error == pytest.approx(math.sqrt((left @ left) / 2.0 / 5.0))


@pytest.mark.parametrize(
    ("values", "error", "done", "wanted"),
    [
        ([1.0, 3.0], 1.0, 2, 2),  # s = √2: two runs give exactly 1
        ([1.0, 3.0], 0.8, 2, 4),  # (√2 / 0.8)² = 3.1
        ([0.0, 10.0], 0.1, 2, 4),  # at most twice as many
        ([0.0, 10.0] * 10, 0.1, 20, 30),  # at most the most
        ([1.0], 1.0, 1, 2),  # one value has no scatter
        ([], 1.0, 3, 4),  # nothing was measured so far
        ([], 1.0, 30, 30),
        ([5.0, 5.0], 0.0001, 2, 2),
    ],
)
def test_the_number_of_seeds_follows_from_the_scatter(
    values: list[float], error: float, done: int, wanted: int
) -> None:
    assert seeds_needed(values, error, done, 30) == wanted


def test_equal_runs_of_two_studies_have_one_file() -> None:
    first = PLAN.runs(Path())
    other = StudyPlan("other", "Other", "heap", grid={"friction": (0.2,)}, cases=(Case("stiff"),)).runs(Path())
    digests = {run.task.path.stem[-10:] for run in first}
    assert {run.task.path.stem[-10:] for run in other} <= digests
    softer = StudyPlan("other", "Other", "heap", values={"friction": 0.2}, grid={"shear_stiffness": (50.0,)}).runs(
        Path()
    )
    assert digests.isdisjoint(run.task.path.stem[-10:] for run in softer)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("grid = { friction = [0.1, 3.0] }", "0 to 2"),
        ("grid = { frction = [0.1] }", "did you mean 'friction'"),
        ("grid = { friction = 0.1 }", "must be a list of values"),
        ("grid = { friction = [] }", "at least one"),
        ("grid = { friction = [0.1, 0.1] }", "twice"),
        ("grid = { friction = [0.1] }\nvalues = { friction = 0.2 }", "leave it out"),
        ("seeds = 0", "a number of seeds"),
        ("seeds = [1, 1]", "none twice"),
        ("error = -1", "at least 0"),
        ("error = 'small'", "a number of at least 0"),
        ("code = 'print()'", "Unknown key 'code'"),
        ("scene = 'hepa'", "did you mean 'heap'"),
        (
            "[[case]]\nvalues = { friction = 0.1 }",
            "case 1 of 1: the key 'label' is missing: it must be a text, which names",
        ),
        ("[[case]]\nlabel = 'a'\n[[case]]\nlabel = 'a'", "different labels"),
        ("[[reference]]\npoints = [[0.1]]", "is refused"),
        ("grid = { law = ['voigt', 'vogt'] }", "it must be 'capillary' or"),
        ("seeds = 99999999999", "seeds = 99999999999 is refused: it must be a number of seeds, 1 to 10000"),
        ("measured = [1]", "it must be a list of names of quantities"),
        ("measured = ['typo']", "Unknown quantity 'typo'"),
        ("measured = ['angle_of_repse']", "did you mean 'angle_of_repose'"),
        ("measured = ['energy.slidng']", "did you mean 'energy.sliding'"),
        ("measured = ['phase']", "Unknown quantity 'phase'"),
        ("measured = ['grains_left', 'grains_left']", "measures a quantity twice"),
        ("error = 0.1\nmost_seeds = -4", "most_seeds = -4 is refused"),
        ("values = { friction = 0.1 }\ngrid = { friction = [0.1, 0.2] }", "friction is varied, so one value"),
        (
            "grid = { friction = [0.1, 0.2] }\n[[case]]\nlabel = 'a'\nvalues = { friction = 0.3 }",
            "its value in the case 'a' has no effect",
        ),
        ("[", "not valid TOML"),
    ],
)
def test_a_bad_study_file_is_refused_with_its_name(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ParameterError, match=words) as found:
        read_plan(path)
    assert str(path) in str(found.value)


def test_a_study_file_gives_cases_choices_and_published_points_in_shown_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    path = tmp_path / "mine.toml"
    path.write_text(
        "seeds = [3, 5]\nmeasured = ['grains_left', 'angle_of_repose', 'angle_of_repose.grains_left']\n"
        "grid = { base_radius = [2.5e-4, 5e-4], anchor = ['lee-herrmann', 'cundall-strack'] }\n"
        "[[case]]\nlabel = 'linear'\npreset = 'linear-law'\n"
        "[[case]]\nlabel = 'Hertz'\nvalues = { exponent = 'hertz' }\n"
        "[[reference]]\nlabel = 'theirs'\npoints = [[0.25, 100, 5]]\n"
    )
    plan = read_plan(path)
    runs = plan.runs(Path())
    assert (len(runs), plan.seeds) == (16, (3, 5))
    assert {run.task.values["exponent"] for run in runs if run.case.name == "linear"} == {"linear"}
    assert plan.references[0].points[0] == (2.5e-4, 100.0, 5.0)
    assert all(scenes()["heap"].parameters.checked(run.task.values) for run in runs)


def test_two_quantities_of_the_same_runs_are_compared_with_the_error_of_their_difference() -> None:
    plan = replace(PLAN, cases=(Case(""),), measured=("angle_of_repose", "other.angle_degrees"))
    for shift, agrees in ((0.0, True), (0.5, True), (3.0, False)):
        outcome = made(lambda case, friction, seed: 10.0 + seed, plan=plan)
        for result in outcome.results.values():
            result["other"] = {"angle_degrees": result["point"]["value"] + shift}
        found = verdicts.same_quantities(outcome, *plan.measured)
        assert found.agrees is agrees
        # Both scatter by 1° over three seeds, at two values: sqrt(1/3 + 1/3)/sqrt(2).
        assert found.ours == f"mean difference {shift:.2f} ± 0.58° over 2 values"
    assert (
        verdicts.same_quantities(made(lambda case, friction, seed: 10.0, 1, plan), *plan.measured) == verdicts.UNDECIDED
    )


def test_a_study_whose_package_is_missing_is_refused_in_a_sentence() -> None:
    with pytest.raises(
        ParameterError, match=r"needs the package no_such_one, which is not installed: install repose\["
    ):
        replace(PLAN, package="no_such_one").check()


def test_a_study_shows_a_parameter_in_a_unit_of_its_own() -> None:
    quantity = Quantity(_("Bond number"), "Bo", "", 0.05)
    outcome = made(arctan, plan=replace(PLAN, shown_as={"friction": quantity}))
    curve = outcome.curve()
    assert (str(curve.x.label), curve.x.unit) == ("Bond number Bo", "")
    assert next(line for line in curve.lines if str(line.label) == "soft").x.tolist() == pytest.approx([2.0, 4.0])
    assert english(outcome.words()[1])[:2] == ("soft", "2")
    assert outcome.report()["table"][0]["friction"] == 0.1  # SI in files that programs read
