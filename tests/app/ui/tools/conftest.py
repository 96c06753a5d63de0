"""The window with two grains, for the tools of the mouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.app.render.camera import Camera2D

from tests.app.ui.panels.panel_harness import PanelHarness, open_harness
from tests.app.ui.tools.two_grains import SIZE, two_grains


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    """All panels around two grains."""
    with open_harness(tmp_path, two_grains(), size=SIZE) as opened:
        opened.ui.camera = Camera2D((0.0, 0.0), 0.01)
        yield opened
