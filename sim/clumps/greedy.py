"""Spheres inside a body, largest first (A. S. Karavaev, S. P. Kopysov, A. S. Sarmakeeva, 2015).

The nodes inside the body are sorted by depth, largest first. A sphere at a node has the depth as its radius and is
therefore inside the body. Nodes on the surface, whose depth is an error of rounding or of the distances, get none. A
node is skipped if its sphere is inside an earlier sphere, or if its distance from the centre of an earlier sphere is
less than rho times the radius of that sphere.

The printed listing ends once there are more than P_max spheres, which places one more than P_max; its table and text
have P_max as the largest number, and so has this module.
"""

from __future__ import annotations

import numpy as np
from repose.sim.clumps.body import Body
from repose.sim.clumps.clump import MOST_MEMBERS, Clump
from repose.sim.clumps.distance_field import ShowProgress, silent
from repose.sim.message import Message, Number, plural
from repose.sim.parameters import ParameterError

NODES_PER_CALL = 200_000
"""Nodes between two calls of `ShowProgress`."""


def checked_count(members: int) -> int:
    """The largest number of members; raises `ParameterError` if it is not possible."""
    if not 1 <= members <= MOST_MEMBERS:
        raise ParameterError(
            plural(
                "A clump of {count} sphere is refused; choose 1 to {most_members}.",
                "A clump of {count} spheres is refused; choose 1 to {most_members}.",
                count=members,
                most_members=MOST_MEMBERS,
            )
        )
    return members


def checked_rho(rho: float) -> float:
    """The smallest distance of two centres over the radius of the earlier sphere; raises `ParameterError` outside
    (0, 1]."""
    if not 0.0 < rho <= 1.0:
        raise ParameterError(
            Message(
                "rho = {rho} is refused; the distance of centres over the radius is in (0, 1].",
                rho=Number(rho, format="g"),
            )
        )
    return rho


def greedy_clump(body: Body, members: int, rho: float, show_progress: ShowProgress = silent) -> Clump:
    """At most `members` spheres (P_max), no two centres closer than rho times the radius of the earlier sphere.

    Raises `ParameterError` for values out of range.
    """
    from repose.sim.clumps.grid_loops import SLACK, place

    checked_rho(rho)
    depth = body.field.depth
    result = np.zeros(checked_count(members), np.int64)
    inside = np.flatnonzero(depth > SLACK * body.field.step)
    order = inside[np.argsort(-depth.ravel()[inside], kind="stable")]
    skipped = np.zeros(depth.shape, np.uint8)
    count = 0
    for first in range(0, order.size, NODES_PER_CALL):
        show_progress(Message("placing spheres: {count}", count=count), count / members)
        part = order[first : first + NODES_PER_CALL]
        count = place(depth, body.field.step, part, rho, result, count, skipped)
        if count == members:
            break
    chosen = result[:count]
    centre = body.field.origin + body.field.step * np.stack(np.unravel_index(chosen, depth.shape), axis=1)
    return Clump(body.name, "greedy", centre, depth.ravel()[chosen])
