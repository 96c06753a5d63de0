"""Forces in translucent spheres: a rod per contact, coloured by its force, and nothing opaque before it."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.colours import position_on_map, shades
from repose.app.render.passes import all_passes, needs_forces
from repose.app.render.passes.legend import overlay as draw_legend
from repose.app.render.passes.spheres import instances as opaque
from repose.app.render.passes.translucent import CLEAR, LEAST, rods, shells
from repose.app.storage.view_settings import View

from tests.app.render.test_field_picture import FORCE, RADIUS, frame, lattice
from tests.app.test_passes_of_real_runs import Sheet
from tests.snapshots import with_fields

INSIDE = View(colour_by="photoelastic")


def test_every_contact_is_a_rod_from_centre_to_centre_in_the_colour_of_its_force() -> None:
    snapshot = lattice(3)
    forces = snapshot.contacts.forces
    assert forces is not None
    forces.normal_force[: len(forces.i) // 2] *= 0.5
    forces.normal_force[0] = 0.5 * LEAST * FORCE
    seen = frame(snapshot, INSIDE)
    rows = rods(seen)
    assert rows is not None
    assert len(rows) == len(forces.i) - 1
    length = np.linalg.norm(rows[:, 3:6] - rows[:, 0:3], axis=1)
    assert length == pytest.approx(np.full(len(rows), 2.0 * RADIUS), rel=1e-4)
    scale = seen.contact_scale
    assert scale is not None
    assert scale[1] == (0.0, 4.0)
    expected = shades(position_on_map(np.array((0.5 * FORCE, FORCE)), *scale), "viridis", seen.palette)
    strong = rows[:, 6] > rows[:, 6].mean()
    assert rows[strong, 8:11] == pytest.approx(np.tile(expected[1], (int(strong.sum()), 1)))
    assert rows[~strong, 8:11] == pytest.approx(np.tile(expected[0], (int((~strong).sum()), 1)))
    sheet = Sheet()
    draw_legend(seen, sheet)
    assert sheet.words[0] == "Normal force of a contact  F_n  [N]"


def test_the_spheres_are_translucent_and_only_walls_are_opaque() -> None:
    snapshot = lattice(3)
    snapshot.grains.fixed[:100] = True
    seen = frame(snapshot, INSIDE)
    patches, solid = shells(seen), opaque(seen)
    assert patches is not None
    assert solid is not None
    assert len(patches) == 900
    assert (patches[:, 11] <= CLEAR).all()
    assert 0 < len(solid) <= 100
    assert shells(frame(snapshot, View())) is None
    assert rods(frame(snapshot, View())) is None
    assert needs_forces(INSIDE)
    bare = frame(with_fields(snapshot, forces=None), INSIDE)
    assert rods(bare) is None
    assert shells(bare) is None
    solid = opaque(bare)
    assert solid is not None
    assert len(solid) > 100  # without forces the spheres are plain


def test_the_plane_keeps_its_discs() -> None:
    seen = frame(lattice(), INSIDE)
    drawn = [item.name for item in all_passes() if item.instances and item.is_drawn(seen)]
    assert "photoelastic" in drawn
    assert not seen.is_translucent
    assert "translucent_spheres" not in drawn
