"""The stress field of a picture: its range and plane, the bodies in it, where it is visible, and its legend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import Ranges
from repose.app.render.cutaway import NOTHING, cut_plane
from repose.app.render.field_picture import COMPONENTS, branches, field_picture, means_of_grains
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.render.passes import all_passes, make_frame, needs_forces
from repose.app.render.passes.legend import overlay as draw_legend
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.measure.display import Label

from tests.app.test_passes_of_real_runs import Sheet
from tests.snapshots import snapshot_of, with_fields

RADIUS, FORCE, SIDE = 0.005, 4.0, 16
SEEN = View(shown={"stress_field": True})
SIZE = (640, 360)


def lattice(dimension: int = 2) -> Snapshot:
    """Touching spheres on a square or cubic lattice, every contact with the same normal force."""
    side = SIDE if dimension == 2 else 10
    centre = np.stack(np.meshgrid(*(np.arange(side),) * dimension, indexing="ij"), -1).reshape(-1, dimension)
    rows = np.arange(len(centre)).reshape((side,) * dimension)
    pairs = [
        (np.take(rows, range(1, side), k).ravel(), np.take(rows, range(side - 1), k).ravel()) for k in range(dimension)
    ]
    i, j = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    position = 2.0 * RADIUS * centre
    count, contacts = len(centre), len(i)
    return snapshot_of(
        serial=1,
        position=position.astype(np.float32),
        radius=np.full(count, RADIUS, np.float32),
        velocity=np.zeros((count, dimension), np.float32),
        mass=np.ones(count, np.float32),
        body=np.full(count, -1),
        fixed=np.zeros(count, np.bool_),
        sphere_id=np.arange(count),
        columns={"layer": np.zeros(count, np.float32)},
        forces=ContactForces(
            i=i,
            j=j,
            point=0.5 * (position[i] + position[j]),
            normal=(position[i] - position[j]) / (2.0 * RADIUS),
            overlap=np.full(contacts, 1e-6),
            normal_force=np.full(contacts, FORCE),
            shear_force=np.zeros((contacts, dimension)),
            shear=np.zeros((contacts, dimension)),
            limit=np.full(contacts, np.nan),
        ),
        box=((0.0,) * dimension, (2.0 * RADIUS * (side - 1),) * dimension),
    )


def frame(snapshot: Snapshot, view: View = SEEN) -> Any:
    camera = Camera3D() if snapshot.grains.position.shape[1] == 3 else Camera2D()
    camera.frame(snapshot.geometry.box, SIZE)
    return make_frame(snapshot, view, camera, SIZE, NO_INSET, 1.0, Ranges())


@pytest.mark.parametrize(("dimension", "unit"), [(2, "N/m"), (3, "Pa")])
@pytest.mark.parametrize("component", list(COMPONENTS))
def test_in_the_middle_of_a_lattice_every_component_has_the_value_of_the_unit_cell(
    dimension: int, unit: str, component: str
) -> None:
    seen = frame(lattice(dimension), View(shown=SEEN.shown, stress_component=component))
    field = seen.field
    middle = tuple(n // 2 for n in field.grid.shape)
    expected = 0.0 if component == "shear" else FORCE / (2.0 * RADIUS) ** (dimension - 1)
    scale = FORCE / (2.0 * RADIUS) ** (dimension - 1)
    assert field.values[middle] == pytest.approx(expected, rel=0.02, abs=0.02 * scale)
    assert field.filled[middle] == 1.0
    assert field.filled[0, 0] == 0.0
    assert field.colouring.unit == unit
    assert component == "shear" or field.span[0] <= 0.0 < expected <= field.span[1] * 1.01


def test_the_legend_states_stress_width_and_unit_and_the_field_needs_forces() -> None:
    sheet = Sheet()
    draw_legend(frame(lattice()), sheet)
    assert sheet.words[0] == "Pressure, width 10 mm  P  [kN/m]"
    assert needs_forces(SEEN)
    bare = frame(with_fields(lattice(), forces=None))
    assert bare.field is None
    assert frame(lattice(), View()).field is None


def test_the_range_is_held_for_a_run_unless_it_follows_the_values() -> None:
    snapshot, ranges = lattice(), Ranges()
    assert snapshot.contacts.forces is not None
    first = field_picture(snapshot, SEEN, NOTHING, ranges)
    snapshot.contacts.forces.normal_force[:] *= 0.1
    held = field_picture(snapshot, SEEN, NOTHING, ranges)
    follows = field_picture(snapshot, View(shown=SEEN.shown, range_follows=True), NOTHING, ranges)
    assert first is not None
    assert held is not None
    assert follows is not None
    assert held.span == first.span
    assert follows.span[1] == pytest.approx(0.1 * first.span[1], rel=1e-6)


def test_a_body_has_one_centre_and_its_contacts_branch_from_there() -> None:
    snapshot = lattice()
    snapshot.grains.body[[0, 1]] = 3
    snapshot.grains.radius[1] *= 2.0
    centre = means_of_grains(snapshot, snapshot.grains.position)
    assert centre[0] == pytest.approx((snapshot.grains.position[0] + 4.0 * snapshot.grains.position[1]) / 5.0)
    assert (centre[0] == centre[1]).all()
    assert centre[2:] == pytest.approx(snapshot.grains.position[2:])
    forces = snapshot.contacts.forces
    assert forces is not None
    within = int(np.flatnonzero((forces.i == 1) & (forces.j == 0))[0])
    assert np.abs(branches(snapshot, forces)[1][within]).max() == 0.0


@pytest.mark.parametrize("name", ["front", "side", "three-quarter"])
def test_in_space_the_field_is_in_the_cut_or_in_the_middle_of_the_box_facing_the_viewer(name: str) -> None:
    camera, box = Camera3D(azimuth=VIEWS[name][0], elevation=VIEWS[name][1]), ((0.0, 0.0, 0.0), (2.0, 4.0, 6.0))
    plane = cut_plane(SEEN, box, camera, field=True)
    axis = 0 if name == "side" else 1
    assert np.abs(plane[:3]).argmax() == axis
    assert -plane[3] / plane[axis] == pytest.approx(0.5 * box[1][axis])
    assert plane[axis] * camera.axes()[2][axis] > 0.0
    chosen = cut_plane(View(shown=SEEN.shown, cut_axis="z", cut_position=0.25), box, camera, field=True)
    assert chosen[2] != 0.0
    assert -chosen[3] / chosen[2] == pytest.approx(1.5)
    assert cut_plane(View(), box, camera) == NOTHING


def test_where_no_field_can_be_drawn_its_switch_hides_no_sphere() -> None:
    touching = lattice(3)
    assert frame(touching).cut != NOTHING
    for loose in (with_fields(touching, forces=None), with_fields(touching, labels=(Label(0, "e = 0.8"),))):
        assert frame(loose).cut == NOTHING


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_cells_drawn_are_in_the_plane_of_the_field(dimension: int) -> None:
    seen = frame(lattice(dimension))
    found = next(item for item in all_passes() if item.shader == "field" and dimension in item.dimensions)
    assert found.instances is not None
    rows = found.instances(seen)
    assert rows is not None
    assert rows.shape[1] == sum(found.attributes)
    assert np.isfinite(rows).all()
    if dimension == 3:
        axis = int(np.abs(seen.cut[:3]).argmax())
        assert rows[:, axis] == pytest.approx(-seen.cut[3] / seen.cut[axis])
        assert (rows[:, 3 + axis] == 0.0).all()
        assert (rows[:, 6 + axis] == 0.0).all()
    assert (rows[:, 9:].reshape(-1, 4, 4)[:, :, 3].max(axis=1) > 0.0).all()


def test_a_sphere_at_infinity_after_a_fault_does_not_spoil_the_field() -> None:
    snapshot = lattice()
    snapshot.grains.position[5] = math.inf
    field = frame(snapshot).field
    assert field is not None
    assert np.isfinite(field.values).all()
