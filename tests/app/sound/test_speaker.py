"""The sound of the window: off without a switch, one sentence on a machine without sound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pygame import mixer
from repose.app.sound.speaker import Speaker, fall_energy

from tests.app.fake_heap import fake_heap
from tests.app.sound.sounding import sounding

ENTRIES = {0.001 * k: 1e-6 for k in range(1, 200)}


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[np.ndarray]]:
    """The samples that a device without a loudspeaker plays."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    found: list[np.ndarray] = []

    class Sound:
        def __init__(self, buffer: bytes) -> None:
            found.append(np.frombuffer(buffer, np.int16))

        def play(self) -> None:
            pass

    monkeypatch.setattr(mixer, "Sound", Sound)
    yield found
    mixer.quit()


def heard(speaker: Speaker, *times: float, on: bool = True, **more: Any) -> None:
    for serial, time in enumerate(times):
        shot = sounding(time, ENTRIES, **more)
        shot.serial = serial + 1
        speaker.hear(shot, on)


def test_no_device_is_opened_while_the_sound_is_off(played: list[np.ndarray]) -> None:
    heard(Speaker(), 0.1, 0.11, on=False)
    assert mixer.get_init() is None
    assert not played


def test_impacts_between_two_pictures_are_played_once(played: list[np.ndarray]) -> None:
    speaker = Speaker()
    heard(speaker, 0.1, 0.11)
    assert len(played) == 1
    assert np.abs(played[0]).max() > 0
    speaker.hear(sounding(0.11, ENTRIES), True)
    assert len(played) == 1, "the same time, as in a pause"
    speaker.hear(sounding(0.11, ENTRIES), False)
    assert mixer.get_init() is None


def test_a_machine_without_sound_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "none_of_these")
    speaker = Speaker()
    heard(speaker, 0.1, 0.11)
    assert str(speaker.trouble).startswith("This machine plays no sound (")
    assert "connect a loudspeaker" in str(speaker.trouble)
    heard(speaker, 0.12, on=False)
    assert not speaker.trouble, "tried again when it is switched on"


def test_the_loudness_of_the_first_impact_is_compared_with_a_fall() -> None:
    heap = fake_heap()
    loose = np.isfinite(heap.grains.mass)
    weight = heap.grains.mass[loose].mean() * np.linalg.norm(heap.geometry.gravity)
    assert fall_energy(heap) == pytest.approx(weight * 2 * heap.grains.radius[loose].mean())
    assert fall_energy(sounding(0.0, {})) == 0.0
