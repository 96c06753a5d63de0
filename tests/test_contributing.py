"""The examples of CONTRIBUTING.md work as plug-ins, each as one file outside the tree, with no other edit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repose.app.cli.commands import run_command_line
from repose.sim import registry

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
WITH_THE_LAW = """
from dataclasses import replace
from repose.sim import registry

SCENE = replace(registry.scenes()["hopper"], name="hopper_with_the_law", law="linear_spring_dashpot")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plug-in folder with every example of the page."""
    made = tmp_path_factory.mktemp("plugins")
    for name, text in EXAMPLES.items():
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
    assert len(EXAMPLES) == 10


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
