"""Columns of exported contacts."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from repose.sim import place_spheres
from repose.sim.experiment.export_state import state_of
from repose.sim.io.exported_state import ExportedState, contacts_of, ends_of
from repose.sim.io.lammps.write_dump import wall_contact_dump

pytestmark = pytest.mark.usefixtures("uncompiled")

RADIUS = 1e-3


def on_a_floor() -> ExportedState:
    """Two spheres that touch each other and a floor, after one step."""
    start = [[0.0, 0.0, 0.99 * RADIUS], [2.0 * RADIUS, 0.0, 0.99 * RADIUS + 1e-6]]
    floor = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    simulation = place_spheres(start, 1.001 * RADIUS, mass=1e-5, planes=[floor], dt=1e-7, rotation=False)
    simulation.step(1)
    return state_of(simulation.experiment)


def test_a_contact_with_a_wall_ends_at_the_nearest_point_of_the_wall() -> None:
    state = on_a_floor()
    contacts = contacts_of(state, walls=True)
    assert contacts.rows.tolist() == [[0, 1], [0, -1], [1, -1]]
    ends = ends_of(state, contacts)
    np.testing.assert_array_equal(ends[:, 0], state.position[[0, 0, 1]])
    np.testing.assert_array_equal(ends[0, 1], state.position[1])
    np.testing.assert_allclose(ends[1:, 1], state.position * [1.0, 1.0, 0.0], atol=1e-18)


def test_the_dump_of_contacts_with_walls_has_their_points_forces_and_circles() -> None:
    state, file = on_a_floor(), BytesIO()
    with wall_contact_dump(file) as add:
        add(state)
    rows = file.getvalue().decode("ascii").splitlines()
    begin = next(k for k, row in enumerate(rows) if row.startswith("ITEM: ATOMS "))
    values = np.array([row.split() for row in rows[begin + 1 :]], float)
    table = dict(zip(rows[begin].split()[2:], values.T))
    contacts = contacts_of(state, walls=True)
    assert table["sphere_id"].tolist() == [1.0, 2.0]
    assert table["z"].tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(np.column_stack([table[f"f{axis}"] for axis in "xyz"]), contacts.force[1:])
    # Pythagoras: the centre is R - overlap above the floor.
    np.testing.assert_allclose(table["radius"] ** 2, state.world.radius**2 - state.position[:, 2] ** 2, rtol=1e-10)
