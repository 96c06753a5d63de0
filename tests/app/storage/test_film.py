"""A film of the live run contains every frame and ends with a sentence after an error."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.render.pacing import pacer
from repose.app.storage.film import Film
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.scenes.common.phases import EMPTY

from tests.snapshots import snapshot_of


class Sink:
    def __init__(self, path: Path, size: tuple[int, int], fps: int) -> None:
        self.path, self.size, self.fps = path, size, fps
        self.frames: list[Any] = []
        self.parts = [path, path.with_name(f"{path.stem}-2.mp4")]
        self.ready, self.failure, self.closed = True, "", False

    def add(self, frame: Any) -> None:
        if self.failure:
            raise RuntimeError(self.failure)
        self.frames.append(frame)

    def close(self, words: object = None) -> int:
        self.closed, self.words = True, words
        return len(self.frames)


STILL = 3
"""Pictures of the end."""


class Director:
    """Pictures whose level is the number of their snapshot, and a still."""

    def __init__(self, film: Film) -> None:
        self.film, self.last = film, 0

    def take(self, snapshot: Snapshot) -> Iterator[Any]:
        self.last = snapshot.serial
        yield self.picture()

    def ending(self) -> Iterator[Any]:
        for _ in range(STILL if self.film.words else 0):
            yield self.picture()

    def picture(self) -> Any:
        return np.full((self.film.size[1], self.film.size[0], 3), self.last % 256, np.uint8)


class Source:
    def __init__(self) -> None:
        self.queue: queue.Queue[Any] = queue.Queue()
        self.intervals: list[Any] = []

    def record(self, interval: Any) -> queue.Queue[Any]:
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

    return Film(source, Director, open_sink, pacer, tmp_path)


def send(source: Source, count: int) -> None:
    for serial in range(count):
        source.queue.put(Snapshot(serial=serial))


def drain(film: Film) -> None:
    for _ in range(100):
        film.pump()


@pytest.mark.case("R12")
def test_frames_are_requested_at_simulated_times(film: Film, source: Source) -> None:
    film.fps, film.speed = 50, 0.1
    film.start()
    assert source.intervals == [0.1 / 50]


@pytest.mark.case("R10")
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
    assert not film.running
    assert source.intervals[-1] is None
    drain(film)
    film.wait(5.0)
    assert sinks[0].closed
    assert [frame[0, 0, 0] for frame in sinks[0].frames[7:]] == [6] * STILL
    assert film.parts == tuple(sinks[0].parts)


@pytest.mark.case("R05", "R08")
def test_while_the_encoder_is_behind_frames_wait(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    sinks[0].ready = False
    send(source, 3)
    drain(film)
    assert film.frames == 0
    sinks[0].ready = True
    drain(film)
    assert film.frames == 3


@pytest.mark.case("R06")
def test_an_encoder_that_fails_ends_the_film_with_its_sentence(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    sinks[0].failure = "the disk is almost full"
    send(source, 1)
    drain(film)
    assert str(film.trouble) == "the disk is almost full"
    assert not film.running


@pytest.mark.case("G16")
def test_a_drawing_error_ends_the_film_not_the_program(film: Film, source: Source) -> None:
    class Failing(Director):
        def picture(self) -> Any:
            raise RuntimeError("no memory for the picture")

    film.direct = Failing
    film.start()
    send(source, 1)
    drain(film)
    assert str(film.trouble) == "That failed: no memory for the picture."
    assert not film.running


@pytest.mark.parametrize("name", [".mp4", "..", "a/b", "a\\b", "a\0b", "x" * 300, "c:d"])
def test_an_invalid_file_name_is_refused(film: Film, sinks: list[Sink], name: str) -> None:
    film.name = name
    film.start()
    assert "cannot be a file's name" in str(film.trouble)
    assert sinks == []


def test_a_film_without_a_name_of_its_own_has_that_of_the_scene(film: Film, sinks: list[Sink]) -> None:
    film.start("rake")
    assert sinks[0].path == film.folder / "rake.mp4"


def test_names_with_letters_of_other_languages_are_accepted(film: Film, sinks: list[Sink]) -> None:
    film.name = "kopiec żwiru 砂.mp4"
    film.start()
    assert sinks[0].path == film.folder / "kopiec żwiru 砂.mp4"


def test_the_end_marked_by_the_source_ends_the_film(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    source.queue.put(None)
    drain(film)
    assert not film.running
    film.wait(5.0)
    assert sinks[0].closed


@pytest.mark.parametrize("error", [OSError("no room"), ImportError("no libx264"), AttributeError("half a library")])
def test_a_film_that_cannot_be_opened_gives_the_reason(film: Film, source: Source, error: Exception) -> None:
    def fail(path: Path, size: tuple[int, int], fps: int) -> Any:
        raise error

    film.open = fail
    film.start()
    assert str(film.trouble).startswith("That failed: ")
    assert str(film.trouble).endswith(f"{error}.")
    assert not film.running
    assert source.intervals == []


def test_the_file_ending_selects_pictures(film: Film, sinks: list[Sink]) -> None:
    film.format = ".png"
    film.name = "heap.png"
    film.start()
    assert sinks[0].path == film.folder / "heap.png"


def test_a_film_of_automatic_speed_asks_for_the_next_frame_by_the_phase_of_the_last(film: Film, source: Source) -> None:
    film.fps, film.speed = 50, None
    film.start()
    interval: Callable[[Snapshot], float] = source.intervals[0]
    assert interval(snapshot_of(phase=EMPTY)) == 1.0 / 50


def test_the_window_can_close_without_waiting_for_the_still(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.start()
    send(source, 2)
    drain(film)
    film.stop()
    film.wait(5.0)
    assert sinks[0].closed
    assert len(sinks[0].frames) == 2
    assert not film.finishing


def test_a_gif_is_planned_at_the_rate_it_can_have(film: Film, source: Source, sinks: list[Sink]) -> None:
    film.format, film.fps, film.speed = ".gif", 60, 0.5
    film.start()
    assert sinks[0].fps == 50
    assert source.intervals == [0.5 / 50]


class SilentTrack:
    """Notes what a film hears."""

    def __init__(self, fps: float) -> None:
        self.heard: list[tuple[float, int]] = []

    def hear(self, snapshot: Snapshot, frame: int) -> None:
        self.heard.append((snapshot.run.time, frame))

    def words(self, begin: int, end: int) -> Iterator[Any]:
        return iter(())


@pytest.mark.parametrize(
    ("sound", "format", "has"), [(True, ".mp4", True), (False, ".mp4", False), (True, ".gif", False)]
)
def test_an_mp4_has_sound_if_it_is_wanted(
    film: Film, source: Source, sinks: list[Sink], sound: bool, format: str, has: bool
) -> None:
    made: list[SilentTrack] = []
    film.track = lambda fps: made.append(SilentTrack(fps)) or made[-1]  # type: ignore[func-returns-value]
    film.sound, film.format = sound, format
    film.start()
    send(source, 3)
    drain(film)
    film.stop()
    drain(film)
    film.wait(5.0)
    assert (sinks[0].words is not None) == has
    if has:
        assert [frame for _, frame in made[0].heard] == [0, 1, 2]
