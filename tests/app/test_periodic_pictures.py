"""Pictures of a periodic world: grains in the cell, lines between nearest images, thin images beside it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import Ranges
from repose.app.render.cutaway import NOTHING
from repose.app.render.field_picture import field_picture
from repose.app.render.orbit import Camera3D
from repose.app.render.passes import Frame, bonds, make_frame, periodic_images
from repose.app.render.passes.displacement import displaced
from repose.app.render.selection_series import SelectionSeries
from repose.app.storage.view_settings import View
from repose.sim import Bodies, Bonds, Material, ParameterError, Setup, Simulation, Spheres, shape_of_spheres
from repose.sim.engine.workspace import OVERLAP_RATIO
from repose.sim.experiment import faults
from repose.sim.experiment.commands import Pull, Push
from repose.sim.experiment.displacement_reference import present_mark
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import in_picture, take_snapshot

from tests.english import english
from tests.small_worlds import use_plain_engine

R = 1e-3
SIDE = 9.9 * R
GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.5, friction=0.4)
SIZE = (640, 360)


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def row_of_discs(shift: float = 0.0, dimension: int = 2) -> Simulation:
    """Five touching discs around the cell, the last two bonded, and a dumb-bell that lies across the border."""
    position = np.zeros((5, dimension))
    position[:, 0] = 1.98 * R * np.arange(5) + 0.1 * R + shift
    offset = np.zeros((2, dimension))
    offset[1, 0] = 1.5 * R
    dumbbell = shape_of_spheres(offset, R, 1e-5)
    middle = np.zeros((1, dimension))
    middle[0, :2] = 0.1 * R + shift, 6.0 * R
    return Simulation(
        Setup(
            Spheres(position, R, GLASS),
            bodies=Bodies(dumbbell, middle, GLASS),
            bonds=Bonds([4], [0], [0.5 * R]),
            period=(SIDE, *(0.0,) * (dimension - 1)),
        ),
        {"gravity": 0.0, "dt": 1e-6},
    )


def snapshot_of(simulation: Simulation) -> Snapshot:
    snapshot = Snapshot()
    take_snapshot(simulation.experiment, snapshot, forces=True)
    return snapshot


def frame_of(snapshot: Snapshot) -> Frame:
    camera = Camera3D() if snapshot.grains.position.shape[1] == 3 else Camera2D()
    camera.frame(snapshot.geometry.box, SIZE)
    return make_frame(snapshot, View(), camera, SIZE, NO_INSET, 1.0, Ranges())


@pytest.mark.parametrize("shift", [0.0, 0.5 * SIDE, -27.0 * SIDE])
def test_grains_are_drawn_in_the_cell_and_lines_are_short(shift: float) -> None:
    simulation = row_of_discs(shift)
    simulation.step(1)
    snapshot = snapshot_of(simulation)
    loose, body = snapshot.grains.position[:5], snapshot.grains.position[5:]
    assert (loose[:, 0] >= 0.0).all()
    assert (loose[:, 0] < SIDE).all()
    np.testing.assert_allclose(np.diff(body, axis=0)[0], [1.5 * R, 0.0], atol=1e-6 * R)  # drawn whole
    ends = snapshot.contacts.ends
    assert len(ends) == 5, "four in the row and one across the border"
    assert np.abs(ends[:, 2] - ends[:, 0]).max() < 2.0 * R
    assert snapshot.contacts.forces is not None
    between = np.abs(snapshot.contacts.forces.point - ends[:, :2])
    assert between.max() < 1.01 * R
    rows = bonds.instances(frame_of(snapshot))
    assert rows is not None
    assert np.abs(rows[:, 2] - rows[:, 0]).max() < 2.0 * R


def test_thin_images_continue_the_grains_beyond_both_borders() -> None:
    snapshot = snapshot_of(row_of_discs())
    frame = frame_of(snapshot)
    rows, places = periodic_images.images_of_grains(frame)
    reach = periodic_images.REACH * R
    expected = {
        (k, side)
        for k, x in enumerate(snapshot.grains.position[:, 0])
        for side in (-1, 1)
        if -reach <= x + side * SIDE <= SIDE + reach
    }
    found = {(int(k), round(float((at[0] - snapshot.grains.position[k, 0]) / SIDE))) for k, at in zip(rows, places)}
    assert found == expected
    assert {side for _, side in expected} == {-1, 1}
    drawn = periodic_images.discs(frame)
    assert drawn is not None
    assert drawn[:, 6].max() < drawn[:, 10].max() < 0.5  # fainter than its outline, and both than a grain
    borders = periodic_images.borders(frame)
    assert borders is not None
    np.testing.assert_allclose(sorted(borders[:, 0]), [0.0, SIDE], atol=1e-6 * R)


def test_images_in_space_do_not_hide_the_grains() -> None:
    frame = frame_of(snapshot_of(row_of_discs(dimension=3)))
    shells, edges = periodic_images.shells(frame), periodic_images.edges(frame)
    _, places = periodic_images.images_of_grains(frame)
    assert shells is not None
    assert edges is not None
    assert 0 < len(shells) < len(places)
    assert len(edges) == 12
    depth = frame.orbit.depth(shells[:, :3])
    assert all(far >= near for far, near in pairwise(depth))


def test_an_open_world_has_no_images() -> None:
    simulation = Simulation(Setup(Spheres([[0.0, 0.0], [3.0 * R, 0.0]], R, GLASS)), {"dt": 1e-6})
    frame = frame_of(snapshot_of(simulation))
    assert not periodic_images.IMAGES.applies(frame.snapshot)
    assert periodic_images.discs(frame) is None
    assert periodic_images.borders(frame) is None


def test_displacements_go_on_through_the_border() -> None:
    """Grains that have moved by more than a period are drawn in the cell, and their displacement is the whole path."""
    simulation = row_of_discs()
    simulation.step(50)
    world = simulation.world
    mark = present_mark(simulation.experiment)
    assert mark is not None
    path = 2.4 * SIDE
    world.motion[0, 0] += path
    world.bodies.motion[0, 0] += path
    snapshot = Snapshot()
    take_snapshot(simulation.experiment, snapshot)
    shown = displaced(snapshot)
    assert shown is not None
    np.testing.assert_allclose(shown.along[:, 0], path, rtol=1e-3)
    assert (snapshot.grains.position[:5, 0] < SIDE).all()
    moved = in_picture(simulation.experiment, mark)
    assert moved is not None
    assert not np.array_equal(moved.position, mark.position)


def test_the_stress_field_continues_across_the_border() -> None:
    """The field of the row that is shifted by half a period is the same field, shifted."""
    fields = []
    for shift in (0.0, 0.5 * SIDE):
        simulation = row_of_discs(shift)
        simulation.step(1)
        view = View(shown=View().shown | {"stress_field": True})
        found = field_picture(snapshot_of(simulation), view, NOTHING, Ranges())
        assert found is not None
        x = found.grid.places[0]
        along = np.array([found.values[np.abs(x - at).argmin()].max() for at in (0.02 * SIDE, 0.5 * SIDE, 0.98 * SIDE)])
        fields.append(along)
    np.testing.assert_allclose(fields[0][[0, 2]], fields[1][1], rtol=0.1)
    np.testing.assert_allclose(fields[1][[0, 2]], fields[0][1], rtol=0.1)


def test_the_hand_pulls_the_nearest_image_and_has_no_rod() -> None:
    simulation = row_of_discs(5.0 * SIDE)
    simulation.apply(Pull(4, (0.2 * R, 0.0), 1.0))
    target = simulation.experiment.run.target
    assert target is not None
    assert abs(target.position[0] - simulation.position[4, 0]) < 3.0 * R
    snapshot = snapshot_of(simulation)
    assert snapshot.hand.pull is not None
    assert 0.0 <= snapshot.hand.pull.position[0] < SIDE
    assert abs(snapshot.hand.pull.target[0] - snapshot.hand.pull.position[0]) < 3.0 * R
    with pytest.raises(ParameterError, match="periodic boundaries has no rod"):
        simulation.apply(Push((0.0, 0.0), R, 1.0, 0.1, True))


def test_the_path_of_a_selected_grain_is_not_cut_at_the_border() -> None:
    series = SelectionSeries(boundary=np.array([[0.0, 0.0], [SIDE, 0.0]]))
    series.rows = [(0.1 * k, 1.0, 0.0, (0.8 * SIDE + 0.3 * k * SIDE) % SIDE, 2.0) for k in range(5)]
    path = series.table(100)[:, 3]
    np.testing.assert_allclose(np.diff(path), 0.3 * SIDE)
    assert path[-1] == series.rows[-1][3]
    assert SelectionSeries().table(100).shape == (0,)


def test_two_grains_at_one_place_in_different_images_are_a_fault() -> None:
    position = [[0.5 * R, 0.0], [0.5 * R + 1e-5 * R, 0.0]]
    simulation = Simulation(Setup(Spheres(position, R, GLASS), period=(SIDE, 0.0)), {"gravity": 0.0, "dt": 1e-8})
    simulation.step(1)
    assert faults.check(simulation.experiment) is None
    simulation.world.motion[0, 0] = 0.0, 3.0 * SIDE
    simulation.world.largest_overlap[OVERLAP_RATIO] = 2.0  # as a step would find
    found = faults.check(simulation.experiment)
    assert found is not None
    assert "exactly the same place" in english(found.message)
