"""A film of the live run takes every frame it is sent and ends with a sentence when it cannot go on."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.storage.film import Film
from repose.sim.experiment.snapshot import Snapshot


class Sink:
    def __init__(self, path: Path, size: tuple[int, int], fps: int) -> None:
        self.path, self.size, self.fps = path, size, fps
        self.frames: list[Any] = []
        self.ready, self.failure, self.closed = True, "", False

    def add(self, frame: Any) -> None:
        if self.failure:
            raise RuntimeError(self.failure)
        self.frames.append(frame)

    def close(self) -> int:
        self.closed = True
        return len(self.frames)


class Source:
    def __init__(self) -> None:
        self.queue: queue.Queue[Any] = queue.Queue()
        self.intervals: list[float | None] = []

    def record(self, interval: float | None) -> queue.Queue[Any]:
        self.intervals.append(interval)
        return self.queue


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def sinks() -> list[Sink]:
    return []


@pytest.fixture
def film(source: Source, sinks: list[Sink], tmp_path: Path) -> Film:
    def open_sink(path: Path, size: tuple[int, int], fps: int) -> Sink:
        sinks.append(Sink(path, size, fps))
        return sinks[-1]

    return Film(
        source, lambda shot, size: np.full((size[1], size[0], 3), shot.serial % 256, np.uint8), open_sink, tmp_path
    )


def send(source: Source, count: int) -> None:
    for serial in range(count):
        source.queue.put(Snapshot(serial=serial))


def drain(film: Film) -> None:
    for _ in range(100):
        film.pump()


def test_frames_are_asked_for_on_the_clock_of_the_simulation(film: Film, source: Source) -> None:
    film.fps, film.speed = 50, 0.1
    film.start()
    assert source.intervals == [0.1 / 50]


def test_every_frame_sent_is_drawn_at_the_size_of_the_film_and_kept(
    film: Film, source: Source, sinks: list[Sink]
) -> None:
    film.size = (32, 18)
    film.start()
    send(source, 7)
    drain(film)
    assert [frame[0, 0, 0] for frame in sinks[0].frames] == list(range(7))
    assert {frame.shape for frame in sinks[0].frames} == {(18, 32, 3)}
    assert film.frames == 7
    film.stop()
    film.wait(5.0)
    assert sinks[0].closed
    assert source.intervals[-1] is None
    assert not film.running


def test_while_the_encoder_is_behind_frames_wait(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    sinks[0].ready = False
    send(source, 3)
    drain(film)
    assert film.frames == 0
    sinks[0].ready = True
    drain(film)
    assert film.frames == 3


def test_an_encoder_that_fails_ends_the_film_with_its_sentence(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    sinks[0].failure = "the disk is almost full"
    send(source, 1)
    drain(film)
    assert film.trouble == "the disk is almost full"
    assert not film.running


def test_a_drawing_error_ends_the_film_not_the_program(film: Film, source: Source) -> None:
    def fail(shot: Snapshot, size: tuple[int, int]) -> Any:
        raise RuntimeError("no memory for the picture")

    film.draw = fail
    film.start()
    send(source, 1)
    drain(film)
    assert film.trouble == "no memory for the picture"
    assert not film.running


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\\b", "a\0b", "x" * 300, "c:d"])
def test_an_invalid_file_name_is_refused(film: Film, sinks: list[Sink], name: str) -> None:
    film.name = name
    film.start()
    assert "cannot be a file's name" in film.trouble
    assert sinks == []


def test_names_with_letters_of_other_languages_are_fine(film: Film, sinks: list[Sink]) -> None:
    film.name = "kopiec żwiru 砂.mp4"
    film.start()
    assert sinks[0].path == film.folder / "kopiec żwiru 砂.mp4"


def test_the_end_marked_by_the_source_ends_the_film(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    source.queue.put(None)
    drain(film)
    film.wait(5.0)
    assert sinks[0].closed


@pytest.mark.parametrize("error", [OSError("no room"), ImportError("no libx264"), AttributeError("half a library")])
def test_a_film_that_cannot_be_opened_says_why(film: Film, source: Source, error: Exception) -> None:
    def fail(path: Path, size: tuple[int, int], fps: int) -> Any:
        raise error

    film.open = fail
    film.start()
    assert film.trouble == str(error)
    assert not film.running
    assert source.intervals == []


def test_pictures_are_asked_for_by_the_ending(film: Film, sinks: list[Sink]) -> None:
    film.format = ".png"
    film.name = "heap.png"
    film.start()
    assert sinks[0].path == film.folder / "heap.png"
