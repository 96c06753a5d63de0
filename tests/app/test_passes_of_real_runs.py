"""Passes and panels for real runs: each pass draws something in some scene, with the values of the run."""

from __future__ import annotations

import itertools
import math
import pickle
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from repose.app.figure import limits_of
from repose.app.language import ENGLISH, NATIVE, read_language
from repose.app.render.beside import beside, drawn_surface, reach
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import DARK, Ranges, lightness, shown_as, to_srgb
from repose.app.render.film_words import film_words
from repose.app.render.framing import LEGEND_ROOM, close_up, picture_scale, whole_scene
from repose.app.render.hidden import seen_from
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.passes import Frame, all_passes, all_switches, make_frame
from repose.app.render.passes.caption import overlay as draw_caption
from repose.app.render.passes.facets import drawn_facets
from repose.app.render.passes.instruments import overlay as draw_instruments
from repose.app.render.passes.labels import overlay as draw_labels
from repose.app.render.passes.legend import plate
from repose.app.render.passes.measured_slope import NUMBER, place_label
from repose.app.render.passes.measured_slope import label as angle_label
from repose.app.render.passes.measured_slope import overlay as draw_plane_slope
from repose.app.render.passes.microscope import contact_seen, grain_words
from repose.app.render.passes.part_names import row as names_row
from repose.app.render.passes.scale_bar import overlay as draw_scale_bar
from repose.app.render.passes.slope_in_space import overlay as draw_slope
from repose.app.render.selection import rows_of, selected_contact
from repose.app.storage.view_settings import View
from repose.app.ui.main_result import headline, in_words
from repose.app.ui.panels import preset_and_readings as readings_panel
from repose.app.ui.panels.next_step import next_action
from repose.app.ui.places import BELOW_LEGEND
from repose.sim import place_spheres
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.engine.builder import add_spheres
from repose.sim.experiment.changes import new_experiment, resume, start
from repose.sim.experiment.commands import Act, Pull, SetParameters, Shake
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS
from repose.sim.experiment.hand import FREQUENCY
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import ShownInstrument, Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.instruments.instrument import Instrument
from repose.sim.measure.grains import grain_count
from repose.sim.message import Message, with_prefix
from repose.sim.registry import scenes
from repose.sim.scenes.common import release

from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone
from tests.app.real_runs import course, finished, in_phase, shot
from tests.app.ui.panels.panel_harness import open_harness
from tests.english import english
from tests.snapshots import not_data, put, with_fields
from tests.tiers import tiered

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker

SIZE = (640, 360)
EVERYTHING = View(shown=dict.fromkeys((switch.name for switch in all_switches()), True), selected=(1,))
ALL_BUT_CHAINS = View(shown=EVERYTHING.shown | {"force_chains": False})
PHOTOELASTIC = View(colour_by="photoelastic")
OF_PLUG_INS = {"walls"}
"""Lines of walls in the plane: the hopper of CONTRIBUTING.md has them, no scene that ships."""
OF_FILMS = {"title_card"}
"""Passes that draw in films only; the tests of films look at them."""
OF_USERS = {"audience", "instruments"}
"""Passes that draw what users have sent or placed; `tests/app/ui/test_audience.py` and
`tests/app/render/test_instruments.py` look at them."""


class Sheet:
    """A canvas that notes what is written and drawn on it."""

    scale = 1.0

    def __init__(self) -> None:
        self.words: list[str] = []
        self.places: dict[str, tuple[float, float]] = {}
        self.lines: list[np.ndarray] = []
        self.boxes: list[tuple[float, float, float, float]] = []
        """Left, top, right and bottom of every text with a given size."""
        self.plates: list[tuple[Any, Any]] = []
        self.taken: list[tuple[float, float, float, float]] = []

    def text_extent(self, text: Message | str, size: float = 1.0, bold: bool = False) -> tuple[float, float]:
        return 8.0 * size * self.scale * len(str(text)), 16.0 * size * self.scale

    def text(self, at: Any, text: Message | str, *style: Any, **more: Any) -> None:
        self.words.append(str(text))
        size, anchor = (style[1] if len(style) > 1 else 1.0), (style[3] if len(style) > 3 else (0.0, 0.0))
        width, height = self.text_extent(text, size)
        left, top = at[0] - anchor[0] * width, at[1] - anchor[1] * height
        self.boxes.append((left, top, left + width, top + height))
        self.places[str(text)] = float(at[0]), float(at[1])

    def scripted(self, at: Any, text: Message | str, *style: Any, **more: Any) -> None:
        self.text(at, text)

    def scripted_width(self, text: Message | str, size: float = 1.0, bold: bool = False) -> float:
        return self.text_extent(text, size, bold)[0]

    def polyline(self, points: np.ndarray, *style: Any, **more: Any) -> None:
        self.lines.append(np.asarray(points))

    def rectangle(self, low: Any, high: Any, *style: Any, **more: Any) -> None:
        self.plates.append((tuple(map(float, low)), tuple(map(float, high))))

    def gradient(self, *shape: Any, **more: Any) -> None: ...

    def anywhere(self) -> Any:
        return nullcontext()


def frame_of(snapshot: Snapshot, view: View = ALL_BUT_CHAINS, ranges: Ranges | None = None) -> Frame:
    camera: Camera = Camera3D() if snapshot.grains.position.shape[1] == 3 else Camera2D()
    camera.frame(whole_scene(snapshot) if snapshot.results.slope is None else close_up(snapshot), SIZE)
    return make_frame(snapshot, view, camera, SIZE, NO_INSET, 1.0, ranges or Ranges())


