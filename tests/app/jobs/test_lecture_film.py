"""A lecture as one film: a card and the steps, in the length that the file asks for, and its notes as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from repose.app.jobs.film_plan import plan_film
from repose.app.jobs.lecture_film import READING, film_lecture
from repose.app.jobs.lecture_notes import notes_of
from repose.app.lectures.lecture_file import parse

RATE, SECONDS = 2, 1.0
LECTURE = parse(
    'title = { en = "Two steps", de = "Zwei Schritte" }\n'
    '[[step]]\ntitle = "Pour"\nquestion = "How many?"\nnotes = "Count them."\nscene = "heap"\n'
    f'parameters = {{ grain_count = 4 }}\nactions = ["fill"]\nspeed = 0.1\nseconds = {SECONDS}\n'
    f'[[step]]\ntitle = "Look"\nanswer = "Four."\ncontinue = true\npaused = true\nseconds = {SECONDS}\n',
    "two.toml",
)


@pytest.mark.gl
def test_the_film_has_every_step_with_its_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_film(f"{tmp_path}/film/", (96, 54), RATE)
    assert plan is not None
    assert film_lecture(LECTURE, plan, threads=1) == 0
    pictures = sorted((tmp_path / "film").glob("*.png"))
    assert len(pictures) == 2 * RATE * (READING + SECONDS)
    assert f"{len(pictures)} frames" in capsys.readouterr().out


@pytest.mark.gl
def test_a_step_that_the_scene_refuses_ends_the_film_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = LECTURE.steps[0]
    assert first.preset is not None
    refused = replace(first, preset=replace(first.preset, ready="barrel"))
    plan = plan_film(f"{tmp_path}/film/", (96, 54), RATE)
    assert plan is not None
    assert film_lecture(replace(LECTURE, steps=(first, refused)), plan, threads=1) == 3
    assert "barrel" in capsys.readouterr().err
    assert len([*(tmp_path / "film").glob("*.png")]) == RATE * (READING + SECONDS)


def test_the_notes_are_printed_with_titles_and_numbers() -> None:
    text = notes_of(LECTURE, "de")
    assert text.splitlines()[0] == "Zwei Schritte"
    assert "1 / 2  Pour" in text
    assert "    Count them." in text
