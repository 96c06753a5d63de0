"""Edits of the user: shown until a snapshot has them, undone exactly, refused in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repose.app.ui.edits import PATIENCE, Edits
from repose.app.ui.undo import DEPTH, UndoHistory
from repose.sim.experiment.commands import (
    DRAWN,
    Command,
    DrawWall,
    From,
    Recover,
    RemoveWall,
    SetParameters,
    TakeBack,
)
from repose.sim.experiment.control import apply
from repose.sim.experiment.snapshot import Fault, Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterSet
from repose.sim.registry import scenes

from tests.english import english
from tests.sim.experiment.test_pull import falling, free_grain, place_of
from tests.small_worlds import use_plain_engine
from tests.snapshots import put, snapshot_of

DEFAULTS = scenes()["heap"].parameters()


class World:
    """The least that answers commands: parameters, and a snapshot of them."""

    def __init__(self) -> None:
        self.parameters: ParameterSet = DEFAULTS
        self.commands: list[Command] = []
        self.serial = 1

    def send(self, command: Command) -> None:
        self.commands.append(command)
        assert isinstance(command, (SetParameters, Recover))
        self.parameters = self.parameters.changed(**command.values)

    def snapshot(self, **more: object) -> Snapshot:
        self.serial += 1
        shown = {"serial": self.serial, "parameters": self.parameters, "time": self.serial * 0.1}
        return snapshot_of(**shown | more)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def edits(world: World) -> Edits:
    edits = Edits(world.send)
    edits.see(world.snapshot())
    return edits


def test_a_thousand_undos_and_redos_give_the_same_bits(world: World, edits: Edits) -> None:
    values = [0.1 + 0.001 * k / 7 for k in range(1000)]
    for value in values:
        edits.set({"friction": value, "gravity": 9.81 + value / 3})
        edits.see(world.snapshot())
    final = world.parameters
    for _ in range(1000):
        edits.undo()
    assert world.parameters == DEFAULTS
    for _ in range(1000):
        edits.redo()
    assert world.parameters == final
    assert world.parameters.model_dump_json() == final.model_dump_json()


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["set", "undo", "redo"]), st.floats(0.0, 2.0)), max_size=60))
def test_undo_and_redo_give_the_states_of_a_list_of_them(steps: list[tuple[str, float]]) -> None:
    world = World()
    edits = Edits(world.send)
    states, at = [0.1], 0
    for does, value in steps:
        edits.see(world.snapshot())
        if does == "set":
            edits.set({"friction": value})
            if value != states[at]:
                states, at = [*states[: at + 1], value], at + 1
            else:
                states = states[: at + 1] if edits.history.redoable == [] else states
        elif does == "undo":
            edits.undo()
            at = max(at - 1, 0)
        else:
            edits.redo()
            at = min(at + 1, len(states) - 1)
        assert world.parameters.friction == states[at]


def test_a_wanted_value_is_shown_until_the_snapshot_has_it(world: World, edits: Edits) -> None:
    old = world.snapshot()
    edits.set({"friction": 0.4})
    edits.see(old)
    assert edits.value("friction") == 0.4
    edits.see(world.snapshot())
    assert edits.value("friction") == 0.4


def test_a_value_that_the_engine_does_not_use_is_discarded(world: World, edits: Edits) -> None:
    edits.set({"friction": 0.4})
    world.parameters = DEFAULTS
    for _ in range(PATIENCE + 1):
        edits.see(world.snapshot())
    assert edits.value("friction") == 0.1


def test_a_refusal_of_the_engine_is_assigned_to_the_field_that_caused_it(world: World, edits: Edits) -> None:
    edits.set({"friction": 0.4})
    world.parameters = DEFAULTS
    edits.see(world.snapshot(refusal="not now"))
    assert english(edits.refusals) == {"friction": "not now"}
    assert edits.value("friction") == 0.1
    edits.set({"gravity": 5.0})
    assert edits.refusals == {}


def test_nothing_can_be_set_before_the_engine_is_ready() -> None:
    sent: list[Command] = []
    assert not Edits(sent.append).set({"friction": 0.2})
    assert sent == []


def test_after_a_fault_a_change_recovers(world: World, edits: Edits) -> None:
    edits.set({"normal_stiffness": 1e9})
    edits.see(world.snapshot(fault=Fault("boom", 3, "normal_stiffness", 1e6)))
    edits.undo()
    assert world.commands[-1] == Recover({"normal_stiffness": 1e6})


def test_after_a_fault_without_history_undo_restores_the_value_before_it(world: World, edits: Edits) -> None:
    edits.see(world.snapshot(fault=Fault("boom", 3, "normal_stiffness", 2e6)))
    assert edits.to_undo() == {"normal_stiffness": 2e6}
    edits.undo()
    assert world.commands == [Recover({"normal_stiffness": 2e6})]


def test_changes_are_marked_in_time_and_a_drag_leaves_one_mark(world: World, edits: Edits) -> None:
    for value in (0.2, 0.3, 0.4):
        edits.set({"friction": value}, gesture="drag")
        edits.see(world.snapshot())
    edits.set({"gravity": 1.62})
    assert [str(mark.text) for mark in edits.marks] == ["friction: 0.1 → 0.4", "gravity: 9.81 m/s² → 1.62 m/s²"]
    friction, gravity = edits.marks
    world.serial = 0
    edits.see(world.snapshot())
    assert edits.marks == [friction, gravity], "an earlier step is shown: the run still has them"
    world.serial = round(10 * gravity.time) - 1
    edits.see(world.snapshot(time=0.5 * (friction.time + gravity.time), cuts=1))
    assert edits.marks == [friction], "the run goes on from there"


def test_a_snapshot_that_physics_fills_again_is_compared_as_it_was(world: World, edits: Edits) -> None:
    shown = world.snapshot(at=50, log_end=100)
    edits.history.record({"friction": 0.1}, {"friction": 0.2}, at=80)
    edits.see(shown)
    put(shown, cuts=1, at=60, log_end=60, serial=100)  # in another thread, before the window reads the newest one
    edits.see(shown)
    assert edits.history.to_come == []


def test_after_the_history_is_deleted_no_change_can_be_undone(world: World, edits: Edits) -> None:
    edits.set({"friction": 0.2})
    edits.forget()
    edits.undo()
    assert len(world.commands) == 1
    assert edits.marks == []


def test_a_change_back_to_the_first_value_is_not_stored() -> None:
    history = UndoHistory()
    history.record({"friction": 0.1}, {"friction": 0.5}, "drag")
    history.record({"friction": 0.5}, {"friction": 0.1}, "drag")
    assert history.undoable == []


def test_the_oldest_undo_step_is_deleted_first() -> None:
    history = UndoHistory()
    for k in range(DEPTH + 5):
        history.record({"friction": k / 1e4}, {"friction": (k + 1) / 1e4})
    assert len(history.undoable) == DEPTH
    assert history.undoable[0].before == {"friction": 5 / 1e4}


def test_undo_of_a_change_that_restarted_the_experiment_restores_the_grains() -> None:
    sent: list[Command] = []
    edits = Edits(sent.append)
    parameters = scenes()["vessel"].parameters()
    edits.see(snapshot_of(serial=1, at=700, log_end=700, parameters=parameters))
    edits.set({"mesh_lift": 0.01})
    edits.see(snapshot_of(serial=2, at=700, log_end=700, parameters=parameters.changed(mesh_lift=0.01)))
    edits.undo()
    assert sent[-1] == TakeBack("mesh_lift")


def test_undo_acts_on_the_run_side_by_side_in_which_the_change_was_made() -> None:
    commands: list[Command] = []
    edits = Edits(commands.append)
    edits.run = 1
    edits.see(snapshot_of(serial=1, parameters=DEFAULTS))
    edits.set({"friction": 0.5})
    edits.run = 0
    edits.see(snapshot_of(serial=2, parameters=DEFAULTS))
    edits.undo()
    edits.redo()
    assert commands == [
        SetParameters({"friction": 0.5}),
        From(1, SetParameters({"friction": DEFAULTS.friction})),
        From(1, SetParameters({"friction": 0.5})),
    ]


def test_a_change_made_right_after_an_undo_can_be_undone_although_the_run_answers_some_frames_later() -> None:
    """The log still extended beyond the step of the change, which was taken for a later one and forgotten."""
    history = UndoHistory()
    history.note("push", 100)
    history.follow(500, 500)
    history.undo()
    history.follow(100, 500)  # the run is where it was before the push; its log ends where it was
    history.note("grab", 100)
    history.follow(100, 500)
    history.follow(100, 500)
    history.leave_later()
    history.follow(140, 140)
    assert [change.deed for change in history.undoable] == ["grab"]
    history.follow(90, 140)  # a seek to an earlier step
    assert [change.deed for change in history.to_come] == ["grab"]


@pytest.mark.parametrize("between", [0, 10])
def test_a_wall_drawn_and_erased_before_a_tilt_is_undone_and_redone_one_by_one(
    monkeypatch: pytest.MonkeyPatch, between: int
) -> None:
    use_plain_engine(monkeypatch)
    experiment, snapshot = falling(), Snapshot()
    edits = Edits(lambda command: refused.append(apply(experiment, command)))
    refused: list[object] = []

    def seen() -> tuple[int, float]:
        """Walls and tilt after a few frames."""
        advance(experiment, between)
        for _ in range(PATIENCE + 1):
            take_snapshot(experiment, snapshot)
            edits.see(snapshot)
        return experiment.run.world.walls.shape.size, experiment.parameters.tilt

    states = [seen()]
    x, y = place_of(experiment, free_grain(experiment))
    above = float(y) + 0.02
    for command in (DrawWall((x - 3e-3, above), (x + 3e-3, above)), RemoveWall((x, above), 1e-3)):
        edits.note(DRAWN)
        edits.send(command)
        states.append(seen())
    edits.set({"tilt": 0.1})
    states.append(seen())
    assert states == [(0, 0.0), (1, 0.0), (0, 0.0), (0, 0.1)]
    for before in reversed(states[:-1]):
        edits.undo()
        assert seen() == before
    for after in states[1:]:
        edits.redo()
        assert seen() == after
    assert not any(refused)
