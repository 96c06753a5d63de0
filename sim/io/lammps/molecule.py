"""A clump for LAMMPS: a molecule template (.mol), and the input of its `fix rigid` (.rigid)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.io.lammps.names import UNITS, exact, row


class ClumpMass(NamedTuple):
    """Mass properties of the union of the spheres."""

    mass: float
    """[kg]."""
    centre: Floats
    """[m], shape (3,)."""
    inertia: Floats
    """About the centre [kg m²], shape (3, 3)."""

    @property
    def moments(self) -> tuple[float, ...]:
        """xx, yy, zz, xy, xz, yz."""
        tensor = self.inertia
        return tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]


def template(centre: Floats, radius: Floats, body: ClumpMass) -> str:
    """Read by `molecule NAME FILE`, for `fix rigid/small ... mol NAME`. Mass, centre and inertia are those of the
    union; without them LAMMPS takes the sums over the overlapping spheres."""
    share = radius**3 / (radius**3).sum()
    sections = {
        "Coords": map(row, centre),
        "Types": ["1"] * len(radius),
        "Diameters": map(exact, 2.0 * radius),
        "Masses": map(exact, body.mass * share),
    }
    lines = [
        f"# clump of {len(radius)} spheres, SI units: units {UNITS}, atom_style sphere",
        "",
        f"{len(radius)} atoms",
        f"{exact(body.mass)} mass",
        f"{row(body.centre)} com",
        f"{row(body.moments)} inertia",
    ]
    for title, entries in sections.items():
        lines += ["", title, "", *(f"{k} {entry}" for k, entry in enumerate(entries, 1))]
    return "\n".join(lines) + "\n"


def rigid(body: ClumpMass) -> str:
    """Read by `fix rigid ... infile FILE` for body 1: mass, centre, six moments, velocity, angular momentum, image."""
    numbers = row((body.mass, *body.centre, *body.moments, *np.zeros(6)))
    return f"# mass properties of a clump, SI units\n1\n1 {numbers} 0 0 0\n"
