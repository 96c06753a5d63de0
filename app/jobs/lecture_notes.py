"""The notes of a lecture as text, to be printed."""

from __future__ import annotations

import textwrap

from repose.app.lectures.lecture_file import Lecture, text_in

WIDTH = 100
"""Characters in a line."""


def notes_of(lecture: Lecture, language: str) -> str:
    """Every step with its number, title, question, answer and notes."""
    lines = [text_in(lecture.title, language), ""]
    for number, step in enumerate(lecture.steps, 1):
        lines.append(f"{number} / {len(lecture.steps)}  {text_in(step.title, language)}")
        for text in (step.question, step.answer, step.notes):
            for paragraph in text_in(text, language).splitlines():
                lines += textwrap.wrap(paragraph, WIDTH, initial_indent="    ", subsequent_indent="    ")
        lines.append("")
    return "\n".join(lines).rstrip()
