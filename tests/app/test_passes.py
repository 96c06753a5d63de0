"""Passes are found without registration and compute rows of numbers from a frame."""

from __future__ import annotations

import dataclasses
import importlib
import math
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
from repose.app.render import passes
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import COLOURINGS, Ranges, colouring_of
from repose.app.render.framing import close_up, whole_scene
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.passes import Frame, all_passes, make_frame
from repose.app.render.passes.force_chains import LEAST
from repose.app.render.passes.legend import describe
from repose.app.render.passes.measured_slope import error_words, label
from repose.app.render.passes.scale_bar import bar_length, length_label
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot

from tests.app.fake_heap import FIXED, fake_heap
from tests.app.fake_space import fake_cone, few_spheres
from tests.english import english
from tests.snapshots import put, with_fields

SIZE = (400, 300)


def frame_of(snapshot: Snapshot, view: View) -> Frame:
    camera: Camera = Camera3D() if snapshot.grains.position.shape[1] == 3 else Camera2D()
    camera.frame(snapshot.geometry.box, SIZE)
    return make_frame(snapshot, view, camera, SIZE, NO_INSET, 1.0, Ranges())


def rows_of(name: str, snapshot: Snapshot, view: View) -> np.ndarray | None:
    found = next(item for item in all_passes() if item.name == name)
    assert found.instances is not None
    frame = frame_of(snapshot, view)
    return found.instances(frame) if found.is_drawn(frame) else None


def test_passes_are_found_in_drawing_order() -> None:
    names = [item.name for item in all_passes()]
    assert {"box", "discs", "force_chains", "measurement", "scale_bar", "legend", "caption"} <= set(names)
    assert names.index("box") < names.index("discs") < names.index("force_chains") < names.index("legend")
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "snapshot", [Snapshot(), fake_heap(), few_spheres(), fake_cone(60)], ids=["empty", "plane", "void", "space"]
)
@pytest.mark.parametrize("chains", [False, True])
@pytest.mark.parametrize("item", all_passes(), ids=lambda item: item.name)
def test_rows_fit_the_shader_and_are_finite(item, chains: bool, snapshot: Snapshot) -> None:
    frame = frame_of(snapshot, View(cut_axis="x", shown={"force_chains": chains}))
    if item.instances is None or frame.dimension not in item.dimensions:
        return
    rows = item.instances(frame)
    if rows is not None:
        assert rows.dtype == np.float32
        assert rows.shape[1] == sum(item.attributes)
        assert np.isfinite(rows).all()


def test_every_pass_says_which_dimensions_it_draws() -> None:
    for item in all_passes():
        assert item.dimensions
        assert set(item.dimensions) <= {2, 3}
    for both in ("legend", "scale_bar", "caption"):
        assert next(item for item in all_passes() if item.name == both).dimensions == (2, 3)


def test_force_chains_leave_out_the_weakest_and_widen_with_force() -> None:
    heap = fake_heap()
    rows = rows_of("force_chains", heap, View(shown={"force_chains": True}))
    assert rows is not None
    assert len(rows) == int((heap.contacts.force > LEAST * heap.contacts.force.mean()).sum()) < len(heap.contacts.force)
    assert (np.diff(rows[:, 4]) >= 0.0).all()
    assert rows[-1, 4] > 3.0 * rows[0, 4]
    assert rows_of("force_chains", heap, View()) is None


def test_grains_are_darker_behind_force_chains() -> None:
    heap = fake_heap()
    plain, dimmed = (rows_of("discs", heap, View(shown={"force_chains": chains})) for chains in (False, True))
    assert plain is not None
    assert dimmed is not None
    assert dimmed[:, 3:6].max() < 0.6 * plain[:, 3:6].max()


