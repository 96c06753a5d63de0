"""The survey of contacts: its bound of the stiffest mode against the full matrix, its step against instability."""

from __future__ import annotations

import itertools
from math import sqrt

import numpy as np
import pytest
from repose.sim.engine.contacts.kinematics import lone_contact
from repose.sim.engine.timestep import survey
from repose.sim.engine.timestep.survey import compose_survey, nothing_touches
from repose.sim.engine.world import PAIR_COUNT

from tests.small_worlds import Bench, look, model_of, world_of
from tests.tiers import tiered

SMOOTH = {"friction": 0.0, "shear_stiffness": 0.0, "shear_damping": 0.0}
UNDAMPED = {"normal_damping": 0.0, "shear_damping": 0.0}


def packing(
    seed: int, dimension: int = 2, integrator: str = "gear5", fixed_share: float = 0.2, **values: object
) -> Bench:
    """A random overlapping packing at rest, evaluated once."""
    generator = np.random.default_rng([seed, dimension])
    model, numbers = model_of(integrator, dimension, **values)
    side = 1.9e-3 * np.arange({2: 5.0, 3: 3.0}[dimension])
    grid = np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)
    position = grid + generator.normal(0.0, 6e-5, grid.shape)
    radius = generator.uniform(0.7e-3, 1.1e-3, len(grid))
    fixed = generator.random(len(grid)) < fixed_share
    bench = Bench(world_of(model, position, radius, radius**3 * 1e6, fixed=fixed), model, numbers, 1e-12)
    bench.advance(1)
    return bench


