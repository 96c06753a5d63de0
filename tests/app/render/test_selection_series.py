"""The series of the selection: collected while it is selected, cut at an earlier step, made anew for another one."""

from __future__ import annotations

import numpy as np
from repose.app.render.selection_series import SelectionSeries
from repose.app.storage.view_settings import View

from tests.app.render.test_selection import three_in_a_row
from tests.snapshots import put


def test_forces_of_a_contact_and_the_path_of_its_grain_are_collected_and_cut_at_an_earlier_step() -> None:
    snapshot, series, view = three_in_a_row(), SelectionSeries(), View(selected=(7, 9))
    assert snapshot.contacts.forces is not None
    for time in (0.1, 0.2, 0.3, 0.2):
        put(snapshot, time=time)
        snapshot.contacts.forces.normal_force[1] = 10.0 * time
        snapshot.grains.position[2, 1] = time
        series.follow(snapshot, view)
    assert np.allclose(series.rows, ((0.1, 1.0, 0.0, 2.0, 0.1), (0.2, 2.0, 0.0, 2.0, 0.2)))
    series.follow(snapshot, View(selected=(9,)))
    assert len(series.rows) == 1
    assert series.rows[0][1:3] == (3.0, 1.0)
    put(snapshot, logs=snapshot.history.logs + 1)
    put(snapshot, time=0.5)
    series.follow(snapshot, View(selected=(9,)))
    assert [row[0] for row in series.rows] == [0.5]
    put(snapshot, sphere_id=np.array((5, 8, 7)))
    put(snapshot, time=0.6)
    series.follow(snapshot, View(selected=(9,)))
    assert [row[0] for row in series.rows] == [0.5]


def test_a_long_series_is_drawn_with_few_points_the_last_one_included() -> None:
    series = SelectionSeries(rows=[(0.01 * k, 1.0, 0.0, 0.0, 0.0) for k in range(1000)])
    table = series.table(100)
    assert 100 <= len(table) <= 101
    assert table[-1, 0] == 9.99
    assert (np.diff(table[:, 0]) > 0.0).all()