def runs() -> Iterator[tuple[str, Snapshot]]:
    for scene in scenes():
        for snapshot in course(scene):
            yield scene, snapshot
    for snapshot in course("heap", rotation=True):
        yield "heap with rotation", snapshot
    yield "tilted heap", shot(new_experiment("heap", {**scenes()["heap"].test_values, "tilt": 0.2}))
    yield "periodic plane", periodic(2)
    yield "periodic space", periodic(3)
    yield "pulled grain", pulled_grain()
    yield "shaken table", shaken_table()
    body = body_of_shape("rod", 24, 0.01)
    clump = fitted_clump(body, 5)
    yield "clump workshop", beside(body, drawn_surface(body), clump, Camera3D(), reach(body, clump))


def periodic(dimension: int) -> Snapshot:
    """Two spheres at either side of a periodic border."""
    position = np.full((2, dimension), 1e-2)
    position[:, 0] = 1e-4, 1.98e-2
    simulation = place_spheres(position, 1e-3, mass=1e-6, period=(2e-2,) * dimension)
    simulation.step(10)
    return shot(simulation.experiment)


def pulled_grain() -> Snapshot:
    """The first grain that is poured, pulled to the upper right by as much as its spring gives."""
    experiment = new_experiment("heap", {**scenes()["heap"].test_values})
    assert not apply(experiment, Act("fill"))
    while not grain_count(experiment.run.world):
        advance(experiment, CHECK_STEPS)
    world = experiment.run.world
    row = int(np.flatnonzero(~world.fixed)[0])
    x, y = world.motion[:2, 0, row]
    assert not apply(experiment, Pull(int(world.sphere_id[row]), (x + 3e-3, y + 4e-3), 1.0))
    return shot(experiment)


def shaken_table() -> Snapshot:
    """The heap at its beginning, on a table that goes to and fro."""
    experiment = new_experiment("heap", {**scenes()["heap"].test_values})
    assert not apply(experiment, Act("fill"))
    assert not apply(experiment, Shake(1e-4, 20.0, False))
    return shot(experiment)


def test_every_pass_draws_something_of_a_real_run() -> None:
    waiting = {item.name: item for item in all_passes() if item.name not in OF_PLUG_INS | OF_FILMS | OF_USERS}
    parts = {(name, kind) for name, item in waiting.items() for kind in ("instances", "overlay") if getattr(item, kind)}
    for _, snapshot in runs():
        for view in (ALL_BUT_CHAINS, EVERYTHING, PHOTOELASTIC):
            frame = frame_of(snapshot, view)
            for name, kind in [*parts]:
                item, sheet = waiting[name], Sheet()
                if not item.is_drawn(frame):
                    continue
                if kind == "overlay":
                    assert item.overlay is not None
                    item.overlay(frame, sheet)
                    drawn = bool(sheet.words or sheet.lines)
                else:
                    assert item.instances is not None
                    rows = item.instances(frame)
                    drawn = rows is not None and len(rows) > 0
                if drawn:
                    parts.discard((name, kind))
        if not parts:
            return
    assert parts == set()


