"""Words that several files of LAMMPS have in common: columns of spheres, the items of a dump, the head of a script, and
numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

UNITS = "si"
"""All numbers of Repose are in these units."""
POSITION, UNWRAPPED = ("x", "y", "z"), ("xu", "yu", "zu")
"""Columns of a position in metres; scaled ones are refused."""
IMAGE = ("ix", "iy", "iz")
"""How many periods a sphere has left the periodic box."""
VELOCITY = ("vx", "vy", "vz")
"""[m/s]."""
SPIN = ("omegax", "omegay", "omegaz")
"""[rad/s]."""
FORCE = ("fx", "fy", "fz")
"""[N]."""
PLAYED = ("id", "type", "radius", "mass", *POSITION, *VELOCITY)
"""Columns that LAMMPS writes for a playback in Repose."""


def head(dimension: int, periodic: Sequence[int] = ()) -> list[str]:
    """The first commands of a script with spheres in a box that has no fixed size in dimensions that are not
    `periodic`."""
    along = {*periodic, *([2] if dimension == 2 else [])}
    return [
        f"units {UNITS}",
        f"dimension {dimension}",
        f"boundary {' '.join('p' if c in along else 'm' for c in range(3))}",
        "atom_style sphere",
        "newton off",
        "comm_modify vel yes",
    ]


def search(radius: float) -> str:
    """The command for the skin of the neighbour list, for spheres of this radius [m]."""
    return f"neighbor {exact(0.4 * radius)} bin"


SEARCHED = "neigh_modify every 1 delay 0 check yes"
"""The command with which the neighbour list is checked in each step."""


def exact(value: float) -> str:
    """A number with 17 digits, which represent each float exactly."""
    return f"{value:.17g}"


def row(values: Any) -> str:
    """Exact numbers with spaces between them."""
    return " ".join(map(exact, np.asarray(values, float).ravel().tolist()))
