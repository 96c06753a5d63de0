"""Signed distances on a grid against closed forms; grids and files that are refused."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from repose.sim.clumps.body import body_of, body_of_shape, body_of_triangles
from repose.sim.clumps.distance_field import DistanceField, DistanceGrid, depth_at, field_of_voxels, nodes_of
from repose.sim.clumps.shapes import SHAPES
from repose.sim.engine.world import Floats
from repose.sim.message import Message
from repose.sim.parameters import ParameterError
from scipy.ndimage import map_coordinates

from tests.english import english


def nodes(field: DistanceField) -> tuple[Floats, Floats, Floats]:
    shape = field.depth.shape
    return nodes_of(DistanceGrid(field.origin, field.step, (shape[0], shape[1], shape[2])))


def test_distance_to_a_cube_is_exact_inside_and_outside() -> None:
    field = body_of_shape("cube", 16, 2.0).field
    x, y, z = (np.abs(axis) - 1.0 for axis in nodes(field))
    outside = np.sqrt(np.maximum(x, 0.0) ** 2 + np.maximum(y, 0.0) ** 2 + np.maximum(z, 0.0) ** 2)
    exact = np.minimum(np.maximum(np.maximum(x, y), z), 0.0) + outside
    np.testing.assert_allclose(field.depth, -exact, atol=1e-12)


def test_distance_to_a_torus_differs_from_the_exact_one_by_a_small_part_of_the_step() -> None:
    field = body_of_shape("torus", 64, 8.0).field
    x, y, z = nodes(field)
    exact = 1.0 - np.sqrt((np.sqrt(x**2 + y**2) - 3.0) ** 2 + z**2)
    assert np.abs(field.depth - exact).max() < 0.1 * field.step


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_fits_its_box_and_touches_it(name: str) -> None:
    body = body_of_shape(name, 32, 2.0 * max(SHAPES[name].half))
    reach = np.array([body.surface.min(axis=(0, 1)), body.surface.max(axis=(0, 1))])
    assert np.abs(reach[1] - SHAPES[name].half).max() < 0.5 * body.field.step
    assert np.abs(reach[0] + SHAPES[name].half).max() < 0.55 * body.field.step or name == "vertebra"
    counted = float((body.field.depth > 0.0).sum() + 0.5 * (body.field.depth == 0.0).sum()) * body.field.step**3
    assert counted == pytest.approx(body.volume, rel=0.05)


def test_mesh_file_and_shape_have_the_same_field(tmp_path: Path) -> None:
    corner = 5.0 * SHAPES["cube"].triangles + 7.0  # mm, away from the origin
    points = corner.reshape(-1, 3)
    lines = [f"v {x} {y} {z}" for x, y, z in points] + [f"f {k} {k + 1} {k + 2}" for k in range(1, len(points), 3)]
    path = tmp_path / "block.obj"
    path.write_text("\n".join(lines) + "\n")
    read, made = body_of(str(path), 16), body_of("cube", 16, 0.01)
    np.testing.assert_allclose(read.field.depth, made.field.depth, atol=1e-9)
    assert read.volume == pytest.approx(1e-6)
    assert read.name == "block"
    np.testing.assert_allclose(read.field.origin - made.field.origin, 0.007)


def test_surface_of_several_thousand_triangles_is_inside_where_its_function_is_positive() -> None:
    """The sign by crossings, on lines through many edges and corners, against the sign of the function."""
    from repose.sim.clumps.distance_field import winding_around

    body = body_of_shape("tetrapod", 24, 3.0)
    shape = body.field.depth.shape
    grid = DistanceGrid(body.field.origin, body.field.step, (shape[0], shape[1], shape[2]))
    np.testing.assert_array_equal(winding_around(body.surface, grid), (body.field.depth > 0.0).astype(int))


def test_parts_of_a_mesh_that_overlap_are_one_body() -> None:
    cube = 0.5 * SHAPES["cube"].triangles + 0.5
    body = body_of_triangles("two cubes", np.concatenate([cube, cube + np.array([0.5, 0.3, 0.2])]), 32, None)
    assert body.volume == pytest.approx(2.0 - 0.5 * 0.7 * 0.8, rel=0.02)
    middle = np.array([[0.75, 0.65, 0.6]])  # of what both cubes contain
    assert depth_at(body.field, middle)[0] == pytest.approx(0.4, abs=0.05)  # no facet inside the body counts
    assert english(body.notes) == ("parts that overlap have been united",)


def test_cavity_of_a_mesh_is_outside_the_body() -> None:
    cube = SHAPES["cube"].triangles
    body = body_of_triangles("shell", np.concatenate([cube, 0.5 * cube[:, ::-1]]), 16, None)
    assert body.volume == pytest.approx(7.0)
    assert depth_at(body.field, np.zeros((1, 3)))[0] == pytest.approx(-0.5)
    assert body.notes == ()


def test_voxels_of_a_ball_give_the_depth_of_a_ball_within_a_voxel(tmp_path: Path) -> None:
    x, y, z = np.ogrid[-20:21, -20:21, -20:21]
    filled = x**2 + y**2 + z**2 <= 15.5**2
    path = tmp_path / "ball.npy"
    np.save(path, filled.astype(np.uint8))
    body = body_of(str(path), unit="mm")
    assert body.field.depth.max() == pytest.approx(0.0155, abs=0.001)
    assert body.volume == pytest.approx(4.0 / 3.0 * np.pi * 0.0155**3, rel=0.02)
    assert body_of(str(path), size=1.0).field.step == pytest.approx(1.0 / 31.0)
    np.save(path, filled.astype(np.float32))  # a mask as other programs write it
    assert body_of(str(path), unit="mm").volume == body.volume


def test_depth_between_nodes_is_linear() -> None:
    field = field_of_voxels(np.ones((4, 4, 4), bool), 1.0)
    assert depth_at(field, np.array([[0.25, 0.25, 0.25]])) == pytest.approx(field.depth[5, 5, 5])


def test_depths_between_nodes_are_those_of_scipy_to_the_last_bit_and_beyond_the_grid_those_of_its_edge() -> None:
    generator = np.random.default_rng(1)
    field = DistanceField(generator.random((4, 5, 6)), np.array([-1.0, 0.5, 2.0]), 0.25)
    points = field.origin + field.step * generator.uniform(0.0, 3.0, (200, 3))
    position = ((points - field.origin) / field.step).T
    np.testing.assert_array_equal(depth_at(field, points), map_coordinates(field.depth, position, order=1))
    far = np.array([[9.0, 9.0, 9.0], [-9.0, -9.0, -9.0], [-9.0, 9.0, 2.0]])
    np.testing.assert_array_equal(depth_at(field, far), field.depth[[-1, 0, 0], [-1, 0, -1], [-1, 0, 0]])


@pytest.mark.parametrize(
    ("cells", "words"),
    [(7, "grid of 7 cells"), (0, "8 to 500"), (501, "grid of 501 cells"), (400, "million nodes takes too much memory")],
)
def test_grids_out_of_range_are_refused_in_a_sentence(cells: int, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        body_of("cube", cells)


def test_open_mesh_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "open.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\n")
    with pytest.raises(ParameterError, match=r"open\.obj.*3 open edges"):
        body_of(str(path))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((4, 4, 4), np.uint8), "no voxel that is not zero"),
        (np.ones((4, 4), np.uint8), "three axes"),
        (np.full((4, 4, 4), 0.5), "float64"),
        (np.full((4, 4, 4), np.nan), "save a density as a mask"),
        (np.ones((4, 4, 2), bool), "thinner than 3 voxels"),
    ],
)
def test_voxel_files_that_are_no_body_are_refused(values: np.ndarray, words: str, tmp_path: Path) -> None:
    path = tmp_path / "voxels.npy"
    np.save(path, values)
    with pytest.raises(ParameterError, match=words):
        body_of(str(path))


def test_voxels_beyond_memory_are_refused_without_taking_it(tmp_path: Path) -> None:
    path = tmp_path / "voxels.npy"
    np.save(path, np.ones((280, 280, 280), bool))  # 22 million, two million too many
    tracemalloc.start()
    try:
        with pytest.raises(ParameterError, match="takes too much memory"):
            body_of(str(path))
        assert tracemalloc.get_traced_memory()[1] < 6 * 280**3
    finally:
        tracemalloc.stop()


def _head(shape: str) -> bytes:
    text = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text.encode() + b"\n"


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\x93NUMPY\x01\x00v\x00{'descr'", _head("(100000, 100000, 100000)"), _head("(9, 9, 9)")]
)
def test_files_that_are_no_array_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "voxels.npy"
    path.write_bytes(content)
    with pytest.raises(ParameterError, match="cannot be read"):
        body_of(str(path))
    with pytest.raises(ParameterError, match="no such file"):
        body_of(str(tmp_path / "missing.npy"))
    with pytest.raises(ParameterError, match="neither a shape"):
        body_of("blob")
    with pytest.raises(ParameterError, match="0 m long"):
        body_of("cube", size=0.0)


def test_progress_can_end_the_work() -> None:
    class Stopped(Exception):
        pass

    def stop(words: Message, share: float) -> None:
        assert 0.0 <= share <= 1.0
        if share > 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        body_of("torus", 16, show_progress=stop)
