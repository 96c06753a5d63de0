"""The borders of the program, proved in fresh processes."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = ("app", "OpenGL", "imgui_bundle", "pygame", "av", "typer", "rich")


def fresh(code: str, **environment: str) -> str:
    """What a fresh Python process prints."""
    settings = os.environ | environment
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, env=settings
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules_after(statement: str) -> set[str]:
    """Names of the packages a fresh process holds after an import."""
    listing = fresh(f"import sys, json\n{statement}\nprint(json.dumps(sorted(sys.modules)))")
    return set(json.loads(listing.splitlines()[-1]))


def every_module() -> list[str]:
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "sim").rglob("*.py"))]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]


def test_the_engine_knows_nothing_of_the_application() -> None:
    loaded = modules_after("\n".join(f"import {name}" for name in every_module()))
    assert "repose.sim.engine.step" in loaded
    assert not [name for name in loaded if name.split(".")[0] in FOREIGN]


@pytest.mark.parametrize(
    "name",
    [
        "repose.sim.scenes",
        "repose.sim.parameters",
        "repose.sim.io.presets",
        "repose.sim.experiment.commands",
        "repose.sim.experiment.snapshot",
    ],
)
def test_what_is_needed_first_loads_little(name: str) -> None:
    loaded = modules_after(f"import {name}")
    # Scenes name their law, whose functions are marked for the compiler; nothing is compiled by that.
    assert "numba" not in loaded or name in ("repose.sim.scenes", "repose.sim.io.presets")
    assert "scipy.stats" not in loaded
    assert not [module for module in loaded if module.split(".")[0] in FOREIGN]


def test_the_engine_imports_only_numpy_numba_and_what_checks_parameters() -> None:
    allowed = {
        "annotated_types",
        "llvmlite",  # comes with numba
        "numba",
        "numpy",
        "pydantic",
        "scipy",
        "sim",
        "tomlkit",
        *sys.stdlib_module_names,
    }
    for path in (ROOT / "sim").rglob("*.py"):
        if path.relative_to(ROOT / "sim").parts[0] in ("study", "export"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, path


def test_nothing_draws_from_a_generator_of_the_whole_process_or_bends_arithmetic() -> None:
    for path in (ROOT / "sim").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute):
                assert ast.unparse(node) not in ("np.random.seed", "np.random.rand", "np.random.normal"), path
        assert "fastmath=" not in path.read_text("utf-8"), path
        assert "prange" not in path.read_text("utf-8"), path


LOOK_UP = """
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
simulation = new_experiment('heap', {'grain_count': 3})
advance(simulation, 1)
stats = simulation.engine.advance.loop.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), state_hash(simulation.run))
"""


def test_the_compiled_loop_is_found_on_disk_by_the_next_process() -> None:
    # In the folder of all tests, where it may lie already: a fresh folder costs most of a minute of compiling.
    first, second = fresh(LOOK_UP).split(), fresh(LOOK_UP).split()
    assert first[:2] in (["0", "1"], ["1", "0"])
    assert second == ["1", "0", first[2]]


def compiled_files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.rglob("*.nb*")}


@pytest.mark.slow
@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_cut_cache_is_made_anew(tmp_path: Path, kept: float) -> None:
    first = fresh(LOOK_UP, NUMBA_CACHE_DIR=str(tmp_path)).split()
    files = compiled_files(tmp_path)
    assert any("advance" in name for name in files)
    assert first[:2] == ["0", "1"]
    for path in tmp_path.rglob("*.nb*"):
        path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    second = fresh(LOOK_UP, NUMBA_CACHE_DIR=str(tmp_path)).split()
    files = compiled_files(tmp_path)
    third = fresh(LOOK_UP, NUMBA_CACHE_DIR=str(tmp_path)).split()
    assert first[2] == second[2] == third[2]
    assert third[:2] == ["1", "0"]
    assert compiled_files(tmp_path) == files
