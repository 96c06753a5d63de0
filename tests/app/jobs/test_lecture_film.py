"""A lecture as one film: a card and the steps, in the length that the file asks for, and its notes as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import av
import numpy as np
import pytest
from repose.app.jobs import lecture_film
from repose.app.jobs.film_plan import plan_film
from repose.app.jobs.lecture_film import PLOT, READING, Beside, StepFilm, begun, do, film_lecture, shot_of
from repose.app.jobs.lecture_notes import notes_of
from repose.app.jobs.requests import FilmRequest
from repose.app.language import current_language, translated
from repose.app.lectures.lecture_file import load, names, parse
from repose.app.lectures.step_course import LectureCourse
from repose.app.render.film_words import film_words
from repose.app.storage.subtitles import Subtitles
from repose.sim.experiment.commands import Act
from repose.sim.experiment.side_by_side import advance_all
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import joined
from repose.sim.registry import scenes

RATE, SECONDS = 2, 1.0
STYLE = FilmRequest(RATE, "96x54")
LECTURE = parse(
    'title = { en = "Two steps", de = "Zwei Schritte" }\n'
    '[[step]]\ntitle = "Pour"\nquestion = "How many?"\nnotes = "Count them."\nscene = "heap"\n'
    f'parameters = {{ grain_count = 4 }}\nactions = ["fill"]\nspeed = 0.1\nseconds = {SECONDS}\n'
    f'[[step]]\ntitle = "Look"\nanswer = "Four."\ncontinue = true\npaused = true\nseconds = {SECONDS}\n',
    "two.toml",
)


@pytest.mark.gl
def test_the_film_has_every_step_with_its_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_film(f"{tmp_path}/film/", STYLE)
    assert film_lecture(LECTURE, plan, threads=1) == 0
    pictures = sorted((tmp_path / "film").glob("*.png"))
    assert len(pictures) == 2 * RATE * (READING + SECONDS)
    assert f"{len(pictures)} frames" in capsys.readouterr().out


@pytest.mark.parametrize(("code", "words"), [("pl", "Usyp, μ = 0,1"), ("en", "Heap, μ = 0.1")])
def test_everything_in_the_film_is_in_its_language_and_the_report_is_english(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    seen: set[str] = set()

    def read(snapshot: Snapshot, _view: object, size: tuple[int, int], *_: object, **__: object) -> Any:
        words = film_words(snapshot, 1.0)
        seen.add(translated(joined((words.title, words.parameters[0]))))
        return np.zeros((size[1], size[0], 3), np.uint8)

    maker = SimpleNamespace(read=read, close=lambda: None)
    monkeypatch.setattr(lecture_film, "open_picture_maker", lambda size: maker)
    plan = plan_film(f"{tmp_path}/film/", STYLE)
    assert film_lecture(LECTURE, plan, code, threads=1) == 0
    assert seen == {words}
    assert "frames" in capsys.readouterr().out
    assert current_language() == "en"


def test_titles_questions_and_answers_are_subtitles_in_the_film_and_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(snapshot: Snapshot, _view: object, size: tuple[int, int], *_: object, **__: object) -> Any:
        return np.zeros((size[1], size[0], 3), np.uint8)

    maker = SimpleNamespace(read=read, close=lambda: None)
    monkeypatch.setattr(lecture_film, "open_picture_maker", lambda size: maker)
    style = replace(STYLE, sound=True)
    assert film_lecture(LECTURE, plan_film(f"{tmp_path}/two.mp4", style), "de", threads=1) == 0
    assert f"subtitles        {tmp_path / 'two.srt'}" in capsys.readouterr().out
    step = READING + SECONDS
    # The last step has no question: its answer is shown once, at its end.
    assert (
        (tmp_path / "two.srt")
        .read_text(encoding="utf-8")
        .startswith(f"1\n00:00:00,000 --> 00:00:02,000\nPour\nHow many?\n\n2\n00:00:0{step:.0f},000 --> ")
    )
    with av.open(f"{tmp_path}/two.mp4") as container:
        assert [stream.type for stream in container.streams] == ["video", "audio", "subtitle"]
        assert container.streams.subtitles[0].metadata["language"] == "deu"
        assert container.streams.video[0].frames == 2 * RATE * step


@pytest.mark.gl
def test_a_step_that_the_scene_refuses_ends_the_film_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = LECTURE.steps[0]
    assert first.preset is not None
    refused = first.model_copy(update={"preset": replace(first.preset, ready="barrel")})
    plan = plan_film(f"{tmp_path}/film/", STYLE)
    assert film_lecture(replace(LECTURE, steps=(first, refused)), plan, threads=1) == 3
    assert "barrel" in capsys.readouterr().err
    assert len([*(tmp_path / "film").glob("*.png")]) == RATE * (READING + SECONDS)


def filmed(folder: Path, step: str, times: list[float] | None = None) -> tuple[list[Any], list[str]]:
    """The pictures of a step of its own, black where OpenGL draws, and the question or answer on each drawing; the
    simulated time of each drawing is added to `times` [s]."""
    lecture, plan = parse(f'[[step]]\ntitle = "A"\n{step}', "one.toml"), plan_film(f"{folder}/film/", STYLE)
    asked: list[str] = []

    def read(snapshot: Snapshot, _view: object, size: tuple[int, int], *_: object, **__: object) -> Any:
        asked.append(film._lines.question)
        if times is not None:
            times.append(snapshot.run.time)
        return np.zeros((size[1], size[0], 3), np.uint8)

    maker, stop = cast("Any", SimpleNamespace(read=read)), cast("Any", SimpleNamespace(check=lambda: None))
    beside = Beside(RATE, None, Subtitles())
    film = StepFilm(lecture, 0, "en", plan, maker, begun(None, lecture.steps[0], threads=1), stop, beside)
    return [*film.pictures(lambda share: None)], asked


def test_the_title_card_of_a_step_that_is_over_at_once_asks_its_question(tmp_path: Path) -> None:
    _, asked = filmed(tmp_path, 'question = "How many?"\nanswer = "None."\nscene = "heap"\n')
    assert asked[0] == "How many?", "drawn once for the whole card"
    assert asked[-1] == "None."


@pytest.mark.parametrize(("actions", "goes_on"), [('actions = ["fill"]\n', True), ("", False)])
def test_a_film_waits_for_space_only_in_a_step_without_actions(tmp_path: Path, actions: str, goes_on: bool) -> None:
    times: list[float] = []
    step = 'scene = "heap"\nparameters = { grain_count = 4 }\npaused = true\nspeed = 0.1\nseconds = 1\n'
    filmed(tmp_path, step + actions, times)
    assert (times[-1] > times[0]) is goes_on


def test_experiments_side_by_side_have_title_question_and_answer_above_their_pictures(tmp_path: Path) -> None:
    step = 'question = "How many?"\nanswer = "Four."\nscene = "heap"\nparameters = { grain_count = 4 }\n'
    pictures, _ = filmed(tmp_path, step + "side_by_side = { friction = [0.1, 0.2] }\nspeed = 0.1\nseconds = 4\n")
    assert {picture.shape for picture in pictures} == {(54, 96, 3)}
    card, first, last = pictures[0], pictures[round(READING * RATE)], pictures[-1]
    assert len(pictures) == (READING + 4) * RATE
    assert not np.array_equal(card, first)
    changed = (first != last).any(axis=(1, 2))
    assert changed.any(), "the answer takes the place of the question"
    assert not changed[27:].any(), "below, grains that the test does not draw and their names"
    assert first[:27].max() > 200, "letters"


@pytest.mark.parametrize(("plot", "drawn"), [("motion", True), ("angle", False)])
def test_a_plot_over_time_has_a_page_at_the_end_of_its_step_if_it_has_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plot: str, drawn: bool
) -> None:
    poured = 'scene = "heap"\nparameters = { grain_count = 4 }\nactions = ["fill"]\nspeed = 0.1\nseconds = 1\n'
    pictures, _ = filmed(tmp_path, f'{poured}plot = "{plot}"\n')
    pages = [picture for picture in pictures if isinstance(picture, np.ndarray) and picture.any()]
    assert len(pages) == drawn * PLOT * RATE
    assert ("has no values" in capsys.readouterr().err) is not drawn


@pytest.mark.parametrize("name", names())
def test_every_step_of_the_shipped_lectures_begins_and_does_its_first_action(name: str) -> None:
    """In small: with the numbers of grains that the tests of each scene use."""
    lecture, stage = load(name), None
    for number, step in enumerate(lecture.steps):
        if step.preset is not None:
            small = dict(scenes()[step.preset.scene].test_values)
            values = {**small, **{key: value for key, value in step.preset.values.items() if key not in small}}
            step = step.model_copy(update={"preset": replace(step.preset, values=values, ready=None)})
        stage = begun(stage, step, threads=1)
        course = LectureCourse.of(step)
        for _ in range(3):
            shot = shot_of(stage, forces=False)
            if action := course.due(shot):
                do(stage, Act(action))
                course.did()
            advance_all(stage, stage.first.time + 5 * stage.first.dt)
        assert stage.first.fault is None
        assert stage.first.scene.name == lecture.scene_of(number)
        declared = type(stage.first.parameters).declared()
        assert all(parameter in declared for parameter in step.controls)
        plots = {"comparison"} | {curve.name for curve in stage.first.scene.view.curves(stage.first)}
        assert not step.plot or step.plot in plots


def test_the_notes_are_printed_with_titles_and_numbers() -> None:
    text = notes_of(LECTURE, "de")
    assert text.splitlines()[0] == "Zwei Schritte"
    assert "1 / 2  Pour" in text
    assert "    Count them." in text
