"""Compile the engines that are not on disk yet in a separate process: `repose prepare`, and the window in the
background. The process ends with the program; engines compiled so far remain on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from repose.sim.message import EMPTY, Message, _
from repose.sim.study.child_process import end_with_parent, ignore_interrupts, lower_priority, start_shielded
from repose.sim.wording import described


class CompileState(NamedTuple):
    """Progress of the process."""

    engine: str
    """Engine that is being compiled; empty before the first and after the last."""
    part: str
    """Part of the engine, a key of `repose.sim.study.preparation.PARTS`."""
    done: int
    """Number of engines compiled by this process."""
    missing: int | None
    """Number of engines that were not on disk when the process began; None until it is known."""
    share: float
    """Fraction of the expected time that has passed [-]."""
    seconds_left: float | None
    """Expected remaining time [s]; None until it is known."""
    ended: bool
    failures: tuple[Message, ...]
    """One sentence for each engine that could not be compiled or stored."""


@dataclass
class CompileProcess:
    """A process that compiles the missing engines one after the other; `state` is its progress, `stop` ends it."""

    low: bool = False
    """Whether the process has the lowest priority."""
    clock: Callable[[], float] = time.monotonic
    _expected: dict[str, dict[str, float]] | None = None
    """Expected times by engine and part [s]."""
    _durations: dict[str, float] = field(default_factory=dict)
    """Measured times by engine [s]."""
    _now: tuple[str, str, float] | None = None
    """Engine and part that are being compiled, and when the part began [s]."""
    _failures: list[Message] = field(default_factory=list)
    _ended: bool = False

    def __post_init__(self) -> None:
        context = get_context("spawn")
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(sender, self.low), daemon=True)
        start_shielded(self._process)
        sender.close()  # only the process has this end then: once it is closed, no message follows
        self._began = 0.0

    def state(self) -> CompileState:
        """Progress of the process."""
        self._listen()
        expected = self._expected
        if expected is None:
            return CompileState("", "", 0, None, 0.0, None, self._ended, tuple(self._failures))
        from repose.sim.study.preparation import progress_in

        engine, part, began = self._now or ("", "", 0.0)
        now = progress_in(expected[engine], part, self.clock() - began) if engine else None
        whole = {words: sum(parts.values()) for words, parts in expected.items()}
        finished = sum(whole[words] for words in self._durations)
        left = sum(whole[words] for words in whole if words not in self._durations and words != engine)
        # Measured over expected time is assumed to be equal for the remaining and the compiled engines.
        factor = sum(self._durations.values()) / finished if finished else 1.0
        passed = finished + (now.share * whole[engine] if now else 0.0)
        share = 1.0 if self._ended or not whole else passed / sum(whole.values())
        seconds = factor * ((now.seconds_left or 0.0 if now else 0.0) + left)
        done = len(self._durations) - len(self._failures)
        return CompileState(engine, part, done, len(expected), share, seconds, self._ended, tuple(self._failures))

    def wait(self, seconds: float) -> None:
        """Wait for a message of the process, at most this long."""
        if not self._ended:
            self._receiver.poll(seconds)

    def stop(self) -> None:
        """End the process now; engines compiled so far remain on disk."""
        self._ended = True
        self._process.terminate()
        self._process.join()

    def _listen(self) -> None:
        try:
            while not self._ended and self._receiver.poll():
                self._take(*self._receiver.recv())
        except (EOFError, OSError):
            self._process.join()
            self._ended = True
            if self._expected is None or len(self._durations) < len(self._expected):
                engine = self._now[0] if self._now else _("the engines")
                self._failures.append(
                    Message(
                        "Compiling of {engine} ended with exit code {exitcode}.",
                        engine=engine,
                        exitcode=str(self._process.exitcode),
                    )
                )
            self._now = None

    def _take(self, kind: str, *news: Any) -> None:
        now = self.clock()
        if kind == "missing":
            self._expected = news[0]
        elif kind == "part":
            engine, part = news
            if self._now is None or self._now[0] != engine:
                self._began = now
            self._now = engine, part, now
        else:
            engine, failure = news
            self._durations[engine] = now - self._began
            self._now = None
            if failure:
                self._failures.append(failure)


def _send_part(sender: Connection, words: str, part: str) -> None:
    sender.send(("part", words, part))


def _work(sender: Connection, low: bool) -> None:
    """The work of the process."""
    ignore_interrupts()
    end_with_parent()
    if low:
        lower_priority()
    from repose.sim.study.preparation import compile_engine, expected_times, is_stored, needed_engines

    missing = [needed for needed in needed_engines() if not is_stored(needed)]
    sender.send(("missing", {needed.words: expected_times(needed) for needed in missing}))
    for needed in missing:
        failure = EMPTY
        try:
            compile_engine(needed, partial(_send_part, sender, needed.words))
            if not is_stored(needed):
                failure = Message("The engine of {words} was compiled but could not be stored.", words=needed.words)
        except BrokenPipeError:
            return
        except Exception as error:  # a law of a plug-in can make the compiler raise any error
            failure = Message(
                "The engine of {words} could not be compiled: {error}.",
                words=needed.words,
                error=described(error, whole=True),
            )
        sender.send(("done", needed.words, failure))
