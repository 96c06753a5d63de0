"""Exports of a periodic world: spheres in the cell with their images, contacts between nearest images, the borders."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from repose.sim import Material, Simulation, place_spheres
from repose.sim.experiment.export_state import for_lammps, state_of
from repose.sim.io.export import PROGRAMS, export, export_folder
from repose.sim.io.exported_state import ExportedState, contacts_of, ends_of, grain_columns

from tests.small_worlds import use_plain_engine

R = 1e-3
SIDE = 9.9 * R
GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.5, friction=0.4)


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


@pytest.fixture
def periodic() -> Simulation:
    """A row of touching spheres, some of them in other images; one pair touches across the border."""
    position = np.array([[1.99 * R * k + 0.1 * R, 0.5 * R, R] for k in range(5)])
    position[1] += (3.0 * SIDE, -SIDE, 0.0)
    simulation = place_spheres(position, R, GLASS, period=(SIDE, SIDE, 0.0), dt=1e-6)
    simulation.step(1)
    return simulation


def exported(simulation: Simulation) -> ExportedState:
    return state_of(simulation.experiment)


def test_positions_and_images_are_the_unwrapped_positions(periodic: Simulation) -> None:
    state = exported(periodic)
    period = np.array([SIDE, SIDE, 0.0])
    np.testing.assert_allclose(state.position + state.images * period, periodic.position, rtol=0.0, atol=1e-12 * R)
    assert state.images[1].tolist() == [3, -1, 0]
    assert (state.position[:, :2] >= 0.0).all()
    assert (state.position[:, :2] < SIDE).all()
    columns = grain_columns(state)
    assert columns["image x"].tolist() == [0, 3, 0, 0, 0]
    assert "image z" not in columns
    low, high = state.box
    np.testing.assert_allclose(np.stack([low, high])[:, :2], [[0.0, 0.0], [SIDE, SIDE]])


def test_lines_of_contacts_join_nearest_images(periodic: Simulation, tmp_path: Path) -> None:
    state = exported(periodic)
    contacts = contacts_of(state, walls=False)
    assert len(contacts.rows) == 5, "four in the row and one across the border"
    lengths = np.linalg.norm(np.diff(ends_of(state, contacts), axis=1)[:, 0], axis=1)
    assert lengths.max() < 2.0 * R
    export(state, tmp_path / "grains.svg")
    lines = re.findall(
        r'x1="([-\d.]+)" y1="([-\d.]+)" x2="([-\d.]+)" y2="([-\d.]+)" stroke-width="0\.\d+"/>',
        (tmp_path / "grains.svg").read_text("utf-8"),
    )
    scale = 180.0 / SIDE
    ends = np.array(lines[:5], float)
    assert np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]).max() < 2.0 * R * scale


def test_a_dump_has_periodic_bounds_and_images(periodic: Simulation, tmp_path: Path) -> None:
    path = tmp_path / "grains.lammpstrj"
    export(exported(periodic), path)
    rows = path.read_text("ascii").splitlines()
    assert rows[8] == "ITEM: BOX BOUNDS pp pp mm"
    assert [float(word) for word in rows[9].split()] == [0.0, SIDE]
    columns = rows[12].removeprefix("ITEM: ATOMS ").split()
    second = dict(zip(columns, rows[14].split()))
    assert [second[axis] for axis in ("ix", "iy", "iz")] == ["3", "-1", "0"]


def test_extended_xyz_names_the_periodic_dimensions(periodic: Simulation, tmp_path: Path) -> None:
    export(exported(periodic), tmp_path / "grains.xyz")
    assert 'pbc="T T F"' in (tmp_path / "grains.xyz").read_text("utf-8").splitlines()[1]


def test_paraview_gets_images_and_contacts(periodic: Simulation, tmp_path: Path) -> None:
    export_folder(PROGRAMS["paraview"], tmp_path / "new", lambda add: add(exported(periodic)))
    assert b'Name="image x"' in (tmp_path / "new" / "grains-00000.vtp").read_bytes()


def test_h5md_has_the_box_and_images(periodic: Simulation, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    export(exported(periodic), tmp_path / "grains.h5")
    with h5py.File(tmp_path / "grains.h5") as book:
        grains = book["particles/grains"]
        assert list(grains["box"].attrs["boundary"]) == ["periodic", "periodic", "none"]
        np.testing.assert_allclose(grains["box/edges"][:2], SIDE)
        assert grains["image/value"][0, 1].tolist() == [3, -1, 0]


def test_the_files_for_lammps_have_the_borders_and_images(periodic: Simulation) -> None:
    experiment = periodic.experiment
    found = for_lammps(experiment)
    assert "boundary p p m" in found.script
    assert f"0 {SIDE:.17g} xlo xhi" in found.data
    assert next(line for line in found.data.splitlines() if line.startswith("2 1 ")).endswith(" 3 -1 0")
