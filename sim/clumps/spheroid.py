"""A prolate spheroid, an ellipsoid of revolution about its long axis, as spheres with centres on that axis.

The spheroid has the half axes α, along x, and 1. A ball inside it with its centre on the axis at x touches it along the
circle at x/e², with e² = 1 − 1/α², and has the radius R = sqrt(1 − x²/f²) with f² = α² − 1. With x = f sin u this is
R = cos u. At the tip, where sin u = e, the circle is a point, and R = 1/α is the radius of curvature. The members are
at equal distances of u from −arcsin e to arcsin e: all are inside the spheroid and touch it, both tips included.

A point of the spheroid at α cos t has the squared distance R² + f² (cos t − cos t_k)² from the centre of the member
that touches it at α cos t_k. Halfway between two circles the union of the members is therefore below the spheroid by
about α²/2 sin²(Δu/2), the depth of a dent, with Δu = 2 arcsin(e)/(members − 1); the volume of the union is smaller by
0.7 to 0.9 of this share. With 9 members the dents have a depth of 0.012 at α = 1.5, 0.033 at 2, and 0.10 at 3.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.clumps.clump import Clump


def spheroid(aspect_ratio: float, members: int) -> Clump:
    """A spheroid with the half axes `aspect_ratio`, above 1, and 1, as two members or more."""
    focus = math.sqrt(aspect_ratio**2 - 1.0)
    half = math.atan(focus)  # arcsin e
    u = np.linspace(-half, half, members)
    centre = np.column_stack([focus * np.sin(u), np.zeros(members), np.zeros(members)])
    return Clump("spheroid", "inscribed", centre, np.cos(u))


def fewest_members(aspect_ratio: float) -> int:
    """Least number of members of a spheroid in one piece: the distance of two neighbours is f tan(Δu/2) of the sum of
    their radii."""
    focus = math.sqrt(aspect_ratio**2 - 1.0)
    return 2 + math.floor(math.atan(focus) / math.atan(1.0 / focus))
