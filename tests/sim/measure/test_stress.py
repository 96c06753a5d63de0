"""Mean stress against closed forms: compressed, resting and flying grains."""

from __future__ import annotations

import json
from math import pi, sqrt

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.measure.stress import Stress, grain_pressure, mean_stress, share_inside
from repose.sim.registry import laws

from tests.small_worlds import Bench, contacts_of, model_of, world_of

VOIGT = laws()["voigt"]
R, K = 1e-2, 1e5


def bench_of(dimension, position, *, planes=(), rotation=True, radius=R, mass=1e-3, **values) -> Bench:
    """Spheres with linear springs K, evaluated once without moving; `planes` are (point, normal)."""
    motion = {name: values.pop(name) for name in ("velocity", "fixed") if name in values}
    values = {"normal_stiffness": K, "shear_stiffness": K, "restitution": 1.0} | values
    model, numbers = model_of("velocity_verlet", dimension, rotation=rotation, law=VOIGT, **values)
    world = world_of(model, position, radius, mass, skin=1e-3, **motion)
    if planes:
        corners = [[point, normal, np.zeros(dimension)] for point, normal in planes]
        world = set_walls(world, [PLANE] * len(corners), corners, material=1)
    bench = Bench(world, model, numbers, 1e-13)
    bench.advance(1)
    return bench


def stress_of(bench: Bench, lower, upper) -> Stress:
    return mean_stress(bench.world, contacts_of(bench), lower, upper)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_a_sphere_between_two_planes_carries_force_over_area(dimension: int, share: float) -> None:
    # Force K δ on either plane, over the face of the box, (2R)^(d-1). A lower box within the gap carries the same.
    half = 0.995 * R
    up = np.eye(dimension)[-1]
    bench = bench_of(dimension, [np.zeros(dimension)], planes=[(-half * up, up), (half * up, -up)])
    upper = np.full(dimension, R)
    upper[-1] = share * half
    found = stress_of(bench, -upper, upper)
    expected = np.zeros((dimension, dimension))
    expected[-1, -1] = K * 0.005 * R / (2.0 * R) ** (dimension - 1)
    assert found.tensor == pytest.approx(expected, rel=1e-9, abs=1e-9 * expected.max())
    assert found.pressure == pytest.approx(expected[-1, -1] / dimension)
    assert found.largest_shear == pytest.approx(0.5 * expected[-1, -1])
    assert found.unit == {2: "N/m", 3: "Pa"}[dimension]


def test_the_shear_stress_on_every_plane_is_that_of_the_symmetric_part_up_to_the_asymmetry() -> None:
    found = Stress(np.array([[3.0, 0.9], [0.5, 1.0]]), np.zeros((2, 2)))
    assert found.asymmetry == pytest.approx(0.2)
    turns = np.linspace(0.0, pi, 3601)
    on_planes = [
        abs(np.array([-np.sin(t), np.cos(t)]) @ found.tensor @ np.array([np.cos(t), np.sin(t)])) for t in turns
    ]
    assert max(on_planes) == pytest.approx(found.largest_shear + found.asymmetry, rel=1e-6)
    assert Stress(np.diag([3.0, 1.0]), np.zeros((2, 2))).asymmetry == 0.0


@pytest.mark.parametrize("dimension", [2, 3])
def test_pressure_inside_a_grain_is_the_stress_of_its_own_volume(dimension: int) -> None:
    # Squeezed at both poles with K δ: the pressure of the box around it, drawn together to the volume of the grain.
    half = 0.9995 * R
    up = np.eye(dimension)[-1]
    bench = bench_of(dimension, [np.zeros(dimension)], planes=[(-half * up, up), (half * up, -up)])
    box = stress_of(bench, np.full(dimension, -R), np.full(dimension, R))
    volume = {2: pi * R**2, 3: 4.0 / 3.0 * pi * R**3}[dimension]
    force = np.array([2.0 * K * 0.0005 * R])
    found = grain_pressure(np.array([R]), force, dimension)
    assert found[0] == pytest.approx(box.pressure * (2.0 * R) ** dimension / volume, rel=0.0006)


def test_in_a_column_of_discs_each_level_carries_the_weight_above_it() -> None:
    # Overlaps weight above / K, so that every disc is in balance; a slab between two centres carries W over the width.
    mass, g, count, width = 1e-3, 9.81, 6, 3.0 * R
    above = mass * g * np.arange(count, 0, -1)
    height = np.cumsum(np.where(np.arange(count) == 0, R, 2.0 * R) - above / K)
    floor = [((0.0, 0.0), (0.0, 1.0))]
    bench = bench_of(2, np.column_stack([np.zeros(count), height]), planes=floor, mass=mass)
    assert bench.world.force[1] == pytest.approx(np.full(count, mass * g), rel=1e-6)
    levels = np.concatenate([[0.0], height])
    for level, load in enumerate(above):
        found = stress_of(bench, (-width / 2, levels[level]), (width / 2, levels[level + 1]))
        assert found.tensor == pytest.approx(np.array([[0.0, 0.0], [0.0, load / width]]), rel=1e-6, abs=1e-9)
    # Over the whole height: the mean, weighted by the height each load acts over.
    found = stress_of(bench, (-width / 2, 0.0), (width / 2, levels[-1]))
    assert found.tensor[1, 1] == pytest.approx(np.sum(above * np.diff(levels)) / levels[-1] / width, rel=1e-6)


