"""`repose selftest`: every case passes, and a failed case is reported, counted and changes the exit code."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import selftest
from repose.sim.study.selftest_cases import NotAvailable, SelfTestCase, SelfTestResult


def test_every_case_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["selftest", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] == found["tested"] >= len(selftest.ALL) - 1
    for case in found["cases"]:
        assert case["verdict"] == "passed" or case["name"] == "picture", case
    assert len({case["name"] for case in found["cases"]}) == len(selftest.ALL)


def out(error: Exception) -> Callable[[], SelfTestResult]:
    """A case that cannot be carried out."""

    def try_out() -> SelfTestResult:
        raise error

    return try_out


def test_failed_cases_are_reported_counted_and_give_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = (
        SelfTestCase("good", "number of nothing", lambda: SelfTestResult(0.0, 0.0, "steps")),
        SelfTestCase("bad", "too much", lambda: SelfTestResult(2.0, 1.0, "m")),
        SelfTestCase("lost", "no number", lambda: SelfTestResult(math.nan, 1.0)),
        SelfTestCase("broken", "an error", out(RuntimeError("no luck"))),
        SelfTestCase("absent", "nothing to try", out(NotAvailable("no OpenGL"))),
    )
    monkeypatch.setattr(selftest, "ALL", cases)
    assert run_command_line(["selftest"]) == 1
    shown = capsys.readouterr().out
    lines = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert lines["good"].split()[-1] == "passed"
    assert all(lines[name].split()[-1] == "FAILED" for name in ("bad", "lost", "broken"))
    assert "≤ 1 m" in lines["bad"]
    assert "RuntimeError: no luck" in lines["broken"]
    assert "no OpenGL" in lines["absent"]
    assert lines["absent"].rstrip().endswith("not tested")
    assert shown.rstrip().endswith("4 cases tested, 1 passed.")


def test_the_exit_code_is_0_if_cases_are_only_not_available(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(selftest, "ALL", (SelfTestCase("absent", "nothing to try", out(NotAvailable("no OpenGL"))),))
    assert run_command_line(["selftest"]) == 0
    assert "0 cases tested, 0 passed." in capsys.readouterr().out
