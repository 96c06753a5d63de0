"""Exported grains are read back to the same bits, by parsers written after the documents of the formats."""

from __future__ import annotations

import csv
import errno
import io
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
from repose.app.ui.panels.runs import EXPORTS
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment.export_state import state_of
from repose.sim.io.export import FORMATS, PROGRAMS, export, export_folder
from repose.sim.io.export_hdf5 import hdf5
from repose.sim.io.export_svg import NAMESPACE
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import ExportedState, contacts_of, grain_columns
from repose.sim.io.lammps.read_dump import read_dump
from repose.sim.io.world_tables import tables_of

from tests.reliability.runs import poured


@pytest.fixture(scope="module")
def run() -> ExportedState:
    return state_of(poured(20_000))


def test_n20_a_table_contains_exact_numbers_and_their_units(run: ExportedState, tmp_path: Path) -> None:
    path = tmp_path / "grains.csv"
    export(run, path)
    head, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    assert head[:7] == ["step", "time [s]", "sphere_id", "fixed", "material", "x [m]", "y [m]"]
    assert len(rows) == run.world.sphere_count
    read = dict(zip(head, zip(*rows)))
    assert {(step, float(time)) for step, time in zip(read["step"], read["time [s]"])} == {(str(run.step), run.time)}
    for name, column in grain_columns(run).items():
        assert np.array(read[name], float).tobytes() == column.astype(float).tobytes(), name
    assert (np.array(read["contacts"], int) > 0).any()


def test_n20_an_archive_contains_every_table_of_the_world_bit_by_bit(run: ExportedState, tmp_path: Path) -> None:
    path = tmp_path / "grains.npz"
    export(run, path)
    with np.load(path, allow_pickle=False) as read:
        for name, table in tables_of(run.world).items():
            assert (read[name].dtype, read[name].tobytes()) == (table.dtype, table.tobytes()), name
        assert (int(read["step"]), float(read["time"])) == (run.step, run.time)
        assert run.series["mean_speed"].size > 0
        assert run.series.keys() <= {name.removeprefix("series.") for name in read}
        assert read["series.mean_speed"].tobytes() == run.series["mean_speed"].tobytes()


def test_n20_a_point_cloud_contains_positions_and_columns_bit_by_bit(run: ExportedState, tmp_path: Path) -> None:
    path = tmp_path / "grains.vtk"
    export(run, path)
    count = run.world.sphere_count
    blob = path.read_bytes()

    def table(head: str, kind: str, shape: tuple[int, ...]) -> np.ndarray:
        start = blob.index(head.encode() + b"\n") + len(head) + 1
        size = int(np.prod(shape)) * int(kind[-1])
        assert blob[start + size : start + size + 1] == b"\n"
        return np.frombuffer(blob[start : start + size], kind).reshape(shape)

    assert blob.startswith(b"# vtk DataFile Version 3.0\n")
    points = table(f"POINTS {count} double", ">f8", (count, 3))
    assert np.array_equal(points[:, :2].T, run.world.motion[:2, 0])
    assert not points[:, 2].any()
    speeds = table("VECTORS velocity_[m/s] double", ">f8", (count, 3))
    assert np.array_equal(speeds[:, :2].T, run.world.motion[:2, 1])
    assert np.array_equal(table(f"radius_[m] 1 {count} double", ">f8", (count,)), run.world.radius)
    assert np.array_equal(table(f"sphere_id 1 {count} vtktypeint64", ">i8", (count,)), run.world.sphere_id)
    vertices = table(f"VERTICES {count} {2 * count}", ">i4", (count, 2))
    assert np.array_equal(vertices, np.column_stack([np.ones(count), np.arange(count)]))


