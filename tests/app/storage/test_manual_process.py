"""The window builds the manual in another process, opens its first page, and says why it cannot."""

from __future__ import annotations

import queue
import sys
import webbrowser
from pathlib import Path

import pytest
from repose.app.storage import manual_process
from repose.sim.message import Message


def answer(monkeypatch: pytest.MonkeyPatch, code: str, browser: bool = True) -> str:
    """What is opened, or why not, where the process runs this Python code."""
    found: queue.Queue[str] = queue.Queue()

    def opened(page: str) -> bool:
        if browser:
            found.put(page)
        return browser

    def tell(message: Message) -> None:
        found.put(str(message))

    monkeypatch.setattr(webbrowser, "open", opened)
    monkeypatch.setattr(manual_process, "COMMAND", (sys.executable, "-X", "utf8", "-c", code))
    manual_process.open_in_browser(tell)
    return found.get(timeout=30.0)


def test_the_page_that_the_process_prints_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert manual_process.COMMAND[3:] == ("-m", "repose.app", "manual", "--no-browser")
    page = tmp_path / "Körner" / "index.html"
    assert answer(monkeypatch, f"print({str(page)!r})") == page.as_uri()


def test_a_machine_without_a_browser_is_told_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = str(tmp_path / "index.html")
    assert answer(monkeypatch, f"print({page!r})", browser=False) == f"No browser was found: open {page} in one."


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "import sys; sys.exit('The manual is built.\\n/cache is full; write elsewhere.')",
            "/cache is full; write elsewhere",
        ),
        ("import os; os._exit(7)", "its process ended with code 7"),
        ("pass", "its process ended with code 0"),
    ],
)
def test_a_process_that_fails_is_told_with_its_last_sentence(
    monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    assert answer(monkeypatch, code) == f"The manual cannot be opened: {reason}."


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[Message] = []
    monkeypatch.setattr(manual_process, "COMMAND", (str(tmp_path / "missing"),))
    manual_process.open_in_browser(told.append)
    assert str(*told).startswith("The manual cannot be opened: ")
