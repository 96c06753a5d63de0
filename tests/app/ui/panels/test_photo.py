"""The panel of a photograph: opened by a dropped file or a key, marks with undo, both ways of showing it."""

from __future__ import annotations

import json
import math
import threading
import time
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from repose.app.storage.film import Film
from repose.app.ui import compared_photo, lecture_mode, photo_calibration
from repose.app.ui.compared_photo import ComparedPhoto
from repose.app.ui.compared_video import ComparedVideo
from repose.app.ui.dropped_files import take_dropped
from repose.app.ui.lecture_mode import open_lecture
from repose.app.ui.panels import all_keys, photo
from repose.app.ui.photo_calibration import PhotoCalibration
from repose.app.ui.places import LectureArea
from repose.app.ui.toasts import Toasts
from repose.app.ui.ui import Ui
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io import presets
from repose.sim.photo.collapse import area_of, unit_of_time
from repose.sim.registry import scenes
from repose.sim.study import runs_on_disk
from repose.sim.study.calibration import VariedRange
from repose.sim.study.parallel_runs import Task

from tests.app.jobs.test_video_job import CONSTANT, write
from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.rendered_heap import Camera, render, triangle
from tests.snapshots import with_fields

TIMES = CONSTANT[4:24]
"""Of the frames of a collapse [s]."""


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photo") / "heap.png"
    Image.fromarray(render(triangle(25.0), Camera(size=(480, 270)))).save(path)
    return path


def wait(harness: PanelHarness) -> ComparedPhoto:
    state = harness.ui.states[ComparedPhoto]
    while state.working:
        time.sleep(0.01)
    harness.frame(2)
    return state


def opened(harness: PanelHarness, path: Path) -> ComparedPhoto:
    assert not take_dropped(harness.ui, str(path))
    return wait(harness)


def press(ui: Ui, name: str) -> None:
    act = next(key.act for key in all_keys() if key.name == name)
    assert act is not None
    act(ui)


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640)])
def test_a_dropped_photograph_is_measured_beside_the_run(tmp_path: Path, picture: Path, size: tuple[int, int]) -> None:
    with open_harness(tmp_path, full_snapshot(), size) as harness:
        state = opened(harness, picture)
        assert harness.ui.mode.overlay == "photo"
        assert state.heap is not None
        for how in photo.WAYS:
            state.how = how
            harness.frame(2)
        assert {"photo.scale", "photo.threshold", "photo.save"} <= set(harness.widgets)
        assert not harness.ui.program.broken
        harness.click("photo.close")
        harness.frame(2)
        assert not harness.ui.program.broken
        assert harness.commands == []


def test_two_clicks_set_the_scale_and_undo_takes_it_back(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, picture)
        harness.click("photo.scale")
        for share in (0.2, 0.8):
            harness.click("photo.clicks", share=share)
        wait(harness)
        assert state.marks.scale is not None
        assert state.heap is not None
        assert state.heap.scaled
        press(harness.ui, "photo_undo")
        assert wait(harness).marks.scale is None
        press(harness.ui, "photo_redo")
        assert wait(harness).marks.scale is not None


def test_the_length_of_the_scale_is_typed_with_its_unit_also_after_the_clicks(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, picture)
        harness.click("photo.scale")
        harness.click("photo.length")
        harness.write("29,7 cm")
        assert state.length == 0.297
        assert state.marks.scale is None
        for share in (0.2, 0.8):
            harness.click("photo.clicks", share=share)
        wait(harness)
        assert state.marks.length == 0.297
        assert state.heap is not None
        height = state.heap.flanks.height
        harness.click("photo.scale")
        harness.click("photo.length")
        harness.write("594")  # without a unit in mm
        wait(harness)
        assert state.heap is not None
        assert state.heap.flanks.height == pytest.approx(2.0 * height)
        harness.click("photo.length")
        harness.write("3 kg")
        assert (state.present_length(), len(state.undoable)) == (0.594, 2)
        assert any("3 kg" in str(toast.text) for toast in harness.ui.states[Toasts].shown)
        press(harness.ui, "photo_undo")
        wait(harness)
        assert state.present_length() == 0.297
        assert not harness.ui.program.broken


