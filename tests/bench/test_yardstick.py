"""The hand-written loop and the composed engine are the same physics: their timings may be compared."""

from __future__ import annotations

import numpy as np
from repose.sim.engine.world import PAIR_COUNT, copy_world
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.stepping import advance
from repose.sim.study.bench import describe, measure_engine
from repose.sim.study.yardstick import advance_by_hand


def test_yardstick_and_engine_move_the_grains_alike() -> None:
    # Same formulas, other order of operations: they part by rounding (1e-16 of a radius), which one contact
    # amplifies by at most 1 + w dt a step, w dt < 0.3: a factor 1.3^50 = 5e5 in 50 steps. Radii are 1e-3 m.
    simulation = new_experiment("heap", ready="column")
    advance(simulation, 50)
    ours, by_hand = copy_world(simulation.run.world), copy_world(simulation.run.world)
    for loop, world in ((simulation.engine.advance, ours), (advance_by_hand, by_hand)):
        done, status, _ = loop(world, simulation.engine.law_parameters, simulation.engine.gravity, simulation.dt, 50)
        assert (done, status) == (50, 0)
    assert np.abs(ours.motion[:, 0] - by_hand.motion[:, 0]).max() < 1e-3 * 1e-16 * 5e5
    used = int(ours.counters[PAIR_COUNT])
    assert (ours.pairs.touching[:used] == by_hand.pairs.touching[:used]).all()


def test_bench_measures_both_states_at_both_sizes() -> None:
    table = measure_engine(quick=True)
    assert [(row["state"], row["grains"] > 5000) for row in table["rows"]] == [
        ("settled", False),
        ("flowing", False),
        ("settled", True),
        ("flowing", True),
    ]
    assert len(describe(table).splitlines()) == 5
