"""Group N, automatic saves and large runs: written while physics continues, of one step, and memory is released."""

from __future__ import annotations

import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from repose.app.storage.run_saver import RunSaver
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.world import State, World
from repose.sim.experiment import history, saved_run, saved_side_by_side
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Command
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.saved_run import SavedRun

from tests.reliability.runs import go, poured


@pytest.mark.case("F11")
def test_n12_an_automatic_save_is_of_one_step_and_written_while_physics_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repose.app.storage.paths.autosave_folder", lambda: tmp_path)
    writing, gone_on = threading.Event(), threading.Event()
    writers = []
    save = saved_side_by_side.save

    def slowly(saved: SavedRun, path: Path, photo: bytes) -> None:
        writers.append(threading.current_thread().name)
        writing.set()
        assert gone_on.wait(60.0)
        save(saved, path, photo)

    monkeypatch.setattr(saved_side_by_side, "save", slowly)
    experiment = poured(3_000)
    then = state_hash(experiment.run)
    asked: list[Command] = []
    saver = RunSaver(asked.append)
    saver.begin()
    saver._due = 0.0
    saver.tick()
    assert not apply(experiment, asked[0])  # as the physics thread does between two batches
    assert writing.wait(60.0)
    go(experiment, 3_500)  # while the file is still being written
    gone_on.set()
    saver._jobs.put(None)
    assert saver._thread is not None
    saver._thread.join(60.0)
    assert writers == ["run saver"]
    (path,) = tmp_path.glob("*/run-*.repose")
    found = saved_run.load(path)
    assert (found.now.at, found.log.end) == (3_000, 3_000)
    assert found.now.now.run.step == experiment.step - 500
    assert state_hash(resumed_experiment(found).run) == then
    saver.end()


def test_n12_a_copy_shares_no_memory_with_its_run() -> None:
    experiment = poured(3_000)
    copied = saved_copy(experiment).now.now.run.world
    for mine, other in zip(arrays(experiment.run.world.state), arrays(copied), strict=True):
        assert mine.size == 0 or not np.shares_memory(mine, other)


@pytest.mark.slow
def test_n18_a_million_grains_are_saved_and_read_and_their_memory_is_released(tmp_path: Path) -> None:
    experiment = new_experiment("heap")
    levels = experiment.run.world.motion.shape[1]
    side, radius = 1000, 1e-3
    position = 2.2 * radius * np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    experiment.run.world = add_spheres(
        empty_world(2, 0, levels), position + 0.1, np.full(side**2, radius), np.full(side**2, 1e-3)
    )
    history.begin_log(experiment)
    path = tmp_path / "million.repose"
    tracemalloc.start()
    saved_run.save(saved_copy(experiment), path)
    before, _ = tracemalloc.get_traced_memory()
    digest = state_hash(experiment.run)
    found = saved_run.load(path)
    assert found.now.now.run.world.sphere_count == side**2
    assert saved_run.state_hash(found.now.now.run) == digest
    held, _ = tracemalloc.get_traced_memory()
    tables = sum(table.nbytes for table in arrays(experiment.run.world))
    assert held - before > 0.5 * tables  # it is really there, and not a view of the first
    del found
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # What may stay are modules loaded on the way and caches of small things: not a thousandth of the tables.
    assert after - before < 1e-3 * tables + 2**20


def arrays(part: State | tuple | np.ndarray) -> list[np.ndarray]:
    """Every table of a world."""
    parts = (part.state, part.workspace) if isinstance(part, World) else part
    return [part] if isinstance(part, np.ndarray) else [table for inner in parts for table in arrays(inner)]
