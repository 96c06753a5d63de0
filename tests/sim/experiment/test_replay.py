"""Replay of a saved run: every hash agrees, and the first step that differs is named."""

from __future__ import annotations

from dataclasses import replace

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.command_log import Entry, HashMark
from repose.sim.experiment.commands import Act, Recover, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import Verdict, verify
from repose.sim.experiment.stepping import advance

from tests.reliability.runs import SMALL, changed, go, poured, resumed, saved


def eventful() -> Experiment:
    """A run with live changes, a reset, a fault and the way out of it."""
    experiment = changed(poured(20_000, dt=2e-5), friction=0.4)
    go(experiment, 22_000)
    assert apply(experiment, SetParameters({"friction": 7.0}))
    changed(experiment, normal_stiffness=1e9)
    assert experiment.fault is not None
    assert not apply(experiment, Recover({"normal_stiffness": 1e6}))
    go(experiment, 24_000)
    assert not apply(experiment, Act("reset"))
    assert not apply(experiment, Act("run"))
    return go(experiment, 26_123)


def test_a_replay_of_a_run_with_many_commands_gives_the_same_bits() -> None:
    experiment = eventful()
    reached = []
    verdict = verify(saved_copy(experiment), lambda at, end: reached.append((at, end)))
    assert verdict == Verdict(len(reached), len(reached), None)
    assert len(reached) >= 4
    assert reached[-1] == (26_123, 26_123)
    assert len(experiment.history.log.entries) == 6


def test_a_continued_run_is_replayed_from_its_first_beginning() -> None:
    experiment = go(resumed(saved(poured(3_000))), 5_000)
    assert verify(saved_copy(experiment)) == Verdict(3, 3, None)


def test_the_log_does_not_depend_on_batches() -> None:
    one, other = poured(4_100), new_experiment("heap", SMALL)
    assert not apply(other, Act("fill"))
    while other.history.at < 4_100:
        advance(other, 1 + other.history.at % 7)
    assert (one.history.log.entries, one.history.log.marks) == (other.history.log.entries, other.history.log.marks)


def test_the_first_step_that_differs_is_named() -> None:
    run = changed(poured(3_000), friction=0.4)
    whole = saved_copy(go(run, 7_000))
    marks = [mark if mark.at != 4_000 else HashMark(4_000, "0" * 64) for mark in whole.log.marks]
    assert verify(replace(whole, log=replace(whole.log, marks=marks))) == Verdict(1, 4, 4_000)
    other = [*whole.log.entries[:-1], Entry(3_000, SetParameters({"friction": 0.41}))]
    assert verify(replace(whole, log=replace(whole.log, entries=other))) == Verdict(1, 4, 4_000)
    refused = [*whole.log.entries[:-1], Entry(3_000, SetParameters({"friction": 41.0}))]
    assert verify(replace(whole, log=replace(whole.log, entries=refused))).differs_at == 4_000