@pytest.mark.parametrize(("scene", "fits"), [("heap", False), ("two_sided", True), ("drum", False)])
def test_the_panel_says_with_which_scene_it_compares_and_offers_one_with_as_many_flanks(
    tmp_path: Path, picture: Path, monkeypatch: pytest.MonkeyPatch, scene: str, fits: bool
) -> None:
    started: list[str] = []
    monkeypatch.setattr(photo, "choose_preset", lambda ui, name: started.append(name))
    snapshot = with_fields(full_snapshot(), scene=scene, parameters=scenes()[scene].parameters())
    with open_harness(tmp_path, snapshot, (1280, 720)) as harness:
        state = opened(harness, picture)
        assert state.heap is not None
        assert state.heap.flank_count == 2
        assert ("photo.fitting_scene" in harness.widgets) == (not fits)
        if not fits:
            harness.click("photo.fitting_scene")
            assert started == ["two-sided"]
        open_lecture(harness.ui, "your-heap")
        lecture_mode.wish(harness.ui, "begin")
        lecture_mode.see(harness.ui)
        opened(harness, picture)
        harness.frame(2)
        assert "photo.fitting_scene" not in harness.widgets, "a lecture stays as it is"
        assert not harness.ui.program.broken


def with_heap(snapshot: Snapshot) -> Snapshot:
    """A snapshot whose grains are a heap in the plane, with flanks of 25° to both sides."""
    radius, places = 0.002, []
    for row in range(12):
        half = (12 - row) * 2.0 * radius / math.tan(math.radians(25.0))
        y = radius + row * 2.0 * radius
        places += [(x, y) for x in np.arange(-half, half + radius, 2.0 * radius)]
    count = len(places)
    return with_fields(
        snapshot,
        position=np.array(places, np.float32),
        velocity=np.zeros((count, 2), np.float32),
        orientation=np.zeros(count, np.float32),
        spin=np.zeros(count, np.float32),
        radius=np.full(count, radius, np.float32),
        fixed=np.zeros(count, bool),
    )


def test_the_angles_of_both_heaps_are_written_at_their_flanks(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, with_heap(full_snapshot()), (1280, 720)) as harness:
        state = opened(harness, picture)
        computed = state.computed(harness.ui.snapshot)
        assert state.heap is not None
        assert computed is not None
        sides = [side for side, flank in (("left", state.heap.left), ("right", state.heap.right)) if flank]
        of_photo = {f"photo.angle.{side}.photograph" for side in sides}
        of_run = {
            f"photo.angle.{side}.computed"
            for side, flank in (("left", computed.flanks.left), ("right", computed.flanks.right))
            if flank
        }
        assert of_photo
        assert of_run
        for how in photo.WAYS:
            state.how = how
            harness.frame(2)
            written = {name for name in harness.widgets if name.startswith("photo.angle")}
            if how == "wipe":  # each half of the picture has the angle of what it shows
                assert written == {"photo.angle.left.photograph", "photo.angle.right.computed"}
            else:
                assert written - of_photo == of_run
                assert how == "alternate" or written == of_photo | of_run
            for area in (harness.widgets[name] for name in written):
                assert area[0] >= harness.ui.window.inset[0]
                assert area[2] <= 1280.0
        state.how = "over"
        harness.click("photo.surface")
        harness.frame(2)
        assert {name for name in harness.widgets if name.startswith("photo.angle")} == of_photo


def test_the_band_of_a_lecture_covers_nothing_of_the_panel_and_a_guess_hides_the_angles(
    tmp_path: Path, picture: Path
) -> None:
    with open_harness(tmp_path, with_heap(full_snapshot()), (1280, 720)) as harness:
        ui = harness.ui
        open_lecture(ui, "your-heap")
        lecture_mode.wish(ui, "begin")
        lecture_mode.see(ui)
        opened(harness, picture)
        harness.frame(3)
        top = ui.states[LectureArea].band
        assert top > 0.0
        assert harness.widgets["photo.close"][1] >= top
        assert ui.mode.lecture.step.guess
        assert not any(name.startswith("photo.angle") for name in harness.widgets)
        lecture_mode.wish(ui, "forward")
        lecture_mode.see(ui)
        opened(harness, picture)
        harness.frame(3)
        assert not ui.mode.lecture.step.guess
        assert any(name.startswith("photo.angle") for name in harness.widgets)
        assert not ui.program.broken


