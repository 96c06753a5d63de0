"""Random close packing: the published packing fraction, the law of the pressure, the ledger of the changing cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from repose.sim.engine.world import LOWEST, PERIOD, motions
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.named_records import outcomes_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.measure.colour_source import sums_over_contacts
from repose.sim.measure.coordination import coordination_number
from repose.sim.measure.grains import own_shares
from repose.sim.measure.packing import packing_fraction
from repose.sim.measure.stress import mean_stress
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.lecture import close_packing
from repose.sim.scenes.lecture.close_packing import (
    change_size,
    edge_of,
    mean_contacts,
    measured_values,
    packing_of,
    pressure_of,
)

from tests.reliability.runs import resumed, saved
from tests.tiers import tiered

SMALL = scenes()["close_packing"].test_values
SPHEROIDS = {"aspect_ratio": 1.5, "members": 5}


def begun(seed: int = 1, **values: Any) -> Experiment:
    experiment = new_experiment("close_packing", {**SMALL, **values}, seed)
    assert not apply(experiment, Act("run"))
    return experiment


def pressed(**values: Any) -> Experiment:
    """Grains that bear half of the last pressure."""
    experiment = begun(**values)
    while experiment.run.state.stress < 0.5 * experiment.run.built.pressure:
        advance(experiment, CHECK_STEPS)
        assert experiment.phase == "flowing"
    return experiment


def run_to_end(experiment: Experiment) -> None:
    while experiment.phase != "rested":
        advance(experiment, CHECK_STEPS)
        assert experiment.fault is None


def test_the_start_has_no_contacts_and_the_packing_fraction_of_the_spheres_in_the_cell() -> None:
    experiment = begun()
    world = experiment.run.world
    low = world.boundary[LOWEST]
    assert packing_of(experiment) == pytest.approx(close_packing.LOOSE)
    inside = packing_fraction(world.motion[:3, 0].T, world.radius, low, low + world.boundary[PERIOD])
    assert inside == pytest.approx(packing_of(experiment), rel=1e-6), "no sphere crosses the border"
    assert not experiment.engine.contact_table(world, experiment.engine.law_parameters).i.size


def test_a_change_of_the_size_moves_all_images_alike_and_books_the_stored_energy() -> None:
    experiment = pressed()
    world = experiment.run.world
    before, place, period = energy_of(experiment), world.motion[:3, 0].copy(), world.boundary[PERIOD].copy()
    change_size(experiment, 0.999)
    after = energy_of(experiment)
    assert world.motion[:3, 0] == pytest.approx(0.999 * place)
    assert world.boundary[PERIOD] == pytest.approx(0.999 * period)
    assert after.elastic > before.elastic
    assert after.work - before.work == pytest.approx(after.elastic - before.elastic, rel=1e-9)
    heat = after.damping - before.damping  # of the half step that begins with other overlaps
    assert after.gap - before.gap == pytest.approx(heat, abs=1e-9 * after.work)
    assert abs(heat) < 1e-3 * after.work


def test_bodies_move_with_the_cell_and_keep_their_shape() -> None:
    experiment = pressed(**SPHEROIDS)
    world, grain = experiment.run.world, experiment.run.built.grain
    wanted = experiment.run.built.mean_radius * np.diff([x for x, *_ in grain.members])

    def lengths() -> Any:
        place = world.motion[:3, 0].T.reshape(-1, len(grain.members), 3)
        return np.linalg.norm(np.diff(place, axis=1), axis=2)

    place, turned = world.bodies.motion[:3, 0].copy(), world.bodies.orientation.copy()
    middle = world.motion[:3, 0].reshape(3, -1, 5)[:, :, 2].copy()
    change_size(experiment, 0.999)
    assert world.bodies.motion[:3, 0] == pytest.approx(0.999 * place)
    assert np.array_equal(world.bodies.orientation, turned)
    assert world.motion[:3, 0].reshape(3, -1, 5)[:, :, 2] == pytest.approx(0.999 * middle), "the member at the centre"
    assert lengths() == pytest.approx(np.broadcast_to(wanted, (40, 4)), rel=1e-9)
    for _ in range(100):
        change_size(experiment, 1.0 / 0.999)
        change_size(experiment, 0.999)
    advance(experiment, CHECK_STEPS)
    assert lengths() == pytest.approx(np.broadcast_to(wanted, (40, 4)), rel=1e-9)


@pytest.mark.parametrize("values", [{}, SPHEROIDS, {"aspect_ratio": 1.3, "members": 5, "size_spread": 0.1}])
def test_the_pressure_does_the_work_of_a_small_compression(values: dict[str, Any]) -> None:
    """−dE/dV of grains at rest that only come closer; with the branches between members it would be another one."""
    experiment = pressed(**values)
    world, engine = experiment.run.world, experiment.engine
    for motion in motions(world):
        motion[:, 1:] = 0.0
    first, volume, booked = pressure_of(experiment), edge_of(world) ** 3, energy_of(experiment).work
    change_size(experiment, 0.99999)
    mean = 0.5 * (first + pressure_of(experiment))
    work, swept = energy_of(experiment).work - booked, volume - edge_of(world) ** 3
    assert work == pytest.approx(mean * swept, rel=1e-6)
    if values:
        low = world.boundary[LOWEST]
        table = engine.contact_table(world, engine.law_parameters)
        wrong = mean_stress(world._replace(bodies=()), table, low, low + world.boundary[PERIOD]).contacts
        assert abs(np.trace(wrong) / 3.0 / mean - 1.0) > 0.05


def test_the_packing_fraction_of_spheroids_is_that_of_the_union_of_their_members() -> None:
    experiment = begun(**SPHEROIDS)
    world, low = experiment.run.world, experiment.run.world.boundary[LOWEST]
    filled = packing_fraction(world.motion[:3, 0].T, world.radius, low, low + world.boundary[PERIOD], own_shares(world))
    assert packing_of(experiment) == pytest.approx(filled, rel=5e-3)
    assert packing_of(experiment) == pytest.approx(close_packing.LOOSE / experiment.run.built.reach**3)


def test_two_bodies_that_touch_with_several_members_have_one_contact() -> None:
    experiment = pressed(**SPHEROIDS)
    world, engine = experiment.run.world, experiment.engine
    table = engine.contact_table(world, engine.law_parameters)
    pairs = [
        frozenset((int(world.body[i]), int(world.body[j])))
        for i, j, overlap in zip(table.i, table.j, table.overlap, strict=True)
        if overlap > 0.0
    ]
    assert len(set(pairs)) < len(pairs), "some touch with two members"
    i, j = np.array([sorted(pair) for pair in set(pairs)]).T
    assert close_packing.contacts_of_bearing(experiment) == mean_contacts(i, j, 40, 4)


def test_a_body_has_one_colour_by_the_contacts_of_all_its_members() -> None:
    world = pressed(**SPHEROIDS).run.world
    shown = sums_over_contacts(world)["coordination"].reshape(-1, 5)
    assert (shown == shown[:, :1]).all()
    assert shown[:, 0].mean() == pytest.approx(coordination_number(world).mean)


def test_too_few_members_fall_apart_and_are_refused() -> None:
    with pytest.raises(ParameterError, match="from 5 on"):
        new_experiment("close_packing", {**SMALL, "aspect_ratio": 3.0, "members": 4}, 1)


def test_a_run_of_bodies_that_is_saved_and_continued_has_the_same_bits() -> None:
    experiment = pressed(**SPHEROIDS)
    again = resumed(saved(experiment))
    for one in (experiment, again):
        advance(one, 10 * CHECK_STEPS)
    assert state_hash(experiment.run) == state_hash(again.run)


@pytest.mark.parametrize("values", tiered([{}, SPHEROIDS], [SPHEROIDS]))
@pytest.mark.parametrize("integrator", tiered(["velocity_verlet", "gear5", "leapfrog"], ["velocity_verlet"]))
def test_the_work_of_the_cell_is_stored_and_dissipated(integrator: str, values: dict[str, Any]) -> None:
    experiment = begun(integrator=integrator, **values)
    run_to_end(experiment)
    energy = energy_of(experiment)
    assert energy.work > 0.0
    assert abs(energy.gap) < 0.01 * energy.work


@pytest.mark.parametrize("values", [{}, SPHEROIDS])
@pytest.mark.parametrize("integrator", ["velocity_verlet", "gear5", "leapfrog"])
def test_the_ledger_closes_through_impacts_in_a_cell_that_changes_at_once(
    integrator: str, values: dict[str, Any]
) -> None:
    experiment = begun(integrator=integrator, restitution=0.3, **values)
    while packing_of(experiment) < 0.45:
        advance(experiment, CHECK_STEPS)
    energy = energy_of(experiment)
    assert energy.damping > 0.5 * energy.work > 0.0
    assert abs(energy.gap) < 4e-3 * energy.work


def test_loose_spheres_and_those_that_only_they_hold_are_left_out() -> None:
    four, five = np.triu_indices(4, 1), np.triu_indices(5, 1)
    assert mean_contacts(*four, 6, 4) == 0.0, "three contacts each"
    assert mean_contacts(*four, 6, 2) == 3.0
    chain = np.array([4, 5, 6, 7]), np.array([5, 6, 7, 8])
    i, j = (np.concatenate([whole, hanging]) for whole, hanging in zip(five, chain, strict=True))
    assert mean_contacts(i, j, 9, 4) == 4.0
    assert mean_contacts(i, j, 9, 2) == 4.0, "one end of the chain after the other"


def test_the_line_of_the_unloading_gives_the_packing_at_which_the_pressure_begins() -> None:
    experiment = begun()
    run_to_end(experiment)
    packing = np.linspace(0.65, 0.637, 40)
    columns = experiment.run.state.columns
    made = {
        "time": np.arange(80.0),
        "packing": np.concatenate([np.linspace(0.3, 0.65, 40), packing]),
        "pressure": np.concatenate([np.full(40, 7.0), (9e3 * (packing - 0.635)) ** 1.5]),
        "contacts": np.concatenate([np.zeros(40), 6.0 + 7.7 * np.sqrt(packing - 0.635)]),
        "grows": np.repeat([0.0, 1.0], 40),
    }
    assert set(columns) == set(made)
    experiment.run.state.columns = made
    of = measured_values(experiment)
    assert of is not None
    assert of["packing"] == pytest.approx((0.635, 0.0), abs=1e-9)
    assert of["contacts"] == pytest.approx((6.0, 0.0), abs=1e-6)
    for pressure in (made["pressure"][:39:-1], np.full(40, 7.0)):
        experiment.run.state.columns = made | {"pressure": np.concatenate([np.full(40, 7.0), pressure])}
        assert measured_values(experiment) is None, "the pressure does not fall while the cell grows"


def test_too_few_spheres_end_the_run_and_say_so() -> None:
    experiment = begun(grain_count=3)
    run_to_end(experiment)
    assert measured_values(experiment) is None
    assert "take more grains" in str(close_packing.conclusion(experiment))


def test_only_many_equal_spheres_without_friction_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = begun()
    run_to_end(experiment)
    assert outcomes_of(experiment) == ()
    monkeypatch.setattr(close_packing, "MANY", 10)
    assert {outcome.name for outcome in outcomes_of(experiment)} == {"packing", "contacts"}
    run, packing = experiment.run, np.linspace(0.64, 0.63, 40)
    run.state.columns = {
        "time": np.arange(40.0),
        "packing": packing,
        "pressure": (9e3 * (packing - 0.60)) ** 1.5,
        "contacts": 4.0 + 7.7 * np.sqrt(packing - 0.60),
        "grows": np.ones(40),
    }
    assert not any(outcome.holds for outcome in outcomes_of(experiment)), "jams too early with too few contacts"
    run.built = run.built.model_copy(update={"friction": 0.3})
    assert outcomes_of(experiment) == ()


def test_spheroids_of_a_middle_aspect_ratio_are_compared_with_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(close_packing, "MANY_SPHEROIDS", 10)
    experiment = begun(**SPHEROIDS)
    experiment.run.state.phase = "rested"

    def said(jammed: float, contacts: float, **other: Any) -> list[bool]:
        packing = np.linspace(jammed + 0.02, jammed + 0.002, 40)
        experiment.run.state.columns = {
            "time": np.arange(40.0),
            "packing": packing,
            "pressure": (9e3 * (packing - jammed)) ** 1.5,
            "contacts": contacts + 7.7 * np.sqrt(packing - jammed),
            "grows": np.ones(40),
        }
        built = experiment.run.built
        experiment.run.built = built.model_copy(update=other)
        held = [outcome.holds for outcome in outcomes_of(experiment)]
        experiment.run.built = built
        return held

    assert said(0.705, 9.0) == [True, True]
    assert said(0.64, 6.0) == [False, False], "as spheres"
    assert said(0.78, 11.0) == [False, False], "pressed into one another"
    assert said(0.705, 9.0, friction=0.3) == said(0.705, 9.0, aspect_ratio=3.0) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_spheroids_jam_more_densely_than_spheres_and_long_ones_less() -> None:
    found = {}
    for aspect_ratio in (1.0, 1.5, 3.0):
        experiment = new_experiment(
            "close_packing", {"grain_count": 150, "aspect_ratio": aspect_ratio, "members": 13}, seed=2
        )
        assert not apply(experiment, Act("run"))
        run_to_end(experiment)
        of = measured_values(experiment)
        assert of is not None
        found[aspect_ratio] = of["packing"][0], of["contacts"][0]
        assert all(outcome.holds for outcome in outcomes_of(experiment))
    assert found[1.5][0] > found[3.0][0] + 0.03
    assert found[1.5][0] > found[1.0][0] + 0.04
    assert min(found[1.5][1], found[3.0][1]) > found[1.0][1] + 1.5


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_equal_spheres_jam_at_random_close_packing_and_earlier_with_friction(friction: float) -> None:
    experiment = new_experiment("close_packing", {"friction": friction}, seed=3)
    assert not apply(experiment, Act("run"))
    run_to_end(experiment)
    of = measured_values(experiment)
    assert of is not None
    if friction:
        assert of["packing"][0] < 0.60
        assert of["contacts"][0] < 5.0
    else:
        assert all(outcome.holds for outcome in outcomes_of(experiment))
        assert of["packing"][0] == pytest.approx(close_packing.JAMMED, abs=close_packing.SCATTER)
