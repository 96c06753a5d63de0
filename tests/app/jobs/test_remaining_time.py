"""The remaining time of a run is shown from its first second on, on a terminal and in a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from repose.app import countdown as countdown_module
from repose.app import progress
from repose.app.cli.subcommands import run_command_line
from repose.app.countdown import Countdown
from repose.app.jobs import remaining_time
from repose.app.jobs.remaining_time import Outlook
from repose.app.progress import Progress
from repose.sim.study.run_length import duration


@dataclass
class Clock:
    """A wall clock that goes when told to."""

    now: float = 100.0

    def monotonic(self) -> float:
        return self.now


@dataclass
class Run:
    step: int
    dt: float = 1e-8

    @property
    def time(self) -> float:
        return self.step * self.dt


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (remaining_time, progress):
        monkeypatch.setattr(module, "time", made)
    return made


def test_the_remaining_time_follows_from_the_rate_since_the_first_batch(clock: Clock) -> None:
    ahead: Any = Outlook(0.02)
    assert ahead.words(Run(50)) == "step 50 of about 2,000,000"
    clock.now += 1.0
    assert ahead.words(Run(10_050)) == "step 10,050 of about 2,000,000, 3 min left"
    clock.now += 99.0
    assert ahead.words(Run(1_000_050)) == "step 1,000,050 of about 2,000,000, 100 s left"
    assert ahead.words(Run(2_000_000)).endswith("0 s left")


def test_steps_are_reported_for_an_experiment_without_an_end(clock: Clock) -> None:
    ahead: Any = Outlook(float("inf"))
    assert ahead.words(Run(50)) == "step 50"


def test_durations_are_in_the_unit_a_person_would_use() -> None:
    assert [duration(s) for s in (0.4, 119, 121, 7_300, 200_000)] == ["0 s", "119 s", "2 min", "2 h", "2 days"]


def test_without_a_terminal_progress_is_a_line_from_time_to_time(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress("A run") as told:
        for second in range(200):
            told.show("filling: layer 1", 0.1, f"step {second}")
            clock.now += 1.0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "A run"
    assert [line.split("step ")[1] for line in lines[1:]] == ["0", "1", "3", "7", "15", "31", "63", "123", "183"]


def test_without_a_terminal_a_stage_of_unknown_length_is_a_line_from_time_to_time(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress("Two runs") as told:
        for second in range(100):
            told.show(f"filling: layer {second}", 0.0, stage="runs")
            clock.now += 1.0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("layer ")[1] for line in lines[1:]] == ["0", "1", "3", "7", "15", "31", "63"]


def test_without_a_terminal_a_stage_or_words_that_change_begin_a_line(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress("A run") as told:
        for layer in range(3):
            told.show(f"filling: layer {layer}", 0.1, stage="filling")
        told.show("filling: layer 3", 0.1, stage="flowing")
        for words in ("compiling", "compiling", "drawing"):
            told.show(words, None)
    assert capsys.readouterr().err.splitlines() == [
        "A run",
        "  filling: layer 0 (10 %)",
        "  filling: layer 3 (10 %)",
        "  compiling",
        "  drawing",
    ]


def test_a_run_of_many_tiny_steps_says_how_long_it_takes(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remaining_time, "CERTAIN", 0.0)
    monkeypatch.setattr(progress, "FIRST_SILENCE", 0.0)
    few = ("--set", "grain_count=20", "--set", "width=0.01", "--set", "dt=1e-7", "--until", "0.001")
    assert run_command_line(["run", "heap", *few, "--no-picture"]) == 0
    assert re.search(r"step [0-9,]+ of about 10,000, [0-9]+ s left", capsys.readouterr().err)


def test_many_runs_are_timed_from_their_first_progress_and_their_first_moments_tell_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(countdown_module, "time", clock)
    countdown = Countdown()
    assert countdown.words(0.0) == ""
    clock.now += 100.0  # an engine is compiled
    assert countdown.words(1e-4) == ""
    clock.now += 10.0
    assert countdown.words(2e-4) == "", "a first layer was taken for the rate of a run: 14 h left"
    clock.now += 20.0
    assert countdown.words(0.25) == "90 s left"
    assert countdown.words(1.0) == ""


def test_runs_that_were_done_before_are_not_taken_for_fast_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(countdown_module, "time", clock)
    countdown = Countdown()
    assert countdown.words(0.5) == ""
    clock.now += 30.0
    assert countdown.words(0.6) == "2 min left"
