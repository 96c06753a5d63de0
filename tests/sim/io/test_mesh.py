"""Meshes: three formats give the same walls, and unusable meshes are refused in one sentence."""

from __future__ import annotations

import os
import struct
from math import pi
from pathlib import Path

import numpy as np
import pytest
from repose.sim.clumps.body import body_of
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.io import mesh
from repose.sim.io.mesh import MOST_FACETS, UNITS, read_mesh
from repose.sim.parameters import ParameterError
from repose.sim.registry import laws

from tests.english import english
from tests.small_worlds import Bench, model_of, world_of

RADIUS, MASS, STIFFNESS = 1e-3, 1e-5, 1e3
"""Of the spheres [m], [kg], and of their contacts [N/m]."""
REST = RADIUS - MASS * 9.81 / STIFFNESS
"""Height of a sphere at rest on a plane [m]."""
SIDES = np.array([10.0, 20.0, 30.0])
"""Of the box that is written to files [mm]."""
VOIGT = laws()["voigt"]


def box() -> np.ndarray:
    """The twelve triangles of a closed box from the origin [mm], wound anticlockwise seen from outside."""
    quads = []
    for axis in range(3):
        for high in (0.0, 1.0):
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            corners = [high * np.eye(3)[axis] + a * u + b * v for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            quads.append(corners if high else corners[::-1])
    return np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]) * SIDES


def binary(triangles: np.ndarray) -> bytes:
    """A binary STL."""
    rows = [struct.pack("<12fH", 0, 0, 0, *corners.ravel(), 0) for corners in triangles]
    return b"a box".ljust(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def ascii(triangles: np.ndarray) -> bytes:
    """A text STL."""
    lines = ["solid box"]
    for corners in triangles:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x:g} {y:g} {z:g}" for x, y, z in corners)]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid box", ""]).encode()


def obj(triangles: np.ndarray) -> bytes:
    """An OBJ with every corner once."""
    points, row = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in points]
    lines += [f"f {a} {b} {c}" for a, b, c in row.reshape(-1, 3) + 1]
    return "\n".join([*lines, ""]).encode()


FORMATS = {"box.stl": binary, "text.STL": ascii, "box.obj": obj}


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def refusal(path: Path, **asked: object) -> str:
    with pytest.raises(ParameterError) as caught:
        read_mesh(path, **asked)
    said = str(caught.value)
    assert said.startswith(f"Mesh '{path}': ")
    assert said.endswith(".")
    assert "\n" not in said
    return said


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_facets(tmp_path: Path, name: str) -> None:
    found = read_mesh(written(tmp_path, name, FORMATS[name](box())), closed=True)
    assert found.closed
    assert found.notes == ()
    assert found.volume == pytest.approx(6e-6, rel=1e-6)

    def in_order(facets: np.ndarray) -> np.ndarray:
        return np.array(sorted(np.roll(f, -np.lexsort(f.T)[0], axis=0).ravel().tolist() for f in facets))

    assert in_order(found.facets) == pytest.approx(in_order(1e-3 * box()), abs=1e-9)


@pytest.mark.parametrize(("unit", "metres"), UNITS.items())
def test_the_unit_of_the_file_is_a_choice(tmp_path: Path, unit: str, metres: float) -> None:
    found = read_mesh(written(tmp_path, "box.stl", binary(box())), unit)
    assert np.ptp(found.facets, axis=(0, 1)) == pytest.approx(metres * SIDES, rel=1e-6)


def test_faces_of_an_obj_may_have_four_corners_and_count_backwards(tmp_path: Path) -> None:
    square = b"v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf -4 -3 -2 -1\n"
    found = read_mesh(written(tmp_path, "square.obj", square))
    assert found.facets.shape == (2, 3, 3)
    area = np.linalg.norm(np.cross(*np.diff(found.facets, axis=1).swapaxes(0, 1)), axis=1).sum() / 2.0
    assert area == pytest.approx(4e-6)


def test_material_files_of_an_obj_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "paint.mtl", b"newmtl red\nKd 1 0 0\nmap_Kd picture.png\n")
    path = written(tmp_path, "box.obj", b"mtllib paint.mtl\nusemtl red\n" + obj(box()))
    read_mesh(path)  # what the reader itself is made of is loaded by now
    opened: list[str] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda name, *rest, **more: opened.append(str(name)) or real(name, *rest, **more))
    monkeypatch.setattr("builtins.open", lambda name, *rest, **more: pytest.fail(f"{name} is opened"))
    assert len(read_mesh(path).facets) == 12
    assert not [name for name in opened if "paint" in name]


