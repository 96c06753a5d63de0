"""`repose run`: complete results, exact films, and no loss when it is stopped."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import end_picture, headless_job
from repose.app.render.director import CARD, REST, STILL
from repose.app.window import headless_film
from repose.app.window.window import WindowError
from repose.sim.experiment.thread_choice import ThreadChoice

from tests.app.program import UNIX, start
from tests.tiers import tiered

SMALL = ("run", "heap", "--set", "grain_count=40", "--set", "width=0.012")


def result_in(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


@pytest.mark.gl
def test_run_writes_its_result_and_picture_into_a_new_folder_each_time(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*SMALL, "--set", "friction=0.3", "--seed", "5", "--size", "320x240"]
    assert run_command_line(arguments) == 0
    captured = capsys.readouterr()
    result = result_in(here / "repose-heap-1")
    assert (result["scene"], result["seed"], result["preset"]) == ("heap", 5, "thesis-heap")
    assert (result["parameters"]["friction"], result["parameters"]["grain_count"]) == (0.3, 40)
    assert result["grains_filled"] == 40
    assert result["interrupted"] is False
    shown = re.search(r"^angle of repose +([0-9.]+)° ± [0-9.]+° \(line fit\)$", captured.out, re.MULTILINE)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(result["angle_of_repose"]["degrees"], abs=0.5)
    assert "repose-heap-1" in captured.out
    assert "filling" in captured.err
    with Image.open(here / "repose-heap-1" / "heap.png") as picture:
        assert picture.format == "PNG"
        about = dict(line.split(": ", 1) for line in picture.info["Description"].splitlines())
    assert (about["seed"], about["scene"], about["program"][:7]) == ("5", "heap (Heap)", "Repose ")
    assert about["parameter friction"] == "friction 0.3"
    assert run_command_line([*arguments, "--no-picture"]) == 0
    assert [path.name for path in (here / "repose-heap-2").iterdir()] == ["result.json"]
    assert result_in(here / "repose-heap-2")["state_hash"] == result["state_hash"]


def test_a_run_says_once_that_fewer_threads_step_the_grains(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = ThreadChoice.record

    def twice_as_long_with_two(choice: ThreadChoice, steps: int, seconds: float) -> None:
        record(choice, steps, 1e-3 * steps * choice.number(choice.most))

    monkeypatch.setattr(ThreadChoice, "record", twice_as_long_with_two)
    assert run_command_line([*SMALL, "--no-picture", "--threads", "2", "--until", "0.02"]) == 0
    assert capsys.readouterr().err.count("1 of 2 threads computes the grains") == 1
    assert result_in(here / "repose-heap-1")["threads"] == 1


@pytest.mark.case("R12")
@pytest.mark.gl
@pytest.mark.parametrize(
    ("overlay", "more"), [("none", 0), ("full", sum(round(part * 25) for part in (CARD, REST, STILL)))]
)
def test_film_has_exactly_duration_times_fps_frames_and_leaves_the_run_as_it_is(
    here: Path, overlay: str, more: int
) -> None:
    import av

    assert run_command_line([*SMALL, "--no-picture", "--out", "plain"]) == 0
    filmed = ["--video", "film.mp4", "--fps", "25", "--speed", "0.5", "--size", "160x120", "--out", "filmed"]
    assert run_command_line([*SMALL, "--no-picture", *filmed, "--overlay", overlay]) == 0
    result = result_in(here / "filmed")
    with av.open("film.mp4") as container:
        count = sum(1 for _ in container.decode(video=0))
    assert count == result["video"]["frames"] == round(result["simulated_time"] / 0.5 * 25) + more
    assert result["state_hash"] == result_in(here / "plain")["state_hash"]


def test_standard_output_contains_only_the_json_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line([*SMALL, "--json", "--no-picture", "--out", "Größe λ 砂/-new"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == result_in(here / "Größe λ 砂" / "-new")
    assert captured.err == ""


def test_a_result_that_is_printed_leaves_no_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line([*SMALL, "--json", "--save", "kept.repose"]) == 0
    assert json.loads(capsys.readouterr().out)["grains_filled"] == 40
    assert [path.name for path in here.iterdir()] == ["kept.repose"]


def test_without_a_scene_the_scene_of_the_preset_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs: list[Any] = []
    monkeypatch.setattr(headless_job, "run_job", lambda job: jobs.append(job) or 0)
    for words in (["--preset", "slope"], [], ["slope", "--preset", "slope"]):
        assert run_command_line(["run", *words]) == 0
    assert [(job.scene, job.preset) for job in jobs] == [
        ("slope", "slope"),
        ("heap", "thesis-heap"),
        ("slope", "slope"),
    ]
    assert run_command_line(["run", "heap", "--preset", "slope"]) == 2
    assert capsys.readouterr().err.strip() == "Preset 'slope' is for the scene 'slope', not 'heap'."


@pytest.mark.case("G05")
def test_without_opengl_the_run_completes_and_says_why_there_is_no_picture(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(size: object) -> None:
        raise WindowError("OpenGL 3.3 is needed but this machine offers 2.1.")

    monkeypatch.setattr(end_picture, "open_picture_maker", fail)
    monkeypatch.setattr(headless_film, "open_picture_maker", fail)
    assert run_command_line([*SMALL]) == 0
    assert "No picture: OpenGL 3.3 is needed but this machine offers 2.1." in capsys.readouterr().err
    assert [path.name for path in (here / "repose-heap-1").iterdir()] == ["result.json"]
    assert run_command_line([*SMALL, "--video", "film.mp4"]) == 2
    assert "offers 2.1" in capsys.readouterr().err
    assert not (here / "film.mp4").exists()


@pytest.mark.case("R07")
@pytest.mark.gl
def test_a_film_that_ends_early_ends_neither_the_run_nor_its_results(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repose.app.storage.recorder._free", lambda _: 10**9)
    film = headless_film.HeadlessFilm
    take = film.take

    def take_a_few(self: headless_film.HeadlessFilm, snapshot: Any) -> float:
        if snapshot.serial == 12:
            monkeypatch.setattr("repose.app.storage.recorder._free", lambda _: 1000)
        return take(self, snapshot)

    monkeypatch.setattr(film, "take", take_a_few)
    arguments = ["--video", "film.mp4", "--fps", "10", "--speed", "0.05", "--size", "160x120", "--no-picture"]
    assert run_command_line([*SMALL, *arguments]) == 1
    assert "almost full" in capsys.readouterr().err
    result = result_in(here / "repose-heap-1")
    assert result["grains_filled"] == 40
    assert "almost full" in result["video"]["cut_short"]


def test_a_run_stopped_by_a_fault_reports_it_and_writes_its_results(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line([*SMALL, "--set", "dt=0.001", "--no-picture"]) == 3
    fault = result_in(here / "repose-heap-1")["fault"]
    assert fault
    assert fault in capsys.readouterr().err


def test_every_scene_runs_from_its_defaults_and_its_readings_are_printed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = ("grain_count=60", "mean_radius=0.02", "orifice=0.25", "fill_height=1.1", "count_for=0.25")
    arguments = [part for change in changes for part in ("--set", change)]
    assert run_command_line(["run", "hourglass", *arguments, "--no-picture"]) == 0
    result = result_in(here / "repose-hourglass-1")
    assert (result["scene"], result["preset"], result["complaint"]) == ("hourglass", "defaults", None)
    assert re.search(rf"^grains passed +{result['grains_passed']}$", capsys.readouterr().out, re.MULTILINE)


HANGUP = (signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()


@UNIX
@pytest.mark.parametrize("number", tiered([signal.SIGINT, signal.SIGTERM, *HANGUP], fast={signal.SIGTERM}))
def test_signal_stops_the_run_and_keeps_the_results(number: int, tmp_path: Path) -> None:
    with start(["run", "--set", "grain_count=20000", "--no-picture", "--out", "kept"], tmp_path) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "filling" in line:
                break
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    result = result_in(tmp_path / "kept")
    assert result["interrupted"] is True
    assert result["angle_of_repose"] is None
    assert result["steps"] > 0


@UNIX
def test_killed_run_leaves_its_results_so_far(tmp_path: Path) -> None:
    result = tmp_path / "kept" / "result.json"
    with start(["run", "--set", "grain_count=20000", "--no-picture", "--out", "kept"], tmp_path) as process:
        while process.poll() is None and not (result.exists() and result.stat().st_size):
            time.sleep(0.05)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    found = result_in(tmp_path / "kept")
    assert found["interrupted"] is True
    assert found["steps"] > 0
    assert found["scene"] == "heap"


@pytest.mark.gl
def test_without_the_video_library_a_film_is_refused_in_a_sentence_and_pictures_are_written(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    arguments = [*SMALL, "--until", "0.05", "--fps", "100", "--speed", "1", "--overlay", "none", "--size", "80x60"]
    assert run_command_line([*arguments, "--video", "film.mp4"]) == 2
    told = capsys.readouterr().err
    assert "--video FOLDER/" in told
    assert told.count("\n") == 1
    assert list(here.iterdir()) == []
    assert run_command_line([*arguments, "--no-picture", "--video", "shots/"]) == 0
    assert sorted(path.name for path in (here / "shots").iterdir()) == [f"{k:06d}.png" for k in range(1, 6)]
    assert result_in(here / "repose-heap-1")["video"] == {"file": str(here / "shots"), "frames": 5, "cut_short": None}
