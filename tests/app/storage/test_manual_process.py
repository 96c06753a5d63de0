"""The window opens the manual with another process."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from repose.app.storage import manual_process


def test_another_process_opens_the_manual(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert manual_process.COMMAND[1:] == ("-m", "repose.app", "manual")
    done = tmp_path / "done"
    code = f"import pathlib; pathlib.Path({str(done)!r}).touch()"
    monkeypatch.setattr(manual_process, "COMMAND", (sys.executable, "-c", code))
    assert not manual_process.open_in_browser()
    for _ in range(600):
        if done.exists():
            return
        time.sleep(0.05)
    pytest.fail("the process has not run")


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(manual_process, "COMMAND", (str(tmp_path / "missing"),))
    assert str(manual_process.open_in_browser()).startswith("The manual cannot be opened: ")
