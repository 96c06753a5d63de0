"""Checkpoints stay within their budget, whatever is done to a run between them."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.builder import SPHERE_COLUMNS
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.checkpoints import bytes_of
from repose.sim.experiment.commands import Act, Rewind, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import keep_return
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import RestartPoint
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.registry import scenes

from tests.tiers import tiered


@pytest.mark.parametrize("room", [1.02, 1.5, 3.0, 10.0])
def test_the_memory_of_all_checkpoints_never_passes_the_budget(room: float) -> None:
    """`room` is the budget over the memory of the first checkpoint once grains are there."""
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    kept = experiment.history.checkpoints
    apply(experiment, Act("fill"))
    advance(experiment, 2_000)
    keep_return(experiment)
    kept.budget = int(room * bytes_of(kept.kept[0]))
    most = 0
    for change in range(60):
        values = {"friction": 0.1 + 0.01 * (change % 7), "gravity": 9.0 + 0.1 * (change % 3)}
        assert not apply(experiment, SetParameters(values))
        advance(experiment, 150)
        keep_return(experiment)
        if change == 40:
            apply(experiment, Rewind(experiment.history.at - 1_000))
        assert bytes_of(kept.kept) <= kept.bytes <= kept.budget
        most = max(most, len(kept.kept))
    assert len(kept.kept) >= 1
    assert most < 60


@pytest.mark.parametrize("scene", ["bounce", "clumps", "cube", "drum", "heap3d", "slope", "vessel"])
def test_the_counted_memory_of_checkpoints_is_the_memory_that_they_take(scene: str) -> None:
    """Parts that checkpoints share are counted once, for example the samples of a course, which only grow."""
    experiment = new_experiment(scene, dict(scenes()[scene].test_values))
    begin = next(action for action in experiment.scene.course.actions(experiment) if action.name in ("run", "fill"))
    experiment.history.checkpoints.budget = 10**9
    apply(experiment, Act(begin.name))
    advance(experiment, 3_000)
    keep_return(experiment)
    counted, taken, tables = experiment.history.checkpoints.bytes, 0, experiment.run.series.table.nbytes
    gc.freeze()  # the collector then looks at new objects only, not at the millions of the compiler
    try:
        for _ in range(10):
            advance(experiment, 50)
            tracemalloc.start()
            keep_return(experiment)
            gc.collect()
            taken += tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
    finally:
        gc.unfreeze()
    counted = experiment.history.checkpoints.bytes - counted - (experiment.run.series.table.nbytes - tables)
    # Small objects of the interpreter, 0.1 to 0.8 kB for each of the ten checkpoints, are not counted one by one.
    assert counted == pytest.approx(taken, rel=0.05, abs=10 * 1024)


SEVERAL = ("heap", "heap3d", "clumps", "hourglass", "drum", "slope", "cube", "vessel")


def test_changes_of_scene_leave_nothing_behind() -> None:
    """numba's caches of small objects fill during the first passes, by 20 kB in the third one; a world takes more."""
    experiment = new_experiment("heap", dict(scenes()["heap"].test_values))
    experiment.history.checkpoints.budget = 10**8
    snapshot = Snapshot()

    def every_scene() -> int:
        for scene in (*SEVERAL, "heap"):
            assert not apply(experiment, Start(scene, dict(scenes()[scene].test_values), 1))
            begin = next(
                action for action in experiment.scene.course.actions(experiment) if action.name in ("run", "fill")
            )
            assert not apply(experiment, Act(begin.name))
            for _ in range(3):
                advance(experiment, 100)
                keep_return(experiment)
                take_snapshot(experiment, snapshot)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    every_scene()
    tracemalloc.start()
    try:
        before = every_scene()
        assert every_scene() - before < 50_000
    finally:
        tracemalloc.stop()


def _growth_over_courses(scene: str, budget: int) -> int:
    """Memory that Python and numpy take during the third and fourth of four equal courses of one run [bytes]."""
    experiment = new_experiment(scene, dict(scenes()[scene].test_values))
    experiment.history.checkpoints.budget = budget
    snapshot, held = Snapshot(), []
    begin = next(action for action in experiment.scene.course.actions(experiment) if action.name in ("run", "fill"))
    gc.freeze()  # the collector then looks at new objects only, not at the millions of the compiler
    tracemalloc.start()
    try:
        for _ in range(4):
            assert not apply(experiment, Act("reset"))
            assert not apply(experiment, Act(begin.name))
            for _ in range(12):
                advance(experiment, 100)
                keep_return(experiment)
                take_snapshot(experiment, snapshot)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    return held[3] - held[1]


@pytest.mark.parametrize("scene", tiered(SEVERAL, fast={"drum"}))
def test_courses_take_no_more_memory_once_the_budget_is_full(scene: str) -> None:
    """Compared with a budget that never fills. What remains are the marks of displacements, of which a few are kept,
    and numba's caches of small objects."""
    assert _growth_over_courses(scene, 200_000) < 0.1 * _growth_over_courses(scene, 10**9)


@dataclass
class Layers:
    """A state with every kind of value that a scene keeps."""

    radii: list[float]
    profile: list[list[float]]
    mixed: list[Any]
    again: list[float]
    random: dict[str, Any]


def test_a_restart_point_shares_no_list_with_the_run() -> None:
    radii = [1.0, 2.0]
    state = Layers(radii, [[1.0], [2.0, 3.0]], [[4.0], {"a": [5.0]}], radii, {"bits": [6]})
    run = new_experiment("heap", {"grain_count": 40, "width": 0.015}).run
    run.state = state
    kept = RestartPoint.of(None, run).run.state
    assert kept == state
    for before, after in ((state, kept), (state.profile, kept.profile), (state.mixed, kept.mixed)):
        values = zip(*(vars(one).values() if one in (state, kept) else one for one in (before, after)), strict=True)
        assert all(one is not other for one, other in values)
    assert kept.radii is kept.again
    assert kept.random["bits"] is not state.random["bits"]


def test_restart_points_share_the_tables_that_did_not_change_and_none_with_the_running_world() -> None:
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    apply(experiment, Act("fill"))
    advance(experiment, 100)
    first = RestartPoint.of(experiment.parameters, experiment.run)
    advance(experiment, 50)
    second = RestartPoint.of(experiment.parameters, experiment.run, first.run.world)
    one, other, now = first.run.world, second.run.world, experiment.run.world
    for name in ("mass", "radius", "inverse_mass", "material", "sphere_id"):
        assert getattr(one, name) is getattr(other, name), name
    for name in ("motion", "previous", "counters"):
        assert not np.shares_memory(getattr(one, name), getattr(other, name)), name
    direct = RestartPoint.of(experiment.parameters, experiment.run, now).run.world
    for point in (one, other, direct):
        assert not any(np.shares_memory(getattr(point, name), getattr(now, name)) for name in SPHERE_COLUMNS)
    assert state_hash(second.run) == state_hash(experiment.run)
    digest = state_hash(first.run)
    advance(experiment, 50)
    now.mass[:] *= 2.0
    assert state_hash(first.run) == digest


def test_the_beginning_of_a_run_is_kept_once() -> None:
    history = new_experiment("heap", {"grain_count": 40, "width": 0.015}).history
    start, good = history.log.start.now.run.world, history.good.run.world
    assert all(getattr(start, name) is getattr(good, name) for name in SPHERE_COLUMNS)
