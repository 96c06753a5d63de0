"""Runs that a thread does while the window goes on: how they start, stop and fail."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from repose.app.countdown import Countdown
from repose.app.stopping import StopAsked
from repose.sim.message import EMPTY, Message, Number, _, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import described, message_of, reason_of

log = logging.getLogger(__name__)

Plan = TypeVar("Plan")

END_TIME = 2.0
"""Longest wall time to wait for the processes to end when the window closes [s]."""


@dataclass
class BackgroundRuns:
    """The thread that does runs, and what it says about them. The work writes `done`, `total` and `share`."""

    name: str
    """Name of the thread."""
    done: int = 0
    """Number of runs that have ended."""
    total: int = 0
    """Number of all runs, or the largest possible one."""
    share: float = 0.0
    """Fraction of all runs that is done, 0 to 1; part of it is done in runs under way."""
    time_left: str = ""
    """Remaining wall time, such as "3 min"; empty while it is not known."""
    _countdown: Countdown = field(default_factory=Countdown)
    trouble: Message = EMPTY
    """Why the runs were refused, or why a run has no result."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether runs are under way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether the last runs were ended before all of them were done."""
        return self._stopping.is_set() and not self.running and self.done < self.total

    @property
    def words(self) -> Message:
        """How many runs have ended; their number is known as soon as the thread has planned them."""
        if not self.total:
            return _("no runs yet")
        return plural("{done} of {count} run", "{done} of {count} runs", done=self.done, count=self.total)

    @property
    def progress(self) -> tuple[Message, ...]:
        """The same with the fraction of all runs that is done and the remaining time, from the longest text to the
        shortest."""
        if not self.running or not self.total:
            return (self.words,)
        share = Message("{runs}, {share}", runs=self.words, share=Number(self.share, format=".1%"))
        if not self.time_left:
            return share, self.words
        return Message("{progress}, {time} left", progress=share, time=self.time_left), share, self.words

    def show(self, share: float) -> None:
        """Set the fraction of all runs that is done, with the remaining time; raises `StopAsked` if they are to end."""
        self.share, self.time_left = share, self._countdown.time(share)
        self.check()

    def start(self, make: Callable[[], Plan], work: Callable[[Plan], None]) -> None:
        """Do the work of the plan that `make` returns; if it raises `ParameterError`, this is the trouble."""
        if self.running:
            return
        self.trouble = EMPTY
        try:
            plan = make()
        except ParameterError as error:
            self.trouble = message_of(error)
            return
        self.done, self.total, self.share, self.time_left, self._countdown = 0, 0, 0.0, "", Countdown()
        self._stopping.clear()
        self._thread = threading.Thread(target=self._work, args=(work, plan), name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the runs under way; those that have ended are on disk and count."""
        self._stopping.set()

    def end(self) -> None:
        """End the runs when the window closes, and wait for their processes."""
        self.stop()
        self.wait(END_TIME)

    def wait(self, longest: float) -> None:
        """Wait until the work has ended, not longer than this wall time [s]."""
        if self._thread is not None:
            self._thread.join(longest)

    def check(self) -> None:
        """Raise `StopAsked` if the runs are to end."""
        if self._stopping.is_set():
            raise StopAsked

    def _work(self, work: Callable[[Plan], None], plan: Plan) -> None:
        try:
            with suppress(StopAsked):
                work(plan)
            self.share = self.done / max(self.total, 1)  # the progress of stopped runs is lost
        except ParameterError as error:
            self.trouble = message_of(error)
        except Exception as error:  # an error of the disk or of a process must not end the window
            log.exception("The runs could not be done.")
            self.trouble = Message("The runs could not be done: {error}.", error=reason_of(error, described(error)))
