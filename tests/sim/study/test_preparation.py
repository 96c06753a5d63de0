"""Engines compiled ahead: all that scenes and presets need, with an estimate of the time that compiling takes."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest
from repose.sim import registry
from repose.sim.engine import jit
from repose.sim.io import presets
from repose.sim.message import EMPTY
from repose.sim.study import preparation
from repose.sim.study.preparation import (
    LOOP,
    LOOP_WORDS,
    PARTS,
    WALLS,
    WORDS,
    Watch,
    compile_engine,
    expected_times,
    is_stored,
    loops_of,
    needed_by,
    needed_engines,
    progress_in,
)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder without durations."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def test_every_scene_and_every_preset_finds_its_engine_among_those_that_are_needed() -> None:
    engines = needed_engines()
    models = [needed.model for needed in engines]
    assert len(models) == len(set(models)) == len({needed.words for needed in engines})
    for scene in registry.scenes():
        assert needed_by(scene, {}).model in models
    for name in presets.names():
        preset = presets.load(name)
        assert needed_by(preset.scene, preset.values).model in models
    assert engines[0].scene == presets.load(presets.DEFAULT).scene


def test_the_engine_of_a_preset_can_come_first() -> None:
    assert needed_engines("hourglass")[0].scene == "hourglass"
    assert {needed.model for needed in needed_engines("hourglass")} == {needed.model for needed in needed_engines()}


def test_an_engine_is_stored_once_it_has_been_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    heap = needed_by("heap", {})
    compile_engine(heap)
    assert is_stored(heap)
    for loop in sum(loops_of(heap).values(), ()):
        with monkeypatch.context() as patch:
            patch.setattr(loop._cache, "_index_key", lambda *_: (None, "another processor", "other sources"))
            assert not is_stored(heap)
    assert is_stored(heap)


def test_durations_are_kept_and_scale_the_estimates_of_other_engines(empty_folder: Path) -> None:
    heap, space = needed_by("heap", {}), needed_by("heap3d", {})
    assert expected_times(heap) == PARTS
    took = {part: 3.0 * seconds for part, seconds in PARTS.items()} | {"measurements": 5.0}
    preparation._keep(heap.words, took)
    assert expected_times(heap) == took
    factor = sum(took.values()) / sum(PARTS.values())
    others = {part: factor * seconds for part, seconds in PARTS.items() if part != WALLS}  # no walls are drawn there
    assert expected_times(space) == pytest.approx(others)


@pytest.mark.parametrize("content", ["", "7", '{"heap": 7}', '{"heap": {"step loop": 1}}', "[" * 100_000])
def test_a_damaged_file_of_durations_is_passed_over(content: str, empty_folder: Path) -> None:
    (empty_folder / preparation.FILE).write_text(content)
    assert expected_times(needed_by("heap", {})) == PARTS


def test_progress_never_goes_back_and_ends_only_with_the_last_part() -> None:
    expected = {"a": 10.0, "b": 30.0}
    moments = [("a", second) for second in range(25)] + [("b", second) for second in range(15, 90)]
    found = [progress_in(expected, part, float(second)) for part, second in moments]
    shares = [progress.share for progress in found]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert 0.9 < shares[-1] < 1.0
    assert found[0].seconds_left == 40.0
    assert found[9].seconds_left == 31.0
    assert progress_in(expected, "", 0.0) == (EMPTY, 1.0, 0.0)


def test_a_remaining_time_that_is_said_never_rises_and_none_is_said_of_an_overdue_part() -> None:
    expected = {"a": 10.0, "b": 30.0}
    moments = [("a", second) for second in range(25)] + [("b", second) for second in range(90)]
    left = [progress_in(expected, part, float(second)).seconds_left for part, second in moments]
    said = [seconds for seconds in left if seconds is not None]
    assert said == sorted(said, reverse=True)
    assert left[9] == 31.0
    assert left[10:25] == [None] * 15
    assert left[25] == 30.0
    assert left[-60:] == [None] * 60


class FakeLoop:
    """A function that counts as compiled once it has a signature."""

    def __init__(self) -> None:
        self.overloads: list[str] = []


def test_a_watch_follows_the_step_loop_and_keeps_what_it_took(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, loop = [100.0], FakeLoop()
    monkeypatch.setattr(jit, "is_stored", lambda loop: False)
    monkeypatch.setattr(preparation, "loops_of", lambda needed: {LOOP: (loop,)})
    heap = needed_by("heap", {})
    watch = Watch(heap, clock=lambda: now[0])
    assert not watch.is_stored
    assert watch.progress() == (LOOP_WORDS, 0.0, PARTS[LOOP])
    now[0] += 30.0
    before = watch.progress()
    assert before.part == LOOP_WORDS
    assert 0.0 < before.share < 1.0
    loop.overloads.append("compiled")
    assert watch.progress() == (EMPTY, 1.0, 0.0)
    watch.finish()
    assert expected_times(heap) == PARTS | {LOOP: 30.0}


def test_a_watch_of_the_first_wall_is_not_done_because_the_loop_is(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, loop, wall = [100.0], FakeLoop(), FakeLoop()
    loop.overloads.append("compiled")
    monkeypatch.setattr(jit, "is_stored", lambda loop: False)
    monkeypatch.setattr(preparation, "loops_of", lambda needed: {LOOP: (loop,), WALLS: (wall,)})
    heap = needed_by("heap", {})
    assert Watch(heap).progress() == (EMPTY, 1.0, 0.0), "the control: nothing is missing of the loop"
    watch = Watch(heap, (WALLS,), clock=lambda: now[0])
    assert watch.progress() == (WORDS[WALLS], 0.0, PARTS[WALLS])
    now[0] += 4.0
    assert 0.5 < watch.progress().share < 1.0
    wall.overloads.append("compiled")
    assert watch.progress() == (EMPTY, 1.0, 0.0)
    watch.finish()
    assert expected_times(heap) == PARTS | {WALLS: 4.0}
    assert Watch(heap, (LOOP, WALLS), clock=lambda: now[0]).progress() == (EMPTY, 1.0, 0.0)


def test_an_engine_for_drawn_walls_is_stored_with_the_parts_of_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    heap, space = needed_by("heap", {}), needed_by("heap3d", {})
    walls = {loop for needed in (heap, space) for loop in loops_of(needed)[WALLS]}
    assert len(walls) > 5
    monkeypatch.setattr(jit, "is_stored", lambda loop: loop not in walls)
    assert not is_stored(heap)
    assert is_stored(space)


def test_a_watch_of_an_engine_that_is_loaded_keeps_nothing(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_stored", lambda loop: True)
    heap = needed_by("heap", {})
    watch = Watch(heap)
    assert watch.is_stored
    watch.finish()
    assert expected_times(heap) == PARTS
    assert not (empty_folder / preparation.FILE).exists()
