"""Fixtures of most tests of panels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    """All panels around a heap in full flow."""
    with open_harness(tmp_path, full_snapshot()) as opened:
        yield opened
