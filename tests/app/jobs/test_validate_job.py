"""Runs with known results: the table of the command, wrong names, and a number that differs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import validate_job
from repose.app.jobs.validate_job import exit_code, rows, summary
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
    monkeypatch.setattr(validate_job, "validate", lambda names, quiet: (found, True))
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
