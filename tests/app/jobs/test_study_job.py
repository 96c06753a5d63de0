"""Studies and sweeps: results are written as runs end, a folder is continued or refused, files of both are equal."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs.requests import StudyRequest
from repose.app.jobs.study_plan import plan_study
from repose.app.jobs.study_report import changed_in_words, report_page
from repose.app.stopping import StopAsked
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study import dask_runs, runs_on_disk
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import Task

from tests.app.program import UNIX, start
from tests.study_runs import run_here

FACTS = {"density": None, "gravity": 9.81, "radius": 0.02}
TINY = ("grain_count=60", "mean_radius=0.02", "fill_height=1.1", "window=10")
CALL = ["sweep", "hourglass", "--over", "orifice=0.25,0.3", *(word for value in TINY for word in ("--set", value))]
STUDY = """
title = "Two heaps"
seeds = 2
values = { grain_count = 40, width = 0.012 }
grid = { friction = [0.1, 0.4] }
"""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_results_are_written_as_runs_end_and_a_second_call_does_only_missing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = [*CALL, "--out", str(tmp_path / "rates"), "--size", "640x360"]
    assert run_command_line([*call, "--seeds", "1"]) == 0
    runs = sorted((tmp_path / "rates" / "runs").iterdir())
    assert [path.name[:-16] for path in runs] == ["orifice-0.25-seed-1", "orifice-0.3-seed-1"]
    kept = json.loads(runs[0].read_text())
    assert (kept["phase"], kept["parameters"]["orifice"]) == ("rested", 0.25)
    assert not (tmp_path / "rates" / "sweep.png").exists()  # the tiny glass is empty before its flow is steady
    done: list[Task] = []

    def stops_after_one(missing: list[Task], *_: object, **callbacks: Any) -> None:
        done.extend(missing)
        point = {"value": 9.0, "error": None, "unit": "1/s", "aside": FACTS}
        missing[0].path.write_text(json.dumps(kept | {"seed": 2, "point": point}))
        callbacks["on_end"](missing[0], "")
        callbacks["on_end"](missing[1], "its process was killed by signal 9")
        raise StopAsked

    monkeypatch.setattr(runs_on_disk, "run_all", stops_after_one)
    before = [path.stat().st_mtime_ns for path in runs]
    capsys.readouterr()
    assert run_command_line([*call, "--seeds", "1,2"]) == 3
    report = json.loads((tmp_path / "rates" / "result.json").read_text())
    assert report["lost"] == {"orifice 0.3, seed 2": "its process was killed by signal 9"}
    assert [(run["orifice"], run["seed"]) for run in report["runs"]] == [(0.25, 1), (0.3, 1), (0.25, 2)]
    first, second = report["table"]
    assert (first["orifice"], first["runs"], first["without_result"], first["flow_rate"]["mean"]) == (0.25, 1, 1, 9.0)
    assert (second["runs"], second["without_result"], second["flow_rate"]) == (0, 2, None)
    words = capsys.readouterr()
    assert "orifice 0.25, seed 2: Q = 9 1/s" in words.err
    assert "250     1     9" in words.out
    assert (tmp_path / "rates" / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "rates" / "sweep.pdf").read_bytes().startswith(b"%PDF")
    assert [task.seed for task in done] == [2, 2]
    assert [path.stat().st_mtime_ns for path in runs] == before


def test_a_folder_with_other_runs_or_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rates"
    call = [*CALL, "--seeds", "1", "--out", str(out)]
    out.mkdir()
    (out / "result.json").write_text("precious")
    assert run_command_line(call) == 2
    assert "already contains result.json" in capsys.readouterr().err
    (out / "result.json").unlink()
    (out / "runs").mkdir()
    assert run_command_line(call) == 2
    assert "unknown study: choose another folder" in capsys.readouterr().err
    (out / "runs").rename(out / "photos")
    assert run_command_line(call) == 2
    assert "already contains photos: move it away or choose another folder" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["photos"]


@pytest.fixture
def study_file(here: Path) -> Path:
    path = here / "two.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_on_disk, "run_all", run_here)


def test_a_study_writes_angles_in_degrees_with_the_grains_left_beside_them(
    study_file: Path, in_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["study", "two.toml", "--out", "done", "--size", "640x360"]) == 0
    report = json.loads(Path("done/result.json").read_text())
    runs = [json.loads((Path("done/runs") / run["file"]).read_text()) for run in report["runs"]]
    # A heap of few grains may have no angle: whether it has depends on the processor, as numpy's functions round
    # otherwise with AVX-512.
    angles = [run["angle_of_repose"] and run["angle_of_repose"]["degrees"] for run in runs]
    assert any(angles)
    assert [run["angle_of_repose"] for run in report["runs"]] == pytest.approx(angles)
    for row, pair in zip(report["table"], (slice(0, None, 2), slice(1, None, 2)), strict=True):
        measured = [angle for angle in angles[pair] if angle is not None]
        mean = row["angle_of_repose"] and row["angle_of_repose"]["mean"]
        assert mean == (pytest.approx(fmean(measured)) if measured else None)
        assert row["grains_left"]["mean"] == fmean(run["grains_left"] for run in runs[pair])
    assert report["units"] == {"angle_of_repose": "°", "grains_left": ""}
    head = Path("done/two.csv").read_text().splitlines()[1]
    assert "angle of repose [°]" in head
    assert "grains left" in head
    assert "grains left" in capsys.readouterr().out


def test_a_continued_study_needs_resume_and_gives_the_same_files(
    study_file: Path, in_process: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["study", "two.toml", "--size", "320x180", "--out"]
    assert run_command_line([*call, "whole"]) == 0

    def stops(tasks: list[Task], workers: int, **callbacks: Any) -> None:
        run_here(tasks[:1], workers, **callbacks)
        raise StopAsked

    monkeypatch.setattr(runs_on_disk, "run_all", stops)
    assert run_command_line([*call, "half"]) == 0  # nobody asked for the stop: no signal came
    assert len([*Path("half/runs").iterdir()]) == 1
    monkeypatch.setattr(runs_on_disk, "run_all", run_here)
    capsys.readouterr()
    assert run_command_line([*call, "half"]) == 2
    assert "continue it with --resume" in capsys.readouterr().err
    assert run_command_line([*call, "half", "--resume"]) == 0
    assert contents(Path("half")) == contents(Path("whole"))


def test_parts_of_a_study_joined_are_the_study_done_at_once(
    study_file: Path, in_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["study", str(study_file), "--no-picture"]
    assert run_command_line([*call, "--out", "whole"]) == 0
    for part, missing in (
        (3, "runs of 2 of 3 parts are missing: do them again with --part 1/3 (2 of 2), 2/3 (1 of 1)."),
        (1, "runs of 1 of 3 parts are missing: do them again with --part 2/3 (1 of 1)."),
    ):
        assert run_command_line([*call, "--part", f"{part}/3", "--out", "parts"]) == 0
        assert run_command_line([*call, "--join", "parts", "--out", "early"]) == 2
        assert missing in capsys.readouterr().err
    assert len(list(Path("parts/part-1-of-3/runs").iterdir())) == 2
    assert len(list(Path("parts/part-3-of-3/runs").iterdir())) == 1
    assert run_command_line([*call, "--part", "2/3", "--out", "parts"]) == 0
    lost = next(Path("parts/part-1-of-3/runs").iterdir())  # as if the part had been killed
    kept = {path: path.read_bytes() for path in Path("parts/part-1-of-3/runs").iterdir()}
    lost.unlink()
    assert run_command_line([*call, "--join", "parts", "--out", "early"]) == 2
    assert run_command_line([*call, "--part", "1/3", "--out", "parts"]) == 0
    assert {path: path.read_bytes() for path in kept} == kept
    assert run_command_line([*call, "--join", "parts", "--out", "joined"]) == 0
    assert contents(Path("joined")) == contents(Path("whole"))
    capsys.readouterr()
    assert run_command_line([*call, "--join", "parts", "--out", "joined"]) == 2
    assert capsys.readouterr().err.endswith("--out joined contains this study already: choose another folder.\n")
    assert run_command_line([*call, "--part", "5/5", "--out", "more"]) == 0
    assert "part 5/5 has no runs: the study has 4." in capsys.readouterr().out


def test_parts_of_another_study_and_damaged_runs_are_not_joined(
    study_file: Path, in_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.toml").write_text(STUDY.replace("grain_count = 40", "grain_count = 41"))
    for part, study in ((1, study_file), (2, Path("other.toml"))):
        assert run_command_line(["study", str(study), "--no-picture", "--part", f"{part}/2", "--out", "parts"]) == 0
    join = ["study", str(study_file), "--no-picture", "--join", "parts", "--out", "joined"]
    capsys.readouterr()
    assert run_command_line(join) == 2
    assert "part-2-of-2 contains runs of the study 'other': give the parts of one study" in capsys.readouterr().err
    shutil.rmtree("parts/part-2-of-2")
    part = ["study", str(study_file), "--no-picture", "--part", "2/2", "--out", "parts"]
    assert run_command_line(part) == 0
    damaged = next(Path("parts/part-2-of-2/runs").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:100])
    capsys.readouterr()
    assert run_command_line(join) == 2
    assert f"part-2-of-2/runs/{damaged.name} contains no result of a run" in capsys.readouterr().err
    assert not Path("joined").exists()


@pytest.mark.parametrize("part", ["0/3", "4/3", "3", "a/3", "1/0", "1/20000", "1/3/2"])
def test_a_part_that_is_none_is_refused(part: str) -> None:
    with pytest.raises(ParameterError, match="write K/N"):
        StudyRequest("lammps", part=part, out=Path("parts"))


@UNIX
@pytest.mark.slow
def test_a_study_that_was_killed_and_continued_gives_the_same_files(study_file: Path) -> None:
    call = ["study", "two.toml", "--size", "320x180", "--workers", "2", "--out"]
    killed = start([*call, "killed"], Path.cwd())
    runs = Path("killed/runs")
    while not (runs.is_dir() and any(path.suffix == ".json" for path in runs.iterdir())):
        assert killed.poll() is None, killed.communicate()
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    for name, option in (("killed", ["--resume"]), ("whole", [])):
        process = start([*call, name, *option], Path.cwd())
        out, told = process.communicate()
        assert process.returncode == 0, out + told
    assert contents(Path("killed")) == contents(Path("whole"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STUDY.replace("Two heaps", "Other title"), "continue it with --resume"),
        (STUDY.replace("grain_count = 40", "grain_count = 41"), "with values = {grain_count = 40"),
        (STUDY.replace("friction", "tilt"), "with varied = ['friction']"),
    ],
)
def test_a_folder_of_another_study_is_refused_and_nothing_is_changed(
    text: str, words: str, study_file: Path, in_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["study", "two.toml", "--out", "done", "--no-picture", "--seeds", "1"]) == 0
    before = contents(Path("done"))
    study_file.write_text(text)
    capsys.readouterr()
    assert run_command_line(["study", "two.toml", "--out", "done", "--no-picture"]) == 2
    assert words in capsys.readouterr().err
    assert contents(Path("done")) == before


@pytest.mark.slow
def test_seeds_are_added_until_the_standard_error_is_as_wanted(study_file: Path, in_process: None) -> None:
    study_file.write_text("most_seeds = 4\n" + STUDY)
    assert run_command_line(["study", "two.toml", "--out", "done", "--no-picture", "--error", "1"]) == 0
    report = json.loads(Path("done/result.json").read_text())
    for row in report["table"]:
        assert row["angle_of_repose"]["standard_error"] <= 1.0 or row["runs"] == 4
    assert {row["runs"] for row in report["table"]} != {2}
    assert run_command_line(["study", "two.toml", "--out", "again", "--no-picture", "--seeds", "1"]) == 0
    assert run_command_line(["study", "two.toml", "--out", "again", "--no-picture", "--error", "1", "--resume"]) == 0
    assert contents(Path("done")) == contents(Path("again"))


def test_a_run_with_a_fault_is_marked_with_its_reason_and_the_others_go_on(
    here: Path, in_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--set", "grain_count=40", "--set", "width=0.012", "--set", "friction=0.2"]
    call = ["sweep", "heap", *few, "--over", "dt=1e-3,auto", "--seeds", "1", "--out", "done", "--size", "320x180"]
    assert run_command_line(call) == 3
    report = json.loads(Path("done/result.json").read_text())
    assert [run["fault"] is None for run in report["runs"]] == [False, True]
    assert [(row["dt"], row["runs"], row["without_result"]) for row in report["table"]] == [
        (1e-3, 0, 1),
        ("auto", 1, 0),
    ]
    assert report["runs"][0]["fault"] in capsys.readouterr().err


def test_a_run_repeated_from_the_command_line_gives_mean_and_error_over_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], in_process: None
) -> None:
    small = (f"{name}={value}" for name, value in scenes()["heap"].test_values.items())
    call = ["run", "heap", *(word for value in small for word in ("--set", value)), "--repeat", "2", "--no-picture"]
    assert run_command_line([*call, "--out", str(tmp_path / "heaps")]) == 0
    report = json.loads((tmp_path / "heaps" / "result.json").read_text())
    angles = [run["angle_of_repose"] for run in report["runs"]]
    assert [run["seed"] for run in report["runs"]] == [1, 2]
    row = report["table"][0]
    assert (row["runs"], row["angle_of_repose"]["mean"]) == (2, pytest.approx(sum(angles) / 2.0))
    assert row["angle_of_repose"]["standard_error"] == pytest.approx(abs(angles[0] - angles[1]) / 2.0)
    words = capsys.readouterr()
    assert "° (mean ± standard error over runs, n = 2)" in words.out
    assert words.err.count("° (line fit)") == 2
    assert not (tmp_path / "heaps" / "repeat.png").exists()


def test_the_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["study"]) == 0
    assert "thesis-4.3" in capsys.readouterr().out


def test_another_study_is_drawn_beside_and_grains_left_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_on_disk, "run_all", run_here)
    (tmp_path / "soft.toml").write_text(STUDY)
    call = ["study", str(tmp_path / "soft.toml"), "--no-picture", "--out"]
    assert run_command_line([*call, str(tmp_path / "first")]) == 0
    plan = plan_study(StudyRequest(str(tmp_path / "soft.toml"), beside=(tmp_path / "first",))).plans[0]
    first = json.loads((tmp_path / "first" / "result.json").read_text())
    runs = runs_on_disk.StudyRuns((plan,), tmp_path / "first" / "runs")
    assert runs.begin() == []
    angle, left = runs.outcome(plan).curves()
    beside = next(line for line in angle.lines if str(line.label) == "first")
    assert {line.group for line in angle.lines if line.points and line is not beside} == {0}
    assert beside.group == 1  # a colour and a marker of its own
    assert beside.x.tolist() == [0.1, 0.4]
    assert beside.y == pytest.approx([row["angle_of_repose"]["mean"] for row in first["table"]])
    assert beside.error == pytest.approx([row["angle_of_repose"]["standard_error"] for row in first["table"]])
    assert str(left.y_label) == "grains left"
    assert left.lines[0].y == pytest.approx([row["grains_left"]["mean"] for row in first["table"]])
    for other, words in (("first", "no common axes"), ("none", "contains no results of a study")):
        with pytest.raises(ParameterError, match=words):
            plan_study(StudyRequest("thesis-4.5", beside=(tmp_path / other,)))


def test_a_study_with_changed_parameters_says_that_its_statements_are_about_others(tmp_path: Path) -> None:
    plan = plan_study(StudyRequest("thesis-4.4", changes=("base_radius=5e-4",))).plans[0]
    assert plan.altered == ("base grain radius = 0.5 mm",)
    outcome = StudyOutcome(plan, (), {}, {})
    assert outcome.report()["changed"] == ["base grain radius = 0.5 mm"]
    page = report_page(plan, {plan.name: outcome}) if outcome.groups else changed_in_words(plan)
    assert "Changed by --set: base grain radius = 0.5 mm." in page
    assert plan_study(StudyRequest("thesis-4.4")).plans[0].altered == ()


def test_an_open_statement_says_why_it_is_open(
    tmp_path: Path, in_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A study with one seed told "not measured" below the numbers that it had measured, and no reason."""
    call = ["study", "thesis-4.5", "--seeds", "1", "--no-picture", "--out", str(tmp_path / "base")]
    run_command_line([*call, "--set", "grain_count=40", "--set", "width=0.012"])
    told = capsys.readouterr().out.splitlines()
    opened = [line for line in told if line.startswith("open: ")]
    assert opened
    assert all("at least two seeds of every value are needed" in line for line in opened)


def test_a_scheduler_that_does_not_answer_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dask_runs, "PATIENCE", 0.5)
    (tmp_path / "two.toml").write_text(STUDY)
    call = ["study", str(tmp_path / "two.toml"), "--out", str(tmp_path / "out"), "--dask", "tcp://127.0.0.1:9"]
    assert run_command_line(call) == 2
    told = capsys.readouterr().err
    assert "--dask" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out").exists()