def test_rings_mark_the_measured_grains_and_no_others() -> None:
    heap = fake_heap()
    rows = rows_of("measurement", heap, View())
    assert rows is not None
    assert heap.results.slope is not None
    marked = {tuple(centre) for centre in rows[:, :2].tolist()}
    assert marked == {tuple(centre) for centre in heap.grains.position[list(heap.results.slope.used_ids)].tolist()}
    assert (rows[:, 6] == 0.0).all()
    assert rows_of("measurement", heap, View(shown={"measurement": False})) is None
    assert rows_of("measurement", fake_heap(measured=False), View()) is None


def test_the_box_is_drawn_behind_the_fixed_grains_only() -> None:
    rows = rows_of("box", fake_heap(), View())
    assert rows is not None
    assert len(rows) == FIXED
    assert rows_of("box", fake_heap(), View(shown={"box": False})) is None


def test_the_angle_is_written_with_its_error() -> None:
    measurement = fake_heap().results.slope
    assert measurement is not None
    reading = dataclasses.replace(measurement, angle=math.radians(13.02), standard_error=math.radians(0.48))
    assert english((label(reading), error_words(reading))) == ("13.0° ± 0.5°", "± of the line fit")
    unknown = dataclasses.replace(reading, angle=-0.1, standard_error=math.nan)
    assert english((label(unknown), error_words(unknown))) == ("−5.7°", "")


@pytest.mark.parametrize("metres_per_pixel", np.geomspace(1e-9, 10.0, 41))
def test_the_scale_bar_has_a_round_length_that_fits(metres_per_pixel: float) -> None:
    length = bar_length(metres_per_pixel, 170.0)
    assert 0.4 * 170.0 * metres_per_pixel * (1 - 1e-9) <= length <= 170.0 * metres_per_pixel * (1 + 1e-9)
    assert f"{length:e}"[0] in "125" or f"{length:.0e}"[0] in "125"


def test_lengths_are_written_in_a_suitable_unit() -> None:
    shown = [length_label(metres) for metres in (5e-3, 0.02, 1.0, 2000.0, 5e-5, 2e-9)]
    assert english(shown) == ["5 mm", "2 cm", "1 m", "2 km", "50 µm", "2 nm"]