def dynamics(bench: Bench) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness [1/s²] and damping [1/s] of every coordinate, M^(-1/2) K M^(-1/2): along each contact and across it."""
    world, dimension, law = bench.world, bench.model.dimension, bench.model.law
    size = world.sphere_count * dimension
    matrices = np.zeros((2, size, size))
    for p in range(int(world.counters[PAIR_COUNT])):
        i, j = int(world.pairs.i[p]), int(world.pairs.j[p])
        branch = bench.position[i] - bench.position[j]
        overlap = world.radius[i] + world.radius[j] - np.linalg.norm(branch)
        if overlap <= 0.0:
            continue
        columns, size_of_pair = world.workspace.pairs, 1.0 / (1.0 / world.radius[i] + 1.0 / world.radius[j])
        mass = columns.effective_mass[p]
        contact = lone_contact(overlap, mass, size_of_pair, dimension, 0, ())._replace(fixed=columns.fixed[p])
        along, across, damped, damped_across = law.stiffness(bench.numbers, contact)
        normal = branch / np.linalg.norm(branch)
        outer = np.outer(normal, normal)
        rows = [slice(k * dimension, (k + 1) * dimension) for k in (i, j)]
        for matrix, (normally, sideways) in zip(matrices, ((along, across), (mass * damped, mass * damped_across))):
            block = normally * outer + sideways * (np.eye(dimension) - outer)
            for a, row in enumerate(rows):
                for b, column in enumerate(rows):
                    matrix[row, column] += block if a == b else -block
    root = np.sqrt(world.inverse_mass[:dimension].T.reshape(-1))
    scaled = root[:, None] * matrices * root[None]
    moving = root > 0.0
    return scaled[0][moving][:, moving], scaled[1][moving][:, moving]


def highest_mode(bench: Bench) -> float:
    return sqrt(np.linalg.eigvalsh(dynamics(bench)[0]).max())


@pytest.mark.parametrize("exponent", ["hertz", "linear"])
@pytest.mark.parametrize("held", [False, True])
def test_bound_is_exact_for_a_pair(exponent: str, held: bool) -> None:
    model, numbers = model_of(exponent=exponent, **SMOOTH)
    overlap, masses = 3e-5, np.array([1e-3, 2.5e-3])
    world = world_of(model, [(0, 0), (2e-3 - overlap, 0)], 1e-3, masses, fixed=[False, held])
    bench = Bench(world, model, numbers, 1e-12)
    bench.advance(1)
    found = look(bench)
    k = (1.5e6 * sqrt(overlap) if exponent == "hertz" else 1e6) * (2.0 if held else 1.0)
    omega = sqrt(k / masses[0] if held else k * (1.0 / masses).sum())
    assert found.contacts == 1
    assert found.largest_overlap == pytest.approx(overlap / 1e-3, rel=1e-9)
    assert found.omega == pytest.approx(omega, rel=1e-9)
    assert found.omega == pytest.approx(highest_mode(bench), rel=1e-9)
    effective = masses.prod() / masses.sum()
    inverse_mass = 1.0 / masses[0] if held else (1.0 / masses).sum()
    assert found.damping_ratio == pytest.approx(500.0 * effective * inverse_mass / (2.0 * omega), rel=1e-9)


@pytest.mark.parametrize("values", [{}, {"shear_stiffness": 2e4}, {"exponent": "linear", "shear_stiffness": 1e6}])
@pytest.mark.parametrize("dimension", [2, 3])
def test_bound_is_never_below_the_stiffest_mode_of_a_packing(values: dict, dimension: int) -> None:
    ratios = []
    for seed in range(25):
        bench = packing(seed, dimension, **UNDAMPED, **values)
        ratios.append(look(bench).omega / highest_mode(bench))
    assert min(ratios) >= 1.0 - 1e-9
    # A bound that is far too high would be safe and useless.
    assert np.median(ratios) < 1.5


def growth(bench: Bench, dt: float) -> float:
    """Spectral radius of one step of the whole packing with its contacts as they are, run by the scheme itself."""
    stiffness, damping = dynamics(bench)
    scheme, size = bench.model.integrator, len(stiffness)
    levels = scheme.levels
    # A time unit of dt keeps the levels of one size.
    motion = np.eye(size * levels).reshape(size, levels, size * levels)
    for stage in range(len(scheme.weights)):
        scheme.before(motion, 0, motion.shape[2], stage, 1.0)
        velocity = motion[:, 1] + scheme.velocity_lead * motion[:, 2]
        force = -(dt**2) * stiffness @ motion[:, 0] - dt * damping @ velocity
        scheme.after(motion, force, np.ones((size, size * levels)), 0, motion.shape[2], stage, 1.0)
    return float(np.abs(np.linalg.eigvals(motion.reshape(size * levels, size * levels))).max())


@pytest.mark.parametrize(
    ("integrator", "damping", "shear_stiffness"),
    tiered(
        itertools.product(("leapfrog", "gear5"), (0.0, 500.0, 5000.0), (100.0, 1e5)),
        fast={("leapfrog", 0.0, 100.0), ("leapfrog", 5000.0, 1e5), ("gear5", 0.0, 1e5), ("gear5", 5000.0, 100.0)},
    ),
)
def test_the_stable_step_is_never_optimistic(integrator: str, damping: float, shear_stiffness: float) -> None:
    damped = {"normal_damping": damping, "shear_damping": damping, "shear_stiffness": shear_stiffness}
    bench = packing(5, integrator=integrator, **damped)
    stable = look(bench).stable_dt
    # Grains that drift freely have a double eigenvalue of 1, which rounding splits by the root of 1e-16.
    assert growth(bench, stable) < 1.0 + 1e-6
    # A step far below what the packing bears would be safe and useless.
    assert growth(bench, 2.0 * stable) > 1.0 + 1e-5


def test_the_stable_step_does_not_depend_on_fixed_spheres() -> None:
    model, numbers = model_of()
    position = [(0, 0), (1.9e-3, 0), (9e-3, 0), (1.09e-2, 0)]
    world = world_of(model, position, 1e-3, 1e-3, fixed=[True, True, False, False])
    bench = Bench(world, model, numbers, 1e-9)
    bench.advance(1)
    found = look(bench)
    assert found.contacts == 1
    assert found.stiffest in (2, 3)


def test_without_contacts_every_time_step_is_stable() -> None:
    model, numbers = model_of()
    bench = Bench(world_of(model, [(0, 0), (9e-3, 0)], 1e-3, 1e-3), model, numbers, 1e-9)
    bench.advance(1)
    found = look(bench)
    assert (found.contacts, found.stable_dt, found.stiffest) == (0, np.inf, -1)


def test_compiled_survey_equals_plain_survey() -> None:
    bench = packing(3)
    bench.world.motion[:2, 1] = np.random.default_rng(1).normal(size=bench.world.motion[:2, 1].shape)
    found = compose_survey(bench.model)(bench.world, bench.numbers)
    assert found == pytest.approx(look(bench), rel=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("gap", [1e-19, 0.0, -1e-16, -1e-6])
def test_what_is_known_without_a_survey_is_what_the_survey_finds(
    dimension: int, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, numbers = model_of("gear5", dimension)
    generator = np.random.default_rng(dimension)
    position = np.zeros((2, dimension))
    direction = generator.normal(size=dimension)
    position[1] = (2e-3 + gap) * direction / np.linalg.norm(direction)
    bench = Bench(world_of(model, position, 1e-3, 1e-5), model, numbers, 1e-12)
    bench.advance(1)
    found = look(bench)
    assert nothing_touches(bench.world) == (found.contacts == 0)
    if found.contacts == 0:
        monkeypatch.setattr(survey, "compiled_survey", None)  # it must not be asked for
        assert compose_survey(model)(bench.world, numbers) == found


def test_a_position_that_is_not_finite_is_left_to_the_survey() -> None:
    bench = packing(1)
    bench.world.motion[0, 0] = np.nan
    assert not nothing_touches(bench.world)
