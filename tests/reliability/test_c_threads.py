"""C: the number of threads on the command line is refused in a sentence or capped with a notice, and changes no bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repose.app import thread_option
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs.headless_plan import plan
from repose.app.jobs.requests import RunRequest, SweepRequest
from repose.app.jobs.study_plan import plan_sweep
from repose.app.window import start
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.saved_run import save
from repose.sim.experiment.stepping import advance

SMALL = ("--set", "grain_count=40", "--set", "width=0.012", "--until", "0.02", "--no-picture")


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> int:
    """A machine with so many of them."""
    monkeypatch.setattr(thread_option, "available", lambda: 4)
    return 4


@pytest.mark.parametrize("given", ["0", "-1", "1.5", "nan", "inf", "two", "0x2", "1,2"])
@pytest.mark.parametrize(
    "command", [["run"], ["sweep", "hourglass"], ["replay", "any.repose", "--verify"], []], ids=" ".join
)
def test_c04_an_impossible_number_of_threads_is_refused_in_a_sentence(
    command: list[str],
    given: str,
    processors: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: True)
    assert run_command_line([*command, "--threads", given]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.rstrip("\n").count("\n") == 0
    assert f"--threads {given!r} is refused" in told.err
    assert f"from 1 to {processors}" in told.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["1000000", "1e6", "5"])
def test_c04_more_threads_than_processors_are_capped_with_a_notice(
    given: str, processors: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(RunRequest("heap", threads=given)).threads == processors
    told = capsys.readouterr().err
    assert f"--threads {given} is more than the 4" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(("given", "meant"), [("", None), ("auto", None), ("1", 1), ("4", 4), (" 2 ", 2)])
def test_valid_numbers_of_threads_are_accepted(
    given: str, meant: int | None, processors: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan(RunRequest("heap", threads=given)).threads == meant
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("workers", "given", "each"), [(2, "", 1), (1, "", None), (2, "3", 3), (2, "auto", None), (1, "2", 2)]
)
def test_simultaneous_runs_of_a_sweep_have_one_thread_each_by_default(
    workers: int, given: str, each: int | None, processors: int, tmp_path: Path
) -> None:
    asked = plan_sweep(SweepRequest("hourglass", seeds="1", workers=workers, threads=given))
    assert asked.threads == each
    assert {run.task.threads for run in asked.plans[0].runs(tmp_path, threads=asked.threads)} == {each}


def test_the_same_run_with_one_thread_and_with_two_ends_in_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(thread_option, "available", lambda: 2)
    found = {}
    for count in ("1", "2"):
        out = tmp_path / count
        assert run_command_line(["run", "heap", *SMALL, "--threads", count, "--out", str(out)]) == 0
        found[count] = json.loads((out / "result.json").read_text(encoding="utf-8"))
        assert found[count].pop("threads") == int(count)
        assert (", 2 threads" in capsys.readouterr().out) == (count == "2")
    assert found["1"] == found["2"]


def test_a_replay_agrees_with_any_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(thread_option, "available", lambda: 2)
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.012})
    experiment.session.threads = 1
    apply(experiment, Act("fill"))
    advance(experiment, 3_000)
    save(saved_copy(experiment), tmp_path / "run.repose")
    assert run_command_line(["replay", str(tmp_path / "run.repose"), "--verify", "--threads", "2"]) == 0
    assert "state hashes agree" in capsys.readouterr().out


@pytest.mark.parametrize(("given", "kept", "meant"), [("", 0, None), ("", 2, 2), ("1", 2, 1), ("auto", 2, None)])
def test_the_typed_number_of_threads_has_precedence_over_the_last_choice(
    given: str, kept: int, meant: int | None, processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    class Closed:
        closed = True

        def __init__(self, *given: object) -> None:
            asked.extend(given[-1:])

        def draw_frame(self) -> bool:
            return False

        def close(self, keep_run: bool) -> None:
            pass

    settings = start.load_settings(Path("nowhere"))
    settings.choices.threads = kept
    monkeypatch.setattr(start, "load_settings", lambda: settings)
    monkeypatch.setattr(start, "_open_window", lambda settings: None)
    monkeypatch.setattr(start, "Application", Closed)
    assert start.run(threads=given) == 0
    assert asked == [meant]