def test_the_indicator_of_a_recording_is_beside_the_panel_in_a_presentation(
    tmp_path: Path, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Film, "running", True)
    with open_harness(tmp_path, full_snapshot(), (1024, 640)) as harness:
        opened(harness, picture)
        harness.ui.mode.presenting = True
        harness.frame(3)
        assert harness.ui.window.inset[0] > 0.0
        assert harness.widgets["record.indicator"][0] >= harness.ui.window.inset[0]


def test_nothing_in_the_panel_moves_while_the_heap_is_looked_for(
    tmp_path: Path, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, measure = threading.Event(), compared_photo.measure_picture
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, picture)
        before = dict(harness.widgets)

        def slow(*given: Any) -> Any:
            assert goes_on.wait(60.0)
            return measure(*given)

        monkeypatch.setattr(compared_photo, "measure_picture", slow)
        state.change(replace(state.marks, threshold=20.0))
        harness.frame(2)
        assert state.working
        assert "photo.stop" in harness.widgets
        for name in ("photo.scale", "photo.threshold", "photo.undo", "photo.save", "photo.calibrate"):
            assert harness.widgets[name] == pytest.approx(before[name]), name
        goes_on.set()
        wait(harness)


def test_a_file_that_is_no_picture_is_told_in_the_panel(tmp_path: Path) -> None:
    path = tmp_path / "heap.jpg"
    path.write_text("no picture", encoding="utf-8")
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, path)
        assert state.photo is None
        assert "is not a picture that can be read" in str(state.trouble)
        assert not harness.ui.program.broken


