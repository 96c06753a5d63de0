"""Body and clump beside each other: which is where in any view, and normals of the surface drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.app.render.beside import beside, corners_seen, drawn_surface, normals_at_corners, reach
from repose.app.render.orbit import Camera3D
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.clumps.shapes import SHAPES

SIZE = (800, 600)


@pytest.mark.parametrize("azimuth", [0.0, 1.0, 3.0, -2.0])
@pytest.mark.parametrize("elevation", [-0.3, 0.4, 1.5])
def test_the_body_is_at_the_left_and_both_are_in_view_from_every_side(azimuth: float, elevation: float) -> None:
    body = body_of_shape("rod", 24, 0.01)
    clump = fitted_clump(body, 5)
    camera = Camera3D(azimuth=azimuth, elevation=elevation)
    radius = reach(body, clump)
    camera.frame_points(corners_seen(camera, radius), SIZE)
    shown = beside(body, drawn_surface(body), clump, camera, radius)
    of_body = camera.world_to_pixel(shown.geometry.solid[:, 0].reshape(-1, 3), SIZE)
    of_clump = camera.world_to_pixel(shown.grains.position, SIZE)
    assert of_body[:, 0].max() < of_clump[:, 0].min()
    for seen in (of_body, of_clump):
        assert (seen >= 0.0).all()
        assert (seen <= SIZE).all()
    np.testing.assert_array_equal(shown.grains.columns["size"], clump.radius.astype(np.float32))


def test_normals_of_a_cube_are_those_of_its_faces() -> None:
    triangles = SHAPES["cube"].triangles
    assert triangles is not None
    normals = normals_at_corners(triangles)
    flat = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    np.testing.assert_allclose(normals, (flat / 4.0)[:, None].repeat(3, axis=1), atol=1e-12)


def test_normals_of_a_ball_point_away_from_its_centre() -> None:
    surface = drawn_surface(body_of_shape("ball", 32, 2.0))
    outwards = surface[:, 0] / np.linalg.norm(surface[:, 0], axis=-1, keepdims=True)
    cosine = (outwards * surface[:, 1]).sum(axis=-1)
    assert np.degrees(math.acos(float(cosine.min()))) < 8.0


def test_the_surface_of_a_fine_grid_is_drawn_with_fewer_triangles() -> None:
    body = body_of_shape("ball", 120, 2.0)
    drawn = drawn_surface(body)
    assert len(drawn) < 0.5 * len(body.surface)
    assert np.linalg.norm(drawn[:, 0], axis=-1) == pytest.approx(1.0, abs=0.01)