def test_the_legend_names_symbol_and_unit_and_ticks_lie_on_the_bar() -> None:
    speed = COLOURINGS["speed"]
    assert speed is not None
    heading, ticks = describe(speed, (0.0, 0.02))
    assert str(heading) == "Speed  v  [mm/s]"
    assert english([text for _, text in ticks]) == ["0", "5", "10", "15", "20"]
    assert [share for share, _ in ticks] == pytest.approx([0, 0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize(("dimension", "unit"), [(2, "N/m"), (3, "Pa")])
def test_pressure_has_the_unit_of_its_dimension(dimension: int, unit: str) -> None:
    flat = with_fields(fake_heap(), position=np.zeros((1, dimension), np.float32))
    colouring = colouring_of("pressure", flat)
    assert colouring is not None
    assert str(describe(colouring, (0.0, 80.0))[0]) == f"Pressure on the grain  P  [{unit}]"
    assert str(describe(colouring, (0.0, 8000.0))[0]) == f"Pressure on the grain  P  [k{unit}]"


def test_the_legend_counts_contacts_to_six_and_more() -> None:
    contacts = COLOURINGS["coordination"]
    assert contacts is not None
    heading, ticks = describe(contacts, (0.0, 6.0))
    assert str(heading) == "Contacts  Z"
    assert english([text for _, text in ticks]) == ["0", "1", "2", "3", "4", "5", "6+"]
    snapshots = (fake_heap(), fake_cone())
    assert [contacts.span(np.zeros(1), snapshot) for snapshot in snapshots] == [(0.0, 6.0), (0.0, 10.0)]


def test_layers_are_counted_from_one() -> None:
    layer = COLOURINGS["layer"]
    assert layer is not None
    assert english([text for _, text in describe(layer, (0.0, 3.0))[1]]) == ["1", "2", "3", "4"]


def test_a_close_up_keeps_every_grain_and_drops_the_empty_height() -> None:
    heap = with_fields(fake_heap(), box=((-0.002, -0.004), (0.024, 0.5)))
    (x0, y0), (x1, y1) = close_up(heap)
    assert (x0, y0, x1) == pytest.approx((-0.002, -0.004, 0.024))
    assert float((heap.grains.position[:, 1] + heap.grains.radius).max()) < y1 < 0.05
    assert close_up(Snapshot()) == whole_scene(Snapshot())


def test_passes_are_imported_without_opengl() -> None:
    code = (
        "import repose.app.render.passes as p, sys; p.all_passes(); "
        "sys.exit(bool({'OpenGL', 'imgui_bundle'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_module_of_passes_offers_passes_each_with_a_name_of_its_own() -> None:
    found = all_passes()
    assert len({item.name for item in found}) == len(found)
    for module in pkgutil.iter_modules(passes.__path__):
        offered = importlib.import_module(f"{passes.__name__}.{module.name}").PASS
        offered = offered if isinstance(offered, tuple) else (offered,)
        assert offered
        assert all(item in found for item in offered)


def turning_heap() -> Snapshot:
    heap = fake_heap()
    put(heap, orientation=np.full((len(heap.grains.radius), 1), math.pi / 2, np.float32))
    return heap


def test_a_disc_whose_angle_is_known_has_a_mark_that_points_there() -> None:
    heap = turning_heap()
    rows = rows_of("spin", heap, View())
    assert rows is not None
    assert len(rows) == int((~heap.grains.fixed).sum())
    way = rows[:, 2:4] - rows[:, 0:2]
    assert np.abs(way[:, 0]).max() < 1e-6
    assert (way[:, 1] > 0.0).all()
    centre = heap.grains.position[~heap.grains.fixed]
    assert (np.linalg.norm(rows[:, 2:4] - centre, axis=1) < heap.grains.radius[~heap.grains.fixed]).all()


def test_without_angles_there_are_no_marks() -> None:
    assert rows_of("spin", fake_heap(), View()) is None
    assert rows_of("spin", Snapshot(), View()) is None


def test_walls_of_the_plane_are_lines_and_go_with_the_container() -> None:
    heap = with_fields(fake_heap(), facets=np.array([[[0, 0], [0.02, 0.01]]], np.float32))
    rows = rows_of("walls", heap, View())
    assert rows is not None
    assert rows[:, :4].tolist() == pytest.approx(np.array([[0, 0, 0.02, 0.01]]))
    assert rows_of("walls", heap, View(shown={"box": False})) is None
    assert rows_of("walls", fake_heap(), View()) is None


def test_spheres_are_drawn_from_the_farthest_to_the_nearest() -> None:
    cone = fake_cone(200)
    rows = rows_of("spheres", cone, View())
    assert rows is not None
    assert len(rows) == len(cone.grains.radius)
    assert (np.diff(frame_of(cone, View()).orbit.depth(rows[:, :3])) <= 1e-6).all()


def test_only_edges_that_are_seen_as_such_are_outlined() -> None:
    cone = fake_cone(60)
    rows = rows_of("facet_edges", cone, View())
    assert rows is not None
    lengths = np.linalg.norm(rows[:, 0:3] - rows[:, 3:6], axis=1)
    # Of 40 sides: two rims, two lines where the funnel turns out of sight, four sides of the plate, no diagonals.
    assert len(rows) == 40 + 40 + 2 + 4
    assert np.isfinite(lengths).all()
    closed = with_fields(cone, facets=cone.geometry.facets[:0])
    assert rows_of("facet_edges", closed, View()) is None


def test_force_chains_in_space_leave_out_the_weakest_and_thicken_with_force() -> None:
    cone = fake_cone(200)
    rows = rows_of("force_network", cone, View(shown={"force_chains": True}))
    assert rows is not None
    assert len(rows) == int((cone.contacts.force > LEAST * cone.contacts.force.mean()).sum())
    order = np.argsort(rows[:, 6])
    assert (np.diff(rows[order, 8]) >= -1e-6).all()
    assert rows_of("force_network", cone, View()) is None
