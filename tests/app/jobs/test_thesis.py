"""The figures of the thesis with forty grains: every study runs, is drawn, and is part of the report."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import study_plan
from repose.app.jobs.study_pictures import draw_outcome
from repose.app.storage.plot_files import slide
from repose.sim import registry
from repose.sim.measure.profile import surface_profile
from repose.sim.study import runs_on_disk
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import Task, result_text
from repose.sim.study.plan import StatementVerdict, StudyPlan
from repose.sim.study.runs_on_disk import StudyRuns
from repose.sim.study.studies import other_angles
from repose.sim.study.studies.thesis import FIGURES, PROFILES, STAGES, angle_of_flank, more_friction_is_steeper

from tests.english import english
from tests.study_runs import run_here, tiny

SMALL = (320, 180)
FEW = {"tilt_rate": 0.3, "trickle_count": 4}
PLANS = (*FIGURES, *(replace(plan, values={**plan.values, **FEW}) for plan in other_angles.STUDY))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, StudyOutcome]]:
    """All figures of one folder: equal runs are done once. One figure has error bars."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs_on_disk, "run_all", run_here)
        plans = (tiny(plan, seeds=2 if plan.name == "thesis-4.3" else 1) for plan in PLANS)
        made = StudyRuns(tuple(plans), folder)
        made.do(made.begin(), 1, lambda words, share: None, lambda *_: None)
        assert len([*folder.iterdir()]) == len(made.results)
        yield {plan.name: made.outcome(plan) for plan in made.plans}


@pytest.mark.parametrize("name", [plan.name for plan in PLANS])
def test_every_figure_is_drawn_with_its_numbers(name: str, outcomes: dict[str, StudyOutcome]) -> None:
    outcome = outcomes[name]
    assert len({run.task.path for run in outcome.runs}) == len(outcome.runs)
    assert all(run.task.path.name in outcome.results for run in outcome.runs)
    file = io.BytesIO()
    draw_outcome(outcome, file, style=slide(SMALL))
    assert file.getvalue().startswith(b"\x89PNG")
    rows = outcome.csv().splitlines()[2:]
    assert len(rows) == len(outcome.table) == len({row.group for row in outcome.table}) * len(outcome.places)
    for statement, verdict in outcome.verdicts():
        assert statement.words
        assert verdict.ours
    json.dumps(outcome.report(), allow_nan=True)


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_equal_results_give_equal_files(kind: str, magic: bytes, outcomes: dict[str, StudyOutcome]) -> None:
    first, second = io.BytesIO(), io.BytesIO()
    for file in (first, second):
        draw_outcome(outcomes["thesis-4.6"], file, kind, slide(SMALL))
    assert first.getvalue().startswith(magic)
    assert first.getvalue() == second.getvalue(), "the file depends on the time of writing"


def test_a_figure_has_units_error_bars_fits_and_reference_lines(outcomes: dict[str, StudyOutcome]) -> None:
    curve = outcomes["thesis-4.3"].curve()
    assert english((curve.x_label, curve.y_label)) == ("friction μ", "angle of repose θ [°]")
    means = [line for line in curve.lines if line.points and not line.single]
    assert english([line.label for line in means]) == ["simplified", "Hertz"]
    assert all(line.error is not None and (line.error > 0.0).any() for line in means)
    assert {"arctan μ", "1.77 arctan μ (thesis, Hertz)", "1.22 arctan μ (thesis, simplified)"} <= {
        str(line.label) for line in curve.lines
    }
    assert str(outcomes["thesis-4.5"].curve().x_label) == "base grain radius R_p [mm]"


def test_the_other_angles_are_drawn_side_by_side_in_degrees(outcomes: dict[str, StudyOutcome]) -> None:
    tilt = outcomes["tilt"]
    means = {str(line.label): line for line in tilt.curve().lines if line.points and not line.single}
    assert {"angle of repose θ", "tilting angle θ_T"} <= means.keys()
    assert str(tilt.curve().y_label) == "angle [°]"
    for row in tilt.report()["table"]:
        angles = row["other_angles.tilting_angle_degrees"]
        assert 0.0 < angles["mean"] < 90.0
        assert angles["mean"] in means["tilting angle θ_T"].y
    assert tilt.report()["units"]["other_angles.tilting_angle_degrees"] == "°"
    trickled = [result["other_angles"] for result in outcomes["trickle"].results.values() if result["seed"] == 1]
    assert any(found["grains_added"] == FEW["trickle_count"] for found in trickled)


def test_the_four_stages_lose_grains_and_the_wall(outcomes: dict[str, StudyOutcome]) -> None:
    outcome = outcomes["thesis-3.2"]
    stages = outcome.results[outcome.runs[0].task.path.name]["stages"]
    assert {"filling", "opened", "rested"} <= stages.keys()
    walls = {name: sum(stage["fixed"]) for name, stage in stages.items()}
    grains = {name: len(stage["fixed"]) - walls[name] for name, stage in stages.items()}
    assert walls["opened"] < walls["filling"]
    assert grains["filling"] < grains["opened"] >= grains["rested"]


