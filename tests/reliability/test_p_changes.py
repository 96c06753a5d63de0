"""Group P, changes during a run: sliders over their range, formulas, integrators, grains and walls removed."""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from repose.sim.engine.builder import forget_neighbours, keep_spheres
from repose.sim.engine.world import PAIR_COUNT, copy_world
from repose.sim.experiment import faults
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act, Recover, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.saved_run import SavedRun
from repose.sim.experiment.stepping import advance
from repose.sim.message import with_prefix
from repose.sim.parameters import Parameter, Value
from repose.sim.registry import integrators, scenes

from tests.reliability.random_clusters import RADIUS, Cluster
from tests.reliability.runs import changed, go, poured
from tests.sim.experiment.test_activation import few
from tests.small_worlds import Bench, contacts_of
from tests.tiers import tiered

LIVE = [
    entry
    for entry in scenes()["heap"].parameters.declared().values()
    if entry.quantity.effect in ("now", "ramp") and entry.kind in ("float", "int")
]
CHANGES, BETWEEN = 60, 25


@pytest.fixture(scope="module")
def heap() -> SavedRun:
    """A small heap in the midst of being filled, grains touching."""
    return saved_copy(poured(12_000))


def along(parameter: Parameter, share: float) -> Value:
    """The value at a share of the slider, from its lower end to its upper."""
    low, high = float(parameter.low or 0.0), float(parameter.high or 0.0)
    if parameter.kind == "int":
        return round(low + share * (high - low))
    if parameter.quantity.log:
        floor = max(low, 1e-6 * high)
        return low if share == 0.0 else min(high, floor * (high / floor) ** share)
    return low + share * (high - low)


def sound(simulation: Experiment) -> None:
    """No number is lost and no grain: finite motion, a finite ledger, as many grains as were poured."""
    run = simulation.run
    assert np.isfinite(run.world.motion).all()
    assert all(math.isfinite(value) for value in energy_of(simulation).as_dict().values())
    if hasattr(run.state, "removed"):
        assert int((~run.world.fixed).sum()) == run.state.poured - run.state.removed


def answered(simulation: Experiment) -> None:
    """After a fault, press the button: undo what is named, or let the program choose the step."""
    while (fault := simulation.fault) is not None:
        remedy = {"dt": "auto"} if fault.parameter is None else {fault.parameter: fault.previous}
        assert not apply(simulation, Recover(remedy))


@pytest.mark.parametrize("parameter", LIVE, ids=lambda entry: entry.name)
def test_p09_moving_every_slider_over_its_range_leaves_all_numbers_finite(parameter: Parameter, heap: SavedRun) -> None:
    experiment = resumed_experiment(heap)
    for change in range(CHANGES + 1):
        there_and_back = 1.0 - abs(2.0 * change / CHANGES - 1.0)
        value = along(parameter, there_and_back)
        assert not apply(experiment, SetParameters({parameter.name: value}))
        advance(experiment, BETWEEN)
        sound(experiment)
        if experiment.fault is not None:
            # Only a step that was asked for can be too large: with an automatic one every stiffness is followed.
            assert parameter.name == "dt"
            answered(experiment)
        else:
            assert getattr(experiment.parameters, parameter.name) == value
            assert faults.check(experiment) is None


