"""The composed step loop: compiled equals plain, and invariance under changes of the frame."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numba import typeof
from repose.sim.engine import composition
from repose.sim.engine.builder import reset_displacements, set_walls, with_threads
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.parts import Parts, StepCall
from repose.sim.engine.records import record_of
from repose.sim.engine.world import PAIR_COUNT, STEP_COUNT, copy_world
from repose.sim.registry import integrators, laws

from tests.small_worlds import Bench, angular_momentum, model_of, momentum, world_of
from tests.tiers import tiered

DT = 1e-6


def cluster(
    dimension: int = 2, rotation: bool = False, integrator: str = "gear5", compiled: bool = False, **values
) -> Bench:
    """Thirty grains, densely packed and in motion, some fixed."""
    generator = np.random.default_rng(21)
    model, numbers = model_of(integrator, dimension, rotation, friction=0.3, **values)
    side = 1.9e-3 * np.arange(5.0)
    grid = np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)[:30]
    position = grid + generator.normal(0.0, 5e-5, grid.shape)
    velocity = generator.normal(0.0, 0.3, grid.shape)
    spin = generator.normal(0.0, 300.0, (len(grid), model.spin_length)) if rotation else 0.0
    radius = generator.uniform(0.9e-3, 1.05e-3, len(grid))
    world = world_of(model, position, radius, radius**3 * 1e6, velocity=velocity, spin=spin, fixed=grid[:, 0] == 0.0)
    return Bench(world, model, numbers, DT, (0.0,) * (dimension - 1) + (-9.81,), compiled)


@pytest.mark.parametrize(("law", "dimension", "rotation"), [("lee_herrmann", 2, False), ("voigt", 3, True)])
def test_compiled_loop_equals_plain_loop(law: str, dimension: int, rotation: bool) -> None:
    # The loops of the heap and of the slope, which are compiled for their scenes anyway.
    plain, fast = (cluster(dimension, rotation, compiled=compiled, law=laws()[law]) for compiled in (False, True))
    for bench in (plain, fast):
        assert bench.advance(60) == 60
    used = int(plain.world.counters[PAIR_COUNT])
    assert used == fast.world.counters[PAIR_COUNT]
    assert plain.touching
    assert np.array_equal(plain.world.pairs.i[:used], fast.world.pairs.i[:used])
    assert np.array_equal(plain.world.pairs.touching[:used], fast.world.pairs.touching[:used])
    # Compiled sums may be joined or reordered within one expression: a few units of the last digit, 60 times.
    scale = np.abs(plain.world.motion).max(axis=2, keepdims=True) + 1e-300
    assert np.abs((fast.world.motion - plain.world.motion) / scale)[:, :3].max() < 1e-11
    assert fast.world.ledger.sum(axis=1) == pytest.approx(plain.world.ledger.sum(axis=1), rel=1e-9)


class FakeLoop:
    """A step loop that remembers for which types it was compiled, and the parts that it was given."""

    def __init__(self) -> None:
        self.overloads: list[tuple] = []
        self.given: list[Parts] = []

    def compile(self, types: tuple) -> None:
        self.overloads.append(types)

    def __call__(self, world: object, step_call: StepCall, *given: object) -> tuple[int, int, int]:
        assert isinstance(step_call.parts, Parts)
        self.given.append(step_call.parts)
        return 0, 0, -1


def test_a_world_with_walls_gets_parts_of_its_own_one_of_several_threads_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, made = FakeLoop(), []

    def addresses(parts: Parts, walled: bool, between: Callable[[], object]) -> Parts:
        between()
        made.append(parts._replace(needs_material=len(made)))
        return made[-1]

    monkeypatch.setattr(composition, "compiled_loop", lambda: loop)
    monkeypatch.setattr(composition, "addresses", addresses)
    monkeypatch.setattr(composition, "packed", lambda *groups: (None, groups))
    bench = cluster()
    advance = composition.compose.__wrapped__(bench.model)
    walled = set_walls(bench.world, PLANE, [[[0.0, -1.0], [0.0, 1.0], [0.0, 0.0]]])
    assert not advance.loop.is_ready(bench.world)
    threaded = with_threads(bench.world, 2)
    for world in (bench.world, walled, copy_world(bench.world), walled, threaded):
        advance.loop(world, bench.numbers, bench.gravity, DT, 1, 0)
        assert advance.loop.is_ready(world)
    assert [parts.needs_material for parts in loop.given] == [0, 1, 0, 1, 0]
    assert len(loop.overloads) == 1


def test_one_loop_is_compiled_for_all_laws_schemes_and_dimensions() -> None:
    flat, deep = cluster(), cluster(3, rotation=True, integrator="rk4", law=laws()["hertz_mindlin"])
    loops = [composition.compose(bench.model).loop.dispatcher for bench in (flat, deep)]
    assert loops[0] is loops[1]
    assert typeof(record_of(flat.world)) == typeof(record_of(deep.world))
    schemes = [typeof(composition.scheme_of(bench.model)) for bench in (flat, deep)]
    assert schemes[0] == schemes[1]


def test_steps_can_be_cut_into_batches_of_any_size() -> None:
    whole, cut = cluster(compiled=True), cluster(compiled=True)
    whole.advance(300)
    for size in (1, 7, 40, 1, 151, 100):
        cut.advance(size)
    assert whole.world.counters[STEP_COUNT] == cut.world.counters[STEP_COUNT] == 300
    assert np.array_equal(whole.world.motion, cut.world.motion)
    assert np.array_equal(whole.world.ledger, cut.world.ledger)


def test_fixed_spheres_never_move() -> None:
    for integrator in integrators():
        bench = cluster(integrator=integrator)
        fixed = bench.world.fixed
        bench.world.motion[:2, 1, fixed] = 0.0
        before = bench.position[fixed]
        bench.advance(20)
        assert np.array_equal(bench.position[fixed], before), integrator


@pytest.mark.parametrize("integrator", list(integrators()))
@pytest.mark.parametrize(
    ("dimension", "rotation"),
    tiered(itertools.product((2, 3), (False, True)), fast={(2, False), (3, True)}),
)
def test_contact_forces_cancel_in_every_scheme_and_dimension(integrator: str, dimension: int, rotation: bool) -> None:
    bench = cluster(dimension, rotation, integrator)
    bench.gravity = (0.0,) * dimension
    bench.world = world_of(
        bench.model, bench.position, bench.world.radius, bench.world.mass, velocity=bench.velocity, spin=bench.spin
    )
    before = momentum(bench)
    bench.advance(30)
    force = bench.world.force[:dimension]
    assert np.abs(force.sum(axis=1)).max() <= 1e-12 * np.abs(force).sum()
    size = (bench.world.mass[:, None] * np.abs(bench.velocity)).sum()
    assert momentum(bench) == pytest.approx(before, abs=1e-12 * size)
    if rotation:
        # Torques about the origin cancel too: arms add up to the branch.
        torque = np.atleast_1d(bench.world.force[dimension:].sum(axis=1))
        where = bench.position
        orbital = where[:, 0] * force[1] - where[:, 1] * force[0] if dimension == 2 else np.cross(where, force.T)
        moments = np.atleast_1d(orbital.sum(axis=0))
        size = np.abs(where).max() * np.abs(force).sum()
        # Gear and Runge-Kutta have moved positions since the force was found, by at most a step.
        still = integrator in ("leapfrog", "velocity_verlet")
        moved = 0.0 if still else np.abs(bench.velocity).max() * DT / np.abs(where).max()
        assert moments + torque == pytest.approx(0.0, abs=(1e-12 + 2.0 * moved) * size)


@pytest.mark.case("I06")
def test_a_boost_changes_nothing_but_the_velocity() -> None:
    # Galilei: 100 m/s on all grains; positions differ by rounding of 1e-16 m a step, amplified by contact stiffness.
    still, boosted = cluster(), cluster()
    speed = 100.0
    for bench in (still, boosted):
        bench.world.inverse_mass[:] = np.where(
            bench.world.inverse_mass > 0.0, bench.world.inverse_mass, 1.0 / bench.world.mass
        )
        bench.gravity = (0.0, 0.0)
    boosted.world.motion[0, 1] += speed
    for bench in (still, boosted):
        bench.advance(100)
    travelled = np.array([speed * 100 * DT, 0.0])
    assert boosted.position - travelled == pytest.approx(still.position, abs=1e-9 * 2e-3)


def test_quarter_turns_and_mirrors_are_exact() -> None:
    # One step from the same state seen in another frame: the same numbers with other names.
    def after(matrix: np.ndarray) -> Bench:
        bench = cluster()
        bench.world.motion[:, 0] = matrix @ bench.world.motion[:, 0]
        bench.world.motion[:, 1] = matrix @ bench.world.motion[:, 1]
        reset_displacements(bench.world)
        bench.gravity = tuple(matrix @ np.array([0.0, -9.81]))
        bench.advance(1)
        return bench

    here = after(np.eye(2))
    for matrix in (np.diag([-1.0, 1.0]), np.diag([1.0, -1.0])):
        there = after(matrix)
        # Pairs are found in another order, so sums over the contacts of one grain are rounded differently.
        force = matrix @ here.world.force
        assert there.world.force == pytest.approx(force, abs=1e-13 * np.abs(force).max())
    quarter = after(np.array([[0.0, -1.0], [1.0, 0.0]]))
    force = np.array([[0.0, -1.0], [1.0, 0.0]]) @ here.world.force
    assert quarter.world.force == pytest.approx(force, abs=1e-13 * np.abs(force).max())


@pytest.mark.case("I23")
def test_scaling_all_lengths_by_a_power_of_four_scales_the_forces_exactly() -> None:
    # Lengths x4, masses x1, times x1: with the linear law forces x4, every operation exact in binary.
    def forces(factor: float) -> np.ndarray:
        bench = cluster(exponent="linear")
        bench.world.motion[:] *= factor
        reset_displacements(bench.world)
        bench.world.radius[:] *= factor
        bench.world.search.skin[:] *= factor
        bench.gravity = (0.0, -9.81 * factor)
        bench.advance(1)
        return bench.world.force

    assert np.array_equal(forces(4.0), 4.0 * forces(1.0))


def test_friction_is_within_the_coulomb_cone_as_it_is_switched_on_and_off() -> None:
    bench = cluster(coulomb_cap="total")
    for friction in (0.0, 1.0, 0.0, 0.4):
        bench.numbers = bench.numbers._replace(friction=friction)
        for _ in range(15):
            before = copy_world(bench.world)
            bench.advance(1)
            used = int(bench.world.counters[PAIR_COUNT])
            assert before.counters[STEP_COUNT] + 1 == bench.world.counters[STEP_COUNT]
            # A grain with one contact carries its force alone: compare its parts.
            i, j = bench.world.pairs.i[:used].astype(int), bench.world.pairs.j[:used].astype(int)
            touching = bench.world.pairs.touching[:used] > 0.0
            ends = np.concatenate([i[touching], j[touching]])
            single = np.flatnonzero(np.bincount(ends, minlength=bench.world.sphere_count) == 1)
            for p in np.flatnonzero(touching):
                for grain in {int(i[p]), int(j[p])} & set(single.tolist()):
                    force = bench.world.force[:, grain] - bench.world.mass[grain] * np.array(bench.gravity)
                    normal = abs(bench.world.pairs.normal_force[p])
                    tangential = np.sqrt(max(force @ force - normal**2, 0.0))
                    assert tangential <= friction * normal * (1.0 + 1e-9) + 1e-7 * normal


def test_the_spin_of_a_single_sphere_is_constant() -> None:
    for dimension, spin in ((2, [(70.0,)]), (3, [(70.0, -20.0, 5.0)])):
        model, numbers = model_of("gear5", dimension, rotation=True)
        bench = Bench(world_of(model, [(0.0,) * dimension], 1e-3, 1e-3, spin=spin), model, numbers, 1e-5)
        before = angular_momentum(bench)
        bench.advance(50)
        assert bench.spin == pytest.approx(np.array(spin), rel=1e-15)
        assert angular_momentum(bench) == pytest.approx(before, rel=1e-14)
