"""Compiling engines in a separate process: its messages become progress, and it ends when it is stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import pytest
from repose.app.storage import compile_process
from repose.app.storage.compile_process import CompileProcess

from tests.app.program import UNIX
from tests.english import english

EXPECTED = {"heap": {"loop": 10.0, "table": 10.0}, "slope": {"loop": 20.0, "table": 20.0}}


class FakeProcess:
    exitcode = 3

    def start(self) -> None: ...

    def join(self) -> None: ...

    def terminate(self) -> None: ...


class FakeContext:
    """Starts no process; the test writes into its end of the pipe."""

    sender: Connection

    def Pipe(self, duplex: bool) -> tuple[Connection, Any]:
        receiver, self.sender = Pipe(duplex=False)
        return receiver, type("End", (), {"close": lambda end: None})()

    def Process(self, **_: Any) -> FakeProcess:
        return FakeProcess()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> FakeContext:
    context = FakeContext()
    monkeypatch.setattr(compile_process, "get_context", lambda method: context)
    return context


def test_share_and_time_follow_the_parts_that_are_done(told: FakeContext) -> None:
    clock = [50.0]
    process = CompileProcess(clock=lambda: clock[0])
    assert process.state().missing is None
    told.sender.send(("missing", EXPECTED))
    told.sender.send(("part", "heap", "loop"))
    state = process.state()
    assert (state.missing, state.done, state.share, state.seconds_left) == (2, 0, 0.0, 60.0)
    clock[0] += 20.0
    told.sender.send(("part", "heap", "table"))
    state = process.state()
    assert (state.engine, state.part) == ("heap", "table")
    assert (state.share, state.seconds_left) == (pytest.approx(10.0 / 60.0), 50.0)
    clock[0] += 20.0
    told.sender.send(("done", "heap", ""))
    told.sender.send(("part", "slope", "loop"))
    state = process.state()
    assert (state.done, state.share) == (1, pytest.approx(20.0 / 60.0))
    assert state.seconds_left == pytest.approx(80.0)  # twice the expected time, as the first engine took
    clock[0] += 90.0
    told.sender.send(("done", "slope", "The engine of slope could not be compiled: MemoryError."))
    told.sender.close()
    state = process.state()
    assert (state.ended, state.done, state.share) == (True, 1, 1.0)
    assert english(state.failures) == ("The engine of slope could not be compiled: MemoryError.",)


def test_the_process_ends_at_once_if_no_engine_is_missing(told: FakeContext) -> None:
    process = CompileProcess()
    told.sender.send(("missing", {}))
    told.sender.close()
    process.state()
    state = process.state()
    assert (state.ended, state.missing, state.done, state.failures) == (True, 0, 0, ())


def test_a_killed_process_is_reported_in_one_sentence(told: FakeContext) -> None:
    process = CompileProcess()
    told.sender.send(("missing", EXPECTED))
    told.sender.send(("part", "heap", "loop"))
    told.sender.close()
    process.state()
    state = process.state()
    assert state.ended
    assert english(state.failures) == ("Compiling of heap ended with exit code 3.",)


def test_a_real_process_says_what_is_missing_and_ends_when_it_is_stopped() -> None:
    process = CompileProcess()
    until = time.monotonic() + 120.0
    while (state := process.state()).missing is None and not state.ended and time.monotonic() < until:
        process.wait(0.5)
    process.stop()
    assert state.missing is not None
    assert state.failures == ()
    assert not process._process.is_alive()
    assert process.state().ended


@UNIX
def test_a_background_process_has_the_lowest_priority() -> None:
    code = "import os; from repose.sim.study.child_process import lower_priority; lower_priority(); print(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "19\n"
