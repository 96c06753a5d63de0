"""Exported grains are read back to the same bits by numpy and csv."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from repose.sim.io.export import ExportedState, export, grain_columns
from repose.sim.io.world_tables import tables_of

from tests.reliability.runs import poured


@pytest.fixture(scope="module")
def run() -> ExportedState:
    filled = poured(20_000).run
    return ExportedState(filled.world, filled.step, filled.time, filled.dt, filled.series.columns())


def test_n20_a_table_contains_exact_numbers_and_their_units(run: ExportedState, tmp_path: Path) -> None:
    path = tmp_path / "grains.csv"
    export(run, path)
    head, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    assert head[:7] == ["step", "time [s]", "sphere_id", "fixed", "material", "x [m]", "y [m]"]
    assert len(rows) == run.world.sphere_count
    read = dict(zip(head, zip(*rows)))
    assert {(step, float(time)) for step, time in zip(read["step"], read["time [s]"])} == {(str(run.step), run.time)}
    for name, column in grain_columns(run.world).items():
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
    with pytest.raises(ValueError, match=r"\.csv, \.vtk, \.npz"):
        export(run, tmp_path / "grains.xls")
    assert not any(tmp_path.iterdir())
