"""The rate of requests is limited by key, in a bounded table."""

from __future__ import annotations

from repose.app.audience.limits import Rate


def test_a_burst_is_allowed_and_then_the_rate() -> None:
    rate = Rate(per_second=2.0, burst=3.0)
    assert [rate.allows("a", 0.0) for _ in range(4)] == [True, True, True, False]
    assert rate.allows("b", 0.0), "each key has its own"
    assert [rate.allows("a", 1.0) for _ in range(3)] == [True, True, False]
    assert [rate.allows("a", 1000.0) for _ in range(4)] == [True, True, True, False], "no more than a burst is saved"


def test_keys_are_forgotten_from_the_oldest_on() -> None:
    rate = Rate(per_second=0.0, burst=1.0, most_keys=2)
    assert [rate.allows(key, 0.0) for key in "abc"] == [True, True, True]
    assert not rate.allows("c", 0.0)
    assert rate.allows("a", 0.0)
