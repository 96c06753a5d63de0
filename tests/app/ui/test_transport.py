"""Speed in words, and why the clock does not run."""

from __future__ import annotations

import pytest
from repose.app.ui.transport import SPEEDS, describe_pace, describe_speed
from repose.sim.experiment.snapshot import Snapshot


def test_every_speed_has_words_of_its_own() -> None:
    words = [describe_speed(speed) for speed in SPEEDS]
    assert len(set(words)) == len(SPEEDS)
    assert words[2] == "20 × slow motion"
    assert describe_speed(1.0) == "real time"
    assert describe_speed(5.0) == "5 × time lapse"
    assert describe_speed(0.00071) == "1400 × slow motion"


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
def test_the_pace_is_said_where_it_is_not_the_wanted_one(fields: dict[str, object], words: str) -> None:
    assert describe_pace(Snapshot(**fields), 1.0) == words  # type: ignore[arg-type]
