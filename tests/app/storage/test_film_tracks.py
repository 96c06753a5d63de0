"""Sound and subtitles of an MP4: added when it is completed, the same samples give the same packets."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from repose.app.storage import recorder
from repose.app.storage.recorder import SOUND_RATE, Recorder, Tracks
from repose.app.storage.subtitles import Cue, Subtitles

av = pytest.importorskip("av")

FPS, COUNT = 25, 50


def beeps(begin: int, end: int) -> Iterator[np.ndarray]:
    """A beep at the beginning of frame 25, in blocks of one frame."""
    for frame in range(begin, end):
        time = np.arange(SOUND_RATE // FPS) / SOUND_RATE
        loud = 20_000 if frame == COUNT // 2 else 0
        yield np.round(loud * np.sin(2.0 * np.pi * 3000.0 * time)).astype(np.int16)


def subtitles() -> Subtitles:
    said = Subtitles("de")
    said.say(0.0, "Wie steil?")
    said.say(1.0, "30° steil\nbei µ = 0.5")
    return said


def made(path: Path, count: int = COUNT) -> Recorder:
    film = Recorder(path, (64, 48), FPS)
    for k in range(count):
        film.add(np.full((48, 64, 3), 5 * k, np.uint8))
    film.close(beeps, subtitles())
    assert not film.failure
    return film


def packets(path: Path, kind: str) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(**{kind: 0}) if packet.size]


def test_a_film_has_its_sound_at_its_time(tmp_path: Path) -> None:
    film = made(tmp_path / "a.mp4")
    assert film.frames == COUNT
    with av.open(str(film.path)) as container:
        assert [stream.type for stream in container.streams] == ["video", "audio", "subtitle"]
        assert container.streams.video[0].frames == COUNT
        frames = list(container.decode(audio=0))
    sound = np.concatenate([frame.to_ndarray()[0] for frame in frames])
    assert len(sound) >= COUNT * SOUND_RATE // FPS
    power = (sound[: COUNT * (SOUND_RATE // FPS)].reshape(COUNT, -1) ** 2).sum(axis=1)
    assert int(power.argmax()) == COUNT // 2
    # A frame of the encoder is 1024 samples, half a frame of the film: only neighbours get a part of the beep.
    assert np.delete(power, [COUNT // 2 - 1, COUNT // 2, COUNT // 2 + 1]).max() < 1e-3 * power.max()


def test_the_same_samples_give_the_same_track(tmp_path: Path) -> None:
    first, second = made(tmp_path / "a.mp4"), made(tmp_path / "b.mp4")
    assert packets(first.path, "audio") == packets(second.path, "audio") != []
    assert first.path.read_bytes() == second.path.read_bytes()


def test_the_subtitles_are_in_the_film_in_their_language(tmp_path: Path) -> None:
    film = made(tmp_path / "a.mp4")
    with av.open(str(film.path)) as container:
        stream = container.streams.subtitles[0]
        assert stream.metadata["language"] == "deu"
        found = [
            (float(packet.pts * packet.time_base), packet.decode()[0].dialogue.decode())
            for packet in container.demux(stream)
            if packet.size > 2
        ]
    assert found == [(0.0, "Wie steil?"), (1.0, "30° steil\nbei µ = 0.5")]


def test_each_file_of_a_film_has_its_part_of_sound_and_subtitles() -> None:
    assert Tracks(Fraction(25), 30, 60, beeps, subtitles()).cues == [Cue(0.0, 1.2, "30° steil\nbei µ = 0.5")]
    assert Tracks(Fraction(25), 0, 20, beeps, subtitles()).cues == [Cue(0.0, 0.8, "Wie steil?")]


def test_without_sound_and_subtitles_a_film_has_pictures_only(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", (64, 48), FPS) as film:
        film.add(np.zeros((48, 64, 3), np.uint8))
    with av.open(str(film.path)) as container:
        assert [stream.type for stream in container.streams] == ["video"]


def test_a_sound_that_cannot_be_written_leaves_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(stream: object, tracks: Tracks) -> Iterator[object]:
        raise ValueError("no encoder")

    monkeypatch.setattr(recorder, "_sound_packets", refuse)
    film = Recorder(tmp_path / "a.mp4", (64, 48), FPS)
    for k in range(COUNT):
        film.add(np.full((48, 64, 3), 5 * k, np.uint8))
    assert film.close(beeps) == COUNT
    assert "Sound and subtitles could not be added to" in str(film.failure)
    assert "the pictures are complete" in str(film.failure)
    assert list(tmp_path.iterdir()) == [film.path]
    with av.open(str(film.path)) as container:
        assert sum(1 for _ in container.decode(video=0)) == COUNT
