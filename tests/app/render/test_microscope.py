"""The microscope: contour of a clump, labels that do not overlap, a plate beside the grains."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import Ranges
from repose.app.render.framing import picture_room
from repose.app.render.passes import BAND, BELOW_LEGEND, PlateColumn, all_passes, band, make_frame, plates
from repose.app.render.passes.microscope import LABELS, energies_of_grain, grain_words, outline
from repose.app.storage.view_settings import View
from repose.app.ui.layout import measure_inset
from repose.sim.experiment.snapshot import DisplacementMark, Snapshot
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.message import with_prefix

from tests.app.render.test_selection import three_in_a_row
from tests.app.test_passes_of_real_runs import Sheet
from tests.english import english
from tests.snapshots import put

SIZE, GRAIN = (1280, 720), View(selected=(9,))
MICROSCOPE = next(item for item in all_passes() if item.name == "microscope")


def test_the_contour_of_overlapping_circles_has_no_arc_inside_another_one() -> None:
    """Two unit circles one radius apart: each keeps the outer two thirds of its circumference."""
    parts = outline(np.array(((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))))
    length = sum(float(np.linalg.norm(np.diff(part, axis=0), axis=1).sum()) for part in parts)
    assert length == pytest.approx(2.0 * math.tau * 2.0 / 3.0, rel=0.06)
    for part in parts:
        assert (np.linalg.norm(part, axis=1) >= 1.0 - 1e-9).all()
        assert (np.linalg.norm(part - (1.0, 0.0), axis=1) >= 1.0 - 1e-9).all()
    assert [len(part) for part in outline(np.array(((0.0, 0.0, 1.0), (9.0, 0.0, 1.0))))] == [65, 65]


def test_the_plate_stands_beside_what_the_camera_shows_and_a_narrow_picture_has_no_band() -> None:
    snapshot = three_in_a_row()
    assert plates(snapshot, View()) == {}
    assert band(snapshot, View(), 1280.0, 1.0) == 0.0
    beside = band(snapshot, GRAIN, 1280.0, 1.0)
    assert beside == BAND
    assert band(snapshot, GRAIN, 600.0, 1.0) == 0.0
    left, top, right, bottom = inset = measure_inset(SIZE, 1.0, True)
    camera = Camera2D()
    camera.frame(((-3.0, -1.0), (3.0, 1.0)), SIZE, (left, top, right + beside, bottom))
    area = make_frame(snapshot, GRAIN, camera, SIZE, inset, 1.0, Ranges()).plate("microscope")
    assert area is not None
    assert camera.world_to_pixel((3.0, 0.0), SIZE)[0] < SIZE[0] - BAND < area[0] < area[2] < SIZE[0]
    assert BELOW_LEGEND <= area[1] < area[3] < SIZE[1] - bottom  # the legend keeps its place above it
    assert picture_room(SIZE, 1.0, beside)[2] == BAND


def everything_shown() -> tuple[Snapshot, View]:
    """A heap with every plate: a grain, directions of contacts, displacements."""
    snapshot = three_in_a_row()
    before = snapshot.grains.position.astype(float) - 0.1
    put(snapshot, mark=DisplacementMark(0, 0, "flowing", 0.0, snapshot.grains.sphere_id.copy(), before))
    return snapshot, View(selected=(9,), shown={"rose": True, "displacement": True})


@pytest.mark.parametrize(("high", "least"), [(640, 1), (720, 2), (800, 3), (1080, 3)])
def test_plates_share_the_height_below_the_legend_and_never_overlap(high: int, least: int) -> None:
    snapshot, view = everything_shown()
    assert len(plates(snapshot, view)) == 3
    size, inset = (1280, high), (320.0, 0.0, 0.0, 118.0)
    frame = make_frame(snapshot, view, Camera2D(), size, inset, 1.0, Ranges())
    shown = [area for name in plates(snapshot, view) if (area := frame.plate(name)) is not None]
    assert frame.plate("microscope") is not None  # the grain that was clicked
    assert len(shown) >= least
    edges = [edge for _, top, _, bottom in shown for edge in (top, bottom)]
    assert edges == sorted(edges)
    assert edges[0] >= BELOW_LEGEND
    assert edges[-1] <= high - 118.0


def test_a_plate_stands_beside_a_panel_that_stands_beside_the_picture() -> None:
    snapshot, view = everything_shown()
    frame = make_frame(snapshot, view, Camera2D(), (1920, 1080), (320.0, 0.0, 800.0, 66.0), 1.0, Ranges())
    for name in plates(snapshot, view):
        area = frame.plate(name)
        assert area is not None
        assert area[2] <= 1920 - 800


def test_a_plate_with_little_height_lists_the_largest_forces_only() -> None:
    snapshot, view = everything_shown()
    frame = make_frame(snapshot, view, Camera2D(), SIZE, (320.0, 0.0, 0.0, 118.0), 1.0, Ranges())
    sheet, area = Sheet(), frame.plate("microscope")
    assert area is not None
    assert area[3] - area[1] < MICROSCOPE.plate(snapshot, view)
    assert MICROSCOPE.overlay is not None
    MICROSCOPE.overlay(frame, sheet)
    ((_, top), (_, bottom)) = sheet.plates[0]
    assert area[1] <= top < bottom <= area[3]


def test_on_a_narrow_picture_the_plate_is_no_larger_than_its_words_and_in_the_band_it_keeps_its_size() -> None:
    """A grain with few neighbours and without a course yet has less than half of the words and no plot."""
    drawn = []
    for size, edge in (((600, 720), 0.0), (SIZE, BAND)):
        frame = make_frame(three_in_a_row(), GRAIN, Camera2D(), size, NO_INSET, 1.0, Ranges())
        frame = replace(frame, band=edge, plate_column=PlateColumn(in_band=edge > 0.0))
        sheet, area = Sheet(), frame.plate("microscope")
        MICROSCOPE.overlay(frame, sheet)
        assert area is not None
        (plate,) = sheet.plates
        drawn.append((area, (*plate[0], *plate[1])))
    (room, narrow), (kept, beside) = drawn
    assert beside == kept
    assert narrow[1:3] == room[1:3]
    assert room[0] < narrow[0]
    assert narrow[3] < room[1] + 0.6 * (room[3] - room[1])


def test_the_energies_of_a_grain_are_those_of_motion_spin_and_height() -> None:
    snapshot = three_in_a_row()
    row, count = 1, len(snapshot.grains.mass)
    put(snapshot, mass=np.full(count, 2e-3, np.float32))
    put(snapshot, velocity=np.tile(np.array((0.3, -0.4), np.float32), (count, 1)))
    put(snapshot, gravity=(0.0, -9.81), box=((-3.0, -2.0), (3.0, 2.0)))
    height = float(snapshot.grains.position[row, 1]) + 2.0
    assert english(energies_of_grain(snapshot, row)) == [
        ("kinetic energy", "250 µJ"),
        ("potential energy", str(with_prefix(2e-3 * 9.81 * height, "J", 3))),
    ]
    put(snapshot, orientation=np.zeros((count, 1), np.float32))
    snapshot.grains.columns["rotational"] = np.full(count, 5e-5, np.float32)
    assert english(energies_of_grain(snapshot, row)[0]) == ("energy of motion, spin", "250 µJ, 50 µJ")


def test_many_forces_on_a_grain_leave_only_labels_that_do_not_overlap() -> None:
    snapshot, count = three_in_a_row(), 30
    turn = np.linspace(0.0, math.tau, count, endpoint=False)
    out = np.column_stack((np.cos(turn), np.sin(turn)))
    put(
        snapshot,
        forces=ContactForces(
            i=np.full(count, 1),
            j=np.full(count, -1),
            point=out,
            normal=-out,
            overlap=np.full(count, 1e-3),
            normal_force=1.0 + 0.01 * np.arange(count),
            shear_force=np.zeros((count, 2)),
            shear=np.zeros((count, 2)),
            limit=np.ones(count),
        ),
    )
    sheet, camera = Sheet(), Camera2D((0.0, 0.0), 0.05)
    frame = make_frame(snapshot, GRAIN, camera, SIZE, NO_INSET, 1.0, Ranges())
    assert MICROSCOPE.overlay is not None
    MICROSCOPE.overlay(frame, sheet)
    boxes = [box for box in sheet.boxes if box[2] < SIZE[0] - BAND]
    assert 1 < len(boxes) <= LABELS
    for k, (a, b, c, d) in enumerate(boxes):
        assert all(c <= p or a >= r or d <= q or b >= s for p, q, r, s in boxes[k + 1 :])


def test_the_neighbours_of_a_grain_are_listed_with_their_forces_the_largest_first() -> None:
    snapshot = three_in_a_row()
    assert snapshot.contacts.forces is not None
    snapshot.contacts.forces.normal_force[:] = 1.0, 2.0, 3.0
    frame = make_frame(snapshot, GRAIN, Camera2D(), SIZE, (0.0, 0.0, 0.0, 0.0), 1.0, Ranges())
    assert english(grain_words(frame, 1)[-2:]) == [("touches 7", "F_n = 2 N"), ("touches 5", "F_n = 1 N")]
    assert english(grain_words(frame, 0)[-2:]) == [("touches a wall", "F_n = 3 N"), ("touches 9", "F_n = 1 N")]


def test_the_path_of_the_selected_grain_is_drawn() -> None:
    snapshot = three_in_a_row()
    frame = make_frame(snapshot, GRAIN, Camera2D((0.0, 0.0), 0.01), SIZE, NO_INSET, 1.0, Ranges())
    for k in range(5):
        put(snapshot, time=0.1 * k)
        snapshot.grains.position[1] = 0.1 * k, 0.0
        frame.series.follow(snapshot, GRAIN)
    sheet = Sheet()
    assert MICROSCOPE.overlay is not None
    MICROSCOPE.overlay(frame, sheet)
    path = frame.camera.world_to_pixel(np.array([(0.1 * k, 0.0) for k in range(5)]), SIZE)
    assert any(line.shape == path.shape and np.allclose(line, path, atol=1e-3) for line in sheet.lines)


def test_of_pictures_side_by_side_only_that_of_the_chosen_run_has_a_plate_in_the_band_of_the_window() -> None:
    snapshot, window = three_in_a_row(), (320.0, 0.0, 0.0, 66.0)
    lower_left = (320.0, 400.0, 640.0, 66.0)
    frame = make_frame(snapshot, GRAIN, Camera2D(), SIZE, lower_left, 1.0, Ranges())
    alone = make_frame(snapshot, GRAIN, Camera2D(), SIZE, window, 1.0, Ranges()).plate("microscope")
    assert alone is not None
    assert replace(frame, plate_column=PlateColumn(window)).plate("microscope") == alone
    assert replace(frame, plate_column=None).plate("microscope") is None