BAD = {
    "empty": ("a.stl", b"", "the file is empty"),
    "blank": ("a.obj", b" \n\n", "the file is empty"),
    "no-mesh": ("a.stl", b"hello", "this is not an STL file"),
    "noise": ("a.stl", np.random.default_rng(1).bytes(5000), "this is not an STL file"),
    "no-solid": ("a.stl", b"solid x\nendsolid x\n", "it contains no triangles"),
    "no-faces": ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "it contains no triangles"),
    "zeros": ("a.stl", bytes(84), "it contains no triangles"),
    "cut-binary": ("a.stl", binary(box())[:-30], "it announces 12 triangles, which take 684 bytes, but has 654"),
    "cut-text": ("a.stl", ascii(box())[:-300], "line 63 is 'en' instead of endloop"),
    "cut-second-solid": ("a.stl", ascii(box()) + ascii(box())[:-300], "line 149 is 'en' instead of endloop"),
    "words-for-numbers": ("a.stl", ascii(box()).replace(b"vertex 10", b"vertex ten", 1), "this is not an STL file"),
    "decimal-comma": ("a.obj", obj(box()).replace(b"v 0 0", b"v 0,5 0", 1), "this OBJ file cannot be read"),
    "no-such-corner": (
        "a.obj",
        b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
        "line 4 names a point that is not among its 3",
    ),
    "two-corners": (
        "a.obj",
        b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n",
        "line 4 is 'f 1 2' instead of f with three points or more",
    ),
    "point-zero": ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "line 4 is 'f 0 1 2' instead of f"),
    "far-back": ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2\n", "line 4 names a point that is not among its 3"),
    "no-such-normal": ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//2\n", "line 5 names a vn"),
    "two-numbers": ("a.obj", b"v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "line 2 is 'v 1 0' instead of v with three"),
    "spoilt-word": ("a.obj", obj(box()).replace(b"\nv ", b"\nq ", 1), "line 2 is 'q"),
    "nul-in-text": ("a.obj", obj(box()) + b"\0", "has bytes that are not text"),
    "two-corners-text": ("a.stl", ascii(box()).replace(b"vertex 0 0 30\n", b"", 1), "instead of vertex"),
    "no-endsolid": ("a.stl", ascii(box()).replace(b"endsolid box\n", b""), "its last solid has no endsolid"),
    "huge": ("a.obj", obj(1e300 * box()), "a coordinate of 3e+301, larger than 1e+09"),
    "nan-text": ("a.stl", ascii(box()).replace(b"vertex 10", b"vertex nan", 1), "1 of its 36 corners"),
    "inf-binary": ("a.stl", binary(np.where(box() == 30.0, np.inf, box())), "18 of its 36 corners"),
    "nan-obj": ("a.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not a finite number: 1 of its 3 corners"),
    "one-point": ("a.stl", binary(np.ones((4, 3, 3))), "it has no extent"),
    "one-line": ("a.stl", binary(box() * (1.0, 0.0, 0.0)), "none of its triangles has an area"),
}


@pytest.mark.parametrize(("name", "content", "words"), BAD.values(), ids=BAD)
def test_what_is_no_mesh_is_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    assert words in refusal(written(tmp_path, name, content))


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_anywhere_is_refused_or_told(tmp_path: Path, name: str) -> None:
    whole = FORMATS[name](box())
    for kept in range(1, len(whole)):
        path = written(tmp_path, name, whole[:kept])
        try:
            found = read_mesh(path)
        except ParameterError:
            continue
        # Cut after its last facet, a text is whole; only of an OBJ faces may be missing, which is told.
        if found.closed:
            assert len(found.facets) == 12
            assert whole[kept:] in (b" box\n", b"box\n", b"ox\n", b"x\n", b"\n")
        else:
            assert name.endswith("obj")
            assert found.notes == (mesh.NO_END,)
            assert len(np.unique(found.facets.reshape(-1, 3), axis=0)) == 8


def test_unused_points_are_accepted_where_the_surface_is_closed(tmp_path: Path) -> None:
    loose = b"v 1 2 3\nv 4 5 6\n"
    assert read_mesh(written(tmp_path, "box.obj", obj(box()) + loose)).closed
    said = refusal(written(tmp_path, "open.obj", b"\n".join(obj(box()).split(b"\n")[:-2]) + b"\n" + loose))
    assert "no face has 2 of its 10 points and its surface is open" in said


