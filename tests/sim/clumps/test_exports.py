"""What LAMMPS, where it is installed, reads of an exported clump, and the columns that YADE reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.clump import Clump, MassProperties, mass_properties
from repose.sim.clumps.exports import exported
from repose.sim.clumps.greedy import greedy_clump

from tests.lammps_program import new_lammps

DENSITY = 2500.0
SPEED, STEPS, DT = 0.1, 100, 1e-6
"""Of the free flight [m/s], [-], [s]."""
COMMON = (
    "units si",
    "dimension 3",
    "boundary f f f",
    "atom_style sphere",
    "atom_modify map array",
    "comm_modify vel yes",
    "region box block -0.05 0.05 -0.05 0.05 -0.05 0.05",
    "create_box 1 box",
    "pair_style zero 0.01",
)


@pytest.fixture
def clump() -> tuple[Clump, MassProperties]:
    """Overlapping spheres about a centre that is not the origin, with three different moments."""
    body = body_of_shape("vertebra", 24, 0.01)
    made = greedy_clump(body, 12, 0.7)
    return made, mass_properties(made, body.field.step)


def program(*commands: str) -> Any:
    lammps = new_lammps()
    for command in (*COMMON, *commands):
        lammps.command(command)
    return lammps


@pytest.mark.slow
def test_lammps_reads_the_molecule_with_the_mass_and_the_inertia_of_the_union(
    clump: tuple[Clump, MassProperties], tmp_path: Path
) -> None:
    made, mass = clump
    path = tmp_path / "clump.mol"
    path.write_text(exported(made, mass, DENSITY, path))
    lammps = program(
        "pair_coeff * *",
        f"molecule clump {path}",
        "region middle block -0.01 0.01 -0.01 0.01 -0.01 0.01",
        "fix ids all property/atom mol ghost yes",
        "fix body all rigid/small molecule mol clump reinit no",
        # fix rigid/small takes mass and inertia from the molecule for bodies that are added while it runs.
        f"fix add all deposit 1 0 1 12345 region middle mol clump rigid body vx {SPEED} {SPEED}",
        f"timestep {DT}",
        "compute body all rigid/local body mass x inertiax inertiay inertiaz",
        "thermo_style custom step",
        "run 1",
    )
    try:
        found = [np.array(lammps.numpy.extract_compute("body", 2, 2)[0])]
        lammps.command(f"run {STEPS}")
        found.append(np.array(lammps.numpy.extract_compute("body", 2, 2)[0]))
        radius = lammps.numpy.extract_atom("radius")[: len(made.radius)].copy()
        assert lammps.get_natoms() == len(made.radius)
    finally:
        lammps.close()
    assert found[0][0] == pytest.approx(DENSITY * mass.volume)
    np.testing.assert_allclose(np.sort(found[0][2:]), DENSITY * mass.moments)
    np.testing.assert_allclose(np.sort(radius), np.sort(made.radius))
    assert found[1][1] - found[0][1] == pytest.approx(SPEED * STEPS * DT)


@pytest.mark.slow
def test_lammps_reads_mass_centre_and_inertia_for_fix_rigid(
    clump: tuple[Clump, MassProperties], tmp_path: Path
) -> None:
    made, mass = clump
    spheres, body = tmp_path / "clump.mol", tmp_path / "clump.rigid"
    spheres.write_text(exported(made, mass, DENSITY, spheres))
    head, number, row = exported(made, mass, DENSITY, body).splitlines()
    words = row.split()
    turning = 1e-9 * np.array([1.0, -2.0, 3.0])  # an angular momentum in place of none [kg m²/s]
    words[14:17] = map(str, turning)
    body.write_text("\n".join([head, number, " ".join(words)]) + "\n")
    lammps = program(
        "pair_coeff * *",
        f"molecule clump {spheres}",
        f"create_atoms 0 single {' '.join(map(str, mass.centre))} mol clump 1 rotate 0 1 0 0",
        f"fix body all rigid single reinit no infile {body}",
        "compute turning all erotate/rigid body",
        "thermo_style custom step",
        "run 0",
    )
    try:
        centre = [lammps.extract_fix("body", 0, 2, 0, column) for column in range(3)]
        energy = lammps.extract_compute("turning", 0, 0)
    finally:
        lammps.close()
    np.testing.assert_allclose(centre, mass.centre)
    assert energy == pytest.approx(0.5 * turning @ np.linalg.solve(DENSITY * mass.inertia, turning), rel=1e-6)


def test_the_text_for_yade_has_the_columns_of_its_readers(clump: tuple[Clump, MassProperties]) -> None:
    """`ymport.text` and `ymport.textClumps` take every line that does not begin with # apart at its spaces; a line
    without words, or a word that is no number, ends them with an error."""
    made, mass = clump
    text = exported(made, mass, DENSITY, Path("clump.txt"))
    lines = [line.split() for line in text.splitlines()]
    assert all(lines)
    assert not any(words[0] == "#format" for words in lines)  # `ymport.text` would take the format that follows
    read = [(*map(float, words[:4]), int(words[4])) for words in lines if words[0][0] != "#"]
    np.testing.assert_array_equal([row[:3] for row in read], made.centre)
    np.testing.assert_array_equal([row[3] for row in read], made.radius)
    assert {row[4] for row in read} == {0}  # one clump
