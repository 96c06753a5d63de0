"""Speed in words, and the reason why the simulated time does not advance."""

from __future__ import annotations

import pytest
from repose.app.render.pacing import clock_text, describe_speed
from repose.app.ui.pause_and_speed import SPEEDS, Transport, describe_pace, wanted_speed
from repose.sim.registry import scenes

from tests.english import english
from tests.snapshots import snapshot_of


def test_every_speed_has_its_own_label() -> None:
    words = [describe_speed(speed) for speed in SPEEDS]
    assert len(set(words)) == len(SPEEDS)
    assert str(words[2]) == "20 × slow motion"
    assert str(describe_speed(1.0)) == "real time"
    assert str(describe_speed(5.0)) == "5 × time lapse"
    assert str(describe_speed(0.00071)) == "1400 × slow motion"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"realtime_factor": 0.05}, "20 × slow motion"),
        ({"realtime_factor": 0.98}, ""),
        ({"realtime_factor": 0.98, "paused": True}, "paused"),
        ({"realtime_factor": 0.0, "at_rest": True}, "at rest"),
        ({"at": 5, "log_end": 9, "paused": True}, "an earlier step"),
    ],
)
def test_the_actual_speed_is_shown_if_it_is_below_the_wanted_one(fields: dict[str, object], words: str) -> None:
    assert str(describe_pace(snapshot_of(**fields), 1.0)) == words


def test_a_replay_is_named_instead_of_the_earlier_step_that_it_shows() -> None:
    shown = snapshot_of(at=5, log_end=9, paused=True)
    assert str(describe_pace(shown, 1.0, replays=True)) == "Replay"
    assert str(describe_pace(shown, 1.0)) == "an earlier step"


def test_a_scene_of_microseconds_is_shown_in_slow_motion_with_a_clock_of_microseconds() -> None:
    impacts, heap = scenes()["impacts"], scenes()["heap"]
    scale = impacts.limits.time_scale(impacts.parameters.checked({}))
    assert 1e-6 < scale < 1e-4
    shot = snapshot_of(scene="impacts", time_scale=scale, time=37.94e-6)
    transport = Transport(clock=None)  # it is not asked
    assert wanted_speed(transport, shot) == scale
    assert str(clock_text(shot)) == "37.9 µs"
    slow = snapshot_of(scene="heap", parameters=heap.parameters.checked({}), time=1.2344)
    assert english((wanted_speed(transport, slow), clock_text(slow))) == (1.0, "1.234 s")
