"""Runs with known results: the table of the command, wrong names, and a number that differs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import validate_job
from repose.app.jobs.validate_job import exit_code, rows, summary
from repose.app.jobs.validate_report import report_page
from repose.sim import registry
from repose.sim.measure.display import Outcome
from repose.sim.study import validation
from repose.sim.study.validation import Comparison, comparisons

RIGHT, WRONG = (
    Outcome("it_is_one", "it is one", "1.00", "1.00", True),
    Outcome("it_is_two", "it is two", "2.50", "2.00", False),
)


def test_every_check_of_the_window_is_compared() -> None:
    names = comparisons()
    assert {"bounce", "slope", *(f"impact-{k}" for k in range(1, 9))} <= set(names)


def test_a_number_that_differs_is_marked_and_gives_exit_code_1() -> None:
    found = [Comparison("a", "First", (RIGHT, WRONG), ""), Comparison("b", "Second", (), "it stopped")]
    assert rows(found) == [
        ("First", "it is one", "1.00", "1.00", "✓"),
        ("", "it is two", "2.50", "2.00", "✗"),
        ("Second", "it stopped", "–", "–", "✗"),
    ]
    assert summary(found) == "Numbers that differ: 2 of 2."
    assert [exit_code(found[:1], False), exit_code(found[1:], False), exit_code([], True)] == [1, 1, 130]
    assert exit_code([Comparison("a", "First", (RIGHT,), "")], False) == 0


def test_stopped_checks_do_not_read_as_if_all_had_been_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Comparison("a", "First", (RIGHT,), "")]
    monkeypatch.setattr(validate_job, "validate", lambda names, quiet, report: (found, True))
    assert run_command_line(["validate"]) == 130
    assert "Stopped; runs done: 1, not the others. All 1 numbers agree." in capsys.readouterr().out


def test_the_command_runs_an_impact_and_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["validate", "impact-4", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["holds"]
    assert {entry["statement"] for entry in found["outcomes"]} >= {
        "the spin after 40° agrees",
        "all energy is accounted for",
    }


def test_a_wrong_law_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    scene = registry.scenes()["impacts"]
    lame = replace(scene, course=replace(scene.course, outcomes=lambda experiment: (WRONG,)))
    monkeypatch.setitem(registry.scenes(), "impacts", lame)
    monkeypatch.setattr(validation, "run_experiment", lambda experiment: {"fault": None, "complaint": None})
    assert run_command_line(["validate", "impact-4"]) == 1
    assert "Numbers that differ: 1 of 1." in capsys.readouterr().out


def test_an_unknown_name_is_refused_before_any_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["validate", "moon"]) == 2
    assert "moon" in capsys.readouterr().err


@pytest.mark.gl
def test_the_report_has_picture_plots_and_numbers_of_a_run_and_asks_no_network(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    assert run_command_line(["validate", "impact-1", "--report", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == {"validation.html", "result.json"}
    page = (folder / "validation.html").read_text(encoding="utf-8")
    assert page.count('<img alt="End of the run of the scene impacts" src="data:image/png;base64,') == 1
    assert page.count("<img") > 1
    assert re.search("<td>the greatest force of glass agrees</td><td>10.7 kN</td><td>10.7 kN</td><td>agrees</td>", page)
    assert "repose run --preset impact-1" in page
    assert "http" not in page
    (found,) = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert found["holds"]
    assert found["seconds"] > 0.0


def test_the_report_marks_numbers_that_differ_and_escapes_texts() -> None:
    page = report_page(
        [Comparison("bounce", "<First>", (RIGHT, WRONG), ""), Comparison("slope", "Second", (), "no")], ""
    )
    assert "<First>" not in page
    assert "&lt;First&gt;" in page
    assert page.count('<tr class="differs">') == 3
    assert page.count('<tr class="agrees">') == 2


def test_a_used_folder_is_refused_before_any_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "validation.html").write_text("kept", encoding="utf-8")
    assert run_command_line(["validate", "impact-1", "--report", str(tmp_path)]) == 2
    assert "--report" in capsys.readouterr().err
    assert (tmp_path / "validation.html").read_text(encoding="utf-8") == "kept"
    assert len([*tmp_path.iterdir()]) == 1
