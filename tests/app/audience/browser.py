"""A real browser without a display, driven over its debugging pipe."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120.0
"""Wall time after which something that should happen counts as not happening [s]."""


def program() -> str:
    """A browser of this machine; the test is skipped without one."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None or os.name != "posix":
        pytest.skip("no chromium on this machine: the pages are not tested in a browser")
    return found


@dataclass
class Browser:
    """One page of a browser."""

    sending: int
    receiving: int
    session: str = ""
    number: int = 0
    waiting: bytes = b""
    said: list[str] = field(default_factory=list)
    """Messages of the console and errors of scripts."""
    asked: list[str] = field(default_factory=list)
    """Addresses of all requests."""

    def do(self, method: str, **parameters: Any) -> Any:
        """Carry out a command of the DevTools protocol."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sending, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self.number:
                assert "error" not in found, found
                return found["result"]
            name, told = found.get("method", ""), found.get("params", {})
            if name in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.said.append(json.dumps(told))
            if name == "Network.requestWillBeSent":
                self.asked.append(told["request"]["url"])

    def _next(self) -> Any:
        while b"\0" not in self.waiting:
            part = os.read(self.receiving, 1 << 16)
            assert part, "the browser has ended"
            self.waiting += part
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.do("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression in the page is true."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(script):
            assert time.monotonic() < end, f"{script} is still not true: {self.evaluate('document.body.innerText')}"
            time.sleep(0.05)

    def open(
        self, address: str, language: str = "en", size: tuple[int, int] = (390, 844), scripts: bool = True
    ) -> None:
        """Open an address as a phone of this size [CSS pixel]."""
        self.do("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=True)
        self.do("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        self.do("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.do("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        while self.evaluate("document.readyState + location.href") != f"complete{address}":
            assert time.monotonic() < end, "the page is not complete"
            time.sleep(0.05)

    def screenshot(self, path: Path) -> None:
        """The whole page as PNG."""
        found = self.do("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile in the folder."""
    commands, results = os.pipe(), os.pipe()
    command = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += ["--no-first-run", "--disable-background-networking", f"--user-data-dir={folder}"]
    command += ["--remote-debugging-pipe", "about:blank"]

    def arrange() -> None:
        os.dup2(commands[0], 3)
        os.dup2(results[1], 4)

    running = subprocess.Popen(
        command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(3, 4), preexec_fn=arrange
    )
    os.close(commands[0])
    os.close(results[1])
    try:
        browser = Browser(commands[1], results[0])
        targets = browser.do("Target.getTargets")["targetInfos"]
        page = next(entry["targetId"] for entry in targets if entry["type"] == "page")
        browser.session = browser.do("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            browser.do(f"{domain}.enable")
        yield browser
    finally:
        running.terminate()
        try:
            running.wait(30.0)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        os.close(commands[1])
        os.close(results[0])
