"""`repose export --for lammps` and `repose open`: files, results, and refusals in a sentence."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs import shared
from repose.sim import registry
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.export_state import state_of, write_lammps
from repose.sim.experiment.history import saved_copy
from repose.sim.io.lammps.continuation import DATA, SCRIPT
from repose.sim.io.lammps.write_dump import dump
from repose.sim.parameters import ParameterError

from tests.small_worlds import use_plain_engine

DUMP = """ITEM: TIME
{time}
ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS mm mm mm
0 1
0 1
0 1
ITEM: ATOMS id radius x y z
1 0.001 0 0 {height}
2 0.001 0.01 0 0.001
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    use_plain_engine(monkeypatch)
    yield tmp_path
    registry.forget_plugins()  # the scene of a dump


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run_command_line(arguments) == 2
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert told.count("\n") == 1
    return told


def saved(scene: str, name: str, **values: object) -> None:
    saved_run.save(saved_copy(new_experiment(scene, values)), Path(name))


def test_a_saved_run_is_written_for_lammps_into_a_new_folder(capsys: pytest.CaptureFixture[str]) -> None:
    saved("bounce", "run.repose")
    assert run_command_line(["export", "run.repose", "--to", "there/new", "--for", "lammps"]) == 0
    told = capsys.readouterr().err
    assert "springs begin without stretch" in told
    assert "repose open there/new/grains.lammpstrj --beside run.repose" in told
    assert {path.name for path in Path("there/new").iterdir()} == {DATA, SCRIPT}
    assert "3 atoms" in Path("there/new", DATA).read_text()
    assert "pair_style granular" in Path("there/new", SCRIPT).read_text()
    assert "exists already" in refused(capsys, "export", "run.repose", "--to", "there/new", "--for", "lammps")


def test_a_full_disk_leaves_no_part_of_the_grains(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved("bounce", "run.repose")
    write = Path.write_text

    def half(path: Path, text: str, **options: str) -> int:
        write(path, text[: len(text) // 2], **options)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", half)
        assert run_command_line(["export", "run.repose", "--to", "there", "--for", "lammps"]) == 1
    assert "there could not be written: No space left on device" in capsys.readouterr().err
    assert not Path("there").exists()


def test_what_cannot_be_exported_leaves_no_folder(capsys: pytest.CaptureFixture[str]) -> None:
    saved("bounce", "run.repose")
    saved("rod", "rod.repose")
    assert "did you mean 'lammps'" in refused(capsys, "export", "run.repose", "--to", "a", "--for", "lamps")
    assert "'bounded_spring' has no counterpart" in refused(
        capsys, "export", "rod.repose", "--to", "a", "--for", "lammps"
    )
    assert not Path("a").exists()


def test_a_dump_is_measured_without_a_window(capsys: pytest.CaptureFixture[str]) -> None:
    frames = [DUMP.format(time=0.001 * k, step=k, height=0.005 - 0.003 * k) for k in range(3)]
    Path("two.lammpstrj").write_text("".join(frames))
    call = ["open", "two.lammpstrj", "--no-window", "--no-picture", "--out", "out", "--set", "gate=0.001", "--json"]
    assert run_command_line(call) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["frames"], result["frame"], result["passed"], result["fault"]) == (3, 2, 1, None)
    assert json.loads(Path("out/result.json").read_text())["dump"] == "two.lammpstrj"


def test_a_file_that_is_no_dump_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.txt").write_text("no dump\n")
    assert "no text dump of LAMMPS" in refused(capsys, "open", "notes.txt", "--no-window")
    assert "cannot be opened" in refused(capsys, "open", "gone.lammpstrj", "--no-window")


def test_a_second_dump_replaces_the_first(here: Path) -> None:
    for name, heights in (("first.dump", (0.5, 0.4)), ("second.dump", (0.9, 0.8, 0.7))):
        frames = (DUMP.format(time=0.01 * step, step=step, height=height) for step, height in enumerate(heights))
        Path(name).write_text("".join(frames))
    scenes = []
    for name, height in (("first.dump", 0.5), ("second.dump", 0.9)):
        found = shared.found_in(name)
        scenes.append(registry.scenes()[found.preset])
        assert new_experiment(found.preset, {}).run.world.motion[2, 0].max() == height
    assert scenes[0] is not scenes[1]
    assert registry.troubles() == []


def test_a_folder_that_exists_is_refused_by_the_function_and_by_the_script(here: Path) -> None:
    (here / "there").mkdir()
    with pytest.raises(ParameterError, match="there exists already: name a new folder"):
        write_lammps(new_experiment("bounce", {}), "there")
    (here / "file").touch()
    with pytest.raises(ParameterError, match="cannot be written: Not a directory; name another folder"):
        write_lammps(new_experiment("bounce", {}), here / "file" / "below")
    script = Path(__file__).resolve().parents[3] / "assets" / "examples" / "million.py"
    done = subprocess.run([sys.executable, script, "there", "20"], capture_output=True, text=True, check=False)
    words = "there 20 column: name a new folder, at least 1 grain, and column, silo or drum.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", words)


def test_a_dump_beside_its_run_is_a_table_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    experiment = new_experiment("bounce", {})
    saved_run.save(saved_copy(experiment), Path("run.repose"))
    with Path("grains.lammpstrj").open("wb") as file, dump(file) as add:
        add(state_of(experiment))
    call = ["open", "grains.lammpstrj", "--beside", "run.repose", "--repeats", "2"]
    assert run_command_line([*call, "--out", "found"]) == 0
    told = capsys.readouterr().out
    assert "LAMMPS" in told
    assert "mean_speed [m/s]" in told
    assert "1 of 1 frames compared; at the last one a grain is 0 radii away." in told
    content = json.loads(Path("found/result.json").read_text())
    assert content["quantities"]["mean_speed"]["lammps"] == content["quantities"]["mean_speed"]["run"]
    assert run_command_line([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == content
    assert "are not for --beside" in refused(capsys, *call, "--set", "gate=0")
    assert "--repeats" in refused(capsys, *call[:-1], "-1")
    assert "result.json" in refused(capsys, *call, "--out", "found")
    assert "nowhere.repose" in refused(capsys, *call[:3], "nowhere.repose")
    Path("broken.repose").write_bytes(b"no run")
    assert "broken.repose" in refused(capsys, *call[:3], "broken.repose")
    for other in ("run.repose", "heap.jpg"):
        Path(other).touch()
        assert f"{other} is no text dump of LAMMPS" in refused(capsys, "open", other, "--beside", "run.repose")
