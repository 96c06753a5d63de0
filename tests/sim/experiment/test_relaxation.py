"""A packing with too large contact forces after a change is relaxed before the run continues; the work is booked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine import composition
from repose.sim.experiment.activation import use_parameters
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.relaxation import BALANCED, MOST_ITERATIONS, relax, share_done, unbalanced
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.measure.mean_speed import mean_speed

from tests.english import english

STIFFEST = 1e9
"""Upper limit of the heap's normal stiffness [N/m^1.5]."""


def column() -> Experiment:
    """The prepared column of 1100 grains, settled at 1e6 N/m^1.5."""
    return new_experiment("heap", ready="column")


def outside(experiment: Experiment) -> int:
    """Grains beyond the walls or below the base of the heap's container."""
    world = experiment.run.world
    x, y = world.motion[0, 0, ~world.fixed], world.motion[1, 0, ~world.fixed]
    return int(((x < 0.0) | (x > experiment.run.built.width) | (y < 0.0) | (y > experiment.run.state.height)).sum())


def test_the_largest_stiffness_at_once_leaves_a_settled_column_in_its_container() -> None:
    experiment = column()
    assert experiment.parameters.declared()["normal_stiffness"].high == STIFFEST
    before = energy_of(experiment)
    assert not apply(experiment, SetParameters({"normal_stiffness": STIFFEST}))
    assert "the grains moved apart" in str(experiment.message)
    left = energy_of(experiment)
    # At fixed positions the contacts would store a thousand times as much.
    assert left.elastic < before.elastic
    assert left.kinetic == pytest.approx(before.kinetic, rel=0.01)
    assert left.work == pytest.approx(left.mechanical - before.mechanical)
    lightest = float(experiment.run.world.mass[~experiment.run.world.fixed].min())
    for _ in range(10):
        assert advance(experiment, 100) == 100
        now = energy_of(experiment)
        # What moves was stored in the contacts, or is the weight that sank.
        assert now.kinetic <= left.elastic + max(0.0, left.potential - now.potential)
        world = experiment.run.world
        fastest = float(np.hypot(*world.motion[:2, 1, ~world.fixed]).max())
        assert fastest < math.sqrt(2.0 * left.elastic / lightest)
        assert abs(now.gap) < 1e-6 * now.poured
    assert outside(experiment) == 0
    assert mean_speed(experiment.run.world) < experiment.parameters.settle_speed


