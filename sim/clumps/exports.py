"""Clumps for other programs: a molecule template of LAMMPS (.mol), the input of its `fix rigid` (.rigid), and text with
x y z r clumpId for YADE (.txt)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from repose.sim.clumps.clump import Clump, MassProperties
from repose.sim.io.lammps import molecule
from repose.sim.io.lammps.names import row
from repose.sim.parameters import ParameterError


def exported(clump: Clump, mass: MassProperties, density: float, path: Path) -> str:
    """The text of the file for the program that the ending of `path` names; density in kg/m³.

    Raises `ParameterError` for another ending.
    """
    write = FORMATS.get(path.suffix.lower())
    if write is None:
        raise ParameterError(
            f"--export {path}: its ending must be one of {', '.join(FORMATS)} (LAMMPS molecule, LAMMPS fix rigid, "
            "YADE text)."
        )
    return write(clump, mass, density)


def _lammps_molecule(clump: Clump, mass: MassProperties, density: float) -> str:
    body = molecule.ClumpMass(density * mass.volume, mass.centre, density * mass.inertia)
    return molecule.template(clump.centre, clump.radius, body)


def _lammps_rigid(clump: Clump, mass: MassProperties, density: float) -> str:
    return molecule.rigid(molecule.ClumpMass(density * mass.volume, mass.centre, density * mass.inertia))


def _yade_text(clump: Clump, mass: MassProperties, density: float) -> str:
    """Read by `ymport.textClumps(FILE, discretization=20)`, which adds the clump; without `discretization` overlaps
    count twice in its mass. `ymport.text(FILE)` reads the spheres alone.

    Checked against the source of both readers (yade-dev/trunk, py/ymport.py), not with YADE itself: they skip lines
    that begin with #, fail at an empty line, and read columns 1 to 4 as numbers; `textClumps` reads column 5 as a whole
    number that is not negative and the same for all spheres of a clump.
    """
    rows = [f"{row((*position, radius))} 0" for position, radius in zip(clump.centre, clump.radius)]
    return "#x y z r clumpId, in m\n" + "\n".join(rows) + "\n"


FORMATS: dict[str, Callable[[Clump, MassProperties, float], str]] = {
    ".mol": _lammps_molecule,
    ".rigid": _lammps_rigid,
    ".txt": _yade_text,
}
"""Writers by the ending of the file."""
