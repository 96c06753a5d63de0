"""Other engines are compiled in the background once the first one runs, and the process ends with the window."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from repose.app.storage.compile_process import CompileState
from repose.app.ui.ui import ProgramState
from repose.app.window.ahead import CALM, Ahead
from repose.sim.experiment.snapshot import Snapshot

from tests.snapshots import snapshot_of


class Process:
    """A process that never ends by itself."""

    stopped = False

    def state(self) -> CompileState:
        return CompileState("heap3d: hertz_mindlin", "step loop", 2, 7, 0.3, 60.0, False, ())

    def stop(self) -> None:
        self.stopped = True


def test_other_engines_are_compiled_some_time_after_the_first_and_until_the_window_closes() -> None:
    now, started = [0.0], list[Process]()

    def start() -> Any:
        started.append(Process())
        return started[-1]

    ahead = Ahead(start, lambda: now[0])
    ui: Any = SimpleNamespace(snapshot=snapshot_of(serial=1, compiling=True), program=ProgramState())
    for now[0] in (1.0, 2.0 * CALM):
        ahead.tick(ui)
    assert started == []
    ui.snapshot = Snapshot(serial=2)
    for now[0] in (2.0 * CALM + 2.0, 3.0 * CALM):
        ahead.tick(ui)
    assert started == []
    for now[0] in (3.0 * CALM + 4.0, 3.0 * CALM + 6.0):
        ahead.tick(ui)
    assert len(started) == 1
    assert "2 of 7, heap3d" in str(ui.program.preparing)
    ahead.stop()
    assert started[0].stopped
