"""Members of a rigid body in the plane are joined where they touch."""

from __future__ import annotations

import numpy as np
from repose.app.render.joints import joints_of
from repose.sim.experiment.snapshot import Snapshot

from tests.snapshots import snapshot_of


def test_touching_members_of_a_body_are_joined_and_no_others() -> None:
    position = np.array([[0, 0], [2, 0], [4, 0], [6, 0], [0, 2], [2, 2], [9, 9]], np.float32)
    body = np.array([0, 0, 1, 0, 1, -1, -1])
    snapshot = snapshot_of(position=position, radius=np.ones(7, np.float32), body=body)
    assert joints_of(snapshot).tolist() == [[0, 1]], "3 and 4 are members that touch none of their own body"
    row = np.arange(5, dtype=np.float32)
    rod = snapshot_of(
        position=np.column_stack((1.5 * row, 0 * row)), radius=np.ones(5, np.float32), body=np.zeros(5, int)
    )
    assert joints_of(rod).tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert joints_of(Snapshot()).shape == (0, 2)
