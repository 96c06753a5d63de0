"""Columns of exported contacts."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim import place_spheres
from repose.sim.experiment.export_state import state_of
from repose.sim.io.exported_state import contacts_of, ends_of

pytestmark = pytest.mark.usefixtures("uncompiled")

RADIUS = 1e-3


def test_a_contact_with_a_wall_ends_at_the_nearest_point_of_the_wall() -> None:
    start = [[0.0, 0.0, 0.99 * RADIUS], [2.0 * RADIUS, 0.0, 0.99 * RADIUS + 1e-6]]
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    simulation = place_spheres(start, 1.001 * RADIUS, mass=1e-5, planes=[floor], dt=1e-7, rotation=False)
    simulation.step(1)
    state = state_of(simulation.experiment)
    contacts = contacts_of(state, walls=True)
    assert contacts.rows.tolist() == [[0, 1], [0, -1], [1, -1]]
    ends = ends_of(state, contacts)
    np.testing.assert_array_equal(ends[:, 0], state.position[[0, 0, 1]])
    np.testing.assert_array_equal(ends[0, 1], state.position[1])
    np.testing.assert_allclose(ends[1:, 1], state.position * [1.0, 1.0, 0.0], atol=1e-18)