def test_profiles_begin_with_the_column_and_end_with_the_heap(outcomes: dict[str, StudyOutcome]) -> None:
    outcome = outcomes["thesis-4.1"]
    for run in outcome.runs:
        result = outcome.results[run.task.path.name]
        profile = result["profile"]
        assert profile["time"][0] == 0.0
        assert np.all(np.diff(profile["time"]) > 0.0)
        assert np.shape(profile["height"]) == (len(profile["time"]), len(profile["x"]))
        # No grain climbs; those at the top rise by a few micrometres as the pressure goes.
        assert max(profile["height"][-1]) <= max(profile["height"][0]) + 1e-5
        assert np.count_nonzero(profile["height"][-1]) <= result["grains_left"]


def counted(task: Task) -> dict[str, int]:
    """What another program makes of a run."""
    return {"counted": 7 * task.seed}


def test_what_another_program_makes_of_a_run_is_in_its_result_and_its_file_has_another_name() -> None:
    plan = tiny(replace(STAGES, figure="comparison", seeds=(2,)))
    alone, both = plan.runs(Path())[0], replace(plan, beside=counted).runs(Path())[0]
    assert alone.task.path != both.task.path
    assert json.loads(result_text(both.task))["counted"] == 14


def test_flanks_of_several_seeds_are_compared_by_their_mean(outcomes: dict[str, StudyOutcome]) -> None:
    def profile(angle: float) -> dict[str, Any]:
        x = np.linspace(0.0, 0.01, 11)
        return {"x": x.tolist(), "time": [0.2], "height": [(0.02 - np.tan(np.radians(angle)) * x).tolist()]}

    first = tiny(PROFILES, seeds=1)
    plan = replace(first, seeds=(1, 2))
    runs = plan.runs(Path())
    degrees = {(0.05, 1): 8.0, (0.05, 2): 12.0, (0.2, 1): 11.0, (0.2, 2): 19.0}  # seed 2 of the first is above 0.2
    results = {run.task.path.name: {"profile": profile(degrees[run.varied["friction"], run.seed])} for run in runs}
    verdict = more_friction_is_steeper(StudyOutcome(plan, tuple(runs), results, {}))
    assert verdict == StatementVerdict(
        "in 1 of 1 profiles; at rest 10.0°, 15.0°", True, "2 seeds: neighbouring μ can cross by chance."
    )


def test_a_profile_is_the_top_of_the_highest_grain_of_each_strip() -> None:
    position = np.array([[0.5e-3, 1e-3], [0.6e-3, 2e-3], [2.5e-3, 1e-3], [9e-3, 1.0]])
    heights = surface_profile(position, np.full(4, 0.5e-3), (0.0, 4e-3), 1e-3)
    assert heights.tolist() == pytest.approx([2.5e-3, 0.0, 1.5e-3, 0.0])


def test_the_angle_of_a_straight_flank_is_found_where_there_are_grains() -> None:
    x = np.linspace(0.0, 0.04, 21)
    height = np.maximum(0.0, (0.03 - x) * np.tan(0.3))
    assert angle_of_flank({"x": x.tolist(), "height": [height.tolist()]}, 0) == pytest.approx(0.3)


class Pictures(HTMLParser):
    """Sources of all pictures and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attributes if name in ("src", "href")]


def test_the_report_contains_every_figure_and_statement_and_needs_no_other_file(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: dict[str, StudyPlan] = {
        plan.name: tiny(plan) for plan in FIGURES if plan.name in ("thesis-3.2", "thesis-4.3")
    }
    whole = replace(registry.studies()["thesis"], parts=tuple(parts))
    monkeypatch.setattr(study_plan.registry, "studies", lambda: {**parts, "thesis": whole})
    monkeypatch.setattr(runs_on_disk, "run_all", run_here)
    assert run_command_line(["study", "thesis", "--out", "thesis", "--size", "320x180"]) == 0
    page = Path("thesis/report.html").read_text(encoding="utf-8")
    found = Pictures()
    found.feed(page)
    assert len(found.sources) == 2
    assert all(source.startswith("data:image/png;base64,") for source in found.sources)
    for plan in parts.values():
        assert str(plan.title) in page
        for statement in plan.statements:
            assert escape(statement.words) in page
            assert escape(statement.theirs) in page
    result: dict[str, Any] = json.loads(Path("thesis/result.json").read_text())
    assert result["studies"].keys() == parts.keys()
    assert {f"{name}.{kind}" for name in parts for kind in ("csv", "png", "pdf")} <= {
        path.name for path in Path("thesis").iterdir()
    }