def test_p11_a_much_larger_radius_acts_at_the_next_fill_or_is_refused(heap: SavedRun) -> None:
    experiment, untouched = resumed_experiment(heap), resumed_experiment(heap)
    assert "mean_radius = 0.003 (3 mm) is refused" in str(apply(experiment, SetParameters({"mean_radius": 3e-3})))
    changed(experiment, mean_radius=2e-3)
    assert "at the next start" in str(experiment.message)
    for run in (experiment, untouched):
        advance(run, 500)
    assert state_hash(experiment.run) == state_hash(untouched.run)
    small = changed(experiment, mean_radius=6e-4)
    assert not apply(small, Act("reset"))
    changed(small, mean_radius=1.8e-3)
    assert not apply(small, Act("fill"))
    go(small, small.history.at + 12_000)
    assert small.fault is None
    assert survey_contacts(small).largest_overlap < 0.05


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    "change",
    [{"exponent": "linear"}, {"anchor": "cundall-strack"}, {"coulomb_cap": "total"}],
    ids=lambda change: next(iter(change)),
)
def test_p13_a_change_of_the_law_keeps_the_friction_springs_and_books_the_jump_of_energy(change: dict) -> None:
    experiment = few(normal_stiffness=1e4)
    world, before = experiment.run.world, energy_of(experiment)
    used = int(world.counters[PAIR_COUNT])
    springs, touching = world.pairs.shear_spring[:, :used].copy(), world.pairs.touching[:used].copy()
    assert touching.any()
    changed(experiment, **change)
    after, pairs = energy_of(experiment), experiment.run.world.pairs
    work = after.work - before.work
    if "exponent" in change:  # a k in N/m is a much stiffer one in N/m^1.5: the grains move apart first
        assert after.elastic < 2.0 * before.elastic
    else:
        assert (pairs.shear_spring[:, :used] == springs).all()
        assert (pairs.touching[:used] == touching).all()
    assert work == pytest.approx(after.mechanical - before.mechanical, abs=1e-15 * before.mechanical)
    assert after.gap == pytest.approx(before.gap, abs=1e-15 * before.mechanical)
    assert f"friction springs are kept, {with_prefix(work, 'J', 3)} are counted as work." in str(experiment.message)
    assert advance(experiment, 50) == 50
    assert experiment.fault is None


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    ("before", "after"),
    tiered(
        itertools.permutations(integrators(), 2),
        fast=[*itertools.permutations(("gear5", "leapfrog", "velocity_verlet"), 2)],
    ),
)
def test_p14_a_change_of_integrator_during_an_impact_has_at_most_the_error_of_a_step(before: str, after: str) -> None:
    experiment = copy.deepcopy(in_mid_impact(before))
    built = experiment.run.built
    omega = math.sqrt(built.normal_stiffness / built.mass)
    rest = built.radius - built.gravity / omega**2
    position, speed = moment(experiment)
    swing, small = math.hypot(position - rest, speed / omega), omega * experiment.dt
    changed(experiment, integrator=after)
    assert moment(experiment) == pytest.approx((position, speed), rel=1e-14)
    if experiment.engine.model.integrator.levels > 3:
        assert not experiment.run.world.motion[:, 3:].any()
    assert advance(experiment, 1) == 1
    found = moment(experiment)
    # Without the third derivative a scheme omits up to dt³/6 of it in the position and dt²/2 in the velocity.
    exact = rest + (position - rest) * math.cos(small) + speed / omega * math.sin(small)
    assert found[0] == pytest.approx(exact, abs=small**3 / 6 * swing)
    exact = speed * math.cos(small) - (position - rest) * omega * math.sin(small)
    assert found[1] == pytest.approx(exact, abs=small**2 / 2 * swing * omega)


@cache
def in_mid_impact(integrator: str) -> Experiment:
    """An elastic sphere that has just touched the floor."""
    experiment = new_experiment(
        "bounce", {"integrator": integrator, "dt": 1e-5, "restitution_high": 1.0, "drop_height": 1e-3}
    )
    assert not apply(experiment, Act("run"))
    while moment(experiment)[0] >= experiment.run.built.radius - 1e-5:
        advance(experiment, 1)
    return experiment


def moment(simulation: Experiment) -> tuple[float, float]:
    """Height [m] and velocity [m/s] of the elastic sphere at one moment."""
    position, velocity, acceleration = simulation.run.world.motion[2, :3, 2]
    return float(position), float(
        velocity - simulation.engine.model.integrator.velocity_lead * simulation.dt * acceleration
    )


PILE = Cluster(
    position=RADIUS * np.array([(0.0, 0.0), (1.95, 0.1), (3.9, 0.0), (0.95, 1.66), (2.9, 1.7)]),
    velocity=np.array([(1.0, 0.0), (-0.5, 0.2), (0.0, 1.0), (0.7, -0.4), (-1.0, 0.0)]),
    spin=np.zeros((5, 1)),
    radius=np.full(5, RADIUS),
    law="lee_herrmann",
    rotation=False,
    gravity=(0.0, 0.0),
)
"""Grains pressed on each other and sliding."""


