"""Runs in the background: one set at a time, stopped between two runs, and every error is a sentence."""

from __future__ import annotations

import threading

import pytest
from repose.app import countdown
from repose.app.ui.background_runs import BackgroundRuns
from repose.sim.message import plain
from repose.sim.parameters import ParameterError

from tests.english import english


def refuse(plan: object = None) -> object:
    raise ParameterError(plain("friction = 9 is refused"))


def fail(plan: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_plan_that_is_refused_starts_nothing_and_is_the_trouble() -> None:
    runs = BackgroundRuns("test")
    runs.start(refuse, lambda plan: pytest.fail("a refused plan is done"))
    assert (runs.running, english(runs.trouble)) == (False, "friction = 9 is refused")


@pytest.mark.parametrize(
    ("work", "words"), [(refuse, "friction = 9 is refused"), (fail, "The runs could not be done:")]
)
def test_an_error_of_the_work_is_the_trouble_until_the_next_start(work, words: str) -> None:
    runs = BackgroundRuns("test")
    runs.start(lambda: "plan", work)
    runs.wait(30.0)
    assert english(runs.trouble).startswith(words)
    runs.start(lambda: "plan", lambda plan: None)
    runs.wait(30.0)
    assert not runs.trouble


def test_a_second_start_during_the_work_does_nothing_and_a_stop_keeps_what_is_done() -> None:
    runs, begun, go_on = BackgroundRuns("test"), threading.Event(), threading.Event()
    worked: list[str] = []
    planned: list[str] = []

    def work(plan: str) -> None:
        worked.append(plan)
        planned.append(english(runs.words))
        runs.total, runs.done, runs.share = 4, 1, 0.9
        begun.set()
        assert go_on.wait(30.0)
        runs.check()
        raise AssertionError("the work goes on after it was stopped")

    runs.start(lambda: "first", work)
    assert begun.wait(30.0)
    runs.start(lambda: "second", work)
    assert not runs.stopped, "the control: it is under way"
    assert (planned, english(runs.words)) == (["no runs yet"], "1 of 4 runs"), "not 0 of 0 runs before they are planned"
    runs.stop()
    go_on.set()
    runs.wait(30.0)
    assert (runs.running, runs.stopped, runs.done, runs.share) == (False, True, 1, 0.25)
    assert worked == ["first"]
    assert not runs.trouble


def test_progress_moves_within_a_run_and_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, begun, go_on = BackgroundRuns("test"), threading.Event(), threading.Event()
    monkeypatch.setattr(countdown, "CERTAIN", -1.0)

    def work(plan: str) -> None:
        runs.total = 4
        runs.show(0.01)
        runs.show(0.015)
        begun.set()
        assert go_on.wait(30.0)

    runs.start(lambda: "plan", work)
    assert begun.wait(30.0)
    longest, *others = runs.progress
    assert english(longest).startswith("0 of 4 runs, 1.5 %, ")
    assert english(longest).endswith(" left")
    assert [english(text) for text in others] == ["0 of 4 runs, 1.5 %", "0 of 4 runs"]
    go_on.set()
    runs.wait(30.0)
    assert [english(text) for text in runs.progress] == ["0 of 4 runs"]
