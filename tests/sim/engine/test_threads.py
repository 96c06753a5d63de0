"""The number of threads as a command: it leaves no trace in the run."""

from __future__ import annotations

from repose.sim.engine.threads import MOST_THREADS
from repose.sim.experiment.commands import Act, UseThreads
from repose.sim.experiment.control import apply, rewind_to
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance

from tests.sim.experiment.test_runner import make


def test_threads_are_changed_between_batches_without_a_trace_in_the_run() -> None:
    simulation = make()
    runner = Runner(lambda: simulation)
    apply(simulation, Act("fill"))
    entries, seen = list(simulation.history.log.entries), []
    for count in (2, 1, 3, None):
        runner.send(UseThreads(count))
        runner._turn(simulation)
        runner._publish(simulation)
        seen.append((runner.latest().threads_asked, runner.latest().refusal))
        advance(simulation, 1_000 - simulation.step % 1_000)
    assert seen == [(2, ""), (1, ""), (3, ""), (None, "")]
    assert simulation.history.log.entries == entries
    alone = make()
    alone.session.threads = 1
    apply(alone, Act("fill"))
    advance(alone, simulation.step)
    assert state_hash(simulation.run) == state_hash(alone.run)
    assert verify(saved_copy(simulation), threads=2).differs_at is None


def test_a_number_of_threads_that_cannot_be_is_refused_and_the_old_one_kept() -> None:
    simulation = make()
    assert apply(simulation, UseThreads(2)) == ""
    for count in (0, -1, MOST_THREADS + 1, True, 1.5, "2"):
        assert f"from 1 to {MOST_THREADS}" in apply(simulation, UseThreads(count))  # type: ignore[arg-type]
        assert simulation.session.threads == 2


def test_looking_back_past_a_change_of_threads_finds_the_same_bits() -> None:
    simulation = make()
    apply(simulation, Act("fill"))
    apply(simulation, UseThreads(2))
    advance(simulation, 3_000)
    before = state_hash(simulation.run)
    apply(simulation, UseThreads(1))
    rewind_to(simulation, 1_234)
    rewind_to(simulation, 3_000)
    assert state_hash(simulation.run) == before
    assert simulation.session.threads == 1
