"""A real window on its own X server, driven by real mouse and key events."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repose.app.window.application import REPORT_VARIABLE

ROOT = Path(__file__).resolve().parent.parent.parent
BARE = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <keyboard><keybind key="A-F4"><action name="Close"/></keybind></keyboard>
  <applications><application class="*"><decor>no</decor><position force="yes"><x>0</x><y>0</y></position>
  </application></applications>
</openbox_config>
"""
"""Window manager without frames, so that a screenshot of the screen is one of the window."""
FRAMED = '<openbox_config xmlns="http://openbox.org/3.4/rc"></openbox_config>'
"""Window manager as a person has it."""
FRAME_RATE = 10
"""Frames per second [1/s]: tests wait for physics much longer than for pictures, which are drawn without a card."""
PATIENCE = 200.0
"""Wall time [s] after which something that should happen counts as not happening; the engine may be compiling."""


@dataclass
class Desktop:
    """The program's window, what it reports, and a hand on mouse and keyboard."""

    environment: dict[str, str]
    program: subprocess.Popen[bytes]
    report: Path
    window: str = ""
    """As the X server calls it."""

    def look(self) -> dict[str, Any]:
        """The newest report: widgets and state."""
        self.until(self.report.exists, "a report")
        found: dict[str, Any] = json.loads(self.report.read_text(encoding="utf-8"))
        return found

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.look()["state"]
        return found

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Wait for something to become true."""
        end = time.monotonic() + PATIENCE
        while not done():
            if self.program.poll() is not None:
                raise AssertionError(f"The program ended with code {self.program.returncode} before {what}.")
            if time.monotonic() > end:
                found = self.look() if self.report.exists() else {}
                told = {name: found.get(name) for name in ("state", "toasts", "refusals", "broken", "tool", "widgets")}
                raise AssertionError(f"There is still no {what}; the last report: {json.dumps(told)[:6000]}")
            time.sleep(0.02)

    def fresh(self, frames: int = 3) -> dict[str, Any]:
        """A report of the second frame that began after this call.

        Every frame is reported. The one after the last report has already read its events.
        """
        before = self.look()["frame"]
        self.until(lambda: self.look()["frame"] >= before + frames, "newer frame")
        return self.look()

    def xdotool(self, *words: object) -> str:
        command = ["xdotool", *map(str, words)]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def point(self, widget: str, share: float = 0.5) -> None:
        """Move the mouse onto a widget, `share` of the way across it."""
        self.until(lambda: widget in self.look()["widgets"], f"widget {widget}")
        x0, y0, x1, y1 = self.fresh()["widgets"][widget]
        self.move(x0 + (x1 - x0) * share, (y0 + y1) / 2)

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a pixel of the window."""
        self.xdotool("mousemove", "--window", self.window, round(x), round(y))
        self.fresh()

    def click(self, widget: str, share: float = 0.5, button: int = 1) -> None:
        self.point(widget, share)
        self.xdotool("click", button)
        self.fresh(5)  # ImGui releases the button a frame after it was pressed

    def press(self, *keys: str) -> None:
        for key in keys:
            self.xdotool("key", key)
            self.fresh()

    def place(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the window, without its frame."""
        self.xdotool("mousemove", "--window", self.window, 0, 0)  # xdotool itself counts the frame twice
        corner = _read_shell(self.xdotool("getmouselocation", "--shell"))
        sides = _read_shell(self.xdotool("getwindowgeometry", "--shell", self.window))
        return corner["X"], corner["Y"], sides["WIDTH"], sides["HEIGHT"]

    def screenshot(self, path: Path) -> None:
        """The whole screen as PNG, as ImageMagick sees it."""
        subprocess.run(["import", "-window", "root", str(path)], env=self.environment, check=True)


def require_saved_run(desktop: Desktop) -> None:
    """The program has ended as after a signal, and the run is there for the next start."""
    assert desktop.program.wait(30) == 130
    assert list((desktop.report.parent / "state").rglob("run-*.repose"))


def _read_shell(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split("=") for line in text.split())}


@contextmanager
def open_desktop(
    folder: Path,
    *arguments: str,
    size: tuple[int, int] = (1280, 720),
    settle: bool = True,
    first_start: bool = False,
) -> Iterator[Desktop]:
    """Start X server, window manager and program; all of them end with the block.

    With `settle` the engine is ready when the block begins, without it only the window is. The window fills
    the screen unless this is a `first_start`: then it has a frame and the size it chooses itself.
    """
    with ExitStack() as stack:
        display = _start_x(stack, size)
        environment = os.environ | {
            "DISPLAY": display,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_VIDEOS_DIR": str(folder / "videos"),
            "XDG_STATE_HOME": str(folder / "state"),
            "HOME": str(folder),
            REPORT_VARIABLE: str(folder / "report.json"),
            "LP_NUM_THREADS": "0",
        }
        for name in ("WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_SESSION_TYPE"):
            environment.pop(name, None)
        bare = folder / "openbox.xml"
        bare.write_text(FRAMED if first_start else BARE, encoding="utf-8")
        _process(stack, ["openbox", "--sm-disable", "--config-file", str(bare)], environment)
        if not first_start:
            settings = folder / "config" / "repose" / "settings.toml"
            settings.parent.mkdir(parents=True)
            settings.write_text(
                f"width = {size[0]}\nheight = {size[1]}\nframe_rate = {FRAME_RATE}\nexpert = true\n", encoding="utf-8"
            )
        program = _process(stack, [sys.executable, "-m", "app", *arguments], environment)
        desktop = Desktop(environment, program, folder / "report.json")
        desktop.until(lambda: desktop.report.exists() and not (settle and desktop.state["compiling"]), "first picture")
        desktop.window = desktop.xdotool("search", "--sync", "--onlyvisible", "--class", "repose").split()[-1]
        desktop.xdotool("windowfocus", "--sync", desktop.window)
        yield desktop


def _start_x(stack: ExitStack, size: tuple[int, int]) -> str:
    """An X server on a display number of its own choosing."""
    reading, writing = os.pipe()
    try:
        screen = f"{size[0]}x{size[1]}x24"
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", screen, "-nolisten", "tcp"]
        server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
        stack.callback(_end, server)
    finally:
        os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()
    if not number:
        raise AssertionError("Xvfb found no free display.")
    return f":{number}"


def _process(stack: ExitStack, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    # A job in the background of a script ignores SIGINT, and its children would inherit that.
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    stack.callback(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
