"""A sphere is pulled while the experiment runs: it follows, the force is limited, work is booked, a replay agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import (
    PULLED,
    PUSHED,
    REMOVED,
    Act,
    Command,
    DoAgain,
    Pull,
    Push,
    Recover,
    Release,
    RemoveGrain,
    Rewind,
    SetParameters,
    Shake,
    Still,
    TakeBack,
)
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.hand import FREQUENCY, force_of_pull, row_of
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.replay import play, verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import ShownPull, Snapshot
from repose.sim.experiment.stepping import advance, at_rest
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.fields.target import Target
from repose.sim.io.archive import ArchiveError
from repose.sim.io.plain import decode, encode
from repose.sim.wording import value_text

from tests.reliability.runs import FEW, go, landed, poured, resumed, saved
from tests.small_worlds import use_plain_engine

EARTH = 9.81


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine in plain Python."""
    use_plain_engine(monkeypatch)


def done(experiment: Experiment, *commands: Command) -> Experiment:
    for command in commands:
        assert not apply(experiment, command)
    return experiment


def falling() -> Experiment:
    """One grain on its way down."""
    experiment = done(new_experiment("heap", FEW | {"grain_count": 1}), Act("fill"))
    advance(experiment, 50)
    return experiment


def free_grain(experiment: Experiment) -> int:
    """Id of the highest grain that can move."""
    world = experiment.run.world
    height = np.where(world.fixed, -np.inf, world.motion[1, 0])
    return int(world.sphere_id[height.argmax()])


def place_of(experiment: Experiment, sphere: int) -> np.ndarray:
    row = row_of(experiment.run.world, sphere)
    return experiment.run.world.motion[: experiment.scene.model.dimension, 0, row].copy()


def weight_of(experiment: Experiment, sphere: int) -> float:
    return EARTH * float(experiment.run.world.mass[row_of(experiment.run.world, sphere)])


@pytest.mark.usefixtures("plain")
def test_a_held_grain_comes_to_hang_a_quarter_of_a_millimetre_below_the_target_with_its_weight_as_force() -> None:
    experiment = falling()
    sphere = free_grain(experiment)
    target = np.array([2.5e-3, 11e-3])  # between the walls
    done(experiment, Pull(sphere, tuple(target), 50.0 * weight_of(experiment, sphere)))
    advance(experiment, round(0.06 / experiment.dt))
    assert place_of(experiment, sphere) - target == pytest.approx((0.0, -EARTH / FREQUENCY**2), abs=5e-6)
    weight = weight_of(experiment, sphere)
    assert force_of_pull(experiment) == pytest.approx((0.0, weight), abs=0.03 * weight)
    assert not at_rest(experiment)
    done(experiment, Release())
    assert force_of_pull(experiment) is None
    advance(experiment, 60)
    assert place_of(experiment, sphere)[1] < target[1] - EARTH / FREQUENCY**2


@pytest.mark.usefixtures("plain")
def test_the_pull_is_limited_and_its_work_is_booked() -> None:
    experiment = falling()
    sphere = free_grain(experiment)
    limit = 3.0 * weight_of(experiment, sphere)
    begun, before = energy_of(experiment).work, place_of(experiment, sphere)
    done(experiment, Pull(sphere, (0.0, 5.0), limit))
    speed = experiment.run.world.motion[:2, 1, row_of(experiment.run.world, sphere)].copy()
    gap, start = energy_of(experiment).gap, experiment.time
    advance(experiment, 200)
    assert np.hypot(*force_of_pull(experiment)) == pytest.approx(limit)
    elapsed = experiment.time - start
    lifted = place_of(experiment, sphere) - before
    assert lifted[1] == pytest.approx(speed[1] * elapsed + EARTH * elapsed**2, rel=0.05)  # 3 g up, 1 g down
    energy = energy_of(experiment)
    assert energy.work - begun == pytest.approx(limit * lifted[1], rel=0.05)
    assert abs(energy.gap - gap) < 0.02 * (energy.work - begun)


def momentum_of_body(experiment: Experiment) -> np.ndarray:
    """Momentum [kg m/s] and angular momentum [kg m²/s] of the only body at the time of its position."""
    bodies, lead = experiment.run.world.bodies, experiment.engine.model.integrator.velocity_lead * experiment.dt
    return (bodies.motion[:, 1, 0] - lead * bodies.motion[:, 2, 0]) / bodies.inverse_mass[:, 0]


def shown_now(experiment: Experiment) -> ShownPull | None:
    """What a snapshot shows of the pull."""
    take_snapshot(experiment, snapshot := Snapshot())
    return snapshot.hand.pull


