"""The poured clumps: their members for the volume of a ball of radius 1, and bodies of any size of such a clump; in the
plane joined discs for the area of a disc of radius 1."""

from __future__ import annotations

import hashlib
import math
import os
from functools import lru_cache

import numpy as np
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.clump import Clump, mass_properties
from repose.sim.clumps.clump_file import read_clump
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.clumps.making import number_of_pieces, why_apart
from repose.sim.io.mesh import Surface
from repose.sim.message import EMPTY, Message, Number, _, plural
from repose.sim.parameters import ParameterError
from repose.sim.scenes.common.clump_grains import Grain, grain_of
from repose.sim.wording import value_text

CELLS = 48
"""Cells along the longest edge of a body of the library."""
MOST_MEMBERS = 200
"""Largest number of spheres of a poured clump."""
FARTHEST = 1e3
"""Largest accepted distance of a member from the centre of mass, and largest accepted radius [radii of the ball]."""
SMALLEST = 1e-3
"""Smallest accepted radius of a member [radii of the ball]; skin and time step decrease with it."""


@lru_cache(maxsize=32)
def grain_of_shape(name: str, members: int) -> Grain:
    """A shape of the library, approximated by at most `members` spheres."""
    clump, step = clump_of_shape(name, members)
    return grain_of(clump, mass_properties(clump, step))


@lru_cache(maxsize=32)
def clump_of_shape(name: str, members: int) -> tuple[Clump, float]:
    """A shape of the library as at most `members` spheres, and the step of the grid of the body [m]."""
    body = body_of_shape(name, CELLS, 1.0)
    return fitted_clump(body, members), body.field.step


def why_shape_apart(name: str, members: int) -> Message:
    """Why a shape of the library falls apart with `members` spheres, and how many make one piece; empty otherwise."""
    clump, _ = clump_of_shape(name, members)
    if number_of_pieces(clump) == 1:
        return EMPTY
    return why_apart(body_of_shape(name, CELLS, 1.0), clump, members, most=MOST_MEMBERS)


def surface_of_file(path: str) -> Surface:
    """The clump in a file, in the form in which a run stores shapes: a 3 × 3 table of the inertia, then one table per
    member with x y z in its first row and the radius in its second.

    Raises `ParameterError`, also for a clump with more than `MOST_MEMBERS`.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return _read(path, (0, 0))  # raises the error with the reason
    return _read(path, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=4)
def _read(path: str, stamp: tuple[int, int]) -> Surface:
    read = read_clump(path)
    if len(read.clump.radius) > MOST_MEMBERS:
        raise ParameterError(
            plural(
                "Clump file {path} has {count} sphere, at most {most_members} are poured; make it again with fewer.",
                "Clump file {path} has {count} spheres, at most {most_members} are poured; make it again with fewer.",
                count=len(read.clump.radius),
                path=value_text(path),
                most_members=MOST_MEMBERS,
            )
        )
    grain = grain_of(read.clump, read.mass)
    smallest = min(r for *_, r in grain.members)
    if smallest < SMALLEST or grain.reach > FARTHEST:
        raise ParameterError(
            Message(
                "Clump file {path} is refused: over the radius of a ball of its volume, its smallest "
                "sphere has the radius {smallest} and its farthest point the distance {reach}; at least "
                "{smallest2} and at most {farthest} are poured: leave such spheres out.",
                path=value_text(path),
                smallest=Number(smallest, format=".2g"),
                reach=Number(grain.reach, format=".2g"),
                smallest2=Number(SMALLEST, format="g"),
                farthest=Number(FARTHEST, format="g"),
            )
        )
    rows = [grain.inertia, *(((x, y, z), (r, 0.0, 0.0), (0.0, 0.0, 0.0)) for x, y, z, r in grain.members)]
    return Surface(np.array(rows), hashlib.sha256(repr(rows).encode()).hexdigest())


def grain_of_surface(surface: Surface) -> Grain:
    """The clump that `surface_of_file` has read; raises `ParameterError` for other tables, as in a damaged run."""
    tables = surface.triangles
    inertia, members = tables[0], tables[1:]
    radius = members[:, 1, 0]
    sound = 1 <= len(members) <= MOST_MEMBERS and (radius >= SMALLEST).all()
    sound = sound and np.abs(members).max() <= FARTHEST and np.abs(inertia).max() <= 2.0 * FARTHEST**2
    if not sound or not np.array_equal(inertia, inertia.T) or np.linalg.eigvalsh(inertia)[0] <= 0.0:
        raise ParameterError(_("The clump of this run is damaged; start again with its file."))
    rows = np.column_stack([members[:, 0], radius]).tolist()
    return Grain(tuple((x, y, z, r) for x, y, z, r in rows), tuple((a, b, c) for a, b, c in inertia.tolist()))


def joined_discs(name: str, discs: int) -> Grain:
    """Equal discs that touch: a triangle of three, a square of four, a rod of `discs`, or one disc."""
    places = {
        "disc": np.zeros((1, 2)),
        "triangle": np.array([(math.cos(a), math.sin(a)) for a in 2.0 * math.pi * np.arange(3) / 3]) / math.sqrt(0.75),
        "square": np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
        "rod": np.column_stack([2.0 * np.arange(discs) - (discs - 1.0), np.zeros(discs)]),
    }[name]
    radius = 1.0 / math.sqrt(len(places))
    arms = radius * places
    moment = 0.5 * radius**2 + float((arms**2).sum(axis=1).mean())
    rows = tuple((x, y, 0.0, radius) for x, y in arms.tolist())
    return Grain(rows, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, moment)))
