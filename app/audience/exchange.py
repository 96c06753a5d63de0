"""What window and server exchange: the question and the state of the remote one way, answers and actions the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from repose.sim.measure.display import Guess
from repose.sim.message import Message

MOST_ACTIONS = 32
"""Largest number of actions of the remote that wait for the window; further ones are refused."""


@dataclass(frozen=True)
class AskedQuestion:
    """The number or the choice that the phones ask for."""

    number: int
    """Number of the question in this session, from 1."""
    guess: Guess
    words_in: Mapping[str, str] = field(default_factory=dict)
    """The name of the number by the code of a language, in a lecture; empty if the name in `guess` is translated."""
    choices_in: tuple[Mapping[str, str], ...] = ()
    """The name of each choice by the code of a language, in a lecture; empty if those in `guess` are translated."""
    is_open: bool = True
    """False once the run has answered: then no guess is taken."""


@dataclass(frozen=True)
class Answered:
    """An answer of a phone."""

    number: int
    """Number of its question."""
    value: float
    """In the unit of the question, or the number of the choice."""


@dataclass(frozen=True)
class RemotePicture:
    """Pixels of the window for the remote, the lowest row first."""

    serial: int
    at: float
    """When it was drawn [s, clock of `time.monotonic`]."""
    width: int
    height: int
    pixels: bytes
    """Red, green and blue of each, 8 bit."""


@dataclass
class Exchange:
    """The data that window and server share. Every field is replaced as a whole, and each has one writer.

    `answers` and `actions` are filled by the server and emptied by the window, under a lock that is held for the
    exchange of references only.
    """

    question: AskedQuestion | None = None
    """The present question; None if nothing is asked. Written by the window."""
    remote: Mapping[str, Any] = field(default_factory=dict)
    """What the remote shows, with messages; empty before the first frame. Written by the window."""
    picture: RemotePicture | None = None
    """Written by the window, while `watched` is recent."""
    connected: int = 0
    """Number of phones that show the page. Written by the server."""
    remotes: int = 0
    """Number of connections of the remote. Written by the server."""
    watched: float = 0.0
    """When the remote last asked for a picture [s, clock of `time.monotonic`]. Written by the server."""
    trouble: Message | None = None
    """Why the server has ended by itself. Written by the server."""
    wake: Callable[[], None] = lambda: None
    """Tells the server that something was published. Written by the server."""
    _answers: dict[str, Answered] = field(default_factory=dict)
    _actions: list[Mapping[str, Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def publish(self, question: AskedQuestion | None, remote: Mapping[str, Any]) -> None:
        """Show this question and this state from now on; called by the window."""
        if question != self.question or remote != self.remote:
            self.question, self.remote = question, remote
            self.wake()

    def put_answer(self, client: str, answer: Answered) -> None:
        """Pass an answer on; it replaces one of the same phone. The server limits the number of phones."""
        with self._lock:
            self._answers[client] = answer

    def put_action(self, action: Mapping[str, Any]) -> bool:
        """Pass an action of the remote on; False if too many wait."""
        with self._lock:
            if len(self._actions) >= MOST_ACTIONS:
                return False
            self._actions.append(action)
            return True

    def take(self) -> tuple[dict[str, Answered], list[Mapping[str, Any]]]:
        """All answers by phone, and all actions, since the last call; called by the window."""
        if not self._answers and not self._actions:  # read without the lock: what comes later is taken next time
            return {}, []
        with self._lock:
            answers, self._answers = self._answers, {}
            actions, self._actions = self._actions, []
        return answers, actions
