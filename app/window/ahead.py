"""Engines of the other scenes, compiled in the background while the first one runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from repose.app.storage.compile_process import CompileProcess
from repose.app.ui.ui import Ui
from repose.sim.message import EMPTY, Message

CALM = 10.0
"""Wall time for which a run is shown before other engines are compiled [s]. The process has low priority and leaves the
processors to the run; the user often chooses the next scene within a minute."""
INTERVAL = 1.0
"""Wall time between two checks of the process [s]."""


@dataclass
class Ahead:
    """Starts one process of low priority some time after the window has opened, and reports its progress."""

    start: Callable[[], CompileProcess] = lambda: CompileProcess(low=True)
    clock: Callable[[], float] = time.monotonic
    _process: CompileProcess | None = None
    _ready_at: float | None = None
    _due: float = 0.0

    def tick(self, ui: Ui) -> None:
        """Start or check the process; call it once per frame."""
        now = self.clock()
        if now < self._due:
            return
        self._due = now + INTERVAL
        if ui.snapshot.serial == 0 or ui.snapshot.engine.compiling:
            self._ready_at = None
            return
        self._ready_at = self._ready_at or now
        if self._process is None and now >= self._ready_at + CALM:
            self._process = self.start()
        if self._process is not None:
            ui.program.preparing = self._words(self._process)

    def stop(self) -> None:
        """End the process; engines compiled so far remain on disk."""
        if self._process is not None and not self._process.state().ended:
            self._process.stop()

    def _words(self, process: CompileProcess) -> Message:
        state = process.state()
        if state.failures:
            return state.failures[-1]
        if state.ended or not state.missing:
            return EMPTY
        return Message(
            "Other scenes are prepared in the background: {done} of {missing}, {engine}.",
            done=state.done,
            missing=state.missing,
            engine=state.engine,
        )