def test_n20_an_unknown_file_ending_is_refused_before_a_file_is_made(run: ExportedState, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.csv, \.vtk, \.vtp"):
        export(run, tmp_path / "grains.xls")
    assert not any(tmp_path.iterdir())


def numbers(rows: list[str]) -> np.ndarray:
    return np.array([[float(word) for word in row.split()] for row in rows])


def written(state: ExportedState, path: Path) -> bytes:
    export(state, path)
    return path.read_bytes()


def test_n20_a_dump_has_the_items_of_lammps_and_is_opened_with_the_same_bits(
    run: ExportedState, tmp_path: Path
) -> None:
    path = tmp_path / "grains.lammpstrj"
    rows = written(run, path).decode("ascii").splitlines()
    count = run.world.sphere_count
    assert rows[:8] == [
        *("ITEM: UNITS", "si", "ITEM: TIME", f"{run.time:.17g}", "ITEM: TIMESTEP", str(run.step)),
        *("ITEM: NUMBER OF ATOMS", str(count)),
    ]
    assert rows[8] == "ITEM: BOX BOUNDS mm mm mm"
    low, high = numbers(rows[9:12]).T
    columns = rows[12].removeprefix("ITEM: ATOMS ").split()
    table = dict(zip(columns, numbers(rows[13:]).T))
    assert len(rows) == 13 + count
    position = np.column_stack([table[axis] for axis in "xyz"])
    assert (position - table["radius"][:, None] >= low).all()
    assert (position + table["radius"][:, None] <= high).all()
    frame = read_dump(path).frame(0)
    order = np.argsort(run.world.sphere_id)
    assert np.array_equal(frame.sphere_id, run.world.sphere_id[order] + 1)
    assert np.array_equal(frame.position[:, :2], run.world.motion[:2, 0].T[order])
    assert np.array_equal(frame.radius, run.world.radius[order])
    assert frame.mass is not None
    assert np.array_equal(frame.mass, run.world.mass[order])
    with path.open("w+b") as file, FORMATS[".lammpstrj"].begin(file) as add:
        add(run)
        add(replace(run, step=run.step + 1, time=run.time + run.dt))
    assert [position.time for position in read_dump(path).places] == [run.time, run.time + run.dt]
    assert path.read_text("ascii").count("ITEM: UNITS") == 1  # as LAMMPS writes it


def test_n20_contacts_are_written_once_with_the_ids_of_their_spheres_and_the_force_on_the_first(
    run: ExportedState, tmp_path: Path
) -> None:
    export_folder(PROGRAMS["ovito"], tmp_path / "new", lambda add: add(run))
    rows = (tmp_path / "new" / "contacts.dump").read_text("ascii").splitlines()
    columns = rows[12].removeprefix("ITEM: ENTRIES ").split()
    table = dict(zip(columns, numbers(rows[13:]).T))
    pairs = run.world.pairs
    touching = np.flatnonzero(pairs.touching[: run.world.counters[PAIR_COUNT]])
    assert rows[6:8] == ["ITEM: NUMBER OF ENTRIES", str(len(touching))]
    assert len(touching) > 10
    assert np.array_equal(table["batom1"], run.world.sphere_id[pairs.i[touching]] + 1)
    assert np.array_equal(table["batom2"], run.world.sphere_id[pairs.j[touching]] + 1)
    # On the first one, away from the second: along x_1 - x_2 where the force is a push.
    row_of = {int(name) + 1: row for row, name in enumerate(run.world.sphere_id)}
    first, second = ([row_of[int(name)] for name in table[key]] for key in ("batom1", "batom2"))
    branch = run.position[first] - run.position[second]
    length = np.linalg.norm(branch, axis=1)
    assert np.allclose(table["dist"], length, rtol=1e-12)
    assert np.allclose(run.world.radius[first] + run.world.radius[second] - length, table["overlap"], atol=1e-15)
    force = np.column_stack([table[axis] for axis in ("fx", "fy", "fz")])
    along = (force * branch).sum(axis=1) / length
    assert np.allclose(along, table["normal_force"], atol=1e-12 * np.abs(along).max())
    assert along.max() > 0.0
    across = np.sqrt(np.maximum((force**2).sum(axis=1) - along**2, 0.0))
    assert np.allclose(across, table["shear_force"], atol=1e-7 * np.abs(along).max())
    assert table["shear_force"].max() > 0.0


def test_n20_extended_xyz_says_its_columns_time_seed_and_parameters(run: ExportedState, tmp_path: Path) -> None:
    count, head, *rows = written(run, tmp_path / "grains.xyz").decode("utf-8").splitlines()
    assert int(count) == len(rows) == run.world.sphere_count
    facts = dict(word.partition("=")[::2] for word in shlex.split(head))
    kinds = facts["Properties"].split(":")
    names, widths = kinds[0::3], [int(width) for width in kinds[2::3]]
    assert len(rows[0].split()) == sum(widths)
    start = dict(zip(names, np.cumsum([0, *widths]).tolist()))
    table = numbers([row.removeprefix("X ") for row in rows])
    assert np.array_equal(table[:, start["pos"] - 1 : start["pos"] + 1], run.world.motion[:2, 0].T)
    assert np.array_equal(table[:, start["velo"] - 1 : start["velo"] + 1], run.world.motion[:2, 1].T)
    assert np.array_equal(table[:, start["radius"] - 1], run.world.radius)
    assert (float(facts["Time"]), facts["seed"], facts["units"]) == (run.time, "1", "SI")
    assert facts["scene"].startswith("heap (")
    assert facts["parameter_friction"].startswith("friction ")


def vtk_arrays(path: Path) -> tuple[ElementTree.Element, dict[str, np.ndarray]]:
    """The header of an XML file of VTK, and its appended tables by name."""
    blob = path.read_bytes()
    head, _, rest = blob.partition(b'<AppendedData encoding="raw">\n_')
    tree = ElementTree.fromstring(head + b"</VTKFile>")
    kinds = {"Float64": "<f8", "Int64": "<i8"}
    found = {}
    for entry in tree.iter("DataArray"):
        start = int(entry.attrib["offset"])
        size = int(np.frombuffer(rest, "<u8", 1, start)[0])
        values = np.frombuffer(rest[start + 8 : start + 8 + size], kinds[entry.attrib["type"]])
        wide = int(entry.attrib.get("NumberOfComponents", 1))
        found[entry.attrib["Name"]] = values.reshape(-1, wide) if wide > 1 else values
    return tree, found


def test_n20_paraview_gets_points_lines_and_their_times(run: ExportedState, tmp_path: Path) -> None:
    def feed(add: Add) -> None:
        add(run)
        add(run)

    folder = tmp_path / "new"
    export_folder(PROGRAMS["paraview"], folder, feed)
    for name in ("grains", "contacts"):
        listed = [entry.attrib for entry in ElementTree.parse(folder / f"{name}.pvd").iter("DataSet")]
        assert [(float(entry["timestep"]), entry["file"]) for entry in listed] == [
            (run.time, f"{name}-00000.vtp"),
            (run.time, f"{name}-00001.vtp"),
        ]
    tree, grains = vtk_arrays(folder / "grains-00001.vtp")
    piece = next(tree.iter("Piece")).attrib
    count = run.world.sphere_count
    assert (piece["NumberOfPoints"], piece["NumberOfVerts"]) == (str(count), str(count))
    assert np.array_equal(grains["Points"][:, :2], run.world.motion[:2, 0].T)
    assert np.array_equal(grains["velocity [m/s]"][:, :2], run.world.motion[:2, 1].T)
    assert np.array_equal(grains["radius [m]"], run.world.radius)
    assert grains["TimeValue"] == [run.time]
    tree, lines = vtk_arrays(folder / "contacts-00000.vtp")
    assert next(tree.iter("Piece")).attrib["NumberOfLines"] == str(len(lines["normal force [N]"]))
    assert np.array_equal(lines["offsets"], np.arange(2, len(lines["Points"]) + 1, 2))
    row_of = {int(name): row for row, name in enumerate(run.world.sphere_id)}
    ids = lines["sphere_id"].ravel()
    rows = [row_of[int(name)] for name in ids[ids >= 0]]
    assert np.array_equal(lines["Points"][ids >= 0], run.position[rows])
    assert (ids < 0).sum() == (run.find_contacts().j < 0).sum()


def test_n20_a_vector_graphic_has_a_circle_per_grain_a_line_per_push_and_the_origin_inside(
    run: ExportedState, tmp_path: Path
) -> None:
    tree = ElementTree.fromstring(written(run, tmp_path / "grains.svg"))
    name = "{http://www.w3.org/2000/svg}"
    grains, forces = tree.findall(f"{name}g")
    circles = np.array([[float(entry.attrib[key]) for key in ("cx", "cy", "r")] for entry in grains])
    assert len(circles) == run.world.sphere_count
    scale = circles[0, 2] / run.world.radius[0]
    assert np.allclose(circles[:, 2], run.world.radius * scale, atol=2e-4)
    apart = run.position[:, :2] - run.position[0, :2]
    assert np.allclose((circles[:, :2] - circles[0, :2]) / scale, apart * (1.0, -1.0), atol=2e-3 * apart.max())
    pushed = contacts_of(run, walls=False).normal_force
    wide = np.array([float(entry.attrib["stroke-width"]) for entry in forces])
    assert len(wide) == (pushed > 0.0).sum()
    assert np.allclose(wide / wide.max(), pushed[pushed > 0.0] / pushed.max(), atol=1e-3)
    width, height = (float(size) for size in tree.attrib["viewBox"].split()[2:])
    assert (circles[:, :2] > circles[:, 2:]).all()
    assert (circles[:, :2] + circles[:, 2:] < (width, height)).all()
    inside = tree.find(f"{name}metadata")
    assert inside is not None
    assert {entry.attrib["name"]: entry.text for entry in inside.iter(f"{{{NAMESPACE}}}entry")} == run.origin
    assert run.origin["seed"] == "1"
    assert run.origin["parameter width"].endswith("15 mm")
    bar = tree.findall(f"{name}line")[0]
    long = (float(bar.attrib["x2"]) - float(bar.attrib["x1"])) / scale
    assert tree.findtext(f"{name}text") == f"{1e3 * long:.4g} mm"


def test_n20_hdf5_holds_every_frame_with_the_same_bits_and_spheres_that_come_later(
    run: ExportedState, tmp_path: Path
) -> None:
    world, table = run.world, run.find_contacts()
    kept = world._replace(
        motion=world.motion[..., :-1],
        inverse_mass=world.inverse_mass[:, :-1],
        **{name: getattr(world, name)[:-1] for name in ("radius", "mass", "material", "sphere_id")},
    )
    none = table._replace(**{name: column[..., :0] for name, column in table._asdict().items()})
    early = replace(run, world=kept, time=run.time - 1.0, find_contacts=lambda: none)
    path = tmp_path / "grains.h5"
    with path.open("w+b") as file, hdf5(file) as add:
        add(early)
        add(run)
    with h5py.File(path) as book:
        assert book["h5md"].attrs["version"].tolist() == [1, 1]
        assert book["parameters/repose"].attrs["seed"] == "1"
        grains = book["particles/grains"]
        assert np.array_equal(grains["position/value"][1, :, :2], world.motion[:2, 0].T)
        assert grains["position/value"].attrs["unit"] == "m"
        assert grains["position/time"][:].tolist() == [run.time - 1.0, run.time]
        assert np.array_equal(grains["id/value"][1], world.sphere_id)
        assert np.array_equal(grains["id/value"][0], [*world.sphere_id[:-1], -1])
        assert np.isnan(grains["position/value"][0, -1]).all()
        contacts = book["repose/contacts"]
        assert contacts["begin"][:].tolist() == [0, 0, len(table.i)]
        assert (contacts["id"][:, 1] == -1).sum() == (table.j < 0).sum()
        assert contacts["normal_force"][:].max() > 0.0
        assert book["observables/mean_speed/value"][:].tobytes() == run.series["mean_speed"].tobytes()


def test_n20_hdf5_without_its_library_is_refused_in_a_sentence_before_a_file_is_made(
    run: ExportedState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ValueError, match="needs the package h5py"):
        export(run, tmp_path / "grains.h5")
    assert not any(tmp_path.iterdir())


@pytest.mark.case("F06")
def test_n14_a_full_disk_during_an_export_leaves_no_part_of_it(run: ExportedState, tmp_path: Path) -> None:
    def feed(add: Add) -> None:
        add(run)
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in PROGRAMS:
        with pytest.raises(OSError, match="No space left"):
            export_folder(PROGRAMS[name], tmp_path / name, feed)
    assert not any(tmp_path.iterdir())


def test_the_window_offers_every_format_of_the_command_line() -> None:
    assert EXPORTS.keys() == FORMATS.keys()
