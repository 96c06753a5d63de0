"""A rod or a soft push moves grains, a table shakes: forces against closed forms, work booked, refusals, undo."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.fields import Sphere
from repose.sim.engine.parts import compiled_parts
from repose.sim.experiment import hand
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import (
    PUSHED,
    SHAKEN,
    Act,
    Command,
    DoAgain,
    Pull,
    Push,
    Release,
    SetParameters,
    Shake,
    Still,
    TakeBack,
)
from repose.sim.experiment.control import DRAGS, apply, begin_of_drag
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import compiled_fields, forces_of, shown_push
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance, at_rest
from repose.sim.fields import pusher
from repose.sim.fields.pusher import Pusher
from repose.sim.io.archive import ArchiveError
from repose.sim.io.plain import decode, encode

from tests.reliability.runs import FEW, landed, resumed, saved
from tests.sim.experiment.test_pull import done, falling, free_grain, place_of
from tests.small_worlds import use_plain_engine


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine in plain Python."""
    use_plain_engine(monkeypatch)


def velocity_of(experiment: Experiment) -> np.ndarray:
    world = experiment.run.world
    return world.motion[:2, 1, ~world.fixed][:, 0].copy()


def beside(experiment: Experiment, x: float, y: float) -> tuple[float, float]:
    """A place relative to the only grain [m]."""
    centre = place_of(experiment, free_grain(experiment))
    return float(centre[0]) + x, float(centre[1]) + y


def test_a_rod_pushes_a_grain_out_of_its_way_and_all_of_its_work_is_booked() -> None:
    experiment = falling()
    radius = float(experiment.run.world.radius[~experiment.run.world.fixed][0])
    size, speed = 1e-3, 0.3
    x, y = beside(experiment, 0.0, -size - radius - 1e-3)
    done(experiment, Push((x, y), size, 5e4, 10.0, True))
    advance(experiment, math.ceil(2.0 * size / 10.0 / experiment.dt))  # it has grown
    begun, gap = energy_of(experiment).work, energy_of(experiment).gap
    done(experiment, Push((x, y + 1.0), size, 5e4, speed, True))
    advance(experiment, math.ceil(0.01 / experiment.dt))
    shown = shown_push(experiment)
    assert shown is not None
    assert (shown.rigid, shown.radius) == (True, size)
    assert shown.position[1] == pytest.approx(y + 0.01 * speed, abs=2e-5)
    grain = place_of(experiment, free_grain(experiment))
    assert math.dist(grain, shown.position) > 0.95 * (size + radius)  # it is pushed out of the way
    energy = energy_of(experiment)
    assert energy.work > begun
    assert abs(energy.gap - gap) < 0.02 * (energy.work - begun)
    assert not at_rest(experiment)
    done(experiment, Release())
    assert shown_push(experiment) is None


def test_a_soft_push_accelerates_a_grain_by_its_limit_times_the_share_of_the_way_to_its_centre() -> None:
    experiment = falling()
    radius = float(experiment.run.world.radius[~experiment.run.world.fixed][0])
    before = velocity_of(experiment)
    done(experiment, Push(beside(experiment, -2e-3, 0.0), 4e-3, 50.0, 100.0, False))
    shown = shown_push(experiment)
    share = 0.5 + radius / 4e-3  # half way to the centre, and the grain is not a point
    assert shown is not None
    assert shown.radius == 0.0  # it grows from now on
    steps = 20
    advance(experiment, steps)
    shown, mass = shown_push(experiment), float(experiment.run.world.mass[~experiment.run.world.fixed][0])
    assert shown is not None
    assert shown.force[0] == pytest.approx(-mass * 50.0 * share, rel=0.1)
    gained = velocity_of(experiment) - before
    passed = steps * experiment.dt
    assert gained[0] == pytest.approx(50.0 * share * passed, rel=0.1)
    assert gained[1] == pytest.approx(-9.81 * passed, rel=0.05)


