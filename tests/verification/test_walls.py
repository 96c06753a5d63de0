"""Walls: a facet is a plane where it is one, an edge and a corner count once, and moving walls book their work.

Between two facets of a flat mesh a sphere must roll as over a plane. Forces are compared to 1e-12 of the plane's, which
is rounding: the nearest point of a triangle is found by other sums than the foot on a plane.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import CYLINDER, FACET, PLANE
from repose.sim.engine.world import WALL_CONTACT_COUNT
from repose.sim.registry import laws

from tests.small_worlds import Bench, model_of, world_of

VOIGT = laws()["voigt"]
RADIUS, MASS, K = 0.01, 0.01, 1e5
FLOOR = [[(0, 0, 0), (0, 0, 1), (0, 0, 0)]]
ORIGIN_CORNERS = [[(-1, -1, 0), (1, -1, 0), (1, 1, 0)], [(-1, -1, 0), (1, 1, 0), (-1, 1, 0)]]


def fan(pieces: int = 6) -> np.ndarray:
    """A flat mesh whose triangles all meet at the origin [m], shape (pieces, 3, 3)."""
    angle = 2.0 * pi * np.arange(pieces) / pieces + 0.1
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(pieces)])
    return np.stack([np.zeros_like(rim), rim, np.roll(rim, -1, axis=0)], axis=1)


def on_walls(shape, corner, position, *, velocity=0.0, spin=0.0, dt=2e-5, gravity=(0.0, 0.0, 0.0), **values) -> Bench:
    """One sphere and these walls."""
    fitting = {"normal_stiffness": K, "shear_stiffness": K, "friction": 0.4, "wall_friction": 0.4} | values
    wall_velocity = fitting.pop("wall_velocity", 0.0)
    model, numbers = model_of("velocity_verlet", 3, rotation=True, law=VOIGT, **fitting)
    world = world_of(model, [position], RADIUS, MASS, velocity=velocity, spin=spin, skin=2e-3)
    world = set_walls(world, shape, np.asarray(corner, float), velocity=wall_velocity, material=1)
    return Bench(world, model, numbers, dt, gravity, compiled=True)


def memory(bench: Bench) -> np.ndarray:
    """Tangential displacements of what counts [m], shape (contacts, 3)."""
    touches = bench.world.wall_contacts
    count = int(bench.world.counters[WALL_CONTACT_COUNT])
    return touches.shear_spring[:, :count][:, touches.touching[:count] > 0.0].T


PLACES = [
    pytest.param(ORIGIN_CORNERS, (0.3, -0.2), id="face"),
    pytest.param(ORIGIN_CORNERS, (0.3, 0.3), id="shared-edge"),
    pytest.param(fan(), (0.0, 0.0), id="shared-corner"),
    pytest.param(fan(), (0.003, -0.002), id="near-the-corner"),
]


@pytest.mark.parametrize(("mesh", "place"), PLACES)
def test_a_flat_mesh_is_a_plane(mesh, place) -> None:
    benches = []
    for shape, corners in ((PLANE, FLOOR), (FACET, mesh)):
        bench = on_walls([shape] * len(corners), corners, (*place, 0.99 * RADIUS), velocity=(1e-3, 2e-3, 0.0))
        for _ in range(5):
            bench.advance()
            assert len(memory(bench)) == 1
        benches.append(bench)
    plane, facets = benches
    size = np.abs(plane.world.force).max()
    assert facets.world.force == pytest.approx(plane.world.force, abs=1e-12 * size)
    assert memory(facets) == pytest.approx(memory(plane), rel=1e-10)
    assert facets.world.walls.force.sum(axis=0) == pytest.approx(-plane.world.force[:3, 0], abs=1e-12 * size)


@pytest.mark.case("X17")
def test_a_sphere_rolls_over_shared_edges_without_a_kick() -> None:
    # Long enough to cross the diagonal and two more edges of a grid of triangles 15 mm wide.
    steps = 0.015 * np.arange(-3, 4)
    mesh = []
    for x in steps[:-1]:
        for y in steps[:-1]:
            a, b = np.array([x, y, 0.0]), np.array([x + 0.015, y, 0.0])
            c, d = np.array([x + 0.015, y + 0.015, 0.0]), np.array([x, y + 0.015, 0.0])
            mesh += [[a, b, c], [a, c, d]]
    rest = RADIUS - MASS * 9.81 / K
    speed = 0.5
    motion = {"velocity": (speed, 0.1, 0.0), "spin": (-0.1 / RADIUS, speed / RADIUS, 0.0), "gravity": (0.0, 0.0, -9.81)}
    paths = []
    for shape, corners in ((PLANE, FLOOR), (FACET, mesh)):
        bench = on_walls([shape] * len(corners), corners, (-0.022, -0.0112, rest), dt=5e-5, **motion)
        track = []
        for _ in range(60):
            bench.advance(25)
            track.append(np.concatenate([bench.position[0], bench.velocity[0], RADIUS * bench.spin[0]]))
        paths.append(np.array(track))
    assert paths[1][-1, 0] > 0.014
    assert paths[1] == pytest.approx(paths[0], abs=1e-10)


@pytest.mark.case("X17")
@pytest.mark.parametrize("turn", [2.0, 5.0, 10.0])
def test_a_shallow_fold_seen_from_inside_gives_no_energy(turn: float) -> None:
    # A sphere glides from one face up the next, pressed in by g to 1 % of its radius, more than 1/cos(turn) - 1 of it
    # for the two shallower folds: a second push beginning at the fold with that overlap would be 4e-4 J from nowhere.
    rise = np.tan(np.radians(turn))
    left = [[(-1, -1, 0), (0, -1, 0), (0, 1, 0)], [(-1, -1, 0), (0, 1, 0), (-1, 1, 0)]]
    right = [[(0, -1, 0), (1, -1, rise), (1, 1, rise)], [(0, -1, 0), (1, 1, rise), (0, 1, 0)]]
    motion = {"velocity": (3.0, 0.02, 0.0), "gravity": (0.0, 0.0, -1000.0), "dt": 2e-6}
    smooth = {"friction": 0.0, "wall_friction": 0.0, "restitution": 1.0}
    bench = on_walls([FACET] * 4, left + right, (-0.004, 0.0, 0.99 * RADIUS), **motion, **smooth)
    bench.advance()
    before = bench.energy().mechanical
    gaps = []
    for _ in range(30):
        bench.advance(50)
        gaps.append(bench.energy().mechanical - before)
    assert bench.position[0, 0] > 0.003
    # The push of 10 N turns by 10° at most somewhere between two steps: 1.7 N times half of 3 m/s dt.
    assert np.abs(gaps).max() < 5e-6


def test_edge_and_corner_push_away_from_their_nearest_point() -> None:
    triangle = [[(0, 0, 0), (1, 0, 0), (0, 1, 0)]]
    for nearest, away in (((0.4, 0.0, 0.0), (0.0, -0.6, 0.8)), ((0.0, 0.0, 0.0), (-2.0 / 3, -2.0 / 3, 1.0 / 3))):
        depth = 1e-4
        bench = on_walls([FACET], triangle, np.add(nearest, np.multiply(RADIUS - depth, away)), dt=1e-9)
        bench.advance()
        assert bench.world.force[:3, 0] == pytest.approx(K * depth * np.array(away), rel=1e-6)


def test_two_facets_meeting_at_a_ridge_count_once() -> None:
    # Over the edge of a roof both facets are nearest at the same point of the edge.
    roof = [[(-1, -1, -1), (1, -1, -1), (-1, 0, 0)], [(1, -1, -1), (1, 0, 0), (-1, 0, 0)]]
    roof += [[(-1, 1, -1), (1, 1, -1), (-1, 0, 0)], [(1, 1, -1), (1, 0, 0), (-1, 0, 0)]]
    depth = 1e-4
    bench = on_walls([FACET] * 4, roof, (0.2, 0.0, RADIUS - depth), dt=1e-9)
    bench.advance()
    assert bench.world.force[:3, 0] == pytest.approx([0.0, 0.0, K * depth], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_cylinder_pushes_inward_or_outward(side: float) -> None:
    depth, wide = 1e-4, 0.1
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    out = np.array([2.0, 1.0, -2.0]) / 3.0
    position = 0.37 * axis + (wide - side * (RADIUS - depth)) * out
    bench = on_walls([CYLINDER], [[(0, 0, 0), axis, (wide, side, 0)]], position, dt=1e-9)
    bench.advance()
    assert bench.world.force[:3, 0] == pytest.approx(-side * K * depth * out, rel=1e-6, abs=1e-10)


def test_work_of_a_moving_wall_is_in_the_ledger() -> None:
    # A wall that runs against a resting sphere with v sends it off with (1 + e) v, and gives m (1 + e) v² of work.
    speed, restitution = 0.3, 0.6
    duration = pi * sqrt(MASS / K)
    dt = duration / 400
    bench = on_walls(
        [PLANE],
        FLOOR,
        (0.0, 0.0, RADIUS + 3.7 * speed * dt),
        dt=dt,
        restitution=restitution,
        wall_velocity=[(0.0, 0.0, speed)],
    )
    bench.advance(480)
    assert not bench.touching
    found = bench.energy()
    # The damper sets in with a jump: half a step of it either side.
    bound = 2.0 * 0.16 * sqrt(K / MASS) * dt
    assert bench.velocity[0, 2] == pytest.approx((1.0 + restitution) * speed, rel=bound)
    assert found.work == pytest.approx(MASS * (1.0 + restitution) * speed**2, rel=bound)
    assert found.kinetic + found.damping == pytest.approx(found.work, rel=bound)


def test_a_wall_that_moves_finds_spheres_that_rest() -> None:
    # Far beyond the skin at first: the lists must be made anew because the wall moved, not the sphere.
    bench = on_walls([PLANE], FLOOR, (0.0, 0.0, 0.05), dt=1e-4, wall_velocity=[(0.0, 0.0, 0.5)])
    bench.advance(1500)
    assert bench.world.walls.moved[0, 2] == pytest.approx(0.075)
    assert bench.position[0, 2] > 0.075 + RADIUS
    assert bench.velocity[0, 2] > 0.5
