"""Notices over the picture: faults with their remedies, a failed panel, a clogged neck."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui, implot
from repose.app.render import text
from repose.app.render.passes import legend
from repose.app.storage.autosave import AutosaveFolder
from repose.app.ui import lecture_mode
from repose.app.ui.lecture_mode import open_lecture
from repose.app.ui.panels import Panel, all_keys, all_panels, notices_over_picture, presentation, record
from repose.app.ui.panels.notices_over_picture import ways_back
from repose.app.ui.places import BELOW_LEGEND
from repose.app.ui.questions import ask
from repose.app.ui.replay_control import Replay
from repose.app.ui.toasts import LONG, SHORT, Toasts, current_toasts, show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button_width
from repose.sim.experiment.commands import Act, Recover, SetParameters
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Action, Fault, Notice, Remedy, Snapshot
from repose.sim.message import EMPTY, Message, Number, _
from repose.sim.registry import scenes
from repose.sim.study.preparation import PreparationProgress

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.english import english
from tests.snapshots import with_fields

FILM = "heap.mp4"


def toasts(harness: PanelHarness) -> list[str]:
    harness.frame(2)
    return [str(toast.text) for toast in harness.ui.states[Toasts].shown]


def test_a_message_that_repeats_the_phase_is_not_shown(harness: PanelHarness) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, latest="Flowing.", repeats=True)
    assert toasts(harness) == []
    harness.ui.snapshot = with_fields(harness.ui.snapshot, latest="Friction μ = 0.2.", repeats=False)
    assert toasts(harness) == ["Friction μ = 0.2."]


def test_a_message_disappears_by_itself_and_a_second_refusal_is_shown_again(harness: PanelHarness) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, latest="Pouring.", refusal="Not now.", refusals=1)
    assert toasts(harness) == ["Pouring.", "Not now."]
    harness.wait(LONG)
    assert toasts(harness) == []
    harness.ui.snapshot = with_fields(harness.ui.snapshot, refusals=2)
    assert toasts(harness) == ["Not now."]


def test_a_message_equal_to_the_last_one_is_shown_again(harness: PanelHarness) -> None:
    """A click that adds grains like the click before it is answered too."""
    toasts(harness)
    for number in (1, 2):
        harness.ui.snapshot = with_fields(harness.ui.snapshot, latest="1 grain is added.", count=number)
        assert toasts(harness) == ["1 grain is added."]
        harness.wait(SHORT)
        assert toasts(harness) == []


def test_the_message_of_a_run_is_not_shown_over_the_next_one(harness: PanelHarness) -> None:
    toasts(harness)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, latest="99 grains left.", count=3)
    assert toasts(harness) == ["99 grains left."]
    harness.ui.snapshot = with_fields(harness.ui.snapshot, latest="", count=0)
    assert toasts(harness) == []


def test_fewer_threads_than_allowed_are_told_once(harness: PanelHarness) -> None:
    crowded = "1 of 2 threads computes the grains, which is faster now: other programs are busy."
    toasts(harness)
    for sentence, shown in ((crowded, [crowded]), ("", [crowded])):
        harness.ui.snapshot = with_fields(harness.ui.snapshot, threads_crowded=sentence)
        assert toasts(harness) == shown


def changed(before: str, after: str) -> Message:
    """The message of the experiment about a change of gravity."""
    words = "{label}: {before} → {after}"
    change = Message(words, label=_("gravity"), before=before, after=after, changed_parameter="gravity")
    return Message("{label}, over {time_text}.", label=change, time_text=Number(0.31, "ms", "g"))


@pytest.mark.parametrize("increment", [("42 m/s²", "50 m/s²"), ("49.99998 m/s²", "50.00001 m/s²")])
def test_after_a_drag_the_message_contains_the_whole_change(harness: PanelHarness, increment: tuple[str, str]) -> None:
    harness.drag("field.gravity", 0.1, 0.5, stops=5)
    acts(harness, changed(*increment))
    assert toasts(harness) == ["gravity: 9.81 m/s² → 50 m/s², over 0.31 ms."]


def acts(harness: PanelHarness, message: Message) -> None:
    """Physics has carried out the last command, and tells this message."""
    shot = harness.ui.snapshot
    parameters = parameters_of(shot.run).changed(**harness.commands[-1].values)
    numbers = {"serial": shot.serial + 1, "count": shot.messages.count + 1, "time": shot.run.time + 1.0}
    harness.ui.snapshot = with_fields(shot, parameters=parameters, latest=message, **numbers)
    harness.ui.control.edits.see(harness.ui.snapshot)


def test_two_drags_within_seconds_are_two_changes(harness: PanelHarness) -> None:
    for share in (0.5, 0.25, 0.5):
        harness.drag("field.gravity", 0.9, share, stops=5)
        acts(harness, changed("43 m/s²", "42 m/s²"))
        shown = toasts(harness)
    first, second, third = (mark.text for mark in harness.ui.control.edits.marks)
    assert str(first) == "gravity: 9.81 m/s² → 50 m/s²"
    assert str(second).startswith("gravity: 50 m/s² → ")
    assert str(third).endswith(" → 50 m/s²")
    assert not str(third).startswith("gravity: 9.81")
    assert shown == [f"{third}, over 0.31 ms."]


def test_a_drag_back_to_its_beginning_is_told_as_no_change(harness: PanelHarness) -> None:
    harness.drag("field.gravity", 0.9, 0.5, stops=5)
    acts(harness, changed("43 m/s²", "50 m/s²"))
    harness.drag("field.gravity", 0.9, 0.5, stops=5)
    acts(harness, changed("51 m/s²", "50 m/s²"))
    assert toasts(harness) == ["gravity: 50 m/s², as before, over 0.31 ms."]


def test_a_message_about_an_earlier_change_is_not_told_as_the_latest_one(harness: PanelHarness) -> None:
    """Physics is slow: the first drag acts while the second one has already begun."""
    harness.drag("field.gravity", 0.9, 0.5, stops=5)
    first = parameters_of(harness.ui.snapshot.run).changed(**harness.commands[-1].values)
    harness.drag("field.gravity", 0.9, 0.25, stops=5)
    message = changed("9.81 m/s²", "50 m/s²")
    harness.ui.snapshot = with_fields(harness.ui.snapshot, parameters=first, latest=message, count=9, serial=99)
    assert toasts(harness) == english([message])


def test_an_action_that_came_too_late_is_refused_without_alarm(harness: PanelHarness) -> None:
    toasts(harness)
    words = "'Measure' is not possible now: filled with 55 grains, wall closed."
    harness.ui.snapshot = with_fields(harness.ui.snapshot, refusal=words, refusals=1, refused_action=True)
    (shown,) = current_toasts(harness.ui)
    assert english((shown.text, shown.bad)) == (words, False)


def test_a_failed_automatic_save_stays_visible(harness: PanelHarness) -> None:
    harness.ui.work.run_saver.unsaved = "The run cannot be saved automatically in /a: No space left on device."
    harness.wait(LONG + 1.0)
    assert "unsaved" in harness.widgets
    harness.ui.work.run_saver.unsaved = ""
    harness.frame(2)
    assert "unsaved" not in harness.widgets


def test_notices_and_messages_cover_neither_the_legend_nor_each_other(harness: PanelHarness) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, fault=Fault("Grain 17 left the container."), serial=9)
    show_toast(harness.ui, "Not used.", bad=True)
    ask(harness.ui, "Go on?", "Yes", lambda: None)
    harness.frame(3)
    boxes = [harness.widgets[name] for name in ("question", "notice", "toast.0")]
    assert boxes[0][1] >= BELOW_LEGEND * harness.ui.window.scale
    assert all(above[3] < below[1] for above, below in pairwise(boxes))
    assert min(box[0] for box in boxes) > harness.ui.window.size[0] / 2


@pytest.mark.parametrize("yes", [True, False])
def test_a_change_that_removes_the_grains_is_asked_about_once_on_release(harness: PanelHarness, yes: bool) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, scene="vessel", parameters=scenes()["vessel"].parameters())
    harness.frame(2)
    harness.click("parameters.more")
    harness.click("parameters.search")
    harness.write("above the floor")
    before = set(harness.widgets)
    harness.drag("field.mesh_lift", 0.1, 0.3, stops=6)
    assert harness.commands == []
    harness.ctrl_click("field.mesh_lift")
    harness.write("1")
    assert harness.commands == []
    assert set(harness.widgets) - before == {"question", "question.yes", "question.no"}
    harness.click("question.yes" if yes else "question.no")
    assert harness.commands == ([SetParameters({"mesh_lift": 1e-3})] if yes else [])
    assert "question" not in harness.widgets


def test_a_fault_offers_undo_and_undo_restores_the_value(harness: PanelHarness) -> None:
    harness.ui.control.edits.set({"normal_stiffness": 1e9})
    parameters = parameters_of(harness.ui.snapshot.run).changed(normal_stiffness=1e9)
    fault = Fault("Grain 17 left the container.", 17, "normal_stiffness", 1e6)
    harness.ui.snapshot = with_fields(harness.ui.snapshot, parameters=parameters, fault=fault, serial=9)
    harness.frame(3)
    way = next(way for way in ways_back(harness.ui) if way[0] == "undo")
    assert str(way[1]) == f"Undo {parameters.declared()['normal_stiffness'].quantity.symbol}"
    assert "1e+06 N/m" in str(way[3])
    harness.click("notice.undo")
    assert harness.commands[-1] == Recover({"normal_stiffness": 1e6})


def test_after_a_fault_the_automatic_time_step_is_one_click_away(harness: PanelHarness) -> None:
    parameters = parameters_of(harness.ui.snapshot.run).changed(dt=1e-4)
    fault = Fault("Too large a step.", remedies=(Remedy("auto_dt", "set dt=auto", {"dt": "auto"}),))
    harness.ui.snapshot = with_fields(harness.ui.snapshot, parameters=parameters, fault=fault, serial=9)
    harness.frame(3)
    harness.click("notice.auto")
    assert harness.commands == [Recover({"dt": "auto"})]


def test_after_a_fault_a_button_names_and_sets_the_smaller_step(harness: PanelHarness) -> None:
    fault = Fault("Too large a step.", remedies=(Remedy("smaller_dt", "set dt=1.25e-6", {"dt": 1.25e-6}),))
    harness.ui.snapshot = with_fields(harness.ui.snapshot, fault=fault, serial=9)
    harness.frame(3)
    assert "Time step 1.25 µs" in [str(label) for name, label, *_ in ways_back(harness.ui) if name == "halve"]
    harness.click("notice.halve")
    assert harness.commands == [Recover({"dt": 1.25e-6})]
    harness.ui.snapshot = with_fields(harness.ui.snapshot, fault=replace(fault, remedies=()), serial=10)
    harness.frame(3)
    assert "notice.halve" not in harness.widgets


def test_a_run_can_continue_after_a_fault_without_undoing(harness: PanelHarness) -> None:
    harness.ui.snapshot = with_fields(harness.ui.snapshot, fault=Fault("Grain 17 left the container."), serial=9)
    harness.frame(3)
    assert "notice.undo" not in harness.widgets
    harness.click("notice.recover")
    assert harness.commands == [Recover({})]


def test_a_panel_that_fails_shows_its_error_and_the_others_continue(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing = True

    def draw(ui: Ui) -> None:
        imgui.push_style_var(imgui.StyleVar_.alpha, 0.5)
        imgui.begin_child("inside")
        implot.begin_plot("plot")
        if failing:
            raise ZeroDivisionError("made up")
        implot.end_plot()
        imgui.end_child()
        imgui.pop_style_var()

    broken = Panel("broken", "Broken", 5, "column", draw)
    found = (broken, *all_panels())
    monkeypatch.setattr("repose.app.ui.layout.all_panels", lambda: found)
    harness.frame(3)
    assert "made up" in harness.ui.program.broken["broken"]
    assert harness.ui.program.broken.keys() == {"broken"}
    harness.click("action.open")
    assert harness.commands == [Act("open")]
    failing = False
    harness.click("broken.again")
    assert harness.ui.program.broken == {}
    assert "The panel broken failed." in caplog.text


def test_lost_settings_are_reported_until_the_notice_is_closed(harness: PanelHarness) -> None:
    harness.ui.settings.trouble = "Settings cannot be read."
    harness.frame(3)
    harness.click("notice.settings")
    assert not harness.ui.settings.trouble


def test_a_notice_of_the_scene_is_shown_until_it_is_closed(harness: PanelHarness) -> None:
    turn = Action("turn", "Turn over", "T", True, "", pivot=(0.0, 0.0, 0.75))
    clogged = with_fields(harness.ui.snapshot, notice=Notice("Clogged", "An arch.", "turn"), actions=(turn,))
    harness.ui.snapshot = clogged
    harness.frame(3)
    harness.click("notice.action")
    assert harness.commands[-1] == Act("turn")
    harness.click("notice.scene")
    harness.frame(2)
    assert "notice.scene" not in harness.widgets
    for notice in (None, clogged.messages.notice):
        harness.ui.snapshot = with_fields(clogged, notice=notice)
        harness.frame(3)
    assert "notice.scene" in harness.widgets


def test_a_film_that_cannot_be_made_is_reported_over_the_picture_and_pictures_are_offered(
    harness: PanelHarness,
) -> None:
    film, asked = harness.ui.work.film, []

    def open_sink(path: Path, size: tuple[int, int], fps: int) -> Any:
        asked.append(path)
        raise RuntimeError("Films cannot be made here.")

    film.open = open_sink
    film.start("heap")
    harness.frame(3)
    harness.click("notice.pictures")
    assert asked == [film.folder / "heap.mp4", film.folder / "heap.png"]
    assert film.trouble
    assert "notice.pictures" not in harness.widgets
    harness.click("notice.no_film")
    assert not film.trouble
    assert "notice.no_film" not in harness.widgets


@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_every_way_back_after_a_fault_shows_its_whole_label(tmp_path: Path, scale: float) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720), scale=scale) as harness:
        ways = (Remedy("smaller_dt", "lower it", {"dt": 3e-5}), Remedy("auto_dt", "choose it", {"dt": "auto"}))
        harness.ui.snapshot = with_fields(harness.ui.snapshot, fault=Fault("Grain 17 left.", remedies=ways), serial=9)
        harness.frame(3)
        for name, label, key, _, _ in ways_back(harness.ui):
            left, _, right, _ = harness.widgets[f"notice.{name}"]
            assert right - left >= button_width(label, key), label


def test_the_numbers_of_stability_cover_no_notice_of_a_fault(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1024, 640)) as harness:
        shown = harness.ui.snapshot
        harness.ui.snapshot = with_fields(shown, compiling=True)
        harness.frame(3)
        harness.ui.snapshot = with_fields(shown, omega_dt=0.41)
        harness.frame(3)
        assert "stability.gauge" in harness.widgets
        ways = (Remedy("smaller_dt", "lower it", {"dt": 3e-5}), Remedy("auto_dt", "choose it", {"dt": "auto"}))
        fault = Fault("Grain 17 moved by more than a tenth of its radius in one step. " * 4, 17, remedies=ways)
        warning = "Above 20 µs, the stable time step, the integrator adds energy to the contacts in every step."
        harness.ui.snapshot = with_fields(harness.ui.snapshot, omega_dt=1.1, dt_warning=warning, fault=fault, serial=9)
        harness.frame(3)
        assert "stability.gauge" not in harness.widgets
        harness.click("stability.dot")  # opened on purpose, it is behind the notice
        assert harness.widgets["stability.gauge"][1] < harness.widgets["notice.recover"][3]
        harness.click("notice.recover")
        assert harness.commands == [Recover({})]


def test_the_numbers_of_stability_leave_the_actions_free(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 720)) as harness:
        harness.ui.snapshot = with_fields(harness.ui.snapshot, progress=None)
        harness.click("stability.dot")
        foot = harness.widgets["stability.close"][3]
        assert foot < min(box[1] for name, box in harness.widgets.items() if name.startswith("action."))


def test_a_long_relaxation_shows_its_share_and_is_stopped_by_button_and_key(harness: PanelHarness) -> None:
    stopped: list[str] = []
    harness.ui.control.actions["stop_relaxing"] = lambda: stopped.append("now")
    (no,) = (key for key in all_keys() if key.name == "no")
    assert no.act is not None
    no.act(harness.ui)
    assert stopped == []  # nothing is relaxed
    harness.ui.snapshot = with_fields(harness.ui.snapshot, relaxing=0.4)
    harness.frame(2)
    assert "notice.relaxing" in harness.widgets
    harness.click("notice.stop_relaxing")
    no.act(harness.ui)
    assert stopped == ["now", "now"]


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (
            PreparationProgress(_("step loop"), 0.5, 20.0),
            "50 %, about 20 s left: step loop. Later starts load it from disk.",
        ),
        (PreparationProgress(EMPTY, 1.0, 0.0), "It is ready; the first picture is being made."),
    ],
)
def test_the_part_that_is_compiled_is_named_as_long_as_there_is_one(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch, progress: PreparationProgress, said: str
) -> None:
    class Watched:
        is_stored = False

        def progress(self) -> PreparationProgress:
            return progress

    notes: list[str] = []
    monkeypatch.setattr(notices_over_picture, "_watch", lambda ui: Watched())
    monkeypatch.setattr(notices_over_picture, "note", lambda text, colour: notes.append(str(text)))
    harness.ui.snapshot = with_fields(harness.ui.snapshot, compiling=True)
    harness.frame()
    assert said in notes


def test_a_replay_does_not_say_again_what_the_run_has_said(harness: PanelHarness) -> None:
    def said(count: int, words: str) -> list[str]:
        message = with_fields(harness.ui.snapshot, latest=Message(words), count=count)
        harness.ui.snapshot = message
        harness.frame()
        return [str(toast.text) for toast in current_toasts(harness.ui)]

    said(0, "It waits.")
    assert "It ends." in said(2, "It ends.")
    harness.ui.states[Toasts].shown.clear()
    harness.ui.states[Replay].on = True
    assert said(1, "It begins.") == []
    harness.ui.states[Replay].on = False
    assert said(2, "It ends.") == []
    assert "It begins again." in said(3, "It begins again.")


def test_the_clock_of_a_presentation_shows_the_microseconds_of_an_impact(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood at 0.00 s from the beginning to the end."""
    written: list[str] = []

    def draw_text(x: float, y: float, words: Any, *style: Any) -> float:
        written.append(str(words))
        return text.draw_text(x, y, words, *style)

    monkeypatch.setattr(presentation, "draw_text", draw_text)
    harness.ui.mode.presenting = True
    for time, scale, shown in ((21e-6, 3e-6, "21 µs"), (1.2345, 1.0, "1.23 s")):
        harness.ui.snapshot = with_fields(harness.ui.snapshot, time=time, time_scale=scale)
        written.clear()
        harness.frame()
        assert shown in written