@pytest.mark.parametrize("scene", list(scenes()))
def test_every_number_that_a_pass_draws_of_a_real_run_is_finite(scene: str) -> None:
    for snapshot in course(scene)[:: max(1, len(course(scene)) // 5)]:
        for view in (ALL_BUT_CHAINS, EVERYTHING, PHOTOELASTIC):
            frame = frame_of(snapshot, view)
            for item in all_passes():
                rows = item.instances(frame) if item.instances and item.is_drawn(frame) else None
                assert rows is None or np.isfinite(rows).all(), item.name


@pytest.mark.parametrize("scene", ["heap", "heap3d"])
def test_the_angle_in_the_picture_is_that_of_the_readings(scene: str) -> None:
    assert all(snapshot.results.slope is None for snapshot in course(scene) if snapshot.run.phase.name != "rested")
    last = finished(scene)
    reading = next(entry for entry in last.results.readings if str(entry.label) == "angle of repose")
    assert last.results.slope is not None
    assert math.degrees(last.results.slope.angle) == pytest.approx(reading.value)
    sheet, frame = Sheet(), frame_of(last)
    for item in all_passes():
        if item.overlay and item.is_drawn(frame):
            item.overlay(frame, sheet)
    assert f"{reading.value:.1f}° ± {reading.error:.1f}°" in sheet.words
    assert str(reading.error_of).endswith(str(last.results.slope.error_of))
    assert any(str(last.results.slope.error_of) in words for words in sheet.words)


@pytest.mark.parametrize("scene", sorted(scenes()))
def test_every_reading_of_a_scene_stands_beside_the_picture_at_the_end_of_its_run(
    scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot, rows = finished(scene), list[str]()
    assert snapshot.results.readings
    monkeypatch.setattr(readings_panel, "row", lambda label, *rest: rows.append(str(label)))
    with open_harness(tmp_path, snapshot):
        large = headline(snapshot)
    assert large is not None
    assert {str(reading.label) for reading in snapshot.results.readings} <= {str(large.label), *rows}


@pytest.mark.parametrize("scene", sorted(scenes()))
def test_the_snapshot_at_the_end_of_a_run_is_data(scene: str) -> None:
    assert not_data(finished(scene)) == []
    assert pickle.dumps(finished(scene))


@pytest.mark.parametrize("scene", sorted(scenes()))
def test_no_reading_of_a_run_is_a_raw_small_number(scene: str) -> None:
    for snapshot in course(scene):
        for reading in (*snapshot.results.readings, *snapshot.results.bulk_readings):
            value = abs(reading.readable().value)
            unit = reading.unit not in ("", "°", "%", "d") and not reading.unit.startswith("1/")
            assert not unit or value == 0.0 or not np.isfinite(value) or value >= 0.99, in_words(reading)
            assert "10⁻" not in str(in_words(reading)) or value < 1e-12


@pytest.mark.parametrize("scene", sorted(scenes()))
def test_at_the_end_of_a_run_the_next_action_does_not_measure_again(scene: str) -> None:
    action = next_action(finished(scene))
    assert action is not None
    assert action.name in ("reset", "run", "turn")


def test_a_film_of_the_slope_ends_with_the_first_sphere_and_whether_the_closed_forms_hold() -> None:
    snapshot = finished("slope")
    answer, verdict = map(str, film_words(snapshot, 1.0, ending=True).result)
    slides = snapshot.run.parameters.values
    (measured,) = re.findall(r"with ([0-9.]+) m/s²", answer)
    assert answer.startswith(f"The sphere of {snapshot.grains.labels[0].text} is first")
    assert float(measured) == pytest.approx(slides["gravity"] * math.sin(slides["slope_angle"]), rel=0.05)
    assert verdict == "✓ All 5 stated outcomes hold."


def test_all_words_in_a_film_stand_on_a_plate_and_the_end_says_the_phase() -> None:
    snapshot = in_phase("heap", "flowing")[0]
    frame = replace(frame_of(snapshot), film=film_words(snapshot, 1.0, ending=True), size=(1280, 720))
    sheet = Sheet()
    draw_caption(frame, sheet)
    assert str(snapshot.run.phase_label) in sheet.words
    assert any(word.startswith("grains left: ") for word in sheet.words)
    assert any(word.startswith("μ = ") for word in sheet.words)
    for text, (left, top, right, bottom) in zip(sheet.words, sheet.boxes, strict=True):
        inside = [low[0] < left < right < high[0] and low[1] < top < bottom < high[1] for low, high in sheet.plates]
        assert any(inside), text


@pytest.mark.parametrize("scene", [name for name, scene in scenes().items() if scene.group == "bodies"])
@pytest.mark.parametrize("size", [(480, 270), (1280, 720)])
def test_the_result_of_a_film_is_not_cut_and_clear_of_the_legend(scene: str, size: tuple[int, int]) -> None:
    snapshot = finished(scene)
    scale = picture_scale(size)
    frame = replace(frame_of(snapshot), film=film_words(snapshot, 1.0, ending=True), size=size, scale=scale)
    sheet = Sheet()
    sheet.scale = scale
    draw_caption(frame, sheet)
    (left, top), (right, _) = sheet.plates[-1]
    assert 0.0 <= left < right <= size[0]
    names = names_row(frame, sheet)
    area = names.area if names else plate(frame, sheet)
    assert area is None or right <= area[0] or top >= area[3]


def test_particles_that_stay_fixed_have_a_name_beside_the_parts() -> None:
    names = names_row(replace(frame_of(finished("beam")), size=(1280, 720)), Sheet())
    assert names is not None
    assert english([entry.name for entry in names.names]) == ["beam", "weak middle", "load", "fixed"]
    free = names_row(replace(frame_of(finished("cube")), size=(1280, 720)), Sheet())
    assert free is not None
    assert english([entry.name for entry in free.names]) == ["cube", "particle", "path of its centre"]


@pytest.mark.parametrize("scene", ["heap", "heap3d"])
@pytest.mark.parametrize("scale", [1.0, 1.6, 1.92])
def test_the_angle_is_clear_of_the_legend_at_any_text_size(scene: str, scale: float) -> None:
    size, inset = (1280, 720), (384.0, 0.0, 0.0, 66.0 * scale)
    sheet, frame = Sheet(), replace(frame_of(finished(scene)), scale=scale, size=size, inset=inset)
    sheet.scale = scale
    frame.camera.frame(close_up(frame.snapshot), size, inset)
    (draw_slope if scene == "heap3d" else draw_plane_slope)(frame, sheet)
    assert frame.snapshot.results.slope is not None
    number, legend = str(angle_label(frame.snapshot.results.slope)), plate(frame, sheet)
    assert legend is not None
    width, height = sheet.text_extent(number, NUMBER)
    for x, y in (sheet.places[number], *(np.array(inset[:2]) + np.random.default_rng(1).uniform(0, 800, (200, 2)))):
        x, y = place_label(frame, sheet, (width, height), float(x), float(y))
        assert inset[0] <= x - width / 2 < x + width / 2 <= size[0]
        assert x + width / 2 <= legend[0] + 1e-6 or y >= legend[3] - 1e-6
    assert place_label(frame, sheet, (width, height), *sheet.places[number]) == sheet.places[number]


@pytest.mark.parametrize("known", [True, False], ids=["leaves-it-free", "control"])
def test_the_plate_of_an_instrument_leaves_the_number_of_the_angle_free(known: bool) -> None:
    sheet, frame = Sheet(), replace(frame_of(fake_heap()), size=(1280, 720))
    frame.camera.frame(close_up(frame.snapshot), frame.size)
    draw_plane_slope(frame, sheet)
    (number,) = sheet.taken
    at = frame.camera.pixel_to_world(np.array((number[0] - 5.0, (number[1] + number[3]) / 2)), frame.size)
    ends = tuple((float(at[0]), float(at[1]) + up) for up in (0.0, 1e-5))
    shown = ShownInstrument(Instrument("ruler", "ruler", ends), outline=(np.array(ends),))
    if not known:
        sheet.taken.clear()
    draw_instruments(replace(frame, snapshot=with_fields(frame.snapshot, instruments=(shown,))), sheet)
    low, high = sheet.plates[-2]
    apart = high[0] <= number[0] or low[0] >= number[2] or high[1] <= number[1] or low[1] >= number[3]
    assert apart == known


def test_the_cone_drawn_lies_on_the_measured_heap_in_space() -> None:
    last = finished("heap3d")
    measured = last.results.slope
    assert measured is not None
    used = np.isin(last.grains.sphere_id, measured.used_ids)
    assert used.sum() == len(measured.used_ids) > 20
    distance = np.hypot(last.grains.position[used, 0], last.grains.position[used, 1])
    tops = last.grains.position[used, 2] + last.grains.radius[used]
    near, far = measured.x_range
    assert distance.min() - 2e-3 < near < far < distance.max() + 2e-3
    off = tops - (measured.intercept + measured.slope * distance)
    assert abs(off.mean()) < 0.2 * last.grains.radius.mean()
    # With every view on, the cut of the stress field leaves out the grains in front of it.
    sheet, frame = Sheet(), frame_of(last, View())
    draw_slope(frame, sheet)
    rows = next(item for item in all_passes() if item.name == "spheres").instances(frame)
    assert rows is not None
    # The rows leave out what is cut, here by the plane of the stress field, and what is behind other spheres.
    kept = np.flatnonzero(frame.kept)
    visible = kept[seen_from(frame.orbit, SIZE, last.grains.position[kept], last.grains.radius[kept])]
    assert len(rows) == len(visible)
    ringed = {tuple(row) for row in rows[rows[:, 11] > 0.0, :3]}
    assert ringed == {tuple(row) for row in last.grains.position[visible[used[visible]]].astype(np.float32)}
    assert len(ringed) > 20
    drawn = np.concatenate(sheet.lines)
    seen = frame.orbit.world_to_pixel(last.grains.position[used].astype(float), SIZE)
    assert seen[:, 0].min() - 20.0 < drawn[:, 0].min() < drawn[:, 0].max() < seen[:, 0].max() + 20.0


def test_the_funnel_is_left_out_once_the_heap_below_it_is_measured() -> None:
    before, after = in_phase("heap3d", "flowing")[0], finished("heap3d")
    lowest = after.geometry.facets[..., 2].min(axis=1)
    highest = (after.grains.position[:, 2] + after.grains.radius)[~after.grains.fixed].max()
    assert len(drawn_facets(frame_of(before))) == len(before.geometry.facets)
    assert len(drawn_facets(frame_of(after))) == int((lowest <= highest).sum()) < len(after.geometry.facets)
    hidden = View(shown={"measurement": False})
    assert len(drawn_facets(frame_of(after, hidden))) == len(after.geometry.facets)


def test_colours_are_those_of_the_direction_of_the_scene_until_the_user_chooses() -> None:
    for snapshot in course("heap"):
        several = len(snapshot.grains.fixed) > np.count_nonzero(snapshot.grains.fixed)  # also the first layer alone
        assert shown_as(View().colour_by, snapshot) == ("layer" if several else "sand")
        assert shown_as("force", snapshot) == "force"
        fast = with_fields(snapshot, direction=replace(snapshot.run.direction, colour="speed"))
        assert shown_as(View().colour_by, fast) == "speed"
    assert shown_as("automatic", course("heap")[0]) == "sand"
    assert {shown_as("automatic", snapshot) for snapshot in course("bounce")} == {"labels"}
    assert shown_as("a name from another version", course("heap")[-1]) == "layer"


@pytest.mark.parametrize("quantity", ["speed", "force", "pressure", "layer", "coordination", "size"])
def test_the_range_of_the_colours_is_constant_in_a_run_unless_it_follows_the_values(quantity: str) -> None:
    held, following = Ranges(), Ranges()
    spans, eased = [], []
    for snapshot in course("heap"):
        if snapshot.grains.moving_count == 0:
            continue
        spans.append(frame_of(snapshot, View(colour_by=quantity), held).span)
        eased.append(frame_of(snapshot, View(colour_by=quantity, range_follows=True), following).span)
    assert all(span is not None for span in spans)
    wide = [span[1] - span[0] for span in spans if span is not None]
    assert (np.diff(wide) >= 0.0).all()
    if quantity in ("speed", "coordination"):
        assert len(set(spans)) == 1  # known before anything moves
    else:
        assert len(set(spans)) < len(spans) / 3
    if quantity in ("speed", "force"):
        assert len(set(eased)) > len(eased) / 2
        assert np.diff([span[1] for span in eased if span is not None]).min() < 0.0


@pytest.mark.parametrize("scene", ["heap", "heap3d", "vessel", "hourglass", "brazil_nut", "janssen", "two_sided"])
def test_the_legend_shows_the_number_of_layers_from_the_first_grain_on(scene: str) -> None:
    shots = [snapshot for snapshot in course(scene) if snapshot.grains.columns["layer"].max(initial=-1.0) >= 0.0]
    poured = 1.0 + max(snapshot.grains.columns["layer"].max() for snapshot in shots)
    view = View(colour_by="layer")
    assert {snapshot.grains.layers for snapshot in shots} == {poured}
    assert {frame_of(snapshot, view, Ranges()).span for snapshot in shots} == {(0.0, poured - 1.0)}


@pytest.mark.parametrize("code", [code for code in NATIVE if code != ENGLISH])
def test_the_answers_of_lecture_scenes_have_no_english_words_in_another_language(code: str) -> None:
    language, words = read_language(code), re.compile(r"[A-Za-z]{5,}")
    asked = [name for name, scene in scenes().items() if scene.guess is not None]
    answers = [shown.words for name in asked if (shown := finished(name).results.answer) is not None]
    assert len(answers) > 4
    for answer in answers:
        assert not set(words.findall(str(answer))) & set(words.findall(language.translated(answer)))


@pytest.mark.parametrize("another", ["begun again", "begun or opened"])
def test_a_new_run_begins_with_a_new_range(another: str) -> None:
    ranges, view = Ranges(), View(colour_by="force")
    first, last = course("heap")[3], course("heap")[-1]
    narrow = frame_of(first, view, ranges).span
    assert frame_of(last, view, ranges).span != narrow
    begun_again = {"at": last.history.at + first.run.step}
    anew = with_fields(first, **begun_again if another == "begun again" else {"logs": last.history.logs + 1})
    assert frame_of(anew, view, ranges).span == narrow


def test_another_preset_of_the_same_scene_and_a_run_that_is_opened_are_new_runs() -> None:
    """With the same seed, which scene, seed and steps since the beginning do not tell apart."""
    experiment = new_experiment("clumps", {"shape": "ball"})
    saved, numbers = saved_copy(experiment), [shot(experiment).history.logs]
    start(experiment, "clumps", {"grain_count": 10, "shape": "ball"}, 1)
    numbers.append(shot(experiment).history.logs)
    resume(experiment, saved)
    numbers.append(shot(experiment).history.logs)
    assert len(set(numbers)) == 3


def test_the_number_stands_over_a_heap_that_stands_upright_too() -> None:
    """Its flank would meet the axis metres above the heap, behind the eye."""
    generator = np.random.default_rng(1)
    position = generator.uniform((-0.1, -0.1, 0.0), (0.1, 0.1, 0.2), (5000, 3))
    experiment = new_experiment("clumps", {"shape": "ball"})
    column = position[np.hypot(position[:, 0], position[:, 1]) < 0.1]
    experiment.run.world = add_spheres(experiment.run.world, column, 2e-3, 1.0)
    experiment.run.state.phase = "rested"
    experiment.scene.course.act(experiment, "measure")
    last, sheet = shot(experiment), Sheet()
    assert last.results.slope is not None
    assert last.results.slope.method == "flank"
    draw_slope(frame_of(last), sheet)
    assert str(angle_label(last.results.slope)) in sheet.words
    assert sheet.places[str(angle_label(last.results.slope))][1] < min(line[:, 1].min() for line in sheet.lines)
    (curve,) = last.results.curves
    assert english([line.label for line in curve.lines]) == ["radius of the layers", "fit"]
    assert limits_of(curve)[0][0] == 0.0


@pytest.mark.parametrize("scene", ["bounce", "slope"])
def test_every_compared_sphere_has_a_label_and_its_own_colour(scene: str) -> None:
    for snapshot in course(scene):
        frame, sheet = frame_of(snapshot), Sheet()
        next(item for item in all_passes() if item.name == "labels").overlay(frame, sheet)
        values = [
            value
            for name, value in snapshot.run.parameters.values.items()
            if name.startswith(("restitution", "friction"))
        ]
        symbol = "e" if scene == "bounce" else "μ"
        named = [word for word in sheet.words if word.startswith(symbol)]
        assert sorted(named) == sorted(f"{symbol} = {value:g}" for value in values)
        assert len({tuple(face) for face in frame.faces.tolist()}) == len(values)
        # Words lie neither on each other nor outside.
        places = np.array([sheet.places[word] for word in named])
        apart = np.abs(places[:, None] - places[None]) > (30.0, 12.0)
        assert (apart.any(axis=2) | np.eye(len(places), dtype=bool)).all()


def test_labels_never_overlap_and_stay_in_the_free_part_of_a_small_picture() -> None:
    texts = 0
    for snapshot in course("slope"):
        for scale in (1.0, 2.0, 3.0):
            sheet = Sheet()
            sheet.scale = scale
            frame = replace(frame_of(snapshot), scale=scale, inset=(200.0, 40.0, 0.0, 60.0))
            draw_labels(frame, sheet)
            boxes = [box for box in sheet.boxes if box[2] > box[0]]
            texts += len(boxes)
            for index, (left, top, right, bottom) in enumerate(boxes):
                assert 200.0 <= left < right <= SIZE[0] + 1e-6
                assert 40.0 <= top < bottom <= SIZE[1] - 60.0 + 1e-6
                for other in boxes[:index]:
                    assert left >= other[2] or other[0] >= right or top >= other[3] - 1e-6 or other[1] >= bottom - 1e-6
    assert texts > 100


def test_no_stem_of_a_label_crosses_the_words_of_another_where_there_is_room_beside_the_spheres() -> None:
    for snapshot in course("slope"):
        sheet = Sheet()
        sheet.scale = 1.6
        frame = replace(frame_of(snapshot), scale=1.6, size=(1280, 720), inset=(385.0, 130.0, 0.0, 190.0))
        frame.camera.frame(whole_scene(snapshot), frame.size, frame.inset)
        draw_labels(frame, sheet)
        for (x, high), (_, low) in sheet.lines:
            crossed = [
                box for box in sheet.boxes if box[0] < x < box[2] and high < box[3] - 1e-6 and low > box[1] + 1e-6
            ]
            assert crossed == []


def test_no_stem_of_a_label_crosses_the_words_of_another_where_spheres_lie_on_a_steep_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot = course("slope")[-1]
    for share in (0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.45, 1.6):
        line = {n: (833 + (n - 4) * 25.5 * share, 225 + (4 - n) * 16.3 * share, 11 * share) for n in range(5)}
        monkeypatch.setattr("repose.app.render.passes.labels._spheres", lambda frame, line=line: line)
        monkeypatch.setattr("repose.app.render.passes.labels._ghosts", lambda frame: [])
        sheet = Sheet()
        sheet.scale = 1.6
        frame = replace(frame_of(snapshot), scale=1.6, size=(1280, 720), inset=(385.0, 0.0, 0.0, 190.0))
        draw_labels(frame, sheet)
        assert len([word for word in sheet.words if word.startswith("μ")]) == 5
        for (x, high), (_, low) in sheet.lines:
            near = [box for box in sheet.boxes if box[0] - 4 < x < box[2] + 4 and high < box[3] - 1e-6]
            assert [box for box in near if low > box[1] + 1e-6] == [], share


@pytest.mark.parametrize("scene", ["bounce", "slope"])
def test_paths_of_the_run_lie_beside_the_closed_form(scene: str) -> None:
    last = finished(scene)
    radius = float(last.grains.radius[0])
    for label in last.grains.labels:
        expected, found = (
            next(t for t in last.grains.tracks if t.sphere_id == label.sphere_id and t.expected is says)
            for says in (True, False)
        )
        assert len(found.points) > 50
        away = np.linalg.norm(expected.points[:, None] - found.points[None], axis=2).min(axis=1)
        assert away.max() < 1.1 * radius
        assert np.ptp(found.points, axis=0).max() > 0.8 * radius


def test_the_labels_at_the_slope_distinguish_rolling_and_sliding_by_the_spin() -> None:
    last = finished("slope")
    assert parameters_of(last.run) is not None
    critical = 2.0 / 7.0 * math.tan(parameters_of(last.run).slope_angle)
    for label, mu in zip(last.grains.labels, parameters_of(last.run).frictions, strict=True):
        assert str(label.note) == ("rolls" if mu >= critical else "slides")
    first = course("slope")[0]
    assert english({label.note for label in first.grains.labels}) == {""}
    turned = np.abs(last.grains.orientation - first.grains.orientation).max(axis=1)
    assert turned[0] < 1e-9  # without friction nothing turns
    assert (turned[1:] > 0.1).all()
    rows = next(item for item in all_passes() if item.name == "spheres").instances(frame_of(last))
    assert rows is not None
    assert (np.linalg.norm(rows[:, 12:16], axis=1) > 0.99).all()  # the marks are drawn for fixed spheres, too


def test_the_bounce_ends_at_a_landing() -> None:
    last = finished("bounce")
    assert parameters_of(last.run) is not None
    liveliest = int(np.argmax(parameters_of(last.run).restitutions))
    height = last.grains.position[:, 2] - last.grains.radius
    assert height[liveliest] < 0.03 * parameters_of(last.run).drop_height
    assert last.run.time >= parameters_of(last.run).duration


@pytest.mark.parametrize("scene", ["bounce", "slope"])
def test_the_experiment_is_repeated_after_a_pause_if_repeat_is_on(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "PAUSE", pause := 0.05)
    experiment = new_experiment(scene, {**scenes()[scene].test_values, "repeat": True})
    apply(experiment, Act("run"))
    state, rounds = experiment.run.state, []
    while len(rounds) < 2:
        while experiment.phase == "flowing":
            advance(experiment, CHECK_STEPS)
        rounds.append((state.columns["time"].copy(), state.columns["place"].copy()))
        ended = experiment.time
        while experiment.phase == "rested":
            advance(experiment, CHECK_STEPS)
        assert experiment.time == pytest.approx(ended + pause, abs=2e-3)
    (time, position), (time_again, place_again) = rounds
    assert time.size > 20
    assert time[-1] == pytest.approx(time_again[-1], abs=2e-3)
    for sphere in range(position.shape[1]):
        again = np.interp(time, time_again, place_again[:, sphere])
        assert np.abs(again - position[:, sphere]).max() < 0.02 * np.abs(position).max()
    assert not apply(experiment, SetParameters({"repeat": False}))
    while experiment.phase == "flowing":
        advance(experiment, CHECK_STEPS)
    ended = experiment.time
    while experiment.time < ended + 2.0 * pause:
        advance(experiment, CHECK_STEPS)
    assert experiment.phase == "rested"


@pytest.mark.parametrize("look", ["sand", "clay"])
def test_each_grain_has_a_shade_that_follows_from_its_id(look: str) -> None:
    last = finished("heap3d")
    view = View(colour_by=look)
    frame = frame_of(last, view)
    moving = frame.faces[~last.grains.fixed]
    assert len(np.unique(moving, axis=0)) > 0.9 * len(moving)
    assert frame.colouring is None
    order = np.random.default_rng(1).permutation(len(last.grains.radius))
    for name in ("position", "radius", "fixed", "sphere_id", "orientation"):
        put(last, **{name: getattr(last.grains, name)[order]})
    put(last, columns={name: column[order] for name, column in last.grains.columns.items()})
    assert np.array_equal(frame_of(last, view).faces, frame.faces[order])
    tones = to_srgb(moving)
    assert (tones[:, 0] > tones[:, 2]).all()  # warm, as sand and fired clay are


@pytest.mark.gl
def test_grains_at_rest_in_space_are_not_dark(picture_maker: PictureMaker) -> None:
    picture_maker.size = SIZE
    last = finished("heap3d")
    frame = frame_of(last)
    picture = picture_maker.draw(last, View(), frame.camera)
    pixels = np.rint(frame.orbit.world_to_pixel(last.grains.position[~last.grains.fixed].astype(float), SIZE)).astype(
        int
    )
    inside = (pixels >= 0).all(axis=1) & (pixels < SIZE).all(axis=1)
    bright = lightness(picture[pixels[inside, 1], pixels[inside, 0]] / 255.0)
    assert np.median(bright) > 40.0
    assert np.quantile(bright, 0.1) > lightness(DARK.background) + 15.0


@pytest.mark.gl
@pytest.mark.parametrize(
    ("scene", "dark"),
    tiered(
        itertools.product(scenes(), (True, False)),
        fast=[*((scene, True) for scene in scenes()), ("heap", False), ("heap3d", False)],
    ),
)
def test_the_end_of_every_scene_is_drawn_in_every_theme(picture_maker: PictureMaker, scene: str, dark: bool) -> None:
    picture_maker.size = (320, 200)
    for snapshot in (course(scene)[0], finished(scene)):
        picture = picture_maker.draw(snapshot, View(dark=dark))
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 30


def test_only_spheres_of_walls_are_fixed_in_snapshots() -> None:
    at_start = shot(new_experiment("slope", {}))
    assert not at_start.grains.fixed.any()
    assert at_start.grains.moving_count == 0
    assert course("heap3d")[-1].grains.fixed.any()


def test_the_legend_ends_above_the_notices() -> None:
    legend = next(item for item in all_passes() if item.name == "legend")
    assert legend.overlay is not None
    sheet, frame = Sheet(), frame_of(in_phase("heap", "flowing")[0])
    legend.overlay(frame, sheet)
    lowest = max(position[1] for position in sheet.places.values()) + 20.0 * frame.scale
    assert 60.0 * frame.scale < lowest < BELOW_LEGEND * frame.scale


def test_spheres_that_never_touch_keep_their_size_when_force_chains_are_on() -> None:
    last = finished("slope")
    spheres = next(item for item in all_passes() if item.name == "spheres")
    assert spheres.instances is not None
    rows = spheres.instances(frame_of(last, EVERYTHING))
    assert rows is not None
    assert np.allclose(rows[:, 3], last.grains.radius[0])


def test_the_pull_on_a_grain_is_an_arrow_towards_its_target_with_its_value() -> None:
    found = next(item for item in all_passes() if item.name == "pull")
    assert found.overlay is not None
    snapshot = pulled_grain()
    assert snapshot.hand.pull is not None
    weight = 9.81 * float(snapshot.grains.mass[snapshot.grains.sphere_id == snapshot.hand.pull.sphere_id][0])
    sheet, none, strongest = Sheet(), Sheet(), Sheet()
    found.overlay(frame_of(snapshot), sheet)
    found.overlay(frame_of(with_fields(snapshot, pull=None)), none)
    found.overlay(frame_of(with_fields(snapshot, pull=replace(snapshot.hand.pull, limit=weight))), strongest)
    assert (none.words, none.lines) == ([], [])
    force = math.hypot(*snapshot.hand.pull.force)
    assert force == pytest.approx(weight * 5e-3 * FREQUENCY**2 / 9.81, rel=0.1)  # its velocity is still small
    assert sheet.words == english([with_prefix(force, "N", 3)])
    start, tip = sheet.lines[2]  # after the thread and the ring at the target
    assert math.atan2(start[1] - tip[1], tip[0] - start[0]) == pytest.approx(
        math.atan2(snapshot.hand.pull.force[1], snapshot.hand.pull.force[0]), abs=1e-3
    )
    assert strongest.words == [f"{with_prefix(force, 'N', 3)} (largest)"]


LARGE = (1280, 720)
"""Pictures with room for a plate [px]."""


def numbers_of(snapshot: Snapshot, selected: tuple[int, ...]) -> tuple[dict[str, str], Sheet]:
    """What the plate of the selection says, by name, and the whole sheet."""
    sheet = Sheet()
    found = next(item for item in all_passes() if item.name == "microscope")
    assert found.overlay is not None
    frame = replace(frame_of(snapshot, View(selected=selected)), size=LARGE)
    found.overlay(frame, sheet)
    rows = rows_of(snapshot, selected) or [0]
    seen = (
        contact_seen(frame, snapshot.contacts.forces, selected_contact(snapshot, frame.view)).words
        if len(selected) == 2
        else ()
    )
    return english(dict(seen or grain_words(frame, rows[0]))), sheet


def test_the_contact_forces_of_a_grain_at_rest_carry_its_weight_and_stay_within_the_coulomb_limit() -> None:
    last = finished("heap")
    assert last.contacts.forces is not None
    carried = 0
    for row in np.flatnonzero(np.isfinite(last.grains.mass) & (last.grains.columns["coordination"] > 2)):
        numbers, sheet = numbers_of(last, (int(last.grains.sphere_id[row]),))
        assert numbers["contacts"] == f"{last.grains.columns['coordination'][row]:.0f}"
        assert numbers["weight"] in sheet.words
        carried += numbers["sum of contact forces"][:3] == numbers["weight"][:3]
    assert carried > 10
    pressing = last.contacts.forces.normal_force > 0.01 * last.contacts.forces.normal_force.max()
    assert (last.contacts.forces.mobilised[pressing] < 1.02).all()  # damping comes on top of a spring at its limit
    assert last.contacts.forces.mobilised[pressing].max() > 0.2


def test_the_friction_spring_of_a_contact_is_as_long_as_its_force_says() -> None:
    last = finished("heap")
    forces, stiffness = last.contacts.forces, parameters_of(last.run).shear_stiffness
    assert forces is not None
    size, stretch = (np.linalg.norm(vectors, axis=1) for vectors in (forces.shear_force, forces.shear))
    sticks = (forces.mobilised < 0.8) & (size > 1e-3 * forces.normal_force.max())
    assert np.count_nonzero(sticks) > 5
    assert np.median(np.abs(stiffness * stretch[sticks] / size[sticks] - 1.0)) < 0.01
    contact = int(np.flatnonzero(sticks)[0])
    ids = tuple(int(last.grains.sphere_id[rows[contact]]) for rows in (forces.i, forces.j))
    for selected in (ids, ids[::-1]):
        numbers, _ = numbers_of(last, selected)
        assert numbers["spring ξ"] == str(with_prefix(float(stretch[contact]), "m", 3))
        assert float(numbers["F_t / limit"]) == pytest.approx(forces.mobilised[contact], abs=0.006)


def test_a_sphere_that_slides_on_a_plane_is_at_its_coulomb_limit() -> None:
    last = finished("slope")
    forces, frictions = last.contacts.forces, parameters_of(last.run).frictions
    assert forces is not None
    assert (forces.j == -1).all()
    assert forces.limit == pytest.approx(np.array(frictions) * forces.normal_force)
    rolling = [mu >= 2.0 / 7.0 * math.tan(parameters_of(last.run).slope_angle) for mu in frictions]
    for row, (mu, rolls) in enumerate(zip(frictions, rolling, strict=True)):
        numbers, sheet = numbers_of(last, (int(last.grains.sphere_id[row]), -1))
        assert any("wall" in words for words in sheet.words)
        share = 2.0 / 7.0 * math.tan(parameters_of(last.run).slope_angle) / mu if rolls else 1.0
        assert numbers["F_t / limit"] == (f"{share:.2f}" if mu > 0.0 else "–")


def test_a_selection_that_has_left_or_does_not_touch_draws_no_forces() -> None:
    last = finished("heap")
    assert numbers_of(last, (10**6,))[1].words == []
    grains = last.grains.sphere_id[np.isfinite(last.grains.mass)]
    far = int(grains[0]), int(grains[-1])
    numbers, sheet = numbers_of(last, far)
    assert "does not touch now" in numbers
    assert len(sheet.lines) == 2  # the rings


def test_a_plumb_line_shows_where_the_weight_pulls_on_a_tilted_table_and_the_angle() -> None:
    sheet, level = Sheet(), Sheet()
    found = next(item for item in all_passes() if item.name == "plumb_line")
    assert found.overlay is not None
    tilted = with_fields(finished("heap"), gravity=(9.81 * math.sin(0.3), -9.81 * math.cos(0.3)))
    found.overlay(frame_of(tilted), sheet)
    found.overlay(frame_of(with_fields(tilted, gravity=(0.0, -9.81))), level)
    assert sheet.words == ["gravity  α = 17.2°"]
    (start, end) = sheet.lines[-3]
    assert np.arctan2(*(end - start)) == pytest.approx(0.3, abs=1e-6)  # the picture's y points down
    assert (level.words, level.lines) == ([], [])
    for size, above in (((700, 500), 0.0), ((240, 500), LEGEND_ROOM)):  # beside the legend, or below it
        sheet = Sheet()
        found.overlay(replace(frame_of(tilted), size=size, inset=(0.0,) * 4), sheet)
        x, y = sheet.places["gravity  α = 17.2°"]
        assert y > above
        assert x < size[0] - 330.0 or above


@pytest.mark.parametrize(("width", "words"), [(400, "at the centre"), (150, "")])
def test_the_text_of_the_scale_bar_stays_in_a_narrow_picture(width: int, words: str) -> None:
    snapshot, camera, sheet = fake_cone(), Camera3D(), Sheet()
    camera.frame(whole_scene(snapshot), (width, 400))
    draw_scale_bar(make_frame(snapshot, View(), camera, (width, 400), NO_INSET, 1.0, Ranges()), cast(Any, sheet))
    assert sheet.words[0].partition("m ")[2] == words
    assert min(box[0] for box in sheet.boxes) >= 0.0
