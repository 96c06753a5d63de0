"""Bonds against closed forms: modes of a chain, beam theory, conservation, breaking, and the step they bear."""

from __future__ import annotations

from dataclasses import replace
from math import pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.builder import add_bonds, in_order_of_id, keep_spheres, reset_displacements
from repose.sim.engine.model import Coefficients
from repose.sim.measure.energy import Booked
from repose.sim.parameters import ParameterError
from repose.sim.registry import bonds

from tests.small_worlds import Bench, angular_momentum, look, model_of, momentum, world_of

RADIUS, MASS = 1e-3, 1e-4
SPRING = (50.0, 0.0, 10.0)
"""Stiffness [N/m], viscosity [kg/s], largest stretch."""


def bonded(name: str, place: Any, own: Any, dt: float, scheme: str = "velocity_verlet", **given: Any) -> Bench:
    """Spheres, each bonded to the next; parameters of the bond law by name."""
    law, values = bonds()[name], {}
    for key in list(given):
        if key in law.parameters.model_fields:
            values[key] = given.pop(key)
    parameters = law.parameters.checked(values)
    place = np.atleast_2d(np.asarray(place, float))
    model, numbers = model_of(scheme, place.shape[1], given.pop("rotation", False))
    model = replace(model, bond=law.bind(parameters))
    rest = given.pop("rest_length", None)
    gravity = given.pop("gravity", ())
    world = world_of(model, place, given.pop("radius", RADIUS), MASS, **given)
    rows = np.arange(len(place) - 1)
    world = add_bonds(world, rows, rows + 1, own, rest_length=rest)
    return Bench(world, model, numbers, dt, gravity, further=Coefficients(bond=law.coefficients(parameters)))


def line(count: int, spacing: float = 0.01, dimension: int = 2) -> np.ndarray:
    position = np.zeros((count, dimension))
    position[:, 0] = spacing * np.arange(count)
    return position