def test_a_rod_shortens_the_time_step_only_while_it_grows_or_moves() -> None:
    experiment, size, fast = done(falling(), SetParameters({"dt": "auto"})), 1e-3, 50.0
    free = experiment.dt
    x, y = beside(experiment, 0.05, 0.05)
    done(experiment, Push((x, y), size, 1e4, fast, True))
    assert experiment.dt < 0.5 * free  # it grows
    radius = float(experiment.run.world.radius.max())
    advance(experiment, math.ceil((size + radius) / fast / experiment.dt))
    done(experiment, Push((x, y), size, 1e4, fast, True))
    assert hand.speed_of_hand(experiment.run, experiment.time) == 0.0
    done(experiment, Push((x + 1.0, y), size, 1e4, fast, True))
    assert hand.speed_of_hand(experiment.run, experiment.time) == pytest.approx(fast)  # it moves, and grows no more
    done(experiment, Push((x, y), size, 1e4, fast, True))
    advance(experiment, 400)
    assert experiment.dt == pytest.approx(free, rel=0.3)  # it stands


def test_a_rod_that_begins_on_a_grain_does_not_shoot_it_away() -> None:
    experiment = falling()
    done(experiment, Push(beside(experiment, 1e-5, 0.0), 3e-3, 5e3, 0.2, True))
    fastest = 0.0
    for _ in range(30):
        advance(experiment, 20)
        fastest = max(fastest, abs(velocity_of(experiment)[0]))
    assert 0.1 < fastest < 0.3  # as fast as the rod grows


def test_a_shaken_table_accelerates_a_falling_grain_as_the_closed_form_says_and_books_its_work() -> None:
    experiment = falling()
    amplitude, frequency = 1e-4, 80.0
    before, start = velocity_of(experiment), experiment.time
    done(experiment, Shake(amplitude, frequency, False))
    begun, gap = energy_of(experiment).work, energy_of(experiment).gap
    advance(experiment, round(0.2 / frequency / experiment.dt))
    w, passed = 2.0 * math.pi * frequency, experiment.time - start
    assert velocity_of(experiment)[0] - before[0] == pytest.approx(-amplitude * w * math.sin(w * passed), rel=0.03)
    energy = energy_of(experiment)
    assert abs(energy.work - begun) > 0.0
    assert abs(energy.gap - gap) < 0.05 * abs(energy.work - begun)
    assert not at_rest(experiment)
    moving = velocity_of(experiment)[0]
    done(experiment, Still())
    advance(experiment, 20)
    assert velocity_of(experiment)[0] == pytest.approx(moving, rel=0.01)


def test_the_force_shown_is_that_of_the_field_on_every_grain() -> None:
    rng = np.random.default_rng(3)
    position, velocity = rng.normal(0.0, 2e-3, (2, 60)), rng.normal(0.0, 0.3, (2, 60))
    radius, mass = rng.uniform(5e-4, 1e-3, 60), rng.uniform(1e-6, 1e-5, 60)
    held = Pusher((1e-4, 0.0), (0.2, -0.1), 0.5, 0.1, 0.49, 0.1, 2e-3, 1e6, 1.5e3, 800.0)
    now = 0.51  # it moves, and still grows
    wanted = []
    for k in range(60):
        place, speed = tuple(position[:, k].tolist()), tuple(velocity[:, k].tolist())
        wanted.append(pusher.force(held, Sphere(place, speed, (), float(radius[k]), float(mass[k]), 0), now).force)
    found = forces_of(held, position, velocity, radius, mass, now)
    np.testing.assert_allclose(found.T, wanted, rtol=1e-12, atol=1e-15)
    assert len(np.unique(np.linalg.norm(found, axis=0) / mass)) > 10  # free, at the limit, and between them


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Push((0.0,), 1.0, 1.0, 1.0, True), "none of 2 coordinates"),
        (Push((0.0, math.nan), 1.0, 1.0, 1.0, True), "none of 2 coordinates"),
        (Push((0.0, 0.0), 0.0, 1.0, 1.0, True), "radius is 0.0 m"),
        (Push((0.0, 0.0), 1.0, math.inf, 1.0, True), "largest acceleration is inf"),
        (Push((0.0, 0.0), 1.0, 1.0, -1.0, True), "speed is -1.0 m/s"),
        (Shake(0.0, 10.0, True), "amplitude is 0.0 m"),
        (Shake(2.0, 10.0, True), "amplitude is 2.0 m"),
        (Shake(1e-3, math.nan, True), "frequency is nan Hz"),
        (Shake(0.5, 100.0, True), "choose a smaller amplitude or frequency"),
    ],
)
def test_what_the_hand_cannot_do_is_refused_in_one_sentence(command: Any, reason: str) -> None:
    experiment = falling()
    said = apply(experiment, command)
    assert reason in str(said)
    assert str(said).count(". ") == 0
    assert experiment.run.pusher is experiment.run.shaker is None
    assert experiment.history.log.entries[-1].command == Act("fill")