@pytest.mark.usefixtures("plain")
def test_a_member_is_pulled_with_its_body_which_moves_and_turns_as_the_force_and_its_arm_say() -> None:
    values = {"grain_count": 1, "shape": "rod", "members": 2, "gravity": 9.81, "young": 1e6}
    experiment = done(new_experiment("joined", values), Act("fill"))
    advance(experiment, CHECK_STEPS)
    world = experiment.run.world
    end, other = int(world.sphere_id[0]), int(world.sphere_id[1])
    weight = EARTH * float(world.mass[0])  # of the whole body
    above = world.bodies.motion[:2, 0, 0] + np.array([0.0, 0.01])
    begun, gap = energy_of(experiment).work, energy_of(experiment).gap
    momentum = momentum_of_body(experiment)
    done(experiment, Pull(end, tuple(above), 2.0 * weight))
    pushes = []
    for _ in range(10):
        advance(experiment, 1)
        x, y = shown_now(experiment).force
        arm = place_of(experiment, end) - experiment.run.world.bodies.motion[:2, 0, 0]
        pushes.append((x, y - weight, arm[0] * y - arm[1] * x))
    # Leap-frog kicks by the force at the end of the step before: half a kick is due at the end. It reads the velocity
    # half a step late, which is left out here.
    pushes[-1] = tuple(0.5 * push for push in pushes[-1])
    gained = momentum_of_body(experiment) - momentum
    fallen = 0.5 * experiment.dt * np.array((0.0, -weight, 0.0))
    assert gained == pytest.approx(experiment.dt * np.sum(pushes, axis=0) + fallen, rel=1e-3)
    advance(experiment, 60)
    distance = np.hypot(*(place_of(experiment, end) - place_of(experiment, other)))
    assert distance == pytest.approx(2.0 * experiment.run.world.radius[0], rel=1e-9)
    energy = energy_of(experiment)
    assert abs(energy.gap - gap) < 0.05 * abs(energy.work - begun)


@pytest.mark.usefixtures("plain")
def test_a_snapshot_shows_where_the_pull_acts_how_strong_and_towards_what() -> None:
    experiment = falling()
    sphere, limit = free_grain(experiment), 3.0 * weight_of(experiment, free_grain(experiment))
    assert shown_now(experiment) is None
    done(experiment, Pull(sphere, (0.0, 5.0), limit))
    shown = shown_now(experiment)
    assert (shown.sphere_id, shown.target, shown.limit) == (sphere, (0.0, 5.0), limit)
    assert shown.position == tuple(place_of(experiment, sphere))
    assert np.hypot(*shown.force) == pytest.approx(limit)
    assert shown.force == pytest.approx(force_of_pull(experiment))
    done(experiment, Release())
    assert shown_now(experiment) is None


def dragged(experiment: Experiment) -> Experiment:
    """A grain moved along by several commands, as by a mouse, and let go."""
    sphere = free_grain(experiment)
    for k in range(5):
        position = place_of(experiment, sphere) + np.array([1e-3 * k, 2e-3])
        done(experiment, Pull(sphere, tuple(position), 20.0 * weight_of(experiment, sphere)))
        go(experiment, experiment.history.at + 437)
    return experiment


def stirred(experiment: Experiment) -> Experiment:
    """A rod moved through the grains by several commands, as by a mouse."""
    for k in range(3):
        done(experiment, Push((1e-3 * k, 2e-3), 1e-3, 500.0, 0.2, True))
        go(experiment, experiment.history.at + 137)
    return experiment


def test_a_replay_of_a_run_that_a_hand_has_changed_gives_the_same_bits_and_so_does_a_rewind() -> None:
    experiment = done(dragged(poured(5_000)), Release())
    experiment = done(stirred(experiment), Release(), Shake(2e-4, 60.0, True))
    go(experiment, 8_000)
    done(experiment, Still())
    go(experiment, 9_000)
    verdict = verify(saved_copy(experiment))
    assert verdict.differs_at is None
    assert verdict.compared >= 4
    filmed = play(saved_copy(experiment), lambda experiment, at: 1.0)  # its commands acted at the next stop of the film
    assert filmed.verdict.differs_at is None
    assert state_hash(filmed.experiment.run) == state_hash(experiment.run)
    digest = state_hash(experiment.run)
    untouched = go(poured(5_000), 9_000)
    assert state_hash(untouched.run) != digest
    done(experiment, Rewind(6_000), Rewind(9_000))
    assert state_hash(experiment.run) == digest


def test_the_latest_pull_is_taken_back_as_a_whole_and_then_the_one_before_it() -> None:
    experiment, moments = poured(5_000), []
    for _ in range(2):
        moments.append((experiment.history.at, experiment.history.commands, state_hash(experiment.run)))
        done(dragged(experiment), Release())
        go(experiment, experiment.history.at + 50)
    for at, commands, digest in reversed(moments):
        done(experiment, TakeBack(PULLED))
        assert (experiment.history.at, experiment.history.commands) == (at, commands)
        assert state_hash(experiment.run) == digest
        assert experiment.run.target is None
    assert "nothing to undo" in str(apply(experiment, TakeBack(PULLED)))
    assert state_hash(experiment.run) == moments[0][2]


