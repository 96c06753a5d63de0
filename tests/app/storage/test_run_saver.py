"""Runs saved by the user and automatically, opened again, and not touched while another window uses them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from repose.app.storage import autosave, paths, run_saver
from repose.app.storage.run_saver import RunSaver, free_name
from repose.sim.experiment import saved_run, saved_side_by_side
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.commands import Command, Resume
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.results import state_hash

from tests.reliability.runs import go, poured

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "autosave"
    monkeypatch.setattr(paths, "autosave_folder", lambda: folder)
    return folder


@pytest.fixture(scope="module")
def run() -> Experiment:
    return poured(3_000)


@pytest.fixture
def kept(run: Experiment) -> Generator[tuple[RunSaver, list[Command]]]:
    """A saver whose commands act on a simulation at once."""
    sent: list[Command] = []

    def send(command: Command) -> None:
        sent.append(command)
        if not isinstance(command, Resume):
            assert not apply(run, command)

    made = RunSaver(send)
    made.begin()
    yield made, sent
    made.end()


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.002)


def wait_for(event: threading.Event) -> None:
    event.wait(PATIENCE)


def test_save_asks_before_it_overwrites_a_file_of_others(
    kept: tuple[RunSaver, list[Command]], run: Experiment, tmp_path: Path
) -> None:
    made, sent = kept
    made.save("")
    assert str(made.trouble).startswith("Type the path of a file under File first;")
    other = tmp_path / "other.repose"
    other.write_text("mine")
    made.save(f'"{other}"')
    assert made.confirm == str(other)
    assert sent == []
    made.save(str(other))
    until(lambda: str(made.message) == f"Saved to {other}.")
    assert state_hash(resumed_experiment(saved_run.load(other)).run) == state_hash(run.run)
    made.save(str(tmp_path / "other"))
    until(lambda: str(made.message) == f"Saved to {other}.")
    made.save(str(tmp_path / "no" / "\0"))
    until(lambda: made.trouble)


def test_the_photograph_beside_a_run_comes_back_with_its_file(
    kept: tuple[RunSaver, list[Command]], run: Experiment, tmp_path: Path
) -> None:
    made, _ = kept
    made.take_photo = lambda: lambda: b"heap"
    made.save(str(tmp_path / "with.repose"))
    until(lambda: made.message)
    made.take_photo = lambda: bytes
    made.save(str(tmp_path / "without.repose"))
    until(lambda: str(made.message).endswith("without.repose."))
    for name, photo in (("with", b"heap"), ("without", b"")):
        made.photo, made.opened = b"before", False
        made.open(str(tmp_path / name))
        until(lambda: made.opened)
        assert made.photo == photo
    assert state_hash(resumed_experiment(saved_run.load(tmp_path / "with.repose")).run) == state_hash(run.run)


def test_open_continues_a_run_or_gives_the_reason_of_a_refusal(
    kept: tuple[RunSaver, list[Command]], run: Experiment, tmp_path: Path
) -> None:
    made, sent = kept
    saved_run.save(saved_copy(run), tmp_path / "run.repose")
    busy = threading.Event()
    made._jobs.put(lambda: wait_for(busy))
    made.open(str(tmp_path / "run.repose"))
    assert str(made.message) == "Opening run.repose …"
    busy.set()
    until(lambda: made.opened)
    assert isinstance(sent[-1], Resume)
    assert sent[-1].saved.now.at == 3_000
    until(lambda: str(made.message) == "Opened run.repose.")
    made.open(str(tmp_path / "gone"))
    until(lambda: made.trouble)
    assert "gone.repose' cannot be opened: there is no such file" in str(made.trouble)
    assert not made.message


def test_n12_the_automatic_save_acts_when_due_and_only_after_a_change(
    kept: tuple[RunSaver, list[Command]], own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, sent = kept
    made.tick()
    assert sent == []
    monkeypatch.setattr(run_saver, "INTERVAL", 0.0)
    made._due = 0.0
    for _ in range(5):
        made.tick()
    assert len(sent) == 5
    assert made._place is not None
    until(lambda: made._place.files())
    made.end()
    assert not [*own_folder.iterdir()]


def test_n15_three_saves_are_kept_and_the_newest_readable_one_is_offered(run: Experiment) -> None:
    position = autosave.begin()
    for _ in range(5):
        position.save(saved_copy(go(run, run.history.at + 1)))
    files = position.files()
    assert [path.name for path in files] == ["run-000005.repose", "run-000004.repose", "run-000003.repose"]
    files[0].write_bytes(files[0].read_bytes()[:-7])
    files[1].write_bytes(b"")
    newest = position.newest()
    assert newest is not None
    assert newest[0].now.at == run.history.at - 2
    files[2].unlink()
    assert position.newest() is None
    position.clear()


CRASH = """
import sys, time
from pathlib import Path
from repose.app.storage import autosave, paths
from repose.sim.experiment import saved_run, saved_side_by_side
paths.autosave_folder = lambda: Path(sys.argv[1])
place = autosave.begin()
place.save(saved_run.load(sys.argv[2]))
print("saved", flush=True)
time.sleep(600)
"""


@pytest.mark.case("F05")
def test_f04_and_n15_only_the_run_of_an_ended_window_is_offered(
    own_folder: Path, run: Experiment, tmp_path: Path
) -> None:
    saved_run.save(saved_copy(run), tmp_path / "run.repose")
    command = [sys.executable, "-c", CRASH, str(own_folder), str(tmp_path / "run.repose")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env=os.environ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"saved\n"
        assert autosave.left_behind() is None
        assert len([*own_folder.iterdir()]) == 1
        other.send_signal(signal.SIGKILL)
    found = autosave.left_behind()
    assert found is not None
    newest = found.newest()
    assert newest is not None
    assert state_hash(resumed_experiment(newest[0]).run) == state_hash(run.run)
    assert autosave.left_behind() is None  # offered once, to one window
    found.clear()
    assert not [*own_folder.iterdir()]


@pytest.mark.case("F14")
def test_f14_the_number_of_files_left_by_crashes_is_limited(own_folder: Path, run: Experiment) -> None:
    for _ in range(8):
        position = autosave.begin()
        position.save(saved_copy(run))
        position.lock.close()  # as the end of a process does
    empty = autosave.begin()
    empty.lock.close()
    found = autosave.left_behind()
    assert found is not None
    assert len([*own_folder.iterdir()]) == autosave.MOST_LEFT_BEHIND
    found.clear()


def test_the_photograph_beside_the_run_of_a_crashed_window_is_offered_with_it(
    run: Experiment, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_saver, "INTERVAL", 1e9)
    crashed = RunSaver(lambda command: command.take(saved_copy(run)))  # type: ignore[attr-defined]
    crashed.begin()
    for photo in (b"", b"heap"):  # the run is the same: another photograph is saved anew
        crashed.take_photo = lambda photo=photo: lambda: photo
        crashed.save_now()
    assert crashed._place is not None
    assert len(crashed._place.files()) == 2
    crashed.end(keep=True)
    made = RunSaver(lambda command: None)
    made.begin()
    made.open_lost()
    until(lambda: made.opened)
    assert made.photo == b"heap"
    until(lambda: made._place.files())
    assert made._place is not None
    assert made._place.newest()[1] == b"heap", "lost by the next crash"
    made.end()


@pytest.mark.parametrize("choice", ["open_lost", "discard_lost"])
def test_an_automatic_save_is_opened_or_discarded(run: Experiment, own_folder: Path, choice: str) -> None:
    position = autosave.begin()
    position.save(saved_copy(run))
    position.lock.close()
    sent: list[Command] = []
    made = RunSaver(sent.append)
    made.begin()
    assert made.lost is not None
    getattr(made, choice)()
    assert made.lost is None
    if choice == "open_lost":
        until(lambda: made._place.files() and not position.folder.exists())
        assert str(made.message) == "Opened the run of the last session."
    made.end()
    assert not [*own_folder.iterdir()]
    assert len(sent) == (choice == "open_lost")


@pytest.mark.case("F06")
def test_n14_a_full_disk_is_reported_and_the_run_continues(
    kept: tuple[RunSaver, list[Command]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    made, _ = kept
    made.save(str(tmp_path / "run.repose"))
    until(lambda: made.trouble)
    assert str(made.trouble).endswith("could not be written: No space left on device; the run continues.")
    assert not (tmp_path / "run.repose").exists()


def test_a_free_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "heap-1.repose").touch()
    assert free_name(tmp_path, "heap").name == "heap-2.repose"


def test_grains_are_exported_beside_the_run_and_errors_are_reported(
    kept: tuple[RunSaver, list[Command]], tmp_path: Path
) -> None:
    saver, _ = kept
    target = free_name(tmp_path, "heap", ".csv")
    saver.export(target)
    until(lambda: saver.message)
    assert target.name == "heap-1.csv"
    assert target.exists()
    (tmp_path / "no folder").touch()
    saver.export(tmp_path / "no folder" / "heap.csv")
    until(lambda: saver.trouble)
    assert "could not be written" in str(saver.trouble)


def test_a_failed_automatic_save_is_said_with_folder_and_remedy_until_a_save_succeeds(
    kept: tuple[RunSaver, list[Command]], run: Experiment, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = kept

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(saved_side_by_side, "save", full)
        save_by_itself(made)
        until(lambda: made.unsaved)
    assert str(own_folder) in str(made.unsaved)
    assert "No space left on device" in str(made.unsaved)
    assert "Ctrl+S" in str(made.unsaved)
    assert not made.trouble
    made.save(str(own_folder.parent / "no" / "\0"))
    until(lambda: made.trouble)
    assert made.unsaved, "another message does not replace it"
    save_by_itself(made)
    until(lambda: not made.unsaved)


def test_automatic_saves_begin_once_their_folder_can_be_written(
    run: Experiment, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_folder.write_text("a file in its place")
    made = RunSaver(lambda command: assert_done(run, command))
    made.begin()
    assert str(own_folder) in str(made.unsaved)
    own_folder.unlink()
    save_by_itself(made)
    until(lambda: not made.unsaved)
    shutil.rmtree(own_folder)  # the user clears the folder while the window is open
    go(run, run.history.at + 1)
    save_by_itself(made)
    until(lambda: [*own_folder.glob("*/run-*.repose")])
    (folder,) = own_folder.iterdir()
    assert autosave._locked(folder) is None, "another window would take the run for one left by a crash"
    made.end()


def save_by_itself(made: RunSaver) -> None:
    """The next automatic save is due now."""
    made._due = 0.0
    made.tick()


def assert_done(run: Experiment, command: Command) -> None:
    assert not apply(run, command)
