"""The wheel contains every module and data file, installs into a fresh environment, and runs outside the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("app", "sim", "shaders", "assets", "docs")
"""Folders whose files belong in the wheel."""
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: setuptools writes beside the sources, and packs what older builds left there."""
    copy = tmp_path_factory.mktemp("wheel") / "source"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "tests")
    )
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(copy.parent)], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return copy.parent / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `repose` of a fresh environment with the wheel; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    inside = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)}, scheme="venv")
    # A path line is not searched for .pth files in its turn, so that the checkout's editable install is not found.
    others = Path(inside["purelib"]) / "others.pth"
    others.write_text("\n".join(dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))))
    python = Path(inside["scripts"]) / Path(sys.executable).name
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(inside["scripts"]) / "repose"


def run(program: Path, arguments: Sequence[str], folder: Path) -> str:
    """Standard output of the installed program, run in a folder without the checkout on any path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_contains_every_module_preset_shader_font_and_column(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"repose/{path.relative_to(ROOT).as_posix()}"
        for part in SHIPPED
        for path in (ROOT / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - packed == set()
    assert "repose/LICENSE" in packed
    assert {f"repose/{name}.md" for name in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING")} <= packed
    assert {
        ".py",
        ".c",
        ".toml",
        ".po",
        ".glsl",
        ".otf",
        ".npz",
        ".csv",
        ".json",
        ".md",
        ".txt",
        ".webp",
        ".png",
        ".bib",
        ".css",
        ".js",
        ".html",
        ".jpg",
        ".ipynb",
    } == {Path(name).suffix for name in wanted}
    folders = {name.split("/")[0] for name in packed}
    assert folders == {"repose", next(name for name in folders if name.endswith(".dist-info"))}


def test_the_installed_program_prints_its_version_and_its_presets(program: Path, tmp_path: Path) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert run(program, ["--version"], tmp_path) == f"repose {declared['version']}\n"
    listed = run(program, ["presets"], tmp_path)
    assert all(path.stem in listed for path in (ROOT / "assets" / "presets").glob("*.toml"))


@pytest.mark.slow  # the fresh environment compiles its own step loop
def test_the_installed_program_runs_an_experiment(program: Path, tmp_path: Path) -> None:
    few = [f"--set={change}" for change in ("grain_count=2", "width=0.005", "integrator=leapfrog")]
    printed = run(program, ["run", "heap", *few, "--until", "0.001", "--no-picture", "--json"], tmp_path)
    found = json.loads(printed)
    assert found["scene"] == "heap"
    assert found["steps"] > 0
    assert found["complaint"]
