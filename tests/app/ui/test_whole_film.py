"""The film of the whole run: made by another process from a copy of the run, with progress, an end and reasons."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from repose.app.language import in_language, translated
from repose.app.storage.film import Film
from repose.app.storage.recorder import Recorder, RecorderError
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.view_settings import View
from repose.app.ui import whole_film as module
from repose.app.ui.whole_film import ONE_RUN, FilmEnd, FilmOrder, WholeFilm
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.command_log import SavedSideBySide
from repose.sim.experiment.commands import Command, Copy
from repose.sim.experiment.history import saved_copy
from repose.sim.message import EMPTY, plain
from repose.sim.wording import sentence_of

PATIENCE = 60.0


def send(command: Command) -> None:
    """Pass the copy of a run, as the physics thread does."""
    assert isinstance(command, Copy)
    command.take(saved_copy(new_experiment("bounce")))


def films(sender: Connection, order: FilmOrder) -> None:
    assert order.run.is_file()
    sender.send(0.5)
    order.film.write_text(f"{order.style.title} {order.language}")
    sender.send(FilmEnd(str(order.film), 12, EMPTY))


def dies(sender: Connection, order: FilmOrder) -> None:
    os._exit(3)


def waits(sender: Connection, order: FilmOrder) -> None:
    time.sleep(PATIENCE)


@pytest.fixture
def film(tmp_path: Path) -> Film:
    return Film(None, None, None, lambda rate: lambda shot: 1.0, tmp_path)  # type: ignore[arg-type]


@pytest.fixture
def saver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RunSaver]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = RunSaver(send)
    made.begin()
    yield made
    made.end()


def until(whole: WholeFilm, done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        whole.tick()
        time.sleep(0.01)


def test_a_copy_of_the_run_is_filmed_by_another_process_and_its_file_is_named(film: Film, saver: RunSaver) -> None:
    whole = WholeFilm(film, saver, films)
    whole.start("bounce", plain("Title"), View())
    assert whole.running
    until(whole, lambda: not whole.running)
    assert (film.folder / "bounce.mp4").read_text() == "Title en"
    assert str(whole.message) == f"The film is complete: {film.folder / 'bounce.mp4'}."
    assert not whole.trouble


def test_a_process_that_dies_is_reported_and_a_film_can_be_ended(film: Film, saver: RunSaver) -> None:
    whole = WholeFilm(film, saver, dies)
    whole.start("bounce", EMPTY, View())
    until(whole, lambda: not whole.running)
    assert str(whole.trouble) == "The process that films the run has ended before the film was complete."
    whole = WholeFilm(film, saver, waits)
    whole.start("bounce", EMPTY, View())
    until(whole, lambda: whole._process is not None)
    whole.stop()
    assert not whole.running
    assert not whole.trouble


def test_a_name_that_no_file_can_have_is_refused(film: Film, saver: RunSaver) -> None:
    film.name = "a/b"
    whole = WholeFilm(film, saver, films)
    whole.start("bounce", EMPTY, View())
    assert not whole.running
    assert "cannot be a file's name" in str(film.trouble)


def test_a_film_that_ends_before_its_copy_is_written_leaves_nothing_to_the_next_one(
    film: Film, saver: RunSaver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    waiting: list[Callable[..., None]] = []
    monkeypatch.setattr(saver, "copy_for", waiting.append)
    whole = WholeFilm(film, saver, films)
    whole.start("first", EMPTY, View())
    whole.stop()
    waiting.pop()(saved_copy(new_experiment("bounce")))
    assert not list(tmp_path.glob("repose-film-*"))
    whole.start("second", EMPTY, View())
    whole.tick()
    assert whole._process is None, "the copy of the second film is not written yet"
    waiting.pop()(saved_copy(new_experiment("bounce")))
    until(whole, lambda: not whole.running)
    assert not (film.folder / "first.mp4").exists()
    assert (film.folder / "second.mp4").exists()
    assert not list(tmp_path.glob("repose-film-*"))


def test_runs_that_are_put_side_by_side_meanwhile_are_refused_in_a_sentence_of_the_window(
    film: Film, saver: RunSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = saved_copy(new_experiment("bounce"))
    monkeypatch.setattr(saver, "copy_for", lambda take: take(SavedSideBySide((one, one), frozenset(), ())))
    whole = WholeFilm(film, saver, films)
    whole.start("bounce", EMPTY, View())
    whole.tick()
    assert not whole.running
    assert whole.trouble == ONE_RUN


def test_a_folder_that_is_a_file_is_refused_without_english_words(film: Film, saver: RunSaver) -> None:
    film.folder = film.folder / "taken"
    film.folder.write_text("")
    whole = WholeFilm(film, saver, tries)
    whole.start("bounce", EMPTY, View())
    until(whole, lambda: not whole.running)
    assert "File exists" in str(whole.trouble)
    with in_language("ru"):
        assert not ENGLISH.search(translated(whole.trouble).replace(str(film.folder), "").replace("bounce.mp4", ""))


ENGLISH = re.compile(r"[A-Za-z]{3,}")


def tries(sender: Connection, order: FilmOrder) -> None:
    try:
        Recorder(order.film, (64, 64), 30.0)
    except RecorderError as error:
        sender.send(FilmEnd("", 0, sentence_of(error)))


def drafts(sender: Connection, order: FilmOrder) -> None:
    (order.film.parent / f".film-1.{os.getpid()}.new").write_bytes(b"half of a picture")
    time.sleep(PATIENCE)


def test_a_film_that_is_ended_leaves_no_draft(film: Film, saver: RunSaver) -> None:
    whole = WholeFilm(film, saver, drafts)
    whole.start("bounce", EMPTY, View())
    until(whole, lambda: bool(list(film.folder.glob(".film-*.new"))))
    whole.stop()
    assert not list(film.folder.glob(".film-*.new"))


def fails_late(sender: Connection, order: FilmOrder) -> None:
    sender.send(FilmEnd(str(order.film), 12, plain("The disk is full.")))


def test_a_film_that_ends_early_is_not_called_complete(film: Film, saver: RunSaver) -> None:
    whole = WholeFilm(film, saver, fails_late)
    whole.start("bounce", EMPTY, View())
    until(whole, lambda: not whole.running)
    assert "complete" not in str(whole.message)
    assert str(film.folder / "bounce.mp4") in str(whole.message)
    assert str(whole.trouble) == "The disk is full."


def test_a_process_that_cannot_be_started_is_reported_and_the_next_film_can_be_made(
    film: Film, saver: RunSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(process: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    whole = WholeFilm(film, saver, films)
    with monkeypatch.context() as patch:
        patch.setattr(module, "start_shielded", refused)
        whole.start("bounce", EMPTY, View())
        until(whole, lambda: not whole.running)
    assert "Cannot allocate memory" in str(whole.trouble)
    whole.start("bounce", plain("Title"), View())
    until(whole, lambda: not whole.running)
    assert not whole.trouble
    assert (film.folder / "bounce.mp4").exists()
