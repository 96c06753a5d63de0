"""No command overwrites a file, and an output that cannot be written is refused before any work."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import headless_job
from repose.app.storage import paths
from repose.app.ui.preset_library import PresetLibrary
from repose.sim.experiment import saved_run
from repose.sim.experiment.history import saved_copy
from repose.sim.io.atomic_file import claim
from repose.sim.registry import scenes

from tests.app.program import UNIX, start
from tests.reliability.runs import poured

FEW = ("--set", "grain_count=20", "--set", "width=0.01")
SHORT = ("run", "heap", *FEW, "--until", "0.01")


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headless_job, "_simulate", lambda *_: pytest.fail("work was begun"))


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command_line(arguments) == 2
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert told.count("\n") == 1
    return told


def test_an_export_never_replaces_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved_run.save(saved_copy(poured(100)), here / "run.repose")
    (here / "mine.csv").write_text("precious")
    assert "--to mine.csv exists already: choose another name." in refused(
        capsys, "export", "run.repose", "--to", "mine.csv"
    )
    assert (here / "mine.csv").read_text() == "precious"
    assert "cannot be written to" in refused(capsys, "export", "run.repose", "--to", "run.repose/a.csv")
    assert run_command_line(["export", "run.repose", "--to", "other.csv"]) == 0
    assert "written to other.csv" in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == ["mine.csv", "other.csv", "run.repose"]
    assert "cannot be opened" in refused(capsys, "export", "gone.repose", "--to", "third.csv")
    assert not (here / "third.csv").exists()


@pytest.mark.gl
def test_a_run_does_not_delete_files_of_others_that_are_named_like_drafts(here: Path) -> None:
    folder = here / "out"
    folder.mkdir()
    (folder / "heap.new.png").write_text("precious")
    assert run_command_line([*SHORT, "--size", "64x64", "--out", "out"]) == 0
    assert (folder / "heap.new.png").read_text() == "precious"
    assert sorted(path.name for path in folder.iterdir()) == ["heap.new.png", "heap.png", "result.json"]


@pytest.mark.parametrize("option", [("--out", "same"), ("--save", "same.repose")])
def test_the_second_of_two_runs_with_the_same_name_is_refused(
    option: tuple[str, str], here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second begins while the first computes.
    whole, codes = headless_job._simulate, list[int]()

    def simulate(*arguments: Any) -> Any:
        monkeypatch.setattr(headless_job, "_simulate", lambda *_: pytest.fail("work was begun"))
        codes.append(run_command_line([*SHORT, "--no-picture", *option, "--seed", "2"]))
        return whole(*arguments)

    monkeypatch.setattr(headless_job, "_simulate", simulate)
    assert run_command_line([*SHORT, "--no-picture", *option, "--seed", "1"]) == 0
    assert codes == [2]
    assert option[1] in capsys.readouterr().err
    out = here / "same" if option[0] == "--out" else here / "repose-heap-1"
    assert json.loads((out / "result.json").read_text())["seed"] == 1
    assert len([*here.iterdir()]) == (1 if option[0] == "--out" else 2)
    if option[0] == "--save":
        assert saved_run.load(here / "same.repose").log.seed == 1


@pytest.mark.parametrize(
    ("noun", "call"),
    [
        ("study", ("sweep", "hourglass", "--over", "orifice=0.25,0.3", "--seeds", "1")),
        ("calibration", ("calibrate", "--vary", "friction=0.1:0.8", "--angle", "25")),
    ],
)
def test_a_second_study_or_calibration_in_the_same_folder_is_refused(
    noun: str, call: tuple[str, ...], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "rates").mkdir()
    position = claim(here / "rates" / f".{noun}-under-way")
    assert f"being written to by another {noun}" in refused(capsys, *call, "--out", "rates")
    position.release()
    assert sorted(path.name for path in (here / "rates").iterdir()) == []


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    "path", ["x" * 247 + ".repose", "a_file/run.repose", pytest.param("/proc/run.repose", marks=UNIX)]
)
def test_a_run_that_could_not_be_saved_is_refused_before_any_work(
    path: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a_file").touch()
    told = refused(capsys, *SHORT, "--save", path)
    assert told.startswith("--save ")
    assert [entry.name for entry in here.iterdir()] == ["a_file"]


def test_a_picture_that_cannot_be_written_gives_exit_code_1(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(headless_job, "draw_end", fail)
    assert run_command_line(SHORT) == 1
    assert "heap.png could not be written: No space left on device." in capsys.readouterr().err
    assert [path.name for path in (here / "repose-heap-1").iterdir()] == ["result.json"]


def test_a_refused_run_releases_its_file_names(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(headless_job, "_simulate", fail)
    assert run_command_line([*SHORT, "--save", "a.repose"]) == 130
    assert run_command_line([*SHORT, "--out", "new"]) == 130
    assert not [*here.iterdir()]


@UNIX
def test_the_names_of_a_killed_run_are_free_at_the_next_start(here: Path) -> None:
    call = [*SHORT[:-1], "100", "--no-picture", "--out", "out", "--save", "a.repose"]
    with start([*call[:-4], "--set", "dt=1e-7", *call[-4:]], here) as process:
        deadline = time.monotonic() + 120.0
        while not (here / "a.repose").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
        process.communicate()
    assert (here / "a.repose").stat().st_size == 0
    assert run_command_line([*SHORT, "--no-picture", "--out", "out", "--save", "a.repose"]) == 0
    assert sorted(path.name for path in here.iterdir()) == ["a.repose", "out"]
    assert [path.name for path in (here / "out").iterdir()] == ["result.json"]
    assert saved_run.load(here / "a.repose").log.seed == 1


def test_a_preset_of_the_same_name_is_not_overwritten(tmp_path: Path) -> None:
    library = PresetLibrary(lambda command: None, folder=tmp_path)
    parameters = scenes()["heap"].parameters()
    assert library.save("My own", "heap", parameters, 1)
    before = (tmp_path / "my-own.toml").read_text()
    assert not library.save("my own", "heap", parameters, 2)
    assert str(library.trouble) == "A preset 'my-own' exists already and is not overwritten: choose another name."
    assert (tmp_path / "my-own.toml").read_text() == before


def test_drafts_in_the_folders_of_the_program_are_deleted_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    process = subprocess.Popen(["true"] if Path("/bin/true").exists() else ["cmd", "/c", "exit"])
    process.wait()
    for folder in ("settings_folder", "presets_folder", "runs_folder", "videos_folder"):
        monkeypatch.setattr(paths, folder, lambda folder=folder: tmp_path / folder)
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f".a.toml.{process.pid}.new").touch()
    assert run_command_line(["scenes"]) == 0
    assert not [*tmp_path.glob("*/.*")]
