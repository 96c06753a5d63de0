"""The examples of CONTRIBUTING.md work as plug-ins, each as one file outside the tree, with no other edit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import doctor
from repose.app.jobs.requests import StudyRequest
from repose.app.jobs.study_plan import plan_study
from repose.app.lectures import lecture_file
from repose.app.ui.preset_library import PresetLibrary
from repose.sim import registry
from repose.sim.io import presets

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
WITHOUT_CODE = dict(re.findall(r"^```toml\n# ([\w-]+\.toml)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
WITH_THE_LAW = """
from dataclasses import replace
from repose.sim import registry

HOPPER = registry.scenes()["hopper"]
SCENE = replace(HOPPER, name="hopper_with_the_law", model=replace(HOPPER.model, law="linear_spring_dashpot"))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plug-in folder with every example of the page."""
    made = tmp_path_factory.mktemp("plugins")
    for name, text in (EXAMPLES | WITHOUT_CODE).items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def repose(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {registry.FOLDER: str(folder)}
    command = [sys.executable, "-m", "repose.app", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_every_example_is_listed_and_none_is_refused(folder: Path) -> None:
    assert re.findall(r"^```python$", TEXT, re.MULTILINE) == ["```python"] * len(EXAMPLES)
    code = (
        "from repose.app.jobs import doctor\nfor f in doctor._plugins(): print(f.value.rpartition(': ')[2], f.advice)"
    )
    environment = os.environ | {registry.FOLDER: str(folder)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    offered = {line.strip() for line in done.stdout.splitlines()}
    kinds = ("law linear_spring_dashpot", "scene hopper", "measurement mean_overlap", "study shear-stiffness")
    formulas = ("integrator symplectic_euler", "field wind", "bond law thread")
    assert {*kinds, *formulas, "panel grain_panel", "tool name", "draw pass centre_marks"} <= offered
    assert {"preset steep-heap", "lecture first-heap", "study base-study"} <= offered
    assert {"law tacky, property tackiness", "colour height", "instrument nearby"} <= offered
    assert (len(EXAMPLES), len(WITHOUT_CODE)) == (13, 3)


def test_files_without_code_in_the_plug_in_folder_are_listed_and_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "plugins"
    own.mkdir()
    for name, text in WITHOUT_CODE.items():
        (own / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv(registry.FOLDER, str(own))
    monkeypatch.chdir(tmp_path)
    for command, name in (("presets", "steep-heap"), ("lecture", "first-heap"), ("study", "base-study")):
        assert run_command_line([command]) == 0
        assert name in capsys.readouterr().out
    few = ["--set", "grain_count=3", "--until", "0.01", "--no-picture", "--json"]
    assert run_command_line(["run", "--preset", "steep-heap", *few]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["scene"], found["seed"], found["parameters"]["friction"]) == ("heap", 3, 0.9)
    assert run_command_line(["lecture", "first-heap", "--notes"]) == 0
    assert "Let it come to rest." in capsys.readouterr().out
    asked = plan_study(StudyRequest("base-study"))
    assert asked.name == "study-base-study"
    assert sum(len(plan.cases) * len(plan.combinations()) * len(plan.seeds) for plan in asked.plans) == 8
    library = PresetLibrary(send=lambda command: None, folder=tmp_path)
    library.refresh()
    assert library.cards["steep-heap"].title == "Steep heap"
    assert "first-heap" in [card.name for card in lecture_file.cards()]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_study_and_the_lecture_without_code_run_to_their_ends(folder: Path, tmp_path: Path) -> None:
    done = repose(folder, "study", "base-study", "--out", str(tmp_path / "study"), "--json", "--no-picture")
    assert done.returncode == 0, done.stderr
    film = tmp_path / "lecture.mp4"
    done = repose(folder, "lecture", "first-heap", "--film", str(film), "--fps", "5", "--size", "320x180")
    assert done.returncode == 0, done.stderr
    assert film.stat().st_size > 10_000


def test_a_broken_file_in_the_plug_in_folder_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {
        "cut.toml": "[[",
        "preset.toml": 'scene = "heap"\n[parameters]\nfriction = 9\n',
        "lecture.toml": '[[step]]\ntitle = "A"\npreset = "nowhere"\n',
        "study.toml": 'scene = "heap"\n[grid]\nfriction = []\n',
        "moon.toml": WITHOUT_CODE["steep-heap.toml"],
    }
    for name, text in broken.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    found = {finding.value: finding.advice for finding in doctor._plugins()}
    reasons = {
        "cut.toml: preset cut": "not valid TOML",
        "preset.toml: preset preset": "friction = 9",
        "lecture.toml: lecture lecture": "nowhere",
        "study.toml: study study": "at least one",
        "moon.toml: preset moon": "exists already",
    }
    for value, reason in reasons.items():
        assert reason in found[f"{tmp_path}/{value}"]
    for command in ("presets", "lecture", "study"):
        assert run_command_line([command]) == 0
        assert "cannot be used: " in capsys.readouterr().out
    assert presets.load("moon").title != "Steep heap"
    for name in ("cut", "preset"):
        assert run_command_line(["run", "--preset", name]) == 2
    assert f"{tmp_path}/cut.toml is not valid TOML" in capsys.readouterr().err


def test_a_question_mark_lists_the_parameters_of_a_scene(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["run", "heap", "--set", "?"]) == 0
    listed = capsys.readouterr().out
    declared = registry.scenes()["heap"].parameters.declared()
    assert all(re.search(rf"^ {name} ", listed, re.MULTILINE) for name in declared)
    assert run_command_line(["run", "--preset", "moon", "--set", "?"]) == 0
    assert re.search(r"^ gravity +1\.62 ", capsys.readouterr().out, re.MULTILINE)
    assert run_command_line(["run", "heep", "--set", "?"]) == 2
    assert "did you mean 'heap'" in capsys.readouterr().err


def test_a_shipped_scene_offers_the_law(folder: Path) -> None:
    code = "from repose.sim import registry\nprint(registry.scenes()['heap'].parameters.declared()['law'].choices)"
    environment = os.environ | {registry.FOLDER: str(folder)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert "'linear_spring_dashpot'" in done.stdout, done.stderr


@pytest.mark.slow  # a step loop of its own is compiled
@pytest.mark.timeout(600)
def test_the_scene_runs_with_the_law_and_the_measurement_is_in_the_results(folder: Path, tmp_path: Path) -> None:
    scene = tmp_path / "with_the_law.py"
    scene.write_text(WITH_THE_LAW, encoding="utf-8")
    few = ("--set", "grain_count=20", "--set", "orifice=3", "--set", "dt=5e-6", "--until", "0.1")
    done = repose(folder, "run", str(scene), *few, "--no-picture", "--json", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["scene"] == "hopper_with_the_law"
    assert found["complaint"] is None
    assert 0 < found["grains_passed"] < 20
    assert 0.0 < found["measurements"]["mean_overlap"] < found["largest_overlap"] * 2e-3
    energy = found["energy"]
    assert energy["damping"] > 0.0
    assert abs(energy["gap"]) < 2e-3 * energy["poured"]  # of second order in the time step: 7e-4


def test_every_path_and_command_named_exists() -> None:
    named = set(re.findall(r"`((?:app|sim|assets|tests|shaders)/[\w/.]*)`", TEXT))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    commands = set(re.findall(r"(?:uv run|`|^)\s*repose (?!-)(\w+)", TEXT, re.MULTILINE))
    assert commands
    assert all(run_command_line([command, "--help"]) == 0 for command in commands)
