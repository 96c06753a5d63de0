"""`repose prepare`: compile every engine that the shipped scenes and presets need, so that each starts at once."""

from __future__ import annotations

from repose.app.progress import Progress, print_line, write_out
from repose.app.storage.compile_process import CompileProcess, CompileState
from repose.sim.study.run_length import duration

PREPARED, NOT_ALL = 0, 1
INTERVAL = 0.5
"""Wall time between two updates of the progress bar [s]."""


def prepare() -> int:
    """Compile what is missing; returns the exit code. Ctrl-C ends it at once and keeps what has been compiled."""
    process = CompileProcess()
    try:
        with Progress("Compiling the engines of all scenes and presets") as progress:
            while not (state := process.state()).ended:
                progress.show(
                    _words(state), state.share if state.missing else None, _outlook(state), stage=state.engine
                )
                process.wait(INTERVAL)
    finally:
        process.stop()
    for sentence in state.failures:
        print_line(sentence)
    if state.failures:
        return NOT_ALL
    done = f"{state.done} engines compiled" if state.done else "All engines are compiled already"
    write_out(f"{done}: every scene and preset starts at once.")
    return PREPARED


def _words(state: CompileState) -> str:
    if state.missing is None:
        return "looking for compiled engines"
    if state.missing == 0:
        return "nothing is missing"
    if not state.engine:
        return "beginning with the next engine"
    number = state.done + len(state.failures) + 1
    return f"engine {number} of {state.missing}, {state.engine}: {state.part}"


def _outlook(state: CompileState) -> str:
    return "" if not state.seconds_left else f"about {duration(state.seconds_left)} left"