@pytest.mark.parametrize("start", [0.5, 0.8])
def test_a_cubic_packing_pressed_from_all_sides_has_equal_pressures(start: float) -> None:
    # Edge a = 2R - δ: per face a² one force K δ, whatever part of the lattice the box is laid over.
    overlap = 1e-4
    a = 2.0 * R - overlap
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3) * a
    found = stress_of(bench_of(3, grid), np.full(3, start * a), np.full(3, (start + 2.0) * a))
    assert found.tensor == pytest.approx(np.eye(3) * K * overlap / a**2, rel=1e-9, abs=1e-6)
    assert found.largest_shear == pytest.approx(0.0, abs=1e-6)


def cluster(friction: float) -> Bench:
    """Grains that overlap at random and slide past each other."""
    generator = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(*[1.9 * R * np.arange(3.0)] * 3), axis=-1).reshape(-1, 3)
    position, velocity = grid + generator.normal(0.0, 0.05 * R, grid.shape), generator.normal(0.0, 1.0, grid.shape)
    bench = bench_of(3, position, velocity=velocity, friction=friction, rolling_friction=0.0)
    bench.dt = 1e-5
    bench.advance(5)
    return bench


def test_without_torque_the_tensor_is_symmetric() -> None:
    lower, upper = np.full(3, 0.5 * R), np.full(3, 3.0 * R)
    smooth, rough = (stress_of(cluster(friction), lower, upper).contacts for friction in (0.0, 0.5))
    assert smooth == pytest.approx(smooth.T, rel=1e-12, abs=1e-12 * np.abs(smooth).max())
    assert np.abs(rough - rough.T).max() > 1e-4 * np.abs(rough).max()


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_dilute_gas_has_the_pressure_of_its_motion(dimension: int) -> None:
    # n m <v²> / d, the drift of the gas as a whole left out; the spheres are too far apart to touch.
    generator = np.random.default_rng(2)
    grid = np.stack(np.meshgrid(*[np.arange(5.0)] * dimension), axis=-1).reshape(-1, dimension)
    velocity = generator.normal(0.0, 2.0, grid.shape)
    velocity -= velocity.mean(axis=0)
    bench = bench_of(dimension, grid, velocity=velocity + 7.0, mass=3e-3)
    found = stress_of(bench, np.full(dimension, -0.5), np.full(dimension, 4.5))
    assert found.pressure == pytest.approx(3e-3 * np.mean(np.sum(velocity**2, axis=1)) / dimension, rel=1e-9)
    assert not found.contacts.any()
    assert found.tensor == pytest.approx(found.tensor.T)


def test_leap_frog_velocities_are_read_at_the_moment_of_the_positions() -> None:
    # Two that part with 1 m/s² each, stored half a step of 0.2 s ahead: at the positions' moment 3 m/s each way.
    bench = bench_of(2, [(0.0, 0.0), (1.0, 0.0)], mass=2.0)
    bench.world.motion[0, 1] = (-3.1, 3.1)
    bench.world.motion[0, 2] = (-1.0, 1.0)
    found = mean_stress(bench.world, contacts_of(bench), (-1.0, -1.0), (2.0, 1.0), velocity_shift=0.1)
    assert found.tensor == pytest.approx(np.array([[2.0 * 2.0 * 9.0 / 6.0, 0.0], [0.0, 0.0]]))


def test_grains_that_cannot_move_have_no_motion_to_carry() -> None:
    velocity = [(5.0, 0.0), (1.0, 0.0), (-1.0, 0.0)]
    bench = bench_of(2, [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], velocity=velocity, fixed=[True, False, False])
    found = stress_of(bench, (-1.0, -1.0), (3.0, 1.0))
    assert found.kinetic[0, 0] == pytest.approx(2.0 * 1e-3 / 8.0)


def test_principal_stresses_of_pure_shear() -> None:
    shear = Stress(np.array([[2.0, 3.0], [3.0, 2.0]]), np.zeros((2, 2)))
    assert shear.principal == pytest.approx([-1.0, 5.0])
    assert (shear.pressure, shear.largest_shear) == pytest.approx((2.0, 3.0))
    assert json.loads(json.dumps(shear.as_dict()))["tensor"] == [[2.0, 3.0], [3.0, 2.0]]


def test_share_of_a_line_in_a_box() -> None:
    # From end - branch to end, in the unit square: half in, across a corner, outside beside it, along an edge, within.
    end = np.array([(1.5, 0.5), (1.25, 0.75), (3.0, 0.5), (0.5, 1.0), (0.6, 0.6), (0.5, 1.5)]).T
    branch = np.array([(1.0, 0.0), (1.0, 1.0), (1.0, 0.0), (1.0, 0.0), (0.1, 0.2), (0.3, 0.0)]).T
    found = share_inside(end, branch, np.zeros(2), np.ones(2))
    assert found == pytest.approx([0.5, 0.5, 0.0, 0.5, 1.0, 0.0])


def test_a_box_turned_inside_out_is_refused() -> None:
    bench = bench_of(2, [(0.0, 0.0)])
    with pytest.raises(ValueError, match="no volume"):
        stress_of(bench, (0.0, 1.0), (1.0, 0.0))


def test_a_line_through_a_cube_along_its_diagonal_lies_in_it_whole() -> None:
    found = share_inside(np.ones((3, 1)), np.ones((3, 1)), np.zeros(3), np.ones(3))
    assert found == pytest.approx([1.0])
    longer = share_inside(np.full((3, 1), 2.0), np.full((3, 1), 2.0 * sqrt(2.0)), np.zeros(3), np.ones(3))
    assert longer == pytest.approx([1.0 / (2.0 * sqrt(2.0))])
