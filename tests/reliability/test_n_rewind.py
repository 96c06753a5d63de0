"""Group N, the way back: moments kept, found again and gone on from."""

from __future__ import annotations

import io

import numpy as np
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import saved_run
from repose.sim.experiment.commands import Act, Resume, SetParameters
from repose.sim.experiment.simulation import Simulation
from repose.sim.experiment.snapshot import Snapshot

from tests.reliability.runs import SMALL, changed, go, poured, resumed, saved

SEEDED = np.random.default_rng(52)


def test_n17_a_thousand_jumps_on_the_rewind_bar_find_the_state_that_was_there() -> None:
    simulation = Simulation("heap", SMALL)
    simulation.points.budget = 50 * 2**20
    simulation.apply(Act("fill"))
    hashes = {}
    for at in range(500, 10_001, 500):
        hashes[at] = go(simulation, at).state_hash()
        if at == 3_500:
            changed(simulation, friction=0.5)
        if at == 7_000:
            assert simulation.apply(Act("reset")) == ""
            assert simulation.apply(Act("fill")) == ""
    end = simulation.state_hash()
    for at in SEEDED.choice([*hashes], 300):
        simulation.rewind(int(at))
        assert simulation.state_hash() == hashes[at], at
    simulation.rewind(10_000)
    assert simulation.state_hash() == end
    assert simulation.at == 10_000


def test_n17_one_step_back_and_forth() -> None:
    simulation = poured(3_000)
    before = simulation.state_hash()
    simulation.advance(1)
    after = simulation.state_hash()
    for at, expected in ((3_000, before), (3_001, after), (3_000, before)):
        simulation.rewind(at)
        assert simulation.state_hash() == expected


def test_n17_going_on_from_the_past_cuts_what_came_after() -> None:
    simulation = changed(poured(2_500), friction=0.4)
    simulation.points.budget = 50 * 2**20
    go(simulation, 5_000)
    simulation.rewind(2_100)
    assert simulation.parameters.friction == 0.1
    assert simulation.log.end == 5_000
    assert simulation.apply(SetParameters({"friction": 9.0})) != ""  # refused: nothing is cut
    assert simulation.log.end == 5_000
    go(simulation, 2_600)
    assert simulation.log.end == 2_600
    assert [entry.at for entry in simulation.log.entries] == [0]
    assert go(simulation, 5_000).state_hash() == poured(5_000).state_hash()


def test_n17_memory_is_kept_within_its_budget_and_the_last_moments_densely() -> None:
    simulation = poured(1)
    size = 400_000
    simulation.points.budget = size
    go(simulation, 60_000)
    points = simulation.points
    assert sum(points._sizes) <= size
    places = np.array([at for at, _ in points.shown])
    assert places[0] == 0
    assert 60_000 - places[-1] < 2_000
    gaps = np.diff(places)
    assert gaps[-1] == 2_000
    assert gaps[: gaps.size // 2].mean() > gaps[gaps.size // 2 :].mean()


def test_n17_a_moment_far_from_any_that_was_kept_is_reached_through_the_log() -> None:
    simulation = changed(poured(2_000), friction=0.5)
    before = go(simulation, 29_999).state_hash()
    here = go(simulation, 30_000).state_hash()
    again = resumed(saved(simulation))
    again.points.budget = 50 * 2**20
    again.rewind(29_999)
    assert (again.state_hash(), again.at, again.journey) == (before, 29_999, None)
    again.rewind(30_000)
    assert again.state_hash() == here
    assert len(again.points.moments) > 10  # kept on the way: the next jump is short


def test_n17_a_long_way_back_can_be_gone_in_pieces_and_nothing_acts_meanwhile() -> None:
    simulation = changed(poured(2_000), friction=0.5)
    far = go(simulation, 5_500).state_hash()
    again = resumed(saved(go(simulation, 6_000)))
    again.at_once = 700
    again.rewind(5_500)
    assert (again.at, again.journey is not None) == (700, True)
    assert "5500 is being gone to, 4800 steps from here" in again.apply(SetParameters({"friction": 0.2}))
    shown = Snapshot()
    again.fill_snapshot(shown)
    assert shown.progress == 700 / 5_500
    for _ in range(7):
        again.go_on(700)
    assert (again.state_hash(), again.journey) == (far, None)
    assert again.log.end == 6_000
    assert again.apply(SetParameters({"friction": 0.2})) == ""
    assert again.log.end == 5_500


def test_n05_resuming_while_another_experiment_runs() -> None:
    one = poured(3_000)
    other = poured(500, friction=0.9)
    assert other.apply(Resume(saved_run.read(io.BytesIO(saved(one))))) == ""
    assert other.state_hash() == one.state_hash()
    assert go(other, 3_500).state_hash() == go(one, 3_500).state_hash()
    assert int(other.run.world.counters[PAIR_COUNT]) > 0
