"""The contract of laws and integrators in periodic worlds: every one of them moves spheres across the border as in the
middle of the cell, and there, far from the border, bit for bit as in an open world."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from repose.sim.engine.boundaries import boundary_table, images_of, in_cell
from repose.sim.engine.model import Model
from repose.sim.registry import integrators, laws

from tests.random_contacts import WORDS, bound
from tests.small_worlds import Bench, look, model_of, world_of
from tests.tiers import tiered

SIDE = 2.0**-4
"""Period [m]: shifts by multiples of 2^-30 m are exact."""
RADIUS = 2.5e-3
STEPS = 10
GRIDS = {2: np.array(list(product((-1.0, 0.0, 1.0), repeat=2))), 3: np.array(list(product((-0.5, 0.5), repeat=3)))}
"""Places of the spheres [diameters]."""


def cluster(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping spheres around the origin, and their velocities; the first two are fixed."""
    generator = np.random.default_rng(dimension)
    place = 1.98 * RADIUS * GRIDS[dimension]
    place = place + generator.uniform(-0.004, 0.004, place.shape) * RADIUS
    velocity = generator.uniform(-0.02, 0.02, place.shape)
    velocity[:2] = 0.0
    return np.round(place * 2.0**30) / 2.0**30, velocity


def moved(model: Model, numbers: tuple, middle: float, periodic: bool, compiled: bool = False) -> Bench:
    """The cluster around the point with all coordinates `middle` [m], wrapped into the cell, after some steps."""
    place, velocity = cluster(model.dimension)
    boundary = boundary_table(model.dimension, np.full(model.dimension, SIDE) if periodic else None)
    fixed = np.arange(len(place)) < 2
    world = world_of(
        model,
        in_cell(place + middle, boundary),
        RADIUS,
        1e-4,
        velocity=velocity,
        fixed=fixed,
        material=np.arange(len(place)) % 2,
    )
    bench = Bench(world._replace(boundary=boundary), model, numbers, 2e-7, compiled=compiled)
    assert bench.advance(STEPS) == STEPS
    return bench


def require_equal(model: Model, numbers: tuple, compiled: bool = False) -> None:
    """In the middle the bits of an open world; at the border the same motion, forces, memory and energy."""
    opened, middle, border = (
        moved(model, numbers, *where, compiled=compiled)
        for where in ((0.5 * SIDE, False), (0.5 * SIDE, True), (0.0, True))
    )
    for name in ("motion", "force", "ledger", "previous"):
        np.testing.assert_array_equal(getattr(middle.world, name), getattr(opened.world, name))
    np.testing.assert_array_equal(middle.world.pairs.shear_spring, opened.world.pairs.shear_spring)
    place, _ = cluster(model.dimension)
    assert np.ptp(images_of(place, border.world.boundary), axis=0).all(), "the cluster lies across every border"
    dimension = model.dimension
    for levels in (1, 2):
        scale = np.abs(middle.world.motion[:, levels]).max()
        there, here = border.world.motion[:, levels], middle.world.motion[:, levels]
        np.testing.assert_allclose(there, here, rtol=0.0, atol=1e-9 * scale)
    path = border.world.motion[:dimension, 0] - in_cell(place, border.world.boundary).T
    np.testing.assert_allclose(path, middle.world.motion[:dimension, 0] - place.T - 0.5 * SIDE, atol=1e-12 * SIDE)
    scale = np.abs(middle.world.force).max()
    assert scale > 0.0
    np.testing.assert_allclose(border.world.force, middle.world.force, rtol=0.0, atol=1e-9 * scale)
    scale = np.abs(middle.world.ledger).max()
    np.testing.assert_allclose(border.world.ledger, middle.world.ledger, rtol=0.0, atol=1e-9 * scale)
    there, here = (np.array(look(bench)[1:6]) for bench in (border, middle))
    np.testing.assert_allclose(there, here, rtol=1e-8)


MOTIONS = [(2, False), (2, True), (3, False), (3, True)]
CHOICES = [(name, number) for name in laws() for number in range(len(WORDS.get(name, [{}])))]


@pytest.mark.parametrize(
    ("name", "number", "dimension", "rotation"),
    # The image is found before the law is called: one choice of its formulas shows that it is.
    tiered(
        [(*choice, *motion) for choice in CHOICES for motion in MOTIONS],
        fast={(name, 0, *motion) for name in laws() for motion in ((2, False), (3, True))},
    ),
)
def test_every_law_acts_across_the_border(name: str, number: int, dimension: int, rotation: bool) -> None:
    numbers, functions = bound(laws()[name], WORDS.get(name, [{}])[number])
    model, _ = model_of("velocity_verlet", dimension, rotation)
    require_equal(Model(functions, model.integrator, dimension, rotation), numbers)


@pytest.mark.parametrize("integrator", list(integrators()))
@pytest.mark.parametrize(("dimension", "rotation"), [(2, True), (3, False)])
def test_every_integrator_moves_spheres_across_the_border(integrator: str, dimension: int, rotation: bool) -> None:
    require_equal(*model_of(integrator, dimension, rotation, friction=0.4))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "integrator"),  # laws and integrators are compiled apart from each other
    [*((law, "leapfrog") for law in laws()), *(("voigt", name) for name in integrators() if name != "leapfrog")],
)
@pytest.mark.parametrize(("dimension", "rotation"), MOTIONS)
def test_compiled_laws_act_across_the_border(law: str, integrator: str, dimension: int, rotation: bool) -> None:
    numbers, functions = bound(laws()[law], WORDS.get(law, [{}])[0])
    model, _ = model_of(integrator, dimension, rotation)
    require_equal(Model(functions, model.integrator, dimension, rotation), numbers, compiled=True)