def test_what_was_taken_back_is_done_again_with_the_same_bits_and_then_the_deed_before_it() -> None:
    experiment, moments = poured(5_000), []
    assert "nothing to redo" in str(apply(experiment, DoAgain(PULLED)))
    for change in (dragged, stirred):
        moments.append((experiment.history.at, experiment.history.commands, state_hash(experiment.run)))
        done(change(experiment), Release())
    moments.append((experiment.history.at, experiment.history.commands, state_hash(experiment.run)))
    done(experiment, TakeBack(PUSHED), TakeBack(PULLED))
    for deed, (at, commands, digest) in zip((PULLED, PUSHED), moments[1:], strict=True):
        done(experiment, DoAgain(deed))
        assert (experiment.history.at, experiment.history.commands) == (at, commands)
        assert state_hash(experiment.run) == digest
    assert "nothing to redo" in str(apply(experiment, DoAgain(PULLED)))
    assert verify(saved_copy(experiment)).differs_at is None


def test_a_removed_grain_is_put_back_and_removed_again_at_another_step() -> None:
    experiment = poured(5_000)
    digest, count = state_hash(experiment.run), experiment.run.world.sphere_count
    assert "nothing to undo" in str(apply(experiment, TakeBack(REMOVED)))
    done(experiment, RemoveGrain(free_grain(experiment)))
    go(experiment, 5_100)
    assert experiment.run.world.sphere_count == count - 1
    done(experiment, TakeBack(REMOVED))
    assert state_hash(experiment.run) == digest
    go(experiment, 5_050)
    done(experiment, DoAgain(REMOVED))
    assert (experiment.history.at, experiment.run.world.sphere_count) == (5_050, count - 1)


def test_a_run_saved_while_a_grain_is_held_continues_with_the_same_bits() -> None:
    experiment = done(stirred(dragged(poured(5_000))), Shake(2e-4, 60.0, False))
    other = resumed(saved(experiment))
    assert other.run.target == experiment.run.target is not None
    assert other.run.pusher == experiment.run.pusher is not None
    assert other.run.shaker == experiment.run.shaker is not None
    for run in (experiment, other):
        go(run, 8_000)
    assert state_hash(other.run) == state_hash(experiment.run)


@pytest.mark.usefixtures("plain")
def test_another_start_and_the_way_out_of_a_fault_let_go() -> None:
    experiment = landed()
    sphere = free_grain(experiment)
    done(experiment, Pull(sphere, (0.0, 0.1), 1.0))
    assert experiment.run.target is not None
    done(experiment, SetParameters({"dt": 1e-3}))
    advance(experiment, 400)
    assert experiment.fault is not None
    assert "continue it first" in str(apply(experiment, Pull(sphere, (0.0, 0.1), 1.0)))
    done(experiment, Recover({"dt": FEW["dt"]}))
    assert experiment.run.target is None
    done(experiment, Pull(free_grain(experiment), (0.0, 0.1), 1.0), Act("reset"))
    assert experiment.run.target is None


@pytest.mark.parametrize(
    ("sphere", "place", "limit", "reason"),
    [
        (10**6, (0.0, 0.0), 1.0, "no movable grain"),
        (True, (0.0, 0.0), 1.0, "no movable grain"),
        ("first", (0.0, 0.0), 1.0, "no movable grain"),
        ("base", (0.0, 0.0), 1.0, "no movable grain"),
        ("free", (0.0,), 1.0, "none of 2 coordinates"),
        ("free", (0.0, float("nan")), 1.0, "none of 2 coordinates"),
        ("free", (0.0, 1e9), 1.0, "none of 2 coordinates"),
        ("free", "up", 1.0, "none of 2 coordinates"),
        ("free", (0.0, 0.0), 0.0, "above 0 and up to"),
        ("free", (0.0, 0.0), float("nan"), "above 0 and up to"),
        ("free", (0.0, 0.0), 1e12, "above 0 and up to"),
    ],
)
def test_a_pull_that_is_impossible_is_refused_in_one_sentence(
    sphere: Any, place: Any, limit: float, reason: str
) -> None:
    experiment = landed()
    world = experiment.run.world
    sphere = {"free": free_grain(experiment), "base": int(world.sphere_id[world.fixed][0])}.get(sphere, sphere)
    said = apply(experiment, Pull(sphere, place, limit))
    assert reason in str(said)
    assert str(said).startswith(f"Pulling grain {value_text(sphere)} is refused: ")
    assert experiment.run.target is None
    assert not any(isinstance(entry.command, Pull) for entry in experiment.history.log.entries)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("target", [[[0.0], 3, 1.0, 1.0, 1.0], [[0.0, 0.0], 3, -1.0, 1.0, 1.0]])
def test_a_file_with_an_impossible_pull_is_damaged(target: list) -> None:
    experiment = new_experiment("heap", FEW)
    experiment.run.target = decode(Target, target, {}, "target")
    with pytest.raises(ArchiveError, match="pull"):
        resumed(saved(experiment))


def test_a_pull_is_written_as_plain_numbers() -> None:
    command = Pull(3, (0.1, 0.2), 1.5)
    assert decode(Pull, encode(command, {}, "command"), {}, "command") == command