def test_what_else_an_obj_holds_is_passed_over(tmp_path: Path) -> None:
    head = b"# by hand\r\nmtllib a.mtl\no b\nvt 0 0\nvn 0 0 1\nv 0 0 0 1 0 0\nv 1 0 \\\n 0\nv 0 1e0 .0 # third\n"
    faces = b"s off\nusemtl r\xe9d\nf 1/1/1 2/1/1 -1/-1/-1\n"
    assert len(read_mesh(written(tmp_path, "a.obj", head + faces)).facets) == 1


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "none.stl")
    assert "must end in .stl or .obj" in refusal(written(tmp_path, "box.step", b"ISO-10303-21;"))
    (tmp_path / "folder.stl").mkdir()
    assert "this is a folder" in refusal(tmp_path / "folder.stl")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.stl")
        assert "not a regular file" in refusal(tmp_path / "pipe.stl")
    with pytest.raises(ParameterError, match="cannot be read"):
        read_mesh("nul\0.stl")
    with pytest.raises(ParameterError) as caught:
        read_mesh("x" * 9000 + ".stl")
    assert len(str(caught.value)) < 300


def test_too_many_triangles_are_refused_with_the_limit_before_they_are_read(tmp_path: Path, monkeypatch) -> None:
    million = b"".ljust(80) + struct.pack("<I", 1_000_000) + bytes(50_000_000)
    said = refusal(written(tmp_path, "million.stl", million))
    assert f"it has 1000000 triangles, at most {MOST_FACETS} are allowed" in said
    monkeypatch.setattr(mesh, "MOST_FACETS", 11)
    for name, write in FORMATS.items():
        assert "it has 12 triangles, at most 11 are allowed" in refusal(written(tmp_path, name, write(box())))
    square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n" + b"f 1 2 3 4\n" * 6
    assert "it has 12 triangles, at most 11" in refusal(written(tmp_path, "squares.obj", square))
    monkeypatch.setattr(mesh, "LARGEST_FILE", 2**20)
    assert "the file has 48 MB, at most 1 MB are read" in refusal(tmp_path / "million.stl")


