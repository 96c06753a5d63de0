"""What most tests of panels begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.ui.panels.stage import Stage, full_snapshot, open_stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """All panels around a heap in full flow."""
    with open_stage(tmp_path, full_snapshot()) as opened:
        yield opened
