"""Grains as photoelastic discs between crossed circular polarisers: fringes of equal difference of principal stresses.

The stress in a disc under point loads on its rim is the sum of the radial stresses of each load, as in a half-plane,
-(2/π) F·e / r along e, from the load to the point at the distance r, and a uniform tension (Michell 1900; Timoshenko &
Goodier, Theory of Elasticity, § 41). The uniform part does not change the difference D of the principal stresses. In
the plane stresses are forces per length, so that the thickness does not matter: the order of the fringes is N = C D / λ
with the stress-optic coefficient C, and the light that passes is sin²(π N). Loads in equilibrium are assumed: weight
and acceleration of a grain, and torques on grains that do not rotate, are small beside the forces in a packing at rest.
"""

from __future__ import annotations

import numpy as np
from repose.app.render.fringes import CHOICE, WAVELENGTH, stress_optic
from repose.app.render.passes import Frame, Pass
from repose.sim.experiment.snapshot import Floats
from repose.sim.measure.contact_forces import ContactForces

LOADS = 12
"""Largest number of loads on a disc; the strongest are drawn."""
HEAD = 8
"""Columns before the loads: centre (2) [m], radius [m], width of the rim [pixel], number of loads, 1 for white light,
two unused."""


def loads_of(forces: ContactForces, count: int) -> tuple[Floats, Floats]:
    """Number of loads on each of `count` discs, and the loads, the strongest first, shape (count, LOADS, 4).

    Columns of a load: unit vector from the centre of the disc to the load (2) [-], force on the disc (2) [N].
    """
    force = forces.normal_force[:, None] * forces.normal + forces.shear_force
    both = forces.j >= 0
    disc = np.concatenate((forces.i, forces.j[both]))
    position = np.concatenate((-forces.normal, forces.normal[both]))
    push = np.concatenate((force, -force[both]))
    order = np.lexsort((-np.linalg.norm(push, axis=1), disc))
    disc, position, push = disc[order], position[order], push[order]
    rank = np.arange(disc.size) - np.searchsorted(disc, disc)
    kept = rank < LOADS
    loads = np.zeros((count, LOADS, 4), np.float32)
    loads[disc[kept], rank[kept], :2], loads[disc[kept], rank[kept], 2:] = position[kept], push[kept]
    return np.minimum(np.bincount(disc, minlength=count), LOADS).astype(np.float32), loads


def instances(frame: Frame) -> Floats | None:
    """One row per grain with its loads, in fringe orders at the distance of one radius."""
    snapshot, view = frame.snapshot, frame.view
    if frame.shown != CHOICE or snapshot.contacts.forces is None:
        return None
    coefficient = stress_optic(snapshot, view, frame.ranges)
    number, loads = loads_of(snapshot.contacts.forces, len(snapshot.grains.radius))
    loads[:, :, 2:] *= (2.0 / np.pi * coefficient / WAVELENGTH / snapshot.grains.radius)[:, None, None]
    rows = np.zeros((len(snapshot.grains.radius), HEAD + 4 * LOADS), np.float32)
    rows[:, 0:2], rows[:, 2] = snapshot.grains.position, snapshot.grains.radius
    rows[:, 3] = np.minimum(0.06 * snapshot.grains.radius / frame.metres_per_pixel, 1.2 * frame.scale)
    rows[:, 4], rows[:, 5] = number, view.white_light
    rows[:, HEAD:] = loads.reshape(len(rows), 4 * LOADS)
    return rows[~snapshot.grains.fixed & np.isfinite(rows).all(axis=1)]


PASS = Pass(
    "photoelastic",
    order=21,
    shader="photoelastic",
    attributes=(4, 4, *(4,) * LOADS),
    instances=instances,
    dimensions=(2,),
    needs_forces=lambda view: view.colour_by == CHOICE,
)
