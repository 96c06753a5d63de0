"""Lecture mode: begin, continue, go back, leave. The user's run is copied before the first step and comes back after
the last one, with undo history, cameras and speed. This module is the only writer of `Ui.mode.lecture`."""

from __future__ import annotations

import time
from typing import Literal

from repose.app.language import current_language
from repose.app.lectures import lecture_file
from repose.app.lectures.answers import answer_of, unanswered
from repose.app.lectures.lecture_file import GuessQuestion, Lecture, text_in
from repose.app.lectures.mode import Beginning, Holder, Kept
from repose.app.lectures.step_course import LectureCourse
from repose.app.storage.view_settings import View
from repose.app.ui import replay_control
from repose.app.ui.compared_photo import ComparedPhoto
from repose.app.ui.edits import PATIENCE
from repose.app.ui.panels import large_plot
from repose.app.ui.pause_and_speed import SPEEDS
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import bring_forward
from repose.sim.experiment.commands import Act, Command, Copy, Resume, SetParameters
from repose.sim.experiment.preset_start import start_of
from repose.sim.measure.display import Answer, Guess
from repose.sim.message import EMPTY, Message
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.wording import message_of

CAMERA_FRAMES = 2
"""Frames in which a step sets the cameras: in the first frame the cameras may still have another dimension."""
Wish = Literal["begin", "forward", "back", "leave"]


def open_lecture(ui: Ui, name: str) -> Message:
    """Open a lecture, to be started with F5; returns why that is not possible, or an empty string."""
    try:
        lecture = lecture_file.load(name)
    except ParameterError as error:
        return message_of(error)
    if ui.mode.lecture.on:
        return Message("A lecture is shown: leave it with Esc before you open {name}.", name=lecture.name)
    offer(ui, lecture)
    return EMPTY


def offer(ui: Ui, lecture: Lecture) -> None:
    """Let F5 start a lecture."""
    mode = ui.mode.lecture
    mode.lecture, mode.number, mode.beginnings = lecture, 0, {}


def close_lecture(ui: Ui) -> None:
    """Forget the opened lecture, so that F5 shows the presentation again."""
    if not ui.mode.lecture.on:
        ui.mode.lecture.lecture, ui.mode.lecture.beginnings = None, {}


def toggle_notes(ui: Ui) -> None:
    """Show the notes of the speaker in the window, or hide them."""
    ui.mode.lecture.notes_shown = not ui.mode.lecture.notes_shown


def wish(ui: Ui, what: Wish) -> None:
    """Request a change of the lecture, which the next `see` carries out."""
    ui.mode.lecture.wishes.append(what)


def see(ui: Ui) -> None:
    """Carry out requests, continue the course of the step, and restore the user's run after the end.

    Call it once per frame, after the panels have the newest snapshot.
    """
    mode = ui.mode.lecture
    while mode.wishes and ui.snapshot.serial:  # before the first snapshot, the log of the run to replace is unknown
        {"begin": _begin, "forward": _forward, "back": _back, "leave": _leave}[mode.wishes.pop(0)](ui)
    if not mode.on:
        _bring_back(ui)
    elif _is_shown(ui):
        _go_on(ui)


def _begin(ui: Ui) -> None:
    """Store the state of the window, and show the step at which the lecture was left; first the first step."""
    mode = ui.mode.lecture
    if mode.on or mode.lecture is None:
        return
    if ui.states[replay_control.Replay].on:
        replay_control.stop(ui)  # otherwise its view would be taken for that of the user
    if mode.kept is None:  # otherwise the user's run has not come back yet
        run = Holder()
        mode.kept = Kept(
            run,
            ui.control.edits.suspend(),
            mode.suspend(),
            ui.mode.presenting,
            ui.mode.overlay,
            ui.control.transport.index,
            ui.control.transport.directed,
            ui.control.transport.paused,
            ui.work.preset_library.current,
        )
        ui.work.run_saver.hold(run.take)
    mode.kept.resumed = False
    mode.on, mode.began = True, time.monotonic()
    mode.awaited, mode.refusals = max(mode.awaited, ui.snapshot.history.logs), ui.snapshot.messages.refusals
    ui.mode.presenting, ui.mode.overlay, ui.mode.help_open = True, "", False
    _enter(ui, mode.number, back=mode.number in mode.beginnings)


