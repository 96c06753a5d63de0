"""X: extreme sizes, masses, steps, stiffnesses and positions work, or are refused with the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.engine.builder import enlarge_pairs
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL
from repose.sim.engine.timestep.stable_step import automatic_dt
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import PAIR_COUNT, World
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.stepping import advance
from repose.sim.registry import integrators, scenes

from tests.reliability.random_clusters import RADIUS, examples
from tests.sim.engine.neighbours.test_verlet_list import brute_force, listed
from tests.sim.experiment.test_faults import pressed
from tests.small_worlds import Bench, look, model_of, rebuild_lists, world_of
from tests.tiers import tiered
from tests.verification.test_hertz_impact import ELASTIC, closed_form, impact

seeds = st.integers(0, 2**32 - 1)


def surveyed(bench: Bench, still: Bench) -> Survey:
    """The survey for the scheme of `bench` of the contacts that `still`, which can make a step of no length, finds."""
    still.advance(1)
    state = bench.world.state._replace(pairs=still.world.pairs, counters=still.world.counters.copy())
    bench.world = World.of(state, still.world.workspace)
    return look(bench)


def list_anew(world: World) -> World:
    """The world with its list of pairs made anew."""
    while (status := rebuild_lists(world)) == PAIRS_FULL:
        world = enlarge_pairs(world)
    assert status == OK
    return world


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1e6])
def test_x02_grains_of_any_size_collide_by_the_closed_form(size: float) -> None:
    mass, speed, k = 1e6 * size**3, 1.0, 1e9 * size**0.5
    overlap, force, duration, omega = closed_form(k, 0.5 * mass, speed)
    dt = duration / 100
    model, numbers = model_of("gear5", **ELASTIC)
    position = [(-size - 1.65 * speed * dt, 0.0), (size, 0.0)]
    world = world_of(model, position, size, mass, velocity=[(speed / 2, 0), (-speed / 2, 0)], skin=0.3 * size)
    bench = Bench(world, model, numbers._replace(normal_stiffness=k), dt)
    assert impact(bench, 110) == pytest.approx((overlap, force, duration), rel=(omega * dt) ** 2)


def test_x02_far_from_the_origin_the_impact_is_as_exact_as_positions_are() -> None:
    # At 1e7 m a position is known to 1.9e-9 m; an overlap of 1e-4 m to some hundred-thousandths, every step anew.
    rebounds, dt = [], closed_form(1e6, 0.5e-3, 1.0)[2] / 500
    for offset in (0.0, 1e7):
        model, numbers = model_of("velocity_verlet", **ELASTIC)
        position = [(offset - RADIUS, 0.0), (offset + RADIUS, 0.0)]
        world = world_of(model, position, RADIUS, 1e-3, velocity=[(0.5, 0.0), (-0.5, 0.0)])
        bench = Bench(world, model, numbers, dt)
        bench.advance(600)
        assert not bench.touching
        rebounds.append(bench.velocity[1, 0])
    assert rebounds[1] == pytest.approx(rebounds[0], rel=1e-3)


def test_x03_tables_of_the_search_do_not_grow_with_the_ratio_of_sizes() -> None:
    generator = np.random.default_rng(31)
    held = []
    for ratio in (1.0, 1000.0):
        radius = np.where(np.arange(150) == 0, ratio, 1.0) * RADIUS
        position = generator.uniform(-20.0 * RADIUS, 20.0 * RADIUS, (150, 2))
        position[0] = -ratio * RADIUS - 20.0 * RADIUS, 0.0
        model, _ = model_of()
        world = list_anew(world_of(model, position, radius, 1e6 * radius**3))
        assert listed(world) == brute_force(world, world.search.skin[0])
        held.append(sum(table.nbytes for table in world.workspace.search))
    assert 0 <= held[1] - held[0] <= 4 * 260  # a large sphere has cells in a table of its own, with 257 entries


@pytest.mark.parametrize("integrator", tiered(["gear5", "leapfrog", "velocity_verlet"], fast={"gear5"}))
def test_x04_a_mass_ratio_of_a_million_is_stable_under_the_automatic_step(integrator: str) -> None:
    # A kilogram pressed onto a milligram that lies on a fixed grain, linear law: the light one swings a thousand times
    # faster and sets the step.
    def stack(scheme: str, dt: float) -> Bench:
        model, numbers = model_of(scheme, exponent="linear", normal_stiffness=1e6, normal_damping=0.0)
        position = [(0.0, 0.0), (0.0, 1.999 * RADIUS), (0.0, 3.997 * RADIUS)]
        world = world_of(model, position, RADIUS, [1.0, 1e-6, 1.0], fixed=[True, False, False])
        return Bench(world, model, numbers, dt)

    survey = surveyed(stack(integrator, 0.0), stack("leapfrog", 0.0))
    assert survey.omega > 0.9 * np.sqrt(3e6 / 1e-6)
    before = 3e-6  # two contacts of 2e6 and 1e6 N/m pressed in by 1e-6 and 2e-6 m
    bench = stack(integrator, automatic_dt(survey.stable_dt))
    for _ in range(20):
        bench.advance(150)
        assert bench.energy().mechanical <= 1.05 * before


@pytest.mark.parametrize(
    "scene", [name for name, scene in scenes().items() if "grain_count" in scene.parameters.declared()]
)
def test_x08_the_largest_count_is_accepted_and_one_more_refused_with_the_limit(scene: str) -> None:
    parameters = scenes()[scene].parameters
    most = int(parameters.declared()["grain_count"].high)
    assert parameters.checked({"grain_count": most}).grain_count == most
    with pytest.raises(ValueError, match=str(most)):
        parameters.checked({"grain_count": most + 1})


def test_x08_the_largest_count_runs() -> None:
    count = int(scenes()["heap"].parameters.declared()["grain_count"].high)
    model, numbers = model_of("gear5")
    position = np.stack(np.meshgrid(np.arange(200.0), np.arange(count // 200)), axis=-1).reshape(-1, 2) * 1.999 * RADIUS
    bench = Bench(world_of(model, position, RADIUS, 1e-3), model, numbers, 1e-6, (0.0, -9.81), compiled=True)
    assert bench.advance(20) == 20
    assert int(bench.world.pairs.touching.sum()) == 2 * count - 200 - count // 200


@pytest.mark.parametrize("integrator", list(integrators()))
def test_x09_tiny_speeds_move_nothing_and_give_no_denormal_derivatives(
    integrator: str,
) -> None:
    model, numbers = model_of(integrator)
    start = [(1e-3, 2e-3), (2.9e-3, 2e-3), (0.5, 0.5)]
    world = world_of(model, start, RADIUS, 1e-3, velocity=1e-310, skin=RADIUS)
    if integrator.startswith("gear"):
        world.motion[:, 3:] = 1e-280  # what an impact long ago leaves: it falls by a factor a step
    bench = Bench(world, model, numbers, 1e-6)
    bench.advance(100)
    assert np.isfinite(bench.world.motion).all()
    assert np.array_equal(bench.position[2], start[2])
    if integrator.startswith("gear"):
        higher = np.abs(bench.world.motion[:, 3:])
        assert not ((higher > 0.0) & (higher < np.finfo(float).tiny)).any()
        assert not higher[:, :, 2].any()


def test_x12_a_grain_a_million_kilometres_away_disturbs_no_other() -> None:
    generator = np.random.default_rng(33)
    position, velocity = generator.uniform(0.0, 8e-3, (12, 2)), generator.normal(0.0, 0.2, (12, 2))
    runs = []
    for far in (1.0, 1e12):
        model, numbers = model_of("gear5")
        place = np.vstack([position, [(far, -far)]])
        world = world_of(model, place, RADIUS, 1e-3, velocity=np.vstack([velocity, [(0.0, 0.0)]]))
        bench = Bench(world, model, numbers, 1e-6, compiled=True)  # where cell coordinates may wrap around
        assert bench.advance(60) == 60
        used = int(bench.world.counters[PAIR_COUNT])
        assert 12 not in bench.world.pairs.j[:used]
        runs.append(np.sort(bench.world.motion[:, :, :12], axis=2))
    assert runs[1] == pytest.approx(runs[0], rel=1e-9, abs=1e-12)


def test_x12_a_grain_a_million_kilometres_away_is_named() -> None:
    experiment = pressed()
    row = int(np.flatnonzero(~experiment.run.world.fixed)[5])
    sphere = int(experiment.run.world.sphere_id[row])
    experiment.run.world.motion[1, 0, row] = 1e12
    advance(experiment, 100)
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == sphere


def test_x14_cell_indices_beyond_the_range_of_integers_lose_no_contact() -> None:
    # Compiled, where a cell coordinate that does not fit wraps around: distances still decide.
    generator = np.random.default_rng(34)
    model, numbers = model_of("gear5")
    position = np.vstack(
        [generator.uniform(0.0, 8e-3, (12, 2)), [(1e25, 0.0), (1e25, 0.0), (-1e100, 1e100), (0.0, 1e17)]]
    )
    world = world_of(model, position, RADIUS, 1e-3)
    bench = Bench(world, model, numbers, 1e-9, compiled=True)
    assert bench.advance(1) == 1
    found = {pair for pair in listed(bench.world) if max(pair) < 12}
    inside = world_of(model, position[:12], RADIUS, 1e-3, skin=float(bench.world.search.skin[0]))
    assert brute_force(inside, 0.0) <= found <= brute_force(inside, inside.search.skin[0] * (1.0 + 1e-9))


@pytest.mark.slow
def test_x15_the_energy_of_elastic_impacts_does_not_drift_in_a_million_steps() -> None:
    # Ten grains of one size in free space, held together by a ring of fixed ones; leap-frog, linear law, no losses.
    angle = 2.0 * np.pi * np.arange(24) / 24
    ring = 9e-3 * np.column_stack([np.cos(angle), np.sin(angle)])
    inside = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0)), axis=-1).reshape(-1, 2)[:10] * 3e-3 - 4.5e-3
    generator = np.random.default_rng(35)
    velocity = np.vstack([np.zeros((24, 2)), generator.normal(0.0, 0.3, (10, 2))])
    model, numbers = model_of("leapfrog", exponent="linear", **ELASTIC)
    radius = np.where(np.arange(34) < 24, 1.25, 1.0) * RADIUS
    world = world_of(model, np.vstack([ring, inside]), radius, 1e-3, velocity=velocity, fixed=np.arange(34) < 24)
    bench = Bench(world, model, numbers, 1e-6, compiled=True)
    energies = [bench.energy().mechanical]
    for _ in range(100):
        assert bench.advance(10_000) == 10_000
        energies.append(bench.energy().mechanical)
    drift = np.array(energies) / energies[0] - 1.0
    assert np.abs(drift).max() < 1e-2
    early, late = np.abs(drift[1:51]).max(), np.abs(drift[51:]).max()
    assert late < 3.0 * early + 1e-4
    assert np.hypot(*bench.position[24:].T).max() < 8.5e-3


def random_scene(seed: int) -> None:
    """A small heap of random grains and parameters: none is lost, nothing is not finite."""
    generator = np.random.default_rng(seed)
    declared = scenes()["heap"].parameters.declared()
    values: dict[str, object] = {
        "grain_count": int(generator.integers(1, 60)),
        "width": float(generator.uniform(0.01, 0.03)),
    }
    for name in ("friction", "normal_damping", "shear_damping", "shear_stiffness", "tilt", "gravity"):
        low, high = max(declared[name].low, -0.5), min(declared[name].high, 2e3)
        values[name] = float(generator.uniform(low, high))
    values["gravity"] = float(generator.uniform(0.5, 30.0))
    experiment = new_experiment("heap", values, seed)
    apply(experiment, Act("run"))
    advance(experiment, 1_000)
    state, world = experiment.run.state, experiment.run.world
    assert experiment.fault is None, (values, experiment.fault)
    assert np.isfinite(world.motion).all()
    assert int((~world.fixed).sum()) == state.poured - state.removed


@examples(0.1)
@given(seeds)
def test_x19_random_scenes_lose_no_grain(seed: int) -> None:
    random_scene(seed)


@pytest.mark.slow
def test_x19_a_thousand_random_scenes_lose_no_grain() -> None:
    for seed in range(1000):
        random_scene(seed)