def test_a_frequency_that_the_time_step_does_not_resolve_is_refused_with_the_highest_one_that_it_does() -> None:
    experiment = landed()
    experiment.run.dt = 1e-4
    assert "resolves up to 159 Hz" in str(apply(experiment, Shake(1e-6, 200.0, True)))


def test_undo_takes_back_the_shaking_and_the_whole_push() -> None:
    experiment, moments = falling(), []
    for commands in ((Shake(1e-5, 50.0, True),), tuple(Push((1e-3 * k, 0.0), 1e-3, 50.0, 0.1, True) for k in range(3))):
        moments.append(state_hash(experiment.run))
        for command in commands:
            done(experiment, command)
            advance(experiment, 20)
    done(experiment, TakeBack(PUSHED))
    assert state_hash(experiment.run) == moments[1]
    assert experiment.run.pusher is None
    assert experiment.run.shaker is not None
    done(experiment, TakeBack(SHAKEN))
    assert state_hash(experiment.run) == moments[0]
    assert experiment.run.shaker is None
    assert "nothing to undo" in str(apply(experiment, TakeBack(PUSHED)))


def test_a_drag_taken_back_while_the_button_is_down_lets_go_at_its_end_when_it_is_done_again() -> None:
    experiment = falling()
    before = state_hash(experiment.run)
    done(experiment, Push(beside(experiment, 1e-5, 0.0), 1e-3, 50.0, 0.1, True))
    advance(experiment, 20)
    done(experiment, TakeBack(PUSHED))
    assert state_hash(experiment.run) == before
    done(experiment, DoAgain(PUSHED))
    assert experiment.run.pusher is None
    assert [type(entry.command) for entry in experiment.history.log.entries[-2:]] == [Push, Release]
    assert experiment.history.log.entries[-1].at - experiment.history.log.entries[-2].at == 20


def test_a_drag_of_one_kind_ends_where_one_of_another_kind_begins() -> None:
    push, grab = Push((0.0, 0.0), 1.0, 1.0, 1.0, True), Pull(1, (0.0, 0.0), 1.0)
    commands: list[Command] = [push, push, grab, grab, push, push]
    assert begin_of_drag(commands, DRAGS[PUSHED]) == 4
    assert begin_of_drag(commands[:4], DRAGS[PUSHED]) == 0
    assert begin_of_drag([grab], DRAGS[PUSHED]) is None


@pytest.mark.parametrize("field", ["pusher", "shaker"])
def test_a_file_with_an_impossible_hand_is_damaged(field: str) -> None:
    experiment = done(falling(), Push((0.0, 0.0), 1e-3, 50.0, 0.1, True), Shake(1e-5, 50.0, True))
    held = getattr(experiment.run, field)
    assert getattr(resumed(saved(experiment)).run, field) == held
    broken = {"pusher": {"radius": -1.0}, "shaker": {"direction": (1.0, 1.0)}}[field]
    setattr(experiment.run, field, held._replace(**broken))
    with pytest.raises(ArchiveError, match="damaged"):
        resumed(saved(experiment))


def test_what_is_compiled_ahead_is_what_a_hand_needs() -> None:
    experiment = done(falling(), Push((0.0, 0.0), 1e-3, 50.0, 0.1, True), Shake(1e-5, 50.0, True))
    model, ahead = experiment.engine.model, compiled_fields(experiment.engine.model, experiment.coefficients)
    numbers = hand.stepper(experiment)[1]
    assert compiled_parts(hand.model_with_hand(model), (), numbers).add_field_forces is ahead


@pytest.mark.parametrize("command", [Push((0.1, 0.2), 1e-3, 50.0, 0.1, False), Shake(1e-3, 20.0, True), Still()])
def test_commands_of_the_hand_are_written_as_plain_numbers(command: Any) -> None:
    assert decode(type(command), encode(command, {}, "command"), {}, "command") == command


def test_a_push_where_no_grain_can_move_says_so() -> None:
    experiment = new_experiment("heap", FEW)  # nothing is poured yet
    assert not apply(experiment, Push((0.0, 0.01), 0.01, 30.0, 5.0, False))
    assert str(experiment.message) == "A soft push of radius 10 mm meets no grain that can move now."
