"""A long rewind by a runner that the test advances: done in batches, shown, and commands are refused."""

from __future__ import annotations

import copy

from repose.sim.experiment.commands import Act, Rewind, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance

from tests.sim.experiment.test_runner import SMALL, make


def far_back(end: int, back_to: int) -> tuple[Runner, Experiment, dict[int, str]]:
    """A runner turned by hand whose run stands at `end` and remembers nothing but its beginning, and its hashes."""
    experiment = make()
    runner = Runner(lambda: experiment)
    runner._begin()
    apply(experiment, Act("fill"))
    hashes = {}
    for at in (back_to, end):
        advance(experiment, at - experiment.history.at)
        hashes[at] = state_hash(experiment.run)
    runner.pause(True)
    runner._batch_cost = 1e-4  # as on a slow machine: 2 500 steps at once, 40 in a turn
    return runner, experiment, hashes


def test_a_long_rewind_is_done_in_batches_and_its_progress_is_shown() -> None:
    back_to = 20_777
    runner, experiment, hashes = far_back(21_000, back_to)
    runner.send(Rewind(back_to))
    seen: list[Snapshot] = []
    while not seen or experiment.history.seek is not None:
        before = experiment.history.at
        runner._publish_at = 0.0  # a snapshot is due
        runner._turn()
        seen.append(copy.copy(runner.latest()))
        at_once = 2_500 if len(seen) == 1 else 0
        assert 0 < experiment.history.at - (0 if at_once else before) <= 40 + at_once
    assert len(seen) > 400
    shares = [shot.run.progress for shot in seen[:-1]]
    assert shares == sorted(shares)
    assert 0.1 < shares[0] < 0.13  # what was done at once
    assert shares[-1] > 0.99
    assert str(seen[0].run.phase_label) == f"moving to step {back_to}, now at {seen[0].history.at}"
    assert seen[-1].history.at == back_to
    assert "moving to" not in str(seen[-1].run.phase_label)
    assert state_hash(experiment.run) == hashes[back_to]
    runner.send(Rewind(21_000))
    runner._turn()
    assert experiment.history.seek is None
    assert state_hash(experiment.run) == hashes[21_000]


def test_during_a_long_rewind_changes_are_refused() -> None:
    runner, experiment, _ = far_back(21_000, 20_777)
    entries = list(experiment.history.log.entries)
    runner.send(Rewind(20_777))
    runner._turn()
    runner.send(SetParameters({"friction": 0.3}))
    runner._turn()
    assert "moving to step 20777" in str(runner.latest().messages.refusal)
    assert "wait until it is there" in str(runner.latest().messages.refusal)
    assert experiment.parameters.friction != 0.3
    assert experiment.history.log.entries == entries
    assert experiment.history.log.end == 21_000
    runner.send(Rewind(100))
    runner._turn()
    assert (experiment.history.at, experiment.history.seek) == (100, None)
    runner.send(Rewind(20_777))
    runner._turn()
    assert experiment.history.seek is not None
    runner.send(Start("heap", SMALL, 2))
    runner._turn()
    assert (experiment.history.seek, experiment.seed, experiment.history.log.end) == (None, 2, experiment.history.at)
