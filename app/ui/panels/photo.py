"""The heap in a photograph beside the computed one: marks, measurement, and how both are shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pygame
from imgui_bundle import imgui
from numpy.typing import ArrayLike, NDArray
from repose.app.language import translated
from repose.app.render.text import heading, note, shortened, text_width
from repose.app.render.theme import colour32
from repose.app.storage import video_frames
from repose.app.storage.photo_camera import take_photo
from repose.app.storage.photo_files import SUFFIXES, Photo
from repose.app.storage.photo_results import FLANK, SURFACE, TABLE
from repose.app.ui import file_dialog
from repose.app.ui.compared_photo import PERIOD, ComparedPhoto
from repose.app.ui.compared_video import ComparedVideo
from repose.app.ui.field_values import typed_length
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.panels.curves import draw_curve
from repose.app.ui.panels.scenes import choose_preset
from repose.app.ui.photo_angles import computed_lines, draw_angles, photographed
from repose.app.ui.photo_calibration import Calibrated, PhotoCalibration, goal_for
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, checkbox, choose, progress_with_words, row, slide, tooltip
from repose.sim.experiment.comparison import with_error as value_with_error
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.io import presets
from repose.sim.measure.angle_of_repose import with_error
from repose.sim.measure.flanks import Flanks
from repose.sim.message import EMPTY, Message, Number, _, joined, label_of, plain
from repose.sim.parameters import ParameterError
from repose.sim.photo.collapse import area_of
from repose.sim.photo.heap_in_picture import PictureHeap
from repose.sim.photo.marks import Pixel
from repose.sim.photo.picture_result import height_in_words
from repose.sim.registry import scenes
from repose.sim.study.calibration import Goal
from repose.sim.study.calibration_runs import caution_of
from repose.sim.wording import message_of, reason_of

WAYS = {"over": _("over it"), "wipe": _("wiped"), "beside": _("beside it"), "alternate": _("in turn")}
PICKED = {
    "scale": (_("Scale"), _("Click two points at the distance below.")),
    "horizon": (_("Horizon"), _("Click two points of the table.")),
    "crop": (_("Crop"), _("Click two opposite corners around the heap.")),
    "surface": (_("Surface"), _("Drag the points of the surface to where it is.")),
}
"""What clicks on the photograph determine: label and what to do."""
SHORTEST, LONGEST = 1e-5, 1e4
"""Range of the length of the scale [m]: a grain, a mountain."""
WEAKEST, STRONGEST = 0.5, 100.0
"""Range of the threshold [-]."""
FIRST = 10.0
"""Threshold at which the slider begins where no heap is found [-]."""
PART = 0.5
"""Part of the picture that the photograph beside the run takes [-]."""
FITTING_PRESETS = {1: presets.DEFAULT, 2: "two-sided"}
"""A preset whose heap has so many flanks."""
SOUGHT = {"friction": _("friction"), "rolling_friction": _("rolling friction"), "both": _("both frictions")}
"""What a calibration looks for, by the key of `CHOICES`."""
LOOK_ELSEWHERE = _(
    "look for another friction, change the values of the scene, or search a wider range with `repose calibrate`"
)
"""What to do where no value fits."""
SCROLLING = 3
"""Number of frames until the panel with a new result has its final height."""
PROFILES = 19.0
"""Height of the plot of the profiles, in sizes of the font."""
NEAR = 12.0
"""Distance of the mouse from a point that it drags [px at scale 1]."""
Place = tuple[float, float]


def draw(ui: Ui) -> None:
    """The column: file, how both are shown, marks, results."""
    state = ui.states[ComparedPhoto]
    _draw_title(ui)
    imgui.begin_child("photo", imgui.ImVec2(0.0, 0.0), imgui.ChildFlags_.nav_flattened)
    _draw_file(ui, state)
    if state.photo is not None:
        _draw_ways(ui, state)
        _draw_marks(ui, state)
        _draw_troubles(ui, state)
        if ui.states[ComparedVideo].video is not None:
            _draw_video(ui, ui.states[ComparedVideo])
        _draw_results(ui, state)
    if state.heap is not None or ui.states[PhotoCalibration].runs.running:
        _draw_calibration(ui, state.heap)
    imgui.end_child()


def draw_over(ui: Ui) -> None:
    """The photograph over the picture, while the panel is open or the photograph is to stay."""
    state, video = ui.states[ComparedPhoto], ui.states[ComparedVideo]
    video.see(state)
    video.follow(ui.snapshot, ui.events)
    if not _shown(ui):
        state.picking = ""
    if state.photo is not None and (_shown(ui) or (state.pinned and not ui.mode.overlay)):
        _draw_over_picture(ui, state)


def _draw_title(ui: Ui) -> None:
    start = imgui.get_cursor_pos()
    close = text_width(_("Close  Esc")) + 3.0 * imgui.get_style().frame_padding.x
    heading(_("Photograph"), 1.15, ui.palette.text)
    below = imgui.get_cursor_pos()
    imgui.set_cursor_pos(imgui.ImVec2(start.x + imgui.get_content_region_avail().x - close, start.y))
    if button(ui, "photo.close", _("Close"), hint=_("Esc"), width=close):
        ui.mode.overlay = ""
    imgui.set_cursor_pos(imgui.ImVec2(below.x, max(below.y, imgui.get_cursor_pos_y())))


def _draw_file(ui: Ui, state: ComparedPhoto) -> None:
    """The name, the button that opens a file, and the progress with a button that ends it."""
    missing, video = file_dialog.why_none(), ui.states[ComparedVideo]
    gap = imgui.get_style().item_spacing.x
    third = (imgui.get_content_region_avail().x - 2.0 * gap) / 3.0
    if button(
        ui,
        "photo.open",
        _("Open…"),
        width=third,
        enabled=not missing and not file_dialog.is_open(ui),
        help=missing
        or _("Photograph (JPEG, PNG, HEIC) or video (MP4, MOV); or drop the file on the window. It stays here."),
    ):
        kinds = (*SUFFIXES, *video_frames.SUFFIXES)
        file_dialog.ask_to_open(ui, _("Photograph"), None, _("Photographs and videos"), kinds, partial(open_photo, ui))
    imgui.same_line()
    if button(ui, "photo.camera", _("Camera"), width=third, help=_("Take a picture with the camera of this machine.")):
        video.close()
        state.take(take_photo)
    imgui.same_line()
    if button(
        ui, "photo.remove", _("Remove"), width=third, enabled=state.photo is not None, help=_("Show it no longer.")
    ):
        video.close()
        state.close()
    # The file and the work have one row: rows below must not move under the mouse whenever something is measured.
    if video.working:
        _draw_work(ui, video.share, video.stop, _("Read and measure the video no longer."))
    elif state.working:
        _draw_work(ui, None, state.stop, _("Look for the heap no longer."))
    elif state.photo is not None:
        _draw_name(ui, state.photo.name)
    elif not (state.trouble or video.trouble):
        note(_("Drop a photograph or a video of a heap on the window."), ui.palette.muted)
    if state.photo is None:
        _draw_troubles(ui, state)


def _draw_name(ui: Ui, name: str) -> None:
    """The name of the file in one line, as high as a button."""
    label = _("file")
    room = imgui.get_content_region_avail().x - text_width(label) - 2.0 * imgui.get_style().item_spacing.x
    imgui.align_text_to_frame_padding()
    row(label, plain(shortened(plain(name), room)), ui)


def _draw_troubles(ui: Ui, state: ComparedPhoto) -> None:
    """Why there is no photograph, no heap, or not the whole video."""
    video = ui.states[ComparedVideo]
    for trouble, working in ((video.trouble, video.working), (state.trouble, state.working)):
        if trouble and not working:
            note(trouble, ui.palette.bad)


def _draw_work(ui: Ui, share: float | None, stop: Callable[[], None], help: Message) -> None:
    """Progress of work in a thread, with a button that ends it; without a known share the bar runs."""
    width = text_width(_("Stop")) + 3.0 * imgui.get_style().frame_padding.x
    room = imgui.get_content_region_avail().x - width - imgui.get_style().item_spacing.x
    shown = -float(imgui.get_time()) if share is None else share
    imgui.progress_bar(shown, imgui.ImVec2(room, imgui.get_frame_height()), "")
    imgui.same_line()
    if button(ui, "photo.stop", _("Stop"), width=width, help=help):
        stop()


def _draw_video(ui: Ui, video: ComparedVideo) -> None:
    """The frame that is shown, both beginnings, and the curves of both collapses."""
    assert video.video is not None
    heading(_("Video"), 1.0, ui.palette.text)
    last = len(video.video.frames) - 1
    time = Number(video.video.frames[min(video.number, last)].time, "s", ".2f")
    moved = slide(ui, "photo.frame", (Message("frame at {time}", time=time),), video.number / last, step=1.0 / last)
    tooltip(ui, _("The frame that is shown; a drag stops it."))
    if moved is not None:
        video.number, video.follows = round(moved * last), False
    help = _("The frame is that of the time of the run, from the first motion of both on.")
    video.follows = checkbox(ui, "photo.follows", _("plays with the run"), video.follows, help)
    half = 0.5 * (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x)
    help = _("The collapse in the video begins at this frame.")
    if button(ui, "photo.begins", _("Video begins"), width=half, help=help):
        video.marked = video.video.frames[video.number].time
    imgui.same_line()
    help = _("The computed collapse begins at the present time of the run.")
    if button(ui, "photo.run_begins", _("Run begins"), width=half, help=help):
        video.begins = ui.snapshot.run.time
    if video.collapse is None:
        return
    row(_("first motion in the video"), joined((Number(video.collapse.begins, "s", ".2f"),)), ui)
    row(_("first motion in the run"), joined((Number(video.start(ui.events), "s", ".2f"),)), ui)
    if not video.collapse.last.scaled:
        note(_("Without a scale times are compared in seconds: set it."), ui.palette.muted)
    for name, curve in (("sizes", video.sizes_curve(ui.events)), ("outlines", video.profiles_curve())):
        if curve is not None:
            size = imgui.ImVec2(0.0, PROFILES * imgui.get_font_size())
            imgui.begin_child(name, size, imgui.ChildFlags_.nav_flattened)
            draw_curve(ui, curve)
            imgui.end_child()


def _draw_ways(ui: Ui, state: ComparedPhoto) -> None:
    chosen = choose(ui, "photo.how", _("Shown"), WAYS, state.how, help=_("Where the photograph is shown."))
    state.how = chosen or state.how
    if state.how in ("over", "wipe"):
        share = Number(state.share, format=".0%")
        words = Message("opacity {share}", share=share)
        if state.how == "wipe":
            words = Message("width {share}", share=share)
        moved = slide(ui, "photo.share", (words,), state.share, step=0.05)
        tooltip(ui, _("How much of the photograph covers the computed heap."))
        state.share = state.share if moved is None else moved
    help = _("Whether the photograph stays in the picture of the run without this panel.")
    state.pinned = checkbox(ui, "photo.pinned", _("stays when this is closed"), state.pinned, help)


def _draw_marks(ui: Ui, state: ComparedPhoto) -> None:
    gap = imgui.get_style().item_spacing.x
    half = 0.5 * (imgui.get_content_region_avail().x - gap)
    for number, (name, (label, words)) in enumerate(PICKED.items()):
        if number % 2:
            imgui.same_line()
        active = state.picking == name
        emphasis = ui.palette.accent if active else None
        if button(ui, f"photo.{name}", label, help=words, width=half, emphasis=emphasis):
            state.picking, state.clicked = ("" if active else name), ()
    if state.picking:
        note(PICKED[state.picking][1], ui.palette.accent)
    if state.picking == "scale":
        _draw_length(ui, state)
    _draw_threshold(ui, state)
    if button(ui, "photo.undo", _("Undo"), hint=_("Ctrl+Z"), width=half, enabled=bool(state.undoable)):
        state.undo()
    imgui.same_line()
    if button(ui, "photo.redo", _("Redo"), hint=_("Ctrl+Y"), width=half, enabled=bool(state.redoable)):
        state.redo()


def _draw_length(ui: Ui, state: ComparedPhoto) -> None:
    """The field of the length, with its unit; it counts when it is left, also for two points that have been clicked."""
    imgui.align_text_to_frame_padding()
    imgui.text_unformatted(translated(_("length")))
    imgui.same_line()
    imgui.set_next_item_width(-1.0)
    shown = state.typed_length or translated(plain(Number(state.present_length(), "m", digits=6)))
    flags = imgui.InputTextFlags_.auto_select_all
    changed, text = imgui.input_text("##photo.length", shown, flags)
    ui.probe.mark("photo.length")
    tooltip(ui, _("The distance of the two points, such as 297 mm, 30 cm or 0.3 m; without a unit in mm."))
    if changed:
        state.typed_length = text
    if imgui.is_item_deactivated():
        text, state.typed_length = state.typed_length, ""
        if text:
            _use_length(ui, state, text)


def _use_length(ui: Ui, state: ComparedPhoto, text: str) -> None:
    """Use a length that was typed, or say why not."""
    try:
        length = typed_length(text, SHORTEST, LONGEST)
    except ParameterError as error:
        show_toast(ui, message_of(error), bad=True)
        return
    if length != state.present_length() and state.marks.scale is not None:
        state.change(replace(state.marks, length=length))
    state.length = length


def _draw_threshold(ui: Ui, state: ComparedPhoto) -> None:
    """A slider of the threshold, which begins at that of Otsu."""
    found = state.heap.surface.threshold if state.heap is not None else FIRST
    present = state.threshold or state.marks.threshold or found
    where = math.log(min(max(present, WEAKEST), STRONGEST) / WEAKEST) / math.log(STRONGEST / WEAKEST)
    words = Message("threshold {threshold}", threshold=Number(present, format=".3g"))
    moved = slide(ui, "photo.threshold", (words,), where, step=0.02)
    held = imgui.is_item_active()
    tooltip(ui, _("Difference of colour from the background from which on a pixel belongs to the heap."))
    if moved is not None:
        state.threshold = float(f"{WEAKEST * (STRONGEST / WEAKEST) ** moved:.3g}")
    if state.threshold is not None and not state.working:
        asked, state.threshold = state.threshold, None
        if asked != state.marks.threshold:
            state.change(replace(state.marks, threshold=asked), goes_on=state.sliding)
            state.sliding = held
    state.sliding = state.sliding and held


def _draw_results(ui: Ui, state: ComparedPhoto) -> None:
    heap = state.heap
    if heap is not None:
        heading(_("In the photograph"), 1.0, ui.palette.text)
        row(_("angle of repose"), _angle(heap.angle, heap.standard_error), ui)
        for label, flank in ((_("left flank"), heap.left), (_("right flank"), heap.right)):
            if flank is not None:
                row(label, _angle(flank.angle, flank.standard_error), ui)
        row(_("height"), joined((height_in_words(heap),)), ui)
    computed = state.computed(ui.snapshot)
    heading(_("Computed, measured alike"), 1.0, ui.palette.text)
    scene = scenes().get(ui.snapshot.run.scene)
    row(_("scene"), plain("–") if scene is None else scene.title, ui)
    if computed is not None:
        row(_("angle of repose"), _angle(computed.flanks.angle, computed.flanks.standard_error), ui)
        row(_("height"), joined((Number(computed.flanks.height, "m"),)), ui)
    plays = ui.states[ComparedVideo].video is not None  # a collapse: neither scene pours one that has two flanks
    if heap is not None and scene is not None and not plays and not ui.mode.lecture.on:
        _draw_fitting_scene(ui, heap, scene.course.flanks)
    if heap is not None and button(
        ui, "photo.save", _("Save results"), help=_("The photograph with its lines, the numbers and the profile.")
    ):
        try:
            show_toast(ui, Message("Saved: {name}.", name=str(state.save())))
        except OSError as error:
            show_toast(ui, Message("Not saved: {reason}.", reason=reason_of(error)), bad=True)


def _draw_fitting_scene(ui: Ui, heap: PictureHeap, flanks: int) -> None:
    """Why the scene does not fit the photograph, and a button that starts one that does."""
    if flanks == heap.flank_count:
        return
    if not flanks:
        note(_("This scene has no heap to compare with."), ui.palette.muted)
    elif heap.flank_count == 2:
        note(_("The photograph shows two flanks; the heap of this scene leans against a wall."), ui.palette.muted)
    else:
        note(_("The photograph shows one flank; the heap of this scene has two."), ui.palette.muted)
    name = FITTING_PRESETS[heap.flank_count]
    title = ui.work.preset_library.titles.get(name) or plain(name)
    if button(ui, "photo.fitting_scene", Message("Start {title}", title=title)):
        choose_preset(ui, name)


def _draw_calibration(ui: Ui, heap: PictureHeap | None) -> None:
    """What is looked for, start and stop, progress, and the values with the profiles."""
    calibration = ui.states[PhotoCalibration]
    heading(_("Which friction gives such a heap?"), 1.0, ui.palette.text)
    imgui.begin_disabled(calibration.runs.running)
    help = _("The values whose computed profile is nearest to that of the photograph; all others keep their values.")
    calibration.chosen = (
        choose(ui, "photo.sought", _("Look for"), SOUGHT, calibration.chosen, help=help) or calibration.chosen
    )
    imgui.end_disabled()
    if calibration.runs.running:
        width = text_width(_("Stop")) + 3.0 * imgui.get_style().frame_padding.x
        room = imgui.get_content_region_avail().x - width - imgui.get_style().item_spacing.x
        progress_with_words(ui, calibration.runs.progress, calibration.runs.share, room)
        ui.probe.mark("photo.progress")
        tooltip(ui, _("At most so many runs; it ends once the value is known well enough."))
        imgui.same_line()
        help = _("End these runs; those that have ended count when it is started again.")
        if button(ui, "photo.calibration_stop", _("Stop"), width=width, help=help):
            calibration.runs.stop()
    elif heap is not None and button(
        ui,
        "photo.calibrate",
        _("Find it"),
        help=_(
            "Some dozen runs of this scene with other values and seeds, on free processors. The run here goes on. Runs "
            "of an earlier, unfinished search count."
        ),
    ):
        calibration.start(partial(_goal, ui, heap, calibration.chosen))
    if calibration.runs.trouble:
        note(calibration.runs.trouble, ui.palette.bad)
    if calibration.result is not None:
        _draw_calibrated(ui, calibration.result)


def _goal(ui: Ui, heap: PictureHeap, chosen: str) -> Goal:
    """The goal for the experiment in the window; raises `ParameterError`."""
    parameters = parameters_of(ui.snapshot.run)
    if parameters is None:
        raise ParameterError(_("There is no experiment yet: choose a scene first."))
    return goal_for(heap, ui.snapshot.run.scene, parameters, chosen)


def _draw_calibrated(ui: Ui, result: Calibrated) -> None:
    row(_("of the scene"), scenes()[result.goal.scene].title, ui)  # another one may have been started since
    if not result.found.is_known:
        note(_("Too few of the runs have a heap with a flank: change the scene or its values."), ui.palette.bad)
        return
    for parameter, found in zip(result.goal.parameters, result.found.estimates):
        scale, unit = parameter.quantity.scale, parameter.quantity.unit
        value = value_with_error(found.value / scale, found.standard_error / scale, unit)
        row(label_of(parameter.quantity.label, parameter.quantity.symbol), value, ui)
        low, high = (parameter.shown(float(f"{end:.3g}")) for end in found.interval)
        row(_("95 % interval"), Message("{low} to {high}", low=low, high=high), ui)
    if caution := caution_of(result.goal, result.found, LOOK_ELSEWHERE):
        note(caution, ui.palette.bad)
    imgui.begin_child("profiles", imgui.ImVec2(0.0, PROFILES * imgui.get_font_size()), imgui.ChildFlags_.nav_flattened)
    draw_curve(ui, result.curve)
    imgui.end_child()
    label = _("Start the preset") if result.found.fits else _("Start the nearest")
    if result.preset is not None and button(
        ui, "photo.preset", label, help=plain(str(result.preset)), enabled=result.preset.is_file()
    ):
        _start_preset(ui, str(result.preset))
    calibration = ui.states[PhotoCalibration]
    if calibration.seen is not result:  # it begins below the button, often out of sight
        calibration.seen, calibration.scrolling = result, SCROLLING
    if calibration.scrolling:
        calibration.scrolling -= 1
        imgui.set_scroll_here_y(1.0)


def _start_preset(ui: Ui, path: str) -> None:
    try:
        ui.work.preset_library.cards[path] = presets.card_of(path)
    except ParameterError as error:
        show_toast(ui, message_of(error), bad=True)
        return
    choose_preset(ui, path)


def _angle(angle: float, error: float) -> Message:
    return joined((with_error(angle, error),))


def _draw_over_picture(ui: Ui, state: ComparedPhoto) -> None:
    """The photograph over the picture of the run, its surface and lines, and the clicks on it."""
    assert state.photo is not None
    left, top, right, bottom = ui.window.inset
    low, high = (left, top), (ui.window.size[0] - right, ui.window.size[1] - bottom)
    if min(high[0] - low[0], high[1] - low[1]) < 50.0:
        return
    onto = _Mapping(ui, state, low, high)
    turn = state.how == "alternate" and imgui.get_time() % (2.0 * PERIOD) > PERIOD
    if not turn or state.picking:
        _draw_photo(ui, state, onto, low, high)  # behind all windows: nothing of the interface is covered
    _draw_angles(ui, state, None if turn and not state.picking else onto, low, high)
    if not state.picking:
        return  # the mouse is that of the run
    imgui.set_next_window_pos(imgui.ImVec2(*low))
    imgui.set_next_window_size(imgui.ImVec2(high[0] - low[0], high[1] - low[1]))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_background | imgui.WindowFlags_.no_saved_settings
    flags |= imgui.WindowFlags_.no_move | imgui.WindowFlags_.no_nav
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
    imgui.begin("photo over picture", None, flags)
    imgui.pop_style_var()
    imgui.invisible_button("photo.clicks", imgui.get_content_region_avail())
    ui.probe.mark("photo.clicks")
    _take_clicks(ui, state, onto)
    imgui.end()


def beside(ui: Ui, width: float) -> float:
    """Width of the photograph beside a picture of this width [px]; 0 while it lies over it."""
    state = ui.states[ComparedPhoto]
    return PART * width if state.photo is not None and state.how == "beside" and not state.picking else 0.0


class _Mapping:
    """Pixels of the whole photograph to pixels of the window, and back: turned upright, shifted and scaled.

    Over the picture the heap of the photograph lies on the computed one: apex on apex, table on table, and with equal
    areas, because a heap has no size of its own. Beside it, and without two heaps, it fills its part of the picture.
    """

    def __init__(self, ui: Ui, state: ComparedPhoto, low: Place, high: Place) -> None:
        assert state.photo is not None
        self.size = state.photo.size
        aligned = None if state.how == "beside" or state.picking else _aligned(ui, state)
        if aligned is None:
            left, right = low[0], high[0]
            if state.how == "beside" and not state.picking:
                left = right if ui.window.beside else right - PART * (right - left)
                right += ui.window.beside
            scale = min((right - left) / self.size[0], (high[1] - low[1]) / self.size[1])
            corner = 0.5 * (left + right - scale * self.size[0]), 0.5 * (low[1] + high[1] - scale * self.size[1])
            aligned = np.array([[scale, 0.0, corner[0]], [0.0, scale, corner[1]]])
        self.matrix: NDArray[np.float64] = aligned

    def window(self, places: ArrayLike) -> NDArray[np.float64]:
        """Pixels of the window, shape (..., 2)."""
        there: NDArray[np.float64] = np.asarray(places, float) @ self.matrix[:, :2].T + self.matrix[:, 2]
        return there

    def photo(self, place: Place) -> Pixel:
        """Pixel of the whole photograph."""
        x, y = np.linalg.solve(self.matrix[:, :2], np.array(place) - self.matrix[:, 2])
        return float(min(max(x, 0.0), self.size[0])), float(min(max(y, 0.0), self.size[1]))


def _aligned(ui: Ui, state: ComparedPhoto) -> NDArray[np.float64] | None:
    """The matrix (2, 3) that lays the heap of the photograph on the computed one; None without both.

    A video lies wall on wall, or the middle of one on that of the other, because its apex moves.
    """
    heap = state.heap
    if heap is None:
        return None
    if ui.states[ComparedVideo].shown is state.photo:
        series = ui.states[ComparedVideo].series
        if not series.area > 0.0:
            return None
        area, floor = series.area, series.floor
        middles = _middle(heap.x, heap.height, heap.flanks), _middle(series.x, series.y, heap.flanks)
    else:
        computed = state.computed(ui.snapshot)
        if computed is None:
            return None
        area, floor, middles = computed.area, computed.floor, (heap.flanks.apex, computed.flanks.apex)
    scale = math.sqrt(area / area_of(heap.x, heap.height))
    dimension = ui.snapshot.grains.position.shape[1]

    def place(x: float, up: float) -> NDArray[np.float64]:
        at = np.zeros(dimension)
        at[0] = middles[1] + scale * (x - middles[0])
        at[-1] = floor + scale * up
        return np.asarray(ui.camera.world_to_pixel(at[None], ui.window.size), float)[0, :2]

    size = max(heap.flanks.height, 1e-12)
    corners = [(heap.flanks.apex, 0.0), (heap.flanks.apex + size, 0.0), (heap.flanks.apex, size)]
    pixels = heap.pixel_of(*np.array(corners).T)
    window = np.array([place(*corner) for corner in corners])
    if not np.isfinite(window).all():
        return None
    matrix: NDArray[np.float64] = np.linalg.solve(np.column_stack([pixels, np.ones(3)]), window).T
    return matrix


def _middle(x: NDArray[np.float64], y: NDArray[np.float64], flanks: Flanks) -> float:
    """The end of a profile at the wall that the heap leans against, or the abscissa of its centre."""
    if flanks.left is None:
        return float(x[0])
    if flanks.right is None:
        return float(x[-1])
    return float(np.average(x, weights=np.maximum(y, 0.0)))


def _draw_photo(ui: Ui, state: ComparedPhoto, onto: _Mapping, low: Place, high: Place) -> None:
    assert state.photo is not None
    draw = imgui.get_background_draw_list()
    wide, tall = onto.size
    video, shown = ui.states[ComparedVideo], state.photo
    if video.shown is state.photo and not state.picking:
        shown = video.frame() or state.photo
    name = f"photo {state.number}" if shown is state.photo else f"photo {state.number} frame {video.number}"
    texture = ui.window.texture(name, partial(_opaque, shown))
    upper_left, upper_right, lower_right, lower_left = (
        imgui.ImVec2(*map(float, at)) for at in onto.window([(0, 0), (wide, 0), (wide, tall), (0, tall)])
    )
    opacity = state.share if state.how == "over" and not state.picking else 1.0
    edge = high[0] if (wiped := _wiped_to(state, low, high)) is None else wiped
    right = edge + (ui.window.beside if state.how == "beside" else 0.0)
    draw.push_clip_rect(imgui.ImVec2(*low), imgui.ImVec2(right, high[1]), True)
    if texture is not None:
        colour = imgui.get_color_u32(imgui.ImVec4(1.0, 1.0, 1.0, opacity))
        draw.add_image_quad(texture, upper_left, upper_right, lower_right, lower_left, col=colour)
    _draw_lines(ui, state, onto)
    draw.pop_clip_rect()
    if edge < high[0]:
        line = colour32(ui.palette.accent)
        draw.add_line(imgui.ImVec2(edge, low[1]), imgui.ImVec2(edge, high[1]), line, 2.0 * ui.window.scale)


def _wiped_to(state: ComparedPhoto, low: Place, high: Place) -> float | None:
    """Where the photograph ends and the computed heap begins in a wiped picture [px]; None in other ones."""
    return low[0] + state.share * (high[0] - low[0]) if state.how == "wipe" and not state.picking else None


def _is_moving(state: ComparedPhoto, video: ComparedVideo) -> bool:
    """Whether a frame before the last one of a video is shown: the lines are those of the last one."""
    if video.video is None or video.shown is not state.photo or state.picking:
        return False
    return video.number < len(video.video.frames) - 1


def _draw_angles(ui: Ui, state: ComparedPhoto, onto: _Mapping | None, low: Place, high: Place) -> None:
    """The angles beside the flanks: of the photograph if `onto` shows it, and of the computed heap with its lines."""
    lecture, heap = ui.mode.lecture, state.heap
    if heap is None or (lecture.on and lecture.step.guess) or _is_moving(state, ui.states[ComparedVideo]):
        return  # the audience guesses
    of_photo = {} if onto is None else photographed(heap, onto.window)
    computed = None if state.picking else state.computed(ui.snapshot)
    of_run = {} if computed is None else computed_lines(ui, computed)
    if (edge := _wiped_to(state, low, high)) is not None:
        of_photo = {side: line for side, line in of_photo.items() if line.ends[:, 0].mean() < edge}
        of_run = {side: line for side, line in of_run.items() if line.ends[:, 0].mean() >= edge}
    draw, right = imgui.get_background_draw_list(), high[0] + ui.window.beside
    draw.push_clip_rect(imgui.ImVec2(*low), imgui.ImVec2(right, high[1]), True)
    for line in of_run.values():
        start, end = (imgui.ImVec2(float(x), float(y)) for x, y in line.ends)
        draw.add_line(start, end, colour32(line.drawn), 2.0 * ui.window.scale)
    draw_angles(ui, (of_photo, of_run), low, right)
    draw.pop_clip_rect()


def _opaque(photo: Photo) -> NDArray[np.uint8]:
    """The pixels with a fourth channel, shape (height, width, 4)."""
    solid = np.full((*photo.pixels.shape[:2], 1), 255, np.uint8)
    return np.ascontiguousarray(np.concatenate([photo.pixels, solid], axis=2))


def _draw_lines(ui: Ui, state: ComparedPhoto, onto: _Mapping) -> None:
    """The surface, the fitted lines with their angles, the marks and the points that can be dragged."""
    draw, heap, thick = imgui.get_background_draw_list(), state.heap, 2.0 * ui.window.scale
    surface, fitted, marked = (colour32((r / 255.0, g / 255.0, b / 255.0, 1.0)) for r, g, b in (SURFACE, FLANK, TABLE))

    def line(places: NDArray[np.float64], colour: int, width: float) -> None:
        draw.add_polyline([imgui.ImVec2(float(x), float(y)) for x, y in onto.window(places)], colour, width, 0)

    if heap is not None:
        video, profile = ui.states[ComparedVideo], (heap.x, heap.height)
        if moving := _is_moving(state, video):
            profile = video.profile() or (np.empty(0), np.empty(0))
        thin = slice(None, None, max(1, profile[0].size // 400))
        line(heap.pixel_of(profile[0][thin], profile[1][thin]), surface, thick)
        line(heap.pixel_of(np.array(heap.flanks.feet), np.zeros(2)), marked, thick)
        for flank in (heap.left, heap.right):
            if flank is not None and not moving:
                line(heap.pixel_of(*np.array((flank.start, flank.end)).T), fitted, 1.5 * thick)
    places = [*(state.marks.scale or ()), *(state.marks.horizon or ()), *state.clicked]
    for at in places if state.picking in ("scale", "horizon", "crop") else ():
        draw.add_circle_filled(imgui.ImVec2(*map(float, onto.window(at))), 2.0 * thick, marked)
    for at in state.control_points() if state.picking == "surface" else ():
        draw.add_circle_filled(imgui.ImVec2(*map(float, onto.window(at))), 3.0 * thick, fitted)


def _take_clicks(ui: Ui, state: ComparedPhoto, onto: _Mapping) -> None:
    mouse = imgui.get_io().mouse_pos
    at = onto.photo((mouse.x, mouse.y))
    if state.picking == "surface":
        _drag_point(ui, state, onto, (mouse.x, mouse.y))
    elif imgui.is_item_clicked():
        state.clicked = (*state.clicked, at)
        if len(state.clicked) == 2:
            pair, name = (state.clicked[0], state.clicked[1]), state.picking
            state.picking, state.clicked = "", ()
            _try(ui, state, name, pair)


def _drag_point(ui: Ui, state: ComparedPhoto, onto: _Mapping, mouse: Place) -> None:
    """Begin, continue or end to drag a point of the surface; the change is measured when it is let go."""
    points = state.control_points()
    if imgui.is_item_activated() and points:
        away = np.linalg.norm(onto.window(points) - mouse, axis=1)
        state.held = int(away.argmin()) if away.min() <= NEAR * ui.window.scale else None
    if imgui.is_item_deactivated() and state.held is not None:
        kept = replace(state.marks, points=points)
        held, state.held = state.held, None
        state.change(kept.with_point(onto.photo(mouse), held))
    elif state.held is not None:
        circle = imgui.ImVec2(*mouse), NEAR * ui.window.scale, colour32(ui.palette.accent)
        imgui.get_background_draw_list().add_circle(*circle)


def _try(ui: Ui, state: ComparedPhoto, name: str, pair: tuple[Pixel, Pixel]) -> None:
    """Use two clicks as the mark of this name, or say why not."""
    try:
        if name == "scale":
            marks = replace(state.marks, scale=pair, length=state.present_length())
        elif name == "horizon":
            marks = replace(state.marks, horizon=pair)
        else:
            marks = replace(state.marks, crop=pair)
    except ParameterError as error:
        show_toast(ui, message_of(error), bad=True)
        return
    state.change(marks)


def open_photo(ui: Ui, path: str) -> Message:
    """Show a photograph or a video beside the run; returns an empty message, because the panel says what is wrong with
    it."""
    ui.mode.overlay = COLUMN.name
    video, photo = ui.states[ComparedVideo], ui.states[ComparedPhoto]
    if Path(path).suffix.lower() in video_frames.SUFFIXES:
        photo.close()
        video.open(path)
    else:
        video.close()
        photo.open(path)
    return EMPTY


def is_photo(path: str) -> bool:
    """Whether a file is a photograph or a video, by its ending."""
    return Path(path).suffix.lower() in (*SUFFIXES, *video_frames.SUFFIXES)


def toggle(ui: Ui) -> None:
    """Open the panel, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == COLUMN.name else COLUMN.name


def _shown(ui: Ui) -> bool:
    return ui.mode.overlay == COLUMN.name


KEYS = (
    Key(
        "photo",
        _("Ctrl+I"),
        _("photograph of a heap beside the computed one"),
        _("Window"),
        toggle,
        codes=(pygame.K_i,),
        ctrl=True,
    ),
    Key(
        "photo_undo",
        _("Ctrl+Z"),
        _("photograph: undo the last mark"),
        _("Window"),
        lambda ui: ui.states[ComparedPhoto].undo(),
        codes=(pygame.K_z,),
        ctrl=True,
        when=_shown,
    ),
    Key(
        "photo_redo",
        _("Ctrl+Y"),
        _("photograph: redo it"),
        _("Window"),
        lambda ui: ui.states[ComparedPhoto].redo(),
        codes=(pygame.K_y,),
        ctrl=True,
        when=_shown,
    ),
)
COLUMN = Panel("photo", _("Photograph"), 5, "instead", draw, keys=KEYS, beside=beside)
PANEL = (COLUMN, Panel("photo_over_picture", _("Photograph over the picture"), 6, "over", draw_over))