@pytest.mark.parametrize("mode", [1, 3, 5])
def test_a_chain_between_fixed_ends_oscillates_at_its_normal_modes(mode: int) -> None:
    free, steps = 5, 40
    omega = 2.0 * sqrt(SPRING[0] / MASS) * sin(mode * pi / (2 * (free + 1)))
    dt = 2.0 * sin(pi / steps) / omega  # the scheme turns the mode by 2 asin(omega dt/2) in a step
    bench = bonded("spring", line(free + 2), SPRING, 0.0, fixed=[True] + [False] * free + [True])
    shape = 1e-4 * np.sin(mode * pi * np.arange(free + 2) / (free + 1))
    bench.world.motion[0, 0] += shape
    reset_displacements(bench.world)
    start = bench.position[:, 0]
    bench.advance()  # accelerations
    bench.dt = dt
    bench.advance(steps // 2)
    assert bench.position[:, 0] - line(free + 2)[:, 0] == pytest.approx(-shape, abs=1e-11)
    bench.advance(steps // 2)
    assert bench.position[:, 0] == pytest.approx(start, abs=1e-11)


YOUNG, BEAM_RADIUS, LENGTH, ELEMENTS = 1e9, 1e-3, 0.1, 4
MOMENT = pi * BEAM_RADIUS**4 / 4.0


def bent(dimension: int, deflection: np.ndarray, slope: np.ndarray, twist: np.ndarray) -> Bench:
    """A straight beam brought to a given shape: its nodes move and turn steadily, whatever acts on them."""
    steps = 10
    position = line(ELEMENTS + 1, LENGTH / ELEMENTS, dimension)
    bench = bonded("beam", position, [BEAM_RADIUS], 1.0 / steps, rotation=True, fixed=True, bond_young=YOUNG)
    bench.world.motion[1, 1] = deflection
    bench.world.motion[-1, 1] = slope
    if dimension == 3:
        bench.world.motion[3, 1] = twist
    bench.advance(steps)
    return bench


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_cantilever_bends_as_beam_theory_says(dimension: int) -> None:
    load = 1e-5  # a larger one would also stretch the beam
    x = np.linspace(0.0, LENGTH, ELEMENTS + 1)
    deflection = load * x**2 * (3.0 * LENGTH - x) / (6.0 * YOUNG * MOMENT)
    slope = load * x * (2.0 * LENGTH - x) / (2.0 * YOUNG * MOMENT)
    assert deflection[-1] == pytest.approx(load * LENGTH**3 / (3.0 * YOUNG * MOMENT))
    bench = bent(dimension, deflection, slope, 0.0 * x)
    force = bench.world.force
    # At its nodes the beam is exact: the inner ones are in balance, the last bears the load, the first the moment.
    assert force[1, 1:-1] == pytest.approx(np.zeros(ELEMENTS - 1), abs=1e-3 * load)
    assert force[-1, 1:] == pytest.approx(np.zeros(ELEMENTS), abs=1e-3 * load * LENGTH)
    assert force[1, -1] == pytest.approx(-load, rel=1e-3)
    assert force[-1, 0] == pytest.approx(load * LENGTH, rel=1e-3)
    assert look(bench).bond_energy == pytest.approx(0.5 * load * deflection[-1], rel=2e-3)


def test_a_shaft_is_twisted_by_its_torque() -> None:
    angle = 0.1 * np.linspace(0.0, 1.0, ELEMENTS + 1)
    bench = bent(3, 0.0 * angle, 0.0 * angle, angle)
    shear_modulus = YOUNG / (2.0 * 1.25)
    torque = shear_modulus * 2.0 * MOMENT * 0.1 / LENGTH
    assert bench.world.force[3] == pytest.approx([torque, *[0.0] * (ELEMENTS - 1), -torque], abs=1e-9 * torque)


@pytest.mark.parametrize(("dimension", "rotation"), [(2, False), (2, True), (3, True)])
def test_bonds_conserve_momentum_and_angular_momentum(dimension: int, rotation: bool) -> None:
    generator = np.random.default_rng(3)
    position = line(4, 0.01, dimension) + generator.normal(0.0, 1e-3, (4, dimension))
    spin = generator.normal(0.0, 20.0, (4, 2 * dimension - 3)) if rotation else 0.0
    speed = generator.normal(0.0, 0.3, (4, dimension))
    name, own = ("beam", [2e-4]) if rotation else ("spring", SPRING)
    bench = bonded(name, position, own, 1e-5, "leapfrog", velocity=speed, spin=spin, rotation=rotation)
    before = momentum(bench), angular_momentum(bench)
    bench.advance(100)
    assert look(bench).bond_energy > 1e-3 * bench.energy().kinetic
    assert momentum(bench) == pytest.approx(before[0], abs=1e-12)
    size = np.abs(before[1]).max()
    # Leap-frog keeps it for forces along the branch; torques and arms are taken at the same moment.
    assert angular_momentum(bench) == pytest.approx(before[1], abs=(1e-12 if not rotation else 2e-4) * size)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_pair_that_turns_as_a_whole_stores_nothing(dimension: int) -> None:
    spin = (30.0,) if dimension == 2 else (0.0, 0.0, 30.0)
    velocity = np.zeros((2, dimension))
    velocity[:, 1] = [-0.005 * 30.0, 0.005 * 30.0]
    position = line(2, 0.01, dimension) - np.eye(2, dimension)[0] * 0.005
    stretch = MASS * 0.005 * 30.0**2 / (YOUNG * pi * (2e-4) ** 2 / 0.01)
    bench = bonded("beam", position, [2e-4], 1e-6, rotation=True, velocity=velocity, spin=spin, bond_young=YOUNG)
    bench.advance(500)
    memory = np.abs(bench.world.bonds.memory)
    assert np.linalg.norm(bench.position[1] - bench.position[0]) == pytest.approx(0.01, abs=3.0 * stretch)
    assert memory[:dimension].max() < 1e-9  # metres; the ends have travelled 75 µm
    assert memory[dimension:].max() < 1e-12


def test_a_bond_that_is_stretched_too_far_breaks_and_books_what_it_stored() -> None:
    bench = bonded("spring", line(2), (50.0, 0.0, 0.1), 2e-5, velocity=[(-1.0, 0.0), (1.0, 0.0)])
    before = bench.energy().mechanical
    while bench.world.bonds.intact[0]:
        assert bench.advance(1) == 1
    energy = bench.energy(Booked(poured=before))
    stretch = np.diff(bench.position[:, 0])[0] / 0.01 - 1.0
    assert 0.1 < stretch < 0.1 + 2.0 * bench.dt * 2.0 / 0.01
    assert energy.breaking == pytest.approx(0.5 * 50.0 * (0.01 * stretch) ** 2, rel=1e-9)
    assert energy.bonds == 0.0
    # In the step in which it breaks the scheme still applies half of the last force.
    pull = 50.0 * 0.1 * 0.01
    assert abs(energy.gap) < 1.5 * pull * 2.0 * bench.dt
    flying = bench.velocity
    bench.advance(2)
    bench.advance(20)
    assert bench.velocity == pytest.approx(flying, abs=1.5 * pull / MASS * bench.dt)


def test_internal_friction_books_its_heat() -> None:
    def gap(dt: float) -> float:
        bench = bonded("spring", line(2), (50.0, 0.02, 10.0), dt, velocity=[(-0.1, 0.0), (0.1, 0.0)])
        before = bench.energy().mechanical
        bench.advance(round(4e-3 / dt))
        energy = bench.energy(Booked(poured=before))
        assert energy.damping > 0.3 * before
        return abs(energy.gap) / before

    assert gap(4e-5) < 0.05
    assert gap(1e-5) < 0.35 * gap(4e-5)


@pytest.mark.parametrize(("own", "law"), [(SPRING, "spring"), ([2e-4], "beam")])
def test_the_step_that_bonds_bear(own: Any, law: str) -> None:
    given = {"rotation": True, "bond_young": YOUNG} if law == "beam" else {}
    bench = bonded(law, line(2), own, 1e-6, "leapfrog", **given)
    bench.advance(1)
    stable = look(bench).stable_dt
    along = 50.0 if law == "spring" else YOUNG * pi * 4e-8 / 0.01
    if law == "spring":
        assert stable == pytest.approx(2.0 / sqrt(2.0 * along / MASS), rel=1e-6)
    bench.dt = 0.98 * stable
    bench.world.motion[0, 1] = [1e-3, -1e-3]
    if law == "beam":
        bench.world.motion[2, 1] = [1.0, -0.5]
    most = 0.0
    for _ in range(200):
        bench.advance(1)
        most = max(most, float(np.abs(bench.velocity).max()))
    assert most < 0.1


def test_bonds_follow_their_spheres_when_rows_change() -> None:
    bench = bonded("spring", line(5), SPRING, 1e-5)
    world = bench.world
    kept = keep_spheres(world, np.array([True, True, False, True, True]))
    assert list(zip(kept.bonds.i.tolist(), kept.bonds.j.tolist())) == [(0, 1), (2, 3)]
    assert kept.workspace.bonds.begin.tolist() == [0, 1, 2, 3, 4]
    world.sphere_id[:] = [4, 3, 2, 1, 0]
    turned = in_order_of_id(world)
    assert list(zip(turned.bonds.i.tolist(), turned.bonds.j.tolist())) == [(4, 3), (3, 2), (2, 1), (1, 0)]


@pytest.mark.parametrize(
    ("i", "j", "own", "said"),
    [
        ([0], [7], SPRING, r"j = 7 is refused: there are 5 spheres; it must be a whole number from 0 to 4\."),
        ([0, 2], [1, -1], SPRING, "j = -1 is refused"),
        ([0.5], [1], SPRING, "i = 0.5 is refused"),
        (["0"], [1], SPRING, "i = .'0'. is refused: it must be a number"),
        ([0, 1, 2], [1, 2], SPRING, r"i has the shape \(3,\) and j \(2,\)"),
        ([1], [1], SPRING, "Bond 0 joins spheres 1 and 1, .* two spheres at different places"),
        ([0], [1], [1.0, 2.0], "3 numbers each, not 2"),
        ([0, 1], [1, 2], [[1.0] * 3] * 3, r"own has the shape \(3, 3\)"),
        ([0], [1], [1.0, 2.0, np.nan], r"own\[2, 0\] = nan is refused: it must be a finite number"),
    ],
)
def test_bonds_that_cannot_be_are_refused(i: Any, j: Any, own: Any, said: str) -> None:
    bench = bonded("spring", line(5), SPRING, 1e-5)
    with pytest.raises(ParameterError, match=said):
        add_bonds(bench.world, i, j, own)


@pytest.mark.parametrize("length", [0.0, -1e-3, np.nan, [1e-3, 1e-3]])
def test_a_rest_length_that_cannot_be_is_refused(length: Any) -> None:
    bench = bonded("spring", line(5), SPRING, 1e-5)
    with pytest.raises(ParameterError, match="rest_length"):
        add_bonds(bench.world, [0], [1], SPRING, rest_length=length)
