"""The hand-written loop and the engine compute the same motion, so that their timings can be compared."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine import thread_count
from repose.sim.engine.world import PAIR_COUNT, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.stepping import advance
from repose.sim.study import bench
from repose.sim.study.yardstick import loop_by_hand


def test_yardstick_and_engine_move_the_grains_alike() -> None:
    # Same formulas, other order of operations: they part by rounding (1e-16 of a radius), which one contact
    # amplifies by at most 1 + w dt a step, w dt < 0.3: a factor 1.3^50 = 5e5 in 50 steps. Radii are 1e-3 m.
    simulation = new_experiment("heap", ready="column")
    advance(simulation, 50)
    ours, by_hand = copy_world(simulation.run.world), copy_world(simulation.run.world)
    engine = simulation.engine
    for loop, world in ((engine.advance, ours), (loop_by_hand(engine.model), by_hand)):
        done, status, _ = loop(world, engine.law_parameters, engine.gravity, simulation.dt, 50)
        assert (done, status) == (50, 0)
    assert np.abs(ours.motion[:, 0] - by_hand.motion[:, 0]).max() < 1e-3 * 1e-16 * 5e5
    used = int(ours.counters[PAIR_COUNT])
    assert (ours.pairs.touching[:used] == by_hand.pairs.touching[:used]).all()


def test_the_quick_benchmark_ends_for_all_sizes_on_one_and_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, float]] = []
    for module in (bench, thread_count):
        monkeypatch.setattr(module, "available", lambda: 2)
        monkeypatch.setattr(module, "GRAINS_PER_THREAD", 400)
    table = bench.measure_engine(quick=True, tell=lambda words, share: told.append((words, share)))
    assert [(row["scene"], row["state"], row["grains"] > 5000) for row in table["rows"]] == [
        ("heap", "settled", False),
        ("heap", "flowing", False),
        ("heap", "settled", True),
        ("heap", "flowing", True),
        ("hourglass_glass", "settled", False),
        ("hourglass_glass", "flowing", False),
    ]
    for row in table["rows"]:
        assert row["two_threads_ns"] > 0.0
        assert sum(row["share"].values()) == pytest.approx(1.0)
        assert row["bytes_per_sphere_two_threads"] > row["bytes_per_sphere"]
    assert len(bench.describe(table).splitlines()) == 7
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == pytest.approx(5 / 6)
    assert "hourglass_glass flowing, 1000 grains" in told[-1][0]
