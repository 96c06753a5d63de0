"""Clumps for other programs: a molecule template of LAMMPS (.mol), the input of its `fix rigid` (.rigid), and text with
x y z r clumpId for YADE (.txt)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from repose.sim.clumps.clump import Clump, MassProperties
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
    """Read by `molecule NAME FILE`, for `fix rigid/small ... mol NAME`. Mass, centre and inertia are those of the
    union; without them LAMMPS takes the sums over the overlapping spheres."""
    share = clump.radius**3 / (clump.radius**3).sum()
    rows = range(len(clump.radius))
    tensor = density * mass.inertia
    six = (tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2])
    sections = {
        "Coords": [f"{k + 1} {_numbers(clump.centre[k])}" for k in rows],
        "Types": [f"{k + 1} 1" for k in rows],
        "Diameters": [f"{k + 1} {2.0 * clump.radius[k]:.17g}" for k in rows],
        "Masses": [f"{k + 1} {density * mass.volume * share[k]:.17g}" for k in rows],
    }
    head = [
        f"# clump of {len(clump.radius)} spheres, SI units: units si, atom_style sphere",
        "",
        f"{len(clump.radius)} atoms",
        f"{density * mass.volume:.17g} mass",
        f"{_numbers(mass.centre)} com",
        f"{_numbers(six)} inertia",
    ]
    text = "\n".join(head) + "\n"
    for title, lines in sections.items():
        text += f"\n{title}\n\n" + "\n".join(lines) + "\n"
    return text


def _lammps_rigid(clump: Clump, mass: MassProperties, density: float) -> str:
    """Read by `fix rigid ... infile FILE` for body 1: mass, centre, six moments, velocity, angular momentum, image."""
    tensor = density * mass.inertia
    six = (tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2])
    row = f"1 {density * mass.volume:.17g} {_numbers(mass.centre)} {_numbers(six)} {_numbers(np.zeros(6))} 0 0 0"
    return f"# mass properties of a clump, SI units\n1\n{row}\n"


def _yade_text(clump: Clump, mass: MassProperties, density: float) -> str:
    """Read by `ymport.textClumps(FILE, discretization=20)`, which adds the clump; without `discretization` overlaps
    count twice in its mass. `ymport.text(FILE)` reads the spheres alone.

    Checked against the source of both readers (yade-dev/trunk, py/ymport.py), not with YADE itself: they skip lines
    that begin with #, fail at an empty line, and read columns 1 to 4 as numbers; `textClumps` reads column 5 as a whole
    number that is not negative and the same for all spheres of a clump.
    """
    rows = [f"{_numbers(position)} {radius:.17g} 0" for position, radius in zip(clump.centre, clump.radius)]
    return "#x y z r clumpId, in m\n" + "\n".join(rows) + "\n"


def _numbers(values: object) -> str:
    return " ".join(f"{value:.17g}" for value in np.asarray(values, float))


FORMATS: dict[str, Callable[[Clump, MassProperties, float], str]] = {
    ".mol": _lammps_molecule,
    ".rigid": _lammps_rigid,
    ".txt": _yade_text,
}
"""Writers by the ending of the file."""