def _forward(ui: Ui) -> None:
    """Show the next step; do nothing at the last step."""
    mode = ui.mode.lecture
    if mode.on and mode.lecture is not None and mode.number + 1 < len(mode.lecture.steps):
        _enter(ui, mode.number + 1)


def _back(ui: Ui) -> None:
    """Show the step before in the state at its beginning; do nothing at the first step."""
    mode = ui.mode.lecture
    if mode.on and mode.number > 0:
        _enter(ui, mode.number - 1, back=True)


def _leave(ui: Ui) -> None:
    """End the lecture; the user's run comes back as soon as the physics thread has copied it."""
    mode = ui.mode.lecture
    if not mode.on or mode.kept is None:
        return
    mode.on, mode.view, mode.course = False, None, None
    mode.frame_box(None)
    ui.states[ComparedPhoto].show_of_lecture("")
    ui.mode.presenting, ui.mode.overlay = mode.kept.presenting, mode.kept.overlay
    ui.control.transport.restore(mode.kept.speed, mode.kept.directed)
    if mode.lecture is not None:
        show_toast(ui, Message("F5 continues the lecture at step {number}.", number=mode.number + 1))


def _enter(ui: Ui, number: int, back: bool = False) -> None:
    """Show a step: begin its experiment, or continue that of the step before; with `back`, in its initial state."""
    mode = ui.mode.lecture
    assert mode.lecture is not None
    carried: tuple[str, ...] = ()
    step = mode.lecture.steps[number]
    if step.preset is None and back:
        beginning = mode.beginnings.get(number)
        if beginning is None or beginning.run.saved is None:  # never shown, or not copied yet
            return _enter(ui, mode.lecture.beginning_of(number), back=True)
        carried = beginning.carried
        _send_anew(ui, Resume(beginning.run.saved))
    mode.number = number
    if step.preset is not None:
        ui.control.transport.pause(step.paused)  # a run that begins paused has done no step
        ui.work.preset_library.note(step.preset.card)
        _send_anew(ui, start_of(step.preset))
    elif not back:
        carried = tuple(mode.course.left) if mode.course is not None else ()
        run = Holder()
        mode.beginnings[number] = Beginning(run, carried)
        ui.control.send(Copy(run.take))
    if step.values:
        ui.control.send(SetParameters(dict(step.values)))
    mode.course = LectureCourse.of(step, carried)
    mode.entered, mode.over, mode.unanswered, mode.asked, mode.frames = False, False, EMPTY, None, 0
    mode.answer = None
    mode.hindered = False
    if step.values:  # until the change acts, snapshots show the run before it, at rest
        mode.asked = _seen(ui), ui.snapshot.serial
    shown = {**dict.fromkeys(step.show, True), **dict.fromkeys(step.hide, False)}
    user: View = ui.settings.choices.view
    mode.view = user.model_copy(update={"colour_by": step.colour, "shown": shown, "selected": (), "cut_axis": ""})
    ui.mode.overlay = ""
    ui.states[ComparedPhoto].show_of_lecture(step.photo)
    if step.plot:
        ui.mode.overlay = large_plot.PANEL.name
        bring_forward(ui, large_plot.ROW, step.plot)
    return None


def _send_anew(ui: Ui, command: Command) -> None:
    """Send a command that puts another run into the window; `_is_shown` waits for its snapshots."""
    mode = ui.mode.lecture
    ui.control.edits.forget()
    mode.awaited = max(mode.awaited, ui.snapshot.history.logs) + 1
    ui.control.send(command)


def _is_shown(ui: Ui) -> bool:
    """Whether the newest snapshot shows the run that was requested last; after a refusal, the present run."""
    mode, snapshot = ui.mode.lecture, ui.snapshot
    if ui.program.dead or snapshot.serial == 0 or snapshot.engine.compiling:
        return False
    if snapshot.messages.refusals > mode.refusals:
        mode.refusals, mode.awaited = snapshot.messages.refusals, min(mode.awaited, snapshot.history.logs)
    return snapshot.history.logs >= mode.awaited


