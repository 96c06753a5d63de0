"""Questions to the user before something is lost: asked over the picture, once, and done only after a yes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repose.app.ui.ui import Ui

QUESTION = "question"
"""Entry of `Ui.memory`: the open question."""


@dataclass(frozen=True)
class Question:
    """What is about to be lost, the word for going on, and the function that goes on."""

    text: str
    yes: str
    act: Callable[[], object]


def ask(ui: Ui, text: str, yes: str, act: Callable[[], object]) -> None:
    """Ask before `act` is called; a later question replaces an open one."""
    ui.memory[QUESTION] = Question(text, yes, act)


def open_question(ui: Ui) -> Question | None:
    """The question that waits for an answer, if any."""
    question: Question | None = ui.memory.get(QUESTION)
    return question


def answer(ui: Ui, yes: bool) -> None:
    """Close the open question; go on after a yes."""
    question = ui.memory.pop(QUESTION, None)
    if question is not None and yes:
        question.act()


def is_losing(ui: Ui) -> bool:
    """Whether another run would replace one that has begun."""
    return ui.snapshot.step > 0
