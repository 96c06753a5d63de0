"""The benchmark of the window gives frames and steps per second, or the reason why it cannot."""

from __future__ import annotations

import pytest
from repose.app.jobs import frame_bench
from repose.app.window.window import WindowError


@pytest.mark.gl
def test_frames_and_steps_are_measured_at_rest_and_flowing_with_and_without_a_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frame_bench, "SIZE", (320, 180))  # drawn in software
    monkeypatch.setattr(frame_bench, "SETTLED_UNTIL", 0.01)
    monkeypatch.setattr(frame_bench, "FLOWING_FROM", 0.03)
    shares: list[float] = []
    frames = frame_bench.measure_frames(quick=True, show_progress=lambda words, share: shares.append(share))
    assert [(row["state"], row["frames_per_second"] is not None) for row in frames["rows"]] == [
        ("settled", True),
        ("flowing", True),
        ("settled", False),
        ("flowing", False),
    ]
    assert all(row["steps_per_second"] > 0.0 and row["realtime_factor"] > 0.0 for row in frames["rows"])
    assert [row["grains"] for row in frames["publishing"]] == [1100, 9900]
    assert all(row["share"] > 0.0 and row["share_with_contacts"] > 0.0 for row in frames["publishing"])
    assert len(frame_bench.describe(frames).splitlines()) == 11
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_without_opengl_the_reason_stands_in_place_of_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(size: tuple[int, int]) -> None:
        raise WindowError("OpenGL could not be loaded.")

    monkeypatch.setattr("repose.app.window.window.open_offscreen", refused)
    assert "OpenGL could not be loaded" in frame_bench.describe(frame_bench.measure_frames())
