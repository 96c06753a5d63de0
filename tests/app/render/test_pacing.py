"""The speed of a film: filling is short, the collapse slow, and the speed a round number that seldom changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from repose.app.render.pacing import describe_speed, pacer
from repose.sim.direction import NOT_DIRECTED
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.registry import scenes

from tests.snapshots import snapshot_of, with_fields

FPS = 50.0


def phase_of(scene: str, name: str) -> Phase:
    """A phase of a shipped scene."""
    found: Phase = scenes()[scene].phase(name)
    return found


def seconds(scene: str, name: str) -> float:
    """Largest film time of a phase [s]."""
    pace = phase_of(scene, name).pace
    assert pace is not None
    return pace.seconds


def column(height: float, **more: object) -> Snapshot:
    """Grains up to that height [m]."""
    y = np.linspace(0.0, height, 50, dtype=np.float32)
    return with_fields(
        snapshot_of(scene="heap", phase=phase_of("heap", "flowing"), box=((0.0, 0.0), (1.0, 1.0))),
        position=np.column_stack((np.zeros(50, np.float32), y)),
        radius=np.full(50, 1e-3, np.float32),
        fixed=np.zeros(50, np.bool_),
        **more,
    )


def filmed(duration: float, scene: str, phase: str, steps: int = 0, height: float = 0.1) -> list[tuple[float, float]]:
    """Time and speed of every frame of a phase that lasts `duration` [s], its share rising evenly or in steps."""
    interval, time, frames = pacer(FPS), 0.0, []
    while time < duration and len(frames) < 5000:
        share = time / duration
        if steps:
            share = (math.floor(share * steps) + 1) / steps
        apart = interval(column(height, scene=scene, phase=phase_of(scene, phase), time=time, progress=share))
        frames.append((time, apart * FPS))
        time += apart
    return frames


@pytest.mark.parametrize("duration", [0.1, 0.8, 2.7, 12.0, 300.0])
@pytest.mark.parametrize("steps", [0, 50])
def test_filling_takes_at_most_its_time_and_is_never_slower_than_real(duration: float, steps: int) -> None:
    frames = filmed(duration, "heap", "filling", steps)
    assert len(frames) / FPS <= seconds("heap", "filling") + 1.0
    assert min(speed for _, speed in frames) >= 1.0


@pytest.mark.parametrize(
    ("scene", "duration"), [("bounce", 1.5), ("slope", 0.4), ("hourglass", 9.0), ("hourglass", 90.0)]
)
def test_a_phase_of_known_length_has_a_minimum_duration_in_the_film(scene: str, duration: float) -> None:
    frames = filmed(duration, scene, "flowing")
    longest = seconds(scene, "flowing")
    assert 0.3 * longest <= len(frames) / FPS <= longest + 1.0


@pytest.mark.parametrize("height", [0.02, 0.1, 2.0])
def test_a_collapse_is_slow_for_as_long_as_a_column_takes_to_fall(height: float) -> None:
    fall = math.sqrt(2.0 * height / 9.81)
    frames = filmed(20.0 * fall, "heap", "flowing", height=height)
    falling = [speed for time, speed in frames if time < fall]
    assert len(set(falling)) == 1
    assert len(falling) / FPS > 2.0
    assert 8.0 <= len(frames) / FPS < 16.0


@pytest.mark.parametrize(("speed", "duration"), [(0.05, 0.6), (1.0, 16.0)])
def test_a_film_of_bodies_has_the_speed_of_their_direction_until_it_becomes_long(speed: float, duration: float) -> None:
    at = replace(NOT_DIRECTED, speed=speed)
    running = phase_of("cube", "flowing")
    interval = pacer(FPS)
    shown = [interval(column(0.1, scene="cube", phase=running, direction=at, time=k * speed / FPS)) for k in range(50)]
    assert [apart * FPS for apart in shown] == pytest.approx([speed] * 50)
    assert duration / speed <= seconds("cube", "flowing")
    for k in range(50, 2000):
        last = interval(column(0.1, scene="cube", phase=running, direction=at, time=k * speed / FPS))
    assert last * FPS > 10.0 * speed, "a run of an hour has a film of minutes"


def test_constant_progress_does_not_make_the_film_endless() -> None:
    interval, time = pacer(FPS), 0.0
    for _ in range(round(20.0 * FPS)):
        time += interval(
            column(0.1, scene="hourglass", phase=phase_of("hourglass", "flowing"), time=time, progress=0.4)
        )
    assert time > 100.0


@pytest.mark.parametrize("duration", [0.4, 2.7, 33.0])
def test_the_speed_is_round_and_changes_a_few_times_only(duration: float) -> None:
    speeds = [speed for _, speed in filmed(duration, "hourglass", "flowing")]
    assert all(round(speed / 10.0 ** math.floor(math.log10(speed) + 1e-9), 6) in (1.0, 2.0, 5.0) for speed in speeds)
    assert np.count_nonzero(np.diff(speeds)) <= 4


def test_a_new_phase_and_a_restarted_experiment_have_their_own_speed() -> None:
    interval = pacer(FPS)
    filling = interval(column(0.1, phase=phase_of("heap", "filling"), time=1.0))
    assert interval(column(0.1, phase=phase_of("heap", "flowing"), time=1.1)) < filling
    assert interval(column(0.1, phase=phase_of("heap", "rested"), time=2.0)) == 1.0 / FPS
    assert interval(column(0.1, phase=phase_of("heap", "rested"), time=0.0)) == 1.0 / FPS


@pytest.mark.parametrize(
    ("speed", "words"),
    [(0.05, "20 × slow motion"), (1.0, "real time"), (5.0, "5 × time lapse"), (0.5, "2 × slow motion")],
)
def test_speeds_are_written_in_words(speed: float, words: str) -> None:
    assert str(describe_speed(speed)) == words