def many_triangles(number: int) -> np.ndarray:
    """The box, each of its triangles cut into four until there are at least `number`."""
    triangles = box()
    while len(triangles) < number:
        a, b, c = np.moveaxis(triangles, 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        triangles = np.concatenate([np.stack(part, axis=1) for part in parts])
    return triangles


def test_a_body_can_have_more_triangles_than_walls(tmp_path: Path, monkeypatch) -> None:
    """A scanned bone has 100 000; the points of a body become a grid, those of walls are compared with every grain."""
    path = written(tmp_path, "bone.stl", binary(many_triangles(MOST_FACETS + 1)))
    assert f"triangles, at most {MOST_FACETS} are allowed" in refusal(path, closed=True)
    found = read_mesh(path, closed=True, body=True)
    assert len(found.facets) > MOST_FACETS
    assert found.closed
    assert found.volume == pytest.approx(np.prod(SIDES) * 1e-9)
    body = body_of(str(path), cells=16)
    assert body.volume == pytest.approx(found.volume)
    monkeypatch.setattr(mesh, "MOST_OF_BODY", 11)
    assert "at most 11 are allowed" in refusal(path, body=True)
    monkeypatch.setattr(mesh, "LARGEST_BODY_FILE", 2**20)
    assert "at most 1 MB are read" in refusal(path, body=True)


def test_an_obj_file_full_of_points_is_refused_before_they_are_read(tmp_path: Path) -> None:
    """A point takes 30 times as much memory as its line in the file."""
    path = written(tmp_path, "points.obj", obj(box()) + b"v 0 0 0\n" * 3 * MOST_FACETS)
    assert f"it has {3 * MOST_FACETS + 8} points, at most {3 * MOST_FACETS} are read" in refusal(path)


def test_a_hole_is_refused_where_the_mesh_must_be_closed(tmp_path: Path) -> None:
    path = written(tmp_path, "open.stl", binary(box()[1:]))
    assert "it must be closed but has 3 open edges" in refusal(path, closed=True)
    found = read_mesh(path)
    assert (len(found.facets), found.closed, found.volume) == (11, False, 0.0)


def test_a_body_without_thickness_is_refused_where_it_must_be_closed(tmp_path: Path) -> None:
    flat = written(tmp_path, "flat.stl", binary(box() * (1.0, 1.0, 0.0)))
    assert "it has no thickness (10 × 20 × 0 mm)" in refusal(flat, closed=True)
    # Its two sides would push twice, so that it is no wall either; one side alone is.
    assert "it has no thickness" in refusal(flat)
    sheet = written(tmp_path, "sheet.stl", binary(box()[-2:]))
    assert len(read_mesh(sheet).facets) == 2
    assert "open edges" in refusal(sheet, closed=True)


def test_a_mesh_with_inward_normals_is_inverted(tmp_path: Path) -> None:
    found = read_mesh(written(tmp_path, "out.stl", binary(box()[:, ::-1])), closed=True)
    assert english(found.notes) == ("all facets were inverted and have been turned",)
    assert found.volume == pytest.approx(6e-6, rel=1e-6)
    outward = np.cross(*np.diff(found.facets, axis=1).swapaxes(0, 1))
    assert (((found.facets.mean(axis=1) - 5e-4 * SIDES) * outward).sum(axis=1) > 0.0).all()


def test_one_inverted_facet_is_refused_in_a_body_and_no_matter_in_a_wall(tmp_path: Path) -> None:
    triangles = box()
    triangles[4] = triangles[4, ::-1]
    path = written(tmp_path, "askew.stl", binary(triangles))
    assert "along 3 edges two neighbours have opposite orientations" in refusal(path, closed=True)
    assert not read_mesh(path).closed


def test_triangles_without_area_and_doubled_ones_are_dropped_and_told(tmp_path: Path) -> None:
    whole = box()
    corner, middle = whole[0, 0], 0.5 * (whole[0, 0] + whole[0, 1])
    degenerate = np.array([[corner, corner, corner], [corner, corner, whole[0, 1]]])
    path = written(tmp_path, "spoilt.stl", binary(np.concatenate([whole, degenerate, whole[3:5]])))
    found = read_mesh(path, closed=True)
    assert len(found.facets) == 12
    assert english(found.notes) == ("triangles without area deleted: 2", "triangles equal to another one deleted: 2")
    # A needle that fills a crack between three triangles holds the body closed although it is no wall.
    a, b, c = whole[0]
    split = np.array([[a, middle, c], [middle, b, c], [a, b, middle]])
    found = read_mesh(written(tmp_path, "needle.stl", binary(np.concatenate([split, whole[1:]]))), closed=True)
    assert english((len(found.facets), found.notes)) == (13, ("triangles without area deleted: 1",))


def test_corners_that_nearly_coincide_are_made_one(tmp_path: Path) -> None:
    shaken = box() + 2e-6 * np.random.default_rng(3).uniform(-1.0, 1.0, (12, 3, 3))
    found = read_mesh(written(tmp_path, "shaken.stl", binary(shaken)), closed=True)
    assert len(np.unique(found.facets.reshape(-1, 3), axis=0)) == 8


# Read walls in the engine.


def on_walls(shape: list[int], corners: np.ndarray, position: object, **motion: object) -> Bench:
    values = {"normal_stiffness": STIFFNESS, "shear_stiffness": STIFFNESS, "friction": 0.4, "wall_friction": 0.4}
    model, numbers = model_of("gear5", 3, rotation=True, law=VOIGT, **values)
    world = world_of(model, position, RADIUS, MASS, velocity=motion.get("velocity", 0.0), skin=3e-4)
    world = set_walls(world, shape, corners, material=1)
    return Bench(world, model, numbers, 2e-5, (0.0, 0.0, -9.81), compiled=True)


def test_a_sphere_slides_to_rest_on_a_plate_from_a_file_as_on_a_plane(tmp_path: Path) -> None:
    # A disc of forty triangles that share the corner the sphere crosses.
    angle = 2.0 * pi * np.arange(40) / 40
    rim = 20.0 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(40)])
    plate = np.stack([np.zeros_like(rim), rim, np.roll(rim, -1, axis=0)], axis=1)
    read = read_mesh(written(tmp_path, "plate.stl", binary(plate))).facets
    plane = np.array([[(0, 0, 0), (0, 0, 1), (0, 0, 0)]], float)
    paths = []
    for shape, corners in (([PLANE], plane), ([FACET] * len(read), read)):
        bench = on_walls(shape, corners, [(-3e-3, 1e-4, REST)], velocity=(0.1, 0.0, 0.0))
        bench.advance(5_000)
        paths.append(np.concatenate([bench.position[0], bench.velocity[0], 1e-3 * bench.spin[0]]))
    assert paths[0][0] > 1e-4
    assert paths[1] == pytest.approx(paths[0], abs=1e-10)


@pytest.mark.parametrize("name", FORMATS)
def test_grains_stay_in_a_closed_box_from_a_file(tmp_path: Path, name: str) -> None:
    read = read_mesh(written(tmp_path, name, FORMATS[name](box())), closed=True).facets
    lattice = np.stack(np.meshgrid(*(np.arange(1.5, side, 3.0) for side in SIDES)), axis=-1).reshape(-1, 3)
    speed = np.random.default_rng(2).uniform(-2.0, 2.0, lattice.shape)
    bench = on_walls([FACET] * 12, read, 1e-3 * lattice, velocity=speed)
    for _ in range(20):
        bench.advance(500)
        position = bench.position
        assert position.min() > 0.0
        assert (position < 1e-3 * SIDES).all()
    assert np.abs(bench.velocity).max() > 1e-3
