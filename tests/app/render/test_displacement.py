"""Displacements: from the beginning of a phase to now, in true length or by a stated factor, of few enough grains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import Ranges
from repose.app.render.orbit import Camera3D
from repose.app.render.passes import Frame, all_passes, make_frame
from repose.app.render.passes.displacement import COVERED, WORDS, displaced, instances, overlay, words
from repose.app.render.passes.velocity_arrows import WIDTH
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import DisplacementMark, Snapshot

from tests.app.test_passes_of_real_runs import Sheet
from tests.english import english
from tests.snapshots import put, snapshot_of

SEEN, SIZE = View(shown={"displacement": True}), (1280, 720)


def moved(by: Any, dimension: int = 2) -> Snapshot:
    """A hundred grains of radius 1 mm in rows, displaced by `by` [m]; their rows are in another order than before."""
    count, side = 100, 10
    before = np.zeros((count, dimension))
    before[:, 0], before[:, -1] = 2e-3 * (np.arange(count) % side), 2e-3 * (np.arange(count) // side)
    order = np.random.default_rng(1).permutation(count)
    return snapshot_of(
        serial=1,
        position=(before + by)[order].astype(np.float32),
        radius=np.full(count, 1e-3, np.float32),
        fixed=np.zeros(count, np.bool_),
        sphere_id=order + 7,
        columns={"layer": np.zeros(count, np.float32)},
        mark=DisplacementMark(0, 0, "flowing", 0.25, np.arange(count) + 7, before),
        box=((0.0,) * dimension, (0.02,) * dimension),
    )


def frame(snapshot: Snapshot) -> Frame:
    camera = Camera3D() if snapshot.grains.position.shape[1] == 3 else Camera2D()
    camera.frame(snapshot.geometry.box, SIZE)
    return make_frame(snapshot, SEEN, camera, SIZE, NO_INSET, 1.0, Ranges())


@pytest.mark.parametrize("dimension", [2, 3])
def test_an_arrow_leads_from_where_a_grain_was_to_where_it_is(dimension: int) -> None:
    by = np.array((0.005, 0.0, -0.001))[[0, 2] if dimension == 2 else [0, 1, 2]]
    snapshot = moved(by, dimension)
    found = displaced(snapshot)
    assert found is not None
    assert found.factor == 1.0
    rows = instances(frame(snapshot))
    assert rows is not None
    shafts = rows[: len(rows) // 3]
    ends = shafts[:, dimension : 2 * dimension] - shafts[:, :dimension]
    assert ends == pytest.approx(np.tile(by, (len(shafts), 1)), abs=1e-6)
    assert {tuple(row) for row in shafts[:, dimension : 2 * dimension].round(5)} <= {
        tuple(row) for row in snapshot.grains.position.round(5)
    }


def test_a_small_displacement_is_enlarged_by_a_factor_that_is_stated() -> None:
    snapshot = moved((2e-6, 0.0))
    found = displaced(snapshot)
    assert found is not None
    assert found.factor == 2000.0
    assert english(words(found)) == ["100 grains, mean 2 µm", "largest 2 µm", "arrows: 2000 times the displacement"]
    rows = instances(frame(snapshot))
    assert rows is not None
    shafts = rows[: len(rows) // 3]
    assert shafts[:, 2] - shafts[:, 0] == pytest.approx(np.full(len(shafts), 2000.0 * 2e-6), rel=0.01)


def test_long_arrows_are_drawn_of_so_few_grains_that_the_others_are_visible() -> None:
    snapshot = moved((0.2, 0.0))
    found = displaced(snapshot)
    assert found is not None
    assert found.every > 1
    assert str(words(found)[-1]) == f"arrows: true length, of one grain in {found.every}"
    area = float(np.linalg.norm(found.along[found.shown], axis=1).sum()) * WIDTH * found.radius
    assert 0.0 < area <= 1.3 * COVERED * np.pi * found.radius**2 * 100


def test_grains_that_were_not_there_have_no_arrow_and_at_the_mark_nothing_is_drawn() -> None:
    snapshot = moved((0.005, 0.0))
    assert snapshot.grains.mark is not None
    put(snapshot, sphere_id=snapshot.grains.sphere_id + 40)
    found = displaced(snapshot)
    assert found is not None
    assert len(found.position) == 60
    put(snapshot, sphere_id=snapshot.grains.sphere_id + 1000)
    assert displaced(snapshot) is None
    assert english(words(None)) == ["none of the grains was there then"]
    assert instances(frame(snapshot)) is None
    assert instances(frame(moved(0.0))) is None
    put(snapshot, mark=None)
    assert displaced(snapshot) is None
    assert not next(item for item in all_passes() if item.name == WORDS).is_drawn(frame(snapshot))


def test_the_plate_says_since_when() -> None:
    sheet = Sheet()
    overlay(frame(moved((0.005, 0.0))), sheet)
    assert sheet.words[0] == "Displacement since t = 0.2500 s (flowing)"


def test_the_plate_has_the_label_of_the_phase_not_its_name() -> None:
    snapshot = moved((0.005, 0.0))
    put(snapshot, scene="silo")  # its phase "flowing" is called "running"
    sheet = Sheet()
    overlay(frame(snapshot), sheet)
    assert sheet.words[0] == "Displacement since t = 0.2500 s (running)"