def test_what_the_loop_reads_is_packed_once_in_a_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed in every iteration it takes a third of the time, which a lecture waits for without a picture."""
    experiment, packs, before = column(), [], composition.packed
    monkeypatch.setattr(composition, "packed", lambda *groups: (packs.append(0), before(*groups))[1])
    relax(experiment, 0.0, 0.0, most_iterations=50)
    assert 0 < len(packs) < 10


def test_reset_after_the_largest_stiffness_gives_a_column_at_rest() -> None:
    experiment = column()
    apply(experiment, SetParameters({"normal_stiffness": STIFFEST}))
    apply(experiment, Act("reset"))
    assert str(experiment.message) == "The filled container is restored."
    assert experiment.phase == "filled"
    assert energy_of(experiment).work == 0.0
    assert unbalanced(experiment) <= BALANCED * experiment.parameters.gravity
    height = float(experiment.run.world.motion[1, 0].max())
    advance(experiment, 500)
    assert mean_speed(experiment.run.world) < experiment.parameters.settle_speed
    assert float(experiment.run.world.motion[1, 0].max()) == pytest.approx(height, abs=1e-5)


def test_a_reset_says_why_the_prepared_column_is_not_restored() -> None:
    experiment = column()
    apply(experiment, SetParameters({"base_radius": 0.4e-3}))
    apply(experiment, Act("reset"))
    assert experiment.phase == "empty"
    assert str(experiment.message) == (
        "The container is empty. The stored packing belongs to other parameters. F pours again."
    )
    apply(experiment, SetParameters({"base_radius": type(experiment.parameters)().base_radius}))
    apply(experiment, Act("reset"))
    assert english((experiment.phase, experiment.message)) == ("filled", "The filled container is restored.")


def test_the_drag_of_a_slider_to_the_largest_stiffness_does_not_burst_the_column() -> None:
    experiment = column()
    for power in range(1, 11):
        apply(experiment, SetParameters({"normal_stiffness": min(1e6 * 2.0**power, STIFFEST)}))
        advance(experiment, 50)
    before = energy_of(column()).elastic
    mass = float(experiment.run.world.mass[~experiment.run.world.fixed].sum())
    # Each change of the drag adds at most what one unbalanced by a single g does; together they stay below E.
    assert mean_speed(experiment.run.world) < math.sqrt(2.0 * before / mass) / 2.0
    assert outside(experiment) == 0


def test_a_column_at_its_own_stiffness_is_not_relaxed() -> None:
    experiment = column()
    stored = energy_of(experiment)
    assert unbalanced(experiment) < 1e-3 * experiment.parameters.gravity
    apply(experiment, SetParameters({"normal_stiffness": 1.05e6}))
    assert experiment.run.ramp is not None
    assert energy_of(experiment).elastic == stored.elastic


def test_a_change_of_gravity_lets_the_grains_move_instead() -> None:
    experiment = column()
    apply(experiment, SetParameters({"tilt": math.pi / 2}))
    assert experiment.run.ramp is not None
    assert "moved apart" not in str(experiment.message)


def test_relaxation_lowers_the_energy_and_changes_neither_velocities_nor_time() -> None:
    experiment = column()
    use_parameters(experiment, experiment.parameters.changed(normal_stiffness=1e8))
    before, velocity = energy_of(experiment), experiment.run.world.motion[:, 1].copy()
    energies = []
    for _ in range(4):
        relax(experiment, before.elastic / 100.0, 0.0, 50)
        now = energy_of(experiment)
        energies.append(now.elastic + now.potential)
    assert sorted(energies, reverse=True) == energies
    assert energies[0] < before.elastic + before.potential
    np.testing.assert_array_equal(experiment.run.world.motion[:, 1], velocity)
    assert (experiment.step, experiment.time) == (0, 0.0)
    assert MOST_ITERATIONS > 4 * 50


def test_any_number_of_threads_relaxes_to_the_same_bits() -> None:
    hashes = set()
    for threads in (1, 2):
        experiment = column()
        experiment.session.threads = threads
        advance(experiment, 10)
        apply(experiment, SetParameters({"normal_stiffness": 2e7}))
        advance(experiment, 10)
        hashes.add(state_hash(experiment.run))
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("scene", "values", "name"),
    [
        ("heap3d", {"grain_count": 60, "pouring": "cylinder"}, "young"),
        ("vessel", {"grain_count": 60}, "young"),
        pytest.param(
            "hourglass",
            {"grain_count": 60, "mean_radius": 0.02, "lid": True, "fill_height": 1.1},
            "normal_stiffness",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_in_every_scene_grains_at_rest_stay_at_rest_at_the_largest_stiffness(
    scene: str, values: dict, name: str
) -> None:
    experiment = new_experiment(scene, values)
    if scene != "hourglass":
        apply(experiment, Act("fill"))
    while not (experiment.phase in ("filled", "rested") or is_finished(experiment)):
        advance(experiment, 1000)
    before = energy_of(experiment)
    apply(experiment, SetParameters({name: experiment.parameters.declared()[name].high}))
    now = energy_of(experiment)
    assert now.elastic <= 2.0 * before.elastic
    # Leap-frog's velocities at the time of the positions follow from the forces, which the relaxation changes.
    assert now.kinetic == pytest.approx(before.kinetic, rel=0.01, abs=1e-9)
    assert now.gap == pytest.approx(before.gap, abs=1e-9)


def test_a_relaxation_tells_its_share_and_one_that_is_stopped_changes_nothing() -> None:
    experiment = column()
    advance(experiment, 100)
    shares: list[float | None] = []
    before = state_hash(experiment.run), energy_of(experiment), experiment.parameters, experiment.history.at

    def stop_later(of: Experiment, share: float | None) -> bool:
        shares.append(share)
        return len(shares) == 4

    for command in (SetParameters({"normal_stiffness": STIFFEST}), SetParameters({"base_radius": 4e-4})):
        shares.clear()
        experiment.session.while_relaxing = stop_later
        assert "nothing has changed" in str(apply(experiment, command))
        assert len(shares) == 4
        assert (state_hash(experiment.run), energy_of(experiment), experiment.parameters) == before[:3]
        assert experiment.history.log.entries == []
        assert experiment.run.ramp is None
        assert experiment.run.built.base_radius == experiment.parameters.base_radius
    untouched = column()
    advance(untouched, 100)
    for each in (experiment, untouched):
        advance(each, 200)
    assert state_hash(experiment.run) == state_hash(untouched.run)
    shares.clear()
    experiment.session.while_relaxing = lambda of, share: shares.append(share) or False
    assert not apply(experiment, SetParameters({"normal_stiffness": STIFFEST}))
    assert shares.pop() is None  # it has ended
    told = [share for share in shares if share is not None]
    assert len(told) == len(shares) > 4
    assert told == sorted(told)
    assert 0.0 <= told[0] < told[-1] <= 1.0


@pytest.mark.parametrize(
    ("first", "now", "wanted", "share"),
    [
        (8.0, 4.0, 2.0, 0.5),
        (8.0, 2.0, 2.0, 1.0),
        (1.0, -0.5, -2.0, 0.5),
        (1.0, 0.0, -1.0, 0.5),
        (-1.0, -2.0, -2.0, 1.0),
    ],
)
def test_the_share_of_a_relaxation_is_known_for_energies_of_any_sign(
    first: float, now: float, wanted: float, share: float
) -> None:
    assert share_done(first, now, wanted) == pytest.approx(share)
