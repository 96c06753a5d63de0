"""Rigid bodies for LAMMPS: the input of `fix rigid/small ... infile`, with mass, inertia and motion of every body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.boundaries import images_of, in_cell
from repose.sim.engine.orientation import matrices
from repose.sim.engine.world import Floats, World
from repose.sim.io.lammps.names import row
from repose.sim.parameters import ParameterError


class RigidBodies(NamedTuple):
    """The bodies of a world that move."""

    text: str
    """The file that `infile` reads."""
    molecule: NDArray[np.int64]
    """Number of the body of every sphere from 1, 0 for those of no body and of bodies that do not move, shape
    (spheres,)."""


def bodies_of(world: World, velocity_shift: float, machines: Sequence[int] = ()) -> RigidBodies:
    """The bodies of a world; stored velocities are ahead of positions by `velocity_shift` [s]. Raises `ParameterError`
    for a body that one of the `machines` drives, given by its row, and for one that can move in some directions
    only."""
    bodies, dimension = world.bodies, world.dimension
    molecule = np.zeros(world.sphere_count, np.int64)
    lines = []
    moments = body_inertias(world)
    for body, begin in enumerate(bodies.begin[:-1]):
        free = bodies.inverse_mass[:, body] > 0.0
        if not free.any() and not bodies.motion[:, 1, body].any():
            continue
        if body in machines or not free.all():
            raise ParameterError(
                f"Body {body} is driven by a machine, which this export does not write: export a run in which bodies "
                "move freely."
            )
        number = body + 1
        molecule[bodies.member[begin : bodies.begin[body + 1]]] = number
        centre, velocity, momentum = np.zeros(3), np.zeros(3), np.zeros(3)
        place = bodies.motion[:dimension, 0, body : body + 1].T
        centre[:dimension] = in_cell(place, world.boundary)[0]
        images = np.zeros(3, np.int64)
        images[:dimension] = images_of(place, world.boundary)[0]
        now = bodies.motion[:, 1, body] - velocity_shift * bodies.motion[:, 2, body]
        velocity[:dimension] = now[:dimension]
        momentum[3 - (len(now) - dimension) :] = now[dimension:] / bodies.inverse_mass[dimension:, body]
        tensor = moments[body]
        entries = (tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2])
        mass = 1.0 / bodies.inverse_mass[0, body]
        lines.append(f"{number} {row((mass, *centre, *entries, *velocity, *momentum))} {' '.join(map(str, images))}")
    return RigidBodies("\n".join([str(len(lines)), *lines]) + "\n", molecule)


def body_inertias(world: World) -> Floats:
    """Tensors of inertia of the bodies that move, in space axes [kg m²], shape (bodies, 3, 3). In the plane the first
    two moments are half of the third."""
    bodies, dimension = world.bodies, world.dimension
    with np.errstate(divide="ignore"):
        reference = 1.0 / bodies.inverse_mass[dimension:]
    if dimension == 2:
        in_plane: Floats = reference[0][:, None, None] * np.diag([0.5, 0.5, 1.0])
        return in_plane
    turn = matrices(bodies.reference.T)
    principal = reference / (1.0 + bodies.unequal)
    tensors: Floats = np.einsum("nak,kn,nbk->nab", turn, principal, turn)
    return tensors
