"""A closed or full standard output and a deleted current folder are reported in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line

from tests.app.program import UNIX
from tests.tiers import tiered

ROOT = Path(__file__).resolve().parents[3]
FEW = ("--set", "grain_count=20", "--set", "width=0.01", "--until", "0.001", "--no-picture")
RUN = ("run", "heap", *FEW, "--out", "out")
CASES = (
    *((place, arguments) for place in ("closed", "full") for arguments in (("--version",), ("presets",))),
    ("full", ("--help",)),
    ("full", ("doctor",)),
    ("full", ("run", "--help")),
    ("full", (*RUN, "--json")),
)
FULL = Path("/dev/full")


@UNIX
@pytest.mark.parametrize(("place", "arguments"), tiered(CASES, fast=CASES[1:4] + CASES[-1:]), ids=str)
def test_output_that_cannot_be_written_is_reported_in_one_sentence(
    place: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    if place == "full" and not FULL.exists():
        pytest.skip("no /dev/full")
    redirected = ">&-" if place == "closed" else f">{FULL}"
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "app", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    reason = "Bad file descriptor" if place == "closed" else "No space left on device"
    assert done.stderr.splitlines()[-1] == f"Standard output cannot be written to: {reason}."
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode == 1
    assert (tmp_path / "out" / "result.json").exists() == (arguments[0] == "run" and "--help" not in arguments)


@UNIX
def test_closed_standard_streams_leave_the_result_files_correct(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "run", "heap", *FEW, "--out", "out"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 1
    assert (tmp_path / "out" / "result.json").read_text().startswith("{\n")


@UNIX
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "heap", *FEW),
        ("run", "heap", *FEW, "--out", "out"),
        ("run", "heap", *FEW, "--video", "film.mp4"),
        ("export", "a.repose", "--to", "b.csv"),
        ("replay", "a.repose"),
        ("run", "--from", "a.repose"),
        ("run", "--preset", "./a.toml"),
        ("run", "vessel", "--set", "mesh=a.stl"),
        ("sweep", "hourglass"),
    ],
    ids=" ".join,
)
def test_a_deleted_current_folder_causes_no_traceback(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_command_line(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1


def test_an_unexpected_system_error_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> list[tuple[str, str, str, str]]:
        raise PermissionError(13, "Permission denied", "presets")

    monkeypatch.setattr("repose.app.ui.preset_library.all_presets", fail)
    assert run_command_line(["presets"]) == 1
    assert capsys.readouterr().err == "Stopped at presets: Permission denied.\n"