@pytest.mark.parametrize("law", ["lee_herrmann", "voigt", "hertz_mindlin"])
def test_p15_contacts_obey_the_coulomb_limit_while_friction_changes_to_one_and_back(law: str) -> None:
    cluster, held = replace(PILE, law=law), 0
    bench = cluster.bench("velocity_verlet", friction=0.0, coulomb_cap="total", normal_damping=0.0, restitution=1.0)
    for step in range(40):
        friction = 1.0 - abs(step / 20.0 - 1.0)
        _, bench.numbers = numbers_with(law, friction)
        bench.advance()
        table = contacts_of(bench)
        normal = table.branch / np.sqrt((table.branch**2).sum(axis=0))
        pushing = (table.force * normal).sum(axis=0)
        tangential = np.sqrt(((table.force - pushing * normal) ** 2).sum(axis=0))
        # The normal part is taken off again here, which leaves its rounding where there is no friction.
        assert (tangential <= friction * pushing * (1.0 + 1e-12) + 1e-14 * np.abs(table.force).max(initial=0.0)).all()
        held += int((tangential > 0.99 * friction * pushing).sum()) if friction > 0.0 else 0
    assert held > 20  # there are some that slide


def numbers_with(law: str, friction: float) -> tuple:
    bench = replace(PILE, law=law).bench(
        "velocity_verlet", friction=friction, coulomb_cap="total", normal_damping=0.0, restitution=1.0
    )
    return bench.model, bench.numbers


def test_p17_a_grain_removed_from_a_pile_leaves_no_contact() -> None:
    bench = replace(PILE, law="hertz_mindlin").bench("velocity_verlet", friction=0.0, normal_damping=0.0)
    bench.advance(3)
    assert bench.touching
    bench.world = keep_spheres(bench.world, np.arange(5) != 1)
    used = int(bench.world.counters[PAIR_COUNT])
    assert (bench.world.pairs.j[:used] < 4).all()
    other = Bench(copy_world(bench.world), bench.model, bench.numbers, bench.dt)
    forget_neighbours(other.world)
    for one in (bench, other):
        one.advance(3)
    assert (bench.position == other.position).all()
    table = contacts_of(bench)
    gap = np.sqrt((table.branch**2).sum(axis=0)) - bench.world.radius[table.i] - bench.world.radius[table.j]
    assert (gap < 0.0).all()
    momentum = bench.world.mass @ bench.velocity
    bench.advance(50)
    assert bench.world.mass @ bench.velocity == pytest.approx(momentum, abs=1e-12 * bench.world.mass[0])


def test_p17_a_wall_removed_during_contact_exerts_no_further_force(heap: SavedRun) -> None:
    experiment = resumed_experiment(heap)
    while experiment.phase == "filling":
        advance(experiment, 500)
    world, width = experiment.run.world, experiment.run.built.width
    used = int(world.counters[PAIR_COUNT])
    wall = world.fixed & (world.motion[0, 0] > width)
    touched = world.pairs.touching[:used] > 0
    assert (touched & (wall[world.pairs.i[:used]] | wall[world.pairs.j[:used]])).any()
    changed(experiment, gravity=1.62)
    advance(experiment, 3)  # and in the midst of a change
    assert not apply(experiment, Act("open"))
    assert advance(experiment, 1) == 1
    world = experiment.run.world
    assert not (world.fixed & (world.motion[0, 0] > width)).any()
    table = experiment.engine.contact_table(world, experiment.engine.law_parameters)
    assert table.j.max() < world.sphere_count
    gap = np.sqrt((table.branch**2).sum(axis=0)) - world.radius[table.i] - world.radius[table.j]
    assert (gap < 0.0).all()
    go(experiment, experiment.history.at + 2_000)
    assert experiment.fault is None
    sound(experiment)