def test_title_clock_and_speed_of_a_presentation_stand_on_one_plate(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[tuple[float, float]] = []

    def draw_text(x: float, y: float, words: str, *style: Any) -> float:
        ends.append((text.draw_text(x, y, words, *style), y + imgui.get_font_size()))
        return ends[-1][0]

    monkeypatch.setattr(presentation, "draw_text", draw_text)
    harness.ui.mode.presenting = True
    for title in ("Heap", "A heap with a title that is much longer than its clock"):
        monkeypatch.setattr(harness.ui.work.preset_library, "title", lambda scene, title=title: title)
        ends.clear()
        harness.frame()
        _, _, right, foot = harness.widgets["presentation.title"]
        assert len(ends) >= 3
        assert all(x < right and y < foot for x, y in ends[:3])
        assert right < harness.ui.window.size[0]


@pytest.mark.parametrize(("size", "below"), [((480, 360), True), ((1280, 720), False)])
def test_the_title_of_a_presentation_is_at_the_foot_where_it_cannot_be_beside_the_legend(
    size: tuple[int, int], below: bool, tmp_path: Path
) -> None:
    with open_harness(tmp_path, full_snapshot(), size, scale=1.6) as harness:
        harness.ui.mode.presenting = True
        harness.frame(2)
        left, top, right, foot = harness.widgets["presentation.title"]
        assert (top > size[1] / 2) == below
        assert below or right <= size[0] - legend.WIDTH * 1.6
        assert left > 0.0
        assert foot < size[1] - harness.ui.window.inset[3]


@pytest.mark.parametrize("widget", ["notice.open_lost", "notice.settings"])
def test_a_lost_run_and_trouble_with_the_settings_wait_until_a_lecture_is_over(
    harness: PanelHarness, widget: str
) -> None:
    ui = harness.ui
    if widget == "notice.open_lost":
        ui.work.run_saver.lost = AutosaveFolder(Path("runs"), BytesIO())
    else:
        ui.settings.trouble = "Settings cannot be read."
    open_lecture(ui, "heap-slope")
    for ui.mode.lecture.on in (False, True, False):
        harness.frame(2)
        assert (widget in harness.widgets) != ui.mode.lecture.on


def test_the_offer_of_a_lecture_covers_neither_a_panel_over_the_picture_nor_the_page_of_keys(
    harness: PanelHarness,
) -> None:
    ui = harness.ui
    open_lecture(ui, "heap-slope")
    for ui.mode.overlay, ui.mode.help_open in (("", False), ("integrators", False), ("", True), ("", False)):
        harness.frame(2)
        assert ("lecture.begin" in harness.widgets) == (not ui.mode.overlay and not ui.mode.help_open)


def test_the_key_of_films_says_that_the_last_one_is_still_being_completed(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ui = harness.ui
    for completing, told in ((False, []), (True, [f"The file of the last film is still being completed: {FILM}."])):
        ui.work.film.path = Path(FILM)
        monkeypatch.setattr(type(ui.work.film), "finishing", property(lambda film, completing=completing: completing))
        record.start_or_stop(ui)
        assert [str(toast.text) for toast in current_toasts(ui)] == told


def test_a_step_that_waits_for_space_is_paused_before_its_run_begins(harness: PanelHarness) -> None:
    ui = harness.ui
    open_lecture(ui, "granular-flow")
    lecture_mode.wish(ui, "begin")
    lecture_mode.see(ui)
    assert not ui.control.transport.paused
    for __ in range(4):
        lecture_mode.wish(ui, "forward")
    lecture_mode.see(ui)
    assert ui.mode.lecture.step.paused
    assert ui.control.transport.paused


def test_a_lecture_that_is_begun_before_the_first_picture_waits_for_the_run_that_it_replaces(
    harness: PanelHarness,
) -> None:
    ui = harness.ui
    run, ui.snapshot = ui.snapshot, Snapshot()
    open_lecture(ui, "granular-flow")
    lecture_mode.wish(ui, "begin")
    lecture_mode.see(ui)
    assert not ui.mode.lecture.on
    ui.snapshot = with_fields(run, logs=1)
    lecture_mode.see(ui)
    assert ui.mode.lecture.on
    lecture_mode.see(ui)
    assert not ui.mode.lecture.entered, "the run before the lecture is still in the window"
    ui.snapshot = with_fields(run, logs=2)
    lecture_mode.see(ui)
    assert ui.mode.lecture.entered


def test_a_lecture_says_that_its_scene_is_being_built(harness: PanelHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(notices_over_picture.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(notices_over_picture, "awaits_run", lambda ui: True)
    stack, notes = harness.ui.states[notices_over_picture.NoticeStack], []
    monkeypatch.setattr(notices_over_picture, "_draw_awaited", lambda preset, ui: notes.append(preset))
    harness.frame()
    assert (stack.waits_since, notes) == (100.0, []), "a short wait is not worth a notice"
    now[0] += 0.3
    harness.frame()
    assert notes
    monkeypatch.setattr(notices_over_picture, "awaits_run", lambda ui: False)
    harness.frame()
    assert stack.waits_since is None


def test_a_film_of_the_whole_run_says_that_it_begins_and_that_it_is_ended(harness: PanelHarness) -> None:
    assert toasts(harness) == []
    whole = harness.ui.work.whole_film
    whole.share = 0.0  # as after Ctrl+Shift+V, wherever the tab with the progress is
    assert [words[:16] for words in toasts(harness)] == ["Another process "]
    record.film_whole_run(harness.ui)
    assert not whole.running
    assert "The film of the whole run is ended before it is complete." in toasts(harness)
