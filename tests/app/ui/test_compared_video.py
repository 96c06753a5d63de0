"""The computed collapse beside a video: sizes of one run, at the times that are part of it."""

from __future__ import annotations

from repose.app.storage.video_frames import Video
from repose.app.ui.compared_video import ComparedVideo, ComputedSeries
from repose.app.ui.events import Event, Events
from repose.sim.message import plain

from tests.app.ui.panels.panel_harness import full_snapshot
from tests.snapshots import with_fields


def test_sizes_are_those_of_one_run_and_of_what_is_left_of_it() -> None:
    series, shot = ComputedSeries(), full_snapshot()
    for step in range(5):
        series.see(with_fields(shot, serial=20 + step, time=0.1 * step))
    assert len(series.sizes) == 5
    assert series.area > 0.0
    series.see(with_fields(shot, serial=30, time=0.1 * 2, cuts=1))
    assert sorted(series.sizes) == [0.0, 0.1, 0.2]
    series.see(with_fields(shot, serial=31, time=0.3, cuts=1, seed=99))
    assert list(series.sizes) == [0.3]


def test_the_computed_collapse_begins_with_the_last_phase_that_runs_unless_the_user_says_when() -> None:
    video, events = ComparedVideo(), Events()
    assert video.start(events) == 0.0
    events.shown = [
        Event(10, 0.5, "phase", plain("filling"), runs=True),
        Event(20, 1.5, "phase", plain("open"), runs=True),
        Event(30, 2.5, "phase", plain("rested"), ends=True),
        Event(40, 3.5, "changed", plain("friction")),
    ]
    assert video.start(events) == 1.5
    video.begins = 1.25
    assert video.start(events) == 1.25


def test_a_beginning_that_the_user_has_set_is_one_of_this_run_only() -> None:
    video, shot, nothing = ComparedVideo(video=Video("heap.mp4")), full_snapshot(), Events()
    video.follow(with_fields(shot, serial=20, time=1.0), nothing)
    video.begins = 1.0
    video.follow(with_fields(shot, serial=21, time=1.5), nothing)
    assert video.begins == 1.0
    video.follow(with_fields(shot, serial=22, time=0.5, cuts=1), nothing)  # rewound: still this run
    assert video.begins == 1.0
    video.follow(with_fields(shot, serial=23, time=0.0, scene="drum"), nothing)
    assert video.begins is None
