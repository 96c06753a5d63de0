"""One film of a whole lecture, without a window: every step with its title card, its question, its answer."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from repose.app.countdown import Countdown
from repose.app.jobs.film_page import GROUND, head, head_height, strip, strip_height, title_card
from repose.app.language import current_language, in_language, translated
from repose.app.lectures.answers import unanswered
from repose.app.lectures.lecture_file import Lecture, Step, text_in
from repose.app.lectures.step_course import LectureCourse
from repose.app.progress import Progress, print_line, write_out
from repose.app.render.camera import Camera2D
from repose.app.render.director import Director, FilmStyle, Picture, Read
from repose.app.render.film_words import Lines, film_words
from repose.app.render.framing import frame_box, picture_room, picture_scale
from repose.app.render.orbit import VIEWS, Camera, Camera3D
from repose.app.render.passes import legend, needs_forces
from repose.app.render.pictures_side_by_side import Together
from repose.app.signals import INTERRUPTED
from repose.app.sound.film_track import FilmTrack
from repose.app.stopping import Stop, StopAsked, stoppable
from repose.app.storage.plot_files import Sheet, draw, fonts_of_all_languages, slide
from repose.app.storage.recorder import FILM, Recorder, names_of
from repose.app.storage.subtitles import Subtitles, as_srt
from repose.app.storage.time_curves import curves_of_runs, curves_over_time, together, whole_span
from repose.app.storage.view_settings import View
from repose.app.window.headless_film import open_picture_maker
from repose.sim.experiment.commands import Act, Command, SetParameters, UseThreads
from repose.sim.experiment.control import carry_out
from repose.sim.experiment.preset_start import start_of, starts_of
from repose.sim.experiment.side_by_side import SideBySide, advance_all, take_snapshots
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io.atomic_file import write_new_file
from repose.sim.measure.display import COMPARISON, Curve
from repose.sim.message import EMPTY, Message, plain
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of, sentence_of

if TYPE_CHECKING:
    from repose.app.jobs.film_plan import FilmPlan
    from repose.app.window.picture import PictureMaker

DONE, NOT_ALL_WRITTEN, FAULT = 0, 1, 3
STILL = 5.0
"""Film time of a step without actions [s]."""
AFTER = 3.0
"""Film time after the end of a step [s], unless the step gives this time."""
LONGEST = 90.0
"""Largest film time of a step whose end is not reached [s]."""
LEAST_SHARE = 0.2
"""Fraction of the first step after which the remaining time is estimated [-]."""
PLOT = 6.0
"""Film time of the plot, after the end of a step [s]."""
EDGE = 0.03
"""Free edge of the page with a plot [share of width and height]."""
READING = 3.0
"""Duration of the title card of a step [s]."""


def do(together: SideBySide, command: Command) -> None:
    """Carry out a command in all experiments; raises `ParameterError` with the reason if it is refused."""
    refusal = carry_out(together, command)
    if refusal:
        raise ParameterError(refusal)


def shot_of(together: SideBySide, forces: bool) -> Snapshot:
    """Snapshot of the experiments of a step."""
    shot = Snapshot()
    take_snapshots(together, shot, forces=forces)
    return shot


def film_lecture(lecture: Lecture, plan: FilmPlan, language: str = "en", threads: int | None = None) -> int:
    """Make the film with all its words in this language, and report it in English; returns the exit code.

    Raises `RecorderError` or `WindowError` before any work.
    """
    with in_language(language) as trouble:
        if trouble:
            print_line(trouble)
        return _film_lecture(lecture, plan, language, threads)


def _film_lecture(lecture: Lecture, plan: FilmPlan, language: str, threads: int | None) -> int:
    """Film in the language that is in use."""
    recorder = Recorder(plan.path, plan.style.size, plan.style.fps)
    try:
        maker = open_picture_maker(plan.style.size)
    except BaseException:
        recorder.close()
        raise
    code, complaint, count = DONE, "", len(lecture.steps)
    beside = Beside(plan.style.fps, FilmTrack(plan.style.fps) if plan.style.sound else None, Subtitles(language))
    title = text_in(lecture.title, language)
    with Progress(f"Lecture {title}, {count} steps", quiet=False) as progress, stoppable() as stop:
        try:
            stage, countdown = None, Countdown()
            for number, step in enumerate(lecture.steps):
                words = f"step {number + 1} of {count}"
                progress.show(f"{words}: preparing", number / count, stage=words)
                stage = begun(stage, step, threads)

                def show_progress(share: float, number: int = number, words: str = words) -> None:
                    done = (number + share) / count
                    progress.show(words, done, countdown.words(done) if share > LEAST_SHARE or number else "")

                shots = StepFilm(lecture, number, language, plan, maker, stage, stop, beside)
                for picture in shots.pictures(show_progress):
                    recorder.add(picture)
                    beside.frames += 1
                if stage.first.fault is not None:
                    raise ParameterError(f"step {number + 1}: {stage.first.fault.message}")
        except StopAsked:
            code = INTERRUPTED
        except ParameterError as error:
            code, complaint = FAULT, str(error)
        except Exception as error:  # a driver or the disk may raise anything; what was written is kept
            code, complaint = NOT_ALL_WRITTEN, str(sentence_of(error))
        finally:
            is_mp4 = recorder.path.suffix.lower() == FILM
            sound = beside.track.words if beside.track is not None else None
            frames = recorder.close(sound, beside.subtitles if is_mp4 else None)
            maker.close()
    if complaint or recorder.failure:
        print_line(f"The film ends early: {complaint or recorder.failure}")
        code = code or NOT_ALL_WRITTEN
    write_out(
        f"film             {names_of(recorder.path, recorder.parts)} ({frames} frames, {frames / plan.style.fps:.0f} s)"
    )
    if frames and is_mp4 and not _subtitles_written(recorder.parts[0].with_suffix(".srt"), beside, frames):
        code = code or NOT_ALL_WRITTEN
    return code


def _subtitles_written(path: Path, beside: Beside, frames: int) -> bool:
    """Write the subtitles beside the film; False, with a sentence, if that is impossible."""
    text = as_srt(beside.subtitles.cues(frames / beside.fps))
    try:
        write_new_file(path, lambda file: file.write(text.encode("utf-8")))
    except OSError as error:
        print_line(f"The subtitles could not be written to {path_text(path)}: {reason_of(error)}; the film has them.")
        return False
    write_out(f"subtitles        {path}")
    return True


def begun(stage: SideBySide | None, step: Step, threads: int | None) -> SideBySide:
    """The experiments at the beginning of a step: new ones, or those of the step before with changed parameters."""
    from repose.sim.experiment.changes import new_experiment

    if step.preset is None:
        assert stage is not None
    else:
        starts = starts_of(step.preset)
        first = starts[0]
        if stage is None:
            stage = SideBySide([new_experiment(first.scene, first.values, first.seed, first.ready)])
            do(stage, UseThreads(threads))
        do(stage, start_of(step.preset))
    if step.values:
        do(stage, SetParameters(dict(step.values)))
    return stage


def _labelled(read: Read, label: Message, height: int, *arguments: Any, **film: Any) -> Picture:
    """A picture with the name of its experiment in a strip of `height` [pixel] above the picture."""
    picture = read(*arguments, **film)
    return np.concatenate((strip(picture.shape[1], height, translated(label)), picture))


@dataclass
class Beside:
    """What the film has beside its pictures: sound and subtitles, on the clock of the film."""

    fps: float
    track: FilmTrack | None
    subtitles: Subtitles
    frames: int = 0
    """Frames of the film so far."""

    def hear(self, shot: Snapshot) -> None:
        """Hear what happened before this snapshot, whose picture is the next frame."""
        if self.track is not None:
            self.track.hear(shot, self.frames)

    def say(self, *texts: str) -> None:
        """Show these lines from the next frame on."""
        self.subtitles.say(self.frames / self.fps, "\n".join(texts))


class StepFilm:
    """The pictures of one step."""

    def __init__(
        self,
        lecture: Lecture,
        number: int,
        language: str,
        plan: FilmPlan,
        maker: PictureMaker,
        stage: SideBySide,
        stop: Stop,
        beside: Beside,
    ) -> None:
        self._lecture, self._number = lecture, number
        self._step, self._stage, self._stop, self._fps = lecture.steps[number], stage, stop, plan.style.fps
        self._beside = beside
        step = self._step
        self._answer = text_in(step.answer, language)
        self._lines = Lines(
            text_in(step.title, language),
            text_in(step.question, language),
            f"{text_in(lecture.title, language)}  ·  {number + 1} / {len(lecture.steps)}",
        )
        shown = {**dict.fromkeys(step.show, True), **dict.fromkeys(step.hide, False)}
        self._view = View(colour_by=step.colour, shown=shown)
        self._forces = needs_forces(self._view)
        self._size = plan.style.size
        style = FilmStyle(plan.style.size, self._fps, self._view, self._speed(), title=plain(self._lines.title))
        self._course = LectureCourse.of(step)

        def direct(size: tuple[int, int], label: Message) -> Director:
            high = strip_height(self._size) if label else 0
            size = size[0], size[1] - high
            return Director(
                partial(_labelled, maker.read, label, high) if label else maker.read,
                replace(style, size=size, card=0.0 if label else READING),
                chosen=partial(self._camera, size),
                lines=lambda: replace(self._lines, title="", question="") if label else self._lines,
            )

        self._director: Director | Together
        if len(stage.runs) == 1:
            self._head, self._director = 0, direct(self._size, EMPTY)
        else:  # pictures side by side have no room for the words of the lecture, which are drawn above them
            self._head = head_height(self._size, self._lines.title, (self._lines.question, self._answer))
            self._director = Together(direct, (self._size[0], self._size[1] - self._head))

    def _speed(self) -> float | None:
        """Simulated seconds per second of film; None for the speed of each phase."""
        step, run = self._step, self._stage.first
        if step.paces or step.speed is None:
            return None
        return step.speed * float(run.scene.limits.time_scale(run.run.built))

    def _camera(self, size: tuple[int, int]) -> tuple[Camera | None, bool]:
        """The camera of the step, and whether it follows the grains."""
        step = self._step
        in_space = bool(step.look) or (step.box is not None and len(step.box[0]) == 3)
        azimuth, elevation = VIEWS[step.look or "three-quarter"]
        camera = Camera3D(azimuth=azimuth, elevation=elevation) if in_space else Camera2D()
        if step.box is None:
            return (camera if in_space else None), True
        room = picture_room(size, self._view.text_scale)
        edge = legend.left_edge(size[0], picture_scale(size) * self._view.text_scale)
        frame_box(camera, step.box, size, room, edge, room[1])
        return camera, False

    def pictures(self, show_progress: Callable[[float], None]) -> Iterator[Picture]:
        """Every picture of the step; `show_progress` gets the fraction done."""
        self._beside.say(self._lines.title, self._lines.question)
        if not self._head:
            yield from self._taken(show_progress)
            return
        shot = shot_of(self._stage, forces=False)
        names = tuple(translated(run.run.label) for run in (shot, *shot.beside))
        card = title_card(self._size, self._lines, names, translated(film_words(shot, 1.0).origin))
        yield from repeat(card, round(READING * self._fps))
        shown, above = self._lines, head(self._size, self._head, self._lines)
        for picture in self._taken(show_progress):
            if shown != self._lines:
                shown, above = self._lines, head(self._size, self._head, self._lines)
            yield picture if len(picture) == self._size[1] else np.concatenate((above, picture))

    def _taken(self, show_progress: Callable[[float], None]) -> Iterator[Picture]:
        """The pictures below the head, and the plot, which fills the film."""
        step, stage, course = self._step, self._stage, self._course
        run, fps = stage.first, self._fps
        filmed, over_at = 0, math.inf
        due = run.time
        idle = not step.actions and not step.values and step.seconds is None and not step.until
        while True:
            self._stop.check()
            shot = shot_of(stage, self._forces)
            action = course.due(shot)
            if action:
                do(stage, Act(action))
                course.did()
                shot = shot_of(stage, self._forces)
            elif filmed and math.isinf(over_at) and (course.is_over(shot) or self._answer_due(filmed)):
                # Only after the title card, which shows the question.
                over_at = filmed / fps
                answer = self._answer or self._answer_of_run(shot)
                self._lines = replace(self._lines, question=answer or self._lines.question, over=bool(answer))
                if answer:
                    self._beside.say(answer)
            elif filmed and math.isinf(over_at) and (obstacle := course.obstacle(shot)):
                print_line(f"Step {self._number + 1}, '{self._lines.title}': {obstacle}")
                over_at = filmed / fps
            self._beside.hear(shot)
            yield from self._director.take(shot)
            filmed += 1
            seconds = filmed / fps
            end = self._end(over_at, idle)
            show_progress(
                min(seconds / end, shot.run.progress or 0.0 if math.isinf(over_at) and step.seconds is None else 1.0)
            )
            if seconds >= end or run.fault is not None:
                break
            if step.paused and not step.actions:  # a step with actions waits for a guess: a film goes on
                continue
            due = max(due, run.time - self._director.interval) + self._director.interval
            advance_all(stage, due)
        complaint = unanswered(self._lecture, self._number, shot)
        if complaint:
            print_line(f"Step {self._number + 1}, '{self._lines.title}': {complaint}")
        page = self._page(shot)
        if page is not None:
            for _ in range(round(PLOT * fps)):
                yield page

    def _page(self, shot: Snapshot) -> Picture | None:
        """The plot of the step with its title; None if the step has no plot or the plot has no values."""
        if not self._step.plot:
            return None
        name, runs = self._step.plot, (shot, *shot.beside)
        curves: tuple[Curve, ...]
        if name == COMPARISON and shot.results.comparison is not None:  # it has the runs of all experiments
            curves, over_time = (shot.results.comparison,), False
        elif any(curve.name == name for curve in shot.results.curves):
            curves = together(runs, [[curve for curve in run.results.curves if curve.name == name] for run in runs])
            over_time = len(runs) > 1 and not any(line.points for curve in curves for line in curve.lines)
        elif len(runs) > 1:
            curves, over_time = curves_of_runs(runs, name), True
        else:
            curves, over_time = curves_over_time(shot, name, whole_span(shot)), True
        if not any(len(line.x) for curve in curves for line in curve.lines):
            print_line(
                f"The plot '{name}' of the step '{self._lines.title}' has no values; the film goes on without it."
            )
            return None
        from matplotlib.image import imread

        file = io.BytesIO()
        edge = [round(EDGE * side) for side in self._size]
        inner = self._size[0] - 2 * edge[0], self._size[1] - 2 * edge[1]
        title, question = plain(self._lines.title), plain(self._lines.question)
        sheet = Sheet(title, question, curves, over_time=over_time, language=current_language())
        with fonts_of_all_languages():
            draw(sheet, file, slide(inner))
        file.seek(0)
        light = np.round(255.0 * imread(file)[:, :, :3]).astype(np.int16)
        # Exchange light and dark and keep the hues: a white page dazzles an audience in a dark room.
        dark = light + 255 - light.max(axis=2, keepdims=True) - light.min(axis=2, keepdims=True)
        page = np.empty((self._size[1], self._size[0], 3), np.uint8)
        page[:] = GROUND
        part = page[edge[1] : self._size[1] - edge[1], edge[0] : self._size[0] - edge[0]]
        part[:] = np.maximum(dark, part)
        return page

    def _answer_of_run(self, shot: Snapshot) -> str:
        """The answer of the run to the question of its scene, if the audience guesses it in this step; or empty."""
        asked = self._step.guess is True and shot.results.answer is not None
        return translated(shot.results.answer.words) if asked and shot.results.answer else ""

    def _answer_due(self, filmed: int) -> bool:
        """Whether the answer is due: the film time of the step is fixed, and its last part shows the answer."""
        step = self._step
        return step.seconds is not None and not step.until and filmed / self._fps >= max(step.seconds - AFTER, 0.0)

    def _end(self, over_at: float, idle: bool) -> float:
        """Film time at which the step ends [s]."""
        step = self._step
        if step.until or step.seconds is None:
            return min(over_at + (step.seconds or (STILL if idle else AFTER)), LONGEST)
        return step.seconds
