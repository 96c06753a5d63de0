"""Group N, rewind: checkpoints are kept, restored and continued."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import saved_run
from repose.sim.experiment.activation import activate
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.checkpoints import bytes_of
from repose.sim.experiment.commands import Act, Resume, SetParameters, TakeBack
from repose.sim.experiment.control import apply, rewind_to, seek_further
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import RestartPoint
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.world_tables import tables_of

from tests.reliability.runs import CYLINDER, SMALL, changed, go, landed, poured, resumed, saved
from tests.small_worlds import use_plain_engine
from tests.tiers import tiered

SEEDED = np.random.default_rng(52)


@pytest.mark.parametrize("jumps", tiered([100, 1000], fast={100}))
def test_n17_random_jumps_restore_the_earlier_states(jumps: int) -> None:
    experiment = new_experiment("heap", SMALL)
    experiment.history.checkpoints.budget = 50 * 2**20
    apply(experiment, Act("fill"))
    hashes = {}
    for at in range(500, 10_001, 500):
        hashes[at] = state_hash(go(experiment, at).run)
        if at == 3_500:
            changed(experiment, friction=0.5)
        if at == 7_000:
            assert not apply(experiment, Act("reset"))
            assert not apply(experiment, Act("fill"))
    end = state_hash(experiment.run)
    for at in SEEDED.choice([*hashes], jumps):
        rewind_to(experiment, int(at))
        assert state_hash(experiment.run) == hashes[at], at
    rewind_to(experiment, 10_000)
    assert state_hash(experiment.run) == end
    assert experiment.history.at == 10_000


def test_n17_one_step_back_and_one_forward_restore_the_state() -> None:
    experiment = poured(3_000)
    before = state_hash(experiment.run)
    advance(experiment, 1)
    after = state_hash(experiment.run)
    for at, expected in ((3_000, before), (3_001, after), (3_000, before)):
        rewind_to(experiment, at)
        assert state_hash(experiment.run) == expected


def test_n17_continuing_from_an_earlier_step_discards_the_later_ones() -> None:
    experiment = changed(poured(2_500), friction=0.4)
    experiment.history.checkpoints.budget = 50 * 2**20
    go(experiment, 5_000)
    rewind_to(experiment, 2_100)
    assert experiment.parameters.friction == 0.1
    assert experiment.history.log.end == 5_000
    assert apply(experiment, SetParameters({"friction": 9.0}))  # refused: nothing is cut
    assert experiment.history.log.end == 5_000
    go(experiment, 2_600)
    assert experiment.history.log.end == 2_600
    assert [entry.at for entry in experiment.history.log.entries] == [0]
    assert state_hash(go(experiment, 5_000).run) == state_hash(poured(5_000).run)


def test_n17_checkpoints_stay_within_their_budget_and_are_dense_for_recent_steps() -> None:
    experiment = poured(1)
    points = experiment.history.checkpoints
    size = 8 * bytes_of(experiment.history.good.run)
    points.budget = size
    held = []
    for at in range(2_000, 60_001, 2_000):
        held.append(bytes_of(go(experiment, at).history.checkpoints.kept))
    assert max(held) <= size
    # No less than all they hold, each part once.
    assert held[-1] <= points.bytes <= 1.02 * held[-1]
    assert (points.shown[0][0], len(points.shown) > 3) == (0, True)
    places = np.array([at for at, _ in points.shown])
    assert 60_000 - places[-1] < 2_000
    gaps = np.diff(places)
    assert gaps[-1] == 2_000
    assert gaps[0] > gaps[-1]


def test_n17_the_size_of_a_restart_point_is_that_of_its_tables_without_working_memory() -> None:
    experiment = poured(6_000)
    tables = sum(table.nbytes for table in tables_of(experiment.run.world).values())
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        point = RestartPoint.of(experiment.parameters, experiment.run)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    counted = bytes_of(point.run, {id(point.run.series), id(point.run.built)})
    assert counted == pytest.approx(taken, rel=0.25)
    assert tables < counted < 2 * tables + 20_000
    assert point.run.series.table is experiment.run.series.table


@pytest.mark.parametrize(
    ("scene", "values", "action"),
    [
        ("bounce", {"drop_height": 0.002}, "run"),
        ("slope", {}, "run"),
        ("heap", None, "fill"),
        ("heap3d", CYLINDER, "fill"),
        pytest.param("hourglass", {"grain_count": 4, "lid": True}, None, marks=pytest.mark.slow),
        pytest.param("vessel", {"mean_radius": 8e-3, "grain_count": 3, "stream": 2.0}, "fill", marks=pytest.mark.slow),
    ],
)
def test_n17_every_scene_continues_bit_by_bit_from_a_checkpoint_without_working_memory(
    scene: str, values: dict | None, action: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    one = landed(scene, values, action)
    while survey_contacts(one).contacts == 0:  # it may have sprung off meanwhile
        go(one, one.history.at + 1)
    point, at = RestartPoint.of(one.parameters, one.run), one.history.at
    expected = state_hash(go(one, at + 55).run)
    for _ in range(2):  # what is taken up from a point leaves it as it is
        activate(one, point.parameters, point.restored(), adapt=False)
        one.history.at = at
        assert survey_contacts(one).contacts > 0
        assert state_hash(go(one, at + 55).run) == expected


def test_n17_a_step_far_from_any_checkpoint_is_reached_through_the_log() -> None:
    experiment = changed(poured(2_000), friction=0.5)
    before = state_hash(go(experiment, 29_999).run)
    here = state_hash(go(experiment, 30_000).run)
    again = resumed(saved(experiment))
    again.history.checkpoints.budget = 50 * 2**20
    rewind_to(again, 29_999)
    assert (state_hash(again.run), again.history.at, again.history.seek) == (before, 29_999, None)
    rewind_to(again, 30_000)
    assert state_hash(again.run) == here
    assert len(again.history.checkpoints.kept) > 10  # kept on the way: the next jump is short


def test_n17_a_long_rewind_is_done_in_parts_during_which_commands_are_refused() -> None:
    experiment = changed(poured(2_000), friction=0.5)
    far = state_hash(go(experiment, 5_500).run)
    again = resumed(saved(go(experiment, 6_000)))
    again.session.seek_steps = 700
    rewind_to(again, 5_500)
    assert (again.history.at, again.history.seek is not None) == (700, True)
    assert "moving to step 5500, 4800 steps from here" in str(apply(again, SetParameters({"friction": 0.2})))
    shown = Snapshot()
    take_snapshot(again, shown)
    assert shown.run.progress == 700 / 5_500
    for _ in range(7):
        seek_further(again, 700)
    assert (state_hash(again.run), again.history.seek) == (far, None)
    assert again.history.log.end == 6_000
    assert not apply(again, SetParameters({"friction": 0.2}))
    assert again.history.log.end == 5_500


def test_n17_two_changes_are_taken_back_also_while_the_run_moves_to_the_state_before_the_second() -> None:
    experiment = poured(2_000)
    before = state_hash(experiment.run)
    go(changed(experiment, friction=0.5), 4_000)
    again = resumed(saved(go(changed(experiment, friction=0.6), 5_000)))
    again.session.seek_steps = 700
    for step in (4_000, 2_000):
        assert not apply(again, TakeBack("friction"))
        assert again.history.seek is not None
        assert again.history.seek.at == step
    seek_further(again, 2_000)
    assert (state_hash(again.run), again.history.seek) == (before, None)


def test_n05_resuming_while_another_experiment_runs() -> None:
    one = poured(3_000)
    other = poured(500, friction=0.9)
    assert not apply(other, Resume(saved_run.read(io.BytesIO(saved(one)))))
    assert state_hash(other.run) == state_hash(one.run)
    assert state_hash(go(other, 3_500).run) == state_hash(go(one, 3_500).run)
    assert int(other.run.world.counters[PAIR_COUNT]) > 0
