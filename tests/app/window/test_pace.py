"""The frame rate leaves a processor to physics where there are few."""

from __future__ import annotations

import pytest
from repose.app.window import pace
from repose.app.window.pace import SCREEN_RATE, SHARE, FramePace


class Clock:
    """The clock of pygame, which remembers the frame rate asked for."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def tick(self, rate: float) -> None:
        self.asked.append(rate)

    def get_fps(self) -> float:
        return 0.0


def rate_asked(
    monkeypatch: pytest.MonkeyPatch, cost: float, processors: int, vsync: bool = False, most: int = SCREEN_RATE
) -> float:
    """The frame rate after many frames of this processor time [s]."""
    spent = [0.0]
    monkeypatch.setattr(pace, "available", lambda: processors)
    monkeypatch.setattr("pygame.time.Clock", Clock)
    monkeypatch.setattr("repose.app.window.pace.time.thread_time", lambda: spent[0])
    frames = FramePace(vsync)
    for _ in range(200):
        spent[0] += cost
        frames.wait(most)
    clock = frames._clock
    assert isinstance(clock, Clock)
    return clock.asked[-1]


@pytest.mark.parametrize("vsync", [False, True])
def test_frames_that_take_long_leave_a_processor_to_physics(monkeypatch: pytest.MonkeyPatch, vsync: bool) -> None:
    rate = rate_asked(monkeypatch, 0.02, processors=2, vsync=vsync)
    assert rate * 0.02 == pytest.approx(SHARE)


def test_cheap_frames_are_drawn_at_the_rate_of_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rate_asked(monkeypatch, 0.005, processors=2) == SCREEN_RATE
    assert rate_asked(monkeypatch, 0.005, processors=2, vsync=True) == 0.0


def test_where_there_are_processors_enough_no_frame_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rate_asked(monkeypatch, 0.02, processors=4) == SCREEN_RATE
    assert rate_asked(monkeypatch, 0.02, processors=4, vsync=True) == 0.0


@pytest.mark.parametrize("vsync", [False, True])
def test_the_user_can_have_fewer_frames(monkeypatch: pytest.MonkeyPatch, vsync: bool) -> None:
    assert rate_asked(monkeypatch, 0.005, processors=2, vsync=vsync, most=20) == 20
    assert rate_asked(monkeypatch, 0.005, processors=4, vsync=vsync, most=20) == 20
    assert rate_asked(monkeypatch, 0.06, processors=2, vsync=vsync, most=20) * 0.06 == pytest.approx(SHARE)
