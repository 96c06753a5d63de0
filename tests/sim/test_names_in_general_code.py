"""Only scenes, laws, measurements and studies name phases, the heap or the angle of repose."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.sim.registry import scenes

ROOT = Path(__file__).resolve().parents[2]
OWN = ("sim/scenes", "sim/measure", "sim/photo", "sim/laws", "sim/study/studies")
"""Folders whose files describe single scenes, laws, measurements and studies of scenes."""
HEAP = re.compile(r"\bheap(3d|s)?\b|angle[ _]of[ _]repose|AngleOfRepose", re.IGNORECASE)
OTHER_MEANING = {
    "app/jobs/frame_bench.py": {"flowing"},  # key of a result of the benchmark
    "app/window/application.py": {"running"},  # whether a film is recorded
    "sim/choices.py": {"filled"},  # a prepared state
    "sim/study/bench.py": {"flowing"},  # key of a result of the benchmark
    "sim/study/dask_runs.py": {"running"},  # state of a scheduler
}
"""Words of a file that are the name of a phase, and mean something else there."""
SPEAKS_OF_HEAPS = {
    # These programs run a heap, as they could run any other scene.
    *("sim/study/bench.py", "sim/study/selftest_cases.py"),
    # Help, advice and examples for the user; the preset at the first start.
    *("app/cli/subcommands.py", "app/cli/lecture_command.py", "app/cli/study_commands.py", "app/jobs/doctor.py"),
    "app/jobs/requests.py",
    "app/jobs/manual_job.py",  # the film on the first page
    *("app/jobs/shortcut.py", "app/ui/repeat_card.py", "app/window/gl_context.py", "sim/io/presets.py"),
    "sim/io/lammps/in_scenes.py",  # a row for each scene
    "app/lectures/old_labels.py",  # labels in lectures of earlier versions
    "sim/study/plan_file.py",
    # What a picture is searched for.
    "app/cli/saved_commands.py",
    *("app/jobs/calibrate_job.py", "app/jobs/photo_job.py", "app/jobs/video_job.py", "app/storage/photo_files.py"),
    "app/storage/photo_results.py",
    *("app/ui/compared_photo.py", "app/ui/compared_video.py", "app/ui/panels/photo.py", "app/ui/photo_angles.py"),
    "app/ui/photo_calibration.py",
}
"""Files that name the heap without deciding anything by it."""


def names_of_phases() -> set[str]:
    """Names of the phases of all scenes, and of those that are not registered."""
    return {phase.name for scene in scenes().values() for phase in scene.course.phases} | {"playing", "running"}


def texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and content of all strings besides docstrings, and of all names; whether it is a string."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value, True
        for field in ("id", "attr", "name", "module", "arg"):
            if isinstance(name := getattr(node, field, None), str):
                yield getattr(node, "lineno", 0), name, False


def complaints(source: str, name: str, phases: set[str]) -> list[str]:
    """Names of phases, of the heap and of its angle in the source of a general file."""
    found = []
    for line, text, is_string in texts(source):
        if is_string and text in phases - OTHER_MEANING.get(name, set()):
            found.append(f"{name}:{line}: phase '{text}'")
        if HEAP.search(text) and name not in SPEAKS_OF_HEAPS:
            found.append(f"{name}:{line}: '{text}'")
    return found


def general_files() -> dict[str, str]:
    """Sources of all files outside `OWN`, by path."""
    paths = [path for folder in ("sim", "app") for path in sorted((ROOT / folder).rglob("*.py"))]
    named = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return {name: path.read_text(encoding="utf-8") for name, path in named.items() if not name.startswith(OWN)}


def test_general_code_names_no_phase_no_heap_and_no_angle_of_repose() -> None:
    phases = names_of_phases()
    assert {"filling", "flowing", "rested", "trickling", "clogged"} <= phases
    assert [line for name, source in general_files().items() for line in complaints(source, name, phases)] == []


@pytest.mark.parametrize(
    "planted",
    [
        'if shot.phase == "flowing":\n    pass\n',
        'PACES = {("", "filling"): 6.0}\n',
        'def f(scene="heap"):\n    pass\n',
        "from repose.sim.measure.angle_of_repose import measure_angle\n",
        'text = f"Angle of repose {angle:.1f}"\n',
        "found: AngleOfRepose\n",
    ],
)
def test_a_planted_name_is_found(planted: str) -> None:
    assert complaints(f'"""The heap while it is filling."""\n{planted}', "app/render/pacing.py", names_of_phases())


def test_every_exception_is_needed() -> None:
    files, phases = general_files(), names_of_phases()
    for name, words in OTHER_MEANING.items():
        assert words & phases <= {text for _, text, is_string in texts(files[name]) if is_string}, name
    for name in SPEAKS_OF_HEAPS:
        assert any(HEAP.search(text) for _, text, _ in texts(files[name])), name
