"""Directions of contacts: the rose diagram of their normals, and the fabric tensor.

    fabric_ab = mean over contacts of n_a n_b

Its trace is 1. The difference of its largest and its smallest principal value is 0 if all directions are equally
frequent, and 1 if all contacts have the same direction. In the plane, for the frequency (1 + a cos 2(θ - θ₁)) / 2π, the
difference is a / 2 (Rothenburg & Bathurst, Géotechnique 39 (1989) 601).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from repose.sim.engine.world import Floats


@dataclass(frozen=True)
class Fabric:
    """The fabric tensor of some contacts."""

    count: int
    """Number of contacts."""
    tensor: Floats
    """[-], shape (dimension, dimension)."""

    @property
    def anisotropy(self) -> float:
        """Largest minus smallest principal value, 0 to 1."""
        values = np.linalg.eigvalsh(self.tensor)
        return float(values[-1] - values[0])

    @property
    def direction(self) -> Floats:
        """Unit vector of the most frequent direction, shape (dimension,), its last component not negative."""
        vector = np.linalg.eigh(self.tensor)[1][:, -1]
        result: Floats = -vector if vector[-1] < 0.0 else vector
        return result


def fabric(normal: Floats) -> Fabric:
    """The fabric of contacts with these unit normals, shape (contacts, dimension), at least one."""
    return Fabric(len(normal), np.einsum("na,nb->ab", normal, normal) / len(normal))


def rose(angle: Floats, force: Floats, sectors: int) -> tuple[Floats, Floats]:
    """Number of contacts over its mean, and mean normal force over the mean of all contacts [-], in equal sectors from
    the angle 0 on, each of shape (sectors,); the force is 0 in sectors without contacts.

    A contact has two opposite directions, `angle` [rad] and angle + π, and counts in both sectors. `sectors` is even.
    """
    half = sectors // 2
    position = np.floor(np.mod(angle, np.pi) / np.pi * half).astype(np.intp) % half
    number = np.bincount(position, minlength=half)
    total = np.bincount(position, force, half)
    mean = float(force.mean()) if force.size else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        forces = np.nan_to_num(total / number / mean, nan=0.0, posinf=0.0, neginf=0.0)
    share = number * half / max(angle.size, 1)
    return np.tile(share, 2), np.tile(forces, 2)
