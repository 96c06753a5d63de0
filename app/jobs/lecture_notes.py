"""The notes of a lecture as text, to be printed."""

from __future__ import annotations

import textwrap

from repose.app.lectures.lecture_file import Lecture, said

WIDTH = 100
"""Characters in a line."""


def notes_of(lecture: Lecture, language: str) -> str:
    """Every step with its number, title, question, answer and notes."""
    lines = [said(lecture.title, language), ""]
    for number, step in enumerate(lecture.steps, 1):
        lines.append(f"{number} / {len(lecture.steps)}  {said(step.title, language)}")
        for text in (step.question, step.answer, step.notes):
            for paragraph in said(text, language).splitlines():
                lines += textwrap.wrap(paragraph, WIDTH, initial_indent="    ", subsequent_indent="    ")
        lines.append("")
    return "\n".join(lines).rstrip()
