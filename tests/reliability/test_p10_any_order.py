"""P10: any parameter to any value in any order, with steps, undos, saves and actions of the scene."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.commands import Act, Recover, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.saved_run import SavedRun
from repose.sim.experiment.stepping import advance
from repose.sim.parameters import Parameter, Value
from repose.sim.registry import scenes

from tests.reliability.random_clusters import EXAMPLES
from tests.reliability.runs import landed, resumed, saved
from tests.small_worlds import use_plain_engine

DECLARED = scenes()["heap"].parameters.declared()
MOST = {"grain_count": 6, "width": 8e-3}
"""Ends of ranges that the engine in plain Python can bear."""
LEAST = {"base_radius": 5e-4, "wall_radius": 1e-3}


def values_of(parameter: Parameter) -> st.SearchStrategy[Value]:
    """Values a person may ask for, the ends and the default among them."""
    if parameter.kind == "bool":
        return st.booleans()
    words = st.sampled_from(parameter.choices) if parameter.choices else st.nothing()
    if parameter.kind == "choice":
        return words
    low = max(float(parameter.low or 0.0), LEAST.get(parameter.name, -math.inf))
    high = min(float(parameter.high or 0.0), MOST.get(parameter.name, math.inf))
    if parameter.kind == "int":
        return st.integers(int(low), int(high))
    return st.floats(low, high) | st.sampled_from([low, high, parameter.default]) | words


CHANGES = st.sampled_from(sorted(DECLARED)).flatmap(
    lambda name: values_of(DECLARED[name]).map(lambda value: {name: value})
)


@cache
def start() -> SavedRun:
    """A few grains just landed."""
    return saved_copy(landed())


class AnyOrder(RuleBasedStateMachine):
    """A few grains, and changes, steps, undos and saves in any order."""

    simulation: Experiment
    before: list[dict[str, Value]]

    @initialize()
    def fill(self) -> None:
        self.simulation, self.before = resumed_experiment(start()), []

    @rule(values=CHANGES)
    def change(self, values: dict[str, Value]) -> None:
        old, state = self.simulation.parameters, state_hash(self.simulation.run)
        refused = apply(self.simulation, SetParameters(values))
        if refused:
            assert self.simulation.parameters == old
            assert state_hash(self.simulation.run) == state
        else:
            ((name, value),) = values.items()
            assert getattr(self.simulation.parameters, name) == value
            self.before.append({name: getattr(old, name)})

    @rule()
    def undo(self) -> None:
        if self.before:
            apply(self.simulation, SetParameters(self.before.pop()))

    @rule(steps=st.sampled_from([1, 7, 120]))
    def step(self, steps: int) -> None:
        at = self.simulation.history.at
        done = advance(self.simulation, steps)
        assert self.simulation.history.at == at + done
        assert done == steps or self.simulation.fault is not None

    @rule()
    def answer_a_fault(self) -> None:
        fault = self.simulation.fault
        if fault is not None:
            remedy: dict[str, Any] = {fault.parameter: fault.previous} if fault.parameter else {"dt": "auto"}
            assert not apply(self.simulation, Recover(remedy))

    @rule(action=st.sampled_from(["fill", "open", "reset"]))
    def press(self, action: str) -> None:
        apply(self.simulation, Act(action))

    @rule()
    def save_and_open(self) -> None:
        blob = saved(self.simulation)
        self.simulation = resumed(blob)
        assert saved(self.simulation) == blob

    @invariant()
    def nothing_is_lost(self) -> None:
        run = self.simulation.run
        assert np.isfinite(run.world.motion).all()
        assert all(math.isfinite(value) for value in energy_of(self.simulation).as_dict().values())
        assert int((~run.world.fixed).sum()) == run.state.poured - run.state.removed
        assert 0.0 < run.dt <= 1e-3


def test_p10_changes_of_parameters_in_any_order_lose_no_grain_and_leave_numbers_finite(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_plain_engine(monkeypatch)
    run_state_machine_as_test(
        AnyOrder,
        settings=settings(
            max_examples=max(1, EXAMPLES // 10),
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
