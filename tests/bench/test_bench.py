"""`repose bench` measures every state, with the floor where gcc is installed and with a sentence where it is not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.engine import thread_count
from repose.sim.engine.world import World
from repose.sim.experiment.changes import new_experiment
from repose.sim.study import bench, floor


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few steps, one turn, and two threads from 5000 grains on."""
    for name, value in {"SPHERE_STEPS": 1, "FEWEST_STEPS": 5, "TURNS": 1, "FLOWING_AFTER": 0.002}.items():
        monkeypatch.setattr(bench, name, value)
    for module in (bench, thread_count):
        monkeypatch.setattr(module, "available", lambda: 2)
        monkeypatch.setattr(module, "GRAINS_PER_THREAD", 5000)


def quick() -> tuple[dict[str, Any], list[float]]:
    """The quick benchmark of the engine, and the shares that it told."""
    shares: list[float] = []
    return bench.measure_engine(quick=True, show_progress=lambda words, share: shares.append(share)), shares


@pytest.mark.usefixtures("short")
def test_the_quick_benchmark_has_a_row_for_each_scheme_size_and_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    table, shares = quick()
    assert [(row["scene"], row["integrator"], row["grains"], row["state"]) for row in table["rows"]] == [
        ("heap", integrator, grains, state)
        for integrator in ("leapfrog", "gear5")
        for grains in (1100, 9900)
        for state in ("settled", "flowing")
    ]
    for row in table["rows"]:
        assert row["cundall_number"] * row["ns_per_grain_and_step"] == pytest.approx(1e9)
        assert [one["count"] for one in row["threads"]] == ([2] if row["grains"] == 9900 else [])
        assert "ratio_to_floor" not in row
        assert 0.0 < row["ns_per_grain_to_copy"] < 1e4
    row = table["rows"][2]
    assert row["threads"][0]["bytes_per_sphere"] > row["bytes_per_sphere"]
    for number, one in enumerate(table["rows"]):
        for several in one["threads"]:
            several["ns_per_grain_and_step"] = (1.1 if number == 2 else 0.9) * one["ns_per_grain_and_step"]
    words = bench.describe(table).splitlines()
    assert [number for number, line in enumerate(words) if "a run falls back to one" in line] == [3]
    assert len(words) == 10
    assert words[-1] == "No ratio to the floor: gcc is not installed."
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(("processors", "counts"), [(1, []), (2, [2]), (7, [2, 4]), (64, [2, 4, 8, 16])])
def test_large_worlds_are_measured_with_each_number_of_threads_that_the_processors_allow(
    processors: int, counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    timed: list[int] = []

    def clock(loop: Any, world: World, experiment: Any, steps: int) -> tuple[float, float, World]:
        timed.append(world.workspace.threads.thread_status.shape[0])
        return 100.0 / timed[-1], 1.0, world

    monkeypatch.setattr(bench, "available", lambda: processors)
    monkeypatch.setattr(bench, "_timed", clock)
    (*_, state) = bench.heap_states("leapfrog", (9,))
    row = bench.measure(state, quick=True, floor=None)
    assert [one["count"] for one in row["threads"]] == counts
    assert [one["speed_up"] for one in row["threads"]] == counts
    assert sorted({*timed}) == [1, *counts]


def test_copies_side_by_side_hold_the_same_grains_shifted() -> None:
    world = new_experiment("heap", ready="column").run.world
    whole = bench.side_by_side(world, 3, 0.1)
    fixed_first = np.argsort(~world.fixed, kind="stable")
    assert whole.sphere_count == 3 * world.sphere_count
    assert (np.diff(whole.sphere_id) > 0).all()
    for n in range(3):
        part = slice(n * world.sphere_count, (n + 1) * world.sphere_count)
        shift = whole.motion[:2, 0, part] - world.motion[:2, 0, fixed_first]
        assert np.abs(shift - np.array([[0.1 * n], [0.0]])).max() < 1e-15
        assert (whole.fixed[part] == world.fixed[fixed_first]).all()
        assert (whole.mass[part] == world.mass[fixed_first]).all()


def test_source_that_gcc_refuses_gives_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    source = tmp_path / "floor.c"
    source.write_text("int main(void) { return missing; }\n")
    monkeypatch.setitem(floor.SOURCES, 2, source)
    with pytest.raises(floor.NoFloor, match=r"gcc could not compile.*missing"), floor.floor_program(2):
        pass


@pytest.mark.usefixtures("short")
def test_the_whole_benchmark_has_rows_of_beads_with_the_floor_in_space(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SIZES": (1,),
        "SCHEMES": (),
        "ACROSS": 4,
        "LAYERS": 3,
        "SETTLING": 1e-3,
        "FLOW_TIME": 1e-3,
    }.items():
        monkeypatch.setattr(bench, name, value)
    table = bench.measure_engine()
    assert [(row["scene"], row["grains"], row["state"]) for row in table["rows"]] == [
        ("beads", 48, "settled"),
        ("beads", 48, "flowing"),
    ]
    for row in table["rows"]:
        assert ("ratio_to_floor" in row) == bool(shutil.which("gcc"))
        assert sum(row["share"].values()) == pytest.approx(1.0)
