"""Functions behind keys: the manual is opened, and every failure is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from repose.app.ui.toasts import LONG, SHORT, Toasts
from repose.app.window import actions
from repose.sim.message import Message

from tests.app.ui.panels.panel_harness import PanelHarness, open_harness

OPENS = "The manual opens in the browser; the first time it is built, which takes some seconds."


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    with open_harness(tmp_path) as harness:
        yield harness


def test_the_manual_is_announced_at_each_click_and_a_failure_is_told_each_time(
    harness: PanelHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[Message], None]] = []
    monkeypatch.setattr(actions, "open_in_browser", waiting.append)

    def told() -> list[str]:
        harness.frame(2)
        return [str(toast.text) for toast in harness.ui.states[Toasts].shown]

    told()
    for _ in range(2):
        harness.ui.mode.help_open = True
        actions._open_manual(harness.ui)
        assert not harness.ui.mode.help_open
        assert told() == [OPENS]
        harness.wait(SHORT)
        waiting[-1](Message("The disk is full."))
        assert told() == ["The disk is full."]
        harness.wait(LONG)
        assert told() == []
