"""A signal during the start of the program ends it with a word and the documented exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from repose.app.signals import INTERRUPTED, SIGNALS, Interrupt, held, stop_at_once

from tests.app.program import UNIX, start

AT = """
import os, signal, sys
import repose.app.__main__  # as the entry point of the installed program does

ignored, module, number, swallowed, *arguments = sys.argv

class AtImport:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            try:
                os.kill(os.getpid(), int(number))
            except BaseException:
                if not swallowed:
                    raise

sys.meta_path.insert(0, AtImport())
sys.argv[1:] = arguments
repose.app.__main__.main()
"""
"""The program, sent a signal when it begins to load a module, which may swallow what that raises."""


def sent(number: int, module: str, swallowed: str = "") -> list[str]:
    return [AT, module, str(int(number)), swallowed]


@UNIX
@pytest.mark.parametrize(
    ("module", "number"),
    [
        *(("pydantic", number) for number in SIGNALS),
        *(
            (module, signal.SIGTERM)
            for module in ("typer", "numba", "repose.app.jobs.headless_plan", "repose.sim.experiment.headless")
        ),
    ],
)
def test_a_signal_during_imports_ends_the_program_with_one_word(module: str, number: int, here: Path) -> None:
    program = start(["run", "heap", "--no-picture"], here, code=sent(number, module))
    said, told = program.communicate(timeout=60)
    assert (program.returncode, said) == (INTERRUPTED, "")
    assert told.splitlines()[-1] == "Stopped."
    assert "Traceback" not in told


@UNIX
def test_a_signal_while_the_window_opens_ends_the_program_with_one_word(here: Path) -> None:
    for module in ("repose.app.window.start", "pygame"):
        program = start([], here, code=sent(signal.SIGTERM, module), DISPLAY=":nowhere", XDG_CONFIG_HOME=str(here))
        said, told = program.communicate(timeout=60)
        assert (program.returncode, said, told) == (INTERRUPTED, "", "Stopped.\n")


@UNIX
def test_a_signal_whose_exception_a_library_catches_ends_the_run(here: Path) -> None:
    arguments = ["run", "heap", "--set", "grain_count=40", "--set", "width=0.012", "--no-picture"]
    program = start(arguments, here, code=sent(signal.SIGTERM, "repose.app.jobs.headless_plan", "swallowed"))
    _, told = program.communicate(timeout=120)
    assert program.returncode == INTERRUPTED, told
    assert "Traceback" not in told


DRAW = """
import sys
import repose.app.signals

class Signals:
    def find_spec(self, name, path=None, target=None):
        if name == "imgui_bundle":
            repose.app.signals.interrupt(2, None)

sys.meta_path.insert(0, Signals())
try:
    from repose.app.window import picture
    picture.open_offscreen = lambda: None
    picture.PictureMaker()
except repose.app.signals.Interrupt:
    print("imgui_bundle._imgui_bundle" in sys.modules)
"""
"""A signal as the library of the panels begins to load, for a picture; says whether it has been loaded completely."""


def test_a_signal_while_the_library_in_c_plus_plus_loads_is_answered_after_it() -> None:
    said = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, text=True, timeout=60)
    assert (said.stdout, said.stderr) == ("True\n", "")


def test_a_held_signal_is_answered_at_the_end_of_the_outer_block() -> None:
    done = []

    def load() -> None:
        with held():
            with held():
                stop_at_once()
                done.append("inner")
            done.append("outer")
        done.append("never")

    with pytest.raises(Interrupt):
        load()
    assert done == ["inner", "outer"]
    with held():
        done.append("without a signal")
    with pytest.raises(Interrupt):
        stop_at_once()


@UNIX
def test_signals_ignored_from_outside_stay_ignored(here: Path) -> None:
    program, *rest = sent(signal.SIGHUP, "typer")
    ignoring = f"import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n{program}"
    process = start(["--version"], here, code=[ignoring, *rest])
    said, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, "")
    assert said.startswith("repose")


@UNIX
@pytest.mark.slow
def test_a_signal_while_engines_are_compiled_ends_the_program_and_its_process(here: Path) -> None:
    with start(["prepare"], here, NUMBA_CACHE_DIR=str(here / "empty")) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "engine 1 of" in line:
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)  # ends when the pipe is closed by the compiling process, too
    assert process.returncode == 130
    assert errors.endswith("Stopped.\n")
    assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.timeout(3_000)
def test_engines_are_compiled_once(here: Path) -> None:
    for said in ("every scene and preset starts at once.", "All engines are compiled already"):
        with start(["prepare"], here) as process:
            output, errors = process.communicate(timeout=3_000)
        assert process.returncode == 0, errors
        assert said in output


LAST = """
import atexit, sys
import repose.app.__main__
class Object:
    def __del__(self):
        print("destroyed", flush=True)
kept = Object()
atexit.register(print, "exit function")
repose.app.__main__.main()
"""


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["run", "no such scene"], 2)])
def test_the_program_ends_without_the_destruction_of_all_objects(arguments: list[str], code: int, here: Path) -> None:
    """The destruction takes many seconds under load, after the window has closed."""
    program = start(arguments, here, code=[LAST])
    said, _ = program.communicate(timeout=60)
    assert program.returncode == code
    assert said.splitlines()[-1] == "exit function"