def test_a_photograph_that_is_stopped_is_not_shown(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        take_dropped(harness.ui, str(picture))
        state = harness.ui.states[ComparedPhoto]
        state.stop()
        assert not state.working
        time.sleep(0.5)
        harness.frame(2)
        assert not harness.ui.program.broken


def test_points_of_the_surface_are_dragged_and_each_is_undone(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, picture)
        harness.click("photo.surface")
        found = state.control_points()
        x0, y0, x1, y1 = harness.widgets["photo.clicks"]
        onto = photo._Mapping(harness.ui, state, (x0, y0), (x1, y1))
        for moved, number in ((1, 3), (2, 5)):
            x, y = onto.window(state.control_points()[number])
            harness.move(float(x), float(y))
            harness.button(True)
            harness.move(float(x), float(y) - 9.0)
            harness.button(False)
            wait(harness)
            assert len(state.undoable) == moved
            assert state.control_points()[number][1] < found[number][1]
        press(harness.ui, "photo_undo")
        wait(harness)
        assert state.control_points()[5] == pytest.approx(found[5], abs=1e-6)
        assert state.control_points()[3][1] < found[3][1]
        press(harness.ui, "photo_undo")
        wait(harness)
        assert state.marks.points == ()
        press(harness.ui, "photo_redo")
        wait(harness)
        assert state.control_points()[3][1] < found[3][1]


def test_a_photograph_comes_back_from_the_file_of_a_run_with_its_marks(tmp_path: Path, picture: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = opened(harness, picture)
        state.change(replace(state.marks, scale=((10.0, 10.0), (400.0, 10.0)), length=0.3))
        wait(harness)
        angle, content = state.heap and state.heap.angle, state.for_file()()
        harness.click("photo.remove")
        assert state.photo is None
        assert state.for_file()() == b""
        state.restore(content)
        wait(harness)
        assert state.heap is not None
        assert state.heap.angle == angle
        assert state.heap.scaled
        state.restore(b"damaged")
        harness.frame(2)
        assert "is damaged" in str(state.trouble)
        assert not harness.ui.program.broken


@pytest.fixture(scope="module")
def collapse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "heap.mp4"
    write(path, TIMES, 0.41)
    return path


def until_measured(harness: PanelHarness) -> ComparedVideo:
    """Draw frames until the video is measured with the present marks, or cannot be."""
    video, state = harness.ui.states[ComparedVideo], harness.ui.states[ComparedPhoto]
    for _ in range(2000):
        harness.frame()
        due = video.video is None or video.measured_with != (state.marks, video.marked)
        if not video.working and not state.working and (video.trouble or not due):
            return video
        time.sleep(0.1)  # frames take the processor from the thread that measures
    raise AssertionError("the video was never measured")


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640)])
def test_a_dropped_video_is_measured_and_plays_with_the_run(
    tmp_path: Path, collapse: Path, size: tuple[int, int]
) -> None:
    with open_harness(tmp_path, full_snapshot(), size) as harness:
        assert not take_dropped(harness.ui, str(collapse))
        video = until_measured(harness)
        assert not video.trouble
        assert video.video is not None
        assert video.collapse is not None
        assert video.collapse.begins == pytest.approx(0.41, abs=0.05)
        state, begun = harness.ui.states[ComparedPhoto], video.collapse.begins
        state.change(replace(state.marks, scale=((0.0, 10.0), (320.0, 10.0)), length=0.32))
        until_measured(harness)
        last, profile = video.collapse.last, video.collapse.profiles[-1]
        assert last.scaled
        assert profile is not None
        # The horizon of all frames is that of the last one, whose first point is far away: rounding of 1e4 pixels.
        assert profile[0] == pytest.approx(last.x, abs=1e-6)
        assert profile[1] == pytest.approx(last.height, abs=1e-6)
        video.begins = 0.0
        shot = harness.ui.snapshot
        for step in range(3):
            harness.ui.snapshot = with_fields(shot, serial=shot.serial + 1 + step, time=0.1 * step)
            harness.frame()
            # Both heaps have a unit of time of their own: √(L/g).
            ratio = unit_of_time(area_of(last.x, last.height)) / unit_of_time(video.series.area, video.series.gravity)
            at = video.video.frames[video.number].time
            assert at == pytest.approx(min(begun + ratio * 0.1 * step, TIMES[-1]), abs=0.026)
        sizes, profiles = video.sizes_curve(harness.ui.events), video.profiles_curve()
        assert sizes is not None
        assert profiles is not None
        assert len(sizes.lines) == 4
        assert len(profiles.lines) == 2
        for how in photo.WAYS:
            state.how = how
            harness.frame(2)
        video.number, video.follows = 12, False
        harness.frame(2)
        video.marked = video.video.frames[video.number].time
        until_measured(harness)
        assert video.collapse.begins == pytest.approx(TIMES[12])
        assert not harness.ui.program.broken
        harness.click("photo.remove")
        harness.frame(2)
        assert video.video is None
        assert not harness.ui.program.broken


def test_a_video_that_is_stopped_or_cannot_be_read_is_told_and_not_shown(tmp_path: Path, collapse: Path) -> None:
    (tmp_path / "text.mp4").write_text("no video", encoding="utf-8")
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        take_dropped(harness.ui, str(tmp_path / "text.mp4"))
        assert "is not a video that can be read" in str(until_measured(harness).trouble)
        take_dropped(harness.ui, str(collapse))
        video = harness.ui.states[ComparedVideo]
        video.stop()
        harness.frame(2)
        assert video.video is None
        assert not video.trouble
        assert not harness.ui.program.broken


def test_a_machine_without_a_camera_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pygame import camera

    monkeypatch.setattr(camera, "init", lambda: None)
    monkeypatch.setattr(camera, "list_cameras", list)
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        press(harness.ui, "photo")
        harness.frame(2)
        harness.click("photo.camera")
        state = wait(harness)
        assert str(state.trouble) == "No camera is found: connect one, or open a photograph."


