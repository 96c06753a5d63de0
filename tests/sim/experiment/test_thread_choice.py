"""The number of threads follows the processors that other programs leave free; measured by a clock of the tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.thread_choice import (
    LARGEST_SHARE,
    LONGEST_PAUSE,
    WINDOW_TIME,
    ThreadChoice,
    is_better,
    ladder,
)

from tests.sim.experiment.test_runner import make

BATCH = 50
"""Steps between two checks."""


def step_time(threads: int, free: int) -> float:
    """Time of a step on so many free processors [s]: threads without one of their own make all others wait."""
    return 1e-4 / threads**0.8 if threads <= free else 1e-4 * 1.3 * threads / free


class Machine:
    """Steps a world with the numbers of threads that a choice makes."""

    def __init__(self, most: int, free: int) -> None:
        self.choice, self.most, self.free = ThreadChoice(), most, free
        self.noise: Callable[[], float] = lambda: 1.0
        self.used: list[int] = []

    def run(self, seconds: float) -> tuple[int, float]:
        """Step for so much time [s]; returns the number of steps and the time they took."""
        steps, spent = 0, 0.0
        while spent < seconds:
            number = self.choice.number(self.most)
            took = BATCH * step_time(number, self.free) * self.noise()
            self.choice.record(BATCH, took)
            self.used.append(number)
            steps, spent = steps + BATCH, spent + took
        return steps, spent


def test_the_numbers_tried_are_one_and_the_largest_halved_again_and_again() -> None:
    assert (ladder(1), ladder(2), ladder(3), ladder(12)) == ([1], [1, 2], [1, 3], [1, 3, 6, 12])


@pytest.mark.parametrize(("most", "free", "best"), [(2, 1, 1), (4, 2, 2), (8, 3, 2), (8, 1, 1), (4, 4, 4)])
def test_as_many_threads_remain_as_there_are_free_processors(most: int, free: int, best: int) -> None:
    machine = Machine(most, free)
    machine.run(60.0)
    assert machine.choice.used == best
    assert (not machine.choice.crowded) == (best == most)


@pytest.mark.parametrize("ratio", [1.03, 1.11])
def test_two_threads_that_are_a_little_slower_than_one_are_given_up(ratio: float) -> None:
    choice, spent = ThreadChoice(), {1: 0.0, 2: 0.0}
    while sum(spent.values()) < 60.0:
        number = choice.number(2)
        took = BATCH * 1e-4 * (ratio if number == 2 else 1.0)
        choice.record(BATCH, took)
        spent[number] += took
    assert choice.used == 1
    assert spent[2] < 2.0 * LARGEST_SHARE * spent[1]


def test_two_threads_that_are_a_little_faster_than_one_are_not_given_up_but_not_begun_with_either() -> None:
    assert not is_better(1, 1.0, 2, 0.95)
    assert not is_better(2, 0.95, 1, 1.0)
    assert is_better(2, 0.85, 1, 1.0)


def test_threads_without_processors_of_their_own_are_given_up_after_three_measurements() -> None:
    machine = Machine(2, 1)
    machine.run(3.0 * (WINDOW_TIME + BATCH * step_time(2, 1)))
    assert machine.choice.used == 1


def test_the_sentence_names_both_numbers() -> None:
    machine = Machine(2, 1)
    assert not machine.choice.crowded
    machine.run(2.0)
    assert str(machine.choice.crowded) == (
        "1 of 2 threads computes the grains, which is faster now: there are few grains, or other programs are busy."
    )


def test_all_threads_come_back_when_the_processors_are_free_again() -> None:
    machine = Machine(4, 1)
    machine.run(100.0)
    assert machine.choice.used == 1
    machine.free = 4
    machine.run(3.0 * LONGEST_PAUSE)
    assert machine.choice.used == 4
    assert not machine.choice.crowded


def test_a_program_that_begins_is_noticed_at_once_and_not_only_at_the_next_trial() -> None:
    machine = Machine(2, 2)
    machine.run(200.0)
    machine.free = 1
    machine.run(5.0)
    assert machine.choice.used == 1


def test_on_busy_processors_the_run_is_about_as_fast_as_with_one_thread() -> None:
    machine = Machine(4, 1)
    steps, spent = machine.run(200.0)
    assert spent < (1.0 + 2.0 * LARGEST_SHARE) * steps * step_time(1, 1)


def test_on_free_processors_the_trials_cost_little() -> None:
    machine = Machine(2, 2)
    steps, spent = machine.run(200.0)
    assert 1 in machine.used
    assert spent < (1.0 + LARGEST_SHARE) * steps * step_time(2, 2)
    assert machine.choice.used == 2


def test_noise_and_a_pause_of_the_whole_machine_change_nothing() -> None:
    random = np.random.default_rng(1)
    machine = Machine(2, 2)
    machine.noise = lambda: float(random.uniform(0.8, 1.2))
    for _ in range(60):
        machine.run(1.0)
        machine.choice.record(BATCH, 3.0)  # a pause of three seconds
        assert machine.choice.used == 2
        assert not machine.choice.crowded


def test_steps_that_take_longer_because_of_the_grains_do_not_lead_to_fewer_threads() -> None:
    machine, grown = Machine(2, 2), [1.0]
    machine.noise = lambda: grown[0]
    for _ in range(40):
        machine.run(0.5)
        grown[0] *= 1.1
        assert machine.choice.used == 2


def test_another_number_asked_for_begins_anew() -> None:
    machine = Machine(4, 1)
    machine.run(20.0)
    machine.most = 2
    assert machine.choice.number(2) == 2
    assert machine.choice.number(1) == 1
    assert not machine.choice.crowded


def test_a_run_falls_back_to_one_thread_says_so_and_has_the_same_bits() -> None:
    experiment, alone = make(), make()
    alone.session.threads = 1
    for one in (experiment, alone):
        apply(one, Act("fill"))
    experiment.session.threads = 2
    time = [0.0]

    def clock() -> float:  # each batch takes as long as if there were one free processor
        time[0] += 0.02 * experiment.run.world.workspace.threads.thread_status.shape[0]
        return time[0]

    experiment.session.thread_choice = ThreadChoice(clock)
    for one in (experiment, alone):
        advance(one, 4_000)
    assert experiment.run.world.workspace.threads.thread_status.shape[0] == 1
    assert state_hash(experiment.run) == state_hash(alone.run)
    runner = Runner(lambda: experiment)
    runner._begin()
    runner._publish()
    assert runner.latest().engine.threads_crowded == experiment.session.thread_choice.crowded
    assert runner.latest().engine.threads_crowded
