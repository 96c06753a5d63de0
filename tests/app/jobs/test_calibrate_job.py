"""A calibration from the command line: files, continuation, refusal of other folders."""

from __future__ import annotations

import json
import math
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from repose.app.cli.subcommands import run_command_line
from repose.sim.registry import scenes
from repose.sim.study import runs_on_disk
from repose.sim.study.parallel_runs import Task

from tests.rendered_heap import Camera, render, triangle

CALL = [
    "calibrate",
    "--vary",
    "friction=0.1:0.8",
    "--angle",
    "25",
    "--runs",
    "20",
    "--precision",
    "0.01",
    "--out",
    "done",
]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Runs that were done, each with an angle of 50° times the friction and a scatter by seed."""
    tasks: list[Task] = []

    def run_all(missing: list[Task], workers: int, *, on_progress: Any, on_end: Any) -> None:
        for task in missing:
            angle = 50.0 * float(task.values["friction"]) + (-1) ** task.seed
            parameters = scenes()[task.scene].parameters.checked(task.values).model_dump()
            point = {"value": angle, "error": 0.5, "unit": "°", "aside": {}}
            found = {"scene": task.scene, "seed": task.seed, "version": metadata.version("repose"), "measurements": {}}
            task.path.write_text(json.dumps(found | {"parameters": parameters, "point": point}))
            tasks.append(task)
            on_end(task, "")
            on_progress(task.name, 0.5)

    monkeypatch.setattr(runs_on_disk, "run_all", run_all)
    return tasks


def test_value_interval_picture_and_preset_are_written_and_nothing_is_done_twice(
    here: Path, done: list[Task], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(CALL) == 0
    result = json.loads(Path("done/result.json").read_text())
    assert result["confidence_interval_95"][0] < 0.5 < result["confidence_interval_95"][1]
    assert result["value"] == pytest.approx(0.5, abs=3.0 * result["standard_error"])
    assert Path("done/calibration.png").read_bytes().startswith(b"\x89PNG")
    preset = tomllib.loads(Path("done/preset.toml").read_text())
    assert preset["parameters"]["friction"] == pytest.approx(result["value"], rel=1e-3)
    assert f"μ = {result['value']:.4f} ± " in capsys.readouterr().out
    before, count = {path.name: path.read_bytes() for path in Path("done").glob("*.*")}, len(done)
    assert run_command_line(CALL) == 2
    assert "continue it with --resume" in capsys.readouterr().err
    assert run_command_line([*CALL, "--resume"]) == 0
    assert len(done) == count
    assert {path.name: path.read_bytes() for path in Path("done").glob("*.*")} == before
    assert run_command_line([*CALL, "--set", "gravity=4", "--resume"]) == 2
    assert "another calibration" in capsys.readouterr().err
    assert run_command_line(["run", "--preset", "done/preset.toml", "--set", "dt=0"]) == 2  # it was read: dt is refused
    assert "dt = 0" in capsys.readouterr().err


def profiles_of(task: Task) -> dict[str, object]:
    """What a run would have found: a triangle of 25° at μ = 0.4, with a scatter by seed."""
    slope = math.tan(math.radians(25.0 + 8.0 * math.log(float(task.values["friction"]) / 0.4) + (-1) ** task.seed))
    x = np.linspace(-0.05, 0.05, 200)
    outline = {"x": x.tolist(), "height": np.maximum(slope * (0.04 - np.abs(x)), 0.0).tolist()}
    values = scenes()[task.scene].parameters.checked(task.values).model_dump()
    found = {"scene": task.scene, "seed": task.seed, "version": metadata.version("repose"), "measurements": {}}
    return found | {"parameters": values, "point": None, "outline": outline}


def test_a_picture_whose_heap_is_far_steeper_than_the_range_is_said_with_values_limit_and_remedy(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_all(missing: list[Task], workers: int, *, on_progress: Any, on_end: Any) -> None:
        for task in missing:
            task.path.write_text(json.dumps(profiles_of(task)))
            on_end(task, "")

    monkeypatch.setattr(runs_on_disk, "run_all", run_all)
    Image.fromarray(render(triangle(25.0), Camera(size=(480, 270)))).save("heap.png")
    call = ["calibrate", "two_sided", "--picture", "heap.png", "--vary"]
    assert run_command_line([*call, "friction=0.1:1.5", "--out", "fits"]) == 0
    assert "fits the picture" not in capsys.readouterr().out
    assert json.loads(Path("fits/result.json").read_text())["fits"] is True
    assert run_command_line([*call, "friction=0.02:0.1", "--out", "misses"]) == 1
    said = capsys.readouterr().out
    assert "No run with μ from 0.02 to 0.1 fits the picture: the nearest profile, with μ = 0.1, differs" in said
    assert "; widen the range, or vary another parameter.\n" in said
    result = json.loads(Path("misses/result.json").read_text())
    assert result["fits"] is False
    assert result["difference_over_height"] > result["expected_difference_over_height"] > 0.0
    preset = tomllib.loads(Path("misses/preset.toml").read_text())
    assert preset["title"].startswith("Does not fit: ")
    assert preset["about"].startswith("Nearest, but it does not fit the picture: ")


def test_a_range_without_the_wanted_value_is_said(
    here: Path, done: list[Task], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["calibrate", "--vary", "friction=0.1:0.2", "--angle", "45", "--runs", "12"]) == 1
    assert "does not reach 45° within the range" in capsys.readouterr().out
    assert not Path("repose-calibrate-1/preset.toml").exists()