def test_a_photograph_is_shown_while_its_heap_is_looked_for(
    tmp_path: Path, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    measure = compared_photo.measure_picture

    def slow(*given: Any) -> Any:
        assert goes_on.wait(60.0)
        return measure(*given)

    monkeypatch.setattr(compared_photo, "measure_picture", slow)
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        state = harness.ui.states[ComparedPhoto]
        state.show_of_lecture(str(picture))
        for _ in range(1000):
            harness.frame()
            if state.photo is not None:
                break
            time.sleep(0.01)
        shown = state.photo
        assert shown is not None
        assert state.working
        assert state.heap is None
        goes_on.set()
        assert wait(harness).heap is not None
        state.show_of_lecture(str(picture))  # the next step has the same one
        assert not state.working
        assert state.photo is shown
        state.show_of_lecture("")
        assert state.photo is None
        assert not harness.ui.program.broken


def test_the_key_opens_and_closes_the_panel(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        press(harness.ui, "photo")
        harness.frame(2)
        assert "photo.open" in harness.widgets
        press(harness.ui, "photo")
        harness.frame(2)
        assert "photo.open" not in harness.widgets


def angles_of(task: Task, friction: float) -> dict[str, object]:
    """What a run of this friction and seed would have found: a triangle."""
    slope = math.tan(math.radians(25.0 + 8.0 * math.log(friction / 0.4) + (-1) ** task.seed))
    x = np.linspace(-0.05, 0.05, 200)
    outline = {"x": x.tolist(), "height": np.maximum(slope * (0.04 - np.abs(x)), 0.0).tolist()}
    values = scenes()[task.scene].parameters.checked(task.values).model_dump()
    found = {"scene": task.scene, "seed": task.seed, "version": metadata.version("repose"), "measurements": {}}
    return found | {"parameters": values, "point": None, "outline": outline}


@pytest.fixture
def made_runs(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    tasks: list[Task] = []

    def run_all(missing: list[Task], workers: int, *, on_progress: Any, on_end: Any) -> None:
        for task in missing:
            on_progress(task.name, 0.5)
            task.path.write_text(json.dumps(angles_of(task, float(task.values["friction"]))))
            tasks.append(task)
            on_end(task, "")

    monkeypatch.setattr(runs_on_disk, "run_all", run_all)
    return tasks


def test_a_calibration_in_the_panel_gives_values_profiles_and_a_preset(
    tmp_path: Path, picture: Path, made_runs: list[Task]
) -> None:
    snapshot = with_fields(full_snapshot(), scene="two_sided", parameters=scenes()["two_sided"].parameters())
    with open_harness(tmp_path, snapshot, (1280, 720)) as harness:
        opened(harness, picture)
        calibration = harness.ui.states[PhotoCalibration]
        calibration.folder = lambda: tmp_path / "calibrations"
        calibration.start(partial(photo._goal, harness.ui, harness.ui.states[ComparedPhoto].heap, "friction"))
        while calibration.runs.running:
            time.sleep(0.01)
        harness.frame(3)
        assert not harness.ui.program.broken
        assert not calibration.runs.trouble
        assert calibration.result is not None
        (estimate,) = calibration.result.found.estimates
        assert estimate.interval[0] < 0.4 < estimate.interval[1]
        assert calibration.result.preset is not None
        foot = harness.ui.window.size[1] - harness.ui.window.inset[3]
        assert harness.widgets["photo.preset"][3] <= foot, "the result is out of sight"
        assert presets.load(calibration.result.preset).values["friction"] == pytest.approx(estimate.value, rel=1e-3)
        count = len(made_runs)
        calibration.start(partial(photo._goal, harness.ui, harness.ui.states[ComparedPhoto].heap, "friction"))
        while calibration.runs.running:
            time.sleep(0.01)
        assert len(made_runs) == count, "the runs on disk are done again"


def test_a_calibration_goes_on_for_its_photograph_and_scene_when_both_change(
    tmp_path: Path, picture: Path, made_runs: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, counted = threading.Event(), threading.Event()
    do_all = runs_on_disk.run_all

    def run_all(missing: list[Task], workers: int, *, on_progress: Any, on_end: Any) -> None:
        do_all(missing[:1], workers, on_progress=on_progress, on_end=on_end)
        counted.set()
        assert goes_on.wait(60.0)
        do_all(missing[1:], workers, on_progress=on_progress, on_end=on_end)

    monkeypatch.setattr(runs_on_disk, "run_all", run_all)
    steeper = tmp_path / "steeper.png"
    Image.fromarray(render(triangle(33.0), Camera(size=(480, 270)))).save(steeper)
    snapshot = with_fields(full_snapshot(), scene="two_sided", parameters=scenes()["two_sided"].parameters())
    with open_harness(tmp_path, snapshot, (1280, 720)) as harness:
        state, calibration = opened(harness, picture), harness.ui.states[PhotoCalibration]
        calibration.folder = lambda: tmp_path / "calibrations"
        harness.click("photo.calibrate")
        assert counted.wait(60.0)
        harness.frame(2)
        assert calibration.runs.done == 1, "the first run is counted before all of its batch have ended"
        assert "photo.progress" in harness.widgets
        assert "photo.calibrate" not in harness.widgets, "no second one is started"
        harness.ui.snapshot = with_fields(snapshot, scene="drum", parameters=scenes()["drum"].parameters())
        opened(harness, steeper)
        assert state.heap is not None
        calibration.start(partial(photo._goal, harness.ui, state.heap, "both"))
        assert calibration.runs.running
        goes_on.set()
        while calibration.runs.running:
            time.sleep(0.01)
        harness.frame(3)
        assert calibration.result is not None
        assert (calibration.result.goal.scene, len(calibration.result.goal.varied)) == ("two_sided", 1)
        (estimate,) = calibration.result.found.estimates
        assert estimate.interval[0] < 0.4 < estimate.interval[1], "that of the first photograph"
        assert not harness.ui.program.broken


def test_a_photograph_that_nothing_fits_is_said_and_its_preset_too(
    tmp_path: Path, picture: Path, made_runs: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    flat = photo_calibration.CHOICES | {"friction": (VariedRange("friction", 0.02, 0.1),)}
    monkeypatch.setattr(photo_calibration, "CHOICES", flat)
    snapshot = with_fields(full_snapshot(), scene="two_sided", parameters=scenes()["two_sided"].parameters())
    with open_harness(tmp_path, snapshot, (1280, 720)) as harness:
        opened(harness, picture)
        calibration = harness.ui.states[PhotoCalibration]
        calibration.folder = lambda: tmp_path / "calibrations"
        written: list[str] = []
        draw_note = photo.note
        monkeypatch.setattr(photo, "note", lambda text, colour: (written.append(str(text)), draw_note(text, colour)))
        harness.click("photo.calibrate")
        while calibration.runs.running:
            time.sleep(0.01)
        harness.frame(6)
        assert any(text.startswith("No run with μ from 0.02 to 0.1 fits the picture: ") for text in written)
        foot = harness.ui.window.size[1] - harness.ui.window.inset[3]
        assert harness.widgets["photo.preset"][3] <= foot, "the result is out of sight"
        assert calibration.result is not None
        assert calibration.result.preset is not None
        assert presets.load(calibration.result.preset).title.startswith("Does not fit: ")
        assert not harness.ui.program.broken


def test_a_stopped_calibration_has_no_result_and_one_without_a_profile_is_refused(
    tmp_path: Path, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def run_all(missing: list[Task], workers: int, *, on_progress: Any, on_end: Any) -> None:
        while True:
            begun.set()
            on_progress("", 0.1)  # raises once it is stopped
            time.sleep(0.01)

    monkeypatch.setattr(runs_on_disk, "run_all", run_all)
    snapshot = with_fields(full_snapshot(), scene="two_sided", parameters=scenes()["two_sided"].parameters())
    with open_harness(tmp_path, snapshot, (1280, 720)) as harness:
        state = opened(harness, picture)
        assert state.heap is not None
        calibration = harness.ui.states[PhotoCalibration]
        calibration.folder = lambda: tmp_path / "calibrations"
        calibration.start(partial(photo._goal, harness.ui, state.heap, "both"))
        assert begun.wait(60.0)
        harness.frame(2)
        assert not harness.ui.program.broken
        calibration.runs.stop()
        while calibration.runs.running:
            time.sleep(0.01)
        harness.frame(2)
        assert calibration.result is None
        assert not calibration.runs.trouble
        calibration.start(partial(photo.goal_for, state.heap, "drum", scenes()["drum"].parameters(), "friction"))
        assert "has no profile to compare with a picture" in str(calibration.runs.trouble)
        harness.frame(2)
        assert not harness.ui.program.broken
