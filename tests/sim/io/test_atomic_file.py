"""Names are claimed before files are written, no file is overwritten, leftovers of killed processes are deleted."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from repose.sim.io import atomic_file
from repose.sim.io.atomic_file import claim, claim_first, remove_leftovers, write_new_file, write_whole_file

ROOT = Path(__file__).resolve().parents[3]
KILLED = """
import os, signal, sys
from pathlib import Path
from repose.sim.io import atomic_file
folder = Path(sys.argv[1])
atomic_file.claim(folder / "run.repose")
def die(file):
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
atomic_file.write_whole_file(folder / "other.repose", die)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_of_many_simultaneous_claims_of_a_name_one_succeeds(tmp_path: Path) -> None:
    def attempt(_: int) -> bool:
        try:
            claim(tmp_path / "a.csv")
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(64))) == 1


def test_a_claim_is_written_once_and_leaves_nothing_else(tmp_path: Path) -> None:
    position = claim(tmp_path / "a.csv")
    with pytest.raises(FileExistsError):
        claim(tmp_path / "a.csv")
    position.write(lambda file: file.write(b"grains"))
    assert (names(tmp_path), (tmp_path / "a.csv").read_bytes()) == (["a.csv"], b"grains")
    position.release()
    assert names(tmp_path) == ["a.csv"]
    with pytest.raises(FileExistsError):
        write_new_file(tmp_path / "a.csv", lambda file: file.write(b"others"))
    assert (tmp_path / "a.csv").read_bytes() == b"grains"


def test_a_released_name_without_content_is_free_again(tmp_path: Path) -> None:
    position = claim(tmp_path / "a.csv")
    position.release()
    position.release()
    assert names(tmp_path) == []
    position = claim(tmp_path / "a.csv")

    def fail(_: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        position.write(fail)
    assert names(tmp_path) == []


def test_what_another_program_wrote_to_a_claimed_name_is_kept(tmp_path: Path) -> None:
    position = claim(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("precious")
    with pytest.raises(FileExistsError, match="another program"):
        position.write(lambda file: file.write(b"grains"))
    assert (names(tmp_path), (tmp_path / "a.csv").read_text()) == (["a.csv"], "precious")


def test_the_first_free_name_is_claimed(tmp_path: Path) -> None:
    (tmp_path / "1").touch()
    assert claim_first(tmp_path / str(n) for n in range(1, 5)).path == tmp_path / "2"
    with pytest.raises(FileExistsError):
        claim_first([tmp_path / "1"])


def test_a_name_with_no_room_for_its_draft_is_refused_when_claimed(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        claim(tmp_path / ("x" * 247 + ".repose"))
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        claim(tmp_path / "file" / "a.repose")
    assert names(tmp_path) == ["file"]


@pytest.mark.case("F05")
def test_what_a_killed_process_left_is_swept_when_the_next_claims_there(tmp_path: Path) -> None:
    (tmp_path / "other.repose").write_text("old")
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, check=False)
    left = names(tmp_path)
    assert len(left) == 4
    assert "run.repose" in left
    assert (tmp_path / "other.repose").read_text() == "old"
    claim(tmp_path / "run.repose").write(lambda file: file.write(b"new"))
    assert names(tmp_path) == ["other.repose", "run.repose"]


@pytest.mark.case("F14")
def test_only_drafts_of_ended_processes_are_removed(tmp_path: Path) -> None:
    dead = gone()
    kept = [
        f".run.repose.{os.getppid()}.new",  # of a process that lives
        f".run.repose.{dead}-00000000.claim",  # of another machine
        f"run.repose.{dead}.new",  # no name of ours
        ".run.repose.0.new",
        ".run.repose.new",
        ".run.repose.12x.new",
        "full",
        "empty",
    ]
    for name in kept:
        (tmp_path / name).touch()
    (tmp_path / "full").write_text("precious")
    (tmp_path / f".folder.{dead}.new").mkdir()
    (tmp_path / f".run.repose.{dead}.new").write_text("half")
    for name in ("full", "taken"):
        (tmp_path / f".{name}.{dead}-{atomic_file.machine()}.claim").touch()
    (tmp_path / f".before.{os.getpid()}.new").touch()  # of one that had our number
    (tmp_path / "taken").touch()
    position = claim(tmp_path / "mine")
    remove_leftovers(tmp_path)
    assert position.mark.exists()
    position.release()
    assert names(tmp_path) == sorted([*kept, f".folder.{dead}.new"])
    assert (tmp_path / "full").read_text() == "precious"


def test_a_requested_overwrite_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "a"
    write_whole_file(path, lambda file: file.write(b"old"))
    write_whole_file(path, lambda file: file.write(b"new"))
    assert (names(path.parent), path.read_bytes()) == (["a"], b"new")


def test_a_claimed_file_can_be_written_again_until_the_name_is_released(tmp_path: Path) -> None:
    position = claim(tmp_path / "a.json")
    position.write_early(lambda file: file.write(b"first"))
    with pytest.raises(FileExistsError):
        claim(tmp_path / "a.json")
    position.write_early(lambda file: file.write(b"second"))
    assert (tmp_path / "a.json").read_bytes() == b"second"
    position.write(lambda file: file.write(b"last"))
    assert (names(tmp_path), (tmp_path / "a.json").read_bytes()) == (["a.json"], b"last")


def test_a_file_of_another_program_in_the_place_of_a_claim_is_kept(tmp_path: Path) -> None:
    position = claim(tmp_path / "a.json")
    position.write_early(lambda file: file.write(b"mine"))
    (tmp_path / "b.json").write_bytes(b"theirs")
    os.replace(tmp_path / "b.json", tmp_path / "a.json")
    with pytest.raises(FileExistsError, match="another program"):
        position.write(lambda file: file.write(b"last"))
    assert (tmp_path / "a.json").read_bytes() == b"theirs"


def test_the_next_write_removes_the_draft_of_a_killed_process(tmp_path: Path) -> None:
    write_whole_file(tmp_path / "a", lambda file: file.write(b"old"))
    for left in (f".a.{gone()}.new", f".a.{gone()}-{atomic_file.machine()}.new"):
        (tmp_path / left).write_text("half")
    (tmp_path / f".a.{gone()}-00000000.new").touch()  # of another machine
    write_whole_file(tmp_path / "a", lambda file: file.write(b"new"))
    assert len(names(tmp_path)) == 2
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_draft_names_the_machine_that_writes_it(tmp_path: Path) -> None:
    seen: list[str] = []
    write_whole_file(tmp_path / "a", lambda file: seen.extend(names(tmp_path)))
    assert seen == [f".a.{os.getpid()}-{atomic_file.machine()}.new"]
