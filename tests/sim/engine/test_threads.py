"""The number of threads as a command: it leaves no trace in the run."""

from __future__ import annotations

from repose.sim.engine.threads import MOST_THREADS
from repose.sim.experiment.commands import Act, UseThreads
from repose.sim.experiment.replay import verify
from repose.sim.experiment.runner import Runner

from tests.sim.experiment.test_runner import make


def test_threads_are_changed_between_batches_without_a_trace_in_the_run() -> None:
    simulation = make()
    runner = Runner(lambda: simulation)
    simulation.apply(Act("fill"))
    entries, seen = list(simulation.log.entries), []
    for count in (2, 1, 3, None):
        runner.send(UseThreads(count))
        runner._turn(simulation)
        runner._publish(simulation)
        seen.append((runner.latest().threads_asked, runner.latest().refusal))
        simulation.advance(1_000 - simulation.step % 1_000)
    assert seen == [(2, ""), (1, ""), (3, ""), (None, "")]
    assert simulation.log.entries == entries
    alone = make()
    alone.threads = 1
    alone.apply(Act("fill"))
    alone.advance(simulation.step)
    assert simulation.state_hash() == alone.state_hash()
    assert verify(simulation.saved(), threads=2).differs_at is None


def test_a_number_of_threads_that_cannot_be_is_refused_and_the_old_one_kept() -> None:
    simulation = make()
    assert simulation.apply(UseThreads(2)) == ""
    for count in (0, -1, MOST_THREADS + 1, True, 1.5, "2"):
        assert f"from 1 to {MOST_THREADS}" in simulation.apply(UseThreads(count))  # type: ignore[arg-type]
        assert simulation.threads == 2


def test_looking_back_past_a_change_of_threads_finds_the_same_bits() -> None:
    simulation = make()
    simulation.apply(Act("fill"))
    simulation.apply(UseThreads(2))
    simulation.advance(3_000)
    before = simulation.state_hash()
    simulation.apply(UseThreads(1))
    simulation.rewind(1_234)
    simulation.rewind(3_000)
    assert simulation.state_hash() == before
    assert simulation.threads == 1
