"""What a click selects: a contact of the grain that is close, the grain, or nothing."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.camera import Camera2D
from repose.app.render.follow import without_idle_walls
from repose.app.render.selection import contacts_of, members_of, rows_of, selected_contact, selection_at
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces

from tests.snapshots import put, snapshot_of

SIZE, CAMERA = (800, 600), Camera2D((0.0, 0.0), 0.01)


def three_in_a_row() -> Snapshot:
    """Grains 5, 9 and 7 from left to right that touch, the first one also a wall below it."""
    centre = np.array(((-2.0, 0.0), (0.0, 0.0), (2.0, 0.0)), np.float32)
    return snapshot_of(
        position=centre,
        velocity=np.zeros((3, 2), np.float32),
        radius=np.ones(3, np.float32),
        fixed=np.zeros(3, np.bool_),
        sphere_id=np.array((5, 9, 7)),
        mass=np.ones(3, np.float32),
        body=np.full(3, -1),
        forces=ContactForces(
            i=np.array((0, 1, 0)),
            j=np.array((1, 2, -1)),
            point=np.array(((-1.0, 0.0), (1.0, 0.0), (-2.0, -1.0))),
            normal=np.array(((-1.0, 0.0), (-1.0, 0.0), (0.0, 1.0))),
            overlap=np.full(3, 1e-3),
            normal_force=np.ones(3),
            shear_force=np.zeros((3, 2)),
            shear=np.zeros((3, 2)),
            limit=np.ones(3),
        ),
    )


@pytest.mark.parametrize(
    ("place", "selected"),
    [
        ((0.0, 0.0), (9,)),
        ((0.8, 0.1), (9, 7)),
        ((1.2, 0.0), (9, 7)),
        ((-0.8, 0.0), (5, 9)),
        ((-2.0, -0.8), (5, -1)),
        ((-2.0, 0.6), (5,)),
        ((0.0, 3.0), ()),
    ],
)
def test_a_click_selects_the_close_contact_or_the_grain_or_nothing(
    place: tuple[float, float], selected: tuple[int, ...]
) -> None:
    pixel = CAMERA.world_to_pixel(place, SIZE)
    assert selection_at(three_in_a_row(), View(), CAMERA, SIZE, pixel, 6.0) == selected


def test_before_the_forces_are_known_the_grain_is_selected() -> None:
    snapshot = three_in_a_row()
    put(snapshot, forces=None)
    assert selection_at(snapshot, View(), CAMERA, SIZE, CAMERA.world_to_pixel((0.9, 0.0), SIZE), 6.0) == (9,)
    assert selected_contact(snapshot, View(selected=(9, 7))) is None


def test_a_contact_is_found_by_both_ids_in_any_order_and_after_rows_have_moved() -> None:
    snapshot = three_in_a_row()
    found = [selected_contact(snapshot, View(selected=ids)) for ids in ((9, 7), (7, 9), (5, -1), (5, 7), (9, -1), (9,))]
    assert found == [1, 1, 2, None, None, None]
    put(snapshot, sphere_id=np.array((9, 5, 7)))
    assert selected_contact(snapshot, View(selected=(5, 7))) == 1
    assert rows_of(snapshot, (5, -1)) == [1]
    assert contacts_of(snapshot, [0]).tolist() == [0, 2]


def test_a_rigid_body_is_selected_as_a_whole_without_the_contacts_between_its_members() -> None:
    snapshot = three_in_a_row()
    put(snapshot, body=np.array((4, 4, -1)))
    assert members_of(snapshot, 1) == [0, 1]
    assert members_of(snapshot, 2) == [2]
    assert contacts_of(snapshot, members_of(snapshot, 1)).tolist() == [1, 2]


def test_a_grain_that_has_left_has_no_row() -> None:
    assert rows_of(three_in_a_row(), (5, 8)) is None
    assert rows_of(three_in_a_row(), ()) is None


def test_contacts_keep_their_grains_when_walls_above_the_grains_are_not_drawn() -> None:
    snapshot = three_in_a_row()
    snapshot.contacts.forces.normal_force[:] = 1.0, 2.0, 3.0
    snapshot.grains.position[1, 1], snapshot.grains.fixed[1] = 9.0, True
    put(snapshot, mass=np.array((1.0, np.inf, 2.0), np.float32))
    put(snapshot, velocity=np.zeros((3, 2), np.float32), orientation=np.zeros((3, 0), np.float32))
    shown = without_idle_walls(snapshot, 5.0)
    assert shown.contacts.forces is not None
    assert (shown.contacts.forces.i.tolist(), shown.contacts.forces.j.tolist()) == ([0, 0], [-1, -1])
    assert shown.contacts.forces.normal_force.tolist() == [1.0, 3.0]
    assert shown.grains.mass.tolist() == [1.0, 2.0]
    shown = shown.contacts.forces.of_spheres(np.array((False, True)))
    assert shown.i.size == 0
    snapshot.grains.position[:, 1], snapshot.grains.fixed[:] = (9.0, 0.0, 0.0), (True, False, False)
    shown = without_idle_walls(snapshot, 5.0)
    assert shown.contacts.forces is not None
    assert (shown.contacts.forces.i.tolist(), shown.contacts.forces.j.tolist()) == ([0], [1])


def test_bonds_keep_their_spheres_when_walls_above_the_grains_are_not_drawn() -> None:
    snapshot = three_in_a_row()
    snapshot.grains.position[0, 1], snapshot.grains.fixed[0] = 9.0, True
    put(snapshot, velocity=np.zeros((3, 2), np.float32), orientation=np.zeros((3, 0), np.float32))
    put(snapshot, bonds=np.array(((0, 1), (1, 2))))
    assert without_idle_walls(snapshot, 5.0).contacts.bonds.tolist() == [[0, 1]]