def awaits_run(ui: Ui) -> bool:
    """Whether the newest snapshot still shows the run before that of the step, which does not belong to the step."""
    return ui.mode.lecture.on and ui.snapshot.history.logs < ui.mode.lecture.awaited


def _go_on(ui: Ui) -> None:
    """Set camera and speed once, then do the actions of the step, each when its time has come."""
    mode, snapshot = ui.mode.lecture, ui.snapshot
    course = mode.course
    if course is None:
        return
    if mode.frames < CAMERA_FRAMES:
        mode.frames += 1
        if mode.step.look:
            mode.turn_to(mode.step.look)
        if mode.step.box is not None or not mode.step.look:
            mode.frame_box(mode.step.box)
    if not mode.entered:
        mode.entered, mode.since = True, time.monotonic()
        _set_speed(ui)
        ui.control.transport.pause(mode.step.paused)
    now = _seen(ui)
    if mode.asked is not None and now == mode.asked[0] and snapshot.serial < mode.asked[1] + PATIENCE:
        return
    hurried = course.carried > 0
    due = course.due(snapshot)
    if due:
        ui.control.send(Act(due))
        course.did()
        mode.asked = now, snapshot.serial
        if hurried and not course.carried:
            _set_speed(ui)
    elif (obstacle := course.obstacle(snapshot)) and not mode.hindered:
        mode.hindered = True
        show_toast(ui, obstacle, bad=True)
    elif course.is_over(snapshot):
        mode.over = True
    if mode.over and mode.lecture is not None and mode.answer is None:
        mode.unanswered = unanswered(mode.lecture, mode.number, snapshot)
        question = mode.step.guess
        mode.answer = answer_of(question, snapshot) if isinstance(question, GuessQuestion) else None


def _seen(ui: Ui) -> tuple[int, int, int]:
    """Numbers of which at least one changes once a command has acted or is refused."""
    return ui.snapshot.history.logs, ui.snapshot.history.commands, ui.snapshot.messages.refusals


def _set_speed(ui: Ui) -> None:
    """Set the speed of the step; as fast as possible while actions of earlier steps remain."""
    course = ui.mode.lecture.course
    hurries = course is not None and course.carried > 0
    ui.control.transport.choose(SPEEDS.index(None if hurries else ui.mode.lecture.step.speed))


def _bring_back(ui: Ui) -> None:
    """After the end: send the user's run back; once the run is in the window, restore the rest of its state."""
    mode = ui.mode.lecture
    kept = mode.kept
    if kept is None:
        return
    if not kept.resumed:
        if kept.run.saved is None:
            if ui.program.dead:
                _forget_kept(ui)
            return
        kept.resumed = True
        _send_anew(ui, Resume(kept.run.saved))
        return
    if not _is_shown(ui):
        return
    ui.control.edits.resume(kept.edits, ui.snapshot)
    mode.resume(kept.pictures)
    card = ui.work.preset_library.cards.get(kept.preset)
    if card is not None:
        ui.work.preset_library.note(card)
    else:
        ui.work.preset_library.forget()
    ui.control.transport.pause(kept.paused)
    _forget_kept(ui)


def _forget_kept(ui: Ui) -> None:
    ui.mode.lecture.kept = None
    ui.work.run_saver.resume()


def guess_now(ui: Ui) -> tuple[str, Guess, Answer | None] | None:
    """The present guess of the audience: the name under which it is stored, the guess, and the answer of the run.

    A reading answers at the end of the step: many readings exist, and change, from the beginning of the run on. A
    preset with an answer of its own asks another question than its scene, whose number is then not asked for.
    """
    mode, snapshot = ui.mode.lecture, ui.snapshot
    scene = scenes().get(snapshot.run.scene)
    asked = mode.step.guess if mode.on else not snapshot.run.own_answer
    if isinstance(asked, GuessQuestion):
        answer = (mode.answer or answer_of(asked, snapshot)) if mode.over else None
        return f"{text_in(asked.words)} [{asked.unit}]", asked.in_language(current_language()), answer
    if not asked or scene is None or scene.guess is None:
        return None
    return scene.name, scene.guess, snapshot.results.answer
