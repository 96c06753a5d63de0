"""The rose diagram: which contacts it counts, the directions seen in space, and what it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import Ranges
from repose.app.render.orbit import VIEWS, Camera, Camera3D
from repose.app.render.passes import BAND, Frame, make_frame, needs_forces
from repose.app.render.passes.rose import PASS, angles_seen, contacts_between_grains, contour
from repose.app.storage.view_settings import View

from tests.app.render.test_selection import three_in_a_row
from tests.app.test_passes_of_real_runs import Sheet
from tests.snapshots import put

SIZE, SEEN = (1280, 720), View(shown={"rose": True})


def frame(camera: Camera | None = None) -> Frame:
    snapshot = three_in_a_row()
    if isinstance(camera, Camera3D):
        put(snapshot, position=np.pad(snapshot.grains.position, ((0, 0), (0, 1))))
    return make_frame(snapshot, SEEN, camera or Camera2D(), SIZE, NO_INSET, 1.0, Ranges())


def test_contacts_with_walls_and_fixed_spheres_and_bridges_without_touch_do_not_count() -> None:
    forces, fixed = three_in_a_row().contacts.forces, np.zeros(3, np.bool_)
    assert forces is not None
    assert contacts_between_grains(forces, fixed).tolist() == [0, 1]
    fixed[2] = True
    assert contacts_between_grains(forces, fixed).tolist() == [0]
    forces.overlap[0] = -1e-6
    assert contacts_between_grains(forces, fixed).tolist() == []


def test_the_number_of_contacts_and_the_anisotropy_stand_beside_the_diagram() -> None:
    sheet, seen = Sheet(), frame()
    assert PASS.overlay is not None
    PASS.overlay(seen, sheet)
    assert "2 contacts between grains" in sheet.words
    assert any(words.startswith("fabric F₁ − F₂ = 1.000, largest at ") for words in sheet.words)
    assert "mean normal force 1 N" in sheet.words
    assert max(float(line[:, 0].max()) for line in sheet.lines) < SIZE[0]
    assert min(float(line[:, 0].min()) for line in sheet.lines) > SIZE[0] - BAND
    assert needs_forces(SEEN)
    assert not needs_forces(View())


def test_before_any_grains_touch_the_plate_says_so() -> None:
    sheet, seen = Sheet(), frame()
    assert seen.snapshot.contacts.forces is not None
    seen.snapshot.contacts.forces.overlap[:] = -1.0
    assert PASS.overlay is not None
    PASS.overlay(seen, sheet)
    assert "no grains touch" in sheet.words


def test_in_space_the_directions_are_those_in_the_picture() -> None:
    azimuth, elevation = VIEWS["front"]
    seen = frame(Camera3D(azimuth=azimuth, elevation=elevation))
    found = angles_seen(seen, np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, 0.8))))
    assert found == pytest.approx((0.0, math.pi / 2, math.atan2(0.8, 0.6)))


def test_equal_values_are_a_circle_and_up_is_up() -> None:
    points = contour(np.ones(36), np.zeros(2), 10.0)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.full(len(points), 10.0))
    values = np.zeros(36)
    values[9] = 1.0  # from 90° to 100°
    assert contour(values, np.zeros(2), 10.0)[:, 1].min() == pytest.approx(-10.0, abs=0.01)
